import type { MouseEventHandler, ReactNode, Ref } from 'react';
import styles from './Table.module.css';

interface Props {
  /** Names the table for screen readers. */
  readonly caption: string;
  /** One row of th. */
  readonly head: ReactNode;
  /** Fixed columns: the head sets the widths, and this is the minimum total width in pixels. */
  readonly fixedWidth?: number;
  readonly bodyRef?: Ref<HTMLTableSectionElement>;
  /** Handles clicks in all rows. */
  readonly onClick?: MouseEventHandler | undefined;
  readonly children: ReactNode;
}

/** A framed table. If it is too wide, it scrolls, not the page. */
export const Table = ({ caption, head, fixedWidth, bodyRef, onClick, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
  <section className={styles.frame} aria-label={caption} tabIndex={0}>
    <table className={styles.table} style={fixedWidth ? { tableLayout: 'fixed', minWidth: fixedWidth } : undefined}>
      <caption className="sr">{caption}</caption>
      <thead>{head}</thead>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: links in the rows are followed by Enter, which clicks them */}
      <tbody ref={bodyRef} onClick={onClick}>
        {children}
      </tbody>
    </table>
  </section>
);
