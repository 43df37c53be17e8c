/** The SDKs' protocol, request by request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Answer, startApi } from '../support/app.ts';
import {
  aDefinedFlag,
  aDefinition,
  aLargeSegment,
  aProject,
  aRuleBasedSegment,
  aSegment,
  type ProjectFixture,
  uniqueName,
} from '../support/build.ts';
import { anSdkKey } from '../support/sdk.ts';
import { until } from '../support/until.ts';

const api = await startApi();

/** Polls with a new key of the project's staging. */
async function aPoller(project: ProjectFixture, type: 'server_side' | 'client_side' = 'server_side') {
  const key = await anSdkKey(api, project, type);
  return {
    key,
    get: (path: string, headers = {}) => api.get(path, { as: key, headers }),
    changes: (since = -1, rbSince = -1) =>
      api.get(`/api/splitChanges?s=1.3&since=${since}&rbSince=${rbSince}`, { as: key }),
  };
}

const names = (flags: readonly { name: string }[]) => flags.map(({ name }) => name).sort();

function isRefused(answer: Answer, status: number, message: string | RegExp) {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(Object.keys(answer.body), ['code', 'message']);
  assert.equal(answer.body.code, status);
  assert.match(answer.body.message, typeof message === 'string' ? new RegExp(`^${message}$`) : message);
  assert.equal(answer.headers['access-control-allow-origin'], '*');
}

test('an environment without flags answers its creation as the number, and -1 for rule-based segments', async () => {
  const project = await aProject(api);
  const { status, body, headers } = await (await aPoller(project)).changes();
  assert.equal(status, 200);
  assert.deepEqual(body.ff.d, []);
  assert.equal(body.ff.s, -1);
  assert.ok(body.ff.t > 1_700_000_000_000);
  assert.deepEqual(body.rbs, { d: [], s: -1, t: -1 });
  assert.equal(headers['cache-control'], 'no-store');
});

test('a poll after an answered change contains it, each time', async () => {
  const project = await aProject(api);
  const { changes } = await aPoller(project);
  const { flag, path } = await aDefinedFlag(api, project);
  let { t: since } = (await changes()).body.ff;
  for (let turn = 0; turn < 20; turn += 1) {
    const { body } = await api.put(path, aDefinition({ trafficAllocation: turn }));
    assert.equal(body.trafficAllocation, turn);
    const { ff } = (await changes(since)).body;
    assert.deepEqual([ff.s, ff.d.length, ff.d[0].trafficAllocation], [since, 1, turn]);
    assert.deepEqual([ff.d[0].name, ff.d[0].changeNumber], [flag.name, ff.t]);
    since = ff.t;
  }
  assert.deepEqual((await changes(since)).body, { ff: { d: [], s: since, t: since }, rbs: { d: [], s: -1, t: -1 } });
});

test('the numbers of flags and of rule-based segments move apart', async () => {
  const project = await aProject(api);
  const { changes } = await aPoller(project);
  await aDefinedFlag(api, project);
  const first = (await changes()).body;
  const segment = await aRuleBasedSegment(api, project, [project.staging]);
  const second = (await changes(first.ff.t, first.rbs.t)).body;
  assert.deepEqual(second.ff, { d: [], s: first.ff.t, t: first.ff.t });
  assert.deepEqual(names(second.rbs.d), [segment.name]);
  await api.delete(`/rule-based-segments/${project.staging.id}/${segment.name}`);
  const third = (await changes(first.ff.t, second.rbs.t)).body;
  assert.deepEqual([third.rbs.d[0].name, third.rbs.d[0].status], [segment.name, 'ARCHIVED']);
  assert.deepEqual((await changes()).body.rbs.d, []);
});

test('the number of rule-based segments does not go back when the name is given to another kind', async () => {
  const project = await aProject(api);
  const { changes } = await aPoller(project);
  const { name } = await aRuleBasedSegment(api, project, [project.staging]);
  const { t: since } = (await changes()).body.rbs;
  await api.delete(`/rule-based-segments/${project.staging.id}/${name}`);
  const { t: gone } = (await changes(-1, since)).body.rbs;
  await api.delete(`/rule-based-segments/ws/${project.id}/${name}`);
  await aSegment(api, project, [project.staging], name);
  const later = (await changes(-1, since)).body.rbs;
  assert.deepEqual([later.t, later.d.map((one: { status: string }) => one.status)], [gone, ['ARCHIVED']]);
  await api.delete(`/segments/${project.staging.id}/${name}`);
  const last = (await changes(-1, since)).body.rbs;
  assert.ok(last.t > gone);
  assert.deepEqual(names(last.d), [name]);
});

