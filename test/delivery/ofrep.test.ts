/** Evaluation over HTTP, with the requests of OpenFeature's providers and of curl. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { type Provider, OpenFeature as WebOpenFeature } from '@openfeature/web-sdk';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aProject, aRuleBasedSegment, aSegment } from '../support/build.ts';
import { anSdkKey, listening } from '../support/sdk.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const url = await listening(api);
const project = await aProject(api);
const key = await anSdkKey(api, project);
const clientKey = await anSdkKey(api, project, 'client_side');

interface Asking {
  readonly body?: unknown;
  readonly text?: string;
  readonly as?: string;
  readonly headers?: Record<string, string>;
}

async function ask(path: string, { body, text, as = key, headers = {} }: Asking) {
  const answer = await fetch(`${url}/ofrep/v1/${path}`, {
    method: path === 'configuration' ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json', ...headers },
    ...(path === 'configuration' ? {} : { body: text ?? JSON.stringify(body ?? {}) }),
  });
  const content = await answer.text();
  // biome-ignore lint/suspicious/noExplicitAny: tests name what they expect
  const parsed = (content === '' ? undefined : JSON.parse(content)) as any;
  return { status: answer.status, body: parsed, etag: answer.headers.get('etag') ?? '' };
}
const evaluate = (flag: { name: string }, context: object) => ask(`evaluate/flags/${flag.name}`, { body: { context } });

const all = (treatment: string) => [{ treatment, size: 100 }];
const shared = [
  { treatment: 'on', size: 50 },
  { treatment: 'off', size: 50 },
];
const ruleOf = (buckets: object[], ...matchers: object[]) => ({ buckets, condition: { combiner: 'AND', matchers } });
const matches = (string: string) => ({ type: 'MATCHES_STRING', attribute: 'mail', string });
const plan = (...strings: string[]) => ({ type: 'IN_LIST_STRING', attribute: 'plan', strings });

test('the answer is the treatment with the reason, the rule that decided and the configuration', async () => {
  const { name: beta } = await aSegment(api, project, [project.staging]);
  await api.put(`/segments/${project.staging.id}/${beta}/uploadKeys`, { keys: ['ben'] });
  const { flag, path } = await aDefinedFlag(api, project, {
    treatments: [{ name: 'on', keys: ['ann'], segments: [beta], configurations: '{"a":1}' }, { name: 'off' }],
    rules: [ruleOf(all('on'), plan('pro')), ruleOf(shared, plan('half'))],
    defaultRule: all('off'),
  });
  const reasonFor = async (context: object) => {
    const { status, body } = await evaluate(flag, context);
    assert.equal(status, 200, JSON.stringify(body));
    const { changeNumber, ...metadata } = body.metadata;
    assert.equal(typeof changeNumber, 'number');
    assert.deepEqual(metadata.configuration, body.variant === 'on' ? '{"a":1}' : undefined);
    assert.deepEqual([body.key, body.value], [flag.name, body.variant === 'on']);
    return [body.variant, body.reason, metadata.rule];
  };
  assert.deepEqual(await reasonFor({ targetingKey: 'ann' }), ['on', 'TARGETING_MATCH', 'key listed for on']);
  assert.deepEqual(await reasonFor({ targetingKey: 'ben' }), [
    'on',
    'TARGETING_MATCH',
    `segment ${beta} listed for on`,
  ]);
  assert.deepEqual(await reasonFor({ targetingKey: 'cat', plan: 'pro' }), ['on', 'TARGETING_MATCH', 'rule 1']);
  assert.deepEqual((await reasonFor({ targetingKey: 'cat', plan: 'half' })).slice(1), ['SPLIT', 'rule 2']);
  assert.deepEqual(await reasonFor({ targetingKey: 'cat', plan: 7 }), ['off', 'DEFAULT', 'default rule']);
  await api.patch(path, [{ op: 'replace', path: '/defaultRule', value: shared }]);
  assert.deepEqual((await reasonFor({ targetingKey: 'cat' })).slice(1), ['SPLIT', 'default rule']);
  await api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 0 }]);
  assert.deepEqual(await reasonFor({ targetingKey: 'cat' }), ['off', 'DEFAULT', 'outside the traffic allocation']);
  await api.put(`${path}/kill`);
  assert.deepEqual(await reasonFor({ targetingKey: 'ann' }), ['off', 'DISABLED', 'killed']);
});

test('the value is boolean if all treatments are on, off, true or false, and else the treatment', async () => {
  const valueWith = async (...names: string[]) => {
    const { flag } = await aDefinedFlag(api, project, {
      treatments: names.map((name) => ({ name })),
      defaultTreatment: names[0],
      defaultRule: all(names[0] ?? ''),
    });
    const { body } = await evaluate(flag, { targetingKey: 'ann' });
    return [body.value, body.variant];
  };
  assert.deepEqual(await valueWith('true', 'false'), [true, 'true']);
  assert.deepEqual(await valueWith('off', 'on'), [false, 'off']);
  assert.deepEqual(await valueWith('on', 'off', 'blue'), ['on', 'on']);
});

test('a rule-based segment and another flag are evaluated too', async () => {
  const { name } = await aRuleBasedSegment(api, project, [project.staging]);
  const rules = [{ condition: { combiner: 'AND', matchers: [plan('pro')] } }];
  await api.put(`/rule-based-segments/ws/${project.id}/${name}/environments/staging`, { rules, excludedKeys: ['ann'] });
  const { flag: base } = await aDefinedFlag(api, project, {
    rules: [ruleOf(all('on'), { type: 'IN_SEGMENT', string: name })],
  });
  const depends = { splitName: base.name, treatments: ['on'] };
  const { flag } = await aDefinedFlag(api, project, { rules: [ruleOf(all('on'), { type: 'IN_SPLIT', depends })] });
  assert.equal((await evaluate(flag, { targetingKey: 'bob', plan: 'pro' })).body.value, true);
  assert.equal((await evaluate(flag, { targetingKey: 'ann', plan: 'pro' })).body.value, false);
  assert.equal((await evaluate(flag, { targetingKey: 'bob' })).body.value, false);
});

test("a failed evaluation has the protocol's code and a reason", async () => {
  const { flag } = await aDefinedFlag(api, project);
  const failed = async (path: string, asking: Asking) => {
    const { status, body } = await ask(path, asking);
    assert.ok(body.errorDetails.length > 10);
    return [status, body.errorCode, body.key];
  };
  const one = `evaluate/flags/${flag.name}`;
  const context = { targetingKey: 'ann' };
  assert.deepEqual(await failed('evaluate/flags/nowhere', { body: { context } }), [404, 'FLAG_NOT_FOUND', 'nowhere']);
  for (const [path, named] of [
    [one, flag.name],
    ['evaluate/flags', undefined],
  ] as const) {
    for (const text of ['', '{', '[]', 'null']) {
      assert.deepEqual(await failed(path, { text }), [400, 'PARSE_ERROR', named], text);
    }
    for (const body of [{}, { context: {} }, { context: { targetingKey: '  ' } }]) {
      assert.deepEqual(await failed(path, { body }), [400, 'TARGETING_KEY_MISSING', named], JSON.stringify(body));
    }
    for (const body of [{ context: [] }, { context: 'x' }, { context: { targetingKey: 1 } }]) {
      assert.deepEqual(await failed(path, { body }), [400, 'INVALID_CONTEXT', named], JSON.stringify(body));
    }
    const long = { context: { targetingKey: 'x'.repeat(251) } };
    assert.deepEqual(await failed(path, { body: long }), [400, 'INVALID_CONTEXT', named]);
  }
  const large = await ask(one, { body: { context: { ...context, text: 'x'.repeat(300_000) } } });
  assert.equal(large.status, 413);
});

test('only a server-side key can evaluate', async () => {
  const { flag } = await aDefinedFlag(api, project);
  for (const path of [`evaluate/flags/${flag.name}`, 'evaluate/flags', 'configuration']) {
    const asking = { body: { context: { targetingKey: 'ann' } } };
    assert.deepEqual((await ask(path, { ...asking, as: 'unknown' })).status, 401);
    assert.deepEqual((await ask(path, { ...asking, as: api.adminKey })).status, 401);
    const { status, body } = await ask(path, { ...asking, as: clientKey });
    assert.deepEqual([status, body.message], [403, 'Evaluation over HTTP needs a server-side key']);
  }
  const { status } = await ask('configuration', { as: '', headers: { authorization: '', 'x-api-key': key } });
  assert.equal(status, 200);
});

test('all flags at once have an ETag of the flags and the context', async () => {
  const own = await aProject(api);
  const as = await anSdkKey(api, own);
  const { flag: one, path } = await aDefinedFlag(api, own);
  const { flag: other } = await aDefinedFlag(api, own);
  const bulk = (context: object, etag?: string) =>
    ask('evaluate/flags', { as, body: { context }, headers: etag ? { 'if-none-match': etag } : {} });
  const first = await bulk({ targetingKey: 'ann' });
  assert.equal(first.status, 200);
  assert.deepEqual(
    first.body.flags.map(({ key: name, value }: { key: string; value: boolean }) => [name, value]),
    [one.name, other.name].sort().map((name) => [name, false]),
  );
  const known = await bulk({ targetingKey: 'ann' }, first.etag);
  assert.deepEqual([known.status, known.body, known.etag], [304, undefined, first.etag]);
  const elsewhere = await bulk({ targetingKey: 'bob' }, first.etag);
  assert.equal(elsewhere.status, 200);
  assert.notEqual(elsewhere.etag, first.etag);
  await api.patch(path, [{ op: 'replace', path: '/defaultRule', value: all('on') }]);
  const changed = await bulk({ targetingKey: 'ann' }, first.etag);
  assert.equal(changed.status, 200);
  assert.equal(changed.body.flags.find((flag: { key: string }) => flag.key === one.name).value, true);
});

test('pages of another origin can see the ETag, and send it and the key', async () => {
  const { headers } = await fetch(`${url}/ofrep/v1/configuration`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(headers.get('access-control-expose-headers'), 'ETag');
  const preflight = await fetch(`${url}/ofrep/v1/evaluate/flags`, { method: 'OPTIONS' });
  const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ') ?? [];
  for (const name of ['Authorization', 'Content-Type', 'If-None-Match', 'X-API-Key'])
    assert.ok(allowed.includes(name), name);
});

test('the configuration names Burgee and what it evaluates', async () => {
  const { status, body, etag } = await ask('configuration', {});
  assert.deepEqual([status, body.name], [200, 'Burgee']);
  assert.deepEqual(body.capabilities.flagEvaluation, { supportedTypes: ['boolean', 'string'] });
  assert.equal((await ask('configuration', { headers: { 'if-none-match': etag } })).status, 304);
});

test('an expression that takes forever fails its own flag within moments, and no other', async () => {
  const { flag: bad } = await aDefinedFlag(api, project, { rules: [ruleOf(all('on'), matches('^(a+)+$'))] });
  const { flag: good } = await aDefinedFlag(api, project, { rules: [ruleOf(all('on'), matches('^(ab)+$'))] });
  const mail = `${'a'.repeat(60)}b`;
  for (let tries = 0; tries < 3; tries += 1) {
    const { status, body } = await evaluate(bad, { targetingKey: 'ann', mail });
    assert.deepEqual([status, body.errorCode], [400, 'GENERAL']);
    assert.match(body.errorDetails, /takes too long: \^\(a\+\)\+\$/);
  }
  assert.equal((await evaluate(good, { targetingKey: 'ann', mail: 'abab' })).body.value, true);
  assert.equal((await evaluate(good, { targetingKey: 'ann', mail: 'aba' })).body.value, false);
  // After a pause it is tried again.
  await until('the flag works again', async () => {
    const { body } = await evaluate(bad, { targetingKey: 'ann', mail: 'aaa' });
    return body.value === true;
  });
});

test('the OpenFeature provider for servers evaluates booleans and texts, with reason and metadata', async () => {
  const { flag } = await aDefinedFlag(api, project, { rules: [ruleOf(all('on'), plan('pro'))] });
  const { flag: coloured } = await aDefinedFlag(api, project, {
    treatments: [{ name: 'blue', configurations: '{"hex":"#00f"}' }, { name: 'red' }],
    defaultTreatment: 'red',
    defaultRule: all('blue'),
  });
  const provider = new OFREPProvider({ baseUrl: url, headers: [['Authorization', `Bearer ${key}`]] });
  await OpenFeature.setProviderAndWait(provider);
  after(() => OpenFeature.close());
  const client = OpenFeature.getClient();
  const details = await client.getBooleanDetails(flag.name, false, { targetingKey: 'ann', plan: 'pro' });
  assert.deepEqual(
    [details.value, details.variant, details.reason, details.flagMetadata.rule],
    [true, 'on', 'TARGETING_MATCH', 'rule 1'],
  );
  assert.equal(await client.getBooleanValue(flag.name, true, { targetingKey: 'ann' }), false);
  const colour = await client.getStringDetails(coloured.name, 'none', { targetingKey: 'ann' });
  assert.deepEqual([colour.value, colour.flagMetadata.configuration], ['blue', '{"hex":"#00f"}']);
  const missing = await client.getBooleanDetails('nowhere', true, { targetingKey: 'ann' });
  assert.deepEqual([missing.value, missing.errorCode], [true, 'FLAG_NOT_FOUND']);
  const keyless = await client.getBooleanDetails(flag.name, true, {});
  assert.deepEqual([keyless.value, keyless.errorCode], [true, 'TARGETING_KEY_MISSING']);
});

test('the OpenFeature provider for static contexts loads all flags and sees changes', async () => {
  const { flag, path } = await aDefinedFlag(api, project, { rules: [ruleOf(all('on'), plan('pro'))] });
  const provider = new OFREPWebProvider({
    baseUrl: url,
    headers: [['Authorization', `Bearer ${key}`]],
    pollInterval: 50,
  });
  await WebOpenFeature.setContext({ targetingKey: 'ann', plan: 'pro' });
  await WebOpenFeature.setProviderAndWait(provider as Provider);
  after(() => WebOpenFeature.close());
  const client = WebOpenFeature.getClient();
  const details = client.getBooleanDetails(flag.name, false);
  assert.deepEqual([details.value, details.reason, details.flagMetadata.rule], [true, 'TARGETING_MATCH', 'rule 1']);
  await WebOpenFeature.setContext({ targetingKey: 'ann', plan: 'free' });
  assert.equal(client.getBooleanValue(flag.name, true), false);
  await api.patch(path, [{ op: 'replace', path: '/defaultRule', value: all('on') }]);
  await until('the change is seen', () => client.getBooleanValue(flag.name, false));
});
