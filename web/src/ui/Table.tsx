import type { MouseEventHandler, ReactNode, Ref } from 'react';
import styles from './Table.module.css';

interface Props {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  /** One row of th. */
  readonly head: ReactNode;
  /** Fixed columns: the widths of the head hold, and this is the least that all of them need, in pixels. */
  readonly fixedWidth?: number;
  readonly bodyRef?: Ref<HTMLTableSectionElement>;
  /** Of all rows. */
  readonly onClick?: MouseEventHandler | undefined;
  readonly children: ReactNode;
}

/** A framed table. Where it is too wide it scrolls by itself, not the page. */
export const Table = ({ caption, head, fixedWidth, bodyRef, onClick, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
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
