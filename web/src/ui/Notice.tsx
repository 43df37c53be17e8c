import type { ReactNode } from 'react';
import styles from './Notice.module.css';

interface Props {
  readonly kind: 'danger' | 'ok' | 'plain';
  readonly children: ReactNode;
}

/** A message, announced by screen readers; errors immediately. */
export function Notice({ kind, children }: Props) {
  return (
    <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'danger' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
