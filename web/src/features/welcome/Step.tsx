import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './Step.module.css';

interface Props {
  readonly title: string;
  readonly about?: string;
  /** What shows that it is done; undefined while it is not. */
  readonly done: string | undefined;
  /** What to do; not shown any more once it is done. */
  readonly children?: ReactNode;
  /** Below, whether or not it is done. */
  readonly below?: ReactNode;
}

/** One of the first steps. */
export const Step = ({ title, about, done, children, below }: Props) => (
  <li className={styles.step}>
    <span className={done === undefined ? styles.open : styles.done} aria-hidden>
      {done !== undefined && <Check size={13} strokeWidth={2.5} />}
    </span>
    <div className={styles.words}>
      <h2 className={styles.title}>{title}</h2>
      {(done ?? about) && <p className={done === undefined ? styles.about : styles.proof}>{done ?? about}</p>}
    </div>
    {done === undefined && <div className={styles.action}>{children}</div>}
    {below && <div className={styles.below}>{below}</div>}
  </li>
);
