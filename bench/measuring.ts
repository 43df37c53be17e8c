/** What all parts of the bench share: how long, how often, who asks, and what comes out. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { type Load, type LoadProcess, type LoadResult, startLoadProcess } from './load.ts';
import type { Process } from './processes.ts';
import { measureInRounds, type Samples } from './rounds.ts';
import type { Server } from './servers.ts';

export interface Extent {
  readonly rounds: number;
  readonly milliseconds: number;
  readonly warmUpMs: number;
}

export interface Bench extends Extent {
  readonly load: LoadProcess;
  /** Gone in the end. */
  readonly folder: string;
  tell(text: string): void;
  /** Is stopped in the end, if not before. */
  started<Thing extends { stop(): Promise<void> }>(thing: Thing): Thing;
  /** Durable, as in production; the same one for everybody who asks. */
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
  const tell = (text: string) => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stderr.write(
      `${String(Math.floor(seconds / 60)).padStart(3)}:${String(seconds % 60).padStart(2, '0')} ${text}\n`,
    );
  };
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

const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', autovacuum: 'on' };
const roomy = { shared_buffers: '512MB', max_wal_size: '4GB' };

/** Of one subject in one round. */
export interface Sample {
  readonly perSecond: number;
  /** Processor time of what answers, for one request, in microseconds; NaN where the system does not say. */
  readonly processorUs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Measures for so long. */
export type Contestant = (milliseconds: number) => Promise<Sample>;

export type Asking = Pick<Load, 'clients' | 'requests'> & Partial<Pick<Load, 'order'>>;

/** Servers that are asked; several are nodes of one installation. */
export const asked =
  ({ load }: Bench, servers: readonly Server[], asking: Asking): Contestant =>
  (milliseconds) =>
    watched(servers, async () => {
      const [result] = await load.run(loadOn(servers, asking, milliseconds));
      if (!result) throw new Error('the load had no result');
      return result;
    });

export const loadOn = (servers: readonly Server[], asking: Asking, milliseconds: number): Load => ({
  ports: servers.map(({ port }) => port),
  headers: servers[0]?.headers ?? {},
  order: 'all',
  ...asking,
  milliseconds,
});

/** With the processor time of the processes meanwhile. */
export async function watched(
  processes: readonly Process[],
  run: () => Promise<Omit<LoadResult, 'meansMs'>>,
): Promise<Sample> {
  const before = processorMs(processes);
  const { answered, elapsedMs, medianMs, p99Ms } = await run();
  return {
    perSecond: (answered * 1_000) / elapsedMs,
    processorUs: ((processorMs(processes) - before) * 1_000) / answered,
    medianMs,
    p99Ms,
  };
}

const processorMs = (processes: readonly Process[]): number =>
  processes.reduce((sum, one) => sum + (one.processorMs() ?? Number.NaN), 0);

/** Warms each contestant up, then measures all of them in rounds. */
export async function compare(
  { rounds, milliseconds, warmUpMs, tell }: Bench,
  work: string,
  contestants: Readonly<Record<string, Contestant>>,
): Promise<Samples<Sample>> {
  tell(`${work}: ${Object.keys(contestants).join(', ')}`);
  const all = Object.entries(contestants);
  for (const [, measure] of all) await measure(warmUpMs);
  return measureInRounds(
    all.map(([name, measure]) => ({ name, measure: () => measure(milliseconds) })),
    { count: rounds, tell: () => undefined },
  );
}
