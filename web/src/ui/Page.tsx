import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import styles from './Page.module.css';
import { PageTitle } from './PageTitle.tsx';

interface Props {
  /** `full`: edge to edge, without padding at the sides. */
  readonly width?: 'full' | 'wide' | 'narrow';
  readonly children: ReactNode;
}

/** The content next to the navigation. */
export const Page = ({ width = 'wide', children }: Props) => (
  <div className={`${styles.page} ${styles[width]}`}>{children}</div>
);

interface HeadProps {
  readonly title: string;
  /** `name` is for identifiers. */
  readonly face?: 'text' | 'name' | undefined;
  /** Added to the document title: the environment, the project. */
  readonly within?: string | undefined;
  /** Breadcrumbs: CrumbLinks. */
  readonly crumbs?: ReactNode;
  /** Next to the title: a copy button, a chip. */
  readonly beside?: ReactNode;
  /** Below the title. */
  readonly lead?: ReactNode;
  /** On the right: actions. */
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

/** One breadcrumb. The separator is added by CSS. */
export const CrumbLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  // The router marks every page above as the current one.
  <a {...props} className={styles.crumb} aria-current={false} />
));
