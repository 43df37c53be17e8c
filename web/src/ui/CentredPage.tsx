import type { ReactNode } from 'react';
import styles from './CentredPage.module.css';
import { Mark } from './Mark.tsx';
import { PageTitle } from './PageTitle.tsx';
import { ThemeSwitch } from './ThemeSwitch.tsx';

interface Props {
  readonly title: string;
  /** One or two sentences below the title. */
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
  /** Links below the card. */
  readonly below?: ReactNode;
}

/** A page with a single task, for people who are not signed in. */
export function CentredPage({ title, lead, children, below }: Props) {
  return (
    <div className={styles.page}>
      <main className={styles.column}>
        <Mark />
        <div className={styles.card}>
          <header className={styles.head}>
            <PageTitle>{title}</PageTitle>
            {lead !== undefined && <div className={styles.lead}>{lead}</div>}
          </header>
          {children}
        </div>
        {below !== undefined && <div className={styles.below}>{below}</div>}
      </main>
      <footer className={styles.foot}>
        <span className={styles.host}>{location.host}</span>
        <ThemeSwitch />
      </footer>
    </div>
  );
}
