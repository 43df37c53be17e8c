import { ArrowDown } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { type DriftingFlag, driftBetween } from '#domain/drift.ts';
import { rolloutOf } from '#domain/rollouts.ts';
import { Bar, NoBar } from '../../kit/Bar.tsx';
import { kindsInWords } from '../../kit/drift-kinds.ts';
import { EnvironmentHead } from '../../kit/EnvironmentHead.tsx';
import { Killed, ProdChip } from '../../kit/StatusChip.tsx';
import { type Environment, useEnvironments, useProject } from '../../server/project.ts';
import { flagPath } from '../../state/paths.ts';
import { stringifySearch } from '../../state/search-params.ts';
import { useFollow } from '../../state/use-follow.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { percent } from '../../ui/percent.ts';
import { ShortTime } from '../../ui/Time.tsx';
import type { DriftSort } from './DriftPage.tsx';
import styles from './DriftTable.module.css';
import { cellInWords, differencesInWords, type Side } from './drift-words.ts';

interface Props {
  readonly flags: readonly DriftingFlag[];
  readonly base: Environment;
  /** The environment that is compared with the base; undefined: all. */
  readonly left: Environment | undefined;
  readonly sort: DriftSort;
  readonly onSort: (sort: DriftSort) => void;
  /** Flags that are to be promoted from the left to the base, by id. Undefined: none can be. */
  readonly picked: ReadonlyMap<string, string> | undefined;
  readonly onPick: (flags: readonly DriftingFlag[], isPicked: boolean) => void;
}

/** Only what is defined on the left can be promoted. */
const isPickable = ({ definitions }: DriftingFlag, left: Environment | undefined): boolean =>
  definitions.some(({ environment }) => environment.id === left?.id);

/** With so few columns, their heads have the room for long names. */
const roomyColumns = 3;

/** A row for each flag that differs, a cell for each environment: how many keys get something else than in the base. */
export function DriftTable({ flags, base, left, sort, onSort, picked, onPick }: Props) {
  const pickable = flags.filter((flag) => isPickable(flag, left));
  const environments = useEnvironments();
  const rest = environments.filter(({ id }) => id !== base.id && id !== left?.id);
  const others = left ? [left, ...rest] : rest;
  const head = (name: DriftSort, children: ReactNode) => (
    <th className={styles[name]} aria-sort={sort === name ? (name === 'name' ? 'ascending' : 'descending') : undefined}>
      <button type="button" className={styles.sort} onClick={() => onSort(name)}>
        {children}
        {sort === name && <ArrowDown size={12} aria-hidden />}
      </button>
    </th>
  );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className={styles.frame} aria-label="Flags that differ" tabIndex={0}>
        <table className={styles.table} data-roomy={others.length <= roomyColumns || undefined}>
          <caption className="sr">Flags that differ from {base.name}</caption>
          <thead>
            <tr>
              {picked && (
                <th className={styles.check}>
                  <Checkbox
                    label={<span className="sr">Select all shown</span>}
                    disabled={pickable.length === 0}
                    checked={pickable.length > 0 && pickable.every(({ id }) => picked.has(id))}
                    onChange={({ target }) => onPick(pickable, target.checked)}
                  />
                </th>
              )}
              {head('name', 'Flag')}
              <th className={base.production ? styles.production : styles.base}>
                {base.name} {base.production && <ProdChip />}
              </th>
              {others.map((environment) => (
                <EnvironmentHead
                  key={environment.id}
                  environment={environment}
                  className={styles.cell}
                  isChosen={environment === left}
                />
              ))}
              {head('severity', 'Differs in')}
              {head('changed', 'Changed')}
            </tr>
          </thead>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: links in the rows are followed by Enter, which clicks them */}
          <tbody onClick={useFollow()}>
            {flags.map((flag) => (
              <Row key={flag.id} {...{ flag, base, left, others, onPick }} isPicked={picked?.has(flag.id)} />
            ))}
          </tbody>
        </table>
      </section>
      <Legend base={base} />
    </>
  );
}

interface RowProps extends Pick<Props, 'base' | 'left' | 'onPick'> {
  readonly flag: DriftingFlag;
  /** Undefined: nothing can be picked. */
  readonly isPicked: boolean | undefined;
  readonly others: readonly Environment[];
}

