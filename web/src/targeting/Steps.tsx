import { Plus } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import styles from './Steps.module.css';

interface StepsProps {
  readonly label: string;
  /** Readable, but faded. */
  readonly isMuted?: boolean;
  /** Each step shows what share of keys it takes. */
  readonly hasFunnel?: boolean;
  /** One line for each rule. */
  readonly isCompact?: boolean;
  readonly children: ReactNode;
}

/** What is evaluated, top to bottom. */
export const Steps = ({ label, isMuted = false, isCompact = false, hasFunnel = false, children }: StepsProps) => (
  <ol
    className={[styles.steps, isMuted && styles.muted, hasFunnel && styles.funnel].filter(Boolean).join(' ')}
    aria-label={label}
    data-compact={isCompact || undefined}
  >
    {children}
  </ol>
);

export interface StepProps {
  /** The id used by "Who sees what" and complaints: `targets`, `rule 0`, `defaultRule`. */
  readonly id: string;
  /** A circle, with the number if it is a rule. */
  readonly mark: ReactNode;
  readonly isChanged?: boolean;
  /** Behind the mark: the stream of keys. */
  readonly stream?: ReactNode;
  /** On the right: shares or a menu. */
  readonly out?: ReactNode;
  readonly menu?: ReactNode;
  /** Full width. */
  readonly isWide?: boolean;
  /** It is being edited, and needs the width of the page. */
  readonly isEditing?: boolean;
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
  const { id, mark, isChanged = false, out, menu, isWide = false, isEditing = false, drop, children } = props;
  const { complaints, isAttempted, stream, isHit = false, isNews = false } = props;
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
    <li className={classes.filter(Boolean).join(' ')} data-step={id} data-editing={isEditing || undefined}>
      {stream}
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

export const RuleNumber = ({ children }: { readonly children: number }) => (
  <span className={styles.mark}>
    <span className="sr">Rule </span>
    {children}
  </span>
);

/** Of a step that is no rule. */
export const StepMark = () => <span className={styles.mark} />;

/** The last item of a list of rules. */
export const AddRule = ({ stream, ...props }: ComponentProps<'button'> & { readonly stream?: ReactNode }) => (
  <li className={styles.add}>
    {stream}
    <button type="button" className={styles.addButton} {...props}>
      <Plus size={14} aria-hidden /> Add rule
    </button>
  </li>
);
