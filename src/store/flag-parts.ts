/** Divides the flags of a project for statements that look at each of them: on SQLite, a statement blocks the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { type Sql } from 'sql-template-tag';
import type { Position, Reader } from './sql.ts';

/** The flags of a project that are archived, or those that are not. */
export interface FlagRange {
  readonly projectId: string;
  readonly isArchived: boolean;
}

/** Conditions on a flag `f`, in order of creation. Each flag meets one. */
export async function listFlagParts(db: Reader, range: FlagRange): Promise<Sql[]> {
  const parts: Sql[] = [];
  for (let after: Position | undefined; ; ) {
    const rest = flagsAfter(range, after);
    const end = Number.isFinite(db.rowsPerTurn) ? await findEnd(db, rest) : undefined;
    if (!end) return [...parts, rest];
    parts.push(sql`${rest} and (f.created_at, f.id) <= (${end.at}, ${end.id})`);
    after = end;
    await nextTurn();
  }
}

/** The condition that a flag `f` is one of them. */
export const flagsOf = ({ projectId, isArchived }: FlagRange) =>
  sql`f.project_id = ${projectId} and ${isArchived ? sql`f.archived_at is not null` : sql`f.archived_at is null`}`;

/** Always with a position: without one, SQLite may take an index that has archived and other flags together. */
export const flagsAfter = (range: FlagRange, { at, id }: Position = { at: -1, id: '' }) =>
  sql`${flagsOf(range)} and (f.created_at, f.id) > (${at}, ${id})`;

const findEnd = (db: Reader, rest: Sql) =>
  db.one<Position>(sql`
    select f.created_at as at, f.id from flags f where ${rest}
     order by f.created_at, f.id limit 1 offset ${db.rowsPerTurn - 1}`);

/** What a statement finds in each part, one after the other. */
export async function inEachPart<Found>(parts: readonly Sql[], find: (part: Sql) => Promise<Found>): Promise<Found[]> {
  const found: Found[] = [];
  for (const part of parts) {
    await nextTurn();
    found.push(await find(part));
  }
  return found;
}
