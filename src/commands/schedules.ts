/**
 * Schedules: a changeset that is applied at a time, or step by step as a ramp.
 *
 * Invariants
 * 1. A step is applied by the transaction that locks the changeset and finds the step due; it moves the schedule on, so
 *    no other node applies it again.
 * 2. A step is applied with the rights that whoever scheduled it has in that transaction, and only with approvals that
 *    still hold there.
 * 3. A step that is refused changes nothing, and no further step is applied.
 */

import type { Actor } from '#domain/access.ts';
import { isSame } from '#domain/approvals.ts';
import { instantOf } from '#domain/calendar.ts';
import {
  type Changeset,
  type ChangesetState,
  openStates,
  type PlacedOperation,
  type ScheduleRequest,
  scheduledStates,
  toChangeset,
} from '#domain/changesets.ts';
import { cutNote } from '#domain/notes.ts';
import { Problem, refuse } from '#domain/problems.ts';
import { dueAtOf, inSteps, operationsOfStep, placeSteps, withEdits } from '#domain/ramps.ts';
import { requireMatch } from '#domain/revisions.ts';
import { type Schedule, stepsDone } from '#domain/schedules.ts';
import { listApiKeysById } from '#store/api-keys.ts';
import { listActivePeople } from '#store/approvals.ts';
import { lockChangeset, replaceOperations } from '#store/changesets.ts';
import { type DueStep, deleteSchedule, saveSchedule } from '#store/schedules.ts';
import { actorOfKey, actorOfUser, whomToAsk } from './actors.ts';
import { contentHashOf, neededApprovals, type Reviewed } from './approvals.ts';
import { review, withoutApprovals } from './changeset-discussion.ts';
import { type Remarked, requireApprover, requireOpenApprovers } from './changeset-reviews.ts';
import {
  findIn,
  isRunning,
  lockIn,
  requestedStateOf,
  requireMayApply,
  requireMayEdit,
  saveAs,
} from './changeset-states.ts';
import { applyOperationsIn, fixed } from './changesets.ts';
import { type Context, type RecordingTx, write } from './context.ts';

export interface Scheduling extends ScheduleRequest {
  /** How long it waits for approvals. */
  readonly lifeMs: number;
  readonly ifMatch: string | undefined;
}

/**
 * Sets or changes when it is applied, and asks for the approvals that it needs. That is an edit: approvals of something
 * else, or of another time, are void. Of a ramp that has begun, only the steps that are still to come can be changed.
 * For those who could apply it.
 */
export const scheduleChangeset = (context: Context, id: string, scheduling: Scheduling) =>
  write(context, (tx) => scheduleChangesetIn(tx, id, scheduling));

export async function scheduleChangesetIn(tx: RecordingTx, id: string, scheduling: Scheduling): Promise<Changeset> {
  const { comment = '', approvers = [], lifeMs, ifMatch } = scheduling;
  const found = await lockIn(tx, id, ifMatch, [...openStates, ...scheduledStates], 'scheduled');
  const { head, project, operations: before } = found;
  const operations = withEdits(before, scheduling.operations ?? []);
  const areEdited = scheduling.operations !== undefined;
  refuse('changeset_invalid', areEdited && head.operationType !== undefined ? [fixed] : []);
  const timing = isRunning(head) ? restOf(found, scheduling, tx.now) : newSchedule(operations, scheduling, tx.now);
  await requireMayApply(tx, project, inAllSteps(operations, timing.steps));
  await requireOpenApprovers(tx, found, approvers);
  const { type, id: actorId, name } = tx.actor;
  const schedule: Schedule = { by: { type, id: actorId, name }, ...timing };
  let edited: Reviewed = {
    ...found,
    operations,
    head: { ...head, approvers, schedule, expiresAt: head.expiresAt ?? tx.now + lifeMs },
  };
  const isDraft = head.status === 'DRAFT';
  // An edit rules its maker out as an approver; authors are ruled out anyway.
  const isEdit = contentHashOf(edited) !== contentHashOf(found) && !(isDraft && isSame(head.author, tx.actor));
  if (isEdit) edited = await review(tx, await withoutApprovals(tx, edited), { kind: 'edit', comment });
  if (isDraft) edited = await review(tx, edited, { kind: 'request', comment });
  if (areEdited) await replaceOperations(tx, id, operations);
  await saveSchedule(tx, id, schedule);
  return saveAs(tx, edited, {
    action: 'changeset.scheduled',
    status: await requestedStateOf(tx, edited),
    comment,
    before: toChangeset(head, before),
  });
}

