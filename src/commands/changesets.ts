/**
 * Changesets. Creating one writes nothing but the changeset; applying it runs the other commands' inner functions in one
 * transaction, so that it is applied as a whole or not at all.
 */
import { v7 as newId } from 'uuid';
import { hasWritten, isSame, maxReviews } from '#domain/approvals.ts';
import {
  type Changeset,
  type ChangesetRequest,
  type ChangesetState,
  inverseOf,
  type NewOperation,
  nameOf,
  openStates,
  type PlacedOperation,
  requestedStates,
  toChangeset,
} from '#domain/changesets.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { nextRevision, requireMatch, withoutRevision } from '#domain/revisions.ts';
import { insertReview, listApprovalRules, listReviews, type StoredReview, voidApprovals } from '#store/approvals.ts';
import { listChangesOfChangeset } from '#store/changes.ts';
import * as store from '#store/changesets.ts';
import { findProjectById } from '#store/projects.ts';
import { requirePermission } from './actors.ts';
import {
  contentHashOf,
  neededApprovals,
  placesApprovedBy,
  type Reviewed,
  recordingAs,
  requireApprovals,
} from './approvals.ts';
import { appliers, grantFor, lockObjects, placeOperations } from './changeset-operations.ts';
import { type Context, type Entry, type RecordingTx, write } from './context.ts';
import { requireNote } from './projects.ts';

export interface ChangesetFields {
  readonly project: Project;
  readonly title: string;
  readonly comment: string;
  readonly operations: readonly NewOperation[];
}

/** Keeps edits for later, with what they are based on. Anyone who sees the objects may propose a change to them. */
export const createChangeset = (context: Context, fields: ChangesetFields) =>
  write(context, (tx) => createChangesetIn(tx, fields));

export async function createChangesetIn(tx: RecordingTx, { operations, ...fields }: ChangesetFields) {
  return insertIn(tx, fields, await placeOperations(tx, tx.actor, fields.project, operations));
}

type Head = Omit<ChangesetFields, 'operations'> & { readonly reverts?: string };

async function insertIn(
  tx: RecordingTx,
  { project, title, comment, reverts }: Head,
  operations: readonly PlacedOperation[],
): Promise<Changeset> {
  await requireNote(tx, project, { title, comment });
  const { type, id, name } = tx.actor;
  const head: store.ChangesetHead = {
    id: newId(),
    status: 'DRAFT',
    title,
    comment,
    workspace: { id: project.id, name: project.name },
    author: { type, id, name },
    ...(reverts === undefined ? {} : { reverts }),
    approvers: [],
    createdAt: tx.now,
    updatedAt: tx.now,
    revision: tx.now,
  };
  await store.insertChangeset(tx, head, operations);
  const changeset = toChangeset(head, operations);
  await tx.record({ ...entry('changeset.created', changeset), after: withoutRevision(changeset) });
  return { ...changeset, reviews: [] };
}

export interface ChangesetChange {
  readonly title?: string | undefined;
  readonly comment?: string | undefined;
  readonly operations?: readonly NewOperation[] | undefined;
  readonly ifMatch: string | undefined;
}

/**
 * Changes one that is not over. New operations are based on what is there now. If the content changes, approvals are
 * void, and whoever edited it cannot approve it.
 */
export const changeChangeset = (context: Context, id: string, change: ChangesetChange) =>
  write(context, (tx) => changeChangesetIn(tx, id, change));

export async function changeChangesetIn(tx: RecordingTx, id: string, change: ChangesetChange): Promise<Changeset> {
  const found = await lockOpen(tx, id, change.ifMatch);
  const { head, project, operations: before } = found;
  await requireMayEdit(tx, found);
  const { title = head.title, comment = head.comment } = change;
  await requireNote(tx, project, { title, comment });
  const operations = change.operations ? await placeOperations(tx, tx.actor, project, change.operations) : before;
  const edited = { ...head, title, comment };
  if (contentHashOf({ head: edited, operations }) === contentHashOf(found)) {
    return tx.unchanged(toChangeset(head, before, found.reviews));
  }
  if (change.operations) await store.replaceOperations(tx, id, operations);
  await voidApprovals(tx, id);
  await review(tx, id, found.reviews, { kind: 'edit', comment: '' });
  const changed = { ...found, head: edited, operations, reviews: await listReviews(tx, id) };
  return saveAs(tx, changed, {
    action: 'changeset.changed',
    status: head.status === 'DRAFT' ? 'DRAFT' : await stateOf(tx, changed),
    before: toChangeset(head, before),
  });
}

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
  await review(tx, id, found.reviews, { kind: 'request', comment });
  const requested = { ...found, head: { ...found.head, approvers, expiresAt: tx.now + lifeMs } };
  const reviewed = { ...requested, reviews: await listReviews(tx, id) };
  return saveAs(tx, reviewed, { action: 'changeset.requested', status: await stateOf(tx, reviewed), comment });
}

