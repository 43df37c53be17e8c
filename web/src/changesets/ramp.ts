/** A schedule as someone writes it: when it starts, and as a ramp the steps to the draft's share. */

import { instantOf } from '#domain/calendar.ts';
import type { NewOperation, ScheduleRequest } from '#domain/changesets.ts';
import type { Bucket, Targeting } from '#domain/definitions/definition.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { changeShare, withoutUnused, withTreatments } from '#domain/definitions/shares.ts';
import { dayMs, hourMs, minuteMs } from '#domain/durations.ts';
import { equalJson } from '#domain/json.ts';
import { maxAheadMs, maxSteps, maxWaitMs } from '#domain/schedules.ts';
import type { Draft } from '../state/drafts.ts';
import { operationOf } from './propose.ts';
import { zoneHere } from './schedule-words.ts';

export interface Start {
  /** `now`: at once, or as soon as it is approved. */
  readonly start: 'now' | 'time';
  /** Midnight of the day in UTC, which stands for the day anywhere. Undefined: not readable. */
  readonly day: number | undefined;
  readonly time: string;
  readonly zone: string;
}

/** What a ramp changes: the traffic allocation, or the shares of everyone else or of a rule. */
export type Part = 'allocation' | 'everyone' | `rule ${number}`;

export const unitMs = { minutes: minuteMs, hours: hourMs, days: dayMs } as const;
export type Unit = keyof typeof unitMs;

export interface RampStep {
  readonly id: number;
  readonly percent: string;
  /** The first step does not wait. */
  readonly wait: string;
  readonly unit: Unit | 'hold';
}

export interface Plan extends Start {
  readonly isRamp: boolean;
  readonly part: Part;
  /** Whose share grows; not for the allocation. */
  readonly treatment: string;
  readonly steps: readonly RampStep[];
}

/** Tomorrow at nine, here. */
export function newStart(now: number): Start {
  const tomorrow = new Date(now + unitMs.days);
  const day = Date.UTC(tomorrow.getFullYear(), tomorrow.getMonth(), tomorrow.getDate());
  return { start: 'time', day, time: '09:00', zone: zoneHere() };
}

/** At a time, all at once; if it becomes a ramp, then of the share that the draft changes. */
export function newPlan(draft: Draft, now: number): Plan {
  const part = partOf(draft);
  const treatment = treatmentIn(draft, part);
  const plan = { ...newStart(now), isRamp: false, part, treatment, steps: [] };
  return { ...plan, steps: stepsOf(presetsFor(draft, plan)[0] ?? []) };
}

/** The first that the draft changes. */
const partOf = ({ base, targeting }: Draft): Part =>
  partsOf(targeting).find((part) => base && !equalJson(partIn(base, part), partIn(targeting, part))) ?? 'everyone';

export const partsOf = ({ rules }: Targeting): Part[] => [
  'everyone',
  ...rules.map((_, index) => `rule ${index}` as const),
  'allocation',
];

export const partName = ({ rules }: Targeting, part: Part): string => {
  if (part === 'allocation') return 'Traffic allocation';
  if (part === 'everyone') return 'Everyone else';
  const index = ruleOf(part);
  return `Rule ${index + 1}${rules[index]?.name ? `, ${rules[index].name}` : ''}`;
};

const ruleOf = (part: Part): number => Number(part.slice('rule '.length));

const partIn = ({ trafficAllocation, defaultRule, rules }: Targeting, part: Part): number | readonly Bucket[] => {
  if (part === 'allocation') return trafficAllocation;
  return part === 'everyone' ? defaultRule : (rules[ruleOf(part)]?.buckets ?? []);
};

export const bucketsIn = (targeting: Targeting | null | undefined, part: Part): readonly Bucket[] => {
  const value = targeting ? partIn(targeting, part) : [];
  return typeof value === 'number' ? [] : value;
};

export const sizeIn = (buckets: readonly Bucket[], name: string): number =>
  buckets.find(({ treatment }) => treatment === name)?.size ?? 0;

/** The one that gains most; if none does, the largest. */
export const treatmentIn = ({ base, targeting }: Draft, part: Part): string =>
  growing(bucketsIn(base, part), bucketsIn(targeting, part)) ?? targeting.defaultTreatment;

export function growing(before: readonly Bucket[], after: readonly Bucket[]): string | undefined {
  const gain = ({ treatment, size }: Bucket) => size - sizeIn(before, treatment);
  const [most] = after.toSorted((one, other) => gain(other) - gain(one) || other.size - one.size);
  return most?.treatment;
}

