/** What people say about a changeset: asking for approvals, giving and refusing them, comments, giving it up. */
import { hasWritten, isSame } from '#domain/approvals.ts';
import {
  type Changeset,
  type ChangesetRequest,
  openStates,
  requestedStates,
  scheduledStates,
  toChangeset,
} from '#domain/changesets.ts';
import { Problem } from '#domain/problems.ts';
import { stepsDone } from '#domain/schedules.ts';
import { listApprovalRules } from '#store/approvals.ts';
import { lockChangeset } from '#store/changesets.ts';
import { contentHashOf, environmentIdsOf, placesApprovedBy, type Reviewed } from './approvals.ts';
import { review } from './changeset-discussion.ts';
import { mailAbout } from './changeset-mails.ts';
import {
  entry,
  findIn,
  isRunning,
  lockIn,
  lockOpen,
  requestedStateOf,
  requireMayEdit,
  requireNotRunning,
  saveAs,
} from './changeset-states.ts';
import { type Context, type RecordingTx, write } from './context.ts';

export interface Submission extends ChangesetRequest {
  /** How long it waits. */
  readonly lifeMs: number;
  readonly ifMatch: string | undefined;
}

/** Asks for approvals. If none is needed, it is approved. */
export const requestChangeset = (context: Context, id: string, submission: Submission) =>
  write(context, (tx) => requestChangesetIn(tx, id, submission));

export async function requestChangesetIn(
  tx: RecordingTx,
  id: string,
  { comment = '', approvers = [], lifeMs, ifMatch }: Submission,
): Promise<Changeset> {
  const found = await lockOpen(tx, id, ifMatch, ['DRAFT'], 'requested');
  await requireMayEdit(tx, found);
  await requireOpenApprovers(tx, found, approvers);
  const asked = { ...found, head: { ...found.head, approvers, expiresAt: tx.now + lifeMs } };
  const requested = await review(tx, asked, { kind: 'request', comment });
  const status = await requestedStateOf(tx, requested);
  return saveAs(tx, requested, { action: 'changeset.requested', status, comment });
}

/** Approves what the changeset contains now, for every environment in which the actor can. */
export const approveChangeset = (context: Context, id: string, remark: Remarked) =>
  write(context, (tx) => approveChangesetIn(tx, id, remark));

export interface Remarked {
  readonly comment?: string | undefined;
  readonly ifMatch?: string | undefined;
}

export async function approveChangesetIn(tx: RecordingTx, id: string, { comment = '', ifMatch }: Remarked) {
  const found = await lockRequested(tx, id, ifMatch, 'approved');
  await requireApprover(tx, found);
  const isRepeated = found.reviews.some(
    ({ kind, by, voidedAt }) => kind === 'approve' && voidedAt === undefined && isSame(by, tx.actor),
  );
  if (isRepeated) return tx.unchanged(toChangeset(found.head, found.operations, found.reviews));
  const approved = await review(tx, found, { kind: 'approve', comment, contentHash: contentHashOf(found) });
  const status = await requestedStateOf(tx, approved);
  return saveAs(tx, approved, { action: 'changeset.approved', status, comment });
}

/** Refuses it for good. For those who could approve it. */
export const rejectChangeset = (context: Context, id: string, remark: Remarked) =>
  write(context, (tx) => rejectChangesetIn(tx, id, remark));

export async function rejectChangesetIn(tx: RecordingTx, id: string, { comment = '', ifMatch }: Remarked) {
  const found = await lockRequested(tx, id, ifMatch, 'rejected');
  await requireApprover(tx, found);
  const { head, ...reviewed } = await review(tx, found, { kind: 'reject', comment });
  const reason = `${tx.actor.name} rejected it${comment === '' ? '' : `: ${comment}`}`;
  const rejected = { ...reviewed, head: { ...head, reason } };
  return saveAs(tx, rejected, { action: 'changeset.rejected', status: 'REJECTED', comment });
}

/** Tells its author what somebody who could approve it wants to be different. Its state stays. */
export const askForChanges = (context: Context, id: string, remark: Remarked) =>
  write(context, (tx) => askForChangesIn(tx, id, remark));

