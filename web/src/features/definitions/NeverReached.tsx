import { TriangleAlert } from 'lucide-react';
import styles from './NeverReached.module.css';

/** A step that can decide nothing, and why. */
export const NeverReached = ({ reason }: { readonly reason: string | undefined }) =>
  reason === undefined ? null : (
    <p className={styles.line}>
      <TriangleAlert size={13} aria-hidden />
      Never reached: {reason}.
    </p>
  );

/** One of its expressions took too long for the key that was tried: it may take as long in a program. */
export const TakesTooLong = () => (
  <p className={styles.line}>
    <TriangleAlert size={13} aria-hidden />
    This expression takes too long.
  </p>
);
