import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import { percent } from '../../ui/percent.ts';
import styles from './Summary.module.css';

/** The sum of it, before anybody reads the operations. */
export function Summary({ plan }: { readonly plan: ChangesetPlan }) {
  const { operations } = plan;
  const [flags, segments] = [countOf(operations, 'flag'), countOf(operations, 'segment')];
  const findings = operations.reduce(
    (sum, one) => sum + one.findings.length + one.laterSteps.reduce((all, step) => all + step.findings.length, 0),
    0,
  );
  const moved = movedIn(operations);
  return (
    <dl className={styles.summary}>
      {flags > 0 && <Fact value={String(flags)} words={flags === 1 ? 'flag changes' : 'flags change'} />}
      {segments > 0 && <Fact value={String(segments)} words={segments === 1 ? 'segment changes' : 'segments change'} />}
      {moved && <Fact {...moved} />}
      <Fact value={String(findings)} words={findings === 1 ? 'finding to read' : 'findings to read'} />
    </dl>
  );
}

type Operations = ChangesetPlan['operations'];

const countOf = (operations: Operations, kind: 'flag' | 'segment'): number =>
  new Set(operations.flatMap((one) => one[kind]?.id ?? [])).size;

/** Of several flags, the one that moves most: keys moved by two of them are not counted. */
function movedIn(operations: Operations): FactProps | undefined {
  const counted = operations.flatMap(({ transitions, trafficType = '' }) => {
    const keys = transitions.filter((one) => one.keys > 0);
    const best = keys.find(({ of }) => of === 'seen') ?? keys[0];
    if (!best) return [];
    const moving = best.cells.filter(({ from, to }) => from !== to).reduce((sum, cell) => sum + cell.keys, 0);
    return { ...best, moving, trafficType };
  });
  const [only, ...others] = counted;
  if (!only) return undefined;
  if (others.length > 0) {
    const most = Math.max(...counted.map(({ moving, keys }) => (moving / keys) * 100));
    return { value: percent(most), words: 'of keys see a change in the flag that moves most' };
  }
  const kind = only.of === 'seen' ? `${only.trafficType} keys seen lately` : `sample ${only.trafficType} keys`;
  return {
    value: only.moving.toLocaleString('en'),
    words: `of ${only.keys.toLocaleString('en')} ${kind} see a change`,
  };
}

interface FactProps {
  readonly value: string;
  readonly words: string;
}

const Fact = ({ value, words }: FactProps) => (
  <div className={styles.fact}>
    <dt>{words}</dt>
    <dd className="num">{value}</dd>
  </div>
);
