/** The limit on PostgreSQL: its driver doing the statements of a request over a pool of ten, and nothing else. */
import { hash } from 'node:crypto';
import { type ClientBase, Pool } from 'pg';
import { connectionTo } from '#store/postgres/query.ts';
import type { RecordedRequest, Statement } from '../recorded.ts';
import { answerOrders } from './answers.ts';
import { entryIdPlace, type Repetition, repeat, withNewId } from './repeat.ts';

export interface PostgresOrder extends Repetition {
  readonly url: string;
  /** Each client repeats one of them. */
  readonly requests: readonly RecordedRequest[];
}

/** As many connections as a node of Burgee has. */
const poolSize = 10;
let pool: Pool | undefined;

answerOrders(async ({ url, requests, ...repetition }: PostgresOrder) => {
  pool ??= new Pool({ ...connectionTo(url), max: poolSize });
  const connections = pool;
  return repeat(repetition, async (client) => {
    const request = requests[client % requests.length];
    const connection = await connections.connect();
    try {
      if (request) await run(connection, request);
    } finally {
      connection.release();
    }
  });
});

async function run(connection: ClientBase, { reads, writes, notices }: RecordedRequest): Promise<void> {
  for (const statement of reads) await query(connection, statement);
  if (writes.length === 0) return;
  await connection.query('begin isolation level read committed read write');
  for (const statement of writes) await query(connection, statement);
  for (const notice of notices) await connection.query('select pg_notify($1, $2)', ['burgee_bare', notice]);
  await connection.query('commit');
}

function query(connection: ClientBase, statement: Statement) {
  const { postgres: text, values } = statement;
  const idPlace = entryIdPlace(statement);
  const bound = [...(idPlace === undefined ? values : withNewId(values, idPlace))];
  return connection.query({ name: hash('sha1', text), text, values: bound });
}
