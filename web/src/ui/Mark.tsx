import styles from './Mark.module.css';

export function Mark() {
  return (
    <span className={styles.mark}>
      <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
        <path d="M4 2v16" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
        <path d="M4 3.2 17 7l-4.2 1.9L17 11 4 13.2z" className={styles.flag} />
      </svg>
      Burgee
    </span>
  );
}
