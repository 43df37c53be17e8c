/** The file of SQLite as it is at this moment. Writers go on: in a write-ahead log they do not touch what we read. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Sql } from 'sql-template-tag';
import { OperatorError } from '#domain/operator.ts';
import type { Snapshot } from '../sql.ts';

/** A server that recovers or changes the schema holds the file for a moment. */
const busyTimeoutMs = 5_000;

/** Throws a plain sentence when it cannot be read. The file must exist: opening would make it. */
export function openSqliteSnapshot(file: string): Snapshot {
  let database: DatabaseSync | undefined;
  try {
    // Else closing it would move into the file what a crash left in the log.
    database = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true });
    database.exec('begin');
    // The moment is that of the first look.
    database.prepare('select count(*) from sqlite_schema').get();
  } catch (error) {
    database?.close();
    throw new OperatorError(`The database file ${file} cannot be read: ${(error as Error).message}`);
  }
  return new SqliteSnapshot(database);
}

class SqliteSnapshot implements Snapshot {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  clock(): number {
    return Date.now();
  }

  async one<Row>(query: Sql): Promise<Row | undefined> {
    return (await this.all<Row>(query))[0];
  }

  async all<Row>(query: Sql): Promise<Row[]> {
    return this.#database.prepare(query.sql).all(...(query.values as SQLInputValue[])) as Row[];
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}