type Ramped = Pick<Plan, 'part' | 'treatment'>;

const percentIn = (targeting: Targeting | null | undefined, { part, treatment }: Ramped): number =>
  part === 'allocation' ? (targeting?.trafficAllocation ?? 0) : sizeIn(bucketsIn(targeting, part), treatment);

export type Preset = readonly (number | 'hold')[];

/** From what is saved to what the draft asks for. */
export const presetsFor = ({ base, targeting }: Draft, ramped: Ramped): Preset[] =>
  presetsBetween(percentIn(base, ramped), percentIn(targeting, ramped));

export function presetsBetween(from: number, to: number): Preset[] {
  // Nothing to reach: as if everybody were to get it.
  const end = to > from ? to : 100;
  const within = (percents: readonly number[]): Preset => [...percents.filter((one) => one > from && one < end), end];
  const [first = end] = within([10, 25, 50]);
  const all = [within([1, 10, 50]), within([10, 25, 50]), first === end ? [] : [first, 'hold', end]] as Preset[];
  const halfway = Math.floor((from + end) / 2);
  if (halfway > from) all.push([halfway, end]);
  return all
    .filter((one, index) => one.length > 1 && all.findIndex((other) => other.join() === one.join()) === index)
    .slice(0, 3);
}

export const presetWords = (preset: Preset): string =>
  preset.map((one) => (one === 'hold' ? 'hold' : `${one}%`)).join(' → ');

/** One day between the steps. */
export const stepsOf = (preset: Preset): RampStep[] =>
  preset.flatMap((one, index) =>
    one === 'hold'
      ? []
      : { id: index, percent: String(one), wait: '1', unit: preset[index - 1] === 'hold' ? 'hold' : 'days' },
  );

export const isPercent = (text: string): boolean => /^\d{1,3}$/.test(text.trim()) && Number(text) <= 100;

const minuteOf = (time: string): string | undefined => {
  const [, hour, minute] = /^\s*([01]?\d|2[0-3]):([0-5]\d)\s*$/.exec(time) ?? [];
  return hour === undefined ? undefined : `${hour.padStart(2, '0')}:${minute}`;
};

/** "2026-11-20T09:00". */
const localTimeOf = ({ day, time }: Start): string | undefined => {
  const minute = minuteOf(time);
  return day === undefined || minute === undefined
    ? undefined
    : `${new Date(day).toISOString().slice(0, 10)}T${minute}`;
};

/** The instant of the first step; undefined if it cannot be read, or is not known before it is approved. */
export function startOf(start: Start, now: number | undefined): number | undefined {
  if (start.start === 'now') return now;
  const instant = instantOf(localTimeOf(start) ?? '', start.zone.trim());
  return typeof instant === 'number' ? instant : undefined;
}

/** Undefined after a hold. */
export const timesOf = (plan: Plan, now: number | undefined): (number | undefined)[] =>
  stepTimes(plan.steps, startOf(plan, now));

/** `before`: when the step before them was applied, if they follow one. */
export function stepTimes(
  steps: readonly RampStep[],
  start: number | undefined,
  before?: number | undefined,
): (number | undefined)[] {
  let at = before ?? start;
  return steps.map((step, index) => {
    if (index > 0 || before !== undefined) {
      const waitMs = waitOf(step);
      at = at === undefined || waitMs === undefined ? undefined : at + waitMs;
    }
    return at;
  });
}

export const waitOf = ({ wait, unit }: RampStep): number | undefined =>
  unit === 'hold' || !/^\s*\d{1,5}\s*$/.test(wait) ? undefined : Number(wait) * unitMs[unit];

/** The targeting in which the ramped share is this, and all else is as in the draft. */
export function targetingAt({ base, targeting }: Draft, { part, treatment }: Ramped, percent: number): Targeting {
  if (part === 'allocation') return { ...targeting, trafficAllocation: percent };
  const sides = { saved: bucketsIn(base, part), wanted: bucketsIn(targeting, part), treatment };
  const buckets = bucketsAt({ ...sides, others: [targeting.defaultTreatment] }, percent);
  if (part === 'everyone') return { ...targeting, defaultRule: buckets };
  const index = ruleOf(part);
  return { ...targeting, rules: targeting.rules.map((rule, at) => (at === index ? { ...rule, buckets } : rule)) };
}

