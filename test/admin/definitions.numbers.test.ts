/** What the numbers of a definition promise to readers: times, change numbers, tombstones, seeds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject } from '../support/build.ts';

const api = await startApi();

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** In the past, so that what is recorded meanwhile does not come after later entries. */
const past = 1_650_000_000_000;
/** A test whose clock shows `past` until it is moved. */
const withClock = (name: string, body: () => Promise<void>) =>
  test(name, async () => {
    api.clock.now = past;
    try {
      await body();
    } finally {
      api.clock.now = undefined;
    }
  });

interface Numbered {
  readonly flag: string;
  readonly change: number;
}
async function definitionsIn(environmentId: string): Promise<Numbered[]> {
  const rows = await api.store.all<Numbered>(sql`
    select f.name as flag, d.change_number as change from definitions d join flags f on f.id = d.flag_id
     where d.environment_id = ${environmentId}`);
  return rows.map((row) => ({ ...row }));
}
async function tombstonesIn(environmentId: string): Promise<Numbered[]> {
  const rows = await api.store.all<Numbered>(sql`
    select flag_name as flag, change_number as change from tombstones where environment_id = ${environmentId}`);
  return rows.map((row) => ({ ...row }));
}
async function numberOf(environmentId: string): Promise<number> {
  const row = await api.store.one<{ change: number }>(sql`
    select change_number as change from environments where id = ${environmentId}`);
  assert.ok(row);
  return row.change;
}

withClock('lastUpdateTime strictly grows when the clock stands still or goes back', async () => {
  const { path, definition } = await aDefinedFlag(api, await aProject(api));
  assert.deepEqual([definition.creationTime, definition.lastUpdateTime], [past, past]);
  const writes = [
    () => api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 7 }]),
    () => api.put(path, aDefinition()),
    () => api.put(`${path}/kill`),
    () => api.post(`${path}/restore`),
  ];
  let last = definition.lastUpdateTime;
  for (const now of [past, past - 1, past - 3_600_000, 0]) {
    api.clock.now = now;
    for (const write of writes) {
      const { creationTime, lastUpdateTime } = (await write()).body;
      assert.ok(lastUpdateTime > last, `${lastUpdateTime} after ${last}`);
      assert.equal(creationTime, past);
      last = lastUpdateTime;
    }
  }
  api.clock.now = past + 1_000_000;
  assert.equal((await api.put(`${path}/kill`)).body.lastUpdateTime, past + 1_000_000, 'and follows the clock again');
});

withClock('ETags differ from version to version when the clock stands still or goes back', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const table = [
    { thing: path, member: 'trafficAllocation', value: (index: number): unknown => index },
    { thing: `/splits/ws/${project.id}/${flag.name}`, member: 'description', value: String },
  ];
  for (const { thing, member, value } of table) {
    const etags = [(await api.get(thing)).headers.etag];
    for (const index of numbers(10)) {
      api.clock.now = past - index * 1000;
      const answer = await api.patch(thing, [{ op: 'replace', path: `/${member}`, value: value(index) }]);
      etags.push(answer.headers.etag);
    }
    assert.equal(new Set(etags).size, 11);
  }
});

withClock('the ETag of a flag that is gone does not hold for the next flag of its name', async () => {
  const project = await aProject(api);
  const { name } = await aFlag(api, project);
  const path = `/splits/ws/${project.id}/${name}`;
  const headers = { 'if-match': String((await api.get(path)).headers.etag) };
  await api.delete(path);
  await aFlag(api, project, name);
  refused(await api.patch(path, [], { headers }), 412, /If-Match/);
});

withClock('the change number of an environment grows with every change, whatever the clock does', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const writes = [
    () => api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 7 }]),
    () => api.put(path, aDefinition()),
    () => api.put(`${path}/kill`),
    () => api.put(`${path}/restore`),
    () => api.delete(path),
    () => api.post(path, aDefinition()),
  ];
  let last = await numberOf(project.staging.id);
  const elsewhere = await numberOf(project.production.id);
  for (const now of [past, past - 1000, past + 1000, 0]) {
    api.clock.now = now;
    for (const write of writes) {
      await write();
      const number = await numberOf(project.staging.id);
      assert.ok(number > last && number >= now, `${number} after ${last} at ${now}`);
      last = number;
    }
  }
  assert.deepEqual(await definitionsIn(project.staging.id), [{ flag: flag.name, change: last }]);
  assert.equal(await numberOf(project.production.id), elsewhere, 'each environment counts for itself');
});

