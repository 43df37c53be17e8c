import type { ReactNode } from 'react';
import type { Difference } from '#domain/definitions/differences.ts';
import { equalJson } from '#domain/json.ts';
import styles from './DifferenceBox.module.css';
import { DifferenceSide } from './DifferenceSide.tsx';
import { differenceTitle, listChanges, movesOf } from './difference-words.ts';
import { KeyChanges } from './KeyChanges.tsx';

interface Props {
  readonly difference: Difference;
  /** Treatment names before and after; their order decides the colours. */
  readonly order: readonly string[];
  readonly trafficType: string;
  /** The change was already made. */
  readonly isPast?: boolean;
}

/** One difference: its title, both sides, and how many of its keys move. `EffectView` shows the combined effect. */
export function DifferenceBox({ difference, order, trafficType, isPast = false }: Props) {
  return (
    <section className={styles.box} aria-label={differenceTitle(difference)}>
      <h3 className={styles.title}>{differenceTitle(difference)}</h3>
      {difference.kind === 'keys' || difference.kind === 'segments' ? (
        <div className={styles.lists}>
          <KeyChanges {...listChanges(difference)} />
        </div>
      ) : isOnlyMoved(difference) ? (
        <div className={styles.lists}>{sideOf(difference, 'after', { order, trafficType })}</div>
      ) : (
        <dl className={styles.sides}>
          <Side name={isPast ? 'Before' : 'Now'}>{sideOf(difference, 'before', { order, trafficType })}</Side>
          <Side name="After">{sideOf(difference, 'after', { order, trafficType })}</Side>
        </dl>
      )}
      <Impact difference={difference} trafficType={trafficType} isPast={isPast} />
    </section>
  );
}

/** Only its position changed, which the title says. */
const isOnlyMoved = (difference: Difference): boolean =>
  difference.kind === 'rule' && difference.isMoved && equalJson(difference.before?.rule, difference.after?.rule);

function sideOf(difference: Difference, side: 'before' | 'after', look: Pick<Props, 'order' | 'trafficType'>) {
  return <DifferenceSide difference={difference} side={side} {...look} />;
}

const Side = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

function Impact({ difference, trafficType, isPast = false }: Omit<Props, 'order'>) {
  const moves = movesOf(difference);
  if (!moves) return null;
  const [reach, move, change] = isPast ? ['reached', 'moved', 'changed'] : ['reach', 'move', 'changes'];
  return (
    <div className={styles.impact}>
      {moves.length === 0 && (
        <p>
          No key that {isPast ? 'reached' : 'reaches'} this step {change} its treatment.
        </p>
      )}
      {moves.map(({ from, to, share }) => (
        <p key={`${from} ${to}`}>
          <span className="num">{share}%</span> of the {trafficType} keys that {reach} this step {move} from{' '}
          <code>{from}</code> to <code>{to}</code>.
        </p>
      ))}
    </div>
  );
}
