import sql, { bulk, empty, join, type Sql } from 'sql-template-tag';
import type { KeyScope, Role, Scope } from '#domain/access.ts';
import type { ApiKey, ApiKeyType } from '#domain/api-keys.ts';
import { scopeFilter } from './scope-filter.ts';
import type { Reader, Tx } from './sql.ts';

interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly type: ApiKeyType;
  readonly roles: string;
  readonly last_four: string;
  readonly project_id: string | null;
  readonly created_by_type: string;
  readonly created_by_id: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly expires_at: number | null;
}

const toApiKey = (row: ApiKeyRow, environmentIds: readonly string[]): ApiKey => ({
  id: row.id,
  name: row.name,
  type: row.type,
  roles: JSON.parse(row.roles) as Role[],
  scope: toScope(row.project_id, environmentIds),
  lastFour: row.last_four,
  createdAt: row.created_at,
  createdBy: { type: row.created_by_type, id: row.created_by_id },
  lastUsedAt: row.last_used_at ?? undefined,
  expiresAt: row.expires_at ?? undefined,
});

function toScope(projectId: string | null, environmentIds: readonly string[]): KeyScope {
  if (projectId === null) return { kind: 'account' };
  return environmentIds.length > 0
    ? { kind: 'environment', projectId, environmentIds }
    : { kind: 'project', projectId };
}

const columns = sql`
  id, name, type, roles, last_four, project_id, created_by_type, created_by_id, created_at, last_used_at,
  expires_at`;

/** The key whose text has this hash, unless it was revoked. It may have expired. */
export const findApiKeyByHash = (db: Reader, hash: string) => findApiKey(db, sql`hash = ${hash}`);

/** By id, within the scope. */
export const findApiKeyById = (db: Reader, id: string, scope: Scope = { kind: 'account' }) =>
  findApiKey(db, sql`id = ${id} and ${scopeFilter(scope, sql`api_keys.project_id`)}`);

/** Those that work now. */
export async function listApiKeysById(db: Reader, ids: readonly string[]): Promise<ApiKey[]> {
  if (ids.length === 0) return [];
  const wanted = join([...ids]);
  const rows = await db.all<ApiKeyRow>(sql`
    select ${columns} from api_keys
     where id in (${wanted}) and (expires_at is null or expires_at > ${db.clock()})`);
  return withEnvironments(db, rows, wanted);
}

/** By id, or by the hash of its text. Locks the row. */
export async function lockApiKey(tx: Tx, { id, hash }: { id: string; hash: string }): Promise<ApiKey | undefined> {
  return findApiKey(tx, sql`id = ${id} or hash = ${hash}`, tx.lock);
}

async function findApiKey(db: Reader, condition: Sql, lock: Sql = empty): Promise<ApiKey | undefined> {
  const row = await db.one<ApiKeyRow>(sql`select ${columns} from api_keys where ${condition} ${lock}`);
  if (!row) return undefined;
  // Most keys reach the whole account; they need one query, not two.
  const environments = row.project_id === null ? [] : await listEnvironmentIds(db, sql`${row.id}`);
  return toApiKey(
    row,
    environments.map((environment) => environment.environment_id),
  );
}

/** In order of creation. A narrower scope sees only the keys of its project. */
export async function listApiKeys(
  db: Reader,
  { scope, offset, limit }: { scope: Scope; offset: number; limit: number },
): Promise<ApiKey[]> {
  const page = (selected: Sql) => sql`
    select ${selected} from api_keys where ${scopeFilter(scope, sql`api_keys.project_id`)} order by created_at, id
     limit ${limit} offset ${offset}`;
  const rows = await db.all<ApiKeyRow>(page(columns));
  return withEnvironments(db, rows, page(sql`id`));
}

export async function countApiKeys(db: Reader, scope: Scope): Promise<number> {
  const row = await db.one<{ total: number }>(
    sql`select count(*) as total from api_keys where ${scopeFilter(scope, sql`api_keys.project_id`)}`,
  );
  return row?.total ?? 0;
}