type Timing = Omit<Schedule, 'by'>;

function newSchedule(operations: readonly PlacedOperation[], { at, steps = [] }: ScheduleRequest, now: number): Timing {
  refuse('changeset_invalid', at || steps.length > 0 ? [] : ['at or steps is needed: when to apply it']);
  const placed = placeSteps(operations, steps);
  return { ...(at ? { at } : {}), steps: placed, appliedAt: [], dueAt: at ? dueAtOf(at, now) : now };
}

/** The schedule of a ramp that has begun, with other steps after those that were applied. A pause stays. */
function restOf({ head, operations }: Reviewed, asked: ScheduleRequest, now: number): Timing {
  const before = head.schedule as Schedule;
  const { by: _, dueAt: __, pausedAt, leftMs: ___, ...schedule } = before;
  const isOther = asked.at !== undefined || asked.operations !== undefined;
  refuse('changeset_invalid', isOther ? ['of a ramp that has begun, only steps can be changed'] : []);
  refuse('changeset_invalid', asked.steps?.length ? [] : ['steps is needed: what is still to come']);
  const { appliedAt } = schedule;
  const done = schedule.steps.slice(0, appliedAt.length - 1);
  const steps = placeSteps(operations, asked.steps ?? [], done);
  const rest = { ...schedule, steps };
  const waitMs = steps[done.length]?.waitMs;
  if (waitMs === undefined) return rest;
  const leftMs = Math.max(0, waitMs - waitedMs(before, now));
  return pausedAt === undefined ? { ...rest, dueAt: now + leftMs } : { ...rest, pausedAt, leftMs };
}

/** How long the next step has waited, without pauses; one that held, since the step before it. */
function waitedMs({ steps, appliedAt, dueAt, pausedAt, leftMs = 0 }: Schedule, now: number): number {
  if (dueAt === undefined && pausedAt === undefined) return now - (appliedAt.at(-1) ?? now);
  return (steps[appliedAt.length - 1]?.waitMs ?? 0) - (dueAt === undefined ? leftMs : dueAt - now);
}

const inAllSteps = (operations: readonly PlacedOperation[], steps: Schedule['steps']): PlacedOperation[] =>
  operations.flatMap((operation) => inSteps(operation, steps));

type Control = (context: Context, id: string, remark: Remarked) => Promise<Changeset>;

/** Stops the clock before the next step. */
export const pauseChangeset: Control = (context, id, remark) =>
  write(context, async (tx) => {
    const found = await lockScheduled(tx, id, remark, 'paused');
    await requireMayEdit(tx, found);
    const { dueAt, ...schedule } = found.schedule;
    if (dueAt === undefined) throw notNow(found.schedule, 'waiting', 'paused');
    const isTimed = schedule.at && schedule.appliedAt.length === 0;
    const left = isTimed ? {} : { leftMs: Math.max(0, dueAt - tx.now) };
    return move(tx, found, { action: 'changeset.paused', remark, to: { ...schedule, pausedAt: tx.now, ...left } });
  });

/**
 * Continues after a pause, with what was left of the wait; a time that has passed meanwhile is due at once. Or releases
 * a step that is held: where approvals are required, only those who could approve the changeset can do that.
 */
export const resumeChangeset: Control = (context, id, remark) =>
  write(context, async (tx) => {
    const found = await lockScheduled(tx, id, remark, 'resumed');
    const { schedule } = found;
    const { pausedAt, leftMs, ...rest } = schedule;
    if (schedule.dueAt !== undefined) throw notNow(schedule, 'paused or held', 'resumed');
    if (pausedAt === undefined) await requireMayRelease(tx, found);
    else await requireMayEdit(tx, found);
    const { at, appliedAt } = rest;
    const instant = at && appliedAt.length === 0 ? instantOf(at.time, at.zone) : tx.now + (leftMs ?? 0);
    const dueAt = typeof instant === 'number' ? instant : tx.now;
    return move(tx, found, { action: 'changeset.resumed', remark, to: { ...rest, dueAt } });
  });

