/** The ramp of a whole changeset: the same percentages for each definition whose shares it changes. */
import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import type { Edit, ScheduleRequest } from '#domain/changesets.ts';
import type { Bucket } from '#domain/definitions/definition.ts';
import { equalJson } from '#domain/json.ts';
import type { ChangesetAnswer, Operation, PlannedOperation } from '../../changesets/changesets-query.ts';
import {
  atOf,
  bucketsAt,
  type Complaints,
  growing,
  isPercent,
  type Preset,
  presetsBetween,
  type RampStep,
  type Start,
  sizeIn,
  startComplaints,
  stepsOf,
  unitMs,
  waitComplaint,
  waitOf,
} from '../../changesets/ramp.ts';

type Value = number | readonly Bucket[];
type Steps = NonNullable<ScheduleRequest['steps']>;

/** A share that grows: of everyone else, of a rule, or the traffic allocation. */
export interface RampedShare {
  readonly flag: string;
  readonly environment: string;
  /** "checkout in Production". */
  readonly name: string;
  /** Of the changeset's own operation. */
  readonly edit: Edit;
  readonly path: string;
  /** Undefined: the traffic allocation. */
  readonly treatment: string | undefined;
  /** As it is now; of a ramp that has begun, after what was applied. */
  readonly before: Value;
  /** As it is at the end. */
  readonly after: Value;
}

export interface Ramp {
  readonly shares: readonly RampedShare[];
  /** Definitions in which no share grows: they change with the first step. */
  readonly others: readonly string[];
  /** How many steps were applied. */
  readonly done: number;
  /** As they are scheduled, or a proposal. */
  readonly steps: readonly RampStep[];
  readonly presets: readonly Preset[];
}

export interface WholePlan extends Start {
  readonly isRamp: boolean;
  readonly steps: readonly RampStep[];
}

/** Undefined: it cannot be ramped, or its ramp says more than can be edited here. */
export function rampOf(changeset: ChangesetAnswer, plan: ChangesetPlan): Ramp | undefined {
  const { operations, operationType, schedule } = changeset;
  const isFine = operations.every(({ flag, environment, edit }) => flag && environment && edit.kind !== 'delete');
  if (!isFine || operationType !== undefined) return undefined;
  const done = schedule?.appliedAt.length ?? 0;
  const shares = operations.flatMap((operation, index) => shareOf(changeset, operation, plan.operations[index]) ?? []);
  if (shares.length === 0) return undefined;
  const named = new Set(shares.map(({ name }) => name));
  const others = operations.map(nameOf).filter((name) => !named.has(name));
  const presets = presetsBetween(
    Math.min(...shares.map((one) => percentOf(one, one.before))),
    Math.max(...shares.map((one) => percentOf(one, one.after))),
  );
  const ramp: Ramp = { shares, others, done, steps: stepsOf(presets[0] ?? []), presets };
  const scheduled = schedule?.steps ?? [];
  if (scheduled.length === 0) return ramp.steps.length > 1 ? ramp : undefined;
  const read = { ...ramp, steps: readSteps(changeset, ramp) };
  const again = requestOf({ ...anyStart, isRamp: true, steps: read.steps }, read);
  const isSame =
    again.operations === undefined && equalJson(again.steps, stepsAgain(changeset).slice(Math.max(0, done - 1)));
  return isSame ? read : undefined;
}

const anyStart: Start = { start: 'now', day: undefined, time: '', zone: '' };

const nameOf = ({ flag, environment }: Operation): string => `${flag?.name} in ${environment?.name}`;

/** The part of a definition that a patch replaces; the first that has shares. */
const paths = [/^\/defaultRule$/, /^\/rules\/\d+\/buckets$/, /^\/trafficAllocation$/];

