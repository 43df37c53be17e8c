import { type ReactNode, useId } from 'react';
import styles from './TableCard.module.css';

interface Props {
  readonly title: string;
  readonly lead: ReactNode;
  /** Next to the title: filters. */
  readonly tools?: ReactNode;
  /** A StackingTable, and what goes around it. */
  readonly children: ReactNode;
}

/** A card whose table reaches its edges. */
export function TableCard({ title, lead, tools, children }: Props) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={id}>
      <header className={styles.head}>
        <div className={styles.words}>
          <h2 id={id} className={styles.title}>
            {title}
          </h2>
          <p className={styles.lead}>{lead}</p>
        </div>
        {tools}
      </header>
      {children}
    </section>
  );
}
