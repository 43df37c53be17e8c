/** How the part of the account that an actor reaches becomes a condition on rows. */
import sql, { join, type Sql } from 'sql-template-tag';
import { projectIdsOf, type Scope } from '#domain/access.ts';

/** The column holds the id of a project that the scope reaches. */
export function within(scope: Scope, column: Sql): Sql {
  if (scope.kind === 'account') return sql`1 = 1`;
  const ids = projectIdsOf(scope);
  return ids.length === 0 ? sql`1 = 0` : sql`${column} in (${join([...ids])})`;
}
