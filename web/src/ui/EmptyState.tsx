import type { ReactNode } from 'react';
import styles from './EmptyState.module.css';

interface Props {
  readonly title: string;
  readonly children?: ReactNode;
  /** The next step. */
  readonly action?: ReactNode;
}

/** Explains an empty page or list, with a next step. */
export const EmptyState = ({ title, children, action }: Props) => (
  <div className={styles.empty}>
    <p className={styles.title}>{title}</p>
    {children && <div className={styles.words}>{children}</div>}
    {action && <div className={styles.action}>{action}</div>}
  </div>
);
