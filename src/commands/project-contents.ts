/**
 * Deletes a project with everything in it, in one transaction that runs alone among commands, with an audit entry for
 * each object. SDKs are not told of single flags: their keys end with the project.
 */
import type { Permission } from '#domain/access.ts';
import type { Environment } from '#domain/environments.ts';
import { Problem } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { listApiKeyIdsOfEnvironment } from '#store/api-keys.ts';
import { listApprovalRules } from '#store/approvals.ts';
import { hasDefinitions, listDefinedFlags } from '#store/definitions.ts';
import { listEnvironments } from '#store/environments.ts';
import { listFlagSets } from '#store/flag-sets.ts';
import { countFlagsAndDefinitions, listStoredFlags } from '#store/flags.ts';
import { lockProject } from '#store/projects.ts';
import { countSegmentsAndActivations, hasSegments, listActiveSegments, listSegments } from '#store/segments.ts';
import { listTrafficTypes } from '#store/traffic-types.ts';
import { requirePermission } from './actors.ts';
import { type AloneTx, type Context, writeAlone } from './context.ts';
import { removeDefinitionsIn } from './definitions.ts';
import { deleteEnvironmentIn } from './environments.ts';
import { deleteFlagSetIn } from './flag-sets.ts';
import { removeFlagsIn } from './flags.ts';
import { deleteKeysOfProjectIn, deleteLockedProjectIn, requireNote } from './projects.ts';
import { removeActivationsIn, removeSegmentsIn } from './segments.ts';
import { deleteTrafficTypeIn } from './traffic-types.ts';

/**
 * Flags, definitions and segments. A transaction has eight seconds on PostgreSQL; on SQLite, its commit is one turn of
 * the event loop. 2,000 flags with 3 definitions each took 1.1 s on SQLite, the longest turn 21 ms.
 */
const maxDeleted = 5_000;

/**
 * Refuses if the actor could not delete something in it alone, if an environment requires approvals that the actor
 * cannot skip, or if there is too much in it.
 */
export const deleteProjectWithContents = (context: Context, project: Project, note: Note) =>
  writeAlone(context, (tx) => deleteProjectWithContentsIn(tx, project, note));

export async function deleteProjectWithContentsIn(tx: AloneTx, { id, name }: Project, note: Note) {
  const project = await lockProject(tx, id);
  await requireNote(tx, project, note);
  const environments = await listEnvironments(tx, id, { kind: 'account' });
  await requirePermissionsFor(tx, project, environments);
  await requireNoApprovals(tx, project, environments);
  const count = (await countFlagsAndDefinitions(tx, id)) + (await countSegmentsAndActivations(tx, id));
  if (count > maxDeleted) {
    throw new Problem('project_too_large', { name, max: maxDeleted, contents: 'flags, definitions and segments' });
  }
  const keys = await deleteKeysOfProjectIn(tx, id);
  for (const environment of environments) {
    const definedFlags = () => listDefinedFlags(tx, environment.id, 500);
    await untilNone(definedFlags, (flags) => removeDefinitionsIn(tx, { project, environment, note, flags }));
  }
  const flags = () => listStoredFlags(tx, id, 50);
  await untilNone(flags, (some) => removeFlagsIn(tx, { project, flags: some, note }));
  for (const environment of environments) {
    const active = () => listActiveSegments(tx, environment.id, 50);
    await untilNone(active, (some) => removeActivationsIn(tx, environment, some));
  }
  const segments = () => listSegments(tx, { projectId: id }, { offset: 0, limit: 50 });
  await untilNone(segments, (some) => removeSegmentsIn(tx, some));
  const flagSets = () =>
    listFlagSets(tx, { projectId: id, after: undefined, before: undefined, offset: 0, limit: 100 });
  await untilNone(flagSets, async (some) => {
    for (const flagSet of some) await deleteFlagSetIn(tx, project, flagSet);
  });
  for (const trafficType of await listTrafficTypes(tx, id)) await deleteTrafficTypeIn(tx, trafficType);
  for (const environment of environments) await deleteEnvironmentIn(tx, environment);
  return deleteLockedProjectIn(tx, { project, keys, note });
}

/** Refuses an actor who could not delete the contents one by one. Only kinds that it contains need a permission. */
async function requirePermissionsFor(tx: AloneTx, project: Project, environments: readonly Environment[]) {
  const { id: projectId } = project;
  const page = { offset: 0, limit: 1 };
  const requireIf = async (isThere: boolean, needs: Permission, environment?: Environment) => {
    if (isThere) await requirePermission(tx, tx.actor, { access: { needs, scope: 'project' }, project, environment });
  };
  const flagSets = await listFlagSets(tx, { projectId, after: undefined, before: undefined, ...page });
  const hasFlags = (await listStoredFlags(tx, projectId, 1)).length > 0;
  await requireIf(hasFlags || flagSets.length > 0, 'flag.write');
  await requireIf((await listSegments(tx, { projectId }, page)).length > 0, 'segment.write');
  for (const environment of environments) {
    const { id } = environment;
    await requireIf(await hasDefinitions(tx, id), 'definition.write', environment);
    await requireIf(await hasSegments(tx, id), 'segmentContent.write', environment);
    // Those of the whole project end with it, as when an empty one is deleted.
    await requireIf((await listApiKeyIdsOfEnvironment(tx, id, 1)).length > 0, 'apiKey.write');
  }
}

async function requireNoApprovals(tx: AloneTx, { name }: Project, environments: readonly Environment[]): Promise<void> {
  const ids = environments.map((environment) => environment.id);
  const rules = await listApprovalRules(tx, ids, tx.actor);
  const guarded = rules.find(({ areRequired, isSkipper }) => areRequired && !isSkipper);
  if (guarded) throw new Problem('project_guarded', { name, environment: guarded.environment.name });
}

/** Lists what is left and removes it, part by part: one statement must not keep other requests waiting. */
async function untilNone<Item>(
  list: () => Promise<readonly Item[]>,
  remove: (some: readonly Item[]) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const some = await list();
    if (some.length === 0) return;
    await remove(some);
  }
}
