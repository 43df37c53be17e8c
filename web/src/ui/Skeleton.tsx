import styles from './Skeleton.module.css';

interface Props {
  /** Pixels, or any length of CSS. */
  readonly width?: number | string;
  readonly height?: number;
}

/** Takes the place of something that is on its way, in its size, so that nothing jumps. Seen only after 300 ms. */
export const Skeleton = ({ width = '100%', height = 16 }: Props) => (
  <span className={styles.block} style={{ width, height }} aria-hidden />
);

interface RowsProps {
  readonly rows?: number;
  readonly height?: number;
}

/** As many rows of a list as one expects. Says once to screen readers that something is loading. */
export const SkeletonRows = ({ rows = 6, height = 52 }: RowsProps) => (
  <div role="status" aria-label="Loading" className={styles.rows}>
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
      <div key={row} className={styles.row} style={{ height }}>
        <Skeleton width={`${38 - ((row * 7) % 15)}%`} height={14} />
        <Skeleton width="12%" height={14} />
        <Skeleton width="20%" height={14} />
      </div>
    ))}
  </div>
);
