import type { ReactNode } from 'react';
import styles from './Chip.module.css';

interface Props {
  readonly kind?: 'plain' | 'ok' | 'warn' | 'danger' | 'accent';
  /** A decorative dot or ring before the text. */
  readonly mark?: 'dot' | 'ring';
  readonly children: ReactNode;
}

export const Chip = ({ kind = 'plain', mark, children }: Props) => (
  <span className={`${styles.chip} ${styles[kind]}`}>
    {mark && <span className={styles[mark]} aria-hidden />}
    {children}
  </span>
);

/** A small label, such as a flag's tag. */
export const Tag = ({ children }: { readonly children: ReactNode }) => <span className={styles.tag}>{children}</span>;
