/** Durable changes on SQLite, against the bare driver doing the same statements; and reads beside them. */
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Asked, LoadResult } from '../load.ts';
import { asked, type Contestant, compare, loadOn, watched } from '../measuring.ts';
import { startServant } from '../processes.ts';
import { exactly, median } from '../ratios.ts';
import { recordRequests } from '../recorded.ts';
import type { SqliteOrder } from '../reference/bare-sqlite.ts';
import { addKey, answerOf, getDefinitions, patchDefinitions } from '../requests.ts';
import { p99Row, type Row, throughputRow } from '../rows.ts';
import type { Server } from '../servers.ts';
import type { Bench } from '../workbench.ts';

const part = 'Durable changes on SQLite';
const readers = 32;
const writers = 64;
const bare = 'the bare transaction, one client';

export interface Written {
  readonly server: Server;
  readonly file: string;
  readonly flags: number;
}

export async function measureWrites(bench: Bench, written: Written): Promise<Row[]> {
  const { server, flags } = written;
  const bareSqlite = await startBareSqlite(bench, written);
  const samples = await compare(bench, `PATCH definition, 1 client and ${writers}, and ${bare}`, {
    one: asked(bench, [server], { clients: 1, requests: patchDefinitions(flags, 1), order: 'own' }),
    many: asked(bench, [server], { clients: writers, requests: patchDefinitions(flags, writers), order: 'own' }),
    bare: bareSqlite,
  });
  const compared = { part, against: bare, theirs: samples('bare') };
  return [
    throughputRow({ ...compared, work: 'PATCH definition, one client', ours: samples('one') }, 0.7),
    throughputRow(
      { ...compared, work: `PATCH definition, ${writers} clients, as many flags`, ours: samples('many') },
      3,
    ),
    ...(await measureOneDefinition(bench, server)),
    await measureReadsBesideWrites(bench, written),
  ];
}

/** The statements of a real change, in a copy of the same database on the same disk. */
async function startBareSqlite(bench: Bench, { file, flags }: Written): Promise<Contestant> {
  const copy = join(bench.folder, 'bare.db');
  const source = new DatabaseSync(file, { readOnly: true });
  await backup(source, copy);
  source.close();
  const [request] = await recordRequests(`file:${copy}`, patchDefinitions(flags, 1));
  if (!request) throw new Error('nothing was recorded');
  const servant = bench.started(
    startServant<SqliteOrder, Omit<LoadResult, 'meansMs'>>('./reference/bare-sqlite.ts', 'serving'),
  );
  return (milliseconds) => watched([servant], () => servant.ask({ file: copy, request, milliseconds, clients: 1 }));
}

/** Each client adds keys of its own to the same definition: all of them must be there in the end. */
async function measureOneDefinition(bench: Bench, server: Server): Promise<Row[]> {
  const work = `${writers} clients on one definition`;
  bench.tell(work);
  const changesOfEach = bench.rounds > 1 ? 20 : 5;
  const before = await keysIn(server);
  const load = loadOn([server], { clients: writers, requests: [addKey] }, 120_000);
  const [result] = await bench.load.run({ ...load, maxTurns: changesOfEach });
  const lost = before + writers * changesOfEach - (await keysIn(server));
  const means = result?.meansMs ?? [];
  const slowest = Math.max(...means);
  return [
    {
      part,
      work: `${work}, ${changesOfEach} changes each: lost updates`,
      against: 'none may be',
      ratio: exactly(lost),
      bar: { atMost: 0 },
      ours: `${lost} lost`,
      theirs: `${writers * changesOfEach} made`,
    },
    {
      part,
      work: `${work}: the slowest client`,
      against: 'the median client',
      ratio: exactly(slowest / median(means)),
      bar: { atMost: 5 },
      ours: `${slowest.toFixed(1)} ms a change`,
      theirs: `${median(means).toFixed(1)} ms a change`,
    },
  ];
}

async function keysIn(server: Server): Promise<number> {
  const get: Asked = { method: 'GET', path: addKey.path };
  const { treatments } = await answerOf<{ treatments: { keys?: string[] }[] }>(server, get);
  return treatments[0]?.keys?.length ?? 0;
}

async function measureReadsBesideWrites(bench: Bench, { server, flags }: Written): Promise<Row> {
  const reading = { clients: readers, requests: getDefinitions(flags) };
  const writing = { clients: writers, requests: patchDefinitions(flags, writers), order: 'own' as const };
  const work = `GET definition, ${readers} connections, while ${writers} clients write`;
  const samples = await compare(bench, `The slowest of a hundred: ${work}`, {
    alone: asked(bench, [server], reading),
    beside: (milliseconds) =>
      watched([server], async () => {
        const [reads] = await bench.load.run(
          loadOn([server], reading, milliseconds),
          loadOn([server], writing, milliseconds),
        );
        if (!reads) throw new Error('the load had no result');
        return reads;
      }),
  });
  const compared = { part, work: `${work}: p99`, against: 'without writers' };
  return p99Row({ ...compared, ours: samples('beside'), theirs: samples('alone') }, 4);
}
