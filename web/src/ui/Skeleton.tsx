import styles from './Skeleton.module.css';

interface Props {
  /** Pixels, or any CSS length. */
  readonly width?: number | string;
  readonly height?: number;
}

/** A placeholder the size of the content that is loading, so that nothing jumps. Visible after 300 ms. */
export const Skeleton = ({ width = '100%', height = 16 }: Props) => (
  <span className={styles.block} style={{ width, height }} aria-hidden />
);

interface RowsProps {
  readonly rows?: number;
  readonly height?: number;
}

/** Placeholder rows for a list. Announces loading to screen readers once. */
export const SkeletonRows = ({ rows = 6, height = 52 }: RowsProps) => (
  <div role="status" aria-label="Loading" className={styles.rows}>
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: static placeholders
      <div key={row} className={styles.row} style={{ height }}>
        <Skeleton width={`${38 - ((row * 7) % 15)}%`} height={14} />
        <Skeleton width="12%" height={14} />
        <Skeleton width="20%" height={14} />
      </div>
    ))}
  </div>
);
