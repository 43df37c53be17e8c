import type { ReactNode } from 'react';
import { Mark } from './Mark.tsx';
import { ThemeSwitch } from './ThemeSwitch.tsx';
import styles from './WidePage.module.css';

interface Props {
  /** At the right end of the bar: who is signed in, and the way out. */
  readonly bar: ReactNode;
  readonly children: ReactNode;
}

/** A page of somebody who is signed in. */
export const WidePage = ({ bar, children }: Props) => (
  <>
    <header className={styles.bar}>
      <Mark />
      <div className={styles.tools}>
        <ThemeSwitch />
        {bar}
      </div>
    </header>
    <main className={styles.main}>{children}</main>
  </>
);
