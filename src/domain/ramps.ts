/**
 * The steps of a schedule. A changeset's own operations are the first; each further one edits the same definitions and
 * is based on what the steps before it make of them, so that what others change meanwhile is merged or is a conflict.
 */
import { instantOf } from './calendar.ts';
import {
  type Changeset,
  checkOperations,
  definitionEditOf,
  type Edit,
  kindOf,
  maxBases,
  type NewOperation,
  type PlacedOperation,
  type ScheduleRequest,
} from './changesets.ts';
import { type Definition, type Targeting, toTargeting } from './definitions/definition.ts';
import { type EditBase, editNow } from './definitions/edit-now.ts';
import { applyEdit } from './definitions/edits.ts';
import { refuse } from './problems.ts';
import { rolloutOf } from './rollouts.ts';
import {
  type ComingSchedule,
  type ComingStep,
  type LocalTime,
  maxAheadMs,
  maxSteps,
  type Schedule,
  type Step,
} from './schedules.ts';

/** Refuses a time that does not exist, is over, or is years ahead. */
export function dueAtOf({ time, zone }: LocalTime, now: number): number {
  const instant = instantOf(time, zone);
  if (typeof instant === 'number') {
    const complaint = complaintAboutInstant(instant, now);
    refuse('changeset_invalid', complaint === undefined ? [] : [`at/time ${complaint}`]);
    return instant;
  }
  refuse('changeset_invalid', [
    instant === 'time'
      ? 'at/time must be a local date and time, for example 2026-11-20T09:00'
      : `at/zone ${zone} is not a known time zone; send a name such as Europe/Berlin`,
  ]);
  return Number.NaN;
}

export function complaintAboutInstant(instant: number, now: number): string | undefined {
  if (instant <= now) return 'is over';
  return instant > now + maxAheadMs ? 'must be within two years' : undefined;
}

/** All are tried at once, which must not delay other requests. */
const maxStepOperations = 200;
/** The edits that later steps can have: the definition exists after the first one. */
const laterKinds: readonly Edit['kind'][] = ['replace', 'patch', 'kill', 'restore'];

/** The operations with other edits. Refuses what is not an edit of a definition that they edit, in the same way. */
export function withEdits(
  operations: readonly PlacedOperation[],
  asked: NonNullable<ScheduleRequest['operations']>,
): PlacedOperation[] {
  checkOperations(asked);
  const edits = new Map<PlacedOperation, Edit>();
  refuse(
    'changeset_invalid',
    asked.flatMap((operation, at) => {
      const found = kindOf(operation) === 'definition' ? ownOf(operations, operation) : undefined;
      if (found?.edit.kind !== operation.edit.kind || edits.has(found)) {
        return [
          `operations/${at} must edit a definition that the changeset edits, once and with the same kind of edit`,
        ];
      }
      edits.set(found, operation.edit);
      return [];
    }),
  );
  return operations.map((operation) => {
    const edit = edits.get(operation);
    if (!edit) return operation;
    // Refuses one that makes no sense for what it is based on.
    applied(startedFrom(operation), edit);
    return { ...operation, edit };
  });
}

/**
 * Finds what the steps edit among the changeset's operations. Refuses steps that could never be applied. `done` are
 * steps before them, which were applied.
 */
export function placeSteps(
  operations: readonly PlacedOperation[],
  asked: NonNullable<ScheduleRequest['steps']>,
  done: readonly Step[] = [],
): Step[] {
  const complaints: string[] = [];
  const fine = operations.every(({ kind, edit }) => kind === 'definition' && edit.kind !== 'delete');
  if (asked.length > 0 && !fine) {
    complaints.push('a changeset with further steps must only edit definitions, and delete none');
  }
  const placed = asked.map(({ waitMs, hold = false, operations: edits }, index): Step => {
    if ((waitMs === undefined) !== hold) complaints.push(`steps/${index} must have either waitMs or hold`);
    const found = edits.flatMap((operation, at) => {
      const place = `steps/${index}/operations/${at}`;
      if (kindOf(operation) !== 'definition' || !laterKinds.includes(operation.edit.kind)) {
        complaints.push(`${place} must ${laterKinds.join(', ')} a definition`);
      }
      const own = ownOf(operations, operation);
      if (own?.environment) return [{ environment: own.environment, flag: own.object, edit: operation.edit }];
      complaints.push(`${place} must edit a definition that the changeset’s own operations edit`);
      return [];
    });
    const names = found.map(({ flag, environment }) => `${flag.id} ${environment.id}`);
    if (new Set(names).size < names.length) complaints.push(`steps/${index} must edit each definition only once`);
    return { ...(hold ? { hold } : { waitMs: waitMs ?? 0 }), operations: found };
  });
  const steps = [...done, ...placed];
  if (steps.length > maxSteps) complaints.push(`steps must not be more than ${maxSteps}, with those that were applied`);
  const count = steps.reduce((sum, step) => sum + step.operations.length, 0);
  if (count > maxStepOperations || JSON.stringify(steps).length > maxBases) {
    complaints.push(`the steps change too much: they must not have more than ${maxStepOperations} operations in all`);
  }
  refuse('changeset_invalid', complaints);
  // Refuses edits that make no sense after those before them.
  for (const operation of operations) editsOf(operation, steps);
  return steps;
}

const ownOf = (operations: readonly PlacedOperation[], { flag, environment }: NewOperation) =>
  operations.find(
    (one) => isNamed(one.object, flag) && one.environment !== undefined && isNamed(one.environment, environment),
  );