const Row = memo(({ flag, base, left, others, isPicked, onPick }: RowProps) => {
  const project = useProject();
  const sideIn = (environment: Environment): Side => ({
    environment,
    definition: flag.definitions.find((one) => one.environment.id === environment.id),
  });
  const mine = sideIn(base);
  const addressOf = ({ name }: Environment) =>
    `${flagPath(project.name, flag.name)}/compare${stringifySearch({ a: name, b: base.name })}`;
  const differing = left ?? others.find((one) => driftBetween(mine.definition, sideIn(one).definition)) ?? base;
  return (
    <tr className={styles.row}>
      {isPicked !== undefined && (
        <td className={styles.check}>
          <Checkbox
            label={<span className="sr">Select {flag.name}</span>}
            checked={isPicked}
            disabled={!isPickable(flag, left)}
            onChange={({ target }) => onPick([flag], target.checked)}
          />
        </td>
      )}
      <th scope="row" className={styles.name}>
        <a href={addressOf(differing)} className={styles.link} title={flag.name}>
          {flag.name}
        </a>
      </th>
      <td className={base.production ? styles.production : styles.base}>
        <Served side={mine} />
      </td>
      {others.map((environment) => (
        <td key={environment.id} className={styles.cell}>
          <Cell base={mine} other={sideIn(environment)} address={addressOf(environment)} />
        </td>
      ))}
      <td className={styles.severity}>{left ? differencesInWords(mine, sideIn(left)) : kindsInWords(flag.kinds)}</td>
      <td className={styles.changed}>
        <ShortTime at={flag.lastUpdateTime} />
      </td>
    </tr>
  );
});

function Served({ side: { definition } }: { readonly side: Side }) {
  if (!definition) {
    return (
      <span className={styles.served}>
        <span className={styles.track}>
          <NoBar />
        </span>
        <span className={styles.none}>Not defined</span>
      </span>
    );
  }
  const shares = rolloutOf(definition);
  const leading = shares.find(({ size }) => size > 0);
  return (
    <span className={styles.served}>
      <span className={styles.track}>
        <Bar buckets={shares} order={definition.treatments} isFaded={definition.killed} label="" />
      </span>
      {definition.killed ? (
        <Killed />
      ) : (
        <span className={styles.words}>
          <span className="mono">{leading?.treatment}</span> {percent(leading?.size ?? 0)}
        </span>
      )}
    </span>
  );
}

interface CellProps {
  readonly base: Side;
  readonly other: Side;
  readonly address: string;
}

/** Skipped by Tab: the link of the flag comes first in the row. */
function Cell({ base, other, address }: CellProps) {
  const drift = driftBetween(base.definition, other.definition);
  const words = cellInWords(base, other, drift);
  const isKilled = drift?.kinds.includes('killed') && other.definition?.killed;
  const look = !other.definition ? 'none' : drift?.kinds.includes('defined') ? 'only' : isKilled ? 'killed' : 'share';
  return (
    <a
      href={address}
      className={styles.mark}
      data-look={look}
      data-level={look === 'share' ? levelOf(drift?.share ?? 0) : undefined}
      tabIndex={-1}
      title={words}
      aria-label={words}
    >
      {look === 'only' && 'Defined'}
      {look === 'killed' && 'Killed'}
      {look === 'share' &&
        (drift ? drift.share > 0 && `${Math.round(drift.share)}%` : <span className={styles.same} />)}
      {look !== 'only' && drift?.kinds.includes('targeting') && <span className={styles.notch} />}
    </a>
  );
}

const levelOf = (share: number): number => [0, 10, 30, 60, 99.99, 100].findIndex((most) => share <= most);

const Legend = ({ base }: { readonly base: Environment }) => (
  <p className={styles.legend}>
    <span>Minimum share of keys that get a different treatment than in {base.name}</span>
    <span className={styles.ramp} aria-hidden>
      {[0, 1, 2, 3, 4, 5].map((level) => (
        <span key={level} className={styles.mark} data-look="share" data-level={level} />
      ))}
    </span>
    <span>100%</span>
    <span className={styles.mark} data-look="share" data-level={0} aria-hidden>
      <span className={styles.notch} />
    </span>
    <span>Rules or targets differ, which are not counted</span>
  </p>
);