export async function askForChangesIn(tx: RecordingTx, id: string, { comment = '', ifMatch }: Remarked) {
  const found = await lockRequested(tx, id, ifMatch, 'sent back for changes');
  await requireApprover(tx, found);
  const asked = await review(tx, found, { kind: 'ask', comment });
  const { head, operations, reviews } = asked;
  const changeset = toChangeset(head, operations);
  await tx.record({ ...entry('changeset.asked', changeset), note: { title: head.title, comment } });
  await mailAbout(tx, asked, { before: head.status, action: 'changeset.asked', comment });
  return { ...changeset, reviews: [...reviews] };
}

/** A ramp that has begun waits for an approval if somebody changed the steps that are still to come. */
async function lockRequested(tx: RecordingTx, id: string, ifMatch: string | undefined, verb: string) {
  const found = await lockIn(tx, id, ifMatch, requestedStates, verb);
  if (found.head.status !== 'SCHEDULE_REQUESTED') requireNotRunning(found, verb);
  return found;
}

/** Adds to the discussion, in any state. */
export const commentChangeset = (context: Context, id: string, comment: string) =>
  write(context, (tx) => commentChangesetIn(tx, id, comment));

export async function commentChangesetIn(tx: RecordingTx, id: string, comment: string): Promise<Changeset> {
  await lockChangeset(tx, id);
  const { head, operations, reviews } = await review(tx, await findIn(tx, id), { kind: 'comment', comment });
  const changeset = toChangeset(head, operations);
  await tx.record({ ...entry('changeset.commented', changeset), note: { title: head.title, comment } });
  return { ...changeset, reviews: [...reviews] };
}

/** Gives it up. It stays readable. */
export const withdrawChangeset = (context: Context, id: string, remark: Remarked) =>
  write(context, (tx) => withdrawChangesetIn(tx, id, remark));

export async function withdrawChangesetIn(tx: RecordingTx, id: string, { comment = '', ifMatch }: Remarked) {
  const found = await lockOpen(tx, id, ifMatch, [...openStates, ...scheduledStates], 'withdrawn');
  await requireMayEdit(tx, found);
  const isDraft = found.head.status === 'DRAFT';
  const withdrawn = isDraft ? found : await review(tx, found, { kind: 'withdraw', comment });
  return saveAs(tx, withdrawn, { action: 'changeset.withdrawn', status: 'WITHDRAWN', comment });
}

/** Ends a request that nobody answered in time. Several nodes may try: one does it. */
export const expireChangeset = (context: Context, id: string) => write(context, (tx) => expireChangesetIn(tx, id));

export async function expireChangesetIn(tx: RecordingTx, id: string): Promise<void> {
  await lockChangeset(tx, id);
  const found = await findIn(tx, id);
  const { expiresAt, schedule } = found.head;
  if (expiresAt === undefined || expiresAt > tx.now) return tx.unchanged(undefined);
  const reason =
    schedule && isRunning(found.head)
      ? `Nobody approved its changed plan in time, after ${stepsDone(schedule)}`
      : 'Nobody applied or rejected it in time';
  const expired = { ...found, head: { ...found.head, reason } };
  await saveAs(tx, expired, { action: 'changeset.expired', status: 'EXPIRED' });
}

export async function requireApprover(tx: RecordingTx, found: Reviewed): Promise<void> {
  if (hasWritten(tx.actor, found.head.author, found.reviews)) throw new Problem('changeset_own');
  if ((await placesApprovedBy(tx, tx.actor, found)).size > 0) return;
  throw new Problem('changeset_not_approver', { name: tx.actor.name });
}

/** Where an environment restricts who approves, nobody is named. */
export async function requireOpenApprovers(
  tx: RecordingTx,
  { operations }: Pick<Reviewed, 'operations'>,
  approvers: readonly string[],
): Promise<void> {
  if (approvers.length === 0) return;
  const ids = environmentIdsOf(operations);
  const closed = (await listApprovalRules(tx, ids, tx.actor)).find((one) => one.areApproversRestricted);
  if (closed) throw new Problem('approvers_restricted', { environment: closed.environment.name });
}
