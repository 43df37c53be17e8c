/** A rollout history as steps in pixels. All plots below each other share one time scale. */
import { timeTicks } from 'd3-time';
import type { Targeting } from '#domain/definitions/definition.ts';
import { type RolloutChange, type RolloutPoint, rolloutOf } from '#domain/rollouts.ts';

export interface TimeScale {
  readonly from: number;
  readonly now: number;
  /** Where `now` is. What comes later is drawn to the right of it. */
  readonly nowX: number;
  readonly width: number;
  readonly x: (at: number) => number;
}

/** `ahead`: pixels to the right of now. */
export function timeScale({ from, now, width, ahead }: Omit<TimeScale, 'x' | 'nowX'> & { ahead: number }): TimeScale {
  const nowX = Math.max(width - ahead, 1);
  const span = Math.max(now - from, 1);
  return { from, now, nowX, width, x: (at) => Math.min(Math.max((at - from) / span, 0), 1) * nowX };
}

export const pointNow = (targeting: Targeting, at: number): RolloutPoint => ({
  at,
  shares: rolloutOf(targeting),
  killed: targeting.killed,
  allocation: targeting.trafficAllocation,
  defaultTreatment: targeting.defaultTreatment,
});

/** The loaded points, and the current state if it is newer than they are. */
export function untilNow(points: readonly RolloutPoint[], current: RolloutPoint): RolloutPoint[] {
  const last = points.at(-1);
  const isKnown = last && JSON.stringify({ ...last, at: 0 }) === JSON.stringify({ ...current, at: 0 });
  return isKnown ? [...points] : [...points, current];
}

/** A time in which the state stays the same. */
export interface Step {
  readonly point: RolloutPoint;
  readonly start: number;
  readonly end: number;
}

export const stepsOf = (points: readonly RolloutPoint[], scale: TimeScale): Step[] =>
  points.map((point, index) => {
    const next = points[index + 1];
    return { point, start: scale.x(point.at), end: next ? scale.x(next.at) : scale.nowX };
  });

/** A step that is still to come. */
export type PlannedStep = Omit<RolloutPoint, 'at'> & { readonly at?: number };

/** Pixels for a step whose time is not known. */
const untimed = 34;

/** The planned steps to the right of now, in which time runs until the last that has one; the others follow evenly. */
export function plannedSteps(planned: readonly PlannedStep[], now: RolloutPoint, scale: TimeScale): Step[] {
  const timed = planned.filter(({ at }) => at !== undefined);
  const lastAt = timed.at(-1)?.at ?? scale.now;
  const room = scale.width - scale.nowX - untimed * (planned.length - timed.length + 1);
  let end = scale.nowX;
  const starts = planned.map(({ at }) => {
    const share = (Math.max(at ?? 0, scale.now) - scale.now) / Math.max(lastAt - scale.now, 1);
    end = at === undefined ? end + untimed : scale.nowX + Math.max(room, 0) * share;
    return end;
  });
  return [now, ...planned].map((point, index) => ({
    point: { ...point, at: point.at ?? scale.now },
    start: index === 0 ? scale.nowX : (starts[index - 1] ?? scale.nowX),
    end: starts[index] ?? scale.width,
  }));
}

/** The share of a treatment inside the traffic allocation: the rest of the default treatment is outside. */
export function shareInside({ shares, killed, allocation, defaultTreatment }: RolloutPoint, treatment: string): number {
  const size = shares.find((share) => share.treatment === treatment)?.size ?? 0;
  const outside = killed || treatment !== defaultTreatment ? 0 : 100 - allocation;
  return Math.max(size - outside, 0);
}

/** The treatment that planned steps raise most; if they raise none, the first. */
export function raisedIn(steps: readonly Step[], treatments: readonly string[]): string {
  const [now, last] = [steps[0]?.point, steps.at(-1)?.point];
  const gain = (name: string) => (now && last ? shareInside(last, name) - shareInside(now, name) : 0);
  return treatments.toSorted((one, other) => gain(other) - gain(one))[0] ?? '';
}

/** Treatments in the order of the definition, then those that exist only at other times. */
export const treatmentsOf = (points: readonly Pick<RolloutPoint, 'shares'>[], order: readonly string[]): string[] => [
  ...new Set([...order, ...points.flatMap(({ shares }) => shares.map(({ treatment }) => treatment))]),
];

interface Band {
  /** Pixels from the top. */
  readonly path: string;
  readonly line: string;
}

