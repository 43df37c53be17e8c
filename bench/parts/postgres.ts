/** On PostgreSQL: one node and two, against the bare driver doing the same statements, so many at once. */
import { availableParallelism } from 'node:os';
import { command } from '../../test/support/databases.ts';
import { fillCatalogue } from '../catalogue.ts';
import type { Asked, LoadResult } from '../load.ts';
import { asked, compare, watched } from '../measuring.ts';
import { startServant } from '../processes.ts';
import { recordRequests } from '../recorded.ts';
import type { PostgresOrder } from '../reference/bare-postgres.ts';
import { getDefinitions, patchDefinitions, patchDefinitionsEverywhere } from '../requests.ts';
import { type Row, throughputRow } from '../rows.ts';
import { startBurgee } from '../servers.ts';
import type { Bench } from '../workbench.ts';

const part = 'On PostgreSQL';
/** Two nodes, PostgreSQL, the load, and something for the rest. */
const enoughProcessors = 6;

interface Work {
  readonly work: string;
  readonly clients: number;
  readonly requests: readonly Asked[];
  readonly order: 'all' | 'own';
}

export async function measureOnPostgres(bench: Bench, flags: number): Promise<Row[]> {
  bench.tell(`PostgreSQL with ${flags} flags`);
  const postgres = await bench.postgres();
  await command(postgres.url('postgres'), 'create database burgee_bench');
  const url = postgres.url('burgee_bench');
  await fillCatalogue(url, { flags, people: 10 });
  await command(url, 'analyze');
  // Several processes share the cores, so nobody is kept on one.
  const one = bench.started(await startBurgee(url, 'anywhere'));
  const other = bench.started(await startBurgee(url, 'anywhere'));
  const servant = bench.started(
    startServant<PostgresOrder, Omit<LoadResult, 'meansMs'>>('./reference/bare-postgres.ts', 'anywhere'),
  );
  const works: Work[] = [
    { work: 'GET definition, 32 clients', clients: 32, requests: getDefinitions(flags), order: 'all' },
    { work: 'PATCH definition, one client', clients: 1, requests: patchDefinitions(flags, 1), order: 'own' },
    {
      work: 'PATCH definition, 32 clients, in 3 environments',
      clients: 32,
      requests: patchDefinitionsEverywhere(flags, 32),
      order: 'own',
    },
  ];
  const rows: Row[] = [];
  for (const { work, ...asking } of works) {
    const requests = await recordRequests(url, asking.requests.slice(0, asking.clients));
    const samples = await compare(bench, `${work}, on PostgreSQL`, {
      one: asked(bench, [one], asking),
      two: asked(bench, [one, other], asking),
      bare: (milliseconds) =>
        watched([servant], () => servant.ask({ url, requests, milliseconds, clients: asking.clients })),
    });
    const compared = { part, work, ours: samples('one') };
    rows.push(
      throughputRow({ ...compared, against: 'the bare driver, same statements', theirs: samples('bare') }, 0.5),
      throughputRow(
        { ...compared, work: `${work}, two nodes`, ours: samples('two'), against: 'one node', theirs: samples('one') },
        1.6,
        availableParallelism() < enoughProcessors ? `only ${availableParallelism()} processors for all` : undefined,
      ),
    );
  }
  return rows;
}
