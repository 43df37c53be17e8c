import styles from './Loading.module.css';

/** Lines where the text will be. What comes within 300 ms is not announced: the lines fade in only then. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className={styles.loading}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never move
        <div key={line} className={styles.line} />
      ))}
    </div>
  );
}
