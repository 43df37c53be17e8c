/** Measures servers and drivers against each other. */
import type { Load, LoadResult } from './load.ts';
import type { Process } from './processes.ts';
import { measureInRounds, type Samples } from './rounds.ts';
import type { Server } from './servers.ts';
import type { Bench } from './workbench.ts';

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
  const { answered, served, elapsedMs, medianMs, p99Ms } = await run();
  return {
    perSecond: (answered * 1_000) / elapsedMs,
    processorUs: ((processorMs(processes) - before) * 1_000) / served,
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

/** In milliseconds since the system started: comparable between processes, even if the clock is set meanwhile. */
export const instant = (): number => Number(process.hrtime.bigint()) / 1e6;