function shareOf(
  changeset: ChangesetAnswer,
  operation: Operation,
  planned: PlannedOperation | undefined,
): RampedShare | undefined {
  const { flag, environment, edit } = operation;
  if (!flag || !environment || edit.kind !== 'patch') return undefined;
  const patch = edit.operations ?? [];
  const entry = paths.flatMap((path) => patch.find((one) => one.op === 'replace' && path.test(one.path)) ?? [])[0];
  if (!entry) return undefined;
  const { path } = entry;
  const done = changeset.schedule?.appliedAt.length ?? 0;
  const values = valuesOf(changeset, { flag: flag.id, environment: environment.id, path });
  const before = done === 0 ? valueNow(planned, path, values[0] as Value) : values[done - 1];
  const after = values.at(-1);
  if (before === undefined || after === undefined) return undefined;
  const treatment = typeof after === 'number' || typeof before === 'number' ? undefined : growing(before, after);
  const share = {
    flag: flag.id,
    environment: environment.id,
    name: nameOf(operation),
    edit,
    path,
    treatment,
    before,
    after,
  };
  return percentOf(share, after) > percentOf(share, before) ? share : undefined;
}

/** What the plan compares the changed part with. Undefined if that is not what the operation says. */
function valueNow(planned: PlannedOperation | undefined, path: string, value: Value): Value | undefined {
  for (const difference of planned?.differences ?? []) {
    if (difference.kind === 'trafficAllocation' && path === '/trafficAllocation') return difference.before;
    if (difference.kind === 'defaultRule' && path === '/defaultRule') return difference.before;
    if (difference.kind !== 'rule' || path !== `/rules/${difference.after?.at}/buckets`) continue;
    return equalJson(difference.after?.rule.buckets, value) ? difference.before?.rule.buckets : undefined;
  }
  // It is already like this, unless the plan could not compare.
  return planned?.conflicts.length === 0 ? value : undefined;
}

/** The part after each step, from the first. */
function valuesOf(
  { operations, schedule }: ChangesetAnswer,
  place: Pick<RampedShare, 'flag' | 'environment' | 'path'>,
): Value[] {
  const values: Value[] = [];
  for (const step of [{ operations }, ...(schedule?.steps ?? [])]) {
    const own = step.operations.find(
      ({ flag, environment }) => flag?.id === place.flag && environment?.id === place.environment,
    );
    const value = own?.edit.operations?.find(({ path }) => path === place.path)?.value ?? values.at(-1);
    values.push(value as Value);
  }
  return values;
}

const percentOf = ({ treatment }: Pick<RampedShare, 'treatment'>, value: Value): number =>
  typeof value === 'number' ? value : sizeIn(value, treatment ?? '');

/** The steps that are still to come, as someone would write them. */
function readSteps(changeset: ChangesetAnswer, { shares, done }: Pick<Ramp, 'shares' | 'done'>): RampStep[] {
  const all = shares.map((share) => ({
    from: percentOf(share, share.before),
    percents: valuesOf(changeset, share).map((value) => percentOf(share, value)),
  }));
  return [{ waitMs: undefined, hold: false }, ...(changeset.schedule?.steps ?? [])]
    .map(({ waitMs, hold }, index): RampStep => {
      const here = all.map(({ from, percents }) => ({ from, to: percents[index] ?? from }));
      const moved = here.filter(({ from, to }) => to > from);
      // A share that is already larger stays, and says nothing about the step.
      const percent = String(
        moved.length > 0 ? Math.max(...moved.map(({ to }) => to)) : Math.min(...here.map(({ to }) => to)),
      );
      if (hold || waitMs === undefined) return { id: index, percent, wait: '1', unit: hold ? 'hold' : 'days' };
      const unit = (['days', 'hours', 'minutes'] as const).find((one) => waitMs % unitMs[one] === 0) ?? 'minutes';
      return { id: index, percent, wait: String(waitMs / unitMs[unit]), unit };
    })
    .slice(done);
}

/** Of one definition it is the share itself; several go together, each from its own share to its own end. */
function valueAt(ramp: Ramp, share: RampedShare, percent: number): Value {
  const { before, after, treatment = '' } = share;
  const [from, to] = [percentOf(share, before), percentOf(share, after)];
  const wanted = ramp.shares.length === 1 ? percent : Math.min(Math.max(percent, from), to);
  if (wanted === to) return after;
  if (typeof before === 'number' || typeof after === 'number') return wanted;
  return wanted === from ? before : bucketsAt({ saved: before, wanted: after, treatment, others: [] }, wanted);
}

