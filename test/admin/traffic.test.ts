/** What SDKs report: counted exactly, shown to people, bounded whatever arrives. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SplitFactory } from '@splitsoftware/splitio';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { createRecents } from '#delivery/recents.ts';
import { toCaller } from '#delivery/sdks.ts';
import { createTraffic } from '#delivery/traffic.ts';
import type { EventTraffic, FlagTraffic, ListedTraffic } from '#domain/traffic.ts';
import { oldCounts } from '#jobs/cleanup.ts';
import { startTraffic } from '#jobs/traffic.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject, type ProjectFixture } from '../support/build.ts';
import { anSdkKey, listening } from '../support/sdk.ts';
import { openStream } from '../support/streams.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const url = await listening(api);
const log = pino({ level: 'silent' });
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Writes what was counted, as the job does every few seconds and when the server stops. */
const flush = (traffic = api.delivery.traffic) => startTraffic({ store: api.store, log, traffic }).stop();

interface Place {
  readonly project: ProjectFixture;
  readonly key: string;
  readonly flag: { readonly id: string; readonly name: string };
  /** Of the definition. */
  readonly path: string;
}

async function aPlace(definition = {}, type: 'server_side' | 'client_side' = 'server_side'): Promise<Place> {
  const project = await aProject(api);
  return { project, key: await anSdkKey(api, project, type), ...(await aDefinedFlag(api, project, definition)) };
}

const send = async (path: string, { key }: Pick<Place, 'key'>, body: unknown, headers = {}) => {
  const sdk = { splitsdkversion: 'go-6.8.0', splitsdkmachinename: 'ip-10-0-0-7' };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return api.call('POST', path, { as: key, text, headers: { ...sdk, ...headers } });
};

const trafficOf = async ({ path }: Pick<Place, 'path'>, range = '24h'): Promise<FlagTraffic> =>
  (await api.get(`${path}/traffic?range=${range}`)).body;

/** The sum of each series, by treatment and label. */
const sums = ({ series }: FlagTraffic) =>
  Object.fromEntries(
    series.map(({ treatment, label, counts }) => [`${treatment}/${label}`, counts.reduce((a, b) => a + b)]),
  );

const impression = (fields = {}) => ({ k: 'user-1', t: 'on', m: Date.now(), r: 'default rule', ...fields });

for (const [mode, attributed] of [
  ['DEBUG', 'all'],
  ['OPTIMIZED', 'first'],
  ['NONE', 'none'],
] as const) {
  test(`the official SDK in mode ${mode}: every evaluation is counted once`, async () => {
    const place = await aPlace({ defaultRule: [{ treatment: 'on', size: 100 }] });
    const factory = SplitFactory({
      core: { authorizationKey: place.key },
      urls: { sdk: `${url}/api`, events: `${url}/api`, auth: `${url}/api`, streaming: url, telemetry: `${url}/api` },
      streamingEnabled: false,
      sync: { impressionsMode: mode },
    });
    const client = factory.client();
    after(() => client.destroy());
    await client.ready();
    const [keys, times] = [700, 15];
    for (let turn = 0; turn < times; turn += 1) {
      for (let key = 0; key < keys; key += 1) client.getTreatment(`user-${key}`, place.flag.name);
    }
    client.track('user-1', 'user', 'checkout.paid', 20);
    client.track('user-2', 'user', 'checkout.paid', 10);
    client.track('user-3', 'user', 'page.seen');
    // Sends everything.
    await client.destroy();
    await flush();
    const traffic = await trafficOf(place);
    const own = { all: keys * times, first: keys, none: 0 }[attributed];
    assert.equal(traffic.evaluations, keys * times);
    assert.equal(sums(traffic)['on/default rule'] ?? 0, own);
    assert.equal(sums(traffic)['undefined/undefined'] ?? 0, keys * times - own);
    assert.deepEqual(
      traffic.askers.map(({ sdk }) => sdk),
      ['nodejs-11.11.2'],
    );
    const { body } = await api.get(`/environments/ws/${place.project.id}/${place.project.staging.id}/events`);
    const shown = (body as EventTraffic).eventTypes.map(({ eventType, events, values }) => [eventType, events, values]);
    assert.deepEqual(shown, [
      ['checkout.paid', 2, { count: 2, mean: 15, standardDeviation: 5 }],
      ['page.seen', 1, undefined],
    ]);
    const { keys: recent } = (
      await api.get(`/environments/ws/${place.project.id}/${place.project.staging.id}/keys?text=user-`)
    ).body;
    assert.ok(recent.length > 0 && recent.every((key: string) => key.startsWith('user-')));
  });
}

