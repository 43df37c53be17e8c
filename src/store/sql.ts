/**
 * The database as other layers see it. Statements are written with the `sql` tag of sql-template-tag, which keeps text
 * and values apart. Only the two drivers know which database it is.
 */
import type { Sql } from 'sql-template-tag';
import { Problem } from '#domain/problems.ts';
import type { Listener, Notice } from './notices.ts';

export interface Reader {
  /** Current time in milliseconds; inside a transaction, its own time. */
  clock(): number;
  /** How many rows one statement should go through: few on SQLite, where it blocks the event loop, and infinite on PostgreSQL. */
  readonly rowsPerTurn: number;
  one<Row>(query: Sql): Promise<Row | undefined>;
  all<Row>(query: Sql): Promise<Row[]>;
}

export interface Tx extends Reader {
  /** Runs a statement that changes rows; returns how many. */
  run(query: Sql): Promise<number>;
  /** The time of the transaction, used for everything that it writes. */
  readonly now: number;
  /** Appended to a select: locks the rows until the commit. */
  readonly lock: Sql;
  /** Appended to a select: the rows can be neither deleted nor locked until the commit. A shared lock. */
  readonly keep: Sql;
  /** Like `lock`, but skips rows that others have locked. */
  readonly skipLocked: Sql;
  /** How many rows one statement should change. On SQLite, a statement blocks the event loop. */
  readonly rowsAtOnce: number;
  /**
   * A table expression with the column `value` and a row for each text, in one parameter: so statements with
   * thousands of values are prepared once.
   */
  rowsOf(values: readonly string[]): Sql;
  /** The condition that the column is one of many texts, in one parameter. */
  isOneOf(column: Sql, values: readonly string[]): Sql;
  /** Notifies listeners after the commit. */
  announce(notice: Notice): void;
}

/**
 * The transaction that `Store.write` opens. Functions inside it take a `Tx`; only the outermost one declares what it
 * invalidates.
 */
export interface RootTx extends Tx {
  /**
   * Declares which cached responses the transaction invalidates: those with this tag and those without a tag; or none,
   * for housekeeping that no cached response shows. Without a call, it invalidates all.
   */
  touches(tag: DefinitionTag | 'nothing'): void;
}

/** A transaction changes only this definition, or a cached response shows only this one. */
export type DefinitionTag = `definition:${string}`;

/** `keys-and-paths`: everything except definitions. No transaction touches only that. */
export type CacheTag = DefinitionTag | 'keys-and-paths';

export const definitionTag = (environmentId: string, flagId: string): DefinitionTag =>
  `definition:${environmentId}/${flagId}`;

export interface SchemaTx extends Tx {
  /** Runs a migration statement. Text sorts and compares by bytes, whatever the database's default. */
  define(statement: string): Promise<void>;
}

/** Tells caches whether what they hold is current. */
export interface CacheVersions {
  /**
   * The number of the last commit by any process; with a tag, of the last commit that touched it. Undefined if asking
   * costs as much as reading.
   */
  version(this: void, tag?: CacheTag): number | undefined;
}

/**
 * How a transaction relates to access (keys, sessions, groups, restrictions). Transactions that use access run
 * concurrently. One that ends access runs while none of them does. Housekeeping takes no lock.
 */
export type AccessLock = 'uses' | 'ends';

export interface Store extends Reader, CacheVersions {
  /**
   * One transaction, all or nothing. Await only SQL inside: locks are held meanwhile, and `body` may run again from the
   * start. Resolves when the commit is durable.
   */
  write<Result>(body: (tx: RootTx) => Promise<Result>, access?: AccessLock): Promise<Result>;
  /** A transaction that changes the schema. Processes that start at the same time take turns. */
  changeSchema(body: (tx: SchemaTx) => Promise<void>): Promise<void>;
  /** Calls the listener after each commit, on any node, that announced something. */
  onCommit(listener: Listener): void;
  /**
   * For work that can wait: resolves when the writes under way have had their turns on the event loop, soon in any case.
   * Undefined if there are none, or if they happen elsewhere.
   */
  afterWrites(): Promise<void> | undefined;
  close(): Promise<void>;
}

/**
 * Thrown by the body of `write` if there is nothing to change: the transaction is rolled back, so it takes no number,
 * announces nothing and invalidates nothing, and `write` resolves with what is stored.
 */
export class Unchanged<Stored> {
  readonly stored: Stored;

  constructor(stored: Stored) {
    this.stored = stored;
  }
}

/** A read-only view of a database at one moment, with its schema as it is. Others can keep writing. */
export interface Snapshot extends Reader {
  close(): Promise<void>;
}

/** A position in a list that is paged by markers. It stays valid if its row is deleted. */
export interface Position {
  readonly at: number;
  readonly id: string;
}

/** A transaction whose rows no cached response shows: leases, retries, last use, audit entries. */
export const housekeep = <Result>(store: Store, body: (tx: Tx) => Promise<Result>): Promise<Result> =>
  store.write((tx) => {
    tx.touches('nothing');
    return body(tx);
  });

/** A write that a unique index refused. */
export class UniqueViolation extends Error {
  readonly constraint: string;

  constructor(constraint: string) {
    super(`refused by ${constraint}`);
    this.name = 'UniqueViolation';
    this.constraint = constraint;
  }
}

/** The database is temporarily unavailable. `cause` is for the log. */
export const unavailable = (cause: unknown, seconds = 2): Problem =>
  Object.assign(new Problem('unavailable', { seconds }), { cause });

/** For `.catch` after a statement that an index can refuse: index name → problem. */
export const onRefused =
  (translations: Record<string, () => Error>) =>
  (error: unknown): never => {
    const translate = error instanceof UniqueViolation ? translations[error.constraint] : undefined;
    throw translate ? translate() : error;
  };

/** For rows that are too many for one statement. */
export const inChunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/**
 * Escapes text for a `like` pattern on `lower(…)` with `escape '\'`. Lowers only ASCII, as `lower` does with byte-wise
 * collation.
 */
export const likeLiteral = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[\\%_]/g, '\\$&');

/** Whether to keep the prepared statement. Each list length is another one, so hostile requests could fill memory. */
export const isWorthKeeping = (query: Sql): boolean => query.values.length <= 60;
