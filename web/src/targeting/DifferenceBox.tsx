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
  /** The change was already made, would be made now, or follows others that are not made yet. */
  readonly when?: 'past' | 'now' | 'later';
}

/** One difference: its title, both sides, and how many of its keys move. `EffectView` shows the combined effect. */
export function DifferenceBox({ difference, order, trafficType, when = 'now' }: Props) {
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
          <Side name={when === 'now' ? 'Now' : 'Before'}>{sideOf(difference, 'before', { order, trafficType })}</Side>
          <Side name="After">{sideOf(difference, 'after', { order, trafficType })}</Side>
        </dl>
      )}
      <Impact difference={difference} trafficType={trafficType} isPast={when === 'past'} />
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

interface ImpactProps extends Pick<Props, 'difference' | 'trafficType'> {
  readonly isPast: boolean;
}

function Impact({ difference, trafficType, isPast }: ImpactProps) {
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
