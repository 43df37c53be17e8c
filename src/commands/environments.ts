import { v7 as newId } from 'uuid';
import {
  applyEnvironmentPatch,
  type Environment,
  type EnvironmentWithKeys,
  inOrder,
  type Permissions,
  toApiToken,
} from '#domain/environments.ts';
import { equalJson } from '#domain/json.ts';
import type { Operation } from '#domain/json-patch.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { listApiKeyIdsOfEnvironment, listApiKeysOfEnvironment } from '#store/api-keys.ts';
import { hasDefinitions, moveFlagsOf } from '#store/definitions.ts';
import * as store from '#store/environments.ts';
import { deleteIdentitiesOf } from '#store/identities.ts';
import { lockProject } from '#store/projects.ts';
import { saveEnvironmentAccess } from '#store/restrictions.ts';
import { hasSegments } from '#store/segments.ts';
import { insertNewKey } from './api-keys.ts';
import { type AloneTx, type Context, type Entry, type RecordingTx, write, writeAlone } from './context.ts';
import { environmentRecord, namePermissions, permissionsIn, requireAccess, requireRoom } from './restrictions.ts';

export interface NewEnvironment {
  readonly name: string;
  readonly production: boolean;
  readonly permissions: Permissions;
  /** What its change numbers are greater than; the time of its creation if absent. */
  readonly changeNumber?: number;
}

/** Creates an environment with one SDK key of each type. Only this reply contains their texts. */
export const createEnvironment = (context: Context, project: Project, fields: NewEnvironment) =>
  write(context, (tx) => createEnvironmentIn(tx, project, fields));

export async function createEnvironmentIn(
  tx: RecordingTx,
  project: Project,
  fields: NewEnvironment,
): Promise<EnvironmentWithKeys> {
  const { environment, permissions } = await insertEnvironmentIn(tx, project, fields);
  const scope = { kind: 'environment', projectId: project.id, environmentIds: [environment.id] } as const;
  const keys = [
    await insertNewKey(tx, tx.actor, {
      name: `${environment.name} client-side`,
      type: 'client_side',
      roles: [],
      scope,
    }),
    await insertNewKey(tx, tx.actor, {
      name: `${environment.name} server-side`,
      type: 'server_side',
      roles: [],
      scope,
    }),
  ];
  const apiKeys = keys.map(({ key }) => key);
  await tx.record({
    ...entry('environment.created', environment),
    after: { ...environmentRecord(environment, permissions), apiKeys },
  });
  return { environment, permissions, apiTokens: keys.map(({ key, text }) => toApiToken(key, text)) };
}

export async function createEnvironmentWithoutKeysIn(
  tx: RecordingTx,
  project: Project,
  fields: NewEnvironment,
): Promise<Environment> {
  const { environment, permissions } = await insertEnvironmentIn(tx, project, fields);
  await tx.record({ ...entry('environment.created', environment), after: environmentRecord(environment, permissions) });
  return environment;
}

/** Locks the project. */
async function insertEnvironmentIn(
  tx: RecordingTx,
  project: Project,
  { name, production, permissions: asked, changeNumber }: NewEnvironment,
) {
  await lockProject(tx, project.id);
  const environment: Environment = { name, production, id: newId(), projectId: project.id, createdAt: tx.now };
  await store.insertEnvironment(tx, environment, changeNumber);
  const permissions = await namePermissions(tx, project.id, { permissions: asked });
  await saveEnvironmentAccess(tx, project.id, { id: environment.id, ...permissions });
  await requireRoom(tx, project.id);
  return { environment, permissions };
}

/** Changes environment settings by JSON Patch. Returns the environment with its keys, without their texts. */
export const patchEnvironment = (context: Context, environment: Environment, operations: readonly Operation[]) =>
  writeAlone(context, (tx) => patchEnvironmentIn(tx, environment, operations));