/** What the steps after the first change; of a ramp that has begun, all of them. */
function stepEdits({ steps }: WholePlan, ramp: Ramp): Steps[number]['operations'][] {
  return steps.map(({ percent }, index) =>
    ramp.shares.flatMap((share) => {
      const { flag, environment, path, before } = share;
      const last = steps[index - 1];
      const [was, value] = [
        last ? valueAt(ramp, share, Number(last.percent)) : before,
        valueAt(ramp, share, Number(percent)),
      ];
      if (equalJson(was, value)) return [];
      return {
        flag,
        environment,
        edit: { kind: 'patch' as const, operations: [{ op: 'replace' as const, path, value }] },
      };
    }),
  );
}

/** What to send: when it starts, the steps, and the changeset's own operations as far as they are others than now. */
export function requestOf(plan: WholePlan, ramp: Ramp): ScheduleRequest {
  const { steps, isRamp } = plan;
  const edits = isRamp ? stepEdits(plan, ramp) : [];
  const later = steps.map((step, index) => ({
    ...(step.unit === 'hold' ? { hold: true } : { waitMs: waitOf(step) ?? 0 }),
    operations: edits[index] ?? [],
  }));
  if (ramp.done > 0) return { steps: later };
  const operations = ramp.shares.flatMap((share) => {
    const value = isRamp ? valueAt(ramp, share, Number(steps[0]?.percent)) : share.after;
    const patch = (share.edit.operations ?? []).map((one) => (one.path === share.path ? { ...one, value } : one));
    if (equalJson(patch, share.edit.operations)) return [];
    return { flag: share.flag, environment: share.environment, edit: { kind: 'patch' as const, operations: patch } };
  });
  return {
    ...atOf(plan),
    ...(operations.length > 0 ? { operations } : {}),
    ...(isRamp ? { steps: later.slice(1) } : {}),
  };
}

export const stepsAgain = ({ schedule }: ChangesetAnswer): Steps =>
  (schedule?.steps ?? []).map(({ waitMs, hold, operations }) => ({
    ...(hold ? { hold } : { waitMs: waitMs ?? 0 }),
    operations: operations.map(({ environment, flag, edit }) => ({
      flag: flag.id,
      environment: environment.id,
      // Steps only edit definitions.
      edit: edit as Steps[number]['operations'][number]['edit'],
    })),
  }));

export function planComplaints(plan: WholePlan, ramp: Ramp | undefined, now: number): Complaints {
  const found: Record<string, string> = ramp && ramp.done > 0 ? {} : { ...startComplaints(plan, now) };
  if (!plan.isRamp || !ramp) return found;
  const { steps } = plan;
  const edits = steps.every(({ percent }) => isPercent(percent)) ? stepEdits(plan, ramp) : [];
  const hasMore = ramp.others.length > 0 || ramp.shares.some(({ edit }) => (edit.operations?.length ?? 0) > 1);
  steps.forEach((step, index) => {
    const number = ramp.done + index + 1;
    if (!isPercent(step.percent)) found[`percent ${number}`] = 'Whole percents from 0 to 100.';
    else if (edits[index]?.length === 0 && !(number === 1 && hasMore)) {
      found[`percent ${number}`] = index === 0 ? 'This is how it is now.' : 'The same as the step before.';
    }
    const wait = number === 1 ? undefined : waitComplaint(step);
    if (wait !== undefined) found[`wait ${number}`] = wait;
  });
  const end = Math.max(...ramp.shares.map((share) => percentOf(share, share.after)));
  const last = steps.at(-1);
  if (ramp.shares.length > 1 && last && isPercent(last.percent) && Number(last.percent) < end) {
    found[`percent ${ramp.done + steps.length}`] = `The last step reaches ${end}%, as the changeset asks.`;
  }
  return found;
}

/** What a percentage is of. */
export const shareName = ({ shares: [only, ...others] }: Ramp): string =>
  others.length > 0 ? 'each' : (only?.treatment ?? 'allocation');

/** What ramps together and where each ends, and what changes at once. */
export function rampWords({ shares, others, done }: Ramp): string {
  const ends = shares.map(
    (share) => `${share.name}, ${share.treatment ?? 'allocation'} up to ${percentOf(share, share.after)}%`,
  );
  const together = shares.length === 1 ? '' : `Each step gives the same share to each of these: ${ends.join('; ')}. `;
  const rest =
    done > 0 || others.length === 0
      ? ''
      : `${others.join(', ')}: no share grows there, so all of it changes with step 1.`;
  return `${together}${rest}`;
}
