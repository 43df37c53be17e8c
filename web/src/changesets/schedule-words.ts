/** Schedules in words: how far one is, what each step does, and when. */

import type { Changeset, Edit } from '#domain/changesets.ts';
import { dayMs, hourMs } from '#domain/durations.ts';
import type { ComingStep } from '#domain/schedules.ts';
import { type Share, sharesInWords } from '../kit/treatments.ts';
import { percent } from '../ui/percent.ts';

export const zoneHere = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** "Fri 20 Nov, 09:00", with the year if it is another one. */
export function timeWords(at: number, zone: string): string {
  const of = partsIn(at, zone);
  const year = of.year === partsIn(Date.now(), zone).year ? '' : ` ${of.year}`;
  return `${of.weekday} ${of.day} ${of.month}${year}, ${of.hour}:${of.minute}`;
}

/** As the server has it; a browser may not know a zone that the server knows. */
function partsIn(at: number, timeZone: string): Readonly<Record<string, string>> {
  const format = (zone: string | undefined) =>
    new Intl.DateTimeFormat('en-GB', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone: zone,
    } as Intl.DateTimeFormatOptions).formatToParts(at);
  let parts: Intl.DateTimeFormatPart[];
  try {
    parts = format(timeZone);
  } catch {
    parts = format(undefined);
  }
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

const units = [
  [dayMs, 'day'],
  [hourMs, 'hour'],
  [60_000, 'minute'],
] as const;

