import { v7 as newId } from 'uuid';
import type { Environment } from '#domain/environments.ts';
import { type ApiToken, EnvironmentSettings, openPermissions, requireOpen } from '#domain/environments.ts';
import { applyPatch, type Operation } from '#domain/json-patch.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { shapeOf, toBoolean } from '#domain/schema.ts';
import * as store from '#store/environments.ts';
import { lockProject } from '#store/projects.ts';
import { insertNewKey } from './api-keys.ts';
import { type Context, type Entry, write } from './context.ts';

export interface NewEnvironment {
  readonly name: string;
  readonly production: boolean;
}

/** Creates an environment with one SDK key of each type. Their texts are in the answer, and only there. */
export const createEnvironment = (context: Context, project: Project, fields: NewEnvironment) =>
  write(context, async (tx) => {
    await lockProject(tx, project.id);
    const environment: Environment = { ...fields, id: newId(), projectId: project.id, createdAt: tx.now };
    await store.insertEnvironment(tx, environment);
    const scope = { kind: 'environment', projectId: project.id, environmentIds: [environment.id] } as const;
    // The ends of the ids: their beginnings are the time, and alike.
    const label = `${project.id.slice(-5)} - ${environment.id.slice(-5)}`;
    const keys = [
      await insertNewKey(tx, context.actor, { name: `client-side - ${label}`, type: 'client_side', roles: [], scope }),
      await insertNewKey(tx, context.actor, { name: `server-side - ${label}`, type: 'server_side', roles: [], scope }),
    ];
    await tx.record({ ...entry('environment.created', environment), after: environment });
    return { environment, apiTokens: keys.map(({ key, text }) => toApiToken(key, text)) };
  });

/** The two words are the API's old names for the types of SDK keys. */
export const toApiToken = (key: { id: string; name: string; type: string }, text?: string): ApiToken => ({
  name: key.name,
  type: 'api_key',
  id: key.id,
  apiKeyType: key.type === 'client_side' ? 'browser' : 'sdk',
  ...(text === undefined ? {} : { key: text }),
});

const settings = shapeOf(EnvironmentSettings, 'environment');
const patchable = /^\/(name|production|changePermissions(\/\w+)*|dataExportPermissions(\/\w+)*)$/;

/** Changes the settings of an environment by JSON Patch. */
export const patchEnvironment = (context: Context, { id }: Environment, operations: readonly Operation[]) =>
  write(context, async (tx) => {
    const before = await store.lockEnvironment(tx, id);
    const patched = applyPatch({ ...before, ...openPermissions }, operations, { mayName: patchable });
    refuse('patch_invalid', settings.complaints(patched));
    const { name, production, changePermissions, dataExportPermissions } = settings.clean(patched);
    requireOpen(changePermissions, dataExportPermissions);
    const after: Environment = { ...before, name, production: toBoolean(production) };
    await store.saveEnvironment(tx, after);
    await tx.record({ ...entry('environment.patched', after), before, after });
    return after;
  });

/** Deletes an environment that has neither keys nor definitions. */
export const deleteEnvironment = (context: Context, { id }: Environment) =>
  write(context, async (tx) => {
    const before = await store.lockEnvironment(tx, id);
    if (await store.isEnvironmentInUse(tx, id)) throw new Problem('environment_in_use', { name: before.name });
    await store.deleteEnvironment(tx, id);
    await tx.record({ ...entry('environment.deleted', before), before });
    return true as const;
  });

const entry = (action: Entry['action'], environment: Environment) => ({
  action,
  object: { type: 'environment' as const, id: environment.id, name: environment.name },
  project: { id: environment.projectId },
  environment,
});
