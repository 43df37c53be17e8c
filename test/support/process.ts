/** The real server in its own process, as an operator runs it: tests share only the folder with it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { prefix } from '#contract/parts.ts';
import type { Answer } from './app.ts';
import { command, copyTemplate, newDatabase, onPostgres, temporaryFolder } from './databases.ts';
import { logLinesIn, requireDocumentedFields } from './log-fields.ts';
import { createSecrets, requireNoShapes, type Secrets } from './secrets.ts';

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** What a test sets. No variable of Burgee comes from outside. */
type Variables = Readonly<Record<string, string>>;

/** Where the shell finds its programs, and Node what it has compiled: starting from there takes half the time. */
const { PATH, NODE_COMPILE_CACHE } = process.env;
const fromOutside = { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };

export interface Finished {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Server {
  readonly url: string;
  readonly pid: number;
  /** All that it wrote so far. */
  stdout(): string;
  stderr(): string;
  /** Waits until it has written what matches. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** The admin key of the first start, as it was printed. */
  printedKey(): Promise<string>;
  call(method: string, path: string, request: { as: string; body?: unknown }): Promise<Pick<Answer, 'status' | 'body'>>;
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<Finished>;
  /** Sends the signal and waits for the end. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Finished>;
  /** Pauses it, with everything that it holds, until it is resumed. */
  pause(): void;
  goOn(): void;
}

/** An operator's folder. The database is a file in its `data`, or a new one on PostgreSQL. */
export interface Installation {
  readonly folder: string;
  /** The program, for scripts that run it themselves. */
  readonly main: string;
  /** Of its own database. */
  databaseUrl(): Promise<string>;
  /** Starts the server on a free port and waits until it listens. Several are nodes over the same database. */
  start(variables?: Variables): Promise<Server>;
  /** Runs `burgee` with the arguments to its end. */
  run(args: readonly string[], variables?: Variables): Promise<Finished>;
  /** Runs a script of the shell in the folder to its end. */
  shell(script: string, variables?: Variables): Promise<Finished>;
  /** Keeps every server from creating flags until the returned function is called. */
  lock(): Promise<() => Promise<void>>;
  /** Reads the database while others have it open. */
  rows<Row>(query: string): Promise<Row[]>;
  /** The same of another database. */
  rowsOf<Row>(databaseUrl: string, query: string): Promise<Row[]>;
}

/** For `anInstallation`: what an operator runs, and not the bundle of it that starts quicker. */
export const fromSources = { main: fileURLToPath(new URL('../../src/main.ts', import.meta.url)) };
/** Where `test/run.ts` has put that bundle. */
export const bundleVariable = 'BURGEE_TEST_BUNDLE';
const bundle = process.env[bundleVariable];

/** For `describe`: a process takes most of a second to load, so tests that start some run beside each other. */
export const sideBySide = { concurrency: 3 };

/** Far more than anything takes that a test waits for; a server may run for longer, as it does with TRUST=long. */
const timeoutMs = 300_000;

export interface InstallationOptions {
  /** Whoever gave it. */
  readonly databaseUrl?: string;
  /** The folder is empty and a PostgreSQL database has no schema yet, as before the first start. Starts take longer. */
  readonly empty?: boolean;
  /** What is run; without it this checkout. */
  readonly main?: string;
  readonly node?: string;
}

/** After the tests of the file (or of the test that asks) nothing of it runs and nothing of it is on disk. */
export function anInstallation({
  databaseUrl: given,
  empty = false,
  main,
  node = process.execPath,
}: InstallationOptions = {}): Installation {
  const program = main ?? bundle ?? fromSources.main;
  const running = new Set<Child>();
  const outputs: Output[] = [];
  const secrets = createSecrets();
  // Registered before the folder's own hook, so what runs is gone before its folder is.
  after(async () => {
    await Promise.all([...running].map(kill));
    for (const output of outputs) requireNoSecrets(await output.ended, secrets);
  });
  const folder = temporaryFolder();
  const file = join(folder, 'data/burgee.db');
  if (given === undefined && !onPostgres && !empty) {
    mkdirSync(dirname(file), { mode: 0o700 });
    copyTemplate(file);
  }
  /** Undefined where the database is the file. */
  const database = given === undefined && onPostgres ? newDatabaseUrl(empty) : given;
  const launch = async (program: string, args: readonly string[], variables: Variables): Promise<Launched> => {
    const url = await database;
    for (const name of ['BURGEE_ADMIN_API_KEY', 'PGPASSWORD']) secrets.add(variables[name]);
    for (const name of ['DATABASE_URL', 'SMTP_URL']) secrets.add(URL.parse(variables[name] ?? '')?.password);
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...fromOutside, ...(url === undefined ? {} : { DATABASE_URL: url }), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    child.once('close', () => running.delete(child));
    const output = follow(child);
    outputs.push(output);
    return { child, output };
  };
  const toItsEnd = async (program: string, args: readonly string[], variables: Variables = {}) => {
    const { child, output } = await launch(program, args, variables);
    return inTime(child, output.ended);
  };
  const databaseUrl = async () => (await database) ?? `file:${file}`;
  return {
    folder,
    main: main ?? fromSources.main,
    databaseUrl,
    start: async (variables = {}) => startServer(await launch(node, [program, 'serve'], { PORT: '0', ...variables })),
    run: (args, variables) => toItsEnd(node, [program, ...args], variables),
    shell: (script, variables) => toItsEnd('sh', ['-c', script], variables),
    lock: async () => {
      const url = await database;
      return url === undefined ? lockFile(file) : lockTable(url);
    },
    rows: async (query) => rowsOf(await databaseUrl(), query),
    rowsOf,
  };
}

const newDatabaseUrl = async (empty: boolean): Promise<string> => (await newDatabase({ empty })).databaseUrl;

/** The server may be writing meanwhile. */
const busyMs = 10_000;

function lockFile(file: string): () => Promise<void> {
  const database = new DatabaseSync(file, { timeout: busyMs });
  database.exec('begin immediate');
  return async () => database.close();
}

async function lockTable(url: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('lock table flags in exclusive mode');
  return () => client.end();
}

async function rowsOf<Row>(databaseUrl: string, query: string): Promise<Row[]> {
  if (!databaseUrl.startsWith('file:')) return (await command(databaseUrl, query)) as Row[];
  const database = new DatabaseSync(databaseUrl.slice('file:'.length), { timeout: busyMs });
  try {
    return database
      .prepare(query)
      .all()
      .map((row) => ({ ...row }) as Row);
  } finally {
    database.close();
  }
}

async function startServer({ child, output }: Launched): Promise<Server> {
  after(() => requireDocumentedFields(logLinesIn(output.stdout())));
  const saying = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(output.stdout());
      if (found) return found;
      await Promise.race([once(child.stdout, 'data'), output.ended.then(complain)]);
    }
  };
  const says = (pattern: RegExp) => inTime(child, saying(pattern));
  const url = (await says(/Burgee listens at (http:\/\/[\w.:]+)/))[1] ?? '';
  // An answer shows that the start is over, not only that the socket is open.
  await (await fetch(`${url}/ready`)).text();
  return {
    url,
    pid: child.pid ?? 0,
    stdout: output.stdout,
    stderr: output.stderr,
    says,
    printedKey: async () => (await says(/shown only once:\n\n {2}(\S+)\n/))[1] ?? '',
    call: (method, path, { as, body }) => call(method, url + prefix + path, as, body),
    ended: output.ended,
    end: async (signal) => {
      child.kill(signal);
      return inTime(child, output.ended);
    },
    pause: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
  };
}