/** Approves what the changeset contains now, for every environment in which the actor can. */
export const approveChangeset = (context: Context, id: string, remark: Remarked) =>
  write(context, (tx) => approveChangesetIn(tx, id, remark));

export interface Remarked {
  readonly comment?: string | undefined;
  readonly ifMatch?: string | undefined;
}

export async function approveChangesetIn(tx: RecordingTx, id: string, { comment = '', ifMatch }: Remarked) {
  const found = await lockOpen(tx, id, ifMatch, requestedStates, 'approved');
  await requireApprover(tx, found);
  const contentHash = contentHashOf(found);
  const isRepeated = found.reviews.some(
    ({ kind, by, voidedAt }) => kind === 'approve' && voidedAt === undefined && isSame(by, tx.actor),
  );
  if (isRepeated) return tx.unchanged(toChangeset(found.head, found.operations, found.reviews));
  await review(tx, id, found.reviews, { kind: 'approve', comment, contentHash });
  const approved = { ...found, reviews: await listReviews(tx, id) };
  return saveAs(tx, approved, { action: 'changeset.approved', status: await stateOf(tx, approved), comment });
}

/** Refuses it for good. For those who could approve it. */
export const rejectChangeset = (context: Context, id: string, remark: Remarked) =>
  write(context, (tx) => rejectChangesetIn(tx, id, remark));

export async function rejectChangesetIn(tx: RecordingTx, id: string, { comment = '', ifMatch }: Remarked) {
  const found = await lockOpen(tx, id, ifMatch, requestedStates, 'rejected');
  await requireApprover(tx, found);
  await review(tx, id, found.reviews, { kind: 'reject', comment });
  const reason = `${tx.actor.name} rejected it${comment === '' ? '' : `: ${comment}`}`;
  const rejected = { ...found, head: { ...found.head, reason }, reviews: await listReviews(tx, id) };
  return saveAs(tx, rejected, { action: 'changeset.rejected', status: 'REJECTED', comment });
}

/** Adds to the discussion, whatever its state. */
export const commentChangeset = (context: Context, id: string, comment: string) =>
  write(context, (tx) => commentChangesetIn(tx, id, comment));

export async function commentChangesetIn(tx: RecordingTx, id: string, comment: string): Promise<Changeset> {
  await store.lockChangeset(tx, id);
  const found = await findIn(tx, id);
  await review(tx, id, found.reviews, { kind: 'comment', comment });
  const changeset = toChangeset(found.head, found.operations);
  await tx.record({ ...entry('changeset.commented', changeset), note: { title: found.head.title, comment } });
  return { ...changeset, reviews: await listReviews(tx, id) };
}

/** Gives it up. It stays readable. */
export const withdrawChangeset = (context: Context, id: string, remark: Remarked) =>
  write(context, (tx) => withdrawChangesetIn(tx, id, remark));

export async function withdrawChangesetIn(tx: RecordingTx, id: string, { comment = '', ifMatch }: Remarked) {
  const found = await lockOpen(tx, id, ifMatch, openStates, 'withdrawn');
  await requireMayEdit(tx, found);
  if (found.head.status !== 'DRAFT') await review(tx, id, found.reviews, { kind: 'withdraw', comment });
  const withdrawn = { ...found, reviews: await listReviews(tx, id) };
  return saveAs(tx, withdrawn, { action: 'changeset.withdrawn', status: 'WITHDRAWN', comment });
}

/** Ends a request that nobody answered in time. Several nodes may try: one does it. */
export const expireChangeset = (context: Context, id: string) => write(context, (tx) => expireChangesetIn(tx, id));

