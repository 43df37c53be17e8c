/** How the part of the account that an actor reaches becomes a condition on rows. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import type { Reader } from './sql.ts';

/** The column holds the id of a project that the scope reaches. Name its table: the condition reads `projects` as well. */
export function scopeFilter(scope: Scope, column: Sql): Sql {
  if (scope.kind === 'account') {
    // What is of no project, or of one that is gone, is of the account.
    return scope.viewerKeyId === undefined
      ? sql`1 = 1`
      : sql`not exists (select 1 from projects p where p.id = ${column} and ${closedTo(scope.viewerKeyId)})`;
  }
  if (scope.kind !== 'member') return sql`${column} = ${scope.projectId}`;
  return sql`exists (select 1 from projects p where p.id = ${column} and ${openTo(scope.userId)})`;
}

/** The project `p` is open to everybody, or lists the user or one of the user's groups. */
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

/** The column holds the id of an environment that the scope reaches, once its project is reached. */
export const environmentScopeFilter = (scope: Scope, column: Sql): Sql =>
  scope.kind === 'environment' ? sql`${column} in (${join([...scope.environmentIds])})` : sql`1 = 1`;

/** Whether the scope reaches the project now. */
export async function reaches(db: Reader, scope: Scope, projectId: string): Promise<boolean> {
  if (scope.kind === 'project' || scope.kind === 'environment') return scope.projectId === projectId;
  if (scope.kind === 'account' && scope.viewerKeyId === undefined) return true;
  return (
    (await db.one(sql`select 1 from projects where id = ${projectId} and ${scopeFilter(scope, sql`projects.id`)}`)) !==
    undefined
  );
}

/** The ids of the projects that are open to the person. */
export async function listProjectIdsOfUser(db: Reader, userId: string): Promise<string[]> {
  // As a union, each part of which an index finds: restricted projects that the person does not see are not looked at.
  const rows = await db.all<{ id: string }>(sql`
    select id from projects where is_restricted = false
    union
    select project_id from project_viewers where viewer_id = ${userId} and viewer_type = 'user'
    union
    select v.project_id from memberships m join project_viewers v on v.viewer_id = m.group_id
     where m.user_id = ${userId} and v.viewer_type = 'group'`);
  return rows.map((row) => row.id);
}

/** The names of all projects and environments by their ids, for a list that shows where keys hold. */
export async function listPlaceNames(db: Reader): Promise<Map<string, string>> {
  const rows = await db.all<{ id: string; name: string }>(sql`
    select id, name from projects union all select id, name from environments`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