/** "1 day", "36 hours": in the largest unit that says it exactly. */
export function waitWords(waitMs: number): string {
  const [length, unit] = units.find(([one]) => waitMs % one === 0 && waitMs > 0) ?? [60_000, 'minute'];
  const count = Math.round(waitMs / length);
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

type Scheduled = Pick<Changeset, 'status' | 'schedule'>;
type Schedule = NonNullable<Changeset['schedule']>;

/** What a schedule does now. `requested`: it lacks approvals. `over`: nothing more is applied. */
export type Phase = 'requested' | 'waiting' | 'paused' | 'held' | 'over';

export function phaseOf({ status, schedule }: Scheduled): Phase | undefined {
  if (!schedule) return undefined;
  if (status === 'SCHEDULE_REQUESTED') return 'requested';
  return status === 'SCHEDULED' ? standingOf(schedule) : 'over';
}

/** The state of the next step, apart from approvals. */
const standingOf = ({ dueAt, pausedAt }: Schedule): 'waiting' | 'paused' | 'held' =>
  dueAt !== undefined ? 'waiting' : pausedAt === undefined ? 'held' : 'paused';

/** It lacks an approval, and even then it is paused, or its next step holds. */
export const isStoppedBeyond = ({ status, schedule }: Scheduled): boolean =>
  status === 'SCHEDULE_REQUESTED' && schedule !== undefined && standingOf(schedule) !== 'waiting';

/** What the approval that is asked for leads to. */
export function approvedWords(changeset: Scheduled): string {
  const { schedule } = changeset;
  if (!schedule) return 'Then it can be applied.';
  const { at, dueAt = 0, steps, appliedAt } = schedule;
  const next = `step ${appliedAt.length + 1} of ${steps.length + 1}`;
  if (isStoppedBeyond(changeset)) return `Then ${next} still waits until someone resumes it.`;
  if (appliedAt.length > 0) return `It continues with ${next} then.`;
  if (at) return `It is applied on ${timeWords(dueAt, at.zone)}, ${at.zone}.`;
  return `Its ${steps.length + 1} steps start then.`;
}

/** Of a step whose time is not known: "when someone resumes it". */
export function whenWords({ number, hold, waitMs, state }: ShownStep, changeset: Scheduled): string {
  const phase = phaseOf(changeset);
  if (state === 'never' || state === 'failed') return '';
  if (state === 'next' && isStoppedBeyond(changeset)) return 'when it is approved and someone resumes it';
  if (state === 'next' && phase === 'requested') return 'when it is approved';
  if (hold || (state === 'next' && phase === 'paused')) return 'when someone resumes it';
  return waitMs === undefined ? '' : `${waitWords(waitMs)} after step ${number - 1}`;
}

/** Some steps of a ramp were applied, so its own operations are no longer what comes next. */
export const hasBegun = ({ schedule }: Scheduled): boolean => (schedule?.appliedAt.length ?? 0) > 0;

/** `failed` is the step that ended it; `never` are those that are not applied any more. */
export type StepState = 'done' | 'next' | 'coming' | 'failed' | 'never';

export interface ShownStep {
  /** From 1. */
  readonly number: number;
  readonly state: StepState;
  /** When it was applied, or will be if nothing intervenes. Absent if unknown. */
  readonly at?: number;
  /** How long it waits after the step before it. */
  readonly waitMs?: number;
  readonly hold: boolean;
  readonly operations: readonly Pick<Changeset['operations'][number], 'flag' | 'environment' | 'edit'>[];
}

export function shownSteps({ status, schedule, operations }: Scheduled & Pick<Changeset, 'operations'>): ShownStep[] {
  if (!schedule) return [];
  const { appliedAt, steps, dueAt } = schedule;
  const isOver = phaseOf({ status, schedule }) === 'over';
  let at = dueAt;
  return [{ operations, waitMs: undefined, hold: false }, ...steps].map((step, index): ShownStep => {
    const { waitMs, hold = false } = step;
    if (index > appliedAt.length) at = at === undefined || waitMs === undefined ? undefined : at + waitMs;
    const applied = appliedAt[index];
    const isNext = index === appliedAt.length;
    const time = applied ?? (isOver ? undefined : at);
    const coming = isNext ? 'next' : 'coming';
    const ended = isNext && status === 'FAILED' ? 'failed' : 'never';
    return {
      number: index + 1,
      state: applied !== undefined ? 'done' : isOver ? ended : coming,
      ...(time === undefined ? {} : { at: time }),
      ...(waitMs === undefined ? {} : { waitMs }),
      hold,
      operations: step.operations,
    };
  });
}

type Point = Pick<ComingStep, 'shares' | 'killed'>;

/**
 * "on 10% → 25%": what a step changes for keys that match no target and no rule; empty if nothing. Of a ramp, it names
 * what the ramp raises from its first to its last step, also where this step takes it back.
 */
export function changeWords(before: Point | undefined, after: Point, ramp: readonly Point[] = []): string {
  if (after.killed) return before?.killed ? '' : 'kills it';
  const sizeIn = (point: Point | undefined, name: string) =>
    point?.killed ? 0 : (point?.shares.find(({ treatment }) => treatment === name)?.size ?? 0);
  const names = [...new Set([...after.shares, ...(before?.shares ?? [])].map(({ treatment }) => treatment))];
  const grown = names.filter((name) => sizeIn(after, name) > sizeIn(before, name));
  const [first, last] = [ramp[0], ramp.at(-1)];
  const ramped = names.filter(
    (name) => sizeIn(last, name) > sizeIn(first, name) && sizeIn(after, name) !== sizeIn(before, name),
  );
  const said = (ramped.length > 0 ? ramped : grown).map(
    (name) => `${name} ${percent(sizeIn(before, name))} → ${percent(sizeIn(after, name))}`,
  );
  return said.join(', ');
}

const wholeEdits: Readonly<Partial<Record<Edit['kind'], string>>> = {
  create: 'Define the flag',
  replace: 'Replace the definition',
  kill: 'Kill',
  restore: 'Restore',
  delete: 'Remove the definition',
};

/** "Everyone else: on 25%, off 75%". What has no short name is counted. */
export function editWords({ kind, operations: patch = [] }: Edit): string {
  if (kind !== 'patch') return wholeEdits[kind] ?? '1 change';
  const said = patch.map(({ path, value }) => partWords(path, value));
  const named = said.filter((one) => one !== undefined);
  const others = said.length - named.length;
  if (others === 0) return named.join('; ');
  const counted = others === 1 ? '1 change' : `${others} changes`;
  return named.length === 0 ? counted : `${named.join('; ')}; and ${counted}`;
}

function partWords(path: string, value: unknown): string | undefined {
  if (path === '/trafficAllocation') return `Traffic allocation: ${value}%`;
  const shares = () => sharesInWords(value as Share[]);
  if (path === '/defaultRule') return `Everyone else: ${shares()}`;
  const [, rule] = /^\/rules\/(\d+)\/buckets$/.exec(path) ?? [];
  return rule === undefined ? undefined : `Rule ${Number(rule) + 1}: ${shares()}`;
}
