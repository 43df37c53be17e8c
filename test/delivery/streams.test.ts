/** Official SDKs, streaming: what changes here, they have, with as few requests as possible. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aLargeSegment, aProject, aRuleBasedSegment, aSegment } from '../support/build.ts';
import { anSdkKey, dropFirstPoll } from '../support/sdk.ts';
import { anSdk, connected, listenTo } from '../support/streams.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const { base, requests } = await listenTo(api);

const flipTo = (treatment: string) => [{ op: 'replace', path: '/defaultRule', value: [{ treatment, size: 100 }] }];

async function change(path: string, patch: readonly object[]) {
  const answer = await api.patch(path, patch);
  assert.equal(answer.status, 200, answer.text);
}

/** A project with a flag whose treatment is off, and an SDK that streams. */
async function aWorld() {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const key = await anSdkKey(api, project);
  const sdk = await anSdk(base, key);
  assert.equal(sdk.treatmentOf(flag.name), 'off');
  return { project, flag, path, key, sdk };
}

test('a changed flag arrives with its message, without a request', async () => {
  const { flag, path, sdk } = await aWorld();
  await sdk.settled(requests);
  const before = requests.length;
  for (const treatment of ['on', 'off', 'on']) {
    await change(path, flipTo(treatment));
    await sdk.gets(treatment, flag.name);
  }
  assert.deepEqual(requests.slice(before), []);
});

test('text beyond ASCII arrives unchanged with the message', async () => {
  const { flag, path, sdk } = await aWorld();
  await sdk.settled(requests);
  const before = requests.length;
  const config = JSON.stringify({ title: 'tré – 日本語 – 🏴‍☠️' });
  await change(path, [...flipTo('on'), { op: 'add', path: '/treatments/0/configurations', value: config }]);
  await sdk.gets('on', flag.name);
  assert.equal(sdk.configOf(flag.name), config);
  assert.deepEqual(requests.slice(before), []);
});

test('a flag that is too large for a message is fetched', async () => {
  const { flag, path, sdk } = await aWorld();
  const keys = Array.from({ length: 3_000 }, () => crypto.randomUUID());
  await change(path, [...flipTo('on'), { op: 'add', path: '/treatments/1/keys', value: keys }]);
  await sdk.gets('on', flag.name);
  assert.equal(sdk.treatmentOf(flag.name, keys[0]), 'off');
});

test('a new flag, a killed one, a restored one and a deleted one', async () => {
  const { project, path, flag, sdk } = await aWorld();
  await change(path, flipTo('on'));
  await sdk.gets('on', flag.name);
  assert.equal((await api.put(`${path}/kill`)).status, 200);
  await sdk.gets('off', flag.name);
  assert.equal((await api.put(`${path}/restore`)).status, 200);
  await sdk.gets('on', flag.name);
  const added = await aDefinedFlag(api, project);
  await sdk.gets('off', added.flag.name);
  assert.equal((await api.delete(path)).status, 200);
  await sdk.gets('control', flag.name);
  assert.equal(sdk.treatmentOf(added.flag.name), 'off');
});

test('keys of a segment arrive, also of one that was named after the stream was opened', async () => {
  const { project, flag, path, sdk } = await aWorld();
  const { name } = await aSegment(api, project, [project.staging]);
  const keysPath = `/segments/${project.staging.id}/${name}`;
  assert.equal((await api.put(`${keysPath}/uploadKeys`, { keys: ['ana'] })).status, 200);
  await change(path, [{ op: 'add', path: '/treatments/0/segments', value: [name] }]);
  await sdk.gets('on', flag.name, 'ana');
  assert.equal((await api.put(`${keysPath}/uploadKeys`, { keys: ['bob'] })).status, 200);
  await sdk.gets('on', flag.name, 'bob');
  assert.equal((await api.put(`${keysPath}/removeKeys`, { keys: ['ana'] })).status, 200);
  await sdk.gets('off', flag.name, 'ana');
  assert.equal(sdk.treatmentOf(flag.name, 'bob'), 'on');
});

test('rules of a rule-based segment arrive', async () => {
  const { project, flag, path, sdk } = await aWorld();
  const { name } = await aRuleBasedSegment(api, project, [project.staging]);
  const place = `/rule-based-segments/ws/${project.id}/${name}/environments/${project.staging.id}`;
  const rulesFor = (key: string) => ({
    rules: [{ condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', strings: [key] }] } }],
  });
  assert.equal((await api.put(place, rulesFor('ana'))).status, 200);
  const rule = {
    buckets: [{ treatment: 'on', size: 100 }],
    condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: name }] },
  };
  await change(path, [{ op: 'add', path: '/rules', value: [rule] }]);
  await sdk.gets('on', flag.name, 'ana');
  await sdk.settled(requests);
  const before = requests.length;
  assert.equal((await api.put(place, rulesFor('bob'))).status, 200);
  await sdk.gets('on', flag.name, 'bob');
  assert.equal(sdk.treatmentOf(flag.name, 'ana'), 'off');
  assert.deepEqual(requests.slice(before), []);
});

