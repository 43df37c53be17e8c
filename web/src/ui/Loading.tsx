import styles from './Loading.module.css';

/** Placeholder lines for text. They fade in after 300 ms, so that fast loads do not flicker. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className={styles.loading}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: static placeholders
        <div key={line} className={styles.line} />
      ))}
    </div>
  );
}