/** Ends the wait before the next step. For those who could apply it. */
export const skipWait: Control = (context, id, remark) =>
  write(context, async (tx) => {
    const found = await lockScheduled(tx, id, remark, 'skipped');
    await requireMayApply(tx, found.project, inAllSteps(found.operations, found.schedule.steps));
    if (found.schedule.dueAt === undefined) throw notNow(found.schedule, 'waiting', 'skipped');
    return move(tx, found, { action: 'changeset.skipped', remark, to: { ...found.schedule, dueAt: tx.now } });
  });

/**
 * Ends it. What was applied stays. If nothing was, it is a draft again, without a schedule; clients of change requests
 * know no drafts, so theirs is withdrawn.
 */
export const abortChangeset: Control = (context, id, remark) =>
  write(context, async (tx) => {
    const found = await lockScheduled(tx, id, remark, 'aborted');
    await requireMayEdit(tx, found);
    const { comment = '' } = remark;
    if (found.schedule.appliedAt.length > 0 || found.head.operationType !== undefined) {
      return saveAs(tx, withHowFar(found), { action: 'changeset.aborted', status: 'WITHDRAWN', comment });
    }
    await deleteSchedule(tx, id);
    const { schedule: _, expiresAt: __, ...head } = found.head;
    const draft = await withoutApprovals(tx, { ...found, head: { ...head, approvers: [] } });
    const scheduledBy = found.schedule.by;
    return saveAs(tx, draft, { action: 'changeset.aborted', status: 'DRAFT', comment, scheduledBy });
  });

/** The steps that were applied stay, and its reason says how many they are. */
function withHowFar(changeset: Scheduled): Reviewed {
  if (changeset.schedule.appliedAt.length === 0) return changeset;
  const reason = `Ended after ${stepsDone(changeset.schedule)}`;
  return { ...changeset, head: { ...changeset.head, reason } };
}

interface Scheduled extends Reviewed {
  readonly schedule: Schedule;
}

async function lockScheduled(tx: RecordingTx, id: string, { ifMatch }: Remarked, verb: string): Promise<Scheduled> {
  await lockChangeset(tx, id);
  const found = await findIn(tx, id);
  requireMatch(ifMatch, found.head);
  const { status, schedule } = found.head;
  const states = verb === 'aborted' ? scheduledStates : ['SCHEDULED'];
  if (schedule && states.includes(status)) return { ...found, schedule };
  throw new Problem('changeset_state', { status, needed: states.join(' or '), verb });
}

const notNow = ({ dueAt, pausedAt }: Schedule, needed: string, verb: string): Problem => {
  const status = dueAt !== undefined ? 'waiting' : pausedAt === undefined ? 'held' : 'paused';
  return new Problem('changeset_state', { status, needed, verb });
};

async function requireMayRelease(tx: RecordingTx, found: Reviewed): Promise<void> {
  const needed = await neededApprovals(tx, tx.actor, found);
  if (needed.some(({ without }) => !without)) await requireApprover(tx, found);
  else await requireMayApply(tx, found.project, found.operations);
}

interface Move {
  readonly action: `changeset.${string}`;
  readonly remark: Remarked;
  readonly to: Schedule;
  /** If it is another one afterwards. */
  readonly status?: ChangesetState;
}

async function move(
  tx: RecordingTx,
  found: Reviewed,
  { action, remark: { comment = '' }, to, status = found.head.status }: Move,
) {
  await saveSchedule(tx, found.head.id, to);
  return saveAs(tx, { ...found, head: { ...found.head, schedule: to } }, { action, status, comment });
}

/** Applies a step, if it is still due. Several nodes may try: one does it. Refuses as applying a changeset does. */
export const applyStep = (context: Context, due: DueStep) => write(context, (tx) => applyStepIn(tx, due));

