/**
 * The embedded database.
 *
 * Invariants
 * 1. One writer at a time: transactions stand in a queue. Those that wait are committed as a group: one flush to the
 *    disk for all of them, each in a savepoint of its own, so each is still all or nothing.
 * 2. Readers have a handle of their own and see what is on the disk: neither the rows of a transaction that is still
 *    open, nor those of a commit of ours that is still on its way to the disk.
 * 3. A write is answered only after its commit is on the disk. SQLite itself does not wait for that (synchronous=normal):
 *    it would hold up the event loop, and every reader. We bring the write-ahead log to the disk meanwhile.
 *    It still waits when the log begins anew, once in a hundred commits.
 * 4. Listeners are told of a commit after it, in commit order, and never of a rollback.
 * 5. Another process may hold the write lock (the command line while the server runs): we wait for it without
 *    blocking the event loop, and refuse after a while.
 * 6. A disk that is full or fails is a refusal of the writes that met it. A flush that fails is the end: nobody knows
 *    what is on the disk before the next start has read it.
 * 7. Writes are refused after a while when the disk does not answer, also those that wait for their turn.
 */
import { dirname } from 'node:path';
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';
import sql, { type Sql } from 'sql-template-tag';
import { OperatorError } from '#domain/operator.ts';
import { Problem } from '#domain/problems.ts';
import { makeFolder } from '../folders.ts';
import { type Listener, type Notice, notify } from '../notices.ts';
import { type CacheTag, type RootTx, type SchemaTx, type Store, Unchanged, unavailable } from '../sql.ts';
import { type Touched, VisibleCommits } from './commits.ts';
import { Connection, isBusy, refuseDiskError } from './connection.ts';
import { Announcements, SqliteTx } from './transaction.ts';
import { WriteAheadLog } from './wal.ts';

const busyTimeoutMs = 5_000;
const busyPauseMs = 5;
/**
 * SQLite copies each page that a savepoint changes, in case of a rollback. A PATCH changes about 20 of them, and that many
 * go to a temporary file by default: 40 system calls. The copies end with the savepoint, so they are never many.
 */
const temporaryInMemory = 'pragma temp_store = memory;';
/** Nobody reads while somebody writes: after this long it is the readers' turn, in the middle of the group. */
const longestTurnMs = 0.5;
/** After so many turns of writers a group is committed. A commit costs about as much as two writes, so large groups save. */
const maxTurns = 16;

/** How often to look for writers past their deadline while the disk does not answer. */
const deadlineCheckMs = 250;

/**
 * Opens the file, making its folder when needed. Throws a plain sentence when that cannot be done. After `fail` was
 * called everything is refused until the next start.
 */
export function openSqlite(file: string, clock: () => number, fail: (error: unknown) => void = () => undefined): Store {
  let writer: Connection;
  let reader: Connection;
  let log: WriteAheadLog;
  try {
    // The outbox holds links that open accounts: nobody else on the machine needs to read this folder.
    makeFolder(dirname(file));
    writer = new Connection(file, busyTimeoutMs);
    writer.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on;');
    // A file that may not be written opens as well; only a write shows it.
    writer.exec('begin immediate; pragma user_version = 1; rollback;');
    // From here on a busy database is waited for in #begin, which does not block the event loop.
    writer.exec('pragma busy_timeout = 0;');
    // The log is emptied between groups, when no reader holds on to a part of it.
    writer.exec('pragma wal_autocheckpoint = 0;');
    writer.exec(temporaryInMemory);
    // What a process left that was killed before its flush goes to the disk now, before anybody sees it.
    writer.exec('pragma wal_checkpoint(passive);');
    reader = new Connection(file, busyTimeoutMs);
    reader.exec('pragma query_only = on;');
    log = new WriteAheadLog(file, fail);
  } catch (error) {
    throw new OperatorError(`The database file ${file} cannot be opened for writing: ${(error as Error).message}`);
  }
  return new SqliteStore({ writer, reader, log, clock });
}

interface Parts {
  readonly writer: Connection;
  readonly reader: Connection;
  readonly log: WriteAheadLog;
  readonly clock: () => number;
}

/** Somebody who wants to write. */
interface Waiting {
  readonly body: (tx: SqliteTx) => Promise<unknown>;
  readonly deadline: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Somebody whose turn is over, to be answered after the commit. */
interface Settled {
  readonly notices: readonly Notice[];
  readonly touched: Touched;
  readonly answer: () => void;
}

class SqliteStore implements Store {
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #log: WriteAheadLog;
  readonly #commits: VisibleCommits;
  readonly #clock: () => number;
  readonly #listeners: Listener[] = [];
  #queue: Waiting[] = [];
  /** While the queue is worked through; never rejects. */
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor({ writer, reader, log, clock }: Parts) {
    this.#writer = writer;
    this.#reader = reader;
    this.#log = log;
    this.#commits = new VisibleCommits(writer);
    this.#clock = clock;
  }

  clock(): number {
    return this.#clock();
  }

  async one<Row>(query: Sql): Promise<Row | undefined> {
    this.#log.requireFlushed();
    return this.#reader.one<Row>(query);
  }

  async all<Row>(query: Sql): Promise<Row[]> {
    this.#log.requireFlushed();
    return this.#reader.all<Row>(query);
  }

