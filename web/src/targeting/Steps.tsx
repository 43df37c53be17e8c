import { Plus } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import styles from './Steps.module.css';

interface StepsProps {
  readonly label: string;
  /** Readable, but faded. */
  readonly isMuted?: boolean;
  readonly children: ReactNode;
}

/** What is evaluated, top to bottom. */
export const Steps = ({ label, isMuted = false, children }: StepsProps) => (
  <ol className={isMuted ? `${styles.steps} ${styles.muted}` : styles.steps} aria-label={label}>
    {children}
  </ol>
);

export interface StepProps {
  /** The id used by "Who sees what" and complaints: `targets`, `rule 0`, `defaultRule`. */
  readonly id: string;
  /** The number in the circle, or a drag handle. */
  readonly mark: ReactNode;
  readonly isChanged?: boolean;
  /** On the right: shares or a menu. */
  readonly out?: ReactNode;
  readonly menu?: ReactNode;
  /** Full width. */
  readonly isWide?: boolean;
  /** A rule would be dropped before or after it. */
  readonly drop?: 'before' | 'behind' | undefined;
  readonly children: ReactNode;
}

interface StateProps extends StepProps {
  readonly complaints: readonly string[];
  /** Complaints stand out. */
  readonly isAttempted: boolean;
  /** It decides for the key being tried. */
  readonly isHit?: boolean;
  /** Someone else just changed it. It flashes once. */
  readonly isNews?: boolean;
}

export function StepFrame(props: StateProps) {
  const { id, mark, isChanged = false, out, menu, isWide = false, drop, children } = props;
  const { complaints, isAttempted, isHit = false, isNews = false } = props;
  const classes = [
    styles.step,
    isWide && styles.wide,
    isWide && !menu && styles.whole,
    isChanged && styles.changed,
    isHit && styles.hit,
    drop && styles[drop],
    isNews && styles.news,
  ];
  return (
    <li className={classes.filter(Boolean).join(' ')} data-step={id}>
      {mark}
      <div className={styles.body}>
        {children}
        {complaints.map((words) => (
          <p key={words} className={isAttempted ? styles.complaint : styles.request}>
            {words}
          </p>
        ))}
      </div>
      {out && <div className={styles.out}>{out}</div>}
      {menu && <div className={styles.menu}>{menu}</div>}
    </li>
  );
}

export const StepNumber = ({ children }: { readonly children: number }) => (
  <span className={styles.mark}>
    <span className="sr">Step </span>
    {children}
  </span>
);

/** The last item of a list of rules. */
export const AddRule = (props: ComponentProps<'button'>) => (
  <li className={styles.add}>
    <button type="button" className={styles.addButton} {...props}>
      <Plus size={14} aria-hidden /> Add rule
    </button>
  </li>
);
