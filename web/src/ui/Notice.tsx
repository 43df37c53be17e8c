import type { ReactNode } from 'react';
import styles from './Notice.module.css';

interface Props {
  readonly kind: 'danger' | 'ok' | 'plain';
  /** For controls that it describes. */
  readonly id?: string;
  readonly children: ReactNode;
}

/** A message, announced by screen readers; errors immediately. */
export function Notice({ kind, id, children }: Props) {
  return (
    <div id={id} className={`${styles.notice} ${styles[kind]}`} role={kind === 'danger' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
