/**
 * A primary and its streaming replica, made with the low-level backup API, since the binaries from npm have no
 * pg_basebackup. Nodes reach them at one address, which moves: a proxy here, a virtual address or a load balancer
 * elsewhere.
 */
import { chownSync, cpSync, globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after } from 'node:test';
import { Client } from 'pg';
import { command } from './databases.ts';
import { type PostgresServer, startPostgres, startServerIn, temporaryServerFolder } from './postgres-server.ts';
import { anInstallation, type Installation } from './process.ts';
import { startProxy, type TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

export interface Pair {
  readonly primary: PostgresServer;
  readonly replica: PostgresServer;
  /** The address at which nodes reach the current primary. */
  readonly address: TcpProxy;
  /** Between the replica and the primary. */
  readonly link: TcpProxy;
  /** Over the database at the address. */
  readonly burgee: Installation;
}

const database = 'burgee';

/** With a synchronous replica the primary acknowledges a commit only when the replica has it on its disk, too. */
export async function startPair(replication: 'synchronous' | 'asynchronous'): Promise<Pair> {
  const primary = await startPostgres(durable);
  const [address, link] = await Promise.all([startProxy(primary.url(database)), startProxy(primary.url('postgres'))]);
  // Hooks run in order: the nodes are gone before their database is.
  const burgee = anInstallation({ databaseUrl: address.url });
  after(() => primary.remove());
  await command(primary.url('postgres'), `create database ${database}`);
  const replica = await startReplica(primary, new URL(link.url).port);
  after(() => replica.remove());
  await untilFollowed(primary);
  if (replication === 'synchronous') await waitForReplica(primary);
  return { primary, replica, address, link, burgee };
}

/** Makes a primary of it, and lets the address lead there. */
export async function takeOver({ replica, address }: Pair): Promise<void> {
  const [row] = await command(replica.url('postgres'), 'select pg_promote() as promoted');
  if (row?.promoted !== true) throw new Error('the replica could not be promoted');
  address.pointTo(replica.port);
}

export const untilFollowed = (primary: PostgresServer): Promise<void> =>
  until('the replica follows', async () => (await followers(primary)).some(({ state }) => state === 'streaming'));

const followers = (primary: PostgresServer) =>
  command(primary.url('postgres'), 'select state, sync_state from pg_stat_replication');

/** So that a server waits for its disk before it acknowledges, and keeps what a new replica has to catch up with. */
const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', wal_keep_size: '256MB' } as const;

async function waitForReplica(primary: PostgresServer): Promise<void> {
  const url = primary.url('postgres');
  await command(url, "alter system set synchronous_standby_names = '*'");
  await command(url, 'select pg_reload_conf()');
  await until('the replica is waited for', async () =>
    (await followers(primary)).some(({ sync_state }) => sync_state === 'sync'),
  );
}

async function startReplica(primary: PostgresServer, port: string): Promise<PostgresServer> {
  const folder = temporaryServerFolder();
  const client = new Client({ connectionString: primary.url('postgres') });
  await client.connect();
  try {
    await client.query("select pg_backup_start('replica', fast => true)");
    copyData(primary.folder, folder);
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(wait_for_archive => false)',
    );
    writeFileSync(join(folder, 'data/backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  writeFileSync(join(folder, 'data/standby.signal'), '');
  handAll(folder);
  const follows = { primary_conninfo: `host=127.0.0.1 port=${port} user=burgee`, wal_retrieve_retry_interval: '100ms' };
  return startServerIn(folder, { ...durable, ...follows });
}

/** What belongs to the running server alone: its log is streamed, the rest is recreated. */
const notCopied = /^(?:postmaster\.(?:pid|opts)|(?:pg_wal|pg_replslot|pg_notify|pg_stat_tmp|pg_subtrans)\/.*)$/;

function copyData(from: string, to: string): void {
  const [source, target] = [join(from, 'data'), join(to, 'data')];
  cpSync(source, target, { recursive: true, filter: (file) => !notCopied.test(relative(source, file)) });
  for (const folder of ['archive_status', 'summaries']) mkdirSync(join(target, 'pg_wal', folder));
}

/** To the user who has the folder. */
function handAll(folder: string): void {
  const { uid, gid } = statSync(folder);
  for (const file of globSync('**', { cwd: folder })) chownSync(join(folder, file), uid, gid);
}
