/**
 * SQLite against PostgreSQL, over a socket in the file system and over TCP, and one node against two. Writes what it
 * found to databases.md. `npm run bench:databases -- 1` runs one round instead of five, to try it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../test/support/databases.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { fillCatalogue, getDefinition, patchDefinition } from './catalogue.ts';
import { overSocket, overTcp, report, sqlite, twoNodes } from './databases-report.ts';
import { type Load, runLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { measureInRounds, type Sample, type Samples } from './rounds.ts';
import { adminKey, type BurgeeServer, startBurgee } from './servers.ts';

const rounds = Number(process.argv[2] ?? 5);
const warmUpMs = 500;
const measuredMs = 1_200;

type Work = Pick<Load, 'clients' | 'ask'>;

const works: Record<string, Work> = {
  'GET definition, 32 clients': { clients: 32, ask: getDefinition },
  'PATCH definition, 1 client': { clients: 1, ask: patchDefinition(() => 0) },
  'PATCH definition, 32 clients in one environment': { clients: 32, ask: patchDefinition(() => 0) },
  'PATCH definition, 32 clients in 8 environments': { clients: 32, ask: patchDefinition((client) => client) },
};

type Nodes = readonly BurgeeServer[];

/** All that was started, the last first when it is taken down. */
const started: (() => Promise<void> | void)[] = [];
const tell = (text: string) => process.stderr.write(`${text}\n`);

try {
  const machine = describeMachine();
  const folder = mkdtempSync(join(tmpdir(), 'burgee-bench-'));
  started.push(() => rmSync(folder, { recursive: true, force: true }));
  tell('Starting PostgreSQL and the nodes');
  const postgres = await startPostgres({ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' });
  started.push(() => postgres.remove());
  const [version] = await command(postgres.url('postgres'), 'show server_version');
  const setups = await startSetups(postgres, folder);
  const found = new Map<string, Samples>();
  for (const [name, work] of Object.entries(works)) found.set(name, await compare(setups, name, work));
  const text = report({ ...machine, postgres: String(version?.server_version), rounds, measuredMs }, found);
  writeFileSync(new URL('./databases.md', import.meta.url), text);
  process.stdout.write(text);
} finally {
  for (const takeDown of started.reverse()) await takeDown();
}

async function startSetups(postgres: PostgresServer, folder: string): Promise<Map<string, Nodes>> {
  const urls: [name: string, url: string, nodes: number][] = [
    [sqlite, `file:${join(folder, 'burgee.db')}`, 1],
    [overSocket, postgres.url('socket', 'socket'), 1],
    [overTcp, postgres.url('tcp'), 1],
    [twoNodes, postgres.url('two'), 2],
  ];
  for (const database of ['socket', 'tcp', 'two']) {
    await command(postgres.url('postgres'), `create database ${database}`);
  }
  const setups = new Map<string, Nodes>();
  for (const [name, url, count] of urls) {
    const nodes: BurgeeServer[] = [];
    for (let number = 0; number < count; number += 1) {
      const node = await startBurgee(url, folder);
      started.push(() => node.stop());
      nodes.push(node);
    }
    await fillCatalogue(nodes[0]?.port ?? 0);
    setups.set(name, nodes);
  }
  return setups;
}

async function compare(setups: Map<string, Nodes>, name: string, work: Work): Promise<Samples> {
  for (const nodes of setups.values()) await measure(nodes, work, warmUpMs);
  const subjects = [...setups].map(([setup, nodes]) => ({
    name: setup,
    measure: () => measure(nodes, work, measuredMs),
  }));
  return measureInRounds(subjects, {
    count: rounds,
    tell: (round, setup) => tell(`${name}, round ${round + 1} of ${rounds}: ${setup}`),
  });
}

async function measure(nodes: Nodes, work: Work, milliseconds: number): Promise<Sample> {
  const before = processorMs(nodes);
  const requests = await runLoad({ ...work, ports: nodes.map(({ port }) => port), milliseconds, key: adminKey });
  const spent = processorMs(nodes) - before;
  return {
    perSecond: (requests * 1_000) / milliseconds,
    processorUs: Number.isNaN(spent) ? undefined : (spent * 1_000) / requests,
  };
}

/** Not a number where the system does not say. */
function processorMs(nodes: Nodes): number {
  return nodes.reduce((sum, node) => sum + (node.processorMs() ?? Number.NaN), 0);
}