interface Output {
  readonly ended: Promise<Finished>;
  stdout(): string;
  stderr(): string;
}

interface Launched {
  readonly child: Child;
  readonly output: Output;
}

/** The log, without what is printed for the operator: the first key, a new one, the set-up link. */
function requireNoSecrets({ stdout, stderr }: Finished, secrets: Secrets): void {
  const isHandedOver = (line: string) => line.includes('no mail server is configured: hand this link over yourself');
  const log = stdout.split('\n').filter((line) => line.startsWith('{') && !isHandedOver(line));
  for (const [where, text] of [
    ['the log', log.join('\n')],
    ['standard error', stderr],
  ] as const) {
    secrets.requireNone(where, text);
    requireNoShapes(where, text);
  }
}

/** A process that hangs while somebody waits for it is killed, so that the test says so. */
async function inTime<Result>(child: Child, awaited: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  try {
    return await awaited;
  } finally {
    clearTimeout(timer);
  }
}

function follow(child: Child): Output {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]): Finished => ({ code: code as number | null, stdout, stderr }));
  return { ended, stdout: () => stdout, stderr: () => stderr };
}

function complain({ code, stdout, stderr }: Finished): never {
  throw new Error(`the server ended with ${code}\n${stdout}${stderr}`);
}

async function call(method: string, url: string, key: string, body: unknown) {
  const reply = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as Answer['body'] };
}

async function kill(child: Child): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
