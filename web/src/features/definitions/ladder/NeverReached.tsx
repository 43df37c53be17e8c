import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './NeverReached.module.css';

/** Why a step is never reached. */
export const NeverReached = ({ reason }: { readonly reason: string | undefined }) =>
  reason === undefined ? null : <Warning>Never reached: {reason}.</Warning>;

/** A regular expression timed out for the tried key, so it may also be slow in SDKs. */
export const TakesTooLong = () => <Warning>This regular expression takes too long.</Warning>;

export const Warning = ({ children }: { readonly children: ReactNode }) => (
  <p className={styles.line}>
    <TriangleAlert size={13} aria-hidden />
    <span>{children}</span>
  </p>
);