test('in mode OPTIMIZED, an impression that is also in the counts counts once, before and after they arrive', async () => {
  const place = await aPlace();
  const body = [{ f: place.flag.name, i: [impression(), impression({ k: 'user-2', pt: Date.now() - dayMs })] }];
  await send('/api/testImpressions/bulk', place, body, { splitsdkimpressionsmode: 'OPTIMIZED' });
  await flush();
  assert.equal((await trafficOf(place)).evaluations, 2);
  // Of the second key: the one above, and four others.
  await send('/api/testImpressions/count', place, { pf: [{ f: place.flag.name, m: Date.now(), rc: 5 }] });
  await flush();
  assert.equal((await trafficOf(place)).evaluations, 6);
  assert.equal(sums(await trafficOf(place))['on/default rule'], 2);
});

test('measured shares are shown beside those of the definition, by rule', async () => {
  const place = await aPlace({
    trafficAllocation: 50,
    defaultRule: [
      { treatment: 'on', size: 10 },
      { treatment: 'off', size: 90 },
    ],
  });
  const some = (count: number, fields: object) => Array.from({ length: count }, () => impression(fields));
  const i = [...some(2, { t: 'on' }), ...some(6, { t: 'off' }), ...some(8, { t: 'off', r: 'not in split' })];
  await send('/api/testImpressions/bulk', place, [{ f: place.flag.name, i }]);
  await flush();
  const { rules, lastTrafficReceivedAt } = await trafficOf(place);
  assert.deepEqual(
    rules.map(({ label, treatments }) => [label, treatments.map((one) => [one.treatment, one.measured, one.expected])]),
    [
      [
        'default rule',
        [
          ['on', 25, 10],
          ['off', 75, 90],
        ],
      ],
      ['not in split', [['off', 100, 100]]],
    ],
  );
  assert.ok(lastTrafficReceivedAt && Date.now() - lastTrafficReceivedAt < 60_000);
});

test('flags and definitions have the time of their last traffic, cached ones too; lists have the last hours', async () => {
  const place = await aPlace();
  const { project, flag, path } = place;
  const flagPath = `/splits/ws/${project.id}/${flag.name}`;
  // Twice: the second reply may be a cached one.
  for (const _ of [1, 2]) {
    assert.ok(!('lastTrafficReceivedAt' in (await api.get(path)).body));
    assert.ok(!('lastTrafficReceivedAt' in (await api.get(flagPath)).body));
  }
  const recorded = await api.recorded(async () => {
    await send('/api/testImpressions/bulk', place, [{ f: flag.name, i: [impression()] }]);
    await flush();
  });
  assert.deepEqual(recorded, []);
  const { lastTrafficReceivedAt: at } = (await api.get(path)).body;
  assert.ok(Date.now() - at < 60_000);
  assert.equal((await api.get(flagPath)).body.lastTrafficReceivedAt, at);
  for (const query of ['', '?expand=environments']) {
    const [listed] = (await api.get(`/splits/ws/${project.id}${query}`)).body.objects;
    assert.equal(listed.lastTrafficReceivedAt, at);
  }
  const [defined] = (await api.get(`/splits/ws/${project.id}/environments/${project.staging.id}`)).body.objects;
  assert.equal(defined.lastTrafficReceivedAt, at);
  const listed = (await api.get(`/traffic/ws/${project.id}`)).body.traffic as ListedTraffic[];
  const counts = [...Array.from({ length: 23 }, () => 0), 1];
  const one = { flagId: flag.id, environmentId: project.staging.id, lastTrafficReceivedAt: at, counts };
  assert.deepEqual(listed, [one]);
  const other = await api.get(`/traffic/ws/${project.id}?environmentId=${project.production.id}`);
  assert.deepEqual(other.body.traffic, []);
  // A definition is changed with the whole of what was read.
  assert.equal((await api.put(path, (await api.get(path)).body)).status, 200);
});

