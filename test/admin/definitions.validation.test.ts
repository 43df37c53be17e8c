/** What a definition may hold. Every refusal is tried by POST where nothing is defined and by PUT where something is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject } from '../support/build.ts';

const api = await startApi();

const aPath = async () => (await aDefinedFlag(api, await aProject(api))).path;

/** The bodies are refused in both ways, naming the place, and leave neither a change nor an audit entry behind. */
async function allRefused(table: readonly [body: unknown, message: string | RegExp][]) {
  const project = await aProject(api);
  const [undefinedFlag, { flag, path }] = [await aFlag(api, project), await aDefinedFlag(api, project)];
  const absent = path.replace(flag.name, undefinedFlag.name);
  const before = await api.get(path);
  const actions = await api.recorded(async () => {
    for (const [body, message] of table) {
      refused(await api.post(absent, body), 400, message);
      refused(await api.put(path, body), 400, message);
    }
  });
  assert.deepEqual(actions, []);
  const after = await api.get(path);
  assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag]);
  assert.equal((await api.get(absent)).status, 404);
}

async function allAccepted(table: readonly Record<string, unknown>[]) {
  const path = await aPath();
  for (const changes of table) {
    const { status, body, text } = await api.put(path, aDefinition(changes));
    assert.equal(status, 200, text);
    for (const [member, value] of Object.entries(changes)) assert.deepEqual(body[member], value);
  }
}

const treatments = (...list: unknown[]) => aDefinition({ treatments: [{ name: 'on' }, { name: 'off' }, ...list] });
const buckets = (...list: [treatment: unknown, size: unknown][]) =>
  list.map(([treatment, size]) => ({ treatment, size }));
const defaultRule = (...list: [treatment: unknown, size: unknown][]) => aDefinition({ defaultRule: buckets(...list) });
const segment = { type: 'IN_SEGMENT', string: 's' };
const rule = (changes: Record<string, unknown>) =>
  aDefinition({ rules: [{ buckets: buckets(['on', 100]), condition: { matchers: [segment] }, ...changes }] });

test('a body is one JSON object', async () => {
  await allRefused([
    [[], /^body /],
    ['text', /^body /],
    [7, /^body /],
    [null, /^body /],
    [undefined, /^body /],
  ]);
  const path = await aPath();
  for (const text of ['{', '{"treatments":[}', '{"a":1} trailing', "{'a':1}", '{"a":1,}', '\u0000']) {
    refused(await api.call('PUT', path, { text }), 400, /not valid JSON/);
  }
});

test('a body over 1 MiB is refused', async () => {
  const large = aDefinition({ treatments: [{ name: 'on' }, { name: 'off', keys: ['x'.repeat(1_048_576)] }] });
  const path = await aPath();
  const actions = await api.recorded(async () => refused(await api.put(path, large), 413, /larger than 1048576/));
  assert.deepEqual(actions, []);
});

test('the message names the first offending place, and the details name all', async () => {
  await allRefused([[defaultRule(['off', '100']), 'defaultRule/0/size must be integer']]);
  const several = aDefinition({ trafficAllocation: 'all', defaultRule: buckets(['off', 0.5]) });
  const path = await aPath();
  const { message, details } = (await api.put(path, several)).body;
  assert.deepEqual(details.split('\n'), ['trafficAllocation must be integer', 'defaultRule/0/size must be integer']);
  assert.equal(message, 'trafficAllocation must be integer');
});

