import type { ReactNode } from 'react';
import type { DefinitionSummary } from '#domain/definitions/summary.ts';
import { rolledOutShare, rolloutOf } from '#domain/rollouts.ts';
import { Bar, NoBar } from '../../kit/Bar.tsx';
import { Killed } from '../../kit/StatusChip.tsx';
import { sharesInWords } from '../../kit/treatments.ts';
import type { Environment } from '../../server/project.ts';
import { percent } from '../../ui/percent.ts';
import styles from './FlagTable.module.css';

interface Props {
  readonly environment: Environment;
  /** The flag's page in it. */
  readonly href: string;
  /** Undefined if the flag is not defined. */
  readonly definition: DefinitionSummary | undefined;
  /** The user has an unsaved draft. */
  readonly hasDraft: boolean;
}

/** Production: the bar with words, and whether the environment next to it differs. */
export function LeadCell({ beside, ...props }: Props & { readonly beside: Named | undefined }) {
  const { environment, definition } = props;
  const difference = definition && beside?.definition && differenceOf(definition, beside.definition, beside.name);
  return (
    <td role="cell" className={environment.production ? styles.production : styles.lead}>
      <Place {...props} picture={<Picture definition={definition} />}>
        <Words definition={definition} />
      </Place>
      {difference !== undefined && (
        <span className={styles.differs} role="img" aria-label={difference} title={difference}>
          ≠
        </span>
      )}
    </td>
  );
}

interface Named {
  readonly name: string;
  readonly definition: DefinitionSummary | undefined;
}

/** A smaller share in production is a normal ramp. */
export function differenceOf(lead: DefinitionSummary, beside: DefinitionSummary, name: string): string | undefined {
  if (lead.digest !== beside.digest) return `Rules, targets or treatments differ from ${name}`;
  return rolledOutShare(lead) > rolledOutShare(beside) && !beside.killed
    ? `Further rolled out than ${name}`
    : undefined;
}

export const BarCell = ({ isFirst, ...props }: Props & { readonly isFirst: boolean }) => (
  <td
    role="cell"
    className={isFirst ? styles.beside : styles.bar}
    data-production={props.environment.production || undefined}
  >
    <Place {...props} picture={props.definition?.killed ? <Killed /> : <Picture definition={props.definition} />} />
  </td>
);

interface PlaceProps extends Props {
  readonly picture: ReactNode;
  readonly children?: ReactNode;
}

/** Clickable, but skipped by Tab: the flag's link comes first in the row. */
function Place({ href, environment, definition, hasDraft, picture, children }: PlaceProps) {
  const details = `${environment.name}: ${inWords(definition)}${hasDraft ? '. You have an unsaved draft here' : ''}`;
  return (
    <a
      href={href}
      className={styles.place}
      tabIndex={-1}
      title={details}
      aria-label={details}
      data-name={environment.name}
    >
      {picture}
      {hasDraft && <span className={styles.draft} />}
      {children}
    </a>
  );
}

export function Picture({ definition }: Pick<Props, 'definition'>) {
  if (!definition) return <NoBar />;
  return <Bar buckets={rolloutOf(definition)} order={definition.treatments} isFaded={definition.killed} label="" />;
}

export function Words({ definition }: Pick<Props, 'definition'>) {
  if (!definition) return <span className={styles.none}>Not defined</span>;
  if (definition.killed) return <Killed />;
  const leading = rolloutOf(definition).find(({ size }) => size > 0);
  return (
    <span className={styles.words}>
      <span className="mono">{leading?.treatment}</span> <span>{percent(leading?.size ?? 0)}</span>
    </span>
  );
}

/** Shares are those of all keys that match no rule, with the traffic allocation counted. */
export function inWords(definition: DefinitionSummary | undefined): string {
  if (!definition) return 'not defined';
  const { killed, defaultTreatment, ruleCount } = definition;
  if (killed) return `killed, everyone gets ${defaultTreatment}`;
  const rules = ruleCount === 0 ? '' : ` after ${ruleCount === 1 ? '1 rule' : `${ruleCount} rules`}`;
  const rounded = rolloutOf(definition).map(({ treatment, size }) => ({ treatment, size: Number(size.toFixed(1)) }));
  return `${sharesInWords(rounded)}${rules}`;
}