test('a refused change takes no change number', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const before = await numberOf(project.staging.id);
  const refusals = [
    api.post(path, aDefinition()),
    api.put(path, {}),
    api.patch(path, [{ op: 'remove', path: '/defaultRule' }]),
    api.put(`${path}/kill`, undefined, { headers: { 'if-match': '"other"' } }),
    api.delete(path, { headers: { 'if-match': '"other"' } }),
    api.delete(`/splits/ws/${project.id}/${flag.name}`, { headers: { 'if-match': '"other"' } }),
  ];
  const statuses = (await Promise.all(refusals)).map((answer) => answer.status);
  assert.deepEqual(statuses, [409, 400, 400, 412, 412, 412]);
  assert.equal(await numberOf(project.staging.id), before);
});

test('concurrent changes of many definitions get change numbers of their own', async () => {
  const project = await aProject(api);
  const flags: string[] = [];
  for (const _ of numbers(20)) flags.push((await aDefinedFlag(api, project)).flag.name);
  const path = (name: string) => `/splits/ws/${project.id}/${name}/environments/staging`;
  const [gone, kept] = [flags.slice(0, 8), flags.slice(8)];
  const before = await numberOf(project.staging.id);
  await Promise.all([
    ...kept.flatMap((name) => [api.put(`${path(name)}/kill`), api.put(`${path(name)}/restore`)]),
    ...gone.slice(0, 4).map((name) => api.delete(path(name))),
    ...gone.slice(4).map((name) => api.delete(`/splits/ws/${project.id}/${name}`)),
  ]);
  const [definitions, tombstones] = [await definitionsIn(project.staging.id), await tombstonesIn(project.staging.id)];
  assert.deepEqual(new Set(definitions.map(({ flag }) => flag)), new Set(kept));
  assert.deepEqual(new Set(tombstones.map(({ flag }) => flag)), new Set(gone));
  const all = [...definitions, ...tombstones].map((row) => row.change);
  assert.equal(new Set(all).size, 20);
  assert.ok(all.every((number) => number > before));
  assert.equal(Math.max(...all), await numberOf(project.staging.id));
});

test('a tombstone is written when a definition goes and ends when the flag is defined again', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const flagPath = `/splits/ws/${project.id}/${flag.name}`;
  const goes = {
    'with its deletion': () => api.delete(path),
    'with the flag': () => api.delete(flagPath),
  };
  for (const [how, go] of Object.entries(goes)) {
    assert.deepEqual(await tombstonesIn(project.staging.id), [], how);
    const before = await numberOf(project.staging.id);
    await go();
    const [tombstone, ...others] = await tombstonesIn(project.staging.id);
    assert.deepEqual([tombstone?.flag, others], [flag.name, []], how);
    assert.equal(tombstone?.change, await numberOf(project.staging.id));
    assert.ok((tombstone?.change ?? 0) > before);
    assert.deepEqual(await definitionsIn(project.staging.id), []);
    assert.deepEqual(await tombstonesIn(project.production.id), [], 'it was never defined there');
    if ((await api.get(flagPath)).status === 404) await aFlag(api, project, flag.name);
    assert.equal((await tombstonesIn(project.staging.id)).length, 1, 'a flag alone does not end it');
    await api.post(path, aDefinition());
  }
  assert.deepEqual(await tombstonesIn(project.staging.id), []);
});

test('deleting a flag writes a tombstone in every environment where it was defined', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  await api.post(path.replace(project.staging.id, project.production.id), aDefinition());
  await api.delete(`/splits/ws/${project.id}/${flag.name}`);
  for (const { id } of [project.staging, project.production]) {
    assert.deepEqual(await tombstonesIn(id), [{ flag: flag.name, change: await numberOf(id) }]);
  }
});

test('the seeds of a definition are two different signed 32-bit integers, fixed for life', async () => {
  const project = await aProject(api);
  const seedsIn = (environmentId: string) =>
    api.store.all<{ seed: number; traffic_allocation_seed: number }>(sql`
      select seed, traffic_allocation_seed from definitions where environment_id = ${environmentId} order by flag_id`);
  const paths: string[] = [];
  for (const _ of numbers(20)) paths.push((await aDefinedFlag(api, project)).path);
  const before = await seedsIn(project.staging.id);
  const all = before.flatMap((row) => [row.seed, row.traffic_allocation_seed]);
  assert.equal(new Set(all).size, 40);
  assert.ok(all.every((seed) => (seed | 0) === seed));
  assert.ok(all.some((seed) => seed < 0) && all.some((seed) => seed > 0), 'both signs occur');
  for (const path of paths) {
    await api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 7 }]);
    await api.put(path, aDefinition());
    await api.put(`${path}/kill`);
    await api.put(`${path}/restore`);
  }
  assert.deepEqual(await seedsIn(project.staging.id), before);
});
