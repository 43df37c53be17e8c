import { CopyButton } from '../ui/CopyButton.tsx';
import styles from './CopyableId.module.css';

interface Props {
  readonly id: string;
  /** Whose it is, where that is not plain: "id of Staging". */
  readonly what?: string;
}

/** What programs call a thing. */
export const CopyableId = ({ id, what = 'id' }: Props) => (
  <span className={styles.id}>
    <code>{id}</code>
    <CopyButton text={id} what={what} face="icon" />
  </span>
);
