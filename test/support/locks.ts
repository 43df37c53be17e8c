/** Holds database locks from a connection that is neither a node nor a client. */
import { after } from 'node:test';
import { Client } from 'pg';
import type { Installation } from './process.ts';

/** Runs the statement and keeps what it locks until the returned function is called. */
export async function hold(databaseUrl: string, statement: string): Promise<() => Promise<void>> {
  const client = await begin(databaseUrl);
  await client.query(statement);
  return () => client.end();
}

/** A transaction of someone else; ended after the test that calls it, or after the file's tests. */
export async function begin(databaseUrl: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl });
  // Its server may end it: that is what some tests are about.
  client.on('error', () => undefined);
  await client.connect();
  after(() => client.end());
  await client.query('begin');
  return client;
}

/** How many transactions of the database wait for a lock. */
export async function countWaiting(burgee: Installation): Promise<number> {
  const [row] = await burgee.rows<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}
