import { CopyButton } from '../ui/CopyButton.tsx';
import styles from './CopyableId.module.css';

interface Props {
  readonly id: string;
  /** Names the owner where that is not obvious: "id of Staging". */
  readonly what?: string;
}

/** An id with a copy button. */
export const CopyableId = ({ id, what = 'id' }: Props) => (
  <span className={styles.id}>
    <code>{id}</code>
    <CopyButton text={id} what={what} face="icon" />
  </span>
);
