import { createApiKey, revokeApiKey, updateApiKey } from '#commands/api-keys.ts';
import * as contract from '#contract/api-keys.ts';
import type { Actor, KeyScope } from '#domain/access.ts';
import { type NewApiKey, rolesOf, toApiKeySummary } from '#domain/api-keys.ts';
import { Problem, refuse } from '#domain/problems.ts';
import { countApiKeys, findApiKeyById, listApiKeys } from '#store/api-keys.ts';
import type { Reader } from '#store/sql.ts';
import { offsetPage } from '../paging/offset.ts';
import { implement } from '../pipeline/implement.ts';
import { resolveEnvironments, resolveProject } from '../pipeline/resolve.ts';

export const apiKeys = (db: Reader, accountId: string) =>
  implement(contract, {
    createApiKey: async ({ actor, context, body }) => {
      const scope = await scopeOf(db, actor, body);
      const fields = { name: body.name, type: body.apiKeyType, roles: rolesOf(body), scope, expiresAt: body.expiresAt };
      const { key, text } = await createApiKey(context, fields);
      return { ...toApiKeySummary(key, accountId), key: text };
    },
    listApiKeys: async ({ actor: { scope }, query }) =>
      offsetPage(query, contract.listApiKeys.pageSize, {
        list: async (page) => (await listApiKeys(db, { scope, ...page })).map((key) => toApiKeySummary(key, accountId)),
        count: () => countApiKeys(db, scope),
      }),
    getApiKey: async ({ actor: { scope }, params }) => {
      const key = await findApiKeyById(db, params.key, scope);
      if (!key) throw new Problem('api_key_not_found', { nameOrId: params.key });
      return toApiKeySummary(key, accountId);
    },
    updateApiKey: async ({ context, params, body }) =>
      toApiKeySummary(await updateApiKey(context, params.key, body), accountId),
    revokeApiKey: async ({ context, params }) => revokeApiKey(context, params.key),
  });

/** Project and environments by id or name. The actor must reach all of them. */
async function scopeOf(db: Reader, actor: Actor, { workspace, environments }: NewApiKey): Promise<KeyScope> {
  const named = [...new Set((environments ?? []).map((environment) => environment.id))];
  if (!workspace) {
    refuse('api_key_invalid', named.length > 0 ? ['environments need a workspace'] : []);
    return { kind: 'account' };
  }
  const project = await resolveProject(db, actor, workspace.id);
  if (named.length === 0) return { kind: 'project', projectId: project.id };
  const found = await resolveEnvironments(db, actor, project, named);
  return { kind: 'environment', projectId: project.id, environmentIds: [...new Set(found.map((one) => one.id))] };
}
