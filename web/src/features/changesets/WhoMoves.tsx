import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import type { Transitions } from '#domain/evaluation/transitions.ts';
import { objectOf, type PlannedOperation } from '../../changesets/changesets-query.ts';
import { TreatmentName } from '../../kit/Bar.tsx';
import { Button } from '../../ui/Button.tsx';
import { percent } from '../../ui/percent.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import styles from './WhoMoves.module.css';

type Kind = Transitions['of'];
type Cell = Transitions['cells'][number];

const kindWords: Readonly<Record<Kind, string>> = { seen: 'Seen keys', sample: 'Sample keys' };

/** How many keys get what now and afterwards, key by key: the plan counted them. */
export function WhoMoves({ plan }: { readonly plan: ChangesetPlan }) {
  const counted = plan.operations.filter(({ transitions }) => transitions.some(({ keys }) => keys > 0));
  const kinds = (['seen', 'sample'] as const).filter((kind) => counted.some((one) => countOf(one, kind)));
  const [chosen, setChosen] = useState<Kind>();
  const kind = kinds.find((one) => one === chosen) ?? kinds[0];
  if (!kind) return null;
  return (
    <section aria-labelledby="who-moves" className={styles.part}>
      <div className={styles.head}>
        <h2 id="who-moves">Who moves</h2>
        {kinds.length > 1 && (
          <Tabs
            label="Which keys"
            controls="moves"
            selected={kind}
            onSelect={setChosen}
            tabs={kinds.map((id) => ({ id, label: kindWords[id] }))}
          />
        )}
      </div>
      <div id="moves" {...(kinds.length > 1 && { role: 'tabpanel', 'aria-label': kindWords[kind] })}>
        <ul className={styles.list}>
          {counted.map((operation) => (
            <Moves
              key={`${objectOf(operation).id} ${operation.environment?.id}`}
              operation={operation}
              // Nobody asked for this flag there yet: sample keys are better than nothing.
              transitions={countOf(operation, kind) ?? operation.transitions.find(({ keys }) => keys > 0)}
            />
          ))}
        </ul>
      </div>
    </section>
  );
}

const countOf = ({ transitions }: PlannedOperation, kind: Kind): Transitions | undefined =>
  transitions.find(({ of, keys }) => of === kind && keys > 0);

interface MovesProps {
  readonly operation: PlannedOperation;
  readonly transitions: Transitions | undefined;
}

function Moves({ operation, transitions }: MovesProps) {
  const [isShown, setShown] = useState(false);
  if (!transitions) return null;
  const { environment, rebucketing, findings, trafficType = '' } = operation;
  const moving = transitions.cells.filter(({ from, to }) => from !== to);
  const examples = moving.filter((cell) => cell.examples.length > 0);
  return (
    <li className={styles.operation}>
      <p className={styles.name}>
        <span className="mono">{objectOf(operation).name}</span>
        {environment && <span className={styles.quiet}> in {environment.name}</span>}
      </p>
      <Matrix operation={operation} transitions={transitions} />
      <p className={styles.words}>
        {moving.length === 0 && 'Nobody gets another treatment. '}
        {moving.map(({ from, to, keys, share }) => (
          <span key={`${from} ${to}`}>
            {number(keys)} ({percent(share)}) move from <code>{from}</code> to <code>{to}</code>.{' '}
          </span>
        ))}
      </p>
      <p className={styles.quiet}>
        {transitions.of === 'seen'
          ? `Of ${number(transitions.keys)} ${trafficType} keys seen lately, with what is known of them.`
          : `Of ${number(transitions.keys)} sample ${trafficType} keys without attributes, in no segment.`}
      </p>
      {rebucketing.map(({ rule, moved, needed }) => (
        <p key={rule} className={styles.warning}>
          <TriangleAlert size={15} aria-hidden />{' '}
          <span>
            <b>{findings.find((one) => one.kind === 'rebucketed' && one.rule === rule)?.title}.</b> {moved}% of the keys
            that reach it get another treatment; the new shares need {needed}%.
          </span>
        </p>
      ))}
      {examples.length > 0 && (
        <div>
          <Button look="quiet" size="small" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide examples' : 'Show examples'}
          </Button>
          {isShown && (
            <dl className={styles.examples}>
              {examples.map(({ from, to, examples: keys }) => (
                <div key={`${from} ${to}`}>
                  <dt>
                    <code>{from}</code> to <code>{to}</code>
                  </dt>
                  <dd className="mono">{keys.join(', ')}</dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      )}
    </li>
  );
}

/** Rows are now, columns are afterwards. */
function Matrix({ operation, transitions: { cells } }: { operation: PlannedOperation; transitions: Transitions }) {
  const { treatments, environment } = operation;
  const used = (side: 'from' | 'to') => {
    const names = new Set(cells.map((cell) => cell[side]));
    return [
      ...treatments.filter((name) => names.has(name)),
      ...[...names].filter((name) => !treatments.includes(name)),
    ];
  };
  const [rows, columns] = [used('from'), used('to')];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={`Keys of ${objectOf(operation).name}`}>
      <table className={styles.matrix}>
        <caption className="sr">
          Keys by what they get now, in rows, and afterwards, in columns{environment && ` in ${environment.name}`}
        </caption>
        <thead>
          <tr>
            <td className={styles.corner}>Now → after</td>
            {columns.map((treatment) => (
              <th key={treatment} scope="col">
                <TreatmentName treatment={treatment} order={treatments} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((from) => (
            <tr key={from}>
              <th scope="row">
                <TreatmentName treatment={from} order={treatments} />
              </th>
              {columns.map((to) => (
                <Count key={to} cell={cells.find((one) => one.from === from && one.to === to)} isSame={from === to} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Count = ({ cell, isSame }: { readonly cell: Cell | undefined; readonly isSame: boolean }) => (
  <td
    className={styles.cell}
    data-look={!cell ? 'none' : isSame ? 'same' : 'moves'}
    data-level={cell && !isSame ? levelOf(cell.share) : undefined}
    title={cell && percent(cell.share)}
  >
    {number(cell?.keys ?? 0)}
  </td>
);

const levelOf = (share: number): number => [10, 30, 60, 100].findIndex((most) => share <= most) + 1;

const number = (value: number): string => value.toLocaleString('en');
