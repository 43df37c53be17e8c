/**
 * Changesets. Creating one writes nothing but the changeset; applying it runs the other commands' inner functions in one
 * transaction, so that it is applied as a whole or not at all.
 */
import { v7 as newId } from 'uuid';
import {
  type Changeset,
  inverseOf,
  type NewOperation,
  nameOf,
  type PlacedOperation,
  toChangeset,
} from '#domain/changesets.ts';
import { Problem } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { nextRevision, requireMatch, withoutRevision } from '#domain/revisions.ts';
import { listChangesOfChangeset } from '#store/changes.ts';
import * as store from '#store/changesets.ts';
import { findProjectById } from '#store/projects.ts';
import type { Tx } from '#store/sql.ts';
import { requirePermission } from './actors.ts';
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
    createdAt: tx.now,
    updatedAt: tx.now,
    revision: tx.now,
  };
  await store.insertChangeset(tx, head, operations);
  const changeset = toChangeset(head, operations);
  await tx.record({ ...entry('changeset.created', changeset), after: withoutRevision(changeset) });
  return changeset;
}

export interface ChangesetChange {
  readonly title?: string | undefined;
  readonly comment?: string | undefined;
  readonly operations?: readonly NewOperation[] | undefined;
  readonly ifMatch: string | undefined;
}

/** Changes a draft. New operations are based on what is there now. */
export const changeChangeset = (context: Context, id: string, change: ChangesetChange) =>
  write(context, (tx) => changeChangesetIn(tx, id, change));

export async function changeChangesetIn(tx: RecordingTx, id: string, change: ChangesetChange): Promise<Changeset> {
  const { head, project, operations: before } = await lockDraft(tx, id, change.ifMatch);
  await requireMayEdit(tx, project, { head, operations: before });
  const { title = head.title, comment = head.comment } = change;
  await requireNote(tx, project, { title, comment });
  const operations = change.operations ? await placeOperations(tx, tx.actor, project, change.operations) : before;
  const after = { ...head, title, comment, ...touched(tx, head) };
  await store.saveChangeset(tx, after);
  if (change.operations) await store.replaceOperations(tx, id, operations);
  const changeset = toChangeset(after, operations);
  await tx.record({
    ...entry('changeset.changed', changeset),
    before: withoutRevision(toChangeset(head, before)),
    after: withoutRevision(changeset),
  });
  return changeset;
}

/** Gives a draft up. It stays readable. */
export const withdrawChangeset = (context: Context, id: string, ifMatch: string | undefined) =>
  write(context, (tx) => withdrawChangesetIn(tx, id, ifMatch));

export async function withdrawChangesetIn(tx: RecordingTx, id: string, ifMatch: string | undefined) {
  const { head, project, operations } = await lockDraft(tx, id, ifMatch);
  await requireMayEdit(tx, project, { head, operations });
  const after = { ...head, status: 'WITHDRAWN' as const, ...touched(tx, head) };
  await store.saveChangeset(tx, after);
  const changeset = toChangeset(after, operations);
  await tx.record({
    ...entry('changeset.withdrawn', changeset),
    before: withoutRevision(toChangeset(head, operations)),
  });
  return changeset;
}

/**
 * Applies all operations, or none. What was changed since is merged; where both changed the same it is refused, and all
 * conflicts are named.
 */
export const applyChangeset = (context: Context, id: string, ifMatch: string | undefined) =>
  write(context, (tx) => applyChangesetIn(tx, id, ifMatch));

export async function applyChangesetIn(tx: RecordingTx, id: string, ifMatch: string | undefined): Promise<Changeset> {
  const { head, project, operations } = await lockDraft(tx, id, ifMatch);
  await requireMayApply(tx, project, operations);
  const objects = await lockObjects(tx, project, operations);
  const recording = asPartOf(tx, head);
  const applying = { project, note: { title: head.title, comment: head.comment }, objects };
  const conflicts: string[] = [];
  const applied: PlacedOperation[] = [];
  for (const operation of operations) {
    const { conflicts: found, edit = operation.edit } = await appliers[operation.kind](recording, applying, operation);
    conflicts.push(...found.map((conflict) => `${nameOf(operation)}: ${conflict}`));
    applied.push({ ...operation, edit });
  }
  if (conflicts.length > 0) throw new Problem('changeset_conflict', { conflicts });
  const after = { ...head, status: 'PUBLISHED' as const, publishedAt: tx.now, ...touched(tx, head) };
  await store.saveChangeset(tx, after);
  await store.replaceOperations(tx, id, applied);
  const changeset = toChangeset(after, applied);
  await recording.record({ ...entry('changeset.published', changeset), after: withoutRevision(changeset) });
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

const touched = (tx: Tx, { revision }: store.ChangesetHead) => ({
  updatedAt: tx.now,
  revision: nextRevision(tx.now, revision),
});

async function findIn(tx: RecordingTx, id: string) {
  const head = await store.findChangeset(tx, id, tx.actor.scope);
  const project = head && (await findProjectById(tx, head.workspace.id));
  if (!head || !project) throw new Problem('changeset_not_found', { nameOrId: id });
  return { head, project, operations: (await store.listOperations(tx, [id])).get(id) ?? [] };
}

async function lockDraft(tx: RecordingTx, id: string, ifMatch: string | undefined) {
  await store.lockChangeset(tx, id);
  const found = await findIn(tx, id);
  requireMatch(ifMatch, found.head);
  if (found.head.status !== 'DRAFT') {
    throw new Problem('changeset_state', { status: found.head.status, needed: 'DRAFT', verb: 'changed or applied' });
  }
  return found;
}

/** The author, or whoever could apply it. */
async function requireMayEdit(
  tx: RecordingTx,
  project: Project,
  { head, operations }: { head: store.ChangesetHead; operations: readonly PlacedOperation[] },
): Promise<void> {
  if (head.author.type === tx.actor.type && head.author.id === tx.actor.id) return;
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
