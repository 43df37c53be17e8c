/**
 * Runs the tests on SQLite and, with a PostgreSQL that is started for it, those that have to do with a database there
 * as well. TEST_POSTGRES_URL names a server to use instead (a user who may create databases). Arguments are files or
 * patterns of tests; without any, all that neither start a server as a process nor need the built interface. `--sqlite`
 * leaves PostgreSQL out. `--retry` runs the few files that failed once more, alone, and tells of both.
 */
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openStore } from '#store/open.ts';
import { command, databaseUrl, serverVariable, templateVariable } from './support/databases.ts';
import { type Lane, type Outcome, processorMsOf, startLane } from './support/lanes.ts';
import { binariesVariable, copyBinaries, startPostgres } from './support/postgres-server.ts';
import { bundleVariable } from './support/process.ts';

/**
 * Pure, about the sources, about SQLite alone, about what comes before the database, such as headers, limits and
 * hashes, or a journey whose statements other files run there: a second run on PostgreSQL would show nothing new.
 */
const withoutPostgres = new RegExp(
  '^test/(?:domain/|concurrency/|web-logic/|[^/]+\\.test\\.ts$|store/sqlite\\.|commands/secrets|http/(?!large-bodies)|' +
    'accounts/(?:hashing|origin|throttle)|delivery/(?:disk|idle-streams|patterns|slow-|announced-changes)|import/(?:split-source|split-files|files|subjects)|trust/evaluation|journeys/(?:bench|code-refs|import|invitation)|telemetry/span-exporter)',
);
/** About what only PostgreSQL has, several nodes and a server that can fail; or a file that tests both by itself. */
const withPostgresOnly = /^test\/(?:postgres\/|failures\/|journeys\/release)/;
/** `test/architecture.test.ts` holds the others to start none. */
const startsServers = /^test\/(?:e2e|failures|journeys|postgres|trust)\//;
/** They start processes and wait for them, so some of them run beside those that keep the processors busy. */
const mostlyWaiting =
  /^test\/(?:journeys\/|postgres\/|failures\/|jobs\/(?:backups|outbox)|trust\/(?:connections|bad-input\.sockets))/;
const waitingSlots = [takeWaitingJob, takeWaitingJob, takeWaitingJobFirst];
/** Begun first, because they take longest by the clock. */
const slowest = [
  'test/failures/failover.test.ts',
  'test/trust/isolation.test.ts',
  'test/trust/bad-input.sockets.test.ts',
  'test/trust/bad-input.test.ts',
  'test/trust/rights.test.ts',
  'test/trust/bad-input.weights.test.ts',
  'test/trust/evaluation.test.ts',
  'test/jobs/backups.test.ts',
  'test/jobs/outbox.test.ts',
  'test/failures/server.test.ts',
  'test/journeys/traces.test.ts',
  'test/failures/connections.test.ts',
  'test/failures/failover.standby.test.ts',
  'test/journeys/release.test.ts',
  'test/e2e/flag-views.test.ts',
  'test/e2e/flags.test.ts',
  'test/e2e/pages.test.ts',
  'test/trust/connections.test.ts',
  'test/trust/kill.test.ts',
];
/** No file takes longer, except the long form of the stress tests. */
const timeoutMs = process.env.TRUST === 'long' ? 3 * 3_600_000 : 900_000;
/** With `--retry`. If more fail, it is not the machine. */
const maxRetried = 3;
/** The temporary files of all tests together stay below this. */
const roomInMemory = 4 * 2 ** 30;
/** Where the errors begin in what Node's reporter writes. */
const failingTests = '\n✖ failing tests:\n';
const template = `burgee_template_${process.pid}`;

type Database = 'SQLite' | 'PostgreSQL';
type Environments = Readonly<Record<Database, NodeJS.ProcessEnv>>;

interface Job {
  readonly file: string;
  readonly database: Database;
}

interface Result extends Outcome {
  readonly database: Database;
}

const { values: options, positionals: patterns } = parseArgs({
  options: { sqlite: { type: 'boolean', default: false }, retry: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const files = globSync(
  patterns.length > 0 ? patterns : ['test/*.test.ts', 'test/!(e2e|failures|journeys|postgres|trust)/**/*.test.ts'],
).sort();
const queue = files
  .flatMap((file): Job[] => [
    ...(withPostgresOnly.test(file) ? [] : [{ file, database: 'SQLite' } as const]),
    ...(withoutPostgres.test(file) || options.sqlite ? [] : [{ file, database: 'PostgreSQL' } as const]),
  ])
  .sort((a, b) => rank(a) - rank(b));
const lanes = new Set<Lane>();
const results: Result[] = [];
const complaints: string[] = [];
/** Failed among others, and passed alone. */
const unsteady: Result[] = [];

// Ctrl-C ends the tests that run; we stay to clean up behind them.
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    for (const lane of lanes) lane.interrupt();
  });
}