test('older specs get the older form, and control where they do not know a matcher', async () => {
  const project = await aProject(api);
  const { get } = await aPoller(project);
  const segment = await aRuleBasedSegment(api, project, [project.staging]);
  const plain = await aDefinedFlag(api, project);
  const { flag: newer } = await aDefinedFlag(api, project, {
    treatments: [{ name: 'on', segments: [segment.name] }, { name: 'off' }],
  });
  for (const spec of ['', 's=1.0&', 's=1.1&', 's=1.2&']) {
    const { body } = await get(`/api/splitChanges?${spec}since=-1`);
    assert.deepEqual(Object.keys(body), ['splits', 'since', 'till']);
    assert.deepEqual(names(body.splits), names([plain.flag, newer]));
    const [condition] = body.splits.find(({ name }: { name: string }) => name === newer.name).conditions;
    assert.deepEqual(condition.partitions, [{ treatment: 'control', size: 100 }]);
    const nothing = (await get(`/api/splitChanges?${spec}since=${body.till}`)).body;
    assert.deepEqual(nothing, { splits: [], since: body.till, till: body.till });
  }
});

test('a reply is compressed for those who accept it', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  for (let count = 0; count < 3; count += 1) await aDefinedFlag(api, project);
  const ask = async (encoding: string) => {
    const headers = { authorization: `Bearer ${key}`, 'accept-encoding': encoding };
    const { inject } = await import('light-my-request');
    const asked = { method: 'GET', url: '/api/splitChanges?s=1.3&since=-1', headers } as const;
    return inject((request, response) => api.app.server.emit('request', request, response), asked);
  };
  const plain = await ask('identity');
  assert.equal(plain.headers['content-encoding'], undefined);
  const zipped = await ask('gzip');
  assert.equal(zipped.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.body);
  assert.equal((await ask('gzip, br')).headers['content-encoding'], 'br');
});

test('unknown, revoked, admin and missing keys get 401', async () => {
  const project = await aProject(api);
  const { key, changes } = await aPoller(project);
  assert.equal((await changes()).status, 200);
  for (const path of ['/api/splitChanges?s=1.3&since=-1', '/api/segmentChanges/beta', '/api/memberships/ann']) {
    for (const as of [null, 'unknown', api.adminKey])
      isRefused(await api.get(path, { as }), 401, 'Invalid credentials');
  }
  await api.delete(`/apiKeys/${key}`);
  isRefused(await changes(), 401, 'Invalid credentials');
});

test('an address that sends too many wrong keys must wait', async () => {
  const from = '192.0.2.77';
  const ask = () => api.get('/api/splitChanges', { as: 'wrong', from });
  let answer = await ask();
  for (let count = 0; count < 300; count += 1) answer = await ask();
  assert.equal(answer.status, 429);
  assert.ok(Number(answer.headers['retry-after']) > 0);
});

test('unknown specs and numbers that are none get 400, other methods 405', async () => {
  const { get, key } = await aPoller(await aProject(api));
  isRefused(await get('/api/splitChanges?s=1.4'), 400, 'unsupported flag spec: 1.4');
  isRefused(await get('/api/splitChanges?s=1.3&since=x'), 400, 'since must be a number');
  isRefused(await get('/api/memberships/%ff'), 400, /not a valid URL/);
  isRefused(await api.post('/api/splitChanges', {}, { as: key }), 405, /POST/);
});

test('an SDK that knows more than there is gets everything, with the number that it knows', async () => {
  const project = await aProject(api);
  const { changes } = await aPoller(project);
  const { flag } = await aDefinedFlag(api, project);
  const { t } = (await changes()).body.ff;
  const { ff, rbs } = (await changes(t + 5_000, 7)).body;
  assert.deepEqual([ff.s, ff.t, names(ff.d)], [t + 5_000, t + 5_000, [flag.name]]);
  assert.deepEqual([rbs.s, rbs.t], [7, 7]);
});