export async function expireChangesetIn(tx: RecordingTx, id: string): Promise<void> {
  await store.lockChangeset(tx, id);
  const found = await findIn(tx, id);
  const { expiresAt } = found.head;
  if (expiresAt === undefined || expiresAt > tx.now) return tx.unchanged(undefined);
  const reason = 'Nobody applied or rejected it in time';
  const expired = { ...found, head: { ...found.head, reason } };
  await saveAs(tx, expired, { action: 'changeset.expired', status: 'EXPIRED' });
}

/**
 * Applies all operations, or none. What was changed since is merged; where both changed the same it is refused, and all
 * conflicts are named.
 */
export const applyChangeset = (context: Context, id: string, ifMatch: string | undefined) =>
  write(context, (tx) => applyChangesetIn(tx, id, ifMatch));

export async function applyChangesetIn(tx: RecordingTx, id: string, ifMatch: string | undefined): Promise<Changeset> {
  const found = await lockOpen(tx, id, ifMatch);
  const { head, project, operations } = found;
  await requireMayApply(tx, project, operations);
  const objects = await lockObjects(tx, project, operations);
  // The environments are locked, so their settings stay until the commit.
  const without = await requireApprovals(tx, found);
  const recording = asPartOf(tx, head);
  const applying = { project, note: { title: head.title, comment: head.comment }, objects };
  const conflicts: string[] = [];
  const applied: PlacedOperation[] = [];
  for (const operation of operations) {
    const skipped = without.get(operation.environment?.id ?? '');
    const place = skipped ? recordingAs(recording, skipped) : recording;
    const { conflicts: these, edit = operation.edit } = await appliers[operation.kind](place, applying, operation);
    conflicts.push(...these.map((conflict) => `${nameOf(operation)}: ${conflict}`));
    applied.push({ ...operation, edit });
  }
  if (conflicts.length > 0) throw new Problem('changeset_conflict', { conflicts });
  const published = { ...found, head: { ...head, publishedAt: tx.now }, operations: applied };
  const changeset = await saveAs(recording, published, { action: 'changeset.published', status: 'PUBLISHED' });
  await store.replaceOperations(tx, id, applied);
  return changeset;
}

/** A draft that takes a published changeset back, against what is there now. Seeds come back too. */
export const revertChangeset = (context: Context, id: string, note: Partial<Note>) =>
  write(context, (tx) => revertChangesetIn(tx, id, note));

export async function revertChangesetIn(tx: RecordingTx, id: string, note: Partial<Note>): Promise<Changeset> {
  const { head, project, operations } = await findIn(tx, id);
  if (head.status !== 'PUBLISHED') {
    throw new Problem('changeset_state', { status: head.status, needed: 'PUBLISHED', verb: 'reverted' });
  }
  const changes = await listChangesOfChangeset(tx, id);
  const inverse = changes.map((change) => inverseOf(change, operations));
  if (inverse.length === 0) throw new Problem('changeset_without_changes');
  const { title = `Revert: ${head.title}`.trim(), comment = `Takes back the changeset ${id}.` } = note;
  return insertIn(tx, { project, title, comment, reverts: id }, inverse.toReversed());
}

interface Saved {
  readonly action: Entry['action'];
  readonly status: ChangesetState;
  /** In the words of the actor. */
  readonly comment?: string;
  /** If the content changed. */
  readonly before?: Changeset;
}

/** Stores the changeset in its new state, with an audit entry. */
async function saveAs(
  tx: RecordingTx,
  { head, operations, reviews }: Reviewed,
  { action, status, comment, before }: Saved,
): Promise<Changeset> {
  const { expiresAt, ...rest } = head;
  const after: store.ChangesetHead = {
    ...rest,
    status,
    ...(expiresAt !== undefined && requestedStates.includes(status) ? { expiresAt } : {}),
    updatedAt: tx.now,
    revision: nextRevision(tx.now, head.revision),
  };
  await store.saveChangeset(tx, after);
  const changeset = toChangeset(after, operations);
  const base = entry(action, changeset);
  await tx.record({
    ...base,
    note: comment ? { title: head.title, comment } : base.note,
    before: before ? withoutRevision(before) : { status: head.status },
    after: before || status === 'PUBLISHED' ? withoutRevision(changeset) : { status },
  });
  return { ...changeset, reviews: [...reviews] };
}

