import sql, { join, type Sql } from 'sql-template-tag';
import { partsOf } from './parts.ts';
import type { Reader } from './sql.ts';

/** The flags of a project that are archived, or those that are not. */
export interface FlagRange {
  readonly projectId: string;
  readonly isArchived: boolean;
}

/** The condition that a flag `f` is one of them. */
export const flagsOf = ({ projectId, isArchived }: FlagRange) =>
  sql`f.project_id = ${projectId} and ${isArchived ? sql`f.archived_at is not null` : sql`f.archived_at is null`}`;

/** Conditions on a flag `f`, in order of creation. Each flag meets one. */
export async function listFlagParts(db: Reader, range: FlagRange): Promise<Sql[]> {
  const columns = [sql`f.created_at`, sql`f.id`];
  const parts: Sql[] = [];
  for await (const part of partsOf(db, { from: sql`flags f`, where: flagsOf(range), columns, start: beforeAll }))
    parts.push(part);
  return parts;
}

const beforeAll = [-1, ''];

/** The archived flags of a project. Without the position, SQLite takes an index of all its flags. */
export const archivedFlags = (projectId: string) => sql`
  select f.id from flags f
   where ${flagsOf({ projectId, isArchived: true })} and (f.created_at, f.id) > (${join(beforeAll)})`;
