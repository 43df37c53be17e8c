import type { ComponentProps, ReactNode } from 'react';
import { Table } from '../ui/Table.tsx';
import styles from './StackingTable.module.css';

/**
 * A table whose rows become blocks on narrow screens, so that nothing scrolls sideways. Cells may have a
 * `data-label` that replaces the header there; a cell with `data-tools` moves to the top right.
 */
export const StackingTable = (props: ComponentProps<typeof Table>) => (
  <div className={styles.stacking}>
    <Table {...props} />
  </div>
);

/** The name in the first cell of a row, with details below. */
export const RowName = ({ children, below }: { readonly children: ReactNode; readonly below?: ReactNode }) => (
  <span className={styles.name}>
    <span className={styles.title}>{children}</span>
    {below && <span className={styles.below}>{below}</span>}
  </span>
);

/** Placeholder for an empty value. */
export const Nothing = ({ words }: { readonly words: string }) => <span className={styles.nothing}>{words}</span>;
