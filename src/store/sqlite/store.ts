/**
 * The embedded database.
 *
 * Invariants
 * 1. One writer at a time; transactions queue. Waiting transactions are committed as a group with one flush, each in
 *    its own savepoint, so each is still all or nothing. The first one needs none: there is nothing before it to keep.
 * 2. Readers have their own connection and see only what is on disk: neither rows of an open transaction, nor those of
 *    a commit that is still being flushed.
 * 3. A write resolves only after its commit is on disk. SQLite itself does not wait for that (synchronous=normal),
 *    which would block the event loop; we flush the write-ahead log asynchronously. SQLite waits only when the log
 *    restarts, once in a hundred commits.
 * 4. Listeners are notified after a commit, in commit order, and never of a rollback. Of commits by other processes they
 *    learn when somebody asks for the version, which the feed does every second.
 * 5. Another process (the command line) may hold the write lock. We wait for it without blocking the event loop, and
 *    refuse after the deadline.
 * 6. If the disk is full or fails, the affected writes are refused. If a flush fails, everything is refused: only a
 *    restart can tell what is on disk.
 * 7. If the disk does not respond, writes are refused after the deadline, queued ones too.
 */
import { dirname } from 'node:path';
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';
import sql, { type Sql } from 'sql-template-tag';
import { DatabaseDown, OperatorError } from '#domain/operator.ts';
import { Problem } from '#domain/problems.ts';
import { makeFolder } from '../folders.ts';
import { type Listener, missed, type Notice, notify } from '../notices.ts';
import { type CacheTag, type RootTx, type SchemaTx, type Store, Unchanged, unavailable } from '../sql.ts';
import { type Touched, VisibleCommits } from './commits.ts';
import { Connection, isBusy, isDown, refuseDiskError, refuseDown, rowsPerTurn } from './connection.ts';
import { Announcements, SqliteTx } from './transaction.ts';
import { WriteAheadLog } from './wal.ts';

const busyTimeoutMs = 5_000;
const busyPauseMs = 5;
/**
 * SQLite copies each page that a savepoint changes, in case of a rollback. A PATCH changes about 20 of them, and that many
 * go to a temporary file by default: 40 system calls. The copies end with the savepoint, so they are never many.
 */
const temporaryInMemory = 'pragma temp_store = memory;';
/** Reads wait while writes run. After this long they get a turn, in the middle of the group. */
const longestTurnMs = 0.5;
/**
 * A group is committed after this many turns. A commit costs about as much as two writes, so large groups are
 * efficient.
 */
const maxTurns = 16;
/** Work that can wait for a group waits no longer than this: a transaction of many statements takes seconds. */
const longestWaitMs = 25;

/** How often to look for writes past their deadline while the disk does not respond. */
const deadlineCheckMs = 250;

/**
 * Opens the file, creating its folder if needed. Throws an OperatorError if it cannot. Once `fail` was called,
 * everything is refused until a restart.
 */
export function openSqlite(file: string, clock: () => number, fail: (error: unknown) => void = () => undefined): Store {
  let writer: Connection;
  let reader: Connection;
  let log: WriteAheadLog;
  try {
    // The outbox holds invitation and reset links, so other users must not read this folder.
    makeFolder(dirname(file));
    writer = new Connection(file, busyTimeoutMs);
    writer.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on;');
    // A read-only file can be opened; only a write reveals it.
    writer.exec('begin immediate; pragma user_version = 1; rollback;');
    // From here on #begin waits for a busy database, without blocking the event loop.
    writer.exec('pragma busy_timeout = 0;');
    // The log is emptied between groups, when no reader uses it.
    writer.exec('pragma wal_autocheckpoint = 0;');
    writer.exec(temporaryInMemory);
    // Flushes what a killed process left unflushed, before anyone reads it.
    writer.exec('pragma wal_checkpoint(passive);');
    reader = new Connection(file, busyTimeoutMs);
    reader.exec('pragma query_only = on;');
    log = new WriteAheadLog(file, fail);
  } catch (error) {
    const sentence = `The database file ${file} cannot be opened for writing: ${(error as Error).message}`;
    throw isDown(error) ? new DatabaseDown(sentence) : new OperatorError(sentence);
  }
  return new SqliteStore({ writer, reader, log, clock });
}

interface Parts {
  readonly writer: Connection;
  readonly reader: Connection;
  readonly log: WriteAheadLog;
  readonly clock: () => number;
}

/** A queued write. */
interface Waiting {
  readonly body: (tx: SqliteTx) => Promise<unknown>;
  readonly deadline: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A write that ran and is resolved or rejected after the commit. */
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
  readonly rowsPerTurn = rowsPerTurn;
  readonly #listeners: Listener[] = [];
  #queue: Waiting[] = [];
  /** Set while the queue is processed; never rejects. */
  #working: Promise<void> | undefined;
  /** Set while a group has its turns; never rejects. */
  #turns: Promise<void> | undefined;
  #isClosed = false;