test('members of the wrong type are refused', async () => {
  await allRefused([
    [aDefinition({ treatments: {} }), /^treatments /],
    [aDefinition({ treatments: ['on'] }), /^treatments\/0 /],
    [aDefinition({ treatments: [null] }), /^treatments\/0 /],
    [treatments({ name: 7 }), /^treatments\/2\/name /],
    [treatments({}), /^treatments\/2\/name /],
    [treatments({ name: 'x', description: 7 }), /^treatments\/2\/description /],
    [treatments({ name: 'x', keys: 'key' }), /^treatments\/2\/keys /],
    [treatments({ name: 'x', keys: [7] }), /^treatments\/2\/keys\/0 /],
    [treatments({ name: 'x', keys: [null] }), /^treatments\/2\/keys\/0 /],
    [treatments({ name: 'x', segments: [{}] }), /^treatments\/2\/segments\/0 /],
    [treatments({ name: 'x', configurations: {} }), /^treatments\/2\/configurations /],
    [aDefinition({ defaultTreatment: 7 }), /^defaultTreatment /],
    [aDefinition({ baselineTreatment: ['off'] }), /^baselineTreatment /],
    [aDefinition({ killed: 'yes' }), /^killed /],
    [aDefinition({ killed: 1 }), /^killed /],
    [aDefinition({ rules: {} }), /^rules /],
    [aDefinition({ rules: ['rule'] }), /^rules\/0 /],
    [rule({ condition: undefined }), /^rules\/0\/condition /],
    [rule({ condition: 'all' }), /^rules\/0\/condition /],
    [rule({ condition: { matchers: {} } }), /^rules\/0\/condition\/matchers /],
    [rule({ buckets: undefined }), /^rules\/0\/buckets /],
    [aDefinition({ defaultRule: {} }), /^defaultRule /],
    [aDefinition({ defaultRule: [100] }), /^defaultRule\/0 /],
    [aDefinition({ defaultRule: [{ size: 100 }] }), /^defaultRule\/0\/treatment /],
    [aDefinition({ defaultRule: [{ treatment: 'off' }] }), /^defaultRule\/0\/size /],
  ]);
});

test('there is at least one treatment, and one is enough', async () => {
  await allRefused([[aDefinition({ treatments: [] }), /^treatments /]]);
  await allAccepted([{ treatments: [{ name: 'off' }] }]);
});

test('a treatment name is 1 to 100 letters, digits, -, _ and ., a letter or digit first', async () => {
  const bad = ['', ' ', '-a', '_a', '.a', 'a b', 'a/b', 'ä', 'a\n', 'x'.repeat(101)];
  await allRefused(bad.map((name) => [treatments({ name }), /^treatments\/2\/name /]));
  const good = ['a', '1', 'v1.2_x-y', 'Control', 'controls', 'x'.repeat(100)];
  await allAccepted(good.map((name) => ({ treatments: [{ name: 'off' }, { name }] })));
});

test('control is reserved, and a treatment name is there once', async () => {
  await allRefused([
    [treatments({ name: 'control' }), /^treatments\/2\/name .*control/],
    [treatments({ name: 'on' }), /^treatments\/2\/name on /],
  ]);
  await allAccepted([{ treatments: [{ name: 'off' }, { name: 'OFF' }] }]);
});

test('a key belongs to one treatment, once; a segment is listed once in a treatment', async () => {
  await allRefused([
    [treatments({ name: 'x', keys: ['a', 'b', 'a'] }), /^treatments\/2\/keys/],
    [treatments({ name: 'x', keys: ['a'] }, { name: 'y', keys: ['b', 'a'] }), /^treatments\/3\/keys/],
    [treatments({ name: 'x', keys: [''] }), /^treatments\/2\/keys\/0 /],
    [treatments({ name: 'x', segments: ['s', 's'] }), /^treatments\/2\/segments/],
  ]);
  const x = { name: 'x', keys: ['a', 'A', ' a', 'ü'], segments: ['s'] };
  await allAccepted([{ treatments: [{ name: 'off' }, x, { name: 'y', keys: ['b'], segments: ['s'] }] }]);
});

test('configurations are JSON text', async () => {
  const bad = ['{', '{a:1}', 'undefined', "{'a':1}"];
  await allRefused(bad.map((configurations) => [treatments({ name: 'x', configurations }), /^treatments\/2\/config/]));
  const good = ['', '{}', '{"":""}', '{"color":"blue"}', 'null', '[1,2]', '"text"'];
  await allAccepted(good.map((configurations) => ({ treatments: [{ name: 'off', configurations }] })));
});

