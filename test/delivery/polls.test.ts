/** What an official SDK that polls receives, over a real socket. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startApi } from '../support/app.ts';
import {
  aDefinedFlag,
  aProject,
  aRuleBasedSegment,
  aSegment,
  aSetName,
  type ProjectFixture,
  uniqueName,
} from '../support/build.ts';
import { anSdkKey, aPollingSdk, dropFirstPoll, listening, treated } from '../support/sdk.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const url = await listening(api);

const onFor = (targets: { keys?: string[]; segments?: string[] }) => ({
  treatments: [{ name: 'on', ...targets }, { name: 'off' }],
  defaultTreatment: 'off',
  defaultRule: [{ treatment: 'off', size: 100 }],
});

test('a flag that is created, changed, killed and deleted reaches a polling SDK', async () => {
  const project = await aProject(api);
  const sdk = await aPollingSdk(url, await anSdkKey(api, project));
  assert.deepEqual(sdk.manager.names(), []);
  const { flag, path } = await aDefinedFlag(api, project, onFor({ keys: ['ann'] }));
  await treated(sdk, ['ann', flag.name, 'on']);
  await api.put(path, onFor({ keys: ['bob'] }));
  await treated(sdk, ['bob', flag.name, 'on']);
  await api.put(`${path}/kill`);
  await treated(sdk, ['bob', flag.name, 'off']);
  await api.delete(path);
  await treated(sdk, ['bob', flag.name, 'control']);
  assert.deepEqual(sdk.manager.names(), []);
});

test('an SDK that asks for flag sets gets their flags, until they leave the sets', async () => {
  const project = await aProject(api);
  const set = aSetName();
  const { body } = await api.post('/internal/api/v3/flag-sets', { name: set, workspace: { id: project.id } });
  const inSet = { ...onFor({ keys: ['ann'] }), flagSets: [{ id: body.id, type: 'flag_set' }] };
  const { flag, path } = await aDefinedFlag(api, project, inSet);
  await aDefinedFlag(api, project);
  const filters: SplitIO.SplitFilter[] = [{ type: 'bySet', values: [set] }];
  const sdk = await aPollingSdk(url, await anSdkKey(api, project), { splitFilters: filters });
  assert.deepEqual(sdk.manager.names(), [flag.name]);
  assert.deepEqual(sdk.manager.split(flag.name)?.sets, [set]);
  const other = await aDefinedFlag(api, project, inSet);
  await until('a flag that came later is there', () => sdk.manager.names().includes(other.flag.name));
  await api.put(path, { ...onFor({ keys: ['ann'] }), flagSets: [] });
  await until('the flag that left is gone', () => !sdk.manager.names().includes(flag.name));
});

test('an SDK that asks for names and prefixes gets the flags of both', async () => {
  const project = await aProject(api);
  const named = await aDefinedFlag(api, project);
  const other = await aDefinedFlag(api, project);
  const name = uniqueName('mobile');
  await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name });
  await api.post(`/splits/ws/${project.id}/${name}/environments/${project.staging.id}`, onFor({}));
  const splitFilters: SplitIO.SplitFilter[] = [
    { type: 'byName', values: [named.flag.name] },
    { type: 'byPrefix', values: ['mobile-'] },
  ];
  const sdk = await aPollingSdk(url, await anSdkKey(api, project), { splitFilters });
  assert.deepEqual(sdk.manager.names().sort(), [named.flag.name, name].sort());
  assert.ok(!sdk.manager.names().includes(other.flag.name));
});

test('keys that are added to and removed from a segment reach a polling SDK', async () => {
  const project = await aProject(api);
  const segment = await aSegment(api, project, [project.staging]);
  const keys = `/segments/${project.staging.id}/${segment.name}`;
  await api.put(`${keys}/uploadKeys`, { keys: ['ann'] });
  const { flag } = await aDefinedFlag(api, project, onFor({ segments: [segment.name] }));
  const sdk = await aPollingSdk(url, await anSdkKey(api, project));
  await treated(sdk, ['ann', flag.name, 'on']);
  await treated(sdk, ['bob', flag.name, 'off']);
  await api.put(`${keys}/uploadKeys?replace=false`, { keys: ['bob'] });
  await treated(sdk, ['bob', flag.name, 'on']);
  await api.put(`${keys}/removeKeys`, { keys: ['ann'] });
  await treated(sdk, ['ann', flag.name, 'off']);
});

test('rule-based segments reach a polling SDK, and so do changes of them', async () => {
  const project = await aProject(api);
  const segment = await aRuleBasedSegment(api, project, [project.staging]);
  const rules = `/rule-based-segments/ws/${project.id}/${segment.name}/environments/${project.staging.id}`;
  const { flag } = await aDefinedFlag(api, project, onFor({ segments: [segment.name] }));
  const sdk = await aPollingSdk(url, await anSdkKey(api, project));
  await treated(sdk, ['ann', flag.name, 'off']);
  const matchers = [{ type: 'IN_LIST_STRING', attribute: 'plan', strings: ['gold'] }];
  await api.put(rules, { rules: [{ condition: { combiner: 'AND', matchers } }], excludedKeys: ['bob'] });
  await treated(sdk, ['ann', flag.name, 'on'], { plan: 'gold' });
  await treated(sdk, ['bob', flag.name, 'off'], { plan: 'gold' });
});

/** The rule-based segment has this user in staging. */
async function include(project: ProjectFixture, segment: string, user: string): Promise<void> {
  const matchers = [{ type: 'IN_LIST_STRING', strings: [user] }];
  await api.put(`/rule-based-segments/ws/${project.id}/${segment}/environments/${project.staging.id}`, {
    rules: [{ condition: { combiner: 'AND', matchers } }],
  });
}

