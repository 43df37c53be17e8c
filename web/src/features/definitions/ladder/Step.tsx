import type { ReactNode } from 'react';
import { useDefinition } from '../editing/editor.ts';
import { useLit } from './lit.ts';
import styles from './Step.module.css';

interface Props {
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

/** One step of the ladder, highlighted if it decides for the key being tried. */
export function Step({ id, mark, isChanged = false, out, menu, isWide = false, drop, children }: Props) {
  const lit = useLit();
  const { complaints, isAttempted, news } = useDefinition();
  const own = complaints.filter(({ step }) => step === id);
  const classes = [
    styles.step,
    isWide && styles.wide,
    isWide && !menu && styles.whole,
    isChanged && styles.changed,
    lit.step === id && styles.hit,
    drop && styles[drop],
    news.has(id) && styles.news,
  ];
  return (
    <li className={classes.filter(Boolean).join(' ')} data-step={id}>
      {mark}
      <div className={styles.body}>
        {children}
        {own.map(({ words }) => (
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
