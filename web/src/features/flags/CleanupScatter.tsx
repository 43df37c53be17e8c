/** All flags by age and time at one treatment. What is in the upper right corner looks finished. */

import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { listCleanup } from '#contract/cleanup.ts';
import type { CleanupPolicy } from '#domain/cleanup.ts';
import { dayMs } from '#domain/durations.ts';
import type { Answer } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { flagPath } from '../../state/paths.ts';
import styles from './Cleanup.module.css';
import { shortLength } from './cleanup-words.ts';

type Point = NonNullable<Answer<typeof listCleanup>['points']>[number];

interface Props {
  readonly points: readonly Point[];
  readonly policy: CleanupPolicy;
}

const height = 300;
const edge = { top: 12, right: 12, bottom: 44, left: 52 };
const maxNames = 6;
const letterWidth = 6.7;

export function CleanupScatter({ points, policy }: Props) {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const now = Date.now();
  const placed = points.map((point) => ({
    ...point,
    time: point.treatmentSince === undefined ? 0 : Math.max(0, now - point.treatmentSince),
    age: Math.max(0, now - point.creationTime),
  }));
  const [oneTreatment, age] = [policy.oneTreatmentDays * dayMs, policy.ageDays * dayMs];
  const most = {
    x: niceEnd(Math.max(oneTreatment * 3, ...placed.map(({ time }) => time))),
    y: niceEnd(Math.max(age * 2, ...placed.map((one) => one.age))),
  };
  const x = (ms: number) => edge.left + (ms / most.x) * (width - edge.left - edge.right);
  const y = (ms: number) => height - edge.bottom - (ms / most.y) * (height - edge.top - edge.bottom);
  const finished = placed.filter(({ group }) => group !== 'in-use' && group !== 'kept');
  const others = placed.filter(({ group }) => group === 'in-use' || group === 'kept');
  const named =
    width < 560
      ? []
      : namedOf(
          finished.map((point) => ({ name: point.name, x: x(point.time), y: y(point.age) })),
          width,
        );
  const label = `Age and time at one treatment of ${points.length} flags. ${finished.length} of them are listed below.`;
  return (
    <figure ref={frame} className={styles.scatter} aria-label={label}>
      <svg width={width} height={height} role="presentation">
        <rect
          className={styles.field}
          x={x(oneTreatment)}
          y={edge.top}
          width={x(most.x) - x(oneTreatment)}
          height={Math.max(0, y(age) - edge.top)}
        />
        {ticksOf(most.y).map((tick) => (
          <g key={tick} aria-hidden>
            <line className={styles.grid} x1={edge.left} x2={width - edge.right} y1={y(tick)} y2={y(tick)} />
            <text x={edge.left - 8} y={y(tick) + 4} textAnchor="end">
              {monthsOf(tick)}
            </text>
          </g>
        ))}
        {ticksOf(most.x).map((tick) => (
          <text
            key={tick}
            x={x(tick)}
            y={height - edge.bottom + 18}
            textAnchor={tick === most.x ? 'end' : 'middle'}
            aria-hidden
          >
            {monthsOf(tick)}
          </text>
        ))}
        <g aria-hidden>
          <line className={styles.limit} x1={x(oneTreatment)} x2={x(oneTreatment)} y1={edge.top} y2={y(0)} />
          <line className={styles.limit} x1={edge.left} x2={width - edge.right} y1={y(age)} y2={y(age)} />
          <text x={x(oneTreatment) + 6} y={y(0) - 6}>
            {policy.oneTreatmentDays} days at one treatment
          </text>
          <text x={width - edge.right - 6} y={y(age) + 14} textAnchor="end">
            {policy.ageDays} days old
          </text>
          <text className={styles.strong} x={x(oneTreatment) + 8} y={edge.top + 16}>
            Looks finished
          </text>
          <text x={(edge.left + width) / 2} y={height - 4} textAnchor="middle">
            Time at one treatment
          </text>
          <text transform={`rotate(-90) translate(${-(height - edge.bottom) / 2} 12)`} textAnchor="middle">
            Age
          </text>
          {others.map((point) => (
            <Dot key={point.name} point={point} x={x(point.time)} y={y(point.age)} isQuiet />
          ))}
        </g>
        {finished.map((point) => (
          <Dot key={point.name} point={point} x={x(point.time)} y={y(point.age)} />
        ))}
        {named.map(({ name, x: left, y: top, isLeft }) => (
          <text
            key={name}
            className={styles.pointName}
            x={isLeft ? left - 10 : left + 10}
            y={top + 4}
            textAnchor={isLeft ? 'end' : 'start'}
            aria-hidden
          >
            {name}
          </text>
        ))}
      </svg>
    </figure>
  );
}

interface DotProps {
  readonly point: Point & { readonly time: number; readonly age: number };
  readonly x: number;
  readonly y: number;
  /** Not by keyboard: the list of flags has them all. */
  readonly isQuiet?: boolean;
}

function Dot({ point: { name, group, time, age }, x, y, isQuiet = false }: DotProps) {
  const project = useProject();
  const words = `${name}: ${shortLength(age)} old, ${shortLength(time)} at one treatment`;
  return (
    <a
      href={flagPath(project.name, name)}
      aria-label={words}
      tabIndex={isQuiet ? -1 : undefined}
      className={styles.point}
    >
      <title>{words}</title>
      <circle className={styles.hit} cx={x} cy={y} r={isQuiet ? 4 : 12} />
      <circle className={`${styles.ink} ${styles.mark}`} data-group={group} cx={x} cy={y} r={isQuiet ? 2.2 : 5} />
    </a>
  );
}

/** The names of the last ones to the right, where none covers another. */
function namedOf(points: readonly { name: string; x: number; y: number }[], width: number) {
  const shown: { name: string; x: number; y: number; isLeft: boolean }[] = [];
  for (const point of points.toSorted((one, other) => other.x - one.x)) {
    if (shown.length === maxNames) break;
    if (shown.every((other) => Math.abs(other.y - point.y) > 16))
      shown.push({ ...point, isLeft: point.x + 10 + point.name.length * letterWidth > width });
  }
  return shown;
}

const monthMs = 30.44 * dayMs;
/** Up to whole months, in thirds. */
const niceEnd = (ms: number): number => Math.ceil(ms / monthMs / 3) * 3 * monthMs;
const monthsOf = (tick: number): string => (tick === 0 ? '0' : `${Math.round(tick / monthMs)} mo`);
const ticksOf = (end: number): number[] => [0, end / 3, (end * 2) / 3, end];

function useWidth(frame: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(700);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setWidth(Math.max(280, element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}
