/** What all parts of the bench share: durations, rounds, clients and clean-up. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../test/support/databases.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { type LoadProcess, startLoadProcess } from './load.ts';
import type { Circumstances } from './results.ts';
import type { Row } from './rows.ts';

export interface Extent {
  readonly rounds: number;
  readonly milliseconds: number;
  readonly warmUpMs: number;
}

export interface Bench extends Extent {
  readonly load: LoadProcess;
  /** Removed at the end. */
  readonly folder: string;
  tell(text: string): void;
  /** Is stopped in the end, if not before. */
  started<Thing extends { stop(): Promise<void> }>(thing: Thing): Thing;
  /** Durable, as in production; the same one for all callers. */
  postgres(): Promise<PostgresServer>;
}

/** Takes everything down in the end, whatever happens. */
export async function withBench<Result>(extent: Extent, work: (bench: Bench) => Promise<Result>): Promise<Result> {
  const running: { stop(): Promise<void> }[] = [];
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'burgee-bench-'));
  let postgres: Promise<PostgresServer> | undefined;
  const started = <Thing extends { stop(): Promise<void> }>(thing: Thing): Thing => {
    running.push(thing);
    return thing;
  };
  const load = started(startLoadProcess());
  const tell = (text: string) => process.stderr.write(`${sinceText(startedAt)} ${text}\n`);
  const takeDown = async () => {
    for (const thing of running.reverse()) await thing.stop();
    await (await postgres)?.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  const stopNow = () => void takeDown().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stopNow);
  try {
    return await work({
      ...extent,
      load,
      folder,
      tell,
      started,
      postgres: () => {
        postgres ??= startPostgres({ ...durable, ...roomy });
        return postgres;
      },
    });
  } finally {
    await takeDown();
  }
}

/** Collects the rows of the parts. What goes wrong in one part does not cost what the others found. */
export function collectRows() {
  const rows: Row[] = [];
  /** What could not be measured, and why. */
  const failures: string[] = [];
  const attempt = async (bench: Bench, part: string, measure: () => Promise<readonly Row[]>): Promise<void> => {
    try {
      rows.push(...(await measure()));
    } catch (error) {
      bench.tell(`${part} could not be measured: ${(error as Error).stack}`);
      failures.push(`${part}: ${(error as Error).message}`);
    }
  };
  /** Prints the page of results, and writes it unless the run was a quick one. Returns whether it wrote. */
  const finish = async (bench: Bench, { page, file, isQuick, startedAt, ...known }: Results): Promise<boolean> => {
    const [version] = await command((await bench.postgres()).url('postgres'), 'show server_version');
    const text = page(rows, {
      ...known,
      postgres: String(version?.server_version),
      minutes: (performance.now() - startedAt) / 60_000,
      loadBusiest: bench.load.busiest(),
      failures,
    });
    process.stdout.write(text);
    if (failures.length > 0) process.exitCode = 1;
    if (isQuick) {
      bench.tell(
        'Nothing was written: one short round shows that everything runs, but is too little to judge a bar by',
      );
      return false;
    }
    writeFileSync(new URL(file, import.meta.url), text);
    return true;
  };
  return { rows, attempt, finish };
}

interface Results extends Omit<Circumstances, 'postgres' | 'minutes' | 'loadBusiest' | 'failures'> {
  readonly page: (rows: readonly Row[], circumstances: Circumstances) => string;
  readonly file: string;
  readonly isQuick: boolean;
  /** By `performance.now()`. */
  readonly startedAt: number;
}

const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', autovacuum: 'on' };
const roomy = { shared_buffers: '512MB', max_wal_size: '4GB' };

/** In minutes and seconds. */
function sinceText(startedAt: number): string {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return `${String(Math.floor(seconds / 60)).padStart(3)}:${String(seconds % 60).padStart(2, '0')}`;
}
