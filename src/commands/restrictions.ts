import type { Actor } from '#domain/access.ts';
import { equalJson } from '#domain/json.ts';
import { refuse } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { checkViewers, toRestriction, type Viewer } from '#domain/restrictions.ts';
import { findAdministratorsId, lockGroupNames } from '#store/groups.ts';
import { lockProject } from '#store/projects.ts';
import { findRestriction, saveRestriction } from '#store/restrictions.ts';
import { type Tx, Unchanged } from '#store/sql.ts';
import { lockUserNames } from '#store/users.ts';
import { type Context, write } from './context.ts';

export interface RestrictionChange {
  readonly project: Project;
  readonly restricted: boolean;
  readonly viewers: readonly Omit<Viewer, 'name'>[];
}

/** Opens a project to everybody, or only to the users and groups listed. */
export const replaceRestriction = (context: Context, { project, restricted, viewers }: RestrictionChange) =>
  write(context, async (tx) => {
    await lockProject(tx, project.id);
    if (restricted) checkViewers(viewers, await findAdministratorsId(tx));
    const found = await findRestriction(tx, project.id);
    const before = toRestriction(project, found.restricted, found.viewers);
    const after = toRestriction(project, restricted, await named(tx, viewers, tx.actor));
    if (equalJson(after, before)) return new Unchanged(before);
    await saveRestriction(tx, { projectId: project.id, restricted, viewers: after.resourcePermissions.view });
    await tx.record({
      action: 'restriction.replaced',
      object: { type: 'restriction', id: project.id, name: project.name },
      project,
      before,
      after,
    });
    return after;
  });

/** The viewers with their names, each once; refuses those who do not exist, or not for the actor. */
async function named(tx: Tx, viewers: RestrictionChange['viewers'], { scope }: Actor): Promise<Viewer[]> {
  const idsOf = (type: Viewer['type']) => [...new Set(viewers.filter((one) => one.type === type).map((one) => one.id))];
  const users = await lockUserNames(tx, idsOf('user'), scope);
  const groups = await lockGroupNames(tx, idsOf('group'));
  const once = new Map(viewers.map((viewer) => [`${viewer.type} ${viewer.id}`, viewer]));
  const found = [...once.values()].map((viewer) => ({
    ...viewer,
    name: (viewer.type === 'user' ? users : groups).get(viewer.id),
  }));
  refuse(
    'restriction_invalid',
    found
      .filter((one) => one.name === undefined)
      .map(({ type, id }) => `resourcePermissions/view: there is no ${type} with the id ${id}`),
  );
  return found.map(({ id, type, name = '' }) => ({ id, name, type }));
}