/** The area of one treatment above those before it in the order, with the line along its top. Kills and gaps interrupt it. */
export function areaOf(steps: readonly Step[], treatment: string, order: readonly string[], height: number): Band {
  const below = order.slice(0, order.indexOf(treatment));
  const y = (share: number) => height - (share / 100) * height;
  const parts = runsOf(steps).map((run) => {
    const sums = run.map(({ point, start, end }) => {
      const base = below.reduce((sum, name) => sum + shareInside(point, name), 0);
      return { start, end, bottom: y(base), top: y(base + shareInside(point, treatment)) };
    });
    const forward = sums.map(({ start, end, top }) => `${start} ${top}L${end} ${top}`).join('L');
    const back = sums
      .toReversed()
      .map(({ start, end, bottom }) => `${end} ${bottom}L${start} ${bottom}`)
      .join('L');
    const isDrawn = sums.some(({ bottom, top }) => bottom > top);
    return isDrawn ? { path: `M${forward}L${back}Z`, line: `M${forward}` } : { path: '', line: '' };
  });
  return { path: parts.map(({ path }) => path).join(''), line: parts.map(({ line }) => line).join('') };
}

/** The line along the traffic allocation. */
export const allocationLine = (steps: readonly Step[], height: number): string =>
  runsOf(steps)
    .map((run) =>
      run.map(({ point, start, end }) => [start, end].map((x) => `${x} ${height * (1 - point.allocation / 100)}`)),
    )
    .map((run) => `M${run.flat().join('L')}`)
    .join('');

/** Consecutive steps in which rules apply. */
function runsOf(steps: readonly Step[]): Step[][] {
  const runs: Step[][] = [[]];
  for (const step of steps) {
    if (isServed(step)) runs.at(-1)?.push(step);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

export const isServed = ({ point }: Step): boolean => !point.killed && point.shares.length > 0;

const narrowestKill = 3;

/** From each kill to the restore. Wide enough to be seen. */
export function killsOf(steps: readonly Step[]): { readonly x: number; readonly width: number; readonly at: number }[] {
  const kills: { x: number; width: number; at: number }[] = [];
  steps.forEach(({ point, start, end }, index) => {
    if (!point.killed) return;
    const last = kills.at(-1);
    if (last && steps[index - 1]?.point.killed) last.width = Math.max(end - last.x, narrowestKill);
    else kills.push({ x: start, width: Math.max(end - start, narrowestKill), at: point.at });
  });
  return kills;
}

export type DotKind = 'saved' | 'killed' | 'restored';

/** Changes that are too close to tell apart. */
export interface Dot {
  readonly x: number;
  readonly kind: DotKind;
  /** Oldest first. */
  readonly changes: readonly RolloutChange[];
  /** How many changes they stand for. */
  readonly count: number;
}

const closest = 10;

/** One dot for each change; those less than 10 pixels apart are merged, and a kill among them shows. */
export function dotsOf(changes: readonly RolloutChange[], scale: TimeScale): Dot[] {
  const groups: { x: number; changes: RolloutChange[] }[] = [];
  for (const change of changes) {
    const x = scale.x(change.at);
    const last = groups.at(-1);
    if (last && x - last.x < closest) last.changes.push(change);
    else groups.push({ x, changes: [change] });
  }
  return groups.map((group) => ({
    ...group,
    kind: group.changes.some(({ action }) => action === 'definition.killed')
      ? 'killed'
      : group.changes.some(({ action }) => action === 'definition.restored')
        ? 'restored'
        : 'saved',
    count: group.changes.reduce((sum, { count }) => sum + count, 0),
  }));
}

/** What a change did: the states directly before and after it. */
export function aroundChange(points: readonly RolloutPoint[], at: number) {
  const index = points.findLastIndex((point) => point.at <= at);
  const after = points[index];
  return { before: after?.at === at ? points[index - 1] : after, after };
}

const pixelsPerTick = 120;
/** On a phone they are closer together. */
const leastTicks = 4;

interface Tick {
  readonly at: number;
  readonly x: number;
}

/** Round instants of the calendar, in local time. */
export function ticksOf({ from, now, nowX, x }: TimeScale): Tick[] {
  const ticks = timeTicks(new Date(from), new Date(now), Math.max(Math.round(nowX / pixelsPerTick), leastTicks)).map(
    (date) => ({
      at: date.getTime(),
      x: x(date.getTime()),
    }),
  );
  // Every second day starts again with each month: the 31st is too close to the 1st.
  const usual = Math.max(...ticks.map((tick, index) => tick.x - (ticks[index - 1]?.x ?? tick.x)));
  return ticks.filter((tick, index) => (ticks[index + 1]?.x ?? Number.POSITIVE_INFINITY) - tick.x > usual * 0.75);
}