test('the keys of a segment come with their changes, each key in one list', async () => {
  const project = await aProject(api);
  const { get } = await aPoller(project);
  const { name } = await aSegment(api, project, [project.staging]);
  const keys = `/segments/${project.staging.id}/${name}`;
  const since = async (number: number) => (await get(`/api/segmentChanges/${name}?since=${number}`)).body;
  const empty = await since(-1);
  assert.deepEqual([empty.name, empty.added, empty.removed, empty.since], [name, [], [], -1]);
  await api.put(`${keys}/uploadKeys`, { keys: ['ann', 'bob'] });
  const added = await since(empty.till);
  assert.deepEqual([added.added, added.removed, added.since], [['ann', 'bob'], [], empty.till]);
  await api.put(`${keys}/removeKeys`, { keys: ['ann'] });
  await api.put(`${keys}/uploadKeys?replace=false`, { keys: ['ann', 'cid'] });
  await api.put(`${keys}/removeKeys`, { keys: ['bob'] });
  const net = await since(added.till);
  assert.deepEqual([net.added.sort(), net.removed], [['ann', 'cid'], ['bob']]);
  assert.deepEqual(await since(net.till), { name, added: [], removed: [], since: net.till, till: net.till });
  // Whoever begins now gets there too.
  const begun = await since(-1);
  const rest = await since(begun.till);
  const all = new Set([...begun.added, ...rest.added]);
  for (const key of rest.removed) all.delete(key);
  assert.deepEqual([...all].sort(), ['ann', 'cid']);
});

test('many changes of a segment are put together, and whoever was away for long still learns of them', async () => {
  const project = await aProject(api);
  const { get } = await aPoller(project);
  const { name } = await aSegment(api, project, [project.staging]);
  const keys = `/segments/${project.staging.id}/${name}`;
  await api.put(`${keys}/uploadKeys`, { keys: ['gone', 'stays'] });
  const since = async (number: number) => (await get(`/api/segmentChanges/${name}?since=${number}`)).body;
  const old = (await since((await since(-1)).till)).till;
  await api.put(`${keys}/removeKeys`, { keys: ['gone'] });
  for (let turn = 0; turn < 60; turn += 1) {
    await api.put(`${keys}/uploadKeys?replace=false`, { keys: [`key-${turn}`] });
    if (turn % 20 === 0) await since(old);
  }
  const state = new Set(['gone', 'stays']);
  for (let number = old; ; ) {
    const { added, removed, till } = await since(number);
    for (const key of added) state.add(key);
    for (const key of removed) state.delete(key);
    if (till === number) break;
    number = till;
  }
  assert.equal(state.size, 61);
  assert.ok(!state.has('gone') && state.has('stays'));
  await until('the whole is new', async () => (await since(-1)).added.length > 30);
});

test('a segment that is not there has no keys, whatever its name; a client-side key may not ask', async () => {
  const project = await aProject(api);
  const { get } = await aPoller(project);
  for (const name of ['none', 'a/b', 'ä ö']) {
    const { status, body } = await get(
      `/api/segmentChanges/${name.split('/').map(encodeURIComponent).join('/')}?since=5`,
    );
    assert.equal(status, 200);
    assert.deepEqual(body, { name, added: [], removed: [], since: 5, till: 5 });
  }
  const client = await aPoller(project, 'client_side');
  isRefused(await client.get('/api/segmentChanges/none?since=-1'), 403, /client-side/);
});

test('a key is told its standard and large segments that flags name', async () => {
  const project = await aProject(api);
  const { get } = await aPoller(project, 'client_side');
  const nothing = (await get('/api/memberships/user-1')).body;
  assert.deepEqual(nothing, { ms: { k: [] }, ls: { k: [] } });
  const standard = await aSegment(api, project, [project.staging]);
  const keys = `/segments/${project.staging.id}/${standard.name}`;
  await api.put(`${keys}/uploadKeys`, { keys: ['user-1', 'a/b %'] });
  const large = await aLargeSegment(api, project, [project.staging]);
  await aDefinedFlag(api, project, {
    treatments: [{ name: 'on', segments: [standard.name, large.name] }, { name: 'off' }],
  });
  const { ms, ls } = (await get('/api/memberships/user-1')).body;
  assert.deepEqual([ms.k, ls.k], [[{ n: standard.name }], [{ n: large.name }]]);
  assert.deepEqual((await get('/api/memberships/user-2')).body, { ms: { k: [] }, ls: { k: [] } });
  assert.deepEqual((await get(`/api/memberships/${encodeURIComponent('a/b %')}`)).body.ms.k, [{ n: standard.name }]);
  assert.deepEqual((await get('/api/mySegments/user-1')).body, {
    mySegments: [{ id: standard.name, name: standard.name }],
  });
  await api.put(`${keys}/removeKeys`, { keys: ['user-1'] });
  assert.deepEqual((await get('/api/memberships/user-1')).body.ms.k, []);
});

