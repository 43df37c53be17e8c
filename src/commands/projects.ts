import { v7 as newId } from 'uuid';
import type { ApiKey } from '#domain/api-keys.ts';
import { defaultRolloutStatuses, isPermanentAtFirst } from '#domain/default-rollout-statuses.ts';
import { openPermissions } from '#domain/environments.ts';
import { equalJson } from '#domain/json.ts';
import type { Operation } from '#domain/json-patch.ts';
import { Problem } from '#domain/problems.ts';
import { applyProjectPatch, checkNote, type Note, type Project } from '#domain/projects.ts';
import type { NewProjects } from '#domain/restrictions.ts';
import { countApiKeys, listApiKeys } from '#store/api-keys.ts';
import * as store from '#store/projects.ts';
import { insertRolloutStatuses } from '#store/rollout-statuses.ts';
import type { Tx } from '#store/sql.ts';
import { insertTrafficType } from '#store/traffic-types.ts';
import { type AloneTx, type Context, type Entry, type RecordingTx, write, writeAlone } from './context.ts';
import { createEnvironmentWithoutKeysIn } from './environments.ts';
import { restrictNewProjectIn } from './restrictions.ts';

/** Creates a project with its rollout statuses, the traffic type `user`, and the given environments, without keys. */
export const createProject = (context: Context, fields: NewProject, newProjects: NewProjects) =>
  write(context, (tx) => createProjectIn(tx, fields, newProjects));

interface NewProject {
  readonly name: string;
  readonly requiresTitleAndComments: boolean;
  readonly environments: readonly { readonly name: string; readonly production: boolean }[];
}

export async function createProjectIn(
  tx: RecordingTx,
  { environments, ...fields }: NewProject,
  newProjects: NewProjects,
) {
  const project: Project = { ...fields, id: newId(), type: 'workspace' };
  await insertProjectWithDefaults(tx, project, ['user']);
  await recordNewProjectIn(tx, project);
  await restrictNewProjectIn(tx, project, newProjects);
  for (const environment of environments) {
    await createEnvironmentWithoutKeysIn(tx, project, { ...environment, permissions: openPermissions });
  }
  return project;
}

export const recordNewProjectIn = (tx: RecordingTx, project: Project) =>
  tx.record({ ...entry('workspace.created', project), after: project });

/** Also used at the first start. */
export async function insertProjectWithDefaults(tx: Tx, project: Project, trafficTypes: readonly string[]) {
  await store.insertProject(tx, project);
  const statuses = defaultRolloutStatuses.map((status) => ({
    ...status,
    id: newId(),
    permanent: isPermanentAtFirst(status.name),
  }));
  await insertRolloutStatuses(tx, project.id, statuses);
  for (const name of trafficTypes) {
    await insertTrafficType(tx, { id: newId(), projectId: project.id, name, displayAttributeId: '' });
  }
}

/** Changes the settings of a project by JSON Patch. */
export const patchProject = (context: Context, project: Project, operations: readonly Operation[]) =>
  write(context, (tx) => patchProjectIn(tx, project, operations));

export async function patchProjectIn(tx: RecordingTx, { id }: Project, operations: readonly Operation[]) {
  const before = await store.lockProject(tx, id);
  const after = applyProjectPatch(before, operations);
  if (equalJson(after, before)) return tx.unchanged(before);
  await store.saveProject(tx, after, before.name);
  await tx.record({ ...entry('workspace.patched', after), before, after });
  return after;
}

/** The audit entry of a deleted project lists at most this many of its keys, and their total if there were more. */
const maxRecordedKeys = 1_000;

/** Deletes a project without environments and traffic types. */
export const deleteProject = (context: Context, project: Project, note: Note) =>
  writeAlone(context, (tx) => deleteProjectIn(tx, project, note));

export async function deleteProjectIn(tx: AloneTx, { id }: Project, note: Note) {
  const project = await store.lockProject(tx, id);
  if (await store.isProjectInUse(tx, id)) throw new Problem('project_in_use', { name: project.name });
  const keys = await deleteKeysOfProjectIn(tx, id);
  return deleteLockedProjectIn(tx, { project, keys, note });
}

interface DeletedKeys {
  readonly apiKeys: readonly ApiKey[];
  readonly apiKeyCount?: number;
}

/** The project's keys are deleted with it. Returns what its audit entry says of them. */
export async function deleteKeysOfProjectIn(tx: AloneTx, id: string): Promise<DeletedKeys> {
  const scope = { kind: 'project', projectId: id } as const;
  const apiKeys = await listApiKeys(tx, { scope, offset: 0, limit: maxRecordedKeys });
  const apiKeyCount = await countApiKeys(tx, scope);
  await store.deleteKeysOfProject(tx, id);
  return apiKeyCount > maxRecordedKeys ? { apiKeys, apiKeyCount } : { apiKeys };
}

interface ProjectDeletion {
  readonly project: Project;
  readonly keys: DeletedKeys;
  readonly note: Note;
}

/** Part of deleting a project. It must be locked and empty. */
export async function deleteLockedProjectIn(tx: AloneTx, { project, keys, note }: ProjectDeletion) {
  await store.deleteProject(tx, project.id);
  await tx.record({ ...entry('workspace.deleted', project), before: { ...project, ...keys }, note });
  return true as const;
}

/** Refuses a change without title and comment if the project requires them. */
export async function requireNote(tx: Tx, { id, name }: Project, note: Note): Promise<void> {
  const project = await store.findProjectById(tx, id);
  if (!project) throw new Problem('project_not_found', { nameOrId: name });
  checkNote(project, note);
}

const entry = (action: Entry['action'], project: Project) => ({
  action,
  object: { type: 'workspace' as const, id: project.id, name: project.name },
  project,
});
