import { useId } from 'react';
import { drawnFlows, type Effect } from '#domain/evaluation/effects.ts';
import { colourOf } from '../../../kit/treatments.ts';
import { percent } from '../../../ui/percent.ts';
import styles from './FlowPicture.module.css';
import { type BarPart, bandsOf } from './flow-bands.ts';

interface Props {
  readonly effect: Effect;
  /** Treatment names; their order decides the colours and the order in the bars. */
  readonly order: readonly string[];
}

/** In pixels, and the units of the drawing: its width is stretched, its height is not. */
const height = 132;
const gap = 12;
const width = 1_000;
const barWidth = 12;
const keys = 10_000;
/** Narrower bands have no room for words. */
const minLabelled = 1;

/** Who moves where: the shares now at the left, after the change at the right. Keys that stay are pale. */
export function FlowPicture({ effect, order }: Props) {
  const id = useId();
  const { before, after, bands } = bandsOf(drawnFlows(effect), order);
  if (bands.length === 0) return <div className={styles.nothing} aria-hidden />;
  const scale = (height - gap * (Math.max(before.length, after.length) - 1)) / 100;
  /** Parts of a bar are separated by gaps. */
  const down = (parts: readonly BarPart[], treatment: string, top: number) =>
    top * scale + gap * parts.findIndex((part) => part.treatment === treatment);
  const ink = (treatment: string) => `var(--t-${colourOf(treatment, order).slot})`;
  const drawn = bands.map((band) => ({
    ...band,
    y0: down(before, band.from, band.left),
    y1: down(after, band.to, band.right),
    thick: band.share * scale,
    isMoving: band.from !== band.to,
  }));
  const moving = drawn.filter(({ isMoving }) => isMoving);
  const isPart = effect.groups.length > 1;
  const total = Math.max(bottomOf(before, scale), bottomOf(after, scale));
  return (
    <figure className={styles.flow} aria-label={isPart ? 'Keys that match no rule' : 'All keys'}>
      <div className={styles.heads} aria-hidden>
        <span>Now</span>
        <span className={styles.of}>{isPart ? 'Keys that match no rule' : 'All keys'}</span>
        <span>After</span>
      </div>
      <div className={styles.picture} style={{ height: total }} aria-hidden>
        <Side parts={before} scale={scale} />
        <div className={styles.middle}>
          <svg viewBox={`0 0 ${width} ${total}`} preserveAspectRatio="none" className={styles.drawing}>
            <title>Flow of keys</title>
            <defs>
              {moving.map(({ from, to }, index) => (
                <linearGradient key={`${from} ${to}`} id={`${id}${index}`}>
                  <stop offset="0.1" style={{ stopColor: ink(from) }} />
                  <stop offset="0.9" style={{ stopColor: ink(to) }} />
                </linearGradient>
              ))}
            </defs>
            {drawn
              .filter(({ isMoving }) => !isMoving)
              .map((band) => (
                <path key={band.from} d={pathOf(band)} fillOpacity={0.16} style={{ fill: ink(band.from) }} />
              ))}
            {moving.map((band, index) => (
              <path
                key={`${band.from} ${band.to}`}
                d={pathOf(band)}
                fillOpacity={0.62}
                style={{ fill: `url(#${id}${index})` }}
              />
            ))}
            <BarParts parts={before} x={0} down={down} scale={scale} ink={ink} />
            <BarParts parts={after} x={width - barWidth} down={down} scale={scale} ink={ink} />
          </svg>
          {labelsOf(moving).map(({ from, to, share, x, y }) => (
            <span key={`${from} ${to}`} className={styles.label} style={{ left: `${x}%`, top: y }}>
              <code>{from}</code> → <code>{to}</code> <b>{percent(share)}</b>
              <span className={styles.count}>{count(share)} keys</span>
            </span>
          ))}
        </div>
        <Side parts={after} scale={scale} />
      </div>
      {isPart && (
        <div className={styles.unknown} aria-hidden>
          <span>Share cannot be known: keys that match {unknownSteps(effect)}</span>
        </div>
      )}
      <table className="sr">
        <caption>{isPart ? 'Keys that match no rule' : 'All keys'}: what they get now and after</caption>
        <thead>
          <tr>
            <th scope="col">Now</th>
            <th scope="col">After</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {bands.map(({ from, to, share }) => (
            <tr key={`${from} ${to}`}>
              <td>{from}</td>
              <td>{to}</td>
              <td>{percent(share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <figcaption className={styles.caption}>
        Counts are per {keys.toLocaleString('en')} random keys, computed from the definition.
      </figcaption>
    </figure>
  );
}

interface BarProps {
  readonly parts: readonly BarPart[];
  readonly x: number;
  readonly scale: number;
  readonly down: (parts: readonly BarPart[], treatment: string, top: number) => number;
  readonly ink: (treatment: string) => string;
}

const BarParts = ({ parts, x, scale, down, ink }: BarProps) =>
  parts.map(({ treatment, top, share }) => (
    <rect
      key={treatment}
      x={x}
      y={down(parts, treatment, top)}
      width={barWidth}
      height={Math.max(1, share * scale)}
      style={{ fill: ink(treatment) }}
    />
  ));

/** "rule 2, rule 3 or segment beta". */
function unknownSteps({ unknowns }: Effect): string {
  const names = unknowns.map(({ step }) =>
    step.kind === 'rule' ? `rule ${step.index + 1}` : step.kind === 'segment' ? `segment ${step.segment}` : 'a rule',
  );
  const [last, ...others] = [...new Set(names)].toReversed();
  return others.length === 0
    ? `${last}`
    : others.length > 3
      ? 'some rule'
      : `${others.toReversed().join(', ')} or ${last}`;
}

const count = (share: number): string => Math.round((share * keys) / 100).toLocaleString('en');

const bottomOf = (parts: readonly BarPart[], scale: number): number => 100 * scale + gap * (parts.length - 1);

interface Drawn {
  readonly y0: number;
  readonly y1: number;
  readonly thick: number;
}

/** At least half a pixel, so that no band is lost. */
function pathOf({ y0, y1, thick }: Drawn): string {
  const [left, right, middle, high] = [barWidth, width - barWidth, width / 2, Math.max(0.5, thick)];
  return (
    `M${left},${y0} C${middle},${y0} ${middle},${y1} ${right},${y1} V${y1 + high} ` +
    `C${middle},${y1 + high} ${middle},${y0 + high} ${left},${y0 + high} Z`
  );
}

const labelHeight = 26;

/** Labels stand on their bands, alternately nearer to the left and to the right, and never on each other. */
function labelsOf<Band extends Drawn & { readonly share: number }>(bands: readonly Band[]) {
  const lowest: number[] = [];
  return bands
    .filter(({ share }) => share >= minLabelled)
    .map((band, index) => ({ ...band, side: index % 2, t: index % 2 === 0 ? 0.32 : 0.68 }))
    .map(({ side, t, ...band }) => {
      const eased = 3 * (1 - t) * t ** 2 + t ** 3;
      const wanted = band.y0 + (band.y1 - band.y0) * eased + band.thick / 2;
      const y = Math.max(wanted, lowest[side] ?? labelHeight / 2);
      lowest[side] = y + labelHeight;
      return { ...band, x: side === 0 ? 30 : 70, y };
    });
}

function Side({ parts, scale }: { readonly parts: readonly BarPart[]; readonly scale: number }) {
  let lowest = 0;
  return (
    <div className={styles.side}>
      {parts.map(({ treatment, top, share }, index) => {
        const y = Math.max(lowest, (top + share / 2) * scale + gap * index - 9);
        lowest = y + 18;
        return (
          <span key={treatment} className={styles.name} style={{ top: y }}>
            <code>{treatment}</code> <b className="num">{percent(share)}</b>
          </span>
        );
      })}
    </div>
  );
}