export async function applyStepIn(tx: RecordingTx, due: DueStep): Promise<void> {
  const found = await lockDue(tx, due);
  if (!found) return tx.unchanged(undefined);
  const { head, schedule, operations } = found;
  const { steps, appliedAt } = schedule;
  const acting = await asWhoScheduled(tx, schedule);
  const step = appliedAt.length;
  const now = operationsOfStep(operations, steps, step);
  await requireMayApply(acting, found.project, now);
  const { recording, applied } = await applyOperationsIn(acting, found, now);
  const { dueAt: _, ...rest } = schedule;
  const moved = { ...rest, appliedAt: [...appliedAt, tx.now] };
  const next = steps[step];
  if (next) {
    const to = next.waitMs === undefined ? moved : { ...moved, dueAt: tx.now + next.waitMs };
    // It may still wait for an approval that the step did not need: its scheduler may skip it, or it is no longer required.
    await move(recording, found, { action: 'changeset.advanced', remark: {}, to, status: 'SCHEDULED' });
    return;
  }
  await saveSchedule(tx, head.id, moved);
  // A ramp has only definitions, whose edits are carried out as they are.
  const last = steps.length > 0 ? operations : applied;
  const published = { ...found, head: { ...head, schedule: moved, publishedAt: tx.now }, operations: last };
  await saveAs(recording, published, { action: 'changeset.published', status: 'PUBLISHED' });
  await replaceOperations(tx, head.id, last);
}

/** Ends a changeset whose step was refused, if that step is still due. */
export const failStep = (context: Context, due: DueStep, refusal: Problem) =>
  write(context, (tx) => failStepIn(tx, due, refusal));

export async function failStepIn(tx: RecordingTx, due: DueStep, refusal: Problem): Promise<void> {
  const found = await lockDue(tx, due);
  if (!found) return tx.unchanged(undefined);
  const { appliedAt, steps } = found.schedule;
  const which = steps.length > 0 ? `Step ${appliedAt.length + 1} of ${steps.length + 1}: ` : '';
  const reason = cutNote(which + whyRefused(refusal));
  const failed = { ...found, head: { ...found.head, reason } };
  await saveAs(tx, failed, { action: 'changeset.failed', status: 'FAILED', comment: reason });
}

const whyRefused = ({ code, message, details }: Problem): string =>
  code === 'approvals_required'
    ? 'it lacked an approval that counted at its time'
    : (details || message).replaceAll('\n', '; ');

async function lockDue(tx: RecordingTx, { changesetId, dueAt }: DueStep): Promise<Scheduled | undefined> {
  await lockChangeset(tx, changesetId);
  const found = await findIn(tx, changesetId);
  const { schedule, status } = found.head;
  if (!schedule || !isClockRunning(status, schedule)) return undefined;
  return schedule.dueAt === dueAt && dueAt <= tx.now ? { ...found, schedule } : undefined;
}

/** The time of a first step comes whether it is approved or not; later ones wait for the approval of a changed plan. */
const isClockRunning = (status: ChangesetState, { at, appliedAt }: Schedule): boolean =>
  status === 'SCHEDULED' || (status === 'SCHEDULE_REQUESTED' && at !== undefined && appliedAt.length === 0);

/** The transaction with the rights of whoever scheduled it, as the rows have them now; they are in the audit log. */
async function asWhoScheduled(tx: RecordingTx, { by }: Schedule): Promise<RecordingTx> {
  const [key] = by.type === 'api_key' ? await listApiKeysById(tx, [by.id]) : [];
  const [person] = by.type === 'user' ? await listActivePeople(tx, [by.id]) : [];
  const actor: Actor | undefined = key ? actorOfKey(key) : person && actorOfUser(person, person.isAdministrator);
  if (!actor) {
    const reason = `${by.name}, who scheduled it, no longer has access.`;
    throw new Problem('right_missing', { reason, ask: await whomToAsk(tx) });
  }
  return { ...tx, actor, record: (...entries) => tx.record(...entries.map((one) => ({ ...one, actor }))) };
}