/** The SDK keys of an environment, in order of creation. */
export async function listApiKeysOfEnvironment(db: Reader, environmentId: string): Promise<ApiKey[]> {
  const ids = sql`select api_key_id from api_key_environments where environment_id = ${environmentId}`;
  const rows = await db.all<ApiKeyRow>(sql`
    select ${columns} from api_keys where id in (${ids}) and type <> 'admin' order by created_at, id`);
  return withEnvironments(db, rows, ids);
}

/** Keys of every type that are restricted to the environment, in order of creation: ids sort by time. */
export async function listApiKeyIdsOfEnvironment(db: Reader, environmentId: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ api_key_id: string }>(sql`
    select api_key_id from api_key_environments where environment_id = ${environmentId} order by api_key_id limit ${limit}`);
  return rows.map((row) => row.api_key_id);
}

export async function insertApiKey(tx: Tx, key: ApiKey, hash: string): Promise<void> {
  const { scope } = key;
  await tx.run(sql`
    insert into api_keys (id, name, type, roles, hash, last_four, project_id, created_by_type, created_by_id, created_at,
                          expires_at)
    values (${key.id}, ${key.name}, ${key.type}, ${JSON.stringify(key.roles)}, ${hash}, ${key.lastFour},
            ${scope.kind === 'account' ? null : scope.projectId}, ${key.createdBy.type}, ${key.createdBy.id},
            ${key.createdAt}, ${key.expiresAt ?? null})`);
  tx.announce({ kind: 'api-keys' });
  if (scope.kind !== 'environment') return;
  await tx.run(sql`
    insert into api_key_environments (api_key_id, environment_id)
    values ${bulk(scope.environmentIds.map((environmentId) => [key.id, environmentId]))}`);
}

/** Name and expiry: nothing else of a key changes. */
export async function saveApiKey(tx: Tx, { id, name, expiresAt }: ApiKey): Promise<void> {
  await tx.run(sql`update api_keys set name = ${name}, expires_at = ${expiresAt ?? null} where id = ${id}`);
  tx.announce({ kind: 'api-keys' });
}

export async function deleteApiKey(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from api_keys where id = ${id}`);
  tx.announce({ kind: 'api-keys' });
}

/**
 * The admin keys among the ids that the scope sees or the project already lists, with their names. They are not deleted
 * before the commit.
 */
export async function lockAdminKeyNames(
  tx: Tx,
  ids: readonly string[],
  { scope, projectId }: { scope: Scope; projectId: string },
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.all<{ id: string; name: string }>(sql`
    select id, name from api_keys
     where id in (${join([...ids])}) and type = 'admin'
       and (${scopeFilter(scope, sql`api_keys.project_id`)}
            or exists (select 1 from project_viewers v where v.project_id = ${projectId}
                          and v.viewer_type = 'api_key' and v.viewer_id = api_keys.id)
            or exists (select 1 from project_editors t where t.project_id = ${projectId}
                          and t.editor_type = 'api_key' and t.editor_id = api_keys.id)
            or exists (select 1 from environments e join environment_grants g on g.environment_id = e.id
                        where e.project_id = ${projectId} and g.grantee_type = 'api_key' and g.grantee_id = api_keys.id))
     order by id ${tx.keep}`);
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** Bookkeeping, so no audit entry. */
export const saveLastUsed = (tx: Tx, id: string) =>
  tx.run(sql`update api_keys set last_used_at = ${tx.now} where id = ${id}`);

/** `ids` selects the ids of the rows: a statement can bind 32,766 values, and there may be more keys. */
async function withEnvironments(db: Reader, rows: readonly ApiKeyRow[], ids: Sql): Promise<ApiKey[]> {
  const environments = Map.groupBy(await listEnvironmentIds(db, ids), (one) => one.api_key_id);
  return rows.map((row) =>
    toApiKey(
      row,
      (environments.get(row.id) ?? []).map((one) => one.environment_id),
    ),
  );
}

const listEnvironmentIds = (db: Reader, keyIds: Sql) =>
  db.all<{ api_key_id: string; environment_id: string }>(sql`
    select api_key_id, environment_id from api_key_environments where api_key_id in (${keyIds})
     order by api_key_id, environment_id`);
