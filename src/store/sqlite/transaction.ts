/** A transaction of the embedded database: the first of a group, or a savepoint on the writer's connection. */
import { setImmediate as nextRound } from 'node:timers/promises';
import sql, { empty, type Sql } from 'sql-template-tag';
import { encodeNotice, type Notice } from '../notices.ts';
import type { DefinitionTag, RootTx, SchemaTx } from '../sql.ts';
import type { Touched } from './commits.ts';
import { type Connection, rowsPerTurn } from './connection.ts';

/** A transaction of many statements takes several turns of the event loop. */
const longestTurnMs = 5;

/** What a transaction announces and touches. */
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
  /** The write queue is the lock. */
  readonly lock = empty;
  readonly keep = empty;
  readonly skipLocked = empty;
  readonly rowsAtOnce = 250;
  readonly rowsPerTurn = rowsPerTurn;
  readonly #handle: Connection;
  readonly #said: Announcements;
  #turnEnds = performance.now() + longestTurnMs;
  #isLong = false;

  constructor(handle: Connection, now: number, said: Announcements) {
    this.#handle = handle;
    this.now = now;
    this.#said = said;
  }

  clock(): number {
    return this.now;
  }

  async one<Row>(query: Sql): Promise<Row | undefined> {
    if (performance.now() > this.#turnEnds) await this.#letOthersRead();
    return this.#handle.one<Row>(query);
  }

  async all<Row>(query: Sql): Promise<Row[]> {
    if (performance.now() > this.#turnEnds) await this.#letOthersRead();
    return this.#handle.all<Row>(query);
  }

  async run(query: Sql): Promise<number> {
    if (performance.now() > this.#turnEnds) await this.#letOthersRead();
    return this.#handle.run(query);
  }

  /** After a long transaction, its release and its commit take about 10 ms each: call it before both. */
  async startLastTurn(): Promise<void> {
    if (this.#isLong) await this.#letOthersRead();
  }

  /** Other writers still wait: the transaction continues alone after this turn of the event loop. */
  async #letOthersRead(): Promise<void> {
    this.#isLong = true;
    await nextRound();
    this.#turnEnds = performance.now() + longestTurnMs;
  }

  rowsOf(values: readonly string[]): Sql {
    return sql`(select value from json_each(${JSON.stringify(values)}))`;
  }

  isOneOf(column: Sql, values: readonly string[]): Sql {
    return sql`${column} in ${this.rowsOf(values)}`;
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
