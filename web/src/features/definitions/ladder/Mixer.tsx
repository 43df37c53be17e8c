import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Bucket } from '#domain/definitions/definition.ts';
import { changeShare, type ShareChange, withoutUnused, withTreatments } from '#domain/definitions/shares.ts';
import { Bar, Swatch } from '../../../kit/Bar.tsx';
import styles from './Mixer.module.css';
import { MixerBorders } from './MixerBorders.tsx';
import { raisedTreatment, withRaised } from './raised.ts';

export interface Pin {
  readonly key: string;
  /** 1 to 100. */
  readonly bucket: number;
}

interface Props {
  readonly buckets: readonly Bucket[];
  /** The saved shares, for comparison; undefined for new ones. */
  readonly saved: readonly Bucket[] | undefined;
  /** All treatments. */
  readonly treatments: readonly string[];
  readonly defaultTreatment: string;
  readonly order: readonly string[];
  /** The bucket of the key being tried. */
  readonly probe?: Pin | undefined;
  readonly onChange: (buckets: Bucket[]) => void;
}

const presets = [0, 1, 5, 10, 25, 50, 80, 100];

/** Shares in percent: drag a boundary, type a number or press a preset. They always add up to 100. */
export function Mixer({ buckets, saved = [], treatments, defaultTreatment, order, probe, onChange }: Props) {
  // Treatments added or set to 0 stay visible without a share.
  const [tried, setTried] = useState<readonly string[]>(() => buckets.map(({ treatment }) => treatment));
  const [last, setLast] = useState<ShareChange>();
  const shown = withTreatments(withRaised(buckets, { treatments, defaultTreatment }), tried);
  const others = treatments.filter((name) => !shown.some(({ treatment }) => treatment === name));
  const raised = raisedTreatment(shown, { treatments, defaultTreatment });
  const change = (next: readonly Bucket[]) => onChange(withoutUnused(next, saved));
  const set = (treatment: string, share: number, isTyped: boolean) => {
    const next = changeShare(shown, last, { treatment, share, isTyped, saved });
    setLast(next);
    change(next.result);
  };
  return (
    <div className={styles.mixer}>
      <div className={styles.track}>
        <Bar buckets={shown} order={order} size="thick" label="" />
        <MixerBorders buckets={shown} onChange={change} />
        <SavedPin now={shown} saved={saved} />
        {probe && (
          <span className={styles.probe} style={{ left: `${probe.bucket - 0.5}%` }}>
            <span className={styles.probeKey}>{probe.key}</span>
          </span>
        )}
      </div>
      <div className={styles.shares}>
        {shown.map((bucket) => (
          <Share
            key={bucket.treatment}
            bucket={bucket}
            was={saved.find(({ treatment }) => treatment === bucket.treatment)?.size}
            order={order}
            isOnly={shown.length === 1}
            onChange={(size) => set(bucket.treatment, size, true)}
          />
        ))}
        {others.map((name) => (
          <button key={name} type="button" className={styles.add} onClick={() => setTried([...tried, name])}>
            <Plus size={12} aria-hidden /> {name}
          </button>
        ))}
        {raised !== undefined && (
          <fieldset className={styles.presets}>
            <legend>
              Set <code>{raised}</code> to
            </legend>
            {presets.map((size) => (
              <button
                key={size}
                type="button"
                aria-pressed={shown.some((one) => one.treatment === raised && one.size === size)}
                onClick={() => set(raised, size, false)}
              >
                {size}
              </button>
            ))}
          </fieldset>
        )}
      </div>
    </div>
  );
}

interface ShareProps {
  readonly bucket: Bucket;
  readonly was: number | undefined;
  readonly order: readonly string[];
  /** A single treatment always has 100%, so there is nothing to type. */
  readonly isOnly: boolean;
  readonly onChange: (size: number) => void;
}

export const isPercent = (text: string): boolean => /^\d{1,3}$/.test(text) && Number(text) <= 100;

function Share({ bucket: { treatment, size }, was, order, isOnly, onChange }: ShareProps) {
  // May be empty while typing; a valid number applies immediately.
  const [text, setText] = useState<string>();
  const isWrong = text !== undefined && text !== '' && !isPercent(text);
  return (
    <label className={styles.share}>
      <Swatch treatment={treatment} order={order} />
      <span className={styles.treatment}>{treatment}</span>
      <span className={styles.percent}>
        <input
          className="num"
          inputMode="numeric"
          aria-label={`Percent ${treatment}`}
          readOnly={isOnly}
          value={text ?? size}
          onFocus={({ target }) => target.select()}
          onChange={({ target }) => {
            setText(target.value);
            if (isPercent(target.value)) onChange(Number(target.value));
          }}
          aria-invalid={isWrong || undefined}
          onBlur={() => setText(undefined)}
        />
        <span aria-hidden>%</span>
      </span>
      {isWrong && (
        <span className={styles.wrong} role="alert">
          0 to 100, whole
        </span>
      )}
      {was !== undefined && was !== size && <span className={`${styles.was} num`}>was {was}</span>}
    </label>
  );
}

/** The first boundary in the saved shares. */
function SavedPin({ now, saved }: { readonly now: readonly Bucket[]; readonly saved: readonly Bucket[] }) {
  const [first] = saved;
  if (!first || saved.length < 2 || now[0]?.treatment !== first.treatment || now[0].size === first.size) return null;
  return (
    <span className={`${styles.pin} num`} style={{ left: `${first.size}%` }}>
      saved {first.size}%
    </span>
  );
}
