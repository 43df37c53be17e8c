import type { CSSProperties } from 'react';
import styles from './Bar.module.css';
import { colourOf, type Share, sharesInWords } from './treatments.ts';

interface Props {
  readonly buckets: readonly Share[];
  /** The definition's treatment names; their order decides the colours. */
  readonly order: readonly string[];
  /** 6 pixels in lists, 10 in reviews, 14 where it is edited. */
  readonly size?: 'thin' | 'medium' | 'thick';
  /** Faded: not in effect, because the definition is killed. */
  readonly isFaded?: boolean;
  /** A hatched share after the others: it is unknown who gets what. */
  readonly unknown?: number;
  /** Replaces "on 80%, off 20%". Empty if the same text is next to it. */
  readonly label?: string;
}

/** Shares as a bar, in bucket order. Empty buckets are not drawn. */
export function Bar({ buckets, order, size = 'thin', isFaded = false, unknown = 0, label }: Props) {
  const words = label ?? sharesInWords(buckets);
  const classes = [styles.bar, styles[size], isFaded && styles.faded];
  return (
    <div
      className={classes.filter(Boolean).join(' ')}
      {...(words === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': words })}
    >
      {buckets
        .filter((bucket) => bucket.size > 0)
        .map((bucket) => (
          <span
            key={bucket.treatment}
            className={inkOf(bucket.treatment, order)}
            style={{ flexGrow: bucket.size } satisfies CSSProperties}
          />
        ))}
      {unknown > 0 && <span className={styles.unknown} style={{ flexGrow: unknown } satisfies CSSProperties} />}
    </div>
  );
}

/** Placeholder for a flag that is not defined. */
export const NoBar = () => <div className={styles.none} aria-hidden />;

interface SwatchProps {
  readonly treatment: string;
  readonly order: readonly string[];
}

/** The colour swatch of a treatment. */
export const Swatch = ({ treatment, order }: SwatchProps) => (
  <span className={`${styles.swatch} ${inkOf(treatment, order)}`} aria-hidden />
);

/** A treatment's colour and name. */
export const TreatmentName = ({ treatment, order }: SwatchProps) => (
  <span className={styles.name}>
    <Swatch treatment={treatment} order={order} />
    <span className="mono">{treatment}</span>
  </span>
);

/** The shares in words, each with its colour. */
export const Legend = ({ buckets, order }: Pick<Props, 'buckets' | 'order'>) => (
  <ul className={styles.legend}>
    {buckets.map(({ treatment, size }) => (
      <li key={treatment} className={styles.entry}>
        <TreatmentName treatment={treatment} order={order} /> <span className="num">{size}%</span>
      </li>
    ))}
  </ul>
);

function inkOf(treatment: string, order: readonly string[]): string {
  const { slot, isRepeated } = colourOf(treatment, order);
  return [styles[`t${slot}`], isRepeated && styles.hatched].filter(Boolean).join(' ');
}
