import type { Upload } from '#domain/large-segments.ts';
import { maxKeys, type SegmentKind, type Usage } from '#domain/segments.ts';
import { countOf } from '../../administration/count.ts';
import { NoBar } from '../../kit/Bar.tsx';
import { shareOf } from './running-uploads.ts';
import styles from './Size.module.css';

interface Props {
  readonly kind: SegmentKind;
  /** Undefined if the segment is neither active nor named there. */
  readonly usage: Usage | undefined;
  /** The largest size of the segment in any environment. */
  readonly largest: number;
  /** The file that is replacing its keys. */
  readonly upload?: Upload | undefined;
}

/** A segment's size in one environment, relative to its largest. */
export function Size({ kind, usage, largest, upload }: Props) {
  return (
    <span className={styles.size}>
      {!usage?.active && <NoBar />}
      {usage?.active && kind === 'rule_based' && <span className={styles.rules} aria-hidden />}
      {usage?.active && kind !== 'rule_based' && (
        <span className={upload ? `${styles.bar} ${styles.uploading}` : styles.bar} aria-hidden>
          <span style={{ width: `${upload ? 100 * (shareOf(upload) ?? 1) : shareOfSize(usage.keyCount, largest)}%` }} />
        </span>
      )}
      <SizeWords kind={kind} usage={usage} upload={upload} />
    </span>
  );
}

/** From here on, the limit is near enough to say it. */
const nearLimit = 0.9 * maxKeys;

interface WordsProps extends Pick<Props, 'kind' | 'usage' | 'upload'> {
  /** Writes "keys" after the number. */
  readonly hasUnit?: boolean;
}

export function SizeWords({ kind, usage, upload, hasUnit = false }: WordsProps) {
  if (!usage?.active) return <span className={styles.none}>Not active</span>;
  if (kind === 'rule_based') return <span className={styles.words}>{countOf(usage.ruleCount ?? 0, 'rule')}</span>;
  const isNear = kind === 'standard' && usage.keyCount >= nearLimit;
  return (
    <span className={styles.words} title={`${usage.keyCount.toLocaleString('en')} keys`}>
      <b className={styles.number}>{kind === 'large' ? short(usage.keyCount) : usage.keyCount.toLocaleString('en')}</b>
      {isNear && ` of ${maxKeys.toLocaleString('en')}`}
      <span className={hasUnit ? undefined : 'sr'}> {usage.keyCount === 1 ? 'key' : 'keys'}</span>
      {upload && <UploadWords upload={upload} />}
    </span>
  );
}

const UploadWords = ({ upload }: { readonly upload: Upload }) => {
  const share = shareOf(upload);
  return <span className={styles.upload}> uploading{share !== undefined && ` ${Math.floor(100 * share)}%`}</span>;
};

const millions = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const short = (count: number): string =>
  count >= 1_000_000 ? `${millions.format(count / 1_000_000)} M` : count.toLocaleString('en');

/** A few keys stay visible next to many. */
const shareOfSize = (count: number, largest: number): number =>
  count === 0 ? 0 : Math.max(4, (100 * count) / largest);
