/**
 * Keys of standard segments: what a request costs with a million of them in the environment against a thousand, on each
 * database. None is answered from the cache.
 */
import sql from 'sql-template-tag';
import { v7 as newId } from 'uuid';
import { prefix } from '#contract/parts.ts';
import type { Reference } from '#domain/schema.ts';
import { listEnvironments, nextChangeNumber } from '#store/environments.ts';
import { openStore } from '#store/open.ts';
import { findProject } from '#store/projects.ts';
import { addKeys } from '#store/segment-keys.ts';
import { insertActivation, insertSegment } from '#store/segments.ts';
import type { Store, Tx } from '#store/sql.ts';
import { inChunks } from '#store/sql.ts';
import { findTrafficType } from '#store/traffic-types.ts';
import { environmentName, fillCatalogue, projectName } from '../catalogue.ts';
import type { Asked } from '../load.ts';
import { asked, type Contestant, compare, loadOn, type Sample, watched } from '../measuring.ts';
import { uncached } from '../requests.ts';
import { costRow, grouped, type Row, timeRow } from '../rows.ts';
import { type Server, startBurgee } from '../servers.ts';
import type { Bench } from '../workbench.ts';

const bar = 1.5;
const clients = 4;
const segmentCount = 1_000;
/** Keys that are in every hundredth segment, and in all. */
const [somewhere, everywhere] = ['somewhere', 'everywhere'];
const [small, full, uploaded] = ['of-10', 'of-100000', 'uploaded'];
/** As many as a segment can have. */
const fullKeys = 100_000;

export interface Database {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly urlOf: (name: string) => Promise<string>;
  /** How many keys the two environments have. */
  readonly sizes: readonly [few: number, many: number];
}

/** An environment with this many keys. */
interface Filled {
  readonly keys: number;
  readonly server: Server;
  /** Removes what was uploaded, which would make a large environment of the small one. */
  readonly empty: () => Promise<unknown>;
}

export async function measureSegments(bench: Bench, { name, urlOf, sizes }: Database): Promise<Row[]> {
  const fill = async (keys: number): Promise<Filled> => {
    bench.tell(`${name}: filling ${grouped(segmentCount)} segments with ${grouped(keys)} keys`);
    const url = await urlOf(`segments_${keys}`);
    await fillCatalogue(url, { flags: 0, people: 0 });
    const store = await openStore({ databaseUrl: url, databasePool: 1 });
    bench.started({ stop: () => store.close() });
    const environment = await fillSegments(store, keys);
    // PostgreSQL shares the cores with the server, so nobody is kept on one.
    const server = bench.started(await startBurgee(url, name === 'SQLite' ? 'serving' : 'anywhere'));
    return { keys, server, empty: () => store.write((tx) => emptySegment(tx, environment.id)) };
  };
  const [few, many] = [await fill(sizes[0]), await fill(sizes[1])];
  const rows: Row[] = [];
  for (const { work, against, ours, theirs } of worksOf(bench, few, many)) {
    const samples = await compare(bench, `${name}: ${work}`, { ours, theirs });
    const compared = { part: name, work, against, ours: samples('ours'), theirs: samples('theirs') };
    // The server's processor time does not include PostgreSQL's.
    rows.push(name === 'SQLite' ? costRow(compared, bar) : timeRow(compared, bar));
  }
  for (const { server } of [few, many]) await server.stop();
  return rows;
}

interface Work {
  readonly work: string;
  readonly against: string;
  readonly ours: Contestant;
  readonly theirs: Contestant;
}

function worksOf(bench: Bench, few: Filled, many: Filled): Work[] {
  const reading = ({ server }: Filled, request: Asked) =>
    asked(bench, [server], { clients, requests: uncached([request]) });
  const inBoth = (work: string, contestantOf: (filled: Filled) => Contestant): Work => ({
    work: `${work}, ${grouped(many.keys)} keys`,
    against: `${grouped(few.keys)} keys`,
    ours: contestantOf(many),
    theirs: contestantOf(few),
  });
  const ofFull = (work: string, request: Asked): Work => ({
    work: `${work} of a segment of ${grouped(fullKeys)}`,
    against: 'first page of a segment of 10',
    ours: reading(many, request),
    theirs: reading(many, pageOf(small)),
  });
  return [
    inBoth('Upload of 10,000 numbered keys', (filled) => uploading(bench, numbered, filled)),
    inBoth('Upload of 10,000 random keys', (filled) => uploading(bench, random, filled)),
    inBoth('Page of 10 keys', (filled) => reading(filled, pageOf(small))),
    ofFull('First page of 10 keys', pageOf(full)),
    ofFull('Last page of 10 keys', pageOf(full, fullKeys - 10)),
    inBoth('Segments of a key, in 10 of 1,000', (filled) => reading(filled, membershipsOf(somewhere))),
    inBoth('Segments of a key, in all of 1,000', (filled) => reading(filled, membershipsOf(everywhere))),
  ];
}

