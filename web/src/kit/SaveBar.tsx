import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import styles from './SaveBar.module.css';

interface Props {
  /** How much is unsaved. */
  readonly title: ReactNode;
  /** What saving does, or what prevents it. */
  readonly line: ReactNode;
  readonly isProblem?: boolean;
  readonly label?: string;
  /** Amber: the action affects production. */
  readonly edge?: 'plain' | 'production';
  /** Buttons; the last one saves. */
  readonly children: ReactNode;
}

/** Floats at the bottom of the page while there are unsaved changes. */
export function SaveBar({
  title,
  line,
  isProblem = false,
  label = 'Unsaved changes',
  edge = 'plain',
  children,
}: Props) {
  const bar = useRef<HTMLElement>(null);
  useLiftedToasts(bar);
  return (
    <section ref={bar} className={`${styles.bar} ${edge === 'production' ? styles.production : ''}`} aria-label={label}>
      <div className={styles.words}>
        <p className={styles.count}>{title}</p>
        <p className={isProblem ? styles.problem : styles.line} role={isProblem ? 'alert' : undefined}>
          {line}
        </p>
      </div>
      <div className={styles.actions}>{children}</div>
    </section>
  );
}

/** Toasts appear above the bar, also where it gets a second row. */
function useLiftedToasts(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = bar.current;
    if (!element) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty('--toasts-lift', `${element.offsetHeight + 12}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      style.removeProperty('--toasts-lift');
    };
  }, [bar]);
}
