import { RightMark } from './RightMark.tsx';
import styles from './RightReason.module.css';

interface Props {
  readonly right: 'view' | 'define' | 'kill';
  readonly state: 'has' | 'lacks' | 'gains' | 'loses';
  readonly isGuarded?: boolean | undefined;
  /** "Can edit definitions". */
  readonly what: string;
  readonly why: string;
}

/** A right that someone has or lacks, and why. */
export const RightReason = ({ what, why, ...mark }: Props) => (
  <li className={styles.reason}>
    <RightMark {...mark} />
    <div>
      <p className={styles.what}>{what}</p>
      <p className={styles.why}>{why}</p>
    </div>
  </li>
);
