/** Operations that only SQLite files need. */
import { DatabaseSync } from 'node:sqlite';
import { raw } from 'sql-template-tag';
import type { Reader } from '../sql.ts';

/** The database file, and the files that SQLite keeps beside it. */
export const fileEndings = ['', '-wal', '-shm', '-journal'];

/** The names of the tables, in order. */
export async function listTables(db: Reader): Promise<string[]> {
  const rows = await db.all<{ name: string }>(raw(`select name from sqlite_schema where type = 'table' order by name`));
  return rows.map(({ name }) => name);
}

/** Afterwards the file is complete without a log, and can be read from read-only media. */
export function endWriteAheadLog(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('pragma journal_mode = delete');
  } finally {
    database.close();
  }
}

/** Damaged pages, indexes and references, one sentence each, a handful at most. */
export async function listDamages(db: Reader): Promise<string[]> {
  const pages = await db.all<{ integrity_check: string }>(raw('pragma integrity_check(5)'));
  const references = await db.all<{ table: string; parent: string }>(raw('pragma foreign_key_check'));
  return [
    ...pages.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
    ...references
      .slice(0, 5)
      .map(({ table, parent }) => `a row of ${table} refers to one of ${parent} that is not there`),
  ];
}
