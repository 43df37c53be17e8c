/** A project's own rollout statuses. Their rows and the project's are their lock. */
import { v7 as newId } from 'uuid';
import { equalJson } from '#domain/json.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import {
  maxRolloutStatuses,
  type NewRolloutStatus,
  type OwnRolloutStatus,
  type RolloutStatusUpdate,
} from '#domain/rollout-statuses.ts';
import { lockProject } from '#store/projects.ts';
import * as store from '#store/rollout-statuses.ts';
import type { Tx } from '#store/sql.ts';
import { requirePermission } from './actors.ts';
import { type Context, type Entry, type RecordingTx, write } from './context.ts';
import { moveFlagsIn } from './flags.ts';
import { requireNote } from './projects.ts';

/** The status becomes the last of the project. */
export const createRolloutStatus = (context: Context, project: Project, fields: NewRolloutStatus) =>
  write(context, (tx) => createRolloutStatusIn(tx, project, fields));

export async function createRolloutStatusIn(
  tx: RecordingTx,
  project: Project,
  { name, description = '', permanent = false }: NewRolloutStatus,
): Promise<OwnRolloutStatus> {
  const all = await lockStatuses(tx, project);
  const isFull = all.length >= maxRolloutStatuses;
  refuse('request_invalid', isFull ? [`A project must not have more than ${maxRolloutStatuses} rollout statuses`] : []);
  const status: OwnRolloutStatus = { id: newId(), name, description, permanent };
  await store.insertRolloutStatus(tx, project.id, status);
  await tx.record({ ...entry('rollout_status.created', project, status), after: status });
  return status;
}

export interface StatusChange {
  readonly project: Project;
  readonly id: string;
}

/** Changes what the update contains. Flags refer to the status by id, so they follow. */
export const updateRolloutStatus = (context: Context, change: StatusChange, update: RolloutStatusUpdate) =>
  write(context, (tx) => updateRolloutStatusIn(tx, change, update));

export async function updateRolloutStatusIn(
  tx: RecordingTx,
  { project, id }: StatusChange,
  update: RolloutStatusUpdate,
): Promise<OwnRolloutStatus> {
  const before = requireStatus(await lockStatuses(tx, project), id);
  const after = { ...before, ...update };
  if (equalJson(after, before)) return tx.unchanged(before);
  await store.saveRolloutStatus(tx, after);
  await tx.record({ ...entry('rollout_status.changed', project, after), before, after });
  return after;
}

/** Moves a status before another one of the project, or to the end. Returns all in the new order. */
export const moveRolloutStatus = (context: Context, change: StatusChange, before: string | null) =>
  write(context, (tx) => moveRolloutStatusIn(tx, change, before));

export async function moveRolloutStatusIn(tx: RecordingTx, { project, id }: StatusChange, before: string | null) {
  const stored = await lockStatuses(tx, project);
  const moved = requireStatus(stored, id);
  const next = stored.find((status) => status.id === before);
  const complaint = `before names ${before}, which is not the id of a rollout status of the project`;
  refuse('request_invalid', before === null || next ? [] : [complaint]);
  const from = stored.indexOf(moved);
  const others = stored.toSpliced(from, 1);
  const to = next === moved ? from : next ? others.indexOf(next) : others.length;
  if (to === from) return tx.unchanged(stored);
  const order = others.toSpliced(to, 0, moved);
  await store.saveRolloutStatusOrder(
    tx,
    project.id,
    order.map((status) => status.id),
  );
  await tx.record({
    ...entry('rollout_status.moved', project, moved),
    before: { position: from + 1 },
    after: { position: to + 1 },
  });
  return order;
}

/**
 * Each flag that moves has an audit entry, all in one transaction, which has eight seconds on PostgreSQL. So many took
 * 2.8 s there and 1 s on SQLite, on a machine that had much else to do.
 */
const maxFlags = 1_000;

interface StatusDeletion extends StatusChange {
  /** The id of the status that its flags get. */
  readonly moveTo: string | undefined;
  readonly note: Note;
}

/** Deletes a status. Flags that have it get another one, as if the actor changed each of them, or it is refused. */
export const deleteRolloutStatus = (context: Context, deletion: StatusDeletion) =>
  write(context, (tx) => deleteRolloutStatusIn(tx, deletion));

export async function deleteRolloutStatusIn(tx: RecordingTx, { project, id, moveTo, note }: StatusDeletion) {
  const all = await lockStatuses(tx, project);
  const status = requireStatus(all, id);
  if (all.length === 1) throw new Problem('rollout_status_last', { name: status.name });
  const target = all.find((one) => one.id === moveTo && one.id !== id);
  const complaint = `moveTo names ${moveTo}, which is not the id of another rollout status of the project`;
  refuse('request_invalid', moveTo === undefined || target ? [] : [complaint]);
  const flagCount = await store.countFlagsWithStatus(tx, id);
  if (flagCount > 0 && (!target || flagCount > maxFlags)) {
    throw new Problem('rollout_status_in_use', { name: status.name, flags: flagCount, max: maxFlags });
  }
  if (target && flagCount > 0) {
    await requirePermission(tx, tx.actor, { access: { needs: 'flag.write', scope: 'project' }, project });
    await requireNote(tx, project, note);
    await moveFlagsIn(tx, { project, from: id, to: { id: target.id, name: target.name }, note });
  }
  await store.deleteRolloutStatus(tx, id);
  await tx.record({ ...entry('rollout_status.deleted', project, status), before: status, note });
  return true as const;
}

/** Statuses first: whoever changes a flag keeps its status, then changes the project's row. */
async function lockStatuses(tx: Tx, project: Project): Promise<OwnRolloutStatus[]> {
  await store.lockRolloutStatuses(tx, project.id);
  await lockProject(tx, project.id);
  return store.listOwnRolloutStatuses(tx, project.id);
}

function requireStatus(all: readonly OwnRolloutStatus[], id: string): OwnRolloutStatus {
  const status = all.find((one) => one.id === id);
  if (!status) throw new Problem('rollout_status_not_found', { nameOrId: id });
  return status;
}

const entry = (action: Entry['action'], { id: projectId }: Project, { id, name }: OwnRolloutStatus) => ({
  action,
  object: { type: 'rollout_status' as const, id, name },
  project: { id: projectId },
});
