import type { Convergence } from '#domain/sdks.ts';
import styles from './Curve.module.css';
import { curveOf, number, reachedAfter, span } from './fleet.ts';

interface Props {
  readonly convergence: Convergence;
  /** By the server's clock. */
  readonly savedAt: number;
}

const [width, height, left, foot] = [660, 190, 40, 26];
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** How many instances had the change after which time. Those that started later did not wait for it. */
export function Curve({ convergence: { arrivals, instances, converged, serverTime }, savedAt }: Props) {
  const waited = arrivals.length + instances - converged;
  const { x, points, ticks } = curveOf(arrivals, waited, serverTime - savedAt);
  const toX = (share: number) => left + share * (width - left - 6);
  const toY = (share: number) => height - foot - share * (height - foot - 14);
  const steps = points.map((point) => `H${toX(point.x).toFixed(1)}V${toY(point.y).toFixed(1)}`).join('');
  const end = toX(waited > arrivals.length ? 1 : (points.at(-1)?.x ?? 0));
  const line = `M${left} ${toY(0)}${steps}H${end.toFixed(1)}`;
  const facts = factsOf(arrivals, waited);
  return (
    <figure className={styles.figure}>
      <svg
        className={styles.curve}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Instances that hold the change over the time since it was saved: ${facts
          .map(({ title, after }) => `${title.toLowerCase()} after ${after}`)
          .join(', ')}`}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <path className={share === 1 ? styles.whole : styles.grid} d={`M${left} ${toY(share)}H${width}`} />
            {(share !== 0.5 || waited > 1) && (
              <text x={left - 8} y={toY(share) + 4} textAnchor="end">
                {number(Math.round(waited * share))}
              </text>
            )}
          </g>
        ))}
        {ticks.map((tick) => (
          <text key={tick} x={toX(x(tick))} y={height - 8} textAnchor="middle">
            {span(tick)}
          </text>
        ))}
        <text x={left} y={height - 8}>
          Saved {clock.format(savedAt)}
        </text>
        <path className={styles.area} d={`${line}V${toY(0)}Z`} />
        <path className={styles.line} d={line} />
      </svg>
      <figcaption className={styles.facts}>
        {facts.map(({ title, after }) => (
          <span key={title}>
            <strong className="num">{after}</strong> {title.toLowerCase()}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function factsOf(arrivals: readonly number[], waited: number) {
  const half = reachedAfter(arrivals, waited, 0.5);
  const most = reachedAfter(arrivals, waited, 0.95);
  const slowest = arrivals.at(-1);
  return [
    ...(half === undefined ? [] : [{ title: 'Half', after: span(half) }]),
    ...(most === undefined ? [] : [{ title: '95%', after: span(most) }]),
    ...(slowest === undefined
      ? []
      : [{ title: arrivals.length < waited ? 'Slowest so far' : 'Slowest', after: span(slowest) }]),
  ];
}
