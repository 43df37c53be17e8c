/**
 * Changesets. Creating one writes nothing but the changeset; applying it runs the other commands' inner functions in one
 * transaction, so that it is applied as a whole or not at all. `changeset-reviews.ts` asks for approvals and gives them.
 */
import { v7 as newId } from 'uuid';
import {
  type Changeset,
  inversesOf,
  type NewOperation,
  nameOf,
  type PlacedOperation,
  scheduledStates,
  toChangeset,
} from '#domain/changesets.ts';
import { revertTitle } from '#domain/notes.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { withoutRevision } from '#domain/revisions.ts';
import { listChangesOfChangeset } from '#store/changes.ts';
import * as store from '#store/changesets.ts';
import { contentHashOf, type Reviewed, recordingAs, requireApprovals } from './approvals.ts';
import { review, withoutApprovals } from './changeset-discussion.ts';
import { appliers, lockObjects, placeOperations, withAdded } from './changeset-operations.ts';
import {
  entry,
  findIn,
  isRunning,
  lockOpen,
  requestedStateOf,
  requireMayApply,
  requireMayEdit,
  saveAs,
} from './changeset-states.ts';
import { type Context, type RecordingTx, write } from './context.ts';
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
  return shown(await insertIn(tx, fields, await placeOperations(tx, tx.actor, fields.project, operations)));
}

type Head = Omit<ChangesetFields, 'operations'> & Pick<store.ChangesetHead, 'reverts'> & Partial<ChangeRequestHead>;
/** Of a changeset that is submitted as a change request. */
type ChangeRequestHead = Required<Pick<store.ChangesetHead, 'operationType' | 'approvers' | 'expiresAt'>>;

export async function insertIn(
  tx: RecordingTx,
  { project, title, comment, approvers = [], ...more }: Head,
  operations: readonly PlacedOperation[],
): Promise<Reviewed> {
  await requireNote(tx, project, { title, comment });
  const { type, id, name } = tx.actor;
  const head: store.ChangesetHead = {
    id: newId(),
    status: 'DRAFT',
    title,
    comment,
    workspace: { id: project.id, name: project.name },
    author: { type, id, name },
    approvers,
    ...more,
    createdAt: tx.now,
    updatedAt: tx.now,
    revision: tx.now,
  };
  await store.insertChangeset(tx, head, operations);
  const changeset = toChangeset(head, operations);
  await tx.record({ ...entry('changeset.created', changeset), after: withoutRevision(changeset) });
  return { head, project, operations, reviews: [] };
}

export interface ChangesetChange {
  readonly title?: string | undefined;
  readonly comment?: string | undefined;
  readonly operations?: readonly NewOperation[] | undefined;
  readonly add?: readonly NewOperation[] | undefined;
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
  refuse('changeset_invalid', (change.operations || change.add) && head.operationType !== undefined ? [fixed] : []);
  const { title = head.title, comment = head.comment } = change;
  await requireNote(tx, project, { title, comment });
  const place = (all: readonly NewOperation[]) => placeOperations(tx, tx.actor, project, all);
  const kept = change.operations ? await place(change.operations) : before;
  const operations = change.add ? withAdded(kept, await place(change.add)) : kept;
  const edited = { ...head, title, comment };
  if (contentHashOf({ head: edited, operations }) === contentHashOf(found)) {
    return tx.unchanged(toChangeset(head, before, found.reviews));
  }
  if (change.operations || change.add) await store.replaceOperations(tx, id, operations);
  const voided = await withoutApprovals(tx, { ...found, head: edited, operations });
  const changed = await review(tx, voided, { kind: 'edit', comment: '' });
  return saveAs(tx, changed, {
    action: 'changeset.changed',
    status: head.status === 'DRAFT' ? 'DRAFT' : await requestedStateOf(tx, changed),
    before: toChangeset(head, before),
  });
}

/** Clients of the vendor's API know it as a request about one object. */
export const fixed =
  'operations cannot be changed: it was submitted as a change request. Withdraw it and submit another';

/**
 * Applies all operations, or none. What was changed since is merged; where both changed the same it is refused, and all
 * conflicts are named.
 */
export const applyChangeset = (context: Context, id: string, ifMatch: string | undefined) =>
  write(context, (tx) => applyChangesetIn(tx, id, ifMatch));

export async function applyChangesetIn(tx: RecordingTx, id: string, ifMatch: string | undefined): Promise<Changeset> {
  const found = await lockOpen(tx, id, ifMatch);
  await requireMayApply(tx, found.project, found.operations);
  return applyLockedIn(tx, found);
}

/** The same for one that is locked, on behalf of somebody who may apply it. */
export async function applyLockedIn(tx: RecordingTx, found: Reviewed): Promise<Changeset> {
  const { recording, applied } = await applyOperationsIn(tx, found, found.operations);
  const published = { ...found, head: { ...found.head, publishedAt: tx.now }, operations: applied };
  const changeset = await saveAs(recording, published, { action: 'changeset.published', status: 'PUBLISHED' });
  await store.replaceOperations(tx, found.head.id, applied);
  return changeset;
}

/**
 * Carries out operations of a locked changeset: all of them, or one of its steps. The caller has checked rights. Refuses
 * if approvals are missing, and in conflicts. Returns them as they were carried out.
 */
export async function applyOperationsIn(
  tx: RecordingTx,
  found: Reviewed,
  operations: readonly PlacedOperation[],
): Promise<{ recording: RecordingTx; applied: PlacedOperation[] }> {
  const { head, project } = found;
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
  return { recording, applied };
}

/** A draft that reverts a changeset, based on the current state. It restores seeds too. */
export const revertChangeset = (context: Context, id: string, note: Partial<Note>) =>
  write(context, (tx) => revertChangesetIn(tx, id, note));

export async function revertChangesetIn(tx: RecordingTx, id: string, note: Partial<Note>): Promise<Changeset> {
  const { head, project, operations } = await findIn(tx, id);
  const hasStopped = isRunning(head) && !scheduledStates.includes(head.status);
  if (head.status !== 'PUBLISHED' && !hasStopped) {
    throw new Problem('changeset_state', { status: head.status, needed: 'PUBLISHED', verb: 'reverted' });
  }
  const changes = await listChangesOfChangeset(tx, id);
  const inverse = inversesOf(changes, operations);
  if (inverse.length === 0) throw new Problem('changeset_without_changes');
  const { title = revertTitle(head.title), comment = `Takes back the changeset ${id}.` } = note;
  return shown(await insertIn(tx, { project, title, comment, reverts: id }, inverse));
}

const shown = ({ head, operations, reviews }: Reviewed): Changeset => toChangeset(head, operations, reviews);

/** Every entry names the changeset. */
const asPartOf = (tx: RecordingTx, { id }: store.ChangesetHead): RecordingTx => ({
  ...tx,
  changesetId: id,
  record: (...entries) => tx.record(...entries.map((one) => ({ ...one, changesetId: id }))),
});
