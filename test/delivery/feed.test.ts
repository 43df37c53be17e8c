/** How the feed follows the database: notices, lost notices, other nodes, outages and restored databases. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import sql, { type Sql } from 'sql-template-tag';
import type { FeedChange } from '#delivery/changes.ts';
import { startFeed } from '#delivery/feed.ts';
import { startKeys } from '#delivery/keys.ts';
import { nextChangeNumber } from '#store/environments.ts';
import type { Listener } from '#store/notices.ts';
import { openStore } from '#store/open.ts';
import { type Store, unavailable } from '#store/sql.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aLargeSegment, aProject, aSegment, type ProjectFixture } from '../support/build.ts';
import { onlyPostgres, onlySqlite } from '../support/databases.ts';
import { anotherNode, checkFeed } from '../support/feed-model.ts';
import { anSdkKey } from '../support/sdk.ts';
import { statementsOf } from '../support/statements.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const log = pino({ level: 'silent' });
/** So long that only notices can cause the update. */
const never = 3_600_000;
// The feed's timers keep no process running. In a server, its sockets do.
const running = setInterval(() => undefined, never);
after(() => clearInterval(running));

async function anotherStore(clock?: () => number): Promise<Store> {
  const store = await openStore(api.database, clock);
  after(() => store.close());
  return store;
}

/** A separate feed, with what it announces about the project's staging. */
async function aFeed({ staging }: ProjectFixture, store = api.store, compareMs = never) {
  const feed = startFeed({ store, log, environmentIds: new Set(), compareMs });
  after(() => feed.stop());
  const told: FeedChange[] = [];
  feed.subscribe((change) => told.push(change));
  const current = () => feed.current(staging.id);
  await current();
  return { feed, told, current };
}

const flagsOf = (told: readonly FeedChange[]) => told.flatMap(({ flags }) => flags.map(({ name }) => name));

/** While `body` runs, nothing can be read. */
async function withoutDatabase(store: Store, body: () => Promise<void>): Promise<void> {
  const { one, all } = store;
  const fail = () => Promise.reject(unavailable(new Error('away')));
  Object.assign(store, { one: fail, all: fail });
  try {
    await body();
  } finally {
    Object.assign(store, { one, all });
  }
}

/** The database as it is read by someone whose reads `hold` delays or refuses, each before its rows are returned. */
const readThrough = (store: Store, hold: (query: Sql) => Promise<void>): Store =>
  Object.assign(Object.create(null) as Store, {
    clock: () => store.clock(),
    version: store.version,
    onCommit: (listener: Listener) => store.onCommit(listener),
    one: async (query: Sql) => {
      const row = await store.one(query);
      await hold(query);
      return row;
    },
    all: async (query: Sql) => {
      const rows = await store.all(query);
      await hold(query);
      return rows;
    },
  });

test('a change is told once, with its number and text, and only where it was', async () => {
  const [project, quiet] = [await aProject(api), await aProject(api)];
  const { told, current } = await aFeed(project);
  const other = await aFeed(quiet);
  const { flag, path } = await aDefinedFlag(api, project);
  await until('it is told', () => told.length === 1);
  const [change] = told;
  assert.deepEqual(flagsOf(told), [flag.name]);
  assert.equal(change?.flags[0]?.number, change?.after.flagsNumber);
  assert.equal(JSON.parse(String(change?.flags[0]?.text)).name, flag.name);
  assert.ok((await current()) === change?.after);
  await api.put(`${path}/kill`);
  await until('the kill is told', () => told.length === 2);
  assert.equal(told[1]?.flags[0]?.isKilled, true);
  await api.delete(path);
  await until('the deletion is told', () => told.length === 3);
  assert.deepEqual([told[2]?.flags[0]?.isKilled, told[2]?.after.flagNames], [false, []]);
  assert.equal(other.told.length, 0);
});

test('numbers that are told grow, and each change is told in order', async () => {
  const project = await aProject(api);
  const { told } = await aFeed(project);
  const flags = await Promise.all(Array.from({ length: 20 }, () => aDefinedFlag(api, project)));
  await until('all are told', () => flagsOf(told).length === flags.length);
  const numbers = told.flatMap((change) => change.flags.map(({ number }) => number));
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, other) => one - other),
  );
  for (const { before, after: later } of told) assert.ok(before.flagsNumber < later.flagsNumber);
});

test('a change that is rolled back is never told', async () => {
  const project = await aProject(api);
  const { told } = await aFeed(project);
  const rolledBack = api.store.write(async (tx) => {
    await nextChangeNumber(tx, project.staging);
    throw new Error('no');
  });
  await assert.rejects(rolledBack, /^Error: no$/);
  const { flag } = await aDefinedFlag(api, project);
  await until('the later one is told', () => told.length > 0);
  assert.deepEqual(flagsOf(told), [flag.name]);
});

