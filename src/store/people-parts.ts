/** Divides people for statements that look at each of them: on SQLite, a statement blocks the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { empty, type Sql } from 'sql-template-tag';
import type { Position, Reader } from './sql.ts';

/**
 * The first people that a statement finds, in order of invitation. It is asked about one part after the other: a
 * condition on a user `u`, and how many are still wanted.
 */
export async function findFirstPeople<Row>(
  db: Reader,
  limit: number,
  find: (part: Sql, wanted: number) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let after: Position = { at: -1, id: '' }; ; ) {
    const rest = sql`(u.created_at, u.id) > (${after.at}, ${after.id})`;
    const end = Number.isFinite(db.rowsPerTurn) ? await findEnd(db, rest) : undefined;
    const part = sql`${rest} ${end ? sql`and (u.created_at, u.id) <= (${end.at}, ${end.id})` : empty}`;
    found.push(...(await find(part, limit - found.length)));
    if (!end || found.length >= limit) return found;
    after = end;
    await nextTurn();
  }
}

const findEnd = (db: Reader, rest: Sql) =>
  db.one<Position>(sql`
    select u.created_at as at, u.id from users u where ${rest}
     order by u.created_at, u.id limit 1 offset ${db.rowsPerTurn - 1}`);
