/** Statements about all flags of a project are divided on SQLite. Together they find what one would find. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from 'sql-template-tag';
import { flagSorts } from '#domain/flag-list.ts';
import { searchKinds } from '#domain/search.ts';
import { countDefinitions, listStoredDefinitions } from '#store/definitions.ts';
import {
  countFlagFacets,
  countSortedFlags,
  type FlagQuery,
  listCountedFlags,
  listSortedFlags,
} from '#store/flag-list.ts';
import { countFlags, type FlagFilter, listFlags } from '#store/flags.ts';
import type { Page } from '#store/paging.ts';
import { listFound } from '#store/search.ts';
import type { Reader } from '#store/sql.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aFlag, aProject, someTraffic } from '../support/build.ts';

const api = await startApi();
const project = await aProject(api);
const path = `/splits/ws/${project.id}`;
for (let number = 0; number < 7; number++) {
  const { flag } = await aDefinedFlag(api, project);
  const tags = number % 2 === 0 ? ['often', `tag-${number}`] : ['often'];
  await api.post(`/tags/ws/${project.id}/object/${flag.name}/objecttype/Split`, tags);
  if (number % 3 === 0) await api.put(`${path}/${flag.name}/environments/${project.staging.id}/kill`);
  if (number === 1) await someTraffic(api.store, project.staging.id, flag.id);
  if (number > 4) await api.post(`${path}/${flag.name}/archive`);
}
await aFlag(api, project);

const reading = (rowsPerTurn: number): Reader => ({
  clock: () => api.store.clock(),
  rowsPerTurn,
  one: <Row>(query: Sql) => api.store.one<Row>(query),
  all: <Row>(query: Sql) => api.store.all<Row>(query),
});

/** Returns what it is. */
async function sameInParts<Found>(find: (db: Reader) => Promise<Found>): Promise<Found> {
  const whole = await find(reading(Infinity));
  for (const rowsPerTurn of [1, 2, 5, 6, 100]) assert.deepEqual(await find(reading(rowsPerTurn)), whole);
  return whole;
}

const everything: FlagQuery = {
  projectId: project.id,
  ids: [],
  watcherId: undefined,
  name: undefined,
  search: undefined,
  tags: [],
  rolloutStatusIds: [],
  trafficTypeIds: [],
  ownerIds: [],
  states: [],
  traffic: [],
  isArchived: false,
};
const queries: FlagQuery[] = [
  everything,
  { ...everything, tags: ['often'] },
  { ...everything, states: [{ kind: 'killed', environmentId: project.staging.id }] },
  { ...everything, isArchived: true },
];

test('flags are counted in parts', async () => {
  const environments = [project.staging.id, project.production.id];
  const facets = await Promise.all(
    queries.map((query) => sameInParts((db) => countFlagFacets(db, query, environments))),
  );
  assert.deepEqual(
    facets.map(({ total }) => total),
    [6, 5, 2, 2],
  );
  assert.deepEqual(
    facets[0]?.tags.map(({ value, count }) => [value, count]),
    [
      ['often', 5],
      ['tag-0', 1],
      ['tag-2', 1],
      ['tag-4', 1],
    ],
  );
  assert.equal(facets[0]?.traffic.seen, 1);
  const totals = await Promise.all(queries.map((query) => sameInParts((db) => countSortedFlags(db, query))));
  assert.deepEqual(totals, [6, 5, 2, 2]);
});

test('pages of flags are found in parts, in every order', async () => {
  for (const query of queries) {
    const total = await countSortedFlags(api.store, query);
    for (const sort of flagSorts) {
      for (const order of ['asc', 'desc'] as const) {
        const all = await listSortedFlags(reading(Infinity), query, { sort, order, offset: 0, limit: 50 });
        assert.equal(all.length, total);
        for (let offset = 0; offset <= total; offset++) {
          const page = await sameInParts((db) => listSortedFlags(db, query, { sort, order, offset, limit: 2 }));
          assert.deepEqual(page, all.slice(offset, offset + 2));
        }
      }
    }
  }
});

test('pages of the vendor’s filters are found in parts, from either end', async () => {
  const plain: FlagFilter = {
    projectId: project.id,
    tags: [],
    name: undefined,
    rolloutStatusId: undefined,
    isArchived: false,
  };
  const [{ rolloutStatus }] = (await api.get(path)).body.objects;
  const filters: FlagFilter[] = [
    plain,
    { ...plain, tags: ['often'] },
    { ...plain, tags: ['often', 'tag-0'], name: 'flag' },
    { ...plain, rolloutStatusId: rolloutStatus.id },
    { ...plain, isArchived: true },
  ];
  const totals: number[] = [];
  for (const filter of filters) {
    const counted = await sameInParts((db) => countFlags(db, filter));
    const all = await listFlags(api.store, filter, { offset: 0, limit: 50 }, counted);
    assert.equal(all.length, counted.total);
    for (let offset = 0; offset <= counted.total; offset++) {
      const page = await sameInParts((db) => listFlags(db, filter, { offset, limit: 1 }, counted));
      assert.deepEqual(page, all.slice(offset, offset + 1));
    }
    const query = { ...everything, ...filter, rolloutStatusIds: [filter.rolloutStatusId ?? []].flat() };
    for (let offset = 0; offset <= counted.total; offset++) {
      const page = await sameInParts((db) => listCountedFlags(db, query, { offset, limit: 2 }, counted));
      assert.deepEqual(page, all.slice(offset, offset + 2));
      const outdated = { total: counted.total + 3, changes: counted.changes - 1 };
      assert.deepEqual(await listCountedFlags(api.store, query, { offset, limit: 2 }, outdated), page);
    }
    totals.push(counted.total);
  }
  assert.deepEqual(totals, [6, 5, 5, 6, 2]);
});

test('definitions are counted in parts of archived flags', async () => {
  const filter = { projectId: project.id, environmentId: project.staging.id };
  const live = await sameInParts((db) => countDefinitions(db, { ...filter, isArchived: false }));
  const archived = await sameInParts((db) => countDefinitions(db, { ...filter, isArchived: true }));
  assert.deepEqual([live.total, archived.total], [5, 2]);
});

test('pages of definitions are found in parts, from either end', async () => {
  const filter = { projectId: project.id, environmentId: project.staging.id, isArchived: false };
  const counted = await countDefinitions(api.store, filter);
  const idsOf = async (db: Reader, page: Page) => {
    const ids: string[] = [];
    for await (const { id } of listStoredDefinitions(db, project.staging, { filter, page, counted })) ids.push(id);
    return ids;
  };
  const all = await idsOf(api.store, { offset: 0, limit: 50 });
  assert.equal(all.length, 5);
  for (let offset = 0; offset <= 5; offset++) {
    const page = await sameInParts((db) => idsOf(db, { offset, limit: 1 }));
    assert.deepEqual(page, all.slice(offset, offset + 1));
  }
});

test('flags are searched in parts', async () => {
  const asked = { kinds: new Set(searchKinds), words: [['flag']], projects: { offset: 0, limit: 4 } };
  const scope = { kind: 'project', projectId: project.id } as const;
  for (const limit of [3, 40]) {
    const found = await sameInParts((db) => listFound(db, { ...asked, scope, limit }));
    assert.equal(found.length, Math.min(limit, 6));
  }
});