test('changed keys of a segment are told, if they are not too many', async () => {
  const project = await aProject(api);
  const { name } = await aSegment(api, project, [project.staging]);
  await aDefinedFlag(api, project, { treatments: [{ name: 'on', segments: [name] }, { name: 'off' }] });
  const { told } = await aFeed(project);
  const keys = `/segments/${project.staging.id}/${name}`;
  await api.put(`${keys}/uploadKeys`, { keys: ['ann', 'bob'] });
  await until('it is told', () => told.length === 1);
  const [change] = told[0]?.segments ?? [];
  assert.deepEqual(
    [change?.kind, change?.name, change?.added, change?.removed],
    ['standard', name, ['ann', 'bob'], []],
  );
  assert.ok(told[0]?.after.listsKey(name, 'ann') && !told[0]?.before.listsKey(name, 'ann'));
  assert.ok(!told[0]?.after.listsKey(name, 'cid'));
});

test('a change without a notice is found by comparing numbers', async () => {
  const project = await aProject(api);
  const { flag } = await aDefinedFlag(api, project);
  const { current } = await aFeed(project, await anotherStore(), 20);
  const before = (await current())?.flagsNumber ?? 0;
  // As a node whose notice gets lost.
  await api.store.write(async (tx) => {
    const number = before + 10;
    await tx.run(sql`update environments set change_number = ${number} where id = ${project.staging.id}`);
    await tx.run(sql`update definitions set change_number = ${number} where flag_id = ${flag.id}`);
  });
  await until('it is found', async () => (await current())?.flagsNumber === before + 10);
});

test('nothing is told after the stop', async () => {
  const project = await aProject(api);
  const [stopped, running] = [await aFeed(project), await aFeed(project)];
  await stopped.feed.stop();
  await aDefinedFlag(api, project);
  await until('it is told to the other', () => running.told.length > 0);
  assert.equal(stopped.told.length, 0);
});

test('while the database is down, polls are answered from memory at once; what was never read gets 503', async () => {
  const [project, unread] = [await aProject(api), await aProject(api)];
  const { flag } = await aDefinedFlag(api, project);
  const [key, otherKey] = [await anSdkKey(api, project), await anSdkKey(api, unread)];
  const poll = (as: string) => api.get('/api/splitChanges?s=1.3&since=-1', { as });
  const before = await poll(key);
  await withoutDatabase(api.store, async () => {
    await api.store.write((tx) => nextChangeNumber(tx, project.staging));
    await poll(key);
    const startedAt = performance.now();
    const during = await poll(key);
    assert.ok(performance.now() - startedAt < 500);
    assert.equal(during.text, before.text);
    const refused = await poll(otherKey);
    assert.deepEqual([refused.status, refused.body.code], [503, 503]);
    assert.equal((await api.get('/api/segmentChanges/none?since=-1', { as: otherKey })).status, 503);
  });
  assert.deepEqual(
    before.body.ff.d.map(({ name }: { name: string }) => name),
    [flag.name],
  );
  await until('it is read again', async () => (await poll(otherKey)).status === 200);
});

test('the first change after an outage is in the poll that follows it', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  let hold = () => Promise.resolve();
  const { feed, current } = await aFeed(
    project,
    readThrough(api.store, () => hold()),
  );
  hold = () => Promise.reject(unavailable(new Error('away')));
  assert.equal(await feed.recheck(project.staging.id), undefined);
  const before = (await current())?.flagsNumber ?? 0;
  // Slow enough that the poll comes before the change was read.
  hold = () => pause(100);
  await api.put(path, aDefinition({ trafficAllocation: 7 }));
  assert.ok(((await current())?.flagsNumber ?? 0) > before);
});

test('a read that takes long delays polls for a second in all, not each of them', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  after(() => release());
  let isSlow = false;
  const store = readThrough(api.store, async () => {
    if (isSlow) await released;
  });
  const { told, current } = await aFeed(project, store);
  const before = await current();
  isSlow = true;
  await api.put(path, aDefinition({ trafficAllocation: 7 }));
  const startedAt = performance.now();
  for (let poll = 0; poll < 10; poll += 1) assert.equal(await current(), before);
  assert.ok(performance.now() - startedAt < 5_000);
  release();
  await until('the change is told', () => told.length > 0);
});

test('an environment that is created while numbers are compared is followed like any other', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let comparisons = 0;
  const store = readThrough(await anotherStore(), async ({ sql: text }) => {
    if (!text.includes('change_number as "changeNumber" from environments')) return;
    comparisons += 1;
    await released;
  });
  const { feed, told } = await aFeed(await aProject(api), store, 20);
  await until('numbers are compared', () => comparisons === 1);
  const project = await aProject(api);
  await feed.current(project.staging.id);
  release();
  await until('they were compared', () => comparisons > 1);
  const { flag } = await aDefinedFlag(api, project);
  await until('its change is told', () => flagsOf(told).includes(flag.name), { timeoutMs: 5_000 });
});

