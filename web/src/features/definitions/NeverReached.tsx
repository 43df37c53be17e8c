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
