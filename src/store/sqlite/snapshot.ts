/** A SQLite file at one moment. Writers continue: with a write-ahead log they do not change what we read. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Sql } from 'sql-template-tag';
import { OperatorError } from '#domain/operator.ts';
import type { Snapshot } from '../sql.ts';
import { rowsPerTurn } from './connection.ts';

/** A server that recovers or changes the schema locks the file briefly. */
const busyTimeoutMs = 5_000;

/** Throws an OperatorError if the file cannot be read. It must exist, because opening would create it. */
export function openSqliteSnapshot(file: string): Snapshot {
  let database: DatabaseSync | undefined;
  try {
    // Otherwise closing would move what a crash left in the log into the file.
    database = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true });
    database.exec('begin');
    // The snapshot is taken by the first read.
    database.prepare('select count(*) from sqlite_schema').get();
  } catch (error) {
    database?.close();
    throw new OperatorError(`The database file ${file} cannot be read: ${(error as Error).message}`);
  }
  return new SqliteSnapshot(database);
}

class SqliteSnapshot implements Snapshot {
  readonly rowsPerTurn = rowsPerTurn;
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
