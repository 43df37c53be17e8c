import { equalJson } from '#domain/json.ts';
import { refuse } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { checkViewers, toRestriction, type Viewer } from '#domain/restrictions.ts';
import { lockAdminKeyNames } from '#store/api-keys.ts';
import { findAdministratorsId, lockGroupNames } from '#store/groups.ts';
import { lockProject } from '#store/projects.ts';
import { findRestriction, saveRestriction } from '#store/restrictions.ts';
import { lockUserNames } from '#store/users.ts';
import { type AloneTx, type Context, type RecordingTx, writeAlone } from './context.ts';

export interface RestrictionChange {
  readonly project: Project;
  readonly restricted: boolean;
  readonly viewers: readonly Omit<Viewer, 'name'>[];
}

/** Opens a project to everybody, or only to the users, groups and keys listed. */
export const replaceRestriction = (context: Context, change: RestrictionChange) =>
  writeAlone(context, (tx) => replaceRestrictionIn(tx, change));

export async function replaceRestrictionIn(tx: AloneTx, { project, restricted, viewers }: RestrictionChange) {
  await lockProject(tx, project.id);
  if (restricted) checkViewers(viewers, await findAdministratorsId(tx));
  const found = await findRestriction(tx, project.id);
  const before = toRestriction(project, found.restricted, found.viewers);
  const after = toRestriction(project, restricted, await named(tx, project.id, viewers));
  if (equalJson(after, before)) return tx.unchanged(before);
  await saveRestriction(tx, { projectId: project.id, restricted, viewers: after.resourcePermissions.view });
  await tx.record({
    action: 'restriction.replaced',
    object: { type: 'restriction', id: project.id, name: project.name },
    project,
    before,
    after,
  });
  return after;
}

/** The viewers with their names, each once; refuses those who do not exist, or not for the actor. */
async function named(tx: RecordingTx, projectId: string, viewers: RestrictionChange['viewers']): Promise<Viewer[]> {
  const { scope } = tx.actor;
  const idsOf = (type: Viewer['type']) => [...new Set(viewers.filter((one) => one.type === type).map((one) => one.id))];
  const names = {
    user: await lockUserNames(tx, idsOf('user'), scope),
    group: await lockGroupNames(tx, idsOf('group')),
    api_key: await lockAdminKeyNames(tx, idsOf('api_key'), { scope, projectId }),
  };
  const once = new Map(viewers.map((viewer) => [`${viewer.type} ${viewer.id}`, viewer]));
  const found = [...once.values()].map((viewer) => ({
    ...viewer,
    name: names[viewer.type].get(viewer.id),
  }));
  refuse(
    'restriction_invalid',
    found
      .filter((one) => one.name === undefined)
      .map(({ type, id }) => `resourcePermissions/view: there is no ${words[type]} with the id ${id}`),
  );
  return found.map(({ id, type, name = '' }) => ({ id, name, type }));
}

const words = { user: 'user', group: 'group', api_key: 'admin key' } as const;
