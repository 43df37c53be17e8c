/**
 * Copies everything from one database to another, of either kind.
 *
 * Invariants
 * 1. Rows are read and written in key order, which both databases compare by bytes. So an interrupted copy has the
 *    first rows of a table, and can be resumed after them.
 * 2. A target is marked from the first row until verification ends. A marked database can be opened only by a copy from
 *    the same source.
 */
import { createHash } from 'node:crypto';
import sql, { bulk, empty, join, raw, type Sql } from 'sql-template-tag';
import { copyMark, ownMigrations } from '#store/migrate.ts';
import type { Reader, Store } from '#store/sql.ts';

interface Table {
  readonly name: string;
  /** Identifies and orders the rows. */
  readonly key: readonly string[];
}

/** All tables of the migrations that are still there, in order of creation: each refers only to earlier ones. */
export const tables: readonly Table[] = tablesMadeBy(ownMigrations().flatMap(({ statements }) => statements));

function tablesMadeBy(statements: readonly string[]): Table[] {
  return statements.flatMap((statement) => {
    const [, name] = /^create table (\w+)/.exec(statement) ?? [];
    if (name === undefined || statements.includes(`drop table ${name}`)) return [];
    return [{ name, key: keyColumns(name, statement, statements) }];
  });
}

/** The primary key, or the first unique index of a table that has none. */
function keyColumns(name: string, table: string, statements: readonly string[]): string[] {
  const unique = new RegExp(`^create unique index \\w+ on ${name} \\((.+)\\)$`);
  const [columns] = [
    /^ +primary key \((.+)\)/m.exec(table),
    /^ +(\w+) .*primary key/m.exec(table),
    ...statements.map((statement) => unique.exec(statement)),
  ].flatMap((found) => found?.[1] ?? []);
  if (columns === undefined) throw new Error(`the table ${name} has no key in whose order it can be copied`);
  return columns.split(', ');
}

type Row = Readonly<Record<string, string | number | boolean | null>>;

export const markCopy = (to: Store, accountId: string) =>
  to.write((tx) => tx.run(sql`insert into migrations (name, applied_at) values (${copyMark + accountId}, ${tx.now})`));

export const unmarkCopy = (to: Store, accountId: string) =>
  to.write((tx) => tx.run(sql`delete from migrations where name = ${copyMark + accountId}`));

/** The first table with rows, if any. */
export async function findUsedTable(db: Reader): Promise<string | undefined> {
  for (const { name } of tables) {
    if (await db.one(sql`select 1 from ${raw(name)} limit 1`)) return name;
  }
  return undefined;
}

/** Deletes everything, in steps, because a PostgreSQL transaction has eight seconds. Only for the target of a copy. */
export async function emptyTables(to: Store): Promise<void> {
  for (const table of tables.toReversed()) {
    for (let last: Row | undefined; ; ) {
      const end = await to.one<Row>(nthRowAfter(table, last, maxRows));
      const until = end ? sql`where ${compared(table, '<=', end)}` : empty;
      await to.write((tx) => tx.run(sql`delete from ${raw(table.name)} ${until}`));
      if (!end) break;
      last = end;
    }
  }
}

export async function countRows(db: Reader, { name }: Table): Promise<number> {
  return (await db.one<{ total: number }>(sql`select count(*) as total from ${raw(name)}`))?.total ?? 0;
}

export interface CopyOptions {
  readonly table: Table;
  /** Called after each part with the number of rows that the target has. */
  readonly onProgress: OnProgress;
  /** Gets every row that is copied. */
  readonly sum?: Sum;
}

export async function copyTable(from: Reader, to: Store, { table, onProgress, sum }: CopyOptions): Promise<void> {
  let done = await countRows(to, table);
  for await (const rows of pagesOf(from, table, await lastRow(to, table))) {
    const columns = Object.keys(rows[0] ?? {});
    await to.write((tx) =>
      tx.run(sql`
        insert into ${raw(table.name)} (${raw(columns.join(', '))})
        values ${bulk(rows.map((row) => columns.map((column) => row[column])))}`),
    );
    sum?.add(rows);
    done += rows.length;
    onProgress(done);
  }
}

export type OnProgress = (rows: number) => void;

/** Of the rows that were added, in their order. */
export interface Sum {
  add(rows: readonly Row[]): void;
  end(): { readonly rows: number; readonly checksum: string };
}

/** The number of rows and a checksum, equal for equal tables in either database. */
export function startSum(): Sum {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add: (rows) => {
      for (const row of rows) hash.update(`${canonical(row)}\n`);
      count += rows.length;
    },
    end: () => ({ rows: count, checksum: hash.digest('hex') }),
  };
}

/** The sum of a table. With `limit`: of its first rows. */
export async function sumOf(
  db: Reader,
  table: Table,
  onProgress: OnProgress,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ rows: number; checksum: string }> {
  const sum = startSum();
  let count = 0;
  for await (const page of pagesOf(db, table, undefined)) {
    const rows = page.slice(0, limit - count);
    sum.add(rows);
    count += rows.length;
    onProgress(count);
    if (count === limit) break;
  }
  return sum.end();
}

/** The databases differ in column order and in the type of booleans. */
const canonical = (row: Row): string =>
  JSON.stringify(
    Object.keys(row)
      .sort()
      .map((column) => [column, typeof row[column] === 'boolean' ? Number(row[column]) : row[column]]),
  );

async function lastRow(db: Reader, { name, key }: Table): Promise<Row | undefined> {
  const descending = key.map((column) => `${column} desc`).join(', ');
  return db.one<Row>(sql`select * from ${raw(name)} order by ${raw(descending)} limit 1`);
}

const maxRows = 500;
/** Definitions and audit entries can be large: a part must fit into memory many times over. */
const wantedCharacters = 4_000_000;

async function* pagesOf(db: Reader, table: Table, start: Row | undefined): AsyncGenerator<Row[]> {
  let last = start;
  // The size of rows is unknown until one was read, so parts grow step by step.
  let limit = 1;
  for (;;) {
    const rows = await db.all<Row>(pageAfter(table, last, limit));
    if (rows.length === 0) return;
    yield rows;
    last = rows.at(-1);
    const charactersEach = rows.reduce((sum, row) => sum + sizeOf(row), 0) / rows.length;
    limit = Math.max(1, Math.min(maxRows, 2 * limit, Math.floor(wantedCharacters / charactersEach)));
  }
}

const sizeOf = (row: Row): number => Object.values(row).reduce<number>((sum, value) => sum + String(value).length, 0);

function pageAfter(table: Table, last: Row | undefined, limit: number): Sql {
  const behind = last ? sql`where ${compared(table, '>', last)}` : empty;
  return sql`select * from ${raw(table.name)} ${behind} order by ${keyOf(table)} limit ${limit}`;
}

/** Only its key. */
function nthRowAfter(table: Table, last: Row | undefined, count: number): Sql {
  const behind = last ? sql`where ${compared(table, '>', last)}` : empty;
  return sql`
    select ${keyOf(table)} from ${raw(table.name)} ${behind} order by ${keyOf(table)} limit 1 offset ${count - 1}`;
}

const keyOf = ({ key }: Table): Sql => raw(key.join(', '));

const compared = (table: Table, comparison: '>' | '<=', row: Row): Sql =>
  sql`(${keyOf(table)}) ${raw(comparison)} (${join(table.key.map((column) => row[column]))})`;
