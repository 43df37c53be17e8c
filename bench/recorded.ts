/**
 * The statements of a request, as the server itself sends them to its store: recorded from it, so that the bare drivers
 * do the same work even after the server has changed.
 */
import { pino } from 'pino';
import type { Sql } from 'sql-template-tag';
import { findAccount } from '#store/account.ts';
import { encodeNotice, type Notice } from '#store/notices.ts';
import { openStore } from '#store/open.ts';
import type { Reader, Store, Tx } from '#store/sql.ts';
import { createApp } from '../src/app.ts';
import type { Asked } from './load.ts';
import { adminKey } from './servers.ts';

export interface Statement {
  /** With question marks, for SQLite, and with numbers, for PostgreSQL. */
  readonly sqlite: string;
  readonly postgres: string;
  readonly values: readonly (string | number | null)[];
}

export interface RecordedRequest {
  /** Before the transaction: the key, the words of the path. */
  readonly reads: readonly Statement[];
  /** Of the transaction that writes the audit entry; none for a request that only reads. */
  readonly writes: readonly Statement[];
  /** What the transaction announces to other nodes. */
  readonly notices: readonly string[];
}

/** Each request is asked once, of a server that was just started: nothing is known yet. They change the database. */
export async function recordRequests(databaseUrl: string, requests: readonly Asked[]): Promise<RecordedRequest[]> {
  const store = await openStore({ databaseUrl, databasePool: 2 });
  try {
    const account = await findAccount(store);
    if (!account) throw new Error('there is no account');
    const recorded: RecordedRequest[] = [];
    for (const asked of requests) {
      const recorder = recording(store);
      const app = await createApp({ store: recorder.store, account, log: pino({ level: 'silent' }) });
      const { method, path: url, body } = asked;
      const headers = { authorization: `Bearer ${adminKey}` };
      const reply = await app.inject({
        method,
        url,
        headers,
        ...(body === undefined ? {} : { payload: body as object }),
      });
      if (reply.statusCode >= 300) throw new Error(`${method} ${url} was answered: ${reply.body}`);
      const request = recorder.recorded();
      if (request.reads.length + request.writes.length === 0) {
        throw new Error(`${method} ${url} was answered without a statement: there is nothing to compare it with`);
      }
      recorded.push(request);
      await app.close();
    }
    return recorded;
  } finally {
    await store.close();
  }
}

function recording(store: Store) {
  const reads: Statement[] = [];
  let audited: { writes: readonly Statement[]; notices: readonly string[] } = { writes: [], notices: [] };
  const write = <Result>(body: (tx: Tx) => Promise<Result>) => {
    const writes: Statement[] = [];
    const notices: string[] = [];
    return store.write(async (tx) => {
      const result = await body(
        overriding(tx, {
          ...readsInto(tx, writes),
          run: (query: Sql) => {
            writes.push(statementOf(query));
            return tx.run(query);
          },
          announce: (notice: Notice) => {
            notices.push(encodeNotice(notice));
            tx.announce(notice);
          },
        }),
      );
      // Notes beside the request, such as the last use of a key, are not what it is about.
      if (writes.some(({ sqlite }) => /insert into changes/.test(sqlite))) audited = { writes, notices };
      return result;
    });
  };
  return {
    store: overriding(store, { ...readsInto(store, reads), write }),
    recorded: (): RecordedRequest => ({ reads, ...audited }),
  };
}

const readsInto = (db: Reader, statements: Statement[]) => ({
  one: (query: Sql) => {
    statements.push(statementOf(query));
    return db.one(query);
  },
  all: (query: Sql) => {
    statements.push(statementOf(query));
    return db.all(query);
  },
});

/** The same object except for some members. */
const overriding = <Thing extends object>(thing: Thing, members: Readonly<Record<string, unknown>>): Thing =>
  new Proxy(thing, {
    get: (_, name) => {
      if (typeof name === 'string' && name in members) return members[name];
      const value: unknown = Reflect.get(thing, name);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(thing) : value;
    },
  });

const statementOf = ({ sql: sqlite, text: postgres, values }: Sql): Statement => ({
  sqlite,
  postgres,
  values: values.map((value) => (typeof value === 'boolean' ? Number(value) : (value as string | number | null))),
});
