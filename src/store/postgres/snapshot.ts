/** A PostgreSQL database at one moment: a read-only transaction on its own connection. */
import { Client } from 'pg';
import type { Sql } from 'sql-template-tag';
import type { Snapshot } from '../sql.ts';
import { connectionTo, runQuery, unusable } from './query.ts';
import { schemaLock } from './store.ts';

const greetingMs = 10_000;
/** Readers write what they read to a disk that may be slow. After this long, they are considered dead. */
const idleMs = 60_000;

/** Throws an OperatorError if the database cannot be reached. Waits for a running schema change. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const client = new Client({ ...connectionTo(url), connectionTimeoutMillis: greetingMs });
  // The next query reports a broken connection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    // A reader that was killed while waiting for the lock must not keep its place in the queue.
    await client.query(`set statement_timeout = 0; set lock_timeout = 0; set client_connection_check_interval = 1000;
      set idle_in_transaction_session_timeout = ${idleMs}`);
    // Before the snapshot is taken, so that no table changes under it.
    await client.query(`select pg_advisory_lock_shared(${schemaLock})`);
    await client.query('begin isolation level repeatable read read only');
    await client.query('select 1');
  } catch (error) {
    await client.end().catch(() => undefined);
    throw unusable(error);
  }
  return new PostgresSnapshot(client);
}

class PostgresSnapshot implements Snapshot {
  readonly rowsPerTurn = Infinity;
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  clock(): number {
    return Date.now();
  }

  async one<Row>(query: Sql): Promise<Row | undefined> {
    return (await this.all<Row>(query))[0];
  }

  async all<Row>(query: Sql): Promise<Row[]> {
    return (await runQuery<Row>(this.#client, query)).rows;
  }

  /** The transaction and its locks end with the connection. */
  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}
