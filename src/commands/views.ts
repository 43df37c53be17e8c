/** Saved views of the flag list. The project's row locks them all. */
import { v7 as newId } from 'uuid';
import { equalJson } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { maxViews, type View, type ViewContent } from '#domain/views.ts';
import { lockProject } from '#store/projects.ts';
import type { Tx } from '#store/sql.ts';
import * as store from '#store/views.ts';
import { type Context, type Entry, type RecordingTx, write, writePrivately } from './context.ts';

/** Creates the view, or replaces what it keeps. */
export const saveSharedView = (context: Context, project: Project, name: string, content: ViewContent) =>
  write(context, (tx) => saveSharedViewIn(tx, project, name, content));

export async function saveSharedViewIn(
  tx: RecordingTx,
  project: Project,
  name: string,
  content: ViewContent,
): Promise<View> {
  const { before, after } = await saveIn(tx, { projectId: project.id, ownerId: store.everyone }, name, content);
  if (equalJson(before, after)) return tx.unchanged(after);
  await tx.record({ ...entry(before ? 'view.changed' : 'view.created', project, after), before, after });
  return after;
}

export const deleteSharedView = (context: Context, project: Project, name: string) =>
  write(context, (tx) => deleteSharedViewIn(tx, project, name));

export async function deleteSharedViewIn(tx: RecordingTx, project: Project, name: string) {
  const before = await deleteIn(tx, { projectId: project.id, ownerId: store.everyone }, name);
  if (!before) throw new Problem('view_not_found', { nameOrId: name });
  await tx.record({ ...entry('view.deleted', project, before), before });
  return true as const;
}

/** Own views are private, so they are not in the audit log. */
export const saveOwnView = (context: Context, project: Project, name: string, content: ViewContent) =>
  writePrivately(context, async (tx, { id: ownerId }) => {
    return (await saveIn(tx, { projectId: project.id, ownerId }, name, content)).after;
  });

/** Nothing happens if there is none. */
export const deleteOwnView = (context: Context, project: Project, name: string) =>
  writePrivately(context, async (tx, { id: ownerId }) => {
    await deleteIn(tx, { projectId: project.id, ownerId }, name);
    return true as const;
  });

async function saveIn(tx: Tx, place: store.ViewPlace, name: string, { query, columns }: ViewContent) {
  await lockProject(tx, place.projectId);
  const all = await store.listViews(tx, place);
  const before = all.find((view) => view.name === name);
  if (!before && all.length >= maxViews) throw new Problem('too_many_views', { max: maxViews });
  const after: View = { id: before?.id ?? newId(), name, shared: place.ownerId === store.everyone, query, columns };
  await (before ? store.saveView(tx, after) : store.insertView(tx, place, after));
  return { before, after };
}

async function deleteIn(tx: Tx, place: store.ViewPlace, name: string): Promise<View | undefined> {
  await lockProject(tx, place.projectId);
  const found = (await store.listViews(tx, place)).find((view) => view.name === name);
  if (found) await store.deleteView(tx, found.id);
  return found;
}

const entry = (action: Entry['action'], project: Project, { id, name }: View) => ({
  action,
  object: { type: 'view' as const, id, name },
  project: { id: project.id },
});