const pathOf = (segment: string) => `${prefix}/segments/${environmentName}/${segment}`;

const pageOf = (segment: string, offset = 0): Asked => ({
  method: 'GET',
  path: `${pathOf(segment)}/keys?limit=10&offset=${offset}`,
});

const membershipsOf = (key: string): Asked => ({
  method: 'GET',
  path: `${prefix}/segments/ws/${projectName}/environments/${environmentName}/memberships?key=${key}`,
});

const uploadOf = (keyOf: (number: number) => string): Asked => ({
  method: 'PUT',
  path: `${pathOf(uploaded)}/uploadKeys`,
  body: { keys: Array.from({ length: 10_000 }, (_, number) => keyOf(number)) },
});

const numbered = uploadOf((number) => `customer-{n}-${number}`);
const random = uploadOf((number) => `${spread(number * 100)}-{n}`);

const uploadsAtOnce = 3;

const uploading =
  (bench: Bench, upload: Asked, { server, empty }: Filled): Contestant =>
  async () => {
    const load = { ...loadOn([server], { clients: 1, requests: [upload] }, 60_000), maxTurns: 1 };
    const samples: Sample[] = [];
    for (let count = 0; count < uploadsAtOnce; count += 1) {
      samples.push(
        await watched([server], async () => {
          const [result] = await bench.load.run(load);
          if (!result) throw new Error('the load had no result');
          return result;
        }),
      );
      await empty();
    }
    const mean = (pick: (sample: Sample) => number) =>
      samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
    return {
      perSecond: mean(({ perSecond }) => perSecond),
      processorUs: mean(({ processorUs }) => processorUs),
      medianMs: mean(({ medianMs }) => medianMs),
      p99Ms: mean(({ p99Ms }) => p99Ms),
    };
  };

/** Ids of customers as systems give them: in no order. */
function spread(number: number): string {
  return ((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0');
}

const emptySegment = async (tx: Tx, environmentId: string): Promise<void> => {
  await tx.run(sql`delete from segment_keys where environment_id = ${environmentId} and segment = ${uploaded}`);
  await tx.run(sql`
    update segment_environments set key_count = 0
     where environment_id = ${environmentId} and segment_id = (select id from segments where name = ${uploaded})`);
};

async function fillSegments(store: Store, keys: number): Promise<Reference> {
  const project = await findProject(store, projectName, { kind: 'account' });
  const trafficType = project && (await findTrafficType(store, project.id, 'user'));
  const environment = (await listEnvironments(store, project?.id ?? '', { kind: 'account' })).find(
    ({ name }) => name === environmentName,
  );
  if (!project || !trafficType || !environment) throw new Error('the project is not complete');
  const add = async (name: string, keys: readonly string[]) => {
    const segment = {
      id: newId(),
      projectId: project.id,
      kind: 'standard' as const,
      name,
      description: '',
      tags: null,
      trafficType: { id: trafficType.id, name: trafficType.name },
      creator: { type: 'api_key', id: 'bench', name: 'Bench' },
      creationTime: Date.now(),
    };
    await store.write(async (tx) => {
      await insertSegment(tx, segment);
      await insertActivation(tx, environment.id, segment, 1);
      await tx.run(sql`
        update segment_environments set key_count = ${keys.length}
         where environment_id = ${environment.id} and segment_id = ${segment.id}`);
    });
    const place = { environmentId: environment.id, segment: name };
    for (const some of inChunks(keys, 10_000)) await store.write((tx) => addKeys(tx, place, some, 1));
  };
  let next = 0;
  const newKeys = (count: number) => Array.from({ length: count }, () => spread(next++));
  const isLarge = keys > fullKeys;
  const each = Math.max(0, Math.floor((keys - (isLarge ? fullKeys : 0)) / segmentCount) - 1);
  for (let number = 0; number < segmentCount; number += 1) {
    const known = number % 100 === 0 ? [everywhere, somewhere] : [everywhere];
    await add(`segment-${number}`, [...newKeys(each), ...known]);
  }
  await add(small, newKeys(10));
  if (isLarge) await add(full, newKeys(fullKeys));
  await add(uploaded, []);
  await store.write((tx) => nextChangeNumber(tx, environment));
  return environment;
}