test('while nobody looks, 20 impressions of a flag are kept in a second; then all', async () => {
  const place = await aPlace();
  const report = (count: number) => [{ f: place.flag.name, i: Array.from({ length: count }, () => impression()) }];
  const kept = async () => (await api.get(`${place.path}/impressions`)).body.impressions.length;
  api.clock.now = Date.now();
  try {
    for (const count of [15, 15, 15]) await send('/api/testImpressions/bulk', place, report(count));
    api.clock.now += 1_000;
    await send('/api/testImpressions/bulk', place, report(7));
    assert.equal(await kept(), 27);
    for (const count of [30, 30]) await send('/api/testImpressions/bulk', place, report(count));
    assert.equal(await kept(), 87);
  } finally {
    api.clock.now = undefined;
  }
});

test('recent impressions can be filtered, and are kept in memory only', async () => {
  const place = await aPlace();
  const shown = async (query: string) => (await api.get(`${place.path}/impressions${query}`)).body.impressions;
  assert.deepEqual(await shown(''), []);
  const i = Array.from({ length: 300 }, (_, index) =>
    impression({ k: `customer-${index}`, t: index % 2 ? 'on' : 'off' }),
  );
  await send('/api/testImpressions/bulk', place, [{ f: place.flag.name, i }]);
  await flush();
  assert.equal((await shown('')).length, 200);
  const [found, ...others] = await shown('?key=customer-299&treatment=on&label=default rule');
  assert.deepEqual(others, []);
  assert.deepEqual([found.key, found.sdk, found.machine], ['customer-299', 'go-6.8.0', 'ip-10-0-0-7']);
  assert.deepEqual(await shown('?key=customer-299&treatment=off'), []);
  for (const table of [
    sql`traffic_counts`,
    sql`flag_traffic`,
    sql`event_counts`,
    sql`event_types`,
    sql`sdk_sightings`,
  ]) {
    assert.ok(!JSON.stringify(await api.store.all(sql`select * from ${table}`)).includes('customer-'));
  }
});

test('bodies of megabytes are counted exactly, in gzip too, whatever their texts have in them', async () => {
  const place = await aPlace();
  const other = await aDefinedFlag(api, place.project);
  const nasty = { properties: '{"a":[{"b":1},{"c":2}]},{', r: 'a "label" },{ ]},{' };
  const groups = [
    ...Array.from({ length: 4_000 }, () => ({ f: other.flag.name, i: [impression()] })),
    { f: place.flag.name, i: Array.from({ length: 25_000 }, (_, index) => impression(index % 3 ? {} : nasty)) },
    ...Array.from({ length: 1_000 }, () => ({ f: other.flag.name, i: [impression(), impression()] })),
  ];
  const text = JSON.stringify(groups);
  assert.ok(text.length > 2_000_000 && text.length < 5 * 1_048_576, String(text.length));
  assert.equal((await send('/api/testImpressions/bulk', place, text)).status, 200);
  await flush();
  assert.equal((await trafficOf(place)).evaluations, 25_000);
  assert.equal((await trafficOf(other)).evaluations, 6_000);
  const headers = { authorization: `Bearer ${place.key}`, 'content-encoding': 'gzip' };
  const gzip = (body: string | Buffer) =>
    fetch(`${url}/api/testImpressions/bulk`, { method: 'POST', headers, body: gzipSync(body) });
  assert.equal((await gzip(text)).status, 200);
  await flush();
  assert.equal((await trafficOf(place)).evaluations, 50_000);
  const many = Array.from({ length: 25_000 }, (_, index) => impression({ k: `Zoë Müller 東京 🚩 ${index}` }));
  const broken = Buffer.from(JSON.stringify([{ f: place.flag.name, i: many }]));
  // Not UTF-8 any more, in the first and in a later part.
  for (const at of [100_000, 1_500_000]) broken[broken.indexOf('Zo', at)] = 0xff;
  assert.equal((await gzip(broken)).status, 200);
  await flush();
  assert.equal((await trafficOf(place)).evaluations, 75_000);
  assert.equal((await gzip(Buffer.alloc(20_000_000, ' '))).status, 400);
  const events = Array.from({ length: 30_000 }, () => ({
    eventTypeId: 'paid',
    trafficTypeName: 'User',
    value: 1,
    key: 'k',
  }));
  await send('/api/events/bulk', place, events);
  await flush();
  const { body } = await api.get(`/environments/ws/${place.project.id}/${place.project.staging.id}/events`);
  assert.deepEqual([body.eventTypes[0].trafficType, body.eventTypes[0].events], ['user', 30_000]);
});

