import type { ComponentProps, ReactNode } from 'react';
import { Table } from '../ui/Table.tsx';
import styles from './StackingTable.module.css';

/**
 * A table whose rows become blocks on narrow screens, so that nothing lies beside the screen. Cells may have a
 * `data-label` that is shown there in place of the head; a cell with `data-tools` stands at the top right.
 */
export const StackingTable = (props: ComponentProps<typeof Table>) => (
  <div className={styles.stacking}>
    <Table {...props} />
  </div>
);

/** What is named in the first cell of a row, with what helps to recognise it. */
export const RowName = ({ children, below }: { readonly children: ReactNode; readonly below?: ReactNode }) => (
  <span className={styles.name}>
    <span className={styles.title}>{children}</span>
    {below && <span className={styles.below}>{below}</span>}
  </span>
);

/** In place of a value that is not there. */
export const Nothing = ({ words }: { readonly words: string }) => <span className={styles.nothing}>{words}</span>;
