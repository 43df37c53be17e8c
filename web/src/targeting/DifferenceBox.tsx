import type { ReactNode } from 'react';
import type { Difference } from '#domain/definitions/differences.ts';
import { equalJson } from '#domain/json.ts';
import styles from './DifferenceBox.module.css';
import { DifferenceSide } from './DifferenceSide.tsx';
import { differenceTitle, listChanges, movesOf } from './difference-words.ts';
import { KeyChanges } from './KeyChanges.tsx';

interface Props {
  readonly difference: Difference;
  /** The names of the treatments, before and after: they decide the colours. */
  readonly order: readonly string[];
  readonly trafficType: string;
  /** It has happened already. */
  readonly isPast?: boolean;
}

/** One difference as a picture: what it is about, how it is now, how it will be, and how many of its keys move. What all changes do together, `EffectView` tells. */
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

/** Its place is in the title; what it says is the same. */
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
