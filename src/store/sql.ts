/**
 * What the layers above know of a database. Statements are made with the `sql` tag of sql-template-tag, which keeps
 * text and values apart; the two drivers are the only code that knows which database it is.
 */
import type { Sql } from 'sql-template-tag';

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
  /** The same, but passing over rows that somebody else has locked. */
  readonly lockFree: Sql;
  /** Tells listeners, after the commit and only then. */
  announce(notice: Notice): void;
}

/** What a commit brought that somebody may wait for. */
export type Notice = 'outbox';

export interface Store extends Reader {
  /**
   * One transaction: all that `body` does, or nothing. Writers wait for each other, so only SQL may be awaited inside.
   * Resolves when the commit is durable.
   */
  write<Result>(body: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Calls `hear` after each commit that announced something. */
  onCommit(hear: (notice: Notice) => void): void;
  close(): Promise<void>;
}

/** A place in a list that is paged by markers. It stays a place when the row that stood there is gone. */
export interface Position {
  readonly at: number;
  readonly id: string;
}

/** A write that a named index refused. */
export class Refused extends Error {
  readonly constraint: string;

  constructor(constraint: string) {
    super(`refused by ${constraint}`);
    this.name = 'Refused';
    this.constraint = constraint;
  }
}

/** For `.catch` behind the statement that an index can refuse: index name → the problem it stands for. */
export const onRefused =
  (translations: Record<string, () => Error>) =>
  (error: unknown): never => {
    const translate = error instanceof Refused ? translations[error.constraint] : undefined;
    throw translate ? translate() : error;
  };

/**
 * The text as a part of a `like` pattern for `lower(…)`, with `escape '\'`: its characters mean themselves, and only
 * ASCII is lowered, since that is all that SQLite's `lower` does.
 */
export const likeLiteral = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[\\%_]/g, '\\$&');
