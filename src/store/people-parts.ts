import sql, { type Sql } from 'sql-template-tag';
import { partsOf } from './parts.ts';
import type { Reader } from './sql.ts';

const everyone = { from: sql`users u`, where: sql`1 = 1`, columns: [sql`u.created_at`, sql`u.id`], start: [-1, ''] };

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
  for await (const part of partsOf(db, everyone)) {
    found.push(...(await find(part, limit - found.length)));
    if (found.length >= limit) break;
  }
  return found;
}