test('keys of a large segment that could not be read are read again', async () => {
  const project = await aProject(api);
  const { name } = await aLargeSegment(api, project, [project.staging]);
  await aDefinedFlag(api, project, { treatments: [{ name: 'on', segments: [name] }, { name: 'off' }] });
  let isAway = false;
  let failures = 0;
  const store = readThrough(api.store, async ({ sql: statement }) => {
    if (!isAway || !statement.includes('key_list_blocks')) return;
    failures += 1;
    throw unavailable(new Error('away'));
  });
  const { current } = await aFeed(project, store, 20);
  isAway = true;
  const upload = { largeSegment: { name }, operationType: 'UPLOAD' };
  const { body } = await api.post(`/changeRequests/ws/${project.id}/environments/${project.staging.id}`, upload);
  const { pathname } = new URL(body.transactionMetadata.url);
  assert.equal((await api.put(pathname, undefined, { as: null, text: 'new-user\n' })).status, 200);
  await until('reading them has failed', () => failures > 0);
  isAway = false;
  await until('they were read', async () => (await current())?.listsKey(name, 'new-user') === true, {
    timeoutMs: 5_000,
  });
});

test('polls make no statements', async () => {
  const project = await aProject(api);
  const { name } = await aSegment(api, project, [project.staging]);
  await aDefinedFlag(api, project, { treatments: [{ name: 'on', segments: [name] }, { name: 'off' }] });
  const as = await anSdkKey(api, project);
  const { ff } = (await api.get('/api/splitChanges?s=1.3&since=-1', { as })).body;
  const { till } = (await api.get(`/api/segmentChanges/${name}?since=-1`, { as })).body;
  const paths = [
    ...['/api/splitChanges?s=1.3&since=-1', `/api/splitChanges?s=1.3&since=${ff.t}&rbSince=-1`],
    ...['/api/splitChanges?s=1.1&since=5', '/api/splitChanges?since=-1&sets=a,b'],
    ...[`/api/segmentChanges/${name}?since=-1`, `/api/segmentChanges/${name}?since=${till}`],
    ...['/api/segmentChanges/none?since=-1', '/api/memberships/ann', '/api/mySegments/ann'],
  ];
  const statements = await statementsOf(api.store, async () => {
    for (const path of paths) assert.equal((await api.get(path, { as })).status, 200);
    assert.equal((await api.call('POST', '/api/events/bulk', { as, text: '[]' })).status, 200);
  });
  // Numbers are compared once a second, whether anybody polls or not.
  const isComparison = /^\s*select (id, change_number|count\(\*\) as total, max\(id\))/;
  assert.deepEqual(
    statements.filter((statement) => !isComparison.test(statement)),
    [],
  );
});

test('after a restore, an SDK that knows more gets what there is now, and then every change', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  const { flag, path } = await aDefinedFlag(api, project);
  const poll = async (since: number) =>
    (await api.get(`/api/splitChanges?s=1.3&since=${since}&rbSince=-1`, { as: key })).body.ff;
  const { t: old } = await poll(-1);
  const ahead = old + 3_600_000;
  // The database was an hour ahead, and was restored under the running node.
  const setNumber = (number: number) =>
    api.store.write((tx) =>
      tx.run(sql`update environments set change_number = ${number} where id = ${project.staging.id}`),
    );
  await setNumber(ahead);
  await poll(ahead);
  await setNumber(old);
  const restored = await poll(ahead);
  assert.deepEqual([restored.s, restored.t, restored.d.length], [ahead, ahead, 1]);
  await api.put(path, aDefinition({ trafficAllocation: 7 }));
  const changed = await poll(old);
  assert.deepEqual([changed.d[0].name, changed.d[0].trafficAllocation], [flag.name, 7]);
});

test('after a restore, segments have the keys that were restored, and streams are told to begin again', async () => {
  const project = await aProject(api);
  const { name } = await aSegment(api, project, [project.staging]);
  await aDefinedFlag(api, project, { treatments: [{ name: 'on', segments: [name] }, { name: 'off' }] });
  const keys = `/segments/${project.staging.id}/${name}`;
  await api.put(`${keys}/uploadKeys`, { keys: ['ann'] });
  const { feed, told, current } = await aFeed(project);
  const before = await current();
  assert.ok(before);
  assert.ok(before.listsKey(name, 'ann'));
  await api.put(`${keys}/uploadKeys`, { keys: ['bob'] });
  assert.ok((await current())?.listsKey(name, 'bob'));
  // The database is now as it was before bob was added.
  await api.store.write(async (tx) => {
    const at = sql`environment_id = ${project.staging.id}`;
    await tx.run(sql`delete from segment_keys where ${at} and key = 'bob'`);
    await tx.run(
      sql`update segment_environments set change_number = change_number - 1000000 where ${at} and change_number > 0`,
    );
    await tx.run(sql`update environments set change_number = ${before.flagsNumber} where id = ${project.staging.id}`);
  });
  const restored = await feed.recheck(project.staging.id);
  assert.deepEqual([restored?.listsKey(name, 'ann'), restored?.listsKey(name, 'bob')], [true, false]);
  assert.equal(told.at(-1)?.isRestored, true);
});