const isNamed = ({ id, name }: { readonly id: string; readonly name: string }, nameOrId: string | undefined) =>
  id === nameOrId || name === nameOrId;

const editIn = ({ operations }: Step, { object, environment }: PlacedOperation): Edit | undefined =>
  operations.find((one) => one.flag.id === object.id && one.environment.id === environment?.id)?.edit;

/** What each step does to the definition, from the first; undefined if nothing. */
function editsOf(operation: PlacedOperation, steps: readonly Step[]): (PlacedOperation | undefined)[] {
  let base = steps.length > 0 ? applied(startedFrom(operation), operation.edit) : undefined;
  const later = steps.map((step): PlacedOperation | undefined => {
    const edit = editIn(step, operation);
    if (!edit || !base) return undefined;
    const text = JSON.stringify({ revision: noRevision, ...toTargeting(base) });
    base = applied(base, edit);
    return { ...operation, edit, base: text };
  });
  return [operation, ...later];
}

const startedFrom = ({ base }: PlacedOperation): EditBase | undefined =>
  base === undefined ? undefined : (JSON.parse(base) as EditBase);

function applied(before: Targeting | undefined, edit: Edit): Targeting {
  const wanted = definitionEditOf(edit);
  if (wanted.kind === 'create') return applyEdit(undefined, wanted);
  return applyEdit(before as Definition, wanted) as Targeting;
}

/** No definition has this revision, so the base is always compared as a whole. */
const noRevision = -1;

/** The operation of a step, from 0, with what it is based on; undefined if the step leaves the definition as it is. */
export const operationOfStep = (
  operation: PlacedOperation,
  steps: readonly Step[],
  index: number,
): PlacedOperation | undefined => editsOf(operation, steps.slice(0, index))[index];

/** The operation and what further steps do to the definition, without what each of them is based on. */
export const inSteps = (operation: PlacedOperation, steps: readonly Step[]): PlacedOperation[] => [
  operation,
  ...steps.flatMap((step) => {
    const edit = editIn(step, operation);
    return edit ? [{ ...operation, edit }] : [];
  }),
];

export const operationsOfStep = (
  operations: readonly PlacedOperation[],
  steps: readonly Step[],
  index: number,
): PlacedOperation[] => operations.flatMap((operation) => operationOfStep(operation, steps, index) ?? []);

/** What a scheduled changeset is going to do to a definition, which `operation` edits. */
export const comingSchedule = (
  { id, title, status }: Pick<Changeset, 'id' | 'title' | 'status'>,
  schedule: Schedule,
  operation: PlacedOperation,
  now: Definition | undefined,
): ComingSchedule => ({
  changeset: { id, name: title },
  status: status as ComingSchedule['status'],
  by: schedule.by,
  ...(schedule.at ? { at: schedule.at } : {}),
  stepCount: schedule.steps.length + 1,
  ...(schedule.pausedAt === undefined ? {} : { pausedAt: schedule.pausedAt }),
  steps: comingSteps(operation, schedule, now),
});

function comingSteps(operation: PlacedOperation, schedule: Schedule, now: Definition | undefined): ComingStep[] {
  const { steps, appliedAt, dueAt } = schedule;
  let at = dueAt;
  return [...statesAfterSteps(operation, schedule, now)].map(({ index, isConflict, definition }): ComingStep => {
    const step = steps[index - 1];
    if (index > appliedAt.length) at = at === undefined || step?.waitMs === undefined ? undefined : at + step.waitMs;
    return {
      step: index + 1,
      ...(at === undefined ? {} : { at }),
      hold: step?.hold ?? false,
      isConflict,
      shares: definition ? rolloutOf(definition) : [],
      killed: definition?.killed ?? false,
      allocation: definition?.trafficAllocation ?? 0,
      defaultTreatment: definition?.defaultTreatment ?? '',
    };
  });
}

interface StateAfterStep {
  /** From 0. */
  readonly index: number;
  /** If the step is a conflict, as the step before leaves it. */
  readonly definition: Definition | undefined;
  readonly isConflict: boolean;
}

/** The definition after each step that is still to come, if it is `now` before them. The first conflict is the last. */
export function* statesAfterSteps(
  operation: PlacedOperation,
  { steps, appliedAt }: Pick<Schedule, 'steps' | 'appliedAt'>,
  now: Definition | undefined,
): Generator<StateAfterStep> {
  const edits = editsOf(operation, steps);
  let definition = now;
  let isConflict = false;
  for (let index = appliedAt.length; index <= steps.length && !isConflict; index += 1) {
    const mine = edits[index];
    const next = mine && after(mine, definition);
    isConflict = next === 'conflict';
    if (next && next !== 'conflict') definition = next;
    yield { index, definition, isConflict };
  }
}

/** The edit of an operation, applied to the current definition: changes that others have made since are kept. */
export const mergeEdit = (operation: PlacedOperation, now: Definition | undefined) =>
  editNow(definitionEditOf(operation.edit), startedFrom(operation), now);

function after(operation: PlacedOperation, now: Definition | undefined): Definition | undefined | 'conflict' {
  const { edit: next, conflicts } = mergeEdit(operation, now);
  if (conflicts.length > 0) return 'conflict';
  if (!next || next.kind === 'delete') return next ? undefined : now;
  const targeting = next.kind === 'create' ? applyEdit(undefined, next) : applyEdit(now as Definition, next);
  return { ...(now as Definition), ...targeting, revision: 0 };
}
