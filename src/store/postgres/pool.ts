/** The connections of a node to PostgreSQL, each made fit for us before it is used. */
import { type Client, type ClientBase, Pool } from 'pg';
import { OperatorError } from '#domain/operator.ts';
import { connectionTo } from './query.ts';

/** Shorter than the longest wait, so that a lock held by a stopped node is released in time. */
const idleTransactionMs = 5_000;
/**
 * Less than `idleTransactionMs`: of a node that stopped, those who wait for a lock give up before it comes free. Else
 * they would get it one after the other, and each would keep it for as long.
 */
const lockMs = 3_000;
/** Half of the longest wait: a server that does not even greet leaves time to try again, and perhaps to meet another. */
const greetingMs = 4_000;
/**
 * A connection keeps the plan of a statement, made for tables as small as they were then, until the server analyses them:
 * with a new connection the plan is new. It may also lead to another server than the old one.
 */
const lifeSeconds = 60;
export const oldestVersion = 140_000;

export function makePool(url: string, size: number): Pool {
  const pool = new Pool({
    ...connectionTo(url),
    max: size,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: lifeSeconds,
    // Without it, connections that nobody answers would take up the pool for as long as TCP likes.
    connectionTimeoutMillis: greetingMs,
    onConnect: prepare,
  });
  // The pool throws a connection away that breaks while nobody uses it; of one in use the next query tells.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** For each new connection. The pool gives up on one that is not greeted, but not on one that falls silent here. */
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
  if (Number(version) < oldestVersion) throw new OperatorError('PostgreSQL 14 or newer is needed');
  if (encoding !== 'UTF8') throw new OperatorError(`its encoding is ${encoding}; create it with encoding UTF8`);
  // It would answer reads that are behind, and no writes.
  if (standby) throw new OperatorError('the server is a standby, which takes no writes');
}