/** Of a request: whether it has what it needs. The actor may be allowed to skip approvals; the request is not. */
async function stateOf(tx: RecordingTx, changeset: Reviewed): Promise<ChangesetState> {
  const needed = await neededApprovals(tx, tx.actor, changeset);
  return needed.every(({ isGiven, without }) => isGiven || without === 'kill') ? 'APPROVED' : 'REQUESTED';
}

/** Adds to what people said about it. Refuses if they said too much. */
async function review(
  tx: RecordingTx,
  id: string,
  reviews: readonly StoredReview[],
  { kind, comment, contentHash }: Pick<StoredReview, 'kind' | 'comment'> & { readonly contentHash?: string },
): Promise<void> {
  refuse(
    'changeset_invalid',
    reviews.length >= maxReviews ? [`a changeset must not have more than ${maxReviews} comments and reviews`] : [],
  );
  const { type, id: actorId, name } = tx.actor;
  // Later than the last, even if the clock went back: they are shown in their order.
  const at = Math.max(tx.now, reviews.at(-1)?.at ?? 0);
  await insertReview(tx, id, { id: newId(), kind, comment, at, by: { type, id: actorId, name }, contentHash });
}

async function requireApprover(tx: RecordingTx, found: Reviewed): Promise<void> {
  if (hasWritten(tx.actor, found.head.author, found.reviews)) throw new Problem('changeset_own');
  if ((await placesApprovedBy(tx, tx.actor, found)).size > 0) return;
  throw new Problem('changeset_not_approver', { name: tx.actor.name });
}

/** Where an environment restricts who approves, nobody is named. */
async function requireOpenApprovers(tx: RecordingTx, { operations }: Reviewed, approvers: readonly string[]) {
  if (approvers.length === 0) return;
  const ids = [...new Set(operations.flatMap(({ environment }) => environment?.id ?? []))];
  const closed = (await listApprovalRules(tx, ids, tx.actor)).find((one) => one.areApproversRestricted);
  if (closed) throw new Problem('approvers_restricted', { environment: closed.environment.name });
}

async function findIn(tx: RecordingTx, id: string): Promise<Reviewed> {
  const head = await store.findChangeset(tx, id, tx.actor.scope);
  const project = head && (await findProjectById(tx, head.workspace.id));
  if (!head || !project) throw new Problem('changeset_not_found', { nameOrId: id });
  const operations = (await store.listOperations(tx, [id])).get(id) ?? [];
  return { head, project, operations, reviews: await listReviews(tx, id) };
}

async function lockOpen(
  tx: RecordingTx,
  id: string,
  ifMatch: string | undefined,
  states: readonly ChangesetState[] = openStates,
  verb = 'changed or applied',
): Promise<Reviewed> {
  await store.lockChangeset(tx, id);
  const found = await findIn(tx, id);
  requireMatch(ifMatch, found.head);
  const { status } = found.head;
  if (!states.includes(status)) throw new Problem('changeset_state', { status, needed: states.join(' or '), verb });
  return found;
}

/** The author, or whoever could apply it. */
async function requireMayEdit(tx: RecordingTx, { head, project, operations }: Reviewed): Promise<void> {
  if (isSame(head.author, tx.actor)) return;
  await requireMayApply(tx, project, operations);
}

/** Refuses unless the actor could make each of the changes alone. */
async function requireMayApply(tx: RecordingTx, project: Project, operations: readonly PlacedOperation[]) {
  for (const operation of operations) {
    await requirePermission(tx, tx.actor, grantFor(project, operation));
  }
}

/** Every entry names the changeset. */
const asPartOf = (tx: RecordingTx, { id }: store.ChangesetHead): RecordingTx => ({
  ...tx,
  changesetId: id,
  record: (...entries) => tx.record(...entries.map((one) => ({ ...one, changesetId: id }))),
});

const entry = (action: Entry['action'], { id, title, comment, workspace }: Changeset) => ({
  action,
  object: { type: 'changeset' as const, id, name: title },
  project: workspace,
  note: { title, comment },
  // Replies that show changesets are not cached.
  touches: 'nothing' as const,
});
