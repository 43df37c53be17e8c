/** What a flag, a definition and a change take on PostgreSQL: rows and indexes on disk, and the log that is written. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../../test/support/databases.ts';
import { fillCatalogue } from '../catalogue.ts';
import type { Load } from '../load.ts';
import { type Asking, asked, type Contestant, loadOn } from '../measuring.ts';
import { processorMs } from '../processes.ts';
import { getDefinitions, patchDefinitions } from '../requests.ts';
import { startBurgee } from '../servers.ts';
import type { Bench } from '../workbench.ts';

const clients = 8;

export interface TableSize {
  readonly table: string;
  readonly rows: number;
  readonly heapBytesPerRow: number;
  readonly indexBytesPerRow: number;
}

export interface PostgresSizes {
  readonly tables: readonly TableSize[];
  /** Of the write-ahead log, for one PATCH of a definition. */
  readonly walBytesPerWrite: number;
  readonly reads: RequestCost;
  readonly writes: RequestCost;
}

/** On one node, in one environment, with eight clients. */
export interface RequestCost {
  readonly perSecond: number;
  /** Processor time of the node, and of PostgreSQL. */
  readonly nodeUs: number;
  readonly postgresUs: number;
}

export async function measurePostgresSizes(bench: Bench, flags: number): Promise<PostgresSizes> {
  bench.tell(`PostgreSQL: the size of rows and indexes, with ${flags} flags`);
  const postgres = await bench.postgres();
  await command(postgres.url('postgres'), 'create database sizes');
  const url = postgres.url('sizes');
  await fillCatalogue(url, { flags, people: 0 });
  await command(url, 'vacuum analyze');
  const server = bench.started(await startBurgee(url, 'anywhere'));
  const writing: Asking = { clients, requests: patchDefinitions(flags, clients), order: 'own' };
  const walBytesPerWrite = await measureWal(bench, url, loadOn([server], writing, longestMs));
  await command(url, 'vacuum analyze');
  const reading: Asking = { clients, requests: getDefinitions(flags) };
  const reads = await measureCost(bench, postgres.folder, asked(bench, [server], reading));
  const writes = await measureCost(bench, postgres.folder, asked(bench, [server], writing));
  await server.stop();
  return { tables: await tableSizes(url), walBytesPerWrite, reads, writes };
}

/** Far longer than the changes take. */
const longestMs = 600_000;

async function measureWal({ load, rounds }: Bench, url: string, writing: Load): Promise<number> {
  // After a checkpoint the first change of a page writes the page whole: those are made before anything is counted.
  await command(url, 'checkpoint');
  await load.run({ ...writing, maxTurns: 50 });
  const before = await walPosition(url);
  const turns = rounds > 1 ? 200 : 50;
  await load.run({ ...writing, maxTurns: turns });
  return ((await walPosition(url)) - before) / (clients * turns);
}

async function measureCost(
  { milliseconds, rounds, warmUpMs }: Bench,
  folder: string,
  measure: Contestant,
): Promise<RequestCost> {
  await measure(warmUpMs);
  const before = processorMsOfPostgres(folder);
  const { perSecond, processorUs: nodeUs } = await measure(milliseconds * rounds);
  const spentMs = processorMsOfPostgres(folder) - before;
  return { perSecond, nodeUs, postgresUs: (spentMs * 1_000_000) / (perSecond * milliseconds * rounds) };
}

/** Of the server and of all processes that it started and that still run; NaN where the system does not say. */
function processorMsOfPostgres(folder: string): number {
  const [first] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
  const list = `/proc/${first}/task/${first}/children`;
  if (!existsSync(list)) return Number.NaN;
  const children = readFileSync(list, 'utf8').trim().split(' ');
  return [first, ...children].reduce((sum, pid) => sum + (processorMs(Number(pid)) ?? 0), 0);
}

async function walPosition(url: string): Promise<number> {
  const [row] = await command(url, `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`);
  return Number(row?.bytes);
}

async function tableSizes(url: string): Promise<TableSize[]> {
  const sizes: TableSize[] = [];
  for (const table of ['flags', 'flag_tags', 'definitions', 'changes']) {
    const [row] = await command(
      url,
      `select (select count(*) from ${table}) as rows, pg_table_size('${table}') as heap, pg_indexes_size('${table}') as indexes`,
    );
    const rows = Number(row?.rows);
    sizes.push({
      table,
      rows,
      heapBytesPerRow: Number(row?.heap) / rows,
      indexBytesPerRow: Number(row?.indexes) / rows,
    });
  }
  return sizes;
}
