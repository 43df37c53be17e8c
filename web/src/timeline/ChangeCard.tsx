import type { RolloutChange, RolloutPoint } from '#domain/rollouts.ts';
import { useEditorName } from '../kit/EditorName.tsx';
import { Avatar } from '../ui/Avatar.tsx';
import { percent } from '../ui/percent.ts';
import styles from './ChangeCard.module.css';
import { aroundChange, type Dot, type TimeScale } from './geometry.ts';

interface Props {
  readonly dot: Dot;
  readonly points: readonly RolloutPoint[];
  readonly scale: TimeScale;
}

export const exact = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** What the changes of a dot did, next to it; on phones below. Its link has the same words for screen readers. */
export function ChangeCard({ dot, points, scale }: Props) {
  const isLeft = dot.x > scale.width / 2;
  return (
    <div
      className={styles.card}
      style={isLeft ? { right: scale.width - dot.x + 12 } : { left: dot.x + 12 }}
      aria-hidden
    >
      {dot.changes.slice(-3).map((change) => (
        <One key={change.id} change={change} points={points} />
      ))}
      {dot.changes.length > 3 && <p className={styles.more}>and {dot.changes.length - 3} earlier</p>}
      <p className={styles.more}>{dot.changes.length > 1 ? 'Open the newest' : 'Open this version'}</p>
    </div>
  );
}

function One({ change, points }: { readonly change: RolloutChange; readonly points: readonly RolloutPoint[] }) {
  const name = useEditorName(change.editor);
  const moves = movesOf(points, change);
  return (
    <div className={styles.change}>
      <p className={styles.title} data-kind={change.action}>
        {titleOf(change)}
      </p>
      <p className={styles.who}>
        <Avatar name={name} />
        {name}, {exact.format(change.at)}
      </p>
      {moves.length > 0 && (
        <dl className={styles.moves}>
          {moves.map(([what, how]) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>{how}</dd>
            </div>
          ))}
        </dl>
      )}
      {change.count > 1 && <p className={styles.more}>and {change.count - 1} shortly before</p>}
    </div>
  );
}

const actions: Readonly<Record<string, string>> = {
  'definition.created': 'Defined',
  'definition.killed': 'Killed',
  'definition.restored': 'Restored',
  'definition.replaced': 'Replaced',
};

const actionOf = ({ action }: RolloutChange): string => actions[action] ?? 'Changed';

/** The reason, if one was given. Kills and restores are always named as such. */
export const titleOf = (change: RolloutChange): string => {
  const action = actionOf(change);
  if (change.title === undefined) return action;
  return change.action in actions ? `${action}: ${change.title}` : change.title;
};

/** Shares that a change moved: "on", "10% → 25%". */
export function movesOf(points: readonly RolloutPoint[], { at, action }: RolloutChange): [string, string][] {
  if (action === 'definition.killed')
    return [['Everyone gets', aroundChange(points, at).after?.defaultTreatment ?? '']];
  const { before, after } = aroundChange(points, at);
  if (!after || before === after) return [];
  const sizeIn = (point: RolloutPoint | undefined, treatment: string) =>
    point?.shares.find((share) => share.treatment === treatment)?.size ?? 0;
  const names = [...new Set([...(before?.shares ?? []), ...after.shares].map(({ treatment }) => treatment))];
  const shares = names
    .filter((name) => sizeIn(before, name) !== sizeIn(after, name))
    .map((name): [string, string] => [name, `${percent(sizeIn(before, name))} → ${percent(sizeIn(after, name))}`]);
  const isMoved = before && before.shares.length > 0 && before.allocation !== after.allocation;
  return isMoved ? [['Allocation', `${before.allocation}% → ${after.allocation}%`], ...shares] : shares;
}

/** A dot in one sentence. */
export function changeLabel({ changes, count }: Dot, points: readonly RolloutPoint[]): string {
  const newest = changes.at(-1);
  if (!newest) return '';
  const kills = changes.filter(({ action }) => action === 'definition.killed').length;
  const moves = movesOf(points, newest).map(([what, how]) => `${what} ${how}`);
  return [
    titleOf(newest),
    newest.editor.name,
    exact.format(newest.at),
    ...moves,
    ...(count > 1 ? [`and ${count - 1} more shortly before`] : []),
    ...(kills > 0 && newest.action !== 'definition.killed' ? ['with a kill'] : []),
  ].join(', ');
}
