import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import styles from './Page.module.css';
import { PageTitle } from './PageTitle.tsx';

interface Props {
  readonly width?: 'wide' | 'narrow';
  readonly children: ReactNode;
}

/** What a signed-in page shows beside the navigation. */
export const Page = ({ width = 'wide', children }: Props) => (
  <div className={`${styles.page} ${styles[width]}`}>{children}</div>
);

interface HeadProps {
  readonly title: string;
  /** A name that programs read. */
  readonly face?: 'text' | 'name' | undefined;
  /** What else names the page in the browser's title: the environment, the project. */
  readonly within?: string | undefined;
  /** CrumbLinks to where it belongs. */
  readonly crumbs?: ReactNode;
  /** Beside the title: Copy, a chip. */
  readonly beside?: ReactNode;
  /** Below the title. */
  readonly lead?: ReactNode;
  /** At the right: what can be done here. */
  readonly tools?: ReactNode;
}

export const PageHead = ({ title, face, within, crumbs, beside, lead, tools }: HeadProps) => (
  <header className={styles.head}>
    {crumbs && (
      <nav aria-label="Breadcrumb" className={styles.crumbs}>
        {crumbs}
      </nav>
    )}
    <div className={styles.row}>
      <div className={styles.name}>
        <PageTitle face={face} within={within}>
          {title}
        </PageTitle>
        {beside}
      </div>
      {tools && <div className={styles.tools}>{tools}</div>}
    </div>
    {lead && <div className={styles.lead}>{lead}</div>}
  </header>
);

/** One step of the path above a title; the stroke behind it comes by itself. */
export const CrumbLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <a {...props} className={styles.crumb} />
));
