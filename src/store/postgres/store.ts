/**
 * PostgreSQL, for several nodes on one database.
 *
 * Invariants
 * 1. A transaction sees what was committed before each of its statements (read committed). Rows that decide something
 *    are locked before they are read; unique names and references are enforced by indexes and foreign keys.
 * 2. What was certainly not committed is retried, all of `body`: deadlocks, lost connections, restarts, references to
 *    something that was deleted meanwhile. What may have been committed is never retried.
 * 3. Every call except a schema change ends by the deadline of its request: with its result, or as `unavailable`.
 *    Connections that have not responded by then are closed.
 * 4. A node that stops in the middle of a transaction does not block others: PostgreSQL ends idle transactions and
 *    releases their locks.
 * 5. A write resolves only after its commit. The server's `synchronous_commit` decides how durable that is.
 * 6. Once a key is revoked, a person signed out or a project closed, nothing that they had begun is committed. Commands
 *    share a lock on access; a command that ends access takes it exclusively.
 * 7. Listeners learn of other nodes' commits by LISTEN, and of this node's own before `write` resolves, and never of a
 *    rollback. LISTEN repeats this node's own: listeners must not mind.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { currentDeadline } from '../deadline.ts';
import { type Listener as CommitListener, encodeNotice, type Notice, notify } from '../notices.ts';
import { type AccessLock, type RootTx, type SchemaTx, type Store, Unchanged, unavailable } from '../sql.ts';
import { channel, type Listener, startListener } from './listener.ts';
import { makePool } from './pool.ts';
import { connectionTo, isTrouble, Retryable, runQuery, runScript, unusable } from './query.ts';

/** The process has ten seconds to stop, and open requests need most of them. */
const closingMs = 1_000;
const maxSchemaTries = 5;

export interface PostgresOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly clock: () => number;
}

/** Throws an OperatorError if the database cannot be reached or is not suitable. */
export async function openPostgres({ url, poolSize, clock }: PostgresOptions): Promise<Store> {
  const pool = makePool(url, poolSize);
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    throw unusable(error);
  }
  return new PostgresStore(pool, clock, url);
}

class PostgresStore implements Store {
  readonly rowsPerTurn = Infinity;
  readonly #pool: Pool;
  readonly #clock: () => number;
  readonly #url: string;
  readonly #listeners: CommitListener[] = [];
  #listener: Listener | undefined;

  constructor(pool: Pool, clock: () => number, url: string) {
    this.#pool = pool;
    this.#clock = clock;
    this.#url = url;
  }

  clock(): number {
    return this.#clock();
  }

  async one<Row>(query: Sql): Promise<Row | undefined> {
    return (await this.all<Row>(query))[0];
  }

  all<Row>(query: Sql): Promise<Row[]> {
    return retryUntilDeadline((deadline) =>
      this.#connected(deadline, async (client) => (await runQuery<Row>(client, query)).rows),
    );
  }

  write<Result>(body: (tx: RootTx) => Promise<Result>, access?: AccessLock): Promise<Result> {
    return retryUntilDeadline((deadline) =>
      this.#connected(deadline, async (client) => {
        const tx = new PostgresTx(client, this.#clock());
        const result = await transaction(client, tx, body, access);
        for (const notice of tx.notices.values()) notify(this.#listeners, notice);
        return result;
      }),
    );
  }

  /** The server writes. */
  afterWrites(): undefined {
    return undefined;
  }

  /** Has no deadline: an index on a large table can take long. Deadlocks with running nodes are retried. */
  async changeSchema(body: (tx: SchemaTx) => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#changeSchemaOnce(body);
      } catch (error) {
        const isLast = !(error instanceof Retryable) || error.isOfConnection || tries === maxSchemaTries;
        if (isLast) throw isTrouble(error) ? unusable(error) : error;
      }
    }
  }

  async #changeSchemaOnce(body: (tx: SchemaTx) => Promise<void>): Promise<void> {
    await this.#connected(Number.POSITIVE_INFINITY, (client) => {
      const tx = new PostgresTx(client, this.#clock());
      return transaction(client, tx, async () => {
        await tx.run(sql`set local lock_timeout = 0`);
        await tx.all(sql`select pg_advisory_xact_lock(${schemaLock})`);
        await body(tx);
      });
    });
  }

  onCommit(listener: CommitListener): void {
    this.#listeners.push(listener);
    this.#listener ??= startListener(connectionTo(this.#url), (received) => notify(this.#listeners, received));
  }

  version(): undefined {
    return undefined;
  }

  async close(): Promise<void> {
    // Do not wait for a server that does not respond.
    const closed = Promise.all([this.#listener?.close(), this.#pool.end()]);
    await Promise.race([closed, pause(closingMs, undefined, { ref: false })]);
  }

  async #connected<Result>(deadline: number, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#connect(deadline);
    let isOurs = true;
    const giveBack = (isBroken: boolean) => {
      if (isOurs) client.release(isBroken);
      isOurs = false;
    };
    const alarm = alarmAt(deadline, () => giveBack(true));
    try {
      return await work(client);
    } catch (error) {
      if (error instanceof Retryable && error.isOfConnection) giveBack(true);
      throw error;
    } finally {
      clearTimeout(alarm);
      giveBack(client.getTransactionStatus() !== 'I');
    }
  }

  #connect(deadline: number): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const alarm = alarmAt(deadline, () => {
        isLate = true;
        reject(new Retryable(new Error('no connection to the database came free')));
      });
      this.#pool.connect().then(
        (client) => {
          clearTimeout(alarm);
          if (isLate) client.release();
          else resolve(client);
        },
        (error: unknown) => {
          clearTimeout(alarm);
          reject(new Retryable(error));
        },
      );
    });
  }
}

