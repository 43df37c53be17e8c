import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Sql } from 'sql-template-tag';
import { isWorthKeeping, UniqueViolation, unavailable } from '../sql.ts';

/** The least recently used statement is evicted. Burgee has about 200; filters add variants. */
const maxStatements = 500;

/** What a statement goes through in about 3 ms. */
export const rowsPerTurn = 2_000;

/** A connection to a SQLite file, with its prepared statements. */
export class Connection {
  readonly #database: DatabaseSync;
  /** Least recently used first. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, busyTimeoutMs: number) {
    this.#database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  one<Row>(query: Sql): Row | undefined {
    return this.#prepare(query).get(...bound(query)) as Row | undefined;
  }

  all<Row>(query: Sql): Row[] {
    return this.#prepare(query).all(...bound(query)) as Row[];
  }

  run(query: Sql): number {
    try {
      return Number(this.#prepare(query).run(...bound(query)).changes);
    } catch (error) {
      throw this.#asRefused(error) ?? error;
    }
  }

  exec(script: string): void {
    this.#database.exec(script);
  }

  close(): void {
    this.#database.close();
  }

  #prepare(query: Sql): StatementSync {
    const text = query.sql;
    const known = this.#statements.get(text);
    const statement = known ?? this.#database.prepare(text);
    if (!isWorthKeeping(query)) return statement;
    if (known) this.#statements.delete(text);
    else if (this.#statements.size >= maxStatements) this.#forgetOldest();
    this.#statements.set(text, statement);
    return statement;
  }

  #forgetOldest(): void {
    for (const oldest of this.#statements.keys()) {
      this.#statements.delete(oldest);
      return;
    }
  }

  /** SQLite reports the columns of the violated unique index; this finds the index's name. */
  #asRefused(error: unknown): UniqueViolation | undefined {
    const columns = /^UNIQUE constraint failed: (.+)$/.exec((error as Error).message)?.[1];
    if (!columns) return undefined;
    const table = columns.slice(0, columns.indexOf('.'));
    const index = this.#database
      .prepare(
        `select list.name from pragma_index_list(?) as list
          where list."unique" = 1
            and (select group_concat(? || '.' || info.name, ', ' order by info.seqno)
                   from pragma_index_info(list.name) as info) = ?`,
      )
      .get(table, table, columns) as { name: string } | undefined;
    return index && new UniqueViolation(index.name);
  }
}

const bound = (query: Sql): SQLInputValue[] =>
  query.values.map((value) => (typeof value === 'boolean' ? Number(value) : (value as SQLInputValue)));

/** SQLite's primary result codes. */
const busy = 5;
/** I/O error, damaged, cannot open, no database. */
const down: ReadonlySet<number> = new Set([10, 11, 14, 26]);
/** Read-only, disk full. */
const refusing: ReadonlySet<number> = new Set([8, 13]);
const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) % 256;

/** Another process holds the write lock. */
export const isBusy = (error: unknown): boolean => codeOf(error) === busy;

/** The disk fails, the file is damaged, or it is not there to be opened. */
export const isDown = (error: unknown): boolean => down.has(codeOf(error));

/** For reads: turns errors of the disk or the file into `unavailable`, and rethrows everything else. */
export function refuseDown(error: unknown): never {
  throw isDown(error) ? unavailable(error) : error;
}

/** For writes: the same. The request is fine and may succeed later. */
export function refuseDiskError(error: unknown): never {
  throw isDown(error) || refusing.has(codeOf(error)) ? unavailable(error) : error;
}