test('a key that was revoked while the keys could not be read stops working afterwards', async () => {
  const project = await aProject(api);
  const text = await anSdkKey(api, project);
  let isAway = false;
  let failures = 0;
  const store = readThrough(await anotherStore(), async ({ sql: statement }) => {
    if (!isAway || !statement.includes('hash')) return;
    failures += 1;
    throw unavailable(new Error('away'));
  });
  const keys = await startKeys({ store, log, compareMs: 20 });
  after(() => keys.stop());
  const key = await keys.find(text);
  assert.ok(key);
  isAway = true;
  await api.store.write((tx) => tx.run(sql`delete from api_keys where id = ${key.id}`));
  await until('reading them has failed', () => failures > 0);
  isAway = false;
  await until('it is noticed', () => !keys.has(key.id), { timeoutMs: 5_000 });
});

test('a key that another process revokes stops working, and its streams are told', async () => {
  const project = await aProject(api);
  const text = await anSdkKey(api, project);
  const keys = await startKeys({ store: api.store, log, compareMs: 20 });
  after(() => keys.stop());
  const key = await keys.find(text);
  assert.ok(key && keys.has(key.id) && keys.environmentIds().has(project.staging.id));
  const revoked: string[] = [];
  keys.onRevoked((id) => revoked.push(id));
  const elsewhere = await anotherStore();
  await elsewhere.write((tx) => tx.run(sql`delete from api_keys where id = ${key.id}`));
  await until('it is noticed', () => revoked.length > 0);
  assert.deepEqual([revoked, keys.has(key.id), await keys.find(text)], [[key.id], false, undefined]);
});

test('a key that expires stops working at that moment, and its streams are told', async () => {
  const project = await aProject(api);
  let now = Date.now();
  const expiresAt = now + 3_600_000;
  const { body } = await api.post('/apiKeys', {
    name: 'App',
    apiKeyType: 'server_side',
    workspace: { id: project.id },
    expiresAt,
    environments: [{ id: project.staging.id }],
  });
  const keys = await startKeys({ store: await anotherStore(() => now), log, compareMs: 20 });
  after(() => keys.stop());
  const ended: string[] = [];
  keys.onRevoked((id) => ended.push(id));
  assert.ok((await keys.find(body.key)) && keys.has(body.id));
  now = expiresAt;
  assert.equal(await keys.find(body.key), undefined);
  await until('the stream is told', () => ended.includes(body.id));
  assert.equal(keys.has(body.id), false);
});

test(
  'a key that another process makes works at once, and unknown keys cost a read only after a commit',
  onlySqlite,
  async () => {
    const project = await aProject(api);
    let reads = 0;
    const store = readThrough(await anotherStore(), async ({ sql: statement }) => {
      if (statement.includes('api_keys')) reads += 1;
    });
    const keys = await startKeys({ store, log, compareMs: 600_000 });
    after(() => keys.stop());
    const text = await anSdkKey(api, project);
    assert.equal((await keys.find(text))?.environmentId, project.staging.id);
    const before = reads;
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => keys.find(`unknown-${index}`)));
    assert.equal(reads, before);
  },
);

test('a change on one node is polled from the other within a second', async () => {
  const project = await aProject(api);
  const as = await anSdkKey(api, project);
  const other = await anotherNode(api);
  try {
    const { path } = await aDefinedFlag(api, project);
    const poll = async () => (await other.calls.get('/api/splitChanges?s=1.3&since=-1', { as })).body.ff;
    await until('the flag is there', async () => (await poll())?.d.length === 1);
    for (let turn = 0; turn < 5; turn += 1) {
      await api.put(path, aDefinition({ trafficAllocation: turn }));
      await until('the change is there', async () => (await poll()).d[0].trafficAllocation === turn);
    }
  } finally {
    await other.stop();
  }
});

test('changes on several nodes reach SDKs of all of them', onlyPostgres, async () => {
  const other = await anotherNode(api);
  try {
    await checkFeed(api, [api, other.calls], 3);
  } finally {
    await other.stop();
  }
});