test('new keys of a large segment replace the old ones', async () => {
  const project = await aProject(api);
  const { get } = await aPoller(project, 'client_side');
  const { name } = await aLargeSegment(api, project, [project.staging]);
  await aDefinedFlag(api, project, { treatments: [{ name: 'on', segments: [name] }, { name: 'off' }] });
  const has = async (key: string) => (await get(`/api/memberships/${key}`)).body.ls.k.length === 1;
  assert.ok(await has('user-1'));
  const upload = { largeSegment: { name }, operationType: 'UPLOAD' };
  const { body } = await api.post(`/changeRequests/ws/${project.id}/environments/${project.staging.id}`, upload);
  const text = Array.from({ length: 20_000 }, (_, index) => `new-${index}`).join('\n');
  await api.put(new URL(body.transactionMetadata.url).pathname, undefined, { as: null, text });
  await until('the new keys are there', () => has('new-19999'));
  assert.deepEqual([await has('user-1'), await has('new-0')], [false, true]);
});

test('posts of SDKs are accepted, within limits', async () => {
  const { key } = await aPoller(await aProject(api));
  const post = (path: string, text: string, request = {}) => api.call('POST', path, { as: key, text, ...request });
  for (const path of [
    ...['events/bulk', 'testImpressions/bulk', 'testImpressions/count'],
    ...['v1/keys/ss', 'v1/keys/cs', 'v1/metrics/config', 'v1/metrics/usage', 'keys/ss', 'metrics/config'],
    ...['metrics/times', 'metrics/counters', 'metrics/gauge', 'metrics/time', 'metrics/counter'],
  ]) {
    assert.equal((await post(`/api/${path}`, '[]')).status, 200, path);
    assert.equal((await post(`/api/${path}`, '[]', { as: 'wrong' })).status, 401, path);
  }
  isRefused(await post('/api/events/bulk', 'x'.repeat(5 * 1_048_576 + 1)), 413, /5242880/);
  assert.equal((await post('/api/events/bulk', 'x'.repeat(5 * 1_048_576))).status, 200);
});

test('beacons carry their key in the body', async () => {
  const { key } = await aPoller(await aProject(api), 'client_side');
  const send = (path: string, text: string) => api.call('POST', path, { as: null, text });
  for (const path of [
    ...['events/beacon', 'testImpressions/beacon', 'testImpressions/count/beacon'],
    ...['v1/keys/cs/beacon', 'v1/metrics/usage/beacon', 'keys/cs/beacon', 'metrics/usage/beacon'],
  ]) {
    assert.equal((await send(`/api/${path}`, JSON.stringify({ entries: [], token: key }))).status, 204, path);
    isRefused(await send(`/api/${path}`, JSON.stringify({ entries: [], token: 'wrong' })), 401, 'Invalid credentials');
    isRefused(await send(`/api/${path}`, '{"entries":[]}'), 401, 'Invalid credentials');
    isRefused(await send(`/api/${path}`, 'null'), 401, 'Invalid credentials');
  }
  isRefused(await send('/api/events/beacon', 'nothing'), 400, /JSON/);
  isRefused(await send('/api/events/beacon', 'x'.repeat(70_000)), 413, /65536/);
});

test('browsers of any origin may ask', async () => {
  for (const path of ['/api/splitChanges', `/api/memberships/${uniqueName()}`, '/api/events/bulk']) {
    const { status, headers } = await api.call('OPTIONS' as 'GET', path, { as: null });
    assert.equal(status, 204);
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.match(String(headers['access-control-allow-headers']), /Authorization.*SplitSDKVersion.*Cache-Control/);
    assert.ok(Number(headers['access-control-max-age']) > 0);
  }
});

test('the version is answered to everyone', async () => {
  assert.equal((await api.get('/api/version', { as: null })).status, 200);
});

test('requests are logged by their route, without keys of users', async () => {
  const { get } = await aPoller(await aProject(api), 'client_side');
  await get('/api/memberships/ann@example.com');
  const line = api.log.findLast(({ route }) => route === '/api/memberships/*');
  assert.equal(line?.status, 200);
  assert.ok(!JSON.stringify(api.log).includes('ann@example.com'));
});