interface Sides {
  readonly saved: readonly Bucket[];
  readonly wanted: readonly Bucket[];
  readonly treatment: string;
  /** The treatments that share the rest if no saved one does. */
  readonly others: readonly string[];
}

/** Between what is saved and what is wanted, with this share of the treatment. */
export function bucketsAt({ saved, wanted, treatment, others }: Sides, percent: number): Bucket[] {
  // Keys that do not get it yet keep their treatment.
  const rest = [...saved.map((one) => one.treatment), ...others];
  const shown = withTreatments(wanted, wanted.length > 1 ? [treatment] : [treatment, ...new Set(rest)]);
  const { result } = changeShare(shown, undefined, { treatment, share: percent, isTyped: false, saved });
  return withoutUnused(result, wanted.length > 1 ? saved : []);
}

/** More changes than the ramped share. */
export const hasOthers = (draft: Draft, ramped: Ramped): boolean =>
  draft.base === null ||
  !equalJson(targetingAt({ ...draft, targeting: draft.base }, ramped, 50), targetingAt(draft, ramped, 50));

const targetingsOf = (plan: Plan, draft: Draft): Targeting[] =>
  plan.steps.map(({ percent }) => targetingAt(draft, plan, Number(percent)));

/** By the name of the field: `day`, `time`, `zone`, `percent 1`, `wait 2`. */
export type Complaints = Readonly<Record<string, string>>;

export function startComplaints(start: Start, now: number): Complaints {
  if (start.start === 'now') return {};
  if (start.day === undefined) return { day: 'Write a day, for example 2026-11-20.' };
  if (minuteOf(start.time) === undefined) return { time: 'Write a time, for example 09:00.' };
  const at = startOf(start, now);
  if (at === undefined) return { zone: 'Not a known time zone. Write one such as Europe/Berlin.' };
  if (at <= now) return { time: 'This time has passed.' };
  return at > now + maxAheadMs ? { day: 'Choose a day within two years.' } : {};
}

export function complaintsOf(plan: Plan, draft: Draft, now: number): Complaints {
  const found: Record<string, string> = { ...startComplaints(plan, now) };
  if (!plan.isRamp) return found;
  const changes = plan.steps.every(({ percent }) => isPercent(percent)) ? targetingsOf(plan, draft) : [];
  plan.steps.forEach((step, index) => {
    const name = `percent ${index + 1}`;
    if (!isPercent(step.percent)) found[name] = 'Whole percents from 0 to 100.';
    const before = index === 0 ? draft.base : changes[index - 1];
    if (before && changes[index] && equalJson(before, changes[index])) {
      found[name] = index === 0 ? 'This is how it is now.' : 'The same as the step before.';
    }
    const wait = index === 0 ? undefined : waitComplaint(step);
    if (wait !== undefined) found[`wait ${index + 1}`] = wait;
  });
  return found;
}

export function waitComplaint(step: RampStep): string | undefined {
  if (step.unit === 'hold') return undefined;
  const waitMs = waitOf(step);
  if (waitMs === undefined || waitMs === 0) return 'A whole number, at least 1.';
  return waitMs > maxWaitMs ? 'At most 90 days.' : undefined;
}

export const maxRampSteps = maxSteps + 1;

/** `at` for the request. */
export const atOf = (start: Start): Pick<ScheduleRequest, 'at'> => {
  const time = localTimeOf(start);
  return start.start === 'now' || time === undefined ? {} : { at: { time, zone: start.zone.trim() } };
};

interface Place {
  readonly flag: string;
  readonly environment: string;
}

/** The changeset's own operation, and when it and the steps after it are applied. The plan has no complaints. */
export function scheduledAs(plan: Plan, draft: Draft, place: Place) {
  const targetings = plan.isRamp ? targetingsOf(plan, draft) : [draft.targeting];
  const [first = draft.targeting, ...later] = targetings;
  const operation: NewOperation = operationOf({ ...draft, targeting: first }, place);
  const steps = later.map((targeting, index) => {
    const step = plan.steps[index + 1] as RampStep;
    const edit = { kind: 'patch' as const, operations: diffTargeting(targetings[index] as Targeting, targeting) };
    return {
      ...(step.unit === 'hold' ? { hold: true } : { waitMs: waitOf(step) ?? 0 }),
      operations: [{ flag: place.flag, environment: place.environment, edit }],
    };
  });
  const schedule: ScheduleRequest = { ...atOf(plan), ...(steps.length > 0 ? { steps } : {}) };
  return { operation, schedule };
}