  constructor({ writer, reader, log, clock }: Parts) {
    this.#writer = writer;
    this.#reader = reader;
    this.#log = log;
    // Later: it may be noticed inside a transaction, before readers see it.
    this.#commits = new VisibleCommits(writer, () => setImmediate(() => notify(this.#listeners, missed)));
    this.#clock = clock;
  }

  clock(): number {
    return this.#clock();
  }

  async one<Row>(query: Sql): Promise<Row | undefined> {
    return this.#read((reader) => reader.one<Row>(query));
  }

  async all<Row>(query: Sql): Promise<Row[]> {
    return this.#read((reader) => reader.all<Row>(query));
  }

  #read<Result>(read: (reader: Connection) => Result): Result {
    this.#log.requireFlushed();
    try {
      return read(this.#reader);
    } catch (error) {
      return refuseDown(error);
    }
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

  /** A property, because caches call it unbound. */
  readonly version = (tag?: CacheTag): number | undefined => {
    if (this.#log.hasFailed) return undefined;
    try {
      return this.#commits.version(tag);
    } catch {
      // The read that follows reports the error.
      return undefined;
    }
  };

  afterWrites(): Promise<void> | undefined {
    return this.#turns;
  }

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
      // Requests that arrived together are queued together.
      await nextRound();
      await this.#commitGroup();
    }
    this.#working = undefined;
  }

  /** Nothing is answered before the commit, not even refusals: they may depend on other writes of the group. */
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
    const endTurns = this.#beginTurns();
    try {
      for (let turn = 1; turn <= maxTurns && this.#queue.length > 0; turn += 1) {
        if (turn > 1) await nextRound();
        await this.#takeTurn(group, settled);
      }
      endTurns();
      await this.#commit(group, settled);
    } catch (error) {
      endTurns();
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

  /** Returns what ends them. */
  #beginTurns(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turns = promise;
    const end = () => {
      clearTimeout(timer);
      this.#turns = undefined;
      resolve();
    };
    const timer = setTimeout(end, longestWaitMs);
    return end;
  }

  async #takeTurn(group: Waiting[], settled: Settled[]): Promise<void> {
    const until = performance.now() + longestTurnMs;
    do {
      const waiting = this.#queue.shift();
      if (!waiting) return;
      group.push(waiting);
      settled.push(await this.#run(waiting, settled.length === 0));
    } while (performance.now() < until);
  }

  /**
   * Waits for the disk as long as it takes, but refuses writes of the group and the queue at their deadline. For those
   * of the group, it is unknown whether they will be on disk.
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
      // A failed commit may have ended the transaction already.
      if (this.#writer.inTransaction) this.#writer.exec('rollback');
    } catch {
      // The error was reported; the next write meets it in #begin.
    }
  }

  /** Readers keep seeing the old state until the commit is on disk. */
  async #commit(group: readonly Waiting[], settled: readonly Settled[]): Promise<void> {
    this.#reader.exec('begin');
    try {
      this.#reader.one(anything);
      this.#commits.hold();
      this.#writer.exec('commit');
      await this.#withDeadline(group, this.#log.flush());
    } finally {
      this.#commits.release(settled.map(({ touched }) => touched));
      // A failed read may have ended the transaction.
      if (this.#reader.inTransaction) this.#reader.exec('commit');
    }
  }

  /**
   * Throws only errors that end the transaction of the whole group, such as a full disk. Within a savepoint, SQLite
   * copies each page that changes, and statements that change many rows look through all the copies: after ten thousand
   * rows, one takes 6 ms instead of 0.5. So the first of a group, which is usually alone if it is long, has none.
   */
  async #run({ body, deadline, resolve, reject }: Waiting, isFirst: boolean): Promise<Settled> {
    const said = new Announcements();
    if (!isFirst) this.#writer.exec('savepoint one');
    try {
      const tx = new SqliteTx(this.#writer, this.#clock(), said);
      const result = await body(tx);
      await tx.startLastTurn();
      if (!isFirst) {
        this.#writer.exec('release one');
        await tx.startLastTurn();
      }
      return { notices: said.notices, touched: said.touched, answer: () => resolve(result) };
    } catch (error) {
      if (!this.#writer.inTransaction) throw error;
      if (isFirst) {
        this.#writer.exec('rollback');
        await this.#begin(deadline);
      } else this.#writer.exec('rollback to one; release one');
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

/** A read transaction starts with its first statement. */
const anything = sql`select 1 from sqlite_schema limit 1`;
