import { type ReactNode, useId } from 'react';
import styles from './Card.module.css';

interface Props {
  readonly title: string;
  /** Beside the title: a state, or what to do. */
  readonly aside?: ReactNode;
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
}

/** A part of a page, with its heading. */
export function Card({ title, aside, lead, children }: Props) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={id}>
      <header className={styles.head}>
        <div className={styles.row}>
          <h2 id={id} className={styles.title}>
            {title}
          </h2>
          {aside}
        </div>
        {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      </header>
      {children}
    </section>
  );
}