  write<Result>(body: (tx: RootTx) => Promise<Result>): Promise<Result> {
    return this.#inTurn(body).catch(refuseDiskError);
  }

  /** Can change every row, and sorts all of them for a new index: that may be more than fits in memory. */
  async changeSchema(body: (tx: SchemaTx) => Promise<void>): Promise<void> {
    this.#writer.exec('pragma temp_store = file;');
    await this.#inTurn(body).finally(() => this.#writer.exec(temporaryInMemory));
  }

  onCommit(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** A property, because caches call it on its own. */
  readonly version = (tag?: CacheTag): number | undefined => {
    if (this.#log.hasFailed) return undefined;
    try {
      return this.#commits.version(tag);
    } catch {
      // The read that follows reports the error.
      return undefined;
    }
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
    await this.#log.close();
    this.#reader.close();
    this.#writer.close();
  }

  #inTurn<Result>(body: (tx: SqliteTx) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new Problem('unavailable', { seconds: 2 }));
    return new Promise((resolve, reject) => {
      // The deadline starts when the write is queued, so queued writes don't wait twice for the same lock.
      const deadline = performance.now() + busyTimeoutMs;
      this.#queue.push({ body, deadline, resolve: resolve as Waiting['resolve'], reject });
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      // Requests that came in together get into the queue together.
      await nextRound();
      await this.#commitGroup();
    }
    this.#working = undefined;
  }

  /** Nobody is answered before the commit, not even who was refused: perhaps because of another one of the group. */
  async #commitGroup(): Promise<void> {
    const [first] = this.#queue;
    try {
      await this.#begin(first?.deadline ?? 0);
    } catch (error) {
      this.#queue.shift();
      first?.reject(error);
      return;
    }
    const group: Waiting[] = [];
    const settled: Settled[] = [];
    try {
      for (let turn = 1; turn <= maxTurns && this.#queue.length > 0; turn += 1) {
        if (turn > 1) await nextRound();
        await this.#takeTurn(group, settled);
      }
      await this.#commit(group, settled);
    } catch (error) {
      for (const { reject } of group) reject(error);
      this.#rollBack();
      return;
    }
    for (const { answer, notices } of settled) {
      answer();
      for (const notice of notices) queueMicrotask(() => notify(this.#listeners, notice));
    }
    if (this.#log.isLong) await this.#withDeadline([], this.#log.empty());
  }

  async #takeTurn(group: Waiting[], settled: Settled[]): Promise<void> {
    const until = performance.now() + longestTurnMs;
    do {
      const waiting = this.#queue.shift();
      if (!waiting) return;
      group.push(waiting);
      settled.push(await this.#inSavepoint(waiting));
    } while (performance.now() < until);
  }

  /**
   * Waits for the disk, however long it takes, but refuses in time those of the group and of the queue who wait with us.
   * Of the group nobody knows whether their commit will be on the disk.
   */
  async #withDeadline(group: readonly Waiting[], work: Promise<void>): Promise<void> {
    const timer = setInterval(() => {
      const isOver = ({ deadline }: Waiting) => performance.now() > deadline;
      for (const { reject } of [...group, ...this.#queue].filter(isOver)) reject(unavailable(diskHangs));
      this.#queue = this.#queue.filter((waiting) => !isOver(waiting));
    }, deadlineCheckMs);
    await work.finally(() => clearInterval(timer));
  }

  #rollBack(): void {
    try {
      // A commit that failed may have ended the transaction already.
      if (this.#writer.inTransaction) this.#writer.exec('rollback');
    } catch {
      // Why it failed they have been told; whoever comes next finds out in #begin.
    }
  }

  /** Readers stay where they are until it is on the disk. */
  async #commit(group: readonly Waiting[], settled: readonly Settled[]): Promise<void> {
    this.#reader.exec('begin');
    try {
      this.#reader.one(anything);
      this.#commits.hold();
      this.#writer.exec('commit');
      await this.#withDeadline(group, this.#log.flush());
    } finally {
      this.#commits.release(settled.map(({ touched }) => touched));
      // A reader that could not read has ended it.
      if (this.#reader.inTransaction) this.#reader.exec('commit');
    }
  }

  /** Throws only what ends the transaction of the whole group: a full disk, or a broken one. */
  async #inSavepoint({ body, resolve, reject }: Waiting): Promise<Settled> {
    const said = new Announcements();
    this.#writer.exec('savepoint one');
    try {
      const result = await body(new SqliteTx(this.#writer, this.#clock(), said));
      this.#writer.exec('release one');
      return { notices: said.notices, touched: said.touched, answer: () => resolve(result) };
    } catch (error) {
      if (!this.#writer.inTransaction) throw error;
      this.#writer.exec('rollback to one; release one');
      const answer = () => (error instanceof Unchanged ? resolve(error.stored) : reject(error));
      return { notices: [], touched: new Set(), answer };
    }
  }

  async #begin(deadline: number): Promise<void> {
    this.#log.requireFlushed();
    for (;;) {
      try {
        this.#writer.exec('begin immediate');
        return;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() > deadline) throw new Problem('unavailable', { seconds: 2 });
        await pause(busyPauseMs);
      }
    }
  }
}

const diskHangs = new Error('the disk does not answer');

/** A transaction of a reader begins with its first statement. */
const anything = sql`select 1 from sqlite_schema limit 1`;
