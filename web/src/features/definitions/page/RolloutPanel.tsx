import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { getRolloutHistory } from '#contract/rollouts.ts';
import { rolloutOf } from '#domain/rollouts.ts';
import { colourOf } from '../../../kit/treatments.ts';
import { reading } from '../../../server/api.ts';
import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { useMay } from '../../../server/session.ts';
import { percent } from '../../../ui/percent.ts';
import { useDefinition } from '../editing/editor.ts';
import styles from './RolloutPanel.module.css';
import { type Point, rolloutLine, shareIn } from './rollout-line.ts';

const oneDay = 24 * 60 * 60 * 1000;
const days = 30;

/** The share of the leading treatment over the last weeks, and after saving. */
export function RolloutPanel() {
  const { saved, savedTargeting, targeting, environment } = useDefinition();
  const project = useProject();
  const flag = useFlag();
  const may = useMay();
  // Fixed while the page is open, so that the query key stays the same.
  const [from] = useState(() => Date.now() - days * oneDay);
  const params = { project: project.id, flag: flag.name, environment: environment.id };
  const question = reading(getRolloutHistory, { params, query: { from } });
  const history = useQuery({
    ...question,
    // Refetched when the definition changes; shows the previous data meanwhile.
    queryKey: [...question.queryKey, saved?.etag],
    placeholderData: keepPreviousData,
    enabled: saved !== undefined && may(getRolloutHistory),
  });
  const treatment = savedTargeting?.defaultRule[0]?.treatment;
  if (!history.data || !savedTargeting || treatment === undefined) return null;
  const to = Math.max(history.dataUpdatedAt, saved?.lastUpdateTime ?? 0);
  const points = rolloutLine(history.data, { treatment, targeting: savedTargeting, at: to });
  const next = shareIn(rolloutOf(targeting), treatment);
  const current = points.at(-1)?.share ?? 0;
  return (
    <Chart
      treatment={treatment}
      points={points}
      next={!savedTargeting.killed && next !== current ? next : undefined}
      span={{ from: history.data.since, to }}
      isCut={history.data.since > from}
    />
  );
}

interface ChartProps {
  readonly treatment: string;
  readonly points: readonly Point[];
  readonly next: number | undefined;
  readonly span: { readonly from: number; readonly to: number };
  /** More changes exist than were loaded. */
  readonly isCut: boolean;
}

const width = 312;
const height = 64;
/** Space on the right for the value after saving. */
const room = 32;
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

function Chart({ treatment, points, next, span, isCut }: ChartProps) {
  const { order, savedTargeting } = useDefinition();
  const id = useId();
  const end = next === undefined ? width : width - room;
  const x = (at: number) => ((at - span.from) / (span.to - span.from)) * end;
  const y = (share: number) => height - 2 - (share / 100) * (height - 4);
  const current = points.at(-1)?.share ?? 0;
  const line = points
    .map(({ at, share }, index) => (index === 0 ? `M0 ${y(share)}` : `H${x(at)}V${y(share)}`))
    .join('')
    .concat(`H${end}`);
  const said = sentenceOf(current, next, savedTargeting?.killed ?? false);
  const ink = `var(--t-${colourOf(treatment, order).slot})`;
  return (
    <section aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id}>
          Rollout of <span className="mono">{treatment}</span>
        </h2>
        <span className={styles.said}>{said}</span>
      </div>
      <svg
        className={styles.chart}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Share of ${treatment} ${isCut ? `since ${day.format(span.from)}` : `over ${days} days`}: ${points
          .map(({ share }) => percent(share))
          .join(', ')}`}
      >
        <path className={styles.grid} d={`M0 2H${width}M0 ${height / 2}H${width}M0 ${height - 2}H${width}`} />
        <path className={styles.area} style={{ fill: ink }} d={`${line}V${height - 2}H0Z`} />
        <path className={styles.line} style={{ stroke: ink }} d={line} />
        {next !== undefined && <path className={styles.next} d={`M${end} ${y(current)}V${y(next)}H${width}`} />}
      </svg>
      <p className={styles.axis} aria-hidden>
        <span>{day.format(span.from)}</span>
        <span>{day.format(span.to)}</span>
      </p>
      {isCut && <p className={styles.cut}>Too many earlier changes to show.</p>}
    </section>
  );
}

function sentenceOf(current: number, next: number | undefined, isKilled: boolean): string {
  if (isKilled) return 'killed';
  return next === undefined ? `${percent(current)} now` : `${percent(current)}, then ${percent(next)} after saving`;
}