test('beacons of browsers are counted', async () => {
  const place = await aPlace({}, 'client_side');
  const beacon = (path: string, entries: unknown) =>
    api.call('POST', `/api/${path}`, {
      as: null,
      text: JSON.stringify({ entries, token: place.key, sdk: 'browserjs-1.7.1', sim: 'OPTIMIZED' }),
      headers: { 'content-type': 'text/plain' },
    });
  const pf = [{ f: place.flag.name, m: Date.now(), rc: 3 }];
  for (const [path, entries] of [
    ['testImpressions/beacon', [{ f: place.flag.name, i: [impression(), impression({ pt: 1 })] }]],
    ['testImpressions/count/beacon', { pf }],
    ['events/beacon', [{ eventTypeId: 'paid', trafficTypeName: 'user', key: 'k' }]],
    ['v1/keys/cs/beacon', { keys: [{ k: 'visitor-1', fs: [place.flag.name] }] }],
    ['v1/metrics/usage/beacon', { hE: { sp: { 500: 2 } } }],
  ] as const) {
    assert.equal((await beacon(path, entries)).status, 204, path);
  }
  await flush();
  assert.equal((await trafficOf(place)).evaluations, 4);
  const environment = `/environments/ws/${place.project.id}/${place.project.staging.id}`;
  assert.ok((await api.get(`${environment}/keys`)).body.keys.includes('visitor-1'));
  const [sdk] = (await api.get(`${environment}/sdks`)).body.sdks;
  assert.deepEqual(sdk.reported.http, [{ resource: 'flags', status: '500', count: 2 }]);
});

