/** A node's PostgreSQL connections. Each is set up before use. */
import { type Client, type ClientBase, Pool } from 'pg';
import { OperatorError } from '#domain/operator.ts';
import { connectionTo } from './query.ts';

/** Shorter than the request deadline, so that a lock held by a stopped node is released in time. */
const idleTransactionMs = 5_000;
/**
 * Less than `idleTransactionMs`: transactions that wait for a stopped node's lock give up before it is released.
 * Otherwise they would get it one after the other, and each would hold it just as long.
 */
const lockMs = 3_000;
/**
 * Half the request deadline: if the server does not respond, there is time for another try, perhaps on another server.
 */
const greetingMs = 4_000;
/**
 * A connection keeps a statement's plan, made for the table sizes of that time, until the server analyses the tables.
 * New connections make new plans. They may also reach a new primary.
 */
const lifeSeconds = 60;
export const oldestVersion = 140_000;

export function makePool(url: string, size: number): Pool {
  const pool = new Pool({
    ...connectionTo(url),
    max: size,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: lifeSeconds,
    // Otherwise unanswered connections would occupy the pool until TCP times out.
    connectionTimeoutMillis: greetingMs,
    onConnect: prepare,
  });
  // The pool discards idle connections that break; for those in use, the next query fails.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Runs for each new connection. The pool's timeout does not cover this step. */
async function prepare(client: ClientBase): Promise<void> {
  const alarm = setTimeout(() => void (client as Client).end(), greetingMs);
  await configure(client).finally(() => clearTimeout(alarm));
}

async function configure(client: ClientBase): Promise<void> {
  await requireFit(client);
  await client.query(`
    set idle_in_transaction_session_timeout = ${idleTransactionMs};
    set lock_timeout = ${lockMs};
    set client_connection_check_interval = 1000;
    set statement_timeout = 0`);
}

interface Server {
  readonly version: string;
  readonly encoding: string;
  readonly standby: boolean;
}

async function requireFit(client: ClientBase): Promise<void> {
  const { rows } = await client.query<Server>(`
    select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
           pg_is_in_recovery() as standby`);
  const { version = '0', encoding = '', standby } = rows[0] ?? {};
  if (Number(version) < oldestVersion) throw new OperatorError('PostgreSQL 14 or newer is required');
  if (encoding !== 'UTF8') throw new OperatorError(`its encoding is ${encoding}; create it with encoding UTF8`);
  // A standby returns stale reads and refuses writes.
  if (standby) throw new OperatorError('the server is a read-only standby');
}
