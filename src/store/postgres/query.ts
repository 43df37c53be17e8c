/** One statement on one connection of PostgreSQL: prepared under a name, its errors put into words of ours. */
import { hash } from 'node:crypto';
import { type ClientBase, type ClientConfig, DatabaseError, types } from 'pg';
import type { Sql } from 'sql-template-tag';
import { OperatorError } from '#domain/operator.ts';
import { isWorthKeeping, UniqueViolation } from '../sql.ts';

/** Nothing happened, and not by a fault of the statement: another try may succeed. */
export class Retryable extends Error {
  /** The next try must be on another connection. */
  readonly isOfConnection: boolean;
  /** Some things pass with time, others after one or two tries or never. */
  readonly maxTries: number;

  constructor(cause: unknown, { isOfConnection = true, maxTries = Number.POSITIVE_INFINITY } = {}) {
    super((cause as Error).message, { cause });
    this.name = 'Retryable';
    this.isOfConnection = isOfConnection;
    this.maxTries = maxTries;
  }
}

/** For an operator: why the database cannot be used. */
export const unusable = (error: unknown): OperatorError =>
  new OperatorError(`The database cannot be used: ${reasonOf(error as Error)}`);

/** Trouble with the server or with our rights there; everything else would be a mistake of ours. */
export const isTrouble = (error: unknown): boolean =>
  error instanceof Retryable || (error instanceof DatabaseError && error.code === insufficientPrivilege);

const insufficientPrivilege = '42501';

function reasonOf(error: Error): string {
  const { message, code } = error as { message: string; code?: string };
  if (code === insufficientPrivilege) return `${message}; make the role of DATABASE_URL the owner of the database`;
  // What `pg` says when the server asks for a password and there is none.
  if (message.includes('password must be a string')) {
    return 'the server asks for a password; put it into DATABASE_URL or PGPASSWORD';
  }
  // A host with several addresses, none of which answered.
  return error instanceof AggregateError ? error.errors.map((each) => each.message).join(', ') : message;
}

const int8 = 20;

export const connectionTo = (url: string): ClientConfig => ({
  connectionString: url,
  application_name: 'burgee',
  keepAlive: true,
  // Our numbers are instants, counts and positions: exact in a number of JavaScript.
  types: { getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format)) },
});

export async function runQuery<Row>(client: ClientBase, query: Sql): Promise<{ rows: Row[]; rowCount: number }> {
  const { text } = query;
  const name = isWorthKeeping(query) ? nameOf(text) : undefined;
  try {
    const { rows, rowCount } = await client.query({ ...(name ? { name } : {}), text, values: query.values });
    return { rows: rows as Row[], rowCount: rowCount ?? 0 };
  } catch (error) {
    throw translated(error);
  }
}

/** Statements without values, in one round trip. */
export async function runScript(client: ClientBase, text: string): Promise<void> {
  try {
    await client.query(text);
  } catch (error) {
    throw translated(error);
  }
}

/** The same text has the same name on every connection; `pg` prepares it on each once. */
const nameOf = (text: string): string => hash('sha1', text);

/** What the database says of itself has a code; everything else is about the connection. */
function translated(error: unknown): unknown {
  if (error instanceof TypeError) return error;
  if (!(error instanceof DatabaseError)) return new Retryable(error);
  const { code = '', constraint = '' } = error;
  if (code === uniqueViolation) return new UniqueViolation(constraint);
  if (code === foreignKeyViolation) return new Retryable(error, { isOfConnection: false, maxTries: 3 });
  if (code === oldPlan) return new Retryable(error, { maxTries: 20 });
  if (conflicts.test(code)) return new Retryable(error, { isOfConnection: false });
  return troubles.test(code) ? new Retryable(error) : error;
}

const uniqueViolation = '23505';
/** Something was deleted between our look at it and our write: who looks again finds it gone, and says so. */
const foreignKeyViolation = '23503';

/** A statement that was prepared before the schema changed; a new connection prepares it anew. */
const oldPlan = '0A000';

/** With other transactions: deadlocks (40), a lock that is not free (55P03). */
const conflicts = /^(?:40|55P03)/;

/**
 * Connections (08), no room (53), shutting down, starting or cancelled (57), trouble with the disk (58), a server that is
 * or became a standby (25006), a transaction ended because it stood idle (25P03).
 */
const troubles = /^(?:08|53|57|58|25006|25P03)/;
