/**
 * Runs the whole suite on both databases: first on SQLite, then, with a PostgreSQL that is started for it, every test
 * that has to do with a database. TEST_POSTGRES_URL names a server to use instead (a user who may create databases).
 * Arguments are files or patterns of tests; without any, all but those in a browser, which `test:e2e` runs, and those that
 * torment the server, which `test:trust` runs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { openStore } from '#store/open.ts';
import { command, databaseUrl, serverVariable, templateVariable } from './support/databases.ts';
import { binariesVariable, copyBinaries, startPostgres } from './support/postgres-server.ts';

const patterns = process.argv.slice(2);
const files = globSync(patterns.length > 0 ? patterns : ['test/*.test.ts', 'test/!(e2e|trust)/**/*.test.ts']).sort();
/** Pure, or about the sources: one run tells everything. */
const withoutDatabase = /^test\/(?:domain\/|web-logic\/|web\/build|[^/]+\.test\.ts$)/;
/** About what only PostgreSQL has: several nodes, and a server that can fail. */
const withPostgresOnly = /^test\/postgres\//;
/** No test takes longer, but for the long form of those that torment the server. */
const timeoutMs = process.env.TRUST === 'long' ? 3 * 3_600_000 : 300_000;
const template = `burgee_template_${process.pid}`;

let running: ChildProcess | undefined;
let isInterrupted = false;
// Ctrl-C ends the tests that run; we stay to clean up behind them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    running?.kill(signal);
  });
}

const onSqlite = await run(
  'SQLite',
  files.filter((file) => !withPostgresOnly.test(file)),
  {},
);
const onPostgres = await withPostgres((environment) =>
  run(
    'PostgreSQL',
    files.filter((file) => !withoutDatabase.test(file)),
    environment,
  ),
);
process.exitCode = onSqlite === 0 && onPostgres === 0 ? 0 : 1;

async function run(database: string, chosen: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  if (chosen.length === 0) return 0;
  if (isInterrupted) return 1;
  process.stderr.write(`\n${chosen.length} files of tests on ${database}\n`);
  running = spawn(
    process.execPath,
    ['--test', `--test-timeout=${timeoutMs}`, `--test-concurrency=${availableParallelism()}`, ...chosen],
    {
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    },
  );
  const [code] = await once(running, 'exit');
  return (code as number | null) ?? 1;
}

async function withPostgres(body: (environment: NodeJS.ProcessEnv) => Promise<number>): Promise<number> {
  const given = process.env.TEST_POSTGRES_URL;
  const binaries = copyBinaries();
  process.env[binariesVariable] = binaries;
  // What takes minutes meets tables that have grown since, as in production.
  const server = given ? undefined : await startPostgres(process.env.TRUST === 'long' ? { autovacuum: 'on' } : {});
  try {
    return await withTemplate(given ?? server?.url('postgres') ?? '', body);
  } finally {
    await server?.remove();
    rmSync(dirname(binaries), { recursive: true, force: true });
  }
}

/** The schema is made once and copied: that is quicker than making it for each file. */
async function withTemplate(url: string, body: (environment: NodeJS.ProcessEnv) => Promise<number>): Promise<number> {
  await command(url, `create database ${template} template template0`);
  try {
    const store = await openStore({ databaseUrl: databaseUrl(url, template), databasePool: 1 });
    await store.close();
    return await body({ [serverVariable]: url, [templateVariable]: template });
  } finally {
    await command(url, `drop database ${template} with (force)`);
  }
}
