import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './NeverReached.module.css';

/** A step that can decide nothing, and why. */
export const NeverReached = ({ reason }: { readonly reason: string | undefined }) =>
  reason === undefined ? null : <Warning>Never reached: {reason}.</Warning>;

/** One of its expressions took too long for the key that was tried: it may take as long in a program. */
export const TakesTooLong = () => <Warning>This regular expression takes too long.</Warning>;

export const Warning = ({ children }: { readonly children: ReactNode }) => (
  <p className={styles.line}>
    <TriangleAlert size={13} aria-hidden />
    <span>{children}</span>
  </p>
);
