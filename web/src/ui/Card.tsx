import { type ReactNode, useId } from 'react';
import styles from './Card.module.css';

interface Props {
  readonly title: string;
  /** Next to the title: a state or an action. */
  readonly aside?: ReactNode;
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
}

/** A section of a page with a heading. */
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
