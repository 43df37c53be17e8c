/**
 * What the layers above know of a database. Statements are made with the `sql` tag of sql-template-tag, which keeps
 * text and values apart; the two drivers are the only code that knows which database it is.
 */
import type { Sql } from 'sql-template-tag';
import { Problem } from '#domain/problems.ts';
import type { Listener, Notice } from './notices.ts';

export interface Reader {
  /** Now, in milliseconds; inside a transaction its own instant. */
  clock(): number;
  one<Row>(query: Sql): Promise<Row | undefined>;
  all<Row>(query: Sql): Promise<Row[]>;
}

export interface Tx extends Reader {
  /** Runs a statement that changes rows; answers how many. */
  run(query: Sql): Promise<number>;
  /** The instant of the transaction: everything written in it has the same. */
  readonly now: number;
  /** Appended to a select: the rows stay as they are until the commit. */
  readonly lock: Sql;
  /** Appended to a select: the rows are neither deleted nor locked by others until the commit. Many may hold a row so. */
  readonly keep: Sql;
  /** The same as `lock`, but passing over rows that somebody else has locked. */
  readonly skipLocked: Sql;
  /** Tells listeners, after the commit and only then. */
  announce(notice: Notice): void;
}

/** A transaction as `Store.write` opens it. Its parts get a `Tx`: only the whole knows what it invalidates. */
export interface RootTx extends Tx {
  /**
   * Says which cached responses the transaction invalidates: those with this tag and those without a tag; or none, for
   * housekeeping that no cached response shows. A transaction that says nothing invalidates all of them.
   */
  touches(tag: DefinitionTag | 'nothing'): void;
}

/** One definition: what a transaction changes, or a cached response shows, and nothing else. */
export type DefinitionTag = `definition:${string}`;

/** `keys-and-paths`: everything but definitions. No transaction touches it alone. */
export type CacheTag = DefinitionTag | 'keys-and-paths';

export const definitionTag = (environmentId: string, flagId: string): DefinitionTag =>
  `definition:${environmentId}/${flagId}`;

export interface SchemaTx extends Tx {
  /** Runs a statement of a migration. Text sorts and compares by its bytes, whatever the database is used to. */
  define(statement: string): Promise<void>;
}

/** Tells caches how long what was read stays current. */
export interface CacheVersions {
  /**
   * The number of the last commit that touched anything, by whichever process; with a tag, of the last that touched it.
   * Undefined where asking costs as much as reading.
   */
  version(this: void, tag?: CacheTag): number | undefined;
}

/**
 * What a transaction does with access, meaning keys, sessions, groups and restrictions. Any number of transactions may
 * use access at once. One that ends access runs while none of them does. Housekeeping takes no lock.
 */
export type AccessLock = 'uses' | 'ends';

export interface Store extends Reader, CacheVersions {
  /**
   * One transaction: all that `body` does, or nothing. Only SQL may be awaited inside: locks are held meanwhile, and
   * `body` may be run again from the start when the database asks for that. Resolves when the commit is durable.
   */
  write<Result>(body: (tx: RootTx) => Promise<Result>, access?: AccessLock): Promise<Result>;
  /** A transaction that changes the schema: processes that start at once take turns. */
  changeSchema(body: (tx: SchemaTx) => Promise<void>): Promise<void>;
  /** Tells the listener after each commit that announced something, by whichever node. */
  onCommit(listener: Listener): void;
  close(): Promise<void>;
}

/**
 * Thrown by the body of `write` when there is nothing to change: the transaction is rolled back, so it takes no number,
 * announces nothing and invalidates nothing, and `write` resolves with what is stored.
 */
export class Unchanged<Stored> {
  readonly stored: Stored;

  constructor(stored: Stored) {
    this.stored = stored;
  }
}

/** A database as it was at one moment: only read, its schema left as it is, while others go on writing. */
export interface Snapshot extends Reader {
  close(): Promise<void>;
}

/** A place in a list that is paged by markers. It stays a place when the row that stood there is gone. */
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

/** A write that a named index refused. */
export class UniqueViolation extends Error {
  readonly constraint: string;

  constructor(constraint: string) {
    super(`refused by ${constraint}`);
    this.name = 'UniqueViolation';
    this.constraint = constraint;
  }
}

/** That the database is not there for now, with what says why, for the log. */
export const unavailable = (cause: unknown, seconds = 2): Problem =>
  Object.assign(new Problem('unavailable', { seconds }), { cause });

/** For `.catch` behind the statement that an index can refuse: index name → the problem it stands for. */
export const onRefused =
  (translations: Record<string, () => Error>) =>
  (error: unknown): never => {
    const translate = error instanceof UniqueViolation ? translations[error.constraint] : undefined;
    throw translate ? translate() : error;
  };

/**
 * The text as a part of a `like` pattern for `lower(…)`, with `escape '\'`: its characters mean themselves, and only
 * ASCII is lowered, since that is all that `lower` does to text that is compared by its bytes.
 */
export const likeLiteral = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[\\%_]/g, '\\$&');

/** Lists of values make a statement for each length; keeping them all prepared would let hostile requests fill memory. */
export const isWorthKeeping = (query: Sql): boolean => query.values.length <= 60;
