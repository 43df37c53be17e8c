import type { CSSProperties } from 'react';
import type { SegmentKind, Usage } from '#domain/segments.ts';
import { countOf } from '../../administration/count.ts';
import { NoBar } from '../../kit/Bar.tsx';
import styles from './Size.module.css';

interface Props {
  readonly kind: SegmentKind;
  /** Undefined if the segment is neither active nor named there. */
  readonly usage: Usage | undefined;
  /** The largest size of the segment in any environment. */
  readonly largest: number;
  /** Writes "keys" after the number. */
  readonly hasUnit?: boolean;
}

/** A segment's size in one environment, relative to its largest. */
export const Size = ({ kind, usage, largest, hasUnit = false }: Props) => (
  <span className={styles.size}>
    {!usage?.active && <NoBar />}
    {usage?.active && kind === 'rule_based' && <span className={styles.rules} aria-hidden />}
    {usage?.active && kind !== 'rule_based' && (
      <span className={styles.bar} aria-hidden>
        <span style={{ width: `${shareOf(usage.keyCount, largest)}%` } satisfies CSSProperties} />
      </span>
    )}
    <SizeWords kind={kind} usage={usage} hasUnit={hasUnit} />
  </span>
);

function SizeWords({ kind, usage, hasUnit }: Omit<Props, 'largest'>) {
  if (!usage?.active) return <span className={styles.none}>Not active</span>;
  if (kind === 'rule_based') return <span className={styles.words}>{countOf(usage.ruleCount ?? 0, 'rule')}</span>;
  return (
    <span className={styles.words} title={`${usage.keyCount.toLocaleString('en')} keys`}>
      <b className={styles.number}>{usage.keyCount.toLocaleString('en')}</b>
      <span className={hasUnit ? undefined : 'sr'}> {usage.keyCount === 1 ? 'key' : 'keys'}</span>
    </span>
  );
}

/** A few keys stay visible next to many. */
const shareOf = (count: number, largest: number): number => (count === 0 ? 0 : Math.max(4, (100 * count) / largest));