/** Any numbers that other programs in the same database do not use. */
export const schemaLock = 4_207_849_484;
const accessLock = 4_207_849_485;

/**
 * An advisory lock, because those queue in order: with rows locked `for key share`, new writers would overtake a
 * command that waits to revoke a key. It is the first lock of a transaction, so it cannot deadlock, and it is sent with
 * `begin`, so it costs no round trip.
 */
const beginnings: Record<AccessLock | 'neither', string> = {
  neither: 'begin isolation level read committed read write',
  uses: `begin isolation level read committed read write; select pg_advisory_xact_lock_shared(${accessLock})`,
  ends: `begin isolation level read committed read write; select pg_advisory_xact_lock(${accessLock})`,
};

const alarmAt = (deadline: number, ring: () => void): NodeJS.Timeout | undefined =>
  deadline === Number.POSITIVE_INFINITY ? undefined : setTimeout(ring, Math.max(0, deadline - performance.now()));

/** Retries with backoff until the deadline. */
async function retryUntilDeadline<Result>(once: (deadline: number) => Promise<Result>): Promise<Result> {
  const deadline = currentDeadline();
  for (let tries = 1; ; tries += 1) {
    try {
      return await once(deadline);
    } catch (error) {
      if (!(error instanceof Retryable)) throw error;
      if (tries >= error.maxTries) throw error.cause;
      const pauseMs = Math.min(500, 5 * 2 ** tries) * (0.5 + Math.random());
      if (performance.now() + pauseMs > deadline) throw unavailable(error.cause);
      await pause(pauseMs);
    }
  }
}

async function transaction<Result>(
  client: PoolClient,
  tx: PostgresTx,
  body: (tx: PostgresTx) => Promise<Result>,
  access?: AccessLock,
): Promise<Result> {
  let result: Result;
  try {
    await tx.begin(access);
    result = await body(tx);
    await tx.sendNotices();
  } catch (error) {
    // If this fails, the connection is not idle and is discarded.
    await client.query('rollback').catch(() => undefined);
    tx.notices.clear();
    if (error instanceof Unchanged) return error.stored as Result;
    throw error;
  }
  await commit(client);
  return result;
}

/**
 * Until the answer arrives, the outcome is unknown. A warning means that waiting for a synchronous standby was
 * cancelled: the commit is done here, but not yet replicated.
 */
async function commit(client: PoolClient): Promise<void> {
  let warning: Error | undefined;
  const warn = (notice: { message?: string | undefined }) => {
    warning = new Error(notice.message);
  };
  client.on('notice', warn);
  const { command } = await client
    .query('commit')
    .catch((error: unknown) => {
      throw unavailable(error);
    })
    .finally(() => client.off('notice', warn));
  if (warning) throw unavailable(warning);
  // PostgreSQL rolls back a transaction with a failed statement, so code must not catch such an error and continue.
  if (command !== 'COMMIT') throw new Error('a transaction went on after one of its statements had failed');
}

class PostgresTx implements RootTx, SchemaTx {
  readonly now: number;
  readonly lock = sql`for update`;
  readonly keep = sql`for key share`;
  readonly skipLocked = sql`for update skip locked`;
  readonly rowsAtOnce = 2_000;
  readonly rowsPerTurn = Infinity;
  /** By their texts. */
  readonly notices = new Map<string, Notice>();
  readonly #client: PoolClient;

  constructor(client: PoolClient, now: number) {
    this.#client = client;
    this.now = now;
  }

  clock(): number {
    return this.now;
  }

  begin(access: AccessLock | 'neither' = 'neither'): Promise<void> {
    return runScript(this.#client, beginnings[access]);
  }

  async one<Row>(query: Sql): Promise<Row | undefined> {
    return (await this.all<Row>(query))[0];
  }

  async all<Row>(query: Sql): Promise<Row[]> {
    return (await runQuery<Row>(this.#client, query)).rows;
  }

  async run(query: Sql): Promise<number> {
    return (await runQuery(this.#client, query)).rowCount;
  }

  rowsOf(values: readonly string[]): Sql {
    return sql`(select unnest(${values}::text[]) collate "C" as value)`;
  }

  isOneOf(column: Sql, values: readonly string[]): Sql {
    return sql`${column} = any(${values}::text[])`;
  }

  announce(notice: Notice): void {
    this.notices.set(encodeNotice(notice), notice);
  }

  /** Only SQLite has cache versions. */
  touches(): void {}

  async define(statement: string): Promise<void> {
    await this.#client.query(statement.replaceAll(/\btext\b/g, 'text collate "C"'));
  }

  async sendNotices(): Promise<void> {
    if (this.notices.size === 0) return;
    const texts = [...this.notices.keys()];
    await this.all(sql`select pg_notify(${channel}, value) from unnest(${texts}::text[]) as value`);
  }
}
