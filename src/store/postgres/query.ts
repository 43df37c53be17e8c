/** Runs one statement on one PostgreSQL connection: prepares it by name and translates errors. */
import { hash } from 'node:crypto';
import { type ClientBase, type ClientConfig, DatabaseError, types } from 'pg';
import type { Sql } from 'sql-template-tag';
import { DatabaseDown, OperatorError } from '#domain/operator.ts';
import { isWorthKeeping, UniqueViolation } from '../sql.ts';

/** Nothing was changed, and the statement is not at fault: a retry may succeed. */
export class Retryable extends Error {
  /** Retry on another connection. */
  readonly isOfConnection: boolean;
  /** Some errors pass with time, others after one or two tries or never. */
  readonly maxTries: number;

  constructor(cause: unknown, { isOfConnection = true, maxTries = Number.POSITIVE_INFINITY } = {}) {
    super((cause as Error).message, { cause });
    this.name = 'Retryable';
    this.isOfConnection = isOfConnection;
    this.maxTries = maxTries;
  }
}

/** For an operator: why the database cannot be used. */
export function unusable(error: unknown): OperatorError {
  const sentence = `The database cannot be used: ${reasonOf(error as Error)}`;
  return isDown(error as Error) ? new DatabaseDown(sentence) : new OperatorError(sentence);
}

/** Nobody answers, or a server that starts, stops or has no connection left. Not a wrong password or name. */
function isDown(error: Error): boolean {
  if (error instanceof DatabaseError) return /^(?:57P|53)/.test(error.code ?? '');
  return !error.message.includes(passwordMissing);
}

/** What `pg` reports if the server wants a password and none is set. */
const passwordMissing = 'password must be a string';

/** Server or permission errors. Any other error is a bug. */
export const isTrouble = (error: unknown): boolean =>
  error instanceof Retryable || (error instanceof DatabaseError && error.code === insufficientPrivilege);

const insufficientPrivilege = '42501';

function reasonOf(error: Error): string {
  const { message, code } = error as { message: string; code?: string };
  if (code === insufficientPrivilege) return `${message}; make the role of DATABASE_URL the owner of the database`;
  if (message.includes(passwordMissing)) {
    return 'the server asks for a password; put it into DATABASE_URL or PGPASSWORD';
  }
  // A host with several addresses, none of which responded.
  return error instanceof AggregateError ? error.errors.map((each) => each.message).join(', ') : message;
}

const int8 = 20;

export const connectionTo = (url: string): ClientConfig => ({
  connectionString: url,
  application_name: 'burgee',
  keepAlive: true,
  // Our numbers are instants, counts and positions: exact as JavaScript numbers.
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

/** Equal texts have equal names on every connection; `pg` prepares each once per connection. */
const nameOf = (text: string): string => hash('sha1', text);

/** Errors of the database have a code; all others concern the connection. */
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
/** Something was deleted between our read and our write: the retry finds it gone and reports that. */
const foreignKeyViolation = '23503';

/** The statement was prepared before a schema change; a new connection prepares it again. */
const oldPlan = '0A000';

/** Conflicts with other transactions: deadlocks (40), lock timeouts (55P03). */
const conflicts = /^(?:40|55P03)/;

/**
 * Connection errors (08), out of resources (53), shutdown, start-up or cancellation (57), disk errors (58), a standby
 * (25006), idle in transaction (25P03).
 */
const troubles = /^(?:08|53|57|58|25006|25P03)/;
