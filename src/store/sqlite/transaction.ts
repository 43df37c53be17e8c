/** A transaction of the embedded database, as commands see it: on the writer's connection, in a savepoint of its own. */
import { empty, type Sql } from 'sql-template-tag';
import { encodeNotice, type Notice } from '../notices.ts';
import type { DefinitionTag, RootTx, SchemaTx } from '../sql.ts';
import type { Touched } from './commits.ts';
import type { Connection } from './connection.ts';

/** What a transaction says of itself. */
export class Announcements {
  readonly #notices = new Map<string, Notice>();
  #tags: Set<DefinitionTag> | undefined;

  announce(notice: Notice): void {
    this.#notices.set(encodeNotice(notice), notice);
  }

  touches(tag: DefinitionTag | 'nothing'): void {
    this.#tags ??= new Set();
    if (tag !== 'nothing') this.#tags.add(tag);
  }

  get notices(): Notice[] {
    return [...this.#notices.values()];
  }

  get touched(): Touched {
    return this.#tags ?? 'everything';
  }
}

export class SqliteTx implements RootTx, SchemaTx {
  readonly now: number;
  /** The queue of writers is the lock. */
  readonly lock = empty;
  readonly keep = empty;
  readonly skipLocked = empty;
  readonly #handle: Connection;
  readonly #said: Announcements;

  constructor(handle: Connection, now: number, said: Announcements) {
    this.#handle = handle;
    this.now = now;
    this.#said = said;
  }

  clock(): number {
    return this.now;
  }

  async one<Row>(query: Sql): Promise<Row | undefined> {
    return this.#handle.one<Row>(query);
  }

  async all<Row>(query: Sql): Promise<Row[]> {
    return this.#handle.all<Row>(query);
  }

  async run(query: Sql): Promise<number> {
    return this.#handle.run(query);
  }

  announce(notice: Notice): void {
    this.#said.announce(notice);
  }

  touches(tag: DefinitionTag | 'nothing'): void {
    this.#said.touches(tag);
  }

  async define(statement: string): Promise<void> {
    this.#handle.exec(statement);
  }
}