// Temporary files of tests that are interrupted go with this folder. PostgreSQL reads its part as another user.
const folder = mkdtempSync(join(temporaryRoot(), 'burgee-tests-'));
chmodSync(folder, 0o755);
process.env.TMPDIR = folder;
try {
  // A bundle takes three seconds, as much as a few starts of the server from its sources.
  if (files.filter((file) => startsServers.test(file)).length >= 10)
    process.env[bundleVariable] = await (await import('./support/server-bundle.ts')).bundleServer();
  await runAll();
  summarise();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/**
 * In memory where there is room for it: creating a database takes a fifth of the processor time there, and commits do
 * not wait for a disk. The long stress tests need more room, and a disk like the one in production.
 */
function temporaryRoot(): string {
  const mounts = '/proc/mounts';
  if (process.env.TMPDIR !== undefined || process.env.TRUST === 'long' || !existsSync(mounts)) return tmpdir();
  const [, inMemory, flags] = /^\S+ (\/dev\/shm) tmpfs (\S+)/m.exec(readFileSync(mounts, 'utf8')) ?? [];
  // PostgreSQL and a release run from there.
  if (!inMemory || flags?.split(',').includes('noexec')) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return Math.min(bavail * bsize, process.availableMemory()) < roomInMemory ? tmpdir() : inMemory;
}

/** The slowest first, so that none is left over at the end; SQLite before PostgreSQL. */
function rank({ file, database }: Job): number {
  const place = slowest.indexOf(file);
  return (place === -1 ? slowest.length : place) + (database === 'SQLite' ? 0 : 0.5);
}

async function runAll(): Promise<void> {
  const file = join(folder, 'template.db');
  await makeSchema(`file:${file}`);
  // As the server makes its own.
  chmodSync(file, 0o600);
  const SQLite = { [templateVariable]: file };
  if (!queue.some(({ database }) => database === 'PostgreSQL')) return runOn({ SQLite, PostgreSQL: {} });
  await withPostgres((PostgreSQL) => runOn({ SQLite, PostgreSQL }));
}

/**
 * As many files at once as there are processors, and some more of those that mostly wait. Every other slot begins with
 * PostgreSQL: a slot that keeps to one database loads Burgee once.
 */
async function runOn(environments: Environments): Promise<void> {
  process.stdout.write(`${files.length} test files, ${queue.length} runs\n`);
  const kinds = [...Array.from({ length: availableParallelism() }, () => takeJob), ...waitingSlots];
  await Promise.all(
    kinds.map((take, slot) => runSlot(environments, () => take(slot % 2 === 0 ? 'SQLite' : 'PostgreSQL'))),
  );
  if (options.retry) await retryFailed(environments);
}

/**
 * A virtual machine may get no processor for seconds, in which requests run into their deadlines. What fails again, with
 * the machine to itself, has failed.
 */
async function retryFailed(environments: Environments): Promise<void> {
  const failed = results.filter(({ passed }) => !passed);
  if (failed.length > maxRetried || isInterrupted) return;
  for (const first of failed) {
    const { file, database } = first;
    const lane = start(environments[database]);
    const second = { ...(await lane.run({ file, timeoutMs })), database };
    await end(lane, database);
    results.splice(results.indexOf(first), 1);
    tell(second);
    if (second.passed) unsteady.push(first);
  }
}

/** Runs one file after the other until none is left. Files on the same database share a lane. */
async function runSlot(environments: Environments, take: () => Job | undefined): Promise<void> {
  const open = new Map<Database, Lane>();
  while (!isInterrupted) {
    const job = take();
    if (!job) break;
    const { file, database } = job;
    const lane = open.get(database) ?? start(environments[database]);
    open.set(database, lane);
    tell({ ...(await lane.run({ file, timeoutMs })), database });
    if (lane.isUsable()) continue;
    open.delete(database);
    await end(lane, database);
  }
  for (const [database, lane] of open) await end(lane, database);
}

function isWaiting({ file }: Job): boolean {
  return mostlyWaiting.test(file);
}

/** Those that mostly wait are left to the slots for them while there are others. */
function takeJob(first: Database): Job | undefined {
  return takeFirst(first, (job) => !isWaiting(job)) ?? takeWaitingJob(first);
}

function takeWaitingJob(first: Database): Job | undefined {
  return takeFirst(first, isWaiting);
}

/** Others take turns with PostgreSQL, so at the end one more keeps the processors busy. */
function takeWaitingJobFirst(first: Database): Job | undefined {
  return takeWaitingJob(first) ?? takeJob(first);
}

/** The slowest on that database, or else on the other. */
function takeFirst(first: Database, isFit: (job: Job) => boolean): Job | undefined {
  const job = queue.find((job) => job.database === first && isFit(job)) ?? queue.find(isFit);
  if (job) queue.splice(queue.indexOf(job), 1);
  return job;
}

function start(environment: NodeJS.ProcessEnv): Lane {
  const lane = startLane(environment);
  lanes.add(lane);
  return lane;
}

async function end(lane: Lane, database: Database): Promise<void> {
  const complaint = await lane.end();
  lanes.delete(lane);
  if (complaint !== undefined) complaints.push(`${database}: ${complaint}`);
}

function tell(result: Result): void {
  results.push(result);
  const { file, database, passed, tests, durationMs, processorMs, text } = result;
  const counted = tests === 0 ? 'no tests' : `${tests} tests`;
  process.stdout.write(
    `${passed ? '✔' : '✖'} ${file} on ${database}: ${counted}, ${seconds(durationMs)}, processor ${seconds(processorMs)}\n`,
  );
  // For named files, show each test.
  if (!passed || patterns.length > 0) process.stdout.write(text.split(failingTests)[0] ?? '');
}

/** At the end: what failed, once more and with its errors; the slowest and the costliest files; how much it was. */
function summarise(): void {
  const failed = results.filter(({ passed }) => !passed);
  const costs = Object.entries(Object.groupBy(results, ({ file }) => file))
    .map(([file, runs = []]) => ({ file, processorMs: runs.reduce((sum, run) => sum + run.processorMs, 0) }))
    .sort((a, b) => b.processorMs - a.processorMs)
    .slice(0, 10);
  const slow = results.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, 10);
  const tests = results.reduce((sum, one) => sum + one.tests, 0);
  const lines = [
    '\nslowest files:',
    ...slow.map(({ file, database, durationMs }) => `  ${seconds(durationMs)} ${file} on ${database}`),
    // As CONTRIBUTING.md has them: copy the lines of a whole `npm test` there when they have changed.
    '\nmost processor time, on all databases together:',
    ...costs.map(({ file, processorMs }) => `| \`${file}\` | ${Math.round(processorMs / 1000)} |`),
    ...unsteady.map((run) => `\npassed alone, but failed among others: ${errorsOf(run)}`),
    ...failed.map((run) => `\n✖ ${errorsOf(run)}`),
    ...complaints.map((complaint) => `✖ ${complaint}`),
    ...(queue.length > 0 ? [`✖ interrupted: ${queue.length} runs are missing`] : []),
    `\n${results.length} runs of files, ${tests} tests, ${failed.length} files failed, ${seconds(performance.now())}, processor ${seconds(processorMsOf('self'))}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = failed.length === 0 && complaints.length === 0 && !isInterrupted ? 0 : 1;
}

function errorsOf({ file, database, text }: Result): string {
  return `${file} on ${database}\n${text.split(failingTests).at(-1)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

async function withPostgres(body: (environment: NodeJS.ProcessEnv) => Promise<void>): Promise<void> {
  process.env[binariesVariable] = copyBinaries();
  const given = process.env.TEST_POSTGRES_URL;
  // What takes minutes meets tables that have grown since, as in production.
  const server = given ? undefined : await startPostgres(process.env.TRUST === 'long' ? { autovacuum: 'on' } : {});
  const url = given ?? server?.url('postgres') ?? '';
  try {
    await command(url, `create database ${template} template template0`);
    await makeSchema(databaseUrl(url, template));
    await body({ [serverVariable]: url, [templateVariable]: template });
  } finally {
    // Ours goes with all its databases. A terminal's Ctrl-C has ended it already.
    if (given) await command(given, `drop database if exists ${template} with (force)`);
    await server?.remove();
  }
}

/** The schema is made once and copied: that is quicker than making it for each file. */
async function makeSchema(url: string): Promise<void> {
  const store = await openStore({ databaseUrl: url, databasePool: 1 });
  await store.close();
}
