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
      : sql`not exists (select 1 from projects p
                         where p.id = ${column} and not ${isOpenTo({ type: 'api_key', id: sql`${scope.viewerKeyId}` })})`;
  }
  if (scope.kind !== 'member') return sql`${column} = ${scope.projectId}`;
  const user = { type: 'user', id: sql`${scope.userId}` } as const;
  return sql`exists (select 1 from projects p where p.id = ${column} and ${isOpenTo(user)})`;
}

/** A user or a key. The id is a value or a column. */
export interface Listed {
  readonly type: 'user' | 'api_key';
  readonly id: Sql;
}

/** The project `p` is unrestricted, or its list of viewers names them. */
export const isOpenTo = (who: Listed): Sql => sql`(p.is_restricted = false or ${isViewer(who)})`;

/** The list of viewers of the project `p` names them. */
export const isViewer = (who: Listed): Sql =>
  isOnList(sql`select v.viewer_type as type, v.viewer_id as id from project_viewers v where v.project_id = p.id`, who);

/** The list, a select of `type` and `id`, names them or one of the user's groups. */
export function isOnList(list: Sql, { type, id }: Listed): Sql {
  const isNamed = sql`exists (select 1 from (${list}) l where l.type = ${type} and l.id = ${id})`;
  if (type === 'api_key') return isNamed;
  return sql`(
    ${isNamed}
    or exists (select 1 from memberships m join (${list}) l on l.id = m.group_id
                where m.user_id = ${id} and l.type = 'group'))`;
}

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
