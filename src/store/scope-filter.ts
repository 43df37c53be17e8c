/** Turns an actor's scope into SQL conditions. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import type { Reader } from './sql.ts';

/**
 * The column holds the id of a project in the scope. Qualify it with its table, because the condition also reads
 * `projects`.
 */
export function scopeFilter(scope: Scope, column: Sql): Sql {
  if (scope.kind === 'account') {
    // Rows of no project, or of a deleted one, belong to the account.
    return scope.viewerKeyId === undefined
      ? sql`1 = 1`
      : sql`not exists (select 1 from projects p where p.id = ${column} and ${closedTo(scope.viewerKeyId)})`;
  }
  if (scope.kind !== 'member') return sql`${column} = ${scope.projectId}`;
  return sql`exists (select 1 from projects p where p.id = ${column} and ${openTo(scope.userId)})`;
}

/** The project `p` is unrestricted, or lists the user or one of the user's groups. */
const openTo = (userId: string): Sql => sql`(
  p.is_restricted = false
  or exists (select 1 from project_viewers v
              where v.project_id = p.id and v.viewer_type = 'user' and v.viewer_id = ${userId})
  or exists (select 1 from memberships m join project_viewers v on v.viewer_id = m.group_id
              where m.user_id = ${userId} and v.project_id = p.id and v.viewer_type = 'group'))`;

/** The project `p` is restricted and does not list the key. */
const closedTo = (keyId: string): Sql => sql`(
  p.is_restricted = true
  and not exists (select 1 from project_viewers v
                   where v.project_id = p.id and v.viewer_type = 'api_key' and v.viewer_id = ${keyId}))`;

/** The column holds the id of an environment in the scope. The project must be checked separately. */
export const environmentScopeFilter = (scope: Scope, column: Sql): Sql =>
  scope.kind === 'environment' ? sql`${column} in (${join([...scope.environmentIds])})` : sql`1 = 1`;

/** Whether the project is in the scope now. */
export async function reaches(db: Reader, scope: Scope, projectId: string): Promise<boolean> {
  if (scope.kind === 'project' || scope.kind === 'environment') return scope.projectId === projectId;
  if (scope.kind === 'account' && scope.viewerKeyId === undefined) return true;
  return (
    (await db.one(sql`select 1 from projects where id = ${projectId} and ${scopeFilter(scope, sql`projects.id`)}`)) !==
    undefined
  );
}

/** The names of all projects and environments by id, for lists that show the scopes of keys. */
export async function listPlaceNames(db: Reader): Promise<Map<string, string>> {
  const rows = await db.all<{ id: string; name: string }>(sql`
    select id, name from projects union all select id, name from environments`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