test('a flood of flags, treatments, labels, keys and event types that do not exist takes no room', async () => {
  const place = await aPlace({}, 'client_side');
  const { name } = place.flag;
  const countRows = async () =>
    (await api.store.one<{ total: number }>(sql`select count(*) as total from traffic_counts`))?.total ?? 0;
  await flush();
  const before = await countRows();
  const { dropped } = api.delivery.traffic.figures;
  const unknown = dropped['unknown flag'];
  const names = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word}-${index}`);
  await send('/api/testImpressions/bulk', place, [
    ...names('absent').map((f) => ({ f, i: [impression()] })),
    { f: name, i: names('treatment').map((t) => impression({ t })) },
    { f: name, i: names('label').map((r) => impression({ r })) },
    { f: name, i: names('key').map((k) => impression({ k })) },
    { f: name, i: [-1, 0, 1e300, 'soon', null].map((m) => impression({ m })) },
    { f: name, i: [null, 7, 'text', {}, { t: 1, k: 2 }] },
    ...[null, 7, { f: name }, { i: [] }, { f: name, i: 'text' }],
  ]);
  await send('/api/testImpressions/count', place, { pf: [{ f: name, m: 1, rc: -5 }, { f: name, rc: 1e300 }, null] });
  await send(
    '/api/events/bulk',
    place,
    names('event').map((id) => ({ eventTypeId: id, trafficTypeName: 'user' })),
  );
  await send(
    '/api/events/bulk',
    place,
    names('type').map((id) => ({ eventTypeId: 'paid', trafficTypeName: id })),
  );
  await flush();
  assert.equal(dropped['unknown flag'] - unknown, 5_000);
  // On, without treatment, without label.
  assert.ok((await countRows()) - before <= 3);
  assert.equal((await trafficOf(place)).evaluations, 15_005);
  const { body } = await api.get(`/environments/ws/${place.project.id}/${place.project.staging.id}/events`);
  assert.equal(body.eventTypes.length, 1_000);
  for (const text of ['', 'null', '7', '{', `[${'['.repeat(600_000)}`, `"${'x'.repeat(600_000)}"`]) {
    for (const path of [
      'testImpressions/bulk',
      'testImpressions/count',
      'events/bulk',
      'v1/keys/ss',
      'v1/metrics/usage',
    ]) {
      assert.equal((await send(`/api/${path}`, place, text)).status, 200, path);
    }
  }
  assert.equal((await send('/api/testImpressions/bulk', place, 'x'.repeat(5 * 1_048_576 + 1))).status, 413);
});

test('while the database is down counts wait, and two nodes count together', async () => {
  const place = await aPlace();
  const nodes = [0, 1, 2].map(() =>
    createTraffic(
      () => api.store.clock(),
      createRecents(() => api.store.clock()),
    ),
  );
  const snapshot = await api.delivery.feed.current(place.project.staging.id);
  assert.ok(snapshot);
  const key = { id: 'k', environmentId: place.project.staging.id, type: 'server_side' } as const;
  const caller = toCaller({ key, sdk: 'go-6.8.0' });
  const report = () => {
    for (const node of nodes) {
      node.impressions(
        snapshot,
        caller,
        [{ f: place.flag.name, i: [impression(), impression({ t: 'off' })] }],
        'DEBUG',
      );
      node.events(snapshot.environmentId, [{ eventTypeId: 'paid', trafficTypeName: 'user', value: 2 }]);
    }
  };
  report();
  const away = {
    ...api.store,
    clock: () => Date.now(),
    write: () => Promise.reject(new Error('away')),
    all: () => Promise.reject(new Error('away')),
  };
  for (const traffic of nodes) await startTraffic({ store: away as never, log, traffic }).stop();
  for (let turn = 0; turn < 20; turn += 1) {
    report();
    await Promise.all(nodes.map((node) => flush(node)));
  }
  const traffic = await trafficOf(place);
  assert.deepEqual(sums(traffic), { 'on/default rule': 63, 'off/default rule': 63 });
  const { body } = await api.get(`/environments/ws/${place.project.id}/${place.project.staging.id}/events`);
  assert.deepEqual([body.eventTypes[0].events, body.eventTypes[0].values.mean], [63, 2]);
});

test('after 35 days hours become days, after 400 they are deleted, and so are counts of what was deleted', async () => {
  const place = await aPlace();
  const gone = await aDefinedFlag(api, place.project);
  const now = Date.now();
  const today = now - (now % dayMs);
  const rows = [
    [today - 36 * dayMs + hourMs, 5],
    [today - 36 * dayMs + 2 * hourMs, 7],
    [today - 30 * dayMs + hourMs, 11],
    [today - 30 * dayMs + 2 * hourMs, 13],
    [today - 402 * dayMs, 17],
  ];
  for (const { flag } of [place, gone]) {
    for (const [hour, count] of rows) {
      await api.store.write((tx) =>
        tx.run(sql`
          insert into traffic_counts (environment_id, flag_id, hour, treatment, label, evaluations)
          values (${place.project.staging.id}, ${flag.id}, ${hour}, 'on', 'default rule', ${count})`),
      );
    }
    await send('/api/testImpressions/bulk', place, [{ f: flag.name, i: [impression()] }]);
  }
  await flush();
  await api.delete(gone.path);
  await api.delete(`/splits/ws/${place.project.id}/${gone.flag.name}`);
  for await (const _ of oldCounts(api.store, 400)) void _;
  const left = (flagId: string) =>
    api.store.all<{ hour: number; evaluations: number }>(sql`
      select hour, evaluations from traffic_counts where flag_id = ${flagId} order by hour`);
  assert.deepEqual(await left(gone.flag.id), []);
  assert.deepEqual(
    (await left(place.flag.id)).map(({ hour, evaluations }) => [hour, evaluations]),
    [
      [today - 36 * dayMs, 12],
      [today - 30 * dayMs + hourMs, 11],
      [today - 30 * dayMs + 2 * hourMs, 13],
      [now - (now % hourMs), 1],
    ],
  );
  const year = await trafficOf(place, '400d');
  assert.deepEqual([year.evaluations, year.series[0]?.counts.length], [37, 400]);
});

test('a pipeline can wait until SDKs have a change, and sees who does not', async () => {
  const place = await aPlace();
  const { project, key, path } = place;
  const environment = `/environments/ws/${project.id}/${project.staging.id}`;
  // Over a socket, because an SDK has what the system has taken.
  const poll = async (machine: string, since: number) => {
    const headers = { splitsdkversion: 'go-6.8.0', splitsdkmachinename: machine };
    const polled = await fetch(`${url}/api/splitChanges?s=1.1&since=${since}`, {
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    await polled.text();
  };
  const converged = async (query = '') => (await api.get(`${environment}/convergence${query}`)).body;
  const none = await converged();
  assert.deepEqual([none.instances, none.percent, none.isReached], [0, 0, false]);
  assert.equal((await converged('?min=0')).isReached, true);

  for (const machine of ['a', 'b']) await poll(machine, -1);
  const { instances, percent, changeNumber: first } = await converged();
  assert.deepEqual([instances, percent], [2, 100]);
  await api.put(path, aDefinition({ trafficAllocation: 1 }));
  const behind = await converged();
  assert.deepEqual([behind.instances, behind.converged, behind.isReached], [2, 0, false]);
  assert.deepEqual(behind.stragglers.map(({ machine }: { machine: string }) => machine).sort(), ['a', 'b']);
  await poll('a', first);
  assert.equal((await converged('?min=50&timeout=30')).converged, 1);
  assert.equal((await converged(`?changeNumber=${first}`)).converged, 2);
  const waiting = converged('?timeout=30');
  await poll('b', first);
  const reached = await waiting;
  assert.deepEqual([reached.percent, reached.isReached, reached.stragglers], [100, true, []]);
  assert.equal((await converged(`?changeNumber=${behind.changeNumber + 1}&timeout=1`)).isReached, false);

  const shown = (await api.get(`${environment}/sdks`)).body.sdks.find(
    ({ machine }: { machine: string }) => machine === 'b',
  );
  assert.deepEqual([shown.changeNumber, shown.spec], [behind.changeNumber, '1.1']);
  assert.deepEqual(shown.shortcomings, ['large segments', 'rule-based segments']);
  assert.ok(shown.lagMilliseconds >= 0 && shown.lagMilliseconds < 60_000);

  assert.deepEqual([behind.arrivals, reached.arrivals.length], [[], 2]);
  assert.ok(reached.arrivals.every((lag: number) => lag >= 0 && lag < 60_000));

  // An SDK with a stream gets the change itself, and does not poll.
  const stream = await openStream(url, key);
  await api.get(`/api/splitChanges?s=1.3&since=${behind.changeNumber}`, { as: key });
  await api.put(path, aDefinition({ trafficAllocation: 2 }));
  await until('the stream was told', async () => (await converged()).converged === 1);
  stream.close();
});

test('only a limited number can wait', async () => {
  const { project, key } = await aPlace();
  await api.get('/api/splitChanges?s=1.3&since=-1', { as: key, headers: { splitsdkversion: 'go-6.8.0' } });
  const { body } = await api.get(`/environments/ws/${project.id}/${project.staging.id}/convergence`);
  const path = `/environments/ws/${project.id}/${project.staging.id}/convergence?changeNumber=${body.changeNumber + 1}&timeout=2`;
  const replies = await Promise.all(Array.from({ length: 103 }, () => api.get(path)));
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual([statuses[0], statuses[99], statuses.slice(100)], [200, 200, [503, 503, 503]]);
});