export async function patchEnvironmentIn(
  tx: AloneTx,
  { id, projectId }: Environment,
  operations: readonly Operation[],
): Promise<EnvironmentWithKeys> {
  const before = await store.lockEnvironment(tx, id);
  const stored = permissionsIn(await requireAccess(tx, projectId), id);
  const { environment, permissions: asked } = applyEnvironmentPatch(before, stored, operations);
  const permissions = await namePermissions(tx, projectId, { stored, permissions: asked });
  const keys = await listApiKeysOfEnvironment(tx, id);
  const answer = { environment, permissions, apiTokens: keys.map((key) => toApiToken(key)) };
  const [recordBefore, recordAfter] = [environmentRecord(before, stored), environmentRecord(environment, permissions)];
  if (equalJson(recordAfter, recordBefore)) return tx.unchanged(answer);
  await store.saveEnvironment(tx, environment, before.name);
  if (environment.production !== before.production) await moveFlagsOf(tx, id);
  if (!equalJson(permissions, stored)) {
    await saveEnvironmentAccess(tx, projectId, { id, ...permissions });
    await requireRoom(tx, projectId);
  }
  await tx.record({ ...entry('environment.patched', environment), before: recordBefore, after: recordAfter });
  return answer;
}

/**
 * Moves an environment before another one of its project, or to the end. Only the moved one changes its place, so moves
 * of two people at the same time both take effect. Returns all environments in the new order.
 */
export const moveEnvironment = (context: Context, environment: Environment, before: string | null) =>
  write(context, (tx) => moveEnvironmentIn(tx, environment, before));

/** Locks the project. */
export async function moveEnvironmentIn(tx: RecordingTx, { id, projectId, name }: Environment, before: string | null) {
  await lockProject(tx, projectId);
  const all = await store.listEnvironments(tx, projectId, { kind: 'account' });
  const stored = inOrder(all, await store.findEnvironmentOrder(tx, projectId));
  const from = stored.findIndex((one) => one.id === id);
  const moved = stored[from];
  if (!moved) throw new Problem('environment_not_found', { nameOrId: name });
  const next = stored.find((one) => one.id === before) ?? stored.find((one) => one.name === before);
  const complaint = `before names ${before}, which is not an environment of the project`;
  refuse('request_invalid', before === null || next ? [] : [complaint]);
  if (next === moved) return tx.unchanged(stored);
  const order = stored.toSpliced(from, 1);
  const to = next ? order.indexOf(next) : order.length;
  order.splice(to, 0, moved);
  if (to === from) return tx.unchanged(stored);
  await store.saveEnvironmentOrder(
    tx,
    projectId,
    order.map((one) => one.id),
  );
  await tx.record({
    ...entry('environment.moved', moved),
    before: { position: from + 1 },
    after: { position: to + 1 },
  });
  return order;
}

/** Clean-up tools revoke the listed keys and try again. */
const maxListedKeys = 50;

/** Deletes an environment without API keys, definitions and active segments. */
export const deleteEnvironment = (context: Context, environment: Environment) =>
  write(context, (tx) => deleteEnvironmentIn(tx, environment));

export async function deleteEnvironmentIn(tx: RecordingTx, { id }: Environment) {
  const before = await store.lockEnvironment(tx, id);
  const keyIds = await listApiKeyIdsOfEnvironment(tx, id, maxListedKeys);
  if (keyIds.length > 0) throw new Problem('environment_has_keys', { id, keyIds: keyIds.join(', ') });
  if ((await hasDefinitions(tx, id)) || (await hasSegments(tx, id)))
    throw new Problem('environment_in_use', { name: before.name });
  const identities = await deleteIdentitiesOf(tx, { environmentId: id });
  await store.deleteEnvironment(tx, id);
  await tx.record({
    ...entry('environment.deleted', before),
    before: identities > 0 ? { ...before, identities } : before,
  });
  return true as const;
}

const entry = (action: Entry['action'], environment: Environment) => ({
  action,
  object: { type: 'environment' as const, id: environment.id, name: environment.name },
  project: { id: environment.projectId },
  environment,
});
