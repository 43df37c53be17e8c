/** Divides statements that go through many rows: on SQLite, a statement blocks the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Reader } from './sql.ts';

/** Rows in an order that an index has. */
interface OrderedRows {
  readonly from: Sql;
  readonly where: Sql;
  /** Together unique. */
  readonly columns: readonly Sql[];
  readonly order?: 'asc' | 'desc';
  /** Values before those of the first row. With them, SQLite takes this index even if others serve the condition. */
  readonly start?: Place;
}

/** The values of the columns in one row. */
type Place = readonly (string | number)[];

/** Conditions of which each row meets one, in the order of the rows. Others get a turn in between. */
export async function* partsOf(db: Reader, rows: OrderedRows): AsyncGenerator<Sql, void> {
  const upTo = rows.order === 'desc' ? sql`>=` : sql`<=`;
  for (let last = rows.start; ; ) {
    const rest = restAfter(rows, last);
    last = Number.isFinite(db.rowsPerTurn) ? await findEnd(db, rows, rest) : undefined;
    if (!last) return yield rest;
    yield sql`${rest} and ${placeIn(rows)} ${upTo} (${join([...last])})`;
    await letOthersRead(db);
  }
}

/** The condition for what is left after the rows that a page skips, and how many it skips of that. */
export async function skipRows(db: Reader, rows: OrderedRows, offset: number): Promise<{ rest: Sql; left: number }> {
  let rest = restAfter(rows, rows.start);
  for (let left = offset; ; left -= db.rowsPerTurn) {
    const last = left > db.rowsPerTurn ? await findEnd(db, rows, rest) : undefined;
    if (!last) return { rest, left };
    rest = restAfter(rows, last);
    await letOthersRead(db);
  }
}

/** A transaction does so itself, and no more often than it needs: all other writers wait for it. */
const letOthersRead = async (db: Reader): Promise<void> => {
  if (!('run' in db)) await nextTurn();
};

const placeIn = ({ columns }: OrderedRows) => sql`(${join([...columns])})`;

const restAfter = (rows: OrderedRows, last: Place | undefined) =>
  last
    ? sql`${rows.where} and ${placeIn(rows)} ${rows.order === 'desc' ? sql`<` : sql`>`} (${join([...last])})`
    : rows.where;

/** The last of as many rows as one statement should go through; undefined if there are not so many. */
async function findEnd(
  db: Reader,
  { from, columns, order = 'asc' }: OrderedRows,
  rest: Sql,
): Promise<Place | undefined> {
  const by = join(columns.map((column) => sql`${column} ${raw(order)}`));
  const row = await db.one<Record<string, string | number>>(sql`
    select ${join([...columns])} from ${from} where ${rest} order by ${by} limit 1 offset ${db.rowsPerTurn - 1}`);
  return row && Object.values(row);
}

/** What a statement finds in each part, one after the other. */
export async function inEachPart<Found>(
  parts: Iterable<Sql> | AsyncIterable<Sql>,
  find: (part: Sql) => Promise<Found>,
): Promise<Found[]> {
  const found: Found[] = [];
  for await (const part of parts) {
    found.push(await find(part));
    await nextTurn();
  }
  return found;
}

/** The number of rows in all parts. */
export async function totalInParts(
  db: Reader,
  parts: Iterable<Sql> | AsyncIterable<Sql>,
  rows: (part: Sql) => Sql,
): Promise<number> {
  const counted = await inEachPart(parts, (part) =>
    db.one<{ total: number }>(sql`select count(*) as total from ${rows(part)}`),
  );
  return counted.reduce((sum, part) => sum + (part?.total ?? 0), 0);
}
