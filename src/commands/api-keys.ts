import { v7 as newId } from 'uuid';
import type { Actor, KeyScope, Role } from '#domain/access.ts';
import { type ApiKey, type ApiKeyType, type ApiKeyUpdate, checkExpiry, checkKeyScope } from '#domain/api-keys.ts';
import { equalJson } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';
import { hashOf, newKeyText } from '#security/secrets.ts';
import * as store from '#store/api-keys.ts';
import { listEnvironments } from '#store/environments.ts';
import { lockProject } from '#store/projects.ts';
import { reaches } from '#store/scope-filter.ts';
import type { Tx } from '#store/sql.ts';
import { deleteViewsOf } from '#store/views.ts';
import { type AloneTx, type Context, type Entry, type RecordingTx, write, writeAlone } from './context.ts';
import { removeGranteeIn } from './restrictions.ts';

export interface KeyFields {
  readonly name: string;
  readonly type: ApiKeyType;
  readonly roles: readonly Role[];
  readonly scope: KeyScope;
  readonly expiresAt?: number | undefined;
}

/** Creates a key. Only this reply contains its text; the database stores a hash. */
export const createApiKey = (context: Context, fields: KeyFields) => write(context, (tx) => createApiKeyIn(tx, fields));

export async function createApiKeyIn(tx: RecordingTx, fields: KeyFields) {
  if (fields.scope.kind === 'account' && tx.actor.scope.kind !== 'account') throw new Problem('scope_too_wide');
  checkKeyScope(fields.type, fields.scope);
  checkExpiry(fields.expiresAt, tx.now);
  await requireReached(tx, fields.scope);
  const created = await insertNewKey(tx, tx.actor, fields);
  await tx.record({ ...entry('api_key.created', created.key), after: created.key });
  return created;
}

/** The projects and environments of the key may have been deleted meanwhile. */
async function requireReached(tx: Tx, scope: KeyScope): Promise<void> {
  if (scope.kind === 'account') return;
  await lockProject(tx, scope.projectId);
  if (scope.kind === 'project') return;
  const found = new Set((await listEnvironments(tx, scope.projectId, scope)).map((environment) => environment.id));
  const nameOrId = scope.environmentIds.find((id) => !found.has(id));
  if (nameOrId !== undefined) throw new Problem('environment_not_found', { nameOrId });
}

/** Part of commands that create keys. `text` is set only for the first admin key. */
export async function insertNewKey(tx: Tx, actor: Actor, fields: KeyFields, text = newKeyText(fields.type)) {
  const key: ApiKey = {
    ...fields,
    id: newId(),
    lastFour: text.slice(-4),
    createdAt: tx.now,
    createdBy: { type: actor.type, id: actor.id },
    lastUsedAt: undefined,
    expiresAt: fields.expiresAt,
  };
  await store.insertApiKey(tx, key, hashOf(text));
  return { key, text };
}

/** Changes the name of a key, or when it stops working. */
export const updateApiKey = (context: Context, id: string, update: ApiKeyUpdate) =>
  write(context, (tx) => updateApiKeyIn(tx, id, update));

export async function updateApiKeyIn(tx: RecordingTx, id: string, { name, expiresAt }: ApiKeyUpdate): Promise<ApiKey> {
  const before = await lockReached(tx, id);
  const after: ApiKey = {
    ...before,
    name: name ?? before.name,
    expiresAt: expiresAt === undefined ? before.expiresAt : (expiresAt ?? undefined),
  };
  if (equalJson(after, before)) return tx.unchanged(before);
  if (after.expiresAt !== before.expiresAt) checkExpiry(after.expiresAt, tx.now);
  await store.saveApiKey(tx, after);
  await tx.record({ ...entry('api_key.changed', after), before, after });
  return after;
}

/** Revokes a key by id or text, and removes it from access lists. It stops working with the commit. */
export const revokeApiKey = (context: Context, nameOrId: string) =>
  writeAlone(context, (tx) => revokeApiKeyIn(tx, nameOrId));

export async function revokeApiKeyIn(tx: AloneTx, nameOrId: string) {
  const key = await lockReached(tx, nameOrId);
  await removeGranteeIn(tx, { type: 'api_key', id: key.id });
  await deleteViewsOf(tx, key.id);
  await store.deleteApiKey(tx, key.id);
  await tx.record({ ...entry('api_key.revoked', key), before: key });
  return true as const;
}

/** By id or text, within what the actor reaches. */
async function lockReached(tx: RecordingTx, nameOrId: string): Promise<ApiKey> {
  const key = await store.lockApiKey(tx, { id: nameOrId, hash: hashOf(nameOrId) });
  const isReached = key && (key.scope.kind === 'account' || (await reaches(tx, tx.actor.scope, key.scope.projectId)));
  if (!key || !isReached) throw new Problem('api_key_not_found', { nameOrId });
  return key;
}

const entry = (action: Entry['action'], { id, name, scope }: ApiKey) => ({
  action,
  object: { type: 'api_key' as const, id, name },
  project: scope.kind === 'account' ? undefined : { id: scope.projectId },
});