test('a client is told of its own memberships without a request, and of many at once', async () => {
  const { project, flag, path } = await aWorld();
  const { name } = await aSegment(api, project, [project.staging]);
  const keysPath = `/segments/${project.staging.id}/${name}`;
  await change(path, [{ op: 'add', path: '/treatments/0/segments', value: [name] }]);
  const [ana, bob] = [
    await anSdk(base, await anSdkKey(api, project, 'client_side'), { user: 'ana' }),
    await anSdk(base, await anSdkKey(api, project, 'client_side'), { user: 'bob ~ böb' }),
  ];
  await ana.settled(requests);
  await bob.settled(requests);
  const before = requests.length;
  assert.equal((await api.put(`${keysPath}/uploadKeys`, { keys: ['ana'] })).status, 200);
  await ana.gets('on', flag.name);
  assert.equal(bob.treatmentOf(flag.name), 'off');
  const many = Array.from({ length: 9_000 }, (_, index) => `user-${index}`);
  assert.equal((await api.put(`${keysPath}/uploadKeys`, { keys: [...many, 'bob ~ böb'] })).status, 200);
  await bob.gets('on', flag.name);
  assert.equal(ana.treatmentOf(flag.name), 'on');
  const fetched = requests.slice(before).filter((url) => url.startsWith('/api/memberships'));
  assert.deepEqual(fetched, []);
  for (const sdk of [ana, bob]) assert.deepEqual(sdk.complaints(), []);
});

test('a client that joins several segments at once has all of them', async () => {
  const { project, path } = await aWorld();
  const names: string[] = [];
  for (let index = 0; index < 8; index += 1) names.push((await aSegment(api, project, [project.staging])).name);
  const flags: string[] = [];
  for (const name of names) {
    const treatments = [{ name: 'on', segments: [name] }, { name: 'off' }];
    flags.push((await aDefinedFlag(api, project, { treatments })).flag.name);
  }
  await change(path, flipTo('on'));
  const sdk = await anSdk(base, await anSdkKey(api, project, 'client_side'), { user: 'ana' });
  const send = (verb: string) =>
    Promise.all(names.map((name) => api.put(`/segments/${project.staging.id}/${name}/${verb}`, { keys: ['ana'] })));
  for (const [verb, treatment] of [
    ['uploadKeys', 'on'],
    ['removeKeys', 'off'],
    ['uploadKeys', 'on'],
  ] as const) {
    for (const { status, text } of await send(verb)) assert.equal(status, 200, text);
    for (const flag of flags) await sdk.gets(treatment, flag);
  }
});

test('a client has memberships of segments that flags name only later, large ones too', async () => {
  const { project, flag, path } = await aWorld();
  const { name } = await aSegment(api, project, [project.staging]);
  assert.equal((await api.put(`/segments/${project.staging.id}/${name}/uploadKeys`, { keys: ['user-1'] })).status, 200);
  const large = await aLargeSegment(api, project, [project.staging]);
  const other = await aDefinedFlag(api, project);
  const sdk = await anSdk(base, await anSdkKey(api, project, 'client_side'), { user: 'user-1' });
  await change(path, [{ op: 'add', path: '/treatments/0/segments', value: [name] }]);
  await sdk.gets('on', flag.name);
  await change(other.path, [{ op: 'add', path: '/treatments/0/segments', value: [large.name] }]);
  await sdk.gets('on', other.flag.name);
});

test('many changes in quick succession end in the same state everywhere', async () => {
  const { project, flag, path, key, sdk } = await aWorld();
  const more = await Promise.all(Array.from({ length: 30 }, () => aDefinedFlag(api, project)));
  await Promise.all(
    [{ flag, path }, ...more].flatMap(({ path: each }) => ['on', 'off', 'on'].map((to) => change(each, flipTo(to)))),
  );
  for (const { flag: each } of more) {
    const { body } = await api.get(`/splits/ws/${project.id}/${each.name}/environments/${project.staging.id}`);
    await sdk.gets(body.defaultRule[0].treatment, each.name);
  }
  const fresh = await anSdk(base, key, { streaming: false });
  for (const { flag: each } of more) assert.equal(sdk.treatmentOf(each.name), fresh.treatmentOf(each.name));
});

test('an SDK whose key is revoked keeps what it has, and hears of no further change', async () => {
  const { project, flag, path } = await aWorld();
  const { body } = await api.post('/apiKeys', {
    name: 'to revoke',
    apiKeyType: 'server_side',
    workspace: { id: project.id },
    environments: [{ id: project.staging.id }],
  });
  const [sdk, other] = [await anSdk(base, body.key), await anSdk(base, await anSdkKey(api, project))];
  assert.equal((await api.delete(`/apiKeys/${body.id}`)).status, 200);
  await until('the SDK is refused', () => sdk.complaints().some((line) => line.includes('401')));
  await change(path, flipTo('on'));
  await other.gets('on', flag.name);
  assert.equal(sdk.treatmentOf(flag.name), 'off');
});

// Last, because it closes the connections of all SDKs.
test('rules of a rule-based segment arrive at an SDK that lost a poll, and so keeps to spec 1.2', async () => {
  const { project, flag, path, key, sdk } = await aWorld();
  const { name } = await aRuleBasedSegment(api, project, [project.staging]);
  const place = `/rule-based-segments/ws/${project.id}/${name}/environments/${project.staging.id}`;
  const rulesFor = (user: string) => ({
    rules: [{ condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', strings: [user] }] } }],
  });
  assert.equal((await api.put(place, rulesFor('ana'))).status, 200);
  await change(path, [{ op: 'add', path: '/treatments/0/segments', value: [name] }]);
  await sdk.gets('on', flag.name, 'ana');
  const { specs, stop } = dropFirstPoll(api, key);
  api.app.server.closeAllConnections();
  await sdk.says(connected, 2);
  await until('it asks for spec 1.2', () => specs.at(-1) === '1.2');
  stop();
  assert.equal((await api.put(place, rulesFor('bob'))).status, 200);
  await sdk.gets('on', flag.name, 'bob');
  assert.equal(sdk.treatmentOf(flag.name, 'ana'), 'off');
});
