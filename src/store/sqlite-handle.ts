import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Sql } from 'sql-template-tag';
import { isWorthKeeping, Refused } from './sql.ts';

/** A connection to a file of SQLite, with its prepared statements. */
export class Handle {
  readonly #database: DatabaseSync;
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
    if (known) return known;
    const statement = this.#database.prepare(text);
    if (isWorthKeeping(query)) this.#statements.set(text, statement);
    return statement;
  }

  /** SQLite names the columns of the unique index that refused; we want the index's name. */
  #asRefused(error: unknown): Refused | undefined {
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
    return index && new Refused(index.name);
  }
}

const bound = (query: Sql): SQLInputValue[] =>
  query.values.map((value) => (typeof value === 'boolean' ? Number(value) : (value as SQLInputValue)));
