import type { ReactNode } from 'react';
import styles from './Notice.module.css';

interface Props {
  readonly kind: 'danger' | 'ok' | 'plain';
  readonly children: ReactNode;
}

/** What just happened. Read out by screen readers; what went wrong at once. */
export function Notice({ kind, children }: Props) {
  return (
    <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'danger' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
