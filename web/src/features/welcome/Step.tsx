import { Check, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './Step.module.css';

interface Props {
  readonly number: number;
  readonly title: string;
  readonly about?: ReactNode;
  /** The proof that it is done; undefined until then. */
  readonly done?: ReactNode;
  /** It was done, and no longer holds. */
  readonly isLost?: boolean | undefined;
  /** The first that is not done. */
  readonly isCurrent: boolean;
  /** Beside the title. */
  readonly action?: ReactNode;
  /** Below the title. */
  readonly children?: ReactNode;
}

/** One of the first steps. */
export function Step({ number, title, about, done, isLost = false, isCurrent, action, children }: Props) {
  const isDone = done !== undefined;
  const look = isLost ? styles.lost : isDone ? styles.done : isCurrent ? styles.now : '';
  return (
    <li className={`${styles.step} ${children ? styles.tall : ''} ${isDone || isCurrent ? '' : styles.later}`}>
      <span className={`${styles.dot} ${look}`} aria-hidden>
        {isLost ? <Unplug size={12} /> : isDone ? <Check size={13} strokeWidth={2.5} /> : number}
      </span>
      <div className={styles.words}>
        <h2 className={styles.title}>
          {title}
          {isDone && !isLost && <span className="sr">, done</span>}
        </h2>
        {(done ?? about) && (
          <p className={isLost ? styles.warning : isDone ? styles.proof : styles.about}>{done ?? about}</p>
        )}
      </div>
      {action && <div className={styles.action}>{action}</div>}
      {children && <div className={styles.below}>{children}</div>}
    </li>
  );
}