test('a segment that becomes rule-based while a flag names it is evaluated as such', async () => {
  const project = await aProject(api);
  const name = uniqueName('later');
  const { flag } = await aDefinedFlag(api, project, onFor({ segments: [name] }));
  const { flag: second } = await aDefinedFlag(api, project, onFor({ segments: [name] }));
  const sdk = await aPollingSdk(url, await anSdkKey(api, project));
  await treated(sdk, ['ann', flag.name, 'off']);
  await aRuleBasedSegment(api, project, [project.staging], name);
  await include(project, name, 'ann');
  await treated(sdk, ['ann', flag.name, 'on']);
  await treated(sdk, ['ann', second.name, 'on']);
  await treated(sdk, ['bob', flag.name, 'off']);
});

test('an SDK that lost a poll, and so keeps to spec 1.2, evaluates the rule-based segments that it has', async () => {
  const project = await aProject(api);
  const { name } = await aRuleBasedSegment(api, project, [project.staging]);
  await include(project, name, 'ann');
  const { flag, path } = await aDefinedFlag(api, project, onFor({ segments: [name] }));
  const key = await anSdkKey(api, project);
  const sdk = await aPollingSdk(url, key);
  await treated(sdk, ['ann', flag.name, 'on']);
  const { specs, stop } = dropFirstPoll(api, key);
  await until('it asks for spec 1.2', () => specs.at(-1) === '1.2');
  await api.patch(path, [{ op: 'add', path: '/treatments/0/keys', value: ['bob'] }]);
  await treated(sdk, ['bob', flag.name, 'on']);
  await treated(sdk, ['ann', flag.name, 'on']);
  await treated(sdk, ['cid', flag.name, 'off']);
  stop();
});

test('an SDK whose first poll was lost has rule-based segments, although it asks for spec 1.2', async () => {
  const project = await aProject(api);
  const { name } = await aRuleBasedSegment(api, project, [project.staging]);
  await include(project, name, 'ann');
  const { flag, path } = await aDefinedFlag(api, project, onFor({ segments: [name] }));
  const key = await anSdkKey(api, project);
  const { specs, stop } = dropFirstPoll(api, key);
  const sdk = await aPollingSdk(url, key);
  await treated(sdk, ['ann', flag.name, 'on']);
  await treated(sdk, ['bob', flag.name, 'off']);
  await api.patch(path, [{ op: 'add', path: '/treatments/0/keys', value: ['bob'] }]);
  await treated(sdk, ['bob', flag.name, 'on']);
  await treated(sdk, ['ann', flag.name, 'on']);
  stop();
  assert.deepEqual([...new Set(specs)], ['1.3', '1.2']);
});

for (const [impressionsMode, posted] of [
  ['OPTIMIZED', ['testImpressions/bulk', 'testImpressions/count']],
  ['DEBUG', ['testImpressions/bulk']],
  ['NONE', ['testImpressions/count', 'v1/keys/ss']],
] as const) {
  test(`what an SDK posts with the impressions mode ${impressionsMode} is accepted`, async () => {
    const project = await aProject(api);
    const { flag } = await aDefinedFlag(api, project);
    const posts = new Map<string, number>();
    const note = ({ method, url: path = '' }: IncomingMessage, response: ServerResponse) => {
      if (method === 'POST') response.on('finish', () => posts.set(path.slice('/api/'.length), response.statusCode));
    };
    api.app.server.on('request', note);
    const sdk = await aPollingSdk(url, await anSdkKey(api, project), { impressionsMode });
    for (const user of ['ann', 'ann', 'bob']) sdk.client.getTreatment(user, flag.name);
    sdk.client.track('ann', 'user', 'clicked', 1);
    await sdk.stop();
    api.app.server.off('request', note);
    const about = [...posts.keys()].filter((path) => /impressions|keys/i.test(path));
    assert.deepEqual(about.sort(), posted);
    assert.ok(posts.has('events/bulk'));
    assert.deepEqual(new Set(posts.values()), new Set([200]));
  });
}
