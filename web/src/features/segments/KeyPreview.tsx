import { saveFile } from '../../kit/save-file.ts';
import { Button } from '../../ui/Button.tsx';
import styles from './KeyPanel.module.css';
import type { InvalidKey } from './key-text.ts';

interface Props {
  readonly action: 'add' | 'remove';
  /** Keys to send, and keys for which nothing changes; undefined while that is not known. */
  readonly counts: { readonly changing: number; readonly same: number } | undefined;
  /** Keys in the text or file, each once. */
  readonly total: number;
  readonly repeated: number;
  readonly invalid: readonly InvalidKey[];
}

const words = {
  add: { changing: ['New', 'will be added'], same: ['Already there', 'no change'] },
  remove: { changing: ['In the segment', 'will be removed'], same: ['Not in it', 'skipped'] },
} as const;

/** What would change, before it does. */
export function KeyPreview({ action, counts, total, repeated, invalid }: Props) {
  const { changing, same } = words[action];
  return (
    <>
      <div className={styles.shares} aria-hidden>
        <span className={styles.changing} style={{ flexGrow: counts?.changing ?? total }} />
        <span className={styles.same} style={{ flexGrow: counts?.same ?? 0 }} />
        <span className={styles.wrong} style={{ flexGrow: invalid.length }} />
      </div>
      <div className={styles.counts} role="status">
        <Count mark={styles.changing} name={changing[0]} count={counts?.changing} about={changing[1]} />
        <Count mark={styles.same} name={same[0]} count={counts?.same} about={same[1]} />
        <Count mark={styles.wrong} name="Invalid" count={invalid.length} about="skipped" />
      </div>
      {repeated > 0 && (
        <p className={styles.quiet}>
          {repeated === 1 ? '1 key appears twice.' : `${repeated.toLocaleString('en')} keys are repeated.`}
        </p>
      )}
      {invalid.length > 0 && <InvalidKeys invalid={invalid} />}
    </>
  );
}

interface CountProps {
  readonly mark: string | undefined;
  readonly name: string;
  readonly count: number | undefined;
  readonly about: string;
}

const Count = ({ mark, name, count, about }: CountProps) => (
  <p className={styles.count}>
    <span className={styles.countName}>
      <span className={`${styles.square} ${mark}`} aria-hidden />
      {name}
    </span>
    <b>{count?.toLocaleString('en') ?? '…'}</b>
    {about}
  </p>
);

const shownInvalid = 5;

const InvalidKeys = ({ invalid }: Pick<Props, 'invalid'>) => (
  <div className={styles.invalid}>
    <div className={styles.invalidHead}>
      <b>{invalid.length === 1 ? '1 invalid line' : `${invalid.length.toLocaleString('en')} invalid lines`}</b>
      <Button
        look="quiet"
        size="small"
        onClick={() =>
          saveFile('invalid-lines.txt', invalid.map(({ line, text, why }) => `${line}\t${why}\t${text}\n`).join(''))
        }
      >
        Download them
      </Button>
    </div>
    <ul aria-label="Invalid lines">
      {invalid.slice(0, shownInvalid).map(({ line, text, why }) => (
        <li key={`${line} ${text}`}>
          <span className={styles.quiet}>Line {line.toLocaleString('en')}</span>
          <span className={styles.text}>{text.length > 60 ? `${text.slice(0, 60)}…` : text}</span>
          <span className={styles.why}>{why}</span>
        </li>
      ))}
      {invalid.length > shownInvalid && (
        <li className={styles.quiet}>and {(invalid.length - shownInvalid).toLocaleString('en')} more</li>
      )}
    </ul>
  </div>
);
