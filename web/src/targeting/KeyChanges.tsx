import { Token } from './Condition.tsx';
import styles from './KeyChanges.module.css';

interface Props {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Keys named before "N others". */
const maxNamed = 20;

/** Keys added to and removed from a list. */
export const KeyChanges = ({ added, removed }: Props) => (
  <>
    {added.length > 0 && <Keys sign="+" word="Added" keys={added} />}
    {removed.length > 0 && <Keys sign="−" word="Removed" keys={removed} />}
    {added.length + removed.length === 0 && <p className={styles.same}>Same keys, different order.</p>}
  </>
);

const Keys = ({
  sign,
  word,
  keys,
}: {
  readonly sign: string;
  readonly word: string;
  readonly keys: readonly string[];
}) => (
  <p className={styles.row}>
    <span className={styles.count}>
      <span aria-hidden>{sign}</span>
      <span className="sr">{word}: </span>
      <span className="num">{keys.length}</span>
    </span>
    {keys.slice(0, maxNamed).map((key) => (
      <Token key={key}>{key}</Token>
    ))}
    {keys.length > maxNamed && <span>and {keys.length - maxNamed} others</span>}
  </p>
);
