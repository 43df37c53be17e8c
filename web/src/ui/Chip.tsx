import type { ReactNode } from 'react';
import styles from './Chip.module.css';

interface Props {
  readonly kind?: 'plain' | 'ok';
  readonly children: ReactNode;
}

export const Chip = ({ kind = 'plain', children }: Props) => (
  <span className={`${styles.chip} ${styles[kind]}`}>{children}</span>
);
