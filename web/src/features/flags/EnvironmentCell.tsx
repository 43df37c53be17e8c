import type { DefinitionSummary, ListedFlag } from '#domain/definitions/summary.ts';
import { Bar, NoBar } from '../../kit/Bar.tsx';
import { Killed } from '../../kit/StatusChip.tsx';
import { sharesInWords } from '../../kit/treatments.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { flagPath } from '../../state/paths.ts';
import styles from './EnvironmentCell.module.css';

interface Props {
  readonly flag: ListedFlag;
  readonly environment: Environment;
  /** Undefined if the flag is not defined. */
  readonly definition: DefinitionSummary | undefined;
  /** The user has an unsaved draft. */
  readonly hasDraft: boolean;
}

/** What a flag serves in one environment. Clickable, but skipped by Tab: the flag's link comes first in the row. */
export function EnvironmentCell({ flag, environment, definition, hasDraft }: Props) {
  const project = useProject();
  return (
    <td className={styles.cell}>
      <a href={flagPath(project.name, flag.name, environment.name)} className={styles.link} tabIndex={-1}>
        <span className={styles.label}>{environment.name}</span>
        {definition ? <State definition={definition} /> : <NotDefined />}
        {hasDraft && (
          <span className={styles.draft} title="You have an unsaved draft here">
            <span className="sr">Unsaved draft</span>
          </span>
        )}
      </a>
    </td>
  );
}

function State({ definition }: { readonly definition: DefinitionSummary }) {
  const { killed, defaultTreatment, defaultRule, treatments } = definition;
  if (killed) {
    return (
      <>
        <Bar buckets={[{ treatment: defaultTreatment, size: 100 }]} order={treatments} isFaded label="" />
        <span className={styles.words}>
          <Killed />
        </span>
      </>
    );
  }
  return (
    <>
      <Bar buckets={defaultRule} order={treatments} label="" />
      <Words definition={definition} />
    </>
  );
}

/** The first treatment with a share; details are in the tooltip and for screen readers. */
function Words({
  definition: { defaultRule, trafficAllocation, ruleCount },
}: {
  readonly definition: DefinitionSummary;
}) {
  const rules = ruleCount === 1 ? '1 rule' : `${ruleCount} rules`;
  const leading = defaultRule.find(({ size }) => size > 0);
  const details = [
    sharesInWords(defaultRule),
    trafficAllocation < 100 ? `of ${trafficAllocation}% of the traffic` : '',
    ruleCount > 0 ? `after ${rules}` : '',
  ].filter(Boolean);
  return (
    <span className={styles.words} title={details.join(', ')}>
      <span aria-hidden className={styles.leading}>
        <span className="mono">{leading?.treatment}</span> <span className="num">{leading?.size}%</span>
        {trafficAllocation < 100 && <span className={styles.part}> of {trafficAllocation}%</span>}
        {ruleCount > 0 && <span className={styles.part}> +{rules}</span>}
      </span>
      <span className="sr">{details.join(', ')}</span>
    </span>
  );
}

const NotDefined = () => (
  <>
    <NoBar />
    <span className={`${styles.words} ${styles.none}`}>Not defined</span>
  </>
);
