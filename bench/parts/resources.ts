/** What it takes to start and to run: the time until a server is ready, and the memory that it holds. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Asked } from '../load.ts';
import { loadOn } from '../measuring.ts';
import { exactly, median, ratioOf } from '../ratios.ts';
import { getDefinitions, getFlags, patchDefinitions } from '../requests.ts';
import { measureInRounds } from '../rounds.ts';
import { grouped, type Row } from '../rows.ts';
import { type Server, startBurgee } from '../servers.ts';
import { unleashRequests } from '../unleash.ts';
import type { Bench } from '../workbench.ts';

const part = 'Start and memory';

/** Both databases exist already; the empty one has what the first start makes. */
export async function measureStarts(bench: Bench, empty: string, full: string, flags: number): Promise<Row[]> {
  bench.tell('Start to ready, with and without flags');
  const start = async (databaseUrl: string): Promise<number> => {
    const begin = performance.now();
    const server = await startBurgee(databaseUrl);
    const milliseconds = performance.now() - begin;
    await server.stop();
    return milliseconds;
  };
  const subjects = [
    { name: 'full', measure: () => start(full) },
    { name: 'empty', measure: () => start(empty) },
  ];
  for (const { measure } of subjects) await measure();
  const samples = await measureInRounds(subjects, { count: bench.rounds, tell: () => undefined });
  return [
    {
      part,
      work: `Start to ready with ${grouped(flags)} flags in 3 environments`,
      against: 'an empty database',
      ratio: ratioOf(samples('full'), samples('empty'), (milliseconds) => milliseconds),
      bar: { atMost: 2 },
      ours: `${Math.round(median(samples('full')))} ms`,
      theirs: `${Math.round(median(samples('empty')))} ms`,
    },
  ];
}

interface Memory {
  readonly idle: number;
  readonly afterLoad: number;
}

/**
 * Each is started, left alone for a moment, weighed, asked for a while, and weighed again. Pages are not asked for: with
 * a hundred thousand flags Unleash closed connections before it had answered.
 */
export async function measureMemory(
  bench: Bench,
  { startOurs, startTheirs, flags }: { startOurs: Start; startTheirs: Start; flags: number },
): Promise<Row[]> {
  bench.tell(`Memory, with ${flags} flags in Burgee`);
  const ours = await weigh(bench, startOurs, [
    getDefinitions(flags),
    getFlags(flags),
    patchDefinitions(flags, clients),
  ]);
  bench.tell(`Memory, with ${flags} flags in Unleash`);
  const theirs = await weigh(bench, startTheirs, [
    unleashRequests.definitions(flags),
    unleashRequests.flags(flags),
    unleashRequests.changes(clients),
  ]);
  const row = (work: string, weight: (memory: Memory) => number): Row => ({
    part,
    work: `Resident memory ${work}, ${grouped(flags)} flags in 3 environments`,
    against: 'Unleash',
    ratio: exactly(weight(ours) / weight(theirs)),
    bar: { atMost: 0.5 },
    ours: megabytes(weight(ours)),
    theirs: megabytes(weight(theirs)),
    ...(Number.isNaN(weight(ours)) ? { notJudged: 'the system does not tell' } : {}),
  });
  return [row('idle', ({ idle }) => idle), row('after load', ({ afterLoad }) => afterLoad)];
}

type Start = () => Promise<Server>;
const clients = 8;
/** Until what a start leaves behind has settled. */
const settleMs = 2_000;

async function weigh(bench: Bench, start: Start, works: readonly (readonly Asked[])[]): Promise<Memory> {
  const server = bench.started(await start());
  await pause(settleMs);
  const idle = server.residentBytes() ?? Number.NaN;
  const complain = (error: Error) => bench.tell(`Not all was answered: ${error.message}`);
  for (const requests of works) {
    const milliseconds = bench.milliseconds * Math.min(3, bench.rounds);
    // It is weighed also where it did not keep up; but it must be there.
    await bench.load.run(loadOn([server], { clients, requests }, milliseconds)).catch(complain);
    server.requireRunning();
  }
  const afterLoad = server.residentBytes() ?? Number.NaN;
  await server.stop();
  return { idle, afterLoad };
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;