test('the default and the baseline treatment exist', async () => {
  await allRefused([
    [aDefinition({ defaultTreatment: 'absent' }), /^defaultTreatment absent /],
    [aDefinition({ defaultTreatment: 'OFF' }), /^defaultTreatment OFF /],
    [aDefinition({ baselineTreatment: 'absent' }), /^baselineTreatment absent /],
    [aDefinition({ baselineTreatment: '' }), /^baselineTreatment /],
  ]);
  await allAccepted([{ defaultTreatment: 'on', baselineTreatment: 'off' }]);
});

test('traffic allocation is an integer from 0 to 100', async () => {
  const bad = [-1, 101, 0.5, '100', true, [100]];
  await allRefused(bad.map((trafficAllocation) => [aDefinition({ trafficAllocation }), /^trafficAllocation /]));
  await allAccepted([0, 1, 100].map((trafficAllocation) => ({ trafficAllocation })));
});

test('bucket sizes are integers from 0 to 100 that add up to 100', async () => {
  await allRefused([
    [defaultRule(['off', 99]), /^defaultRule .*100/],
    [defaultRule(['off', 60], ['on', 60]), /^defaultRule .*100/],
    [aDefinition({ defaultRule: [] }), /^defaultRule .*100/],
    [defaultRule(['off', 101]), /^defaultRule\/0\/size /],
    [defaultRule(['off', 101], ['on', -1]), /^defaultRule\/0\/size /],
    [defaultRule(['off', -1]), /^defaultRule\/0\/size /],
    [defaultRule(['off', 99.5], ['on', 0.5]), 'defaultRule/0/size must be integer'],
    [defaultRule(['off', true]), 'defaultRule/0/size must be integer'],
    [rule({ buckets: buckets(['on', 50]) }), /^rules\/0\/buckets .*100/],
    [rule({ buckets: [] }), /^rules\/0\/buckets .*100/],
    [rule({ buckets: buckets(['on', '100']) }), 'rules/0/buckets/0/size must be integer'],
  ]);
  await allAccepted([
    { defaultRule: buckets(['off', 0], ['on', 100]) },
    { defaultRule: buckets(['on', 33], ['off', 67]) },
    { defaultRule: buckets(['on', 100]) },
  ]);
});

test('a bucket names a treatment that exists, once in a list', async () => {
  await allRefused([
    [defaultRule(['absent', 100]), /^defaultRule\/0\/treatment absent /],
    [defaultRule(['off', 50], ['off', 50]), /^defaultRule/],
    [rule({ buckets: buckets(['absent', 100]) }), /^rules\/0\/buckets\/0\/treatment absent /],
    [rule({ buckets: buckets(['on', 50], ['on', 50]) }), /^rules\/0\/buckets/],
  ]);
});

test('a condition has matchers, and no combiner but AND', async () => {
  await allRefused([
    [rule({ condition: {} }), /^rules\/0\/condition\/matchers /],
    [rule({ condition: { matchers: [] } }), /^rules\/0\/condition\/matchers /],
    [rule({ condition: { matchers: null } }), /^rules\/0\/condition\/matchers /],
    [rule({ condition: { combiner: 'OR', matchers: [segment] } }), /^rules\/0\/condition\/combiner /],
    [rule({ condition: { combiner: 'and', matchers: [segment] } }), /^rules\/0\/condition\/combiner /],
    [rule({ condition: { combiner: '', matchers: [segment] } }), /^rules\/0\/condition\/combiner /],
  ]);
});

test('rules stay in the order in which they are listed', async () => {
  const rules = ['z', 'a', 'm'].map((string) => ({
    buckets: buckets(['on', 100]),
    condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string }, { ...segment }] },
  }));
  await allAccepted([{ rules }, { rules: rules.toReversed() }]);
});
