/** ETag and If-Match of flags and definitions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject } from '../support/build.ts';

const api = await startApi();

type Method = Parameters<typeof api.call>[0];
type Write = readonly [method: Method, suffix: string, body: unknown];
/** In an order in which each can be done after the other. */
const definitionWrites: Write[] = [
  ['PUT', '', aDefinition({ trafficAllocation: 8 })],
  ['PATCH', '', [{ op: 'replace', path: '/trafficAllocation', value: 7 }]],
  ['PUT', '/kill', undefined],
  ['PUT', '/restore', undefined],
  ['POST', '/kill', { title: 'x' }],
  ['POST', '/restore', undefined],
  ['DELETE', '', undefined],
];
const flagWrites: Write[] = [
  ['PATCH', '', [{ op: 'replace', path: '/description', value: 'patched' }]],
  ['PUT', '/updateDescription', 'described'],
  ['DELETE', '', undefined],
];

/** The two things that have an ETag, each with its writes. */
async function aPair() {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  return [
    { path, writes: definitionWrites },
    { path: `/splits/ws/${project.id}/${flag.name}`, writes: flagWrites },
  ] as const;
}

const send = (path: string, [method, suffix, body]: Write, ifMatch?: string): Promise<Answer> =>
  api.call(method, path + suffix, { body, headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } });
const etagAt = async (path: string) => String((await api.get(path)).headers.etag);
const label = ([method, suffix]: Write) => `${method} ${suffix}`;

test('every definition and flag answer has the ETag of what it shows', async () => {
  const project = await aProject(api);
  const newFlag = await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: 'tagged' });
  const flagPath = `/splits/ws/${project.id}/tagged`;
  const definitionPath = `${flagPath}/environments/staging`;
  const newDefinition = await api.post(definitionPath, aDefinition());
  const things = [
    { path: definitionPath, created: newDefinition, writes: definitionWrites },
    { path: flagPath, created: newFlag, writes: flagWrites },
  ];
  for (const { path, created, writes } of things) {
    const seen = new Set([String(created.headers.etag)]);
    assert.match(String(created.headers.etag), /^"[\x21\x23-\x7e]+"$/);
    for (const write of writes.filter(([method]) => method !== 'DELETE')) {
      assert.equal(await etagAt(path), [...seen].at(-1), 'reading changes nothing');
      const { headers } = await send(path, write);
      assert.ok(!seen.has(String(headers.etag)), `${label(write)} makes a new one`);
      seen.add(String(headers.etag));
      assert.equal(await etagAt(path), headers.etag);
    }
  }
});

test('a write with the current ETag, or *, is done', async () => {
  for (const form of [(etag: string) => etag, (etag: string) => `"other", ${etag}`, () => '*']) {
    for (const { path, writes } of await aPair()) {
      for (const write of writes.slice(0, -1)) {
        const answer = await send(path, write, form(await etagAt(path)));
        assert.equal(answer.status, 200, `${label(write)} ${answer.text}`);
      }
    }
    for (const { path, writes } of await aPair()) {
      const [method] = writes.at(-1) as Write;
      assert.equal((await send(path, [method, '', undefined], form(await etagAt(path)))).text, 'true');
    }
  }
});

test('a write whose ETag no longer holds is 412 and changes nothing', async () => {
  for (const { path, writes } of await aPair()) {
    const old = await etagAt(path);
    await send(path, writes[0] as Write);
    const current = await api.get(path);
    const etag = String(current.headers.etag);
    const stale = [old, '"other"', `W/${etag}`, etag.replaceAll('"', ''), `${old}, "other"`, ''];
    const actions = await api.recorded(async () => {
      for (const write of writes) {
        for (const ifMatch of stale) refused(await send(path, write, ifMatch), 412, /If-Match/);
      }
    });
    assert.deepEqual(actions, []);
    const after = await api.get(path);
    assert.deepEqual([after.text, after.headers.etag], [current.text, etag]);
  }
});

test('without If-Match nothing is demanded', async () => {
  for (const { path, writes } of await aPair()) {
    for (const write of writes.slice(0, -1)) assert.equal((await send(path, write)).status, 200, label(write));
  }
});

test('If-Match holds for nothing that is not there', async () => {
  const project = await aProject(api);
  const { name } = await aFlag(api, project);
  const path = `/splits/ws/${project.id}/${name}/environments/staging`;
  const actions = await api.recorded(async () => {
    for (const ifMatch of ['*', '"1"']) {
      refused(await send(path, ['POST', '', aDefinition()], ifMatch), 412, /If-Match/);
    }
  });
  assert.deepEqual(actions, []);
  assert.equal((await api.get(path)).status, 404);
});

test('the ETag of a definition that is gone does not hold for the one that came after it', async () => {
  const [{ path }] = await aPair();
  const old = await etagAt(path);
  await api.delete(path);
  await api.post(path, aDefinition());
  refused(await send(path, ['PUT', '/kill', undefined], old), 412, /If-Match/);
});

test('a write to a definition leaves the ETag of its flag, and the other way round', async () => {
  const [definition, flag] = await aPair();
  for (const [changed, other] of [
    [definition, flag],
    [flag, definition],
  ] as const) {
    const before = await etagAt(other.path);
    await send(changed.path, changed.writes[0] as Write);
    assert.equal(await etagAt(other.path), before);
  }
});
