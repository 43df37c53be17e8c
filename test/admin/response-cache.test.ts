/** A cached response must not differ from one that is not. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type FastifyRequest, fastify } from 'fastify';
import { inject } from 'light-my-request';
import sql from 'sql-template-tag';
import { prefix } from '#contract/parts.ts';
import { createResponseCache } from '#http/cache/responses.ts';
import { hashOf } from '#security/secrets.ts';
import { openStore } from '#store/open.ts';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject, uniqueName } from '../support/build.ts';
import { onlySqlite } from '../support/databases.ts';
import { askForReset, signIn } from '../support/session.ts';
import { statementsOf } from '../support/statements.ts';

const api = await startApi();

/** A definition that was just read, so that its answer is kept, and its path. */
async function aReadDefinition() {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  await untilUseIsNoted(await firstKeyId());
  return { path, first: await api.get(path) };
}

const firstKeyId = async () => (await api.get('/apiKeys?limit=1')).body.objects[0].id as string;

/** The first use of a key is noted beside the requests, which is a commit like any other. */
async function untilUseIsNoted(id: string): Promise<void> {
  const { objects } = (await api.get('/apiKeys?limit=200')).body as { objects: { id: string; lastUsedAt?: number }[] };
  if (objects.find((key) => key.id === id)?.lastUsedAt !== undefined) return;
  // A kept answer comes without a turn of the event loop, which the commit needs.
  await turn();
  await untilUseIsNoted(id);
}

const statements = (body: () => Promise<unknown>) => statementsOf(api.store, body);

/** A key of its own for which the answer is kept, and which has just gone the whole way, so that it need not for a while. */
async function aKeyThatHasRead(path: string): Promise<string> {
  const name = uniqueName('key');
  const text = await api.key({ name });
  const read = () => statements(() => api.get(path, { as: text }));
  await read();
  const row = await api.store.one<{ id: string }>(sql`select id from api_keys where name = ${name}`);
  await untilUseIsNoted(row?.id ?? '');
  const seen = [await read(), await read(), await read()];
  assert.deepEqual(seen.at(-1), []);
  return text;
}

test('a repeated read with the same key does not query the tables', onlySqlite, async () => {
  const { path, first } = await aReadDefinition();
  const as = await aKeyThatHasRead(path);
  assert.notDeepEqual(await statements(() => api.get(`${path}?again`, { as })), []);
  assert.equal(first.status, 200);
});

test('a cached response has the same bytes and headers as the first, its own id, and the same log line', async () => {
  const { path, first } = await aReadDefinition();
  const second = await api.get(path);
  const without = ({ 'x-transaction-id': _, date: __, ...others }: Record<string, unknown>) => others;
  assert.equal(second.text, first.text);
  assert.deepEqual(without(second.headers), without(first.headers));
  assert.notEqual(second.headers['x-transaction-id'], first.headers['x-transaction-id']);
  const logged = ({ headers }: typeof first) =>
    api.log.find((line) => line.transactionId === headers['x-transaction-id'] && line.msg === 'request');
  const { method, route, status, actor } = logged(first) ?? {};
  assert.equal(status, 200);
  const { time: _, milliseconds, transactionId: __, ...line } = logged(second) ?? {};
  assert.equal(typeof milliseconds, 'number');
  assert.partialDeepStrictEqual(line, { method, route, status, actor, msg: 'request' });
});

test('after a change the next answer shows it', async () => {
  const { path } = await aReadDefinition();
  for (const title of ['first', 'second', 'third']) {
    const patched = await api.patch(`${path}?title=${title}`, [
      { op: 'replace', path: '/defaultTreatment', value: title === 'second' ? 'on' : 'off' },
    ]);
    assert.equal((await api.get(path)).text, patched.text);
    assert.equal((await api.get(path)).headers.etag, patched.headers.etag);
  }
});

test('a cached response survives changes to other definitions, by any method', onlySqlite, async () => {
  const { path } = await aReadDefinition();
  const project = await aProject(api);
  const { path: other, definition } = await aDefinedFlag(api, project);
  const { treatments, defaultTreatment, rules, defaultRule } = definition;
  const changes = [
    () => api.patch(other, [{ op: 'replace', path: '/defaultTreatment', value: 'on' }]),
    () => api.put(`${other}/kill`),
    () => api.put(`${other}/restore`),
    () => api.put(other, { treatments, defaultTreatment, rules, defaultRule }),
    () => api.delete(other),
    () => api.post(other, aDefinition()),
  ];
  const as = await aKeyThatHasRead(path);
  for (const change of changes) {
    const changed = await change();
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(await statements(() => api.get(path, { as })), []);
  }
});

test('each way to change a definition shows in the next answer about it', async () => {
  const { path, first } = await aReadDefinition();
  const { treatments, defaultTreatment, rules, defaultRule } = first.body;
  const read = async () => [await api.get(path), await api.get(path)].map(({ status, body }) => body?.killed ?? status);
  await api.put(`${path}/kill`);
  assert.deepEqual(await read(), [true, true]);
  await api.put(`${path}/restore`);
  assert.deepEqual(await read(), [false, false]);
  await api.put(path, { killed: true, treatments, defaultTreatment, rules, defaultRule });
  assert.deepEqual(await read(), [true, true]);
  await api.delete(path);
  assert.deepEqual((await api.get(path)).status, 404);
  await api.post(path, aDefinition());
  assert.deepEqual(await read(), [false, false]);
});

test('responses with several definitions show each change to them', async () => {
  const project = await aProject(api);
  const { path, flag } = await aDefinedFlag(api, project);
  const lists = [
    `/splits/ws/${project.id}/environments/${project.staging.id}`,
    `/splits/ws/${project.id}/${flag.name}?expand=definitions`,
    `/splits/ws/${project.id}?expand=environments`,
    '/auditLogs?limit=1',
  ];
  const read = () => Promise.all(lists.map(async (list) => (await api.get(list)).text));
  await read();
  for (const verb of ['kill', 'restore']) {
    const before = await read();
    assert.equal((await api.put(`${path}/${verb}`)).status, 200);
    (await read()).forEach((text, at) => {
      assert.notEqual(text, before[at], lists[at]);
    });
  }
});

test('a request of a key goes the whole way now and then, so that its use is noted', onlySqlite, async () => {
  const { path } = await aReadDefinition();
  const as = await aKeyThatHasRead(path);
  const now = performance.now.bind(performance);
  const clock = mock.method(performance, 'now', () => now() + 11_000);
  const read = () => statements(() => api.get(path, { as }));
  const [late = [], soonAfter] = [await read(), await read()];
  clock.mock.restore();
  assert.ok(late.some((statement) => statement.includes('api_keys')));
  assert.deepEqual(soonAfter, []);
});

test('after a change by another process the next answer shows it', async () => {
  const group = (await api.post('/groups', { name: uniqueName('group'), description: '' })).body;
  const read = async () => (await api.get(`/groups/${group.id}`)).body.description;
  assert.deepEqual([await read(), await read()], ['', '']);
  const other = await openStore(api.database);
  await other.write((tx) => tx.run(sql`update groups set description = 'elsewhere' where id = ${group.id}`));
  const seen = [await read(), await read()];
  await other.close();
  assert.deepEqual(seen, ['elsewhere', 'elsewhere']);
});

test('a key that is revoked gets nothing that was kept for it', async () => {
  const { path } = await aReadDefinition();
  const name = uniqueName('key');
  const text = await api.key({ name });
  assert.equal((await api.get(path, { as: text })).status, 200);
  assert.equal((await api.get(path, { as: text })).status, 200);
  const { objects } = (await api.get('/apiKeys?limit=200')).body as { objects: { id: string; name: string }[] };
  const { id } = objects.find((key) => key.name === name) ?? { id: '' };
  assert.equal((await api.delete(`/apiKeys/${id}`)).status, 200);
  refused(await api.get(path, { as: text }), 401, /./);
});

test('a key that another process revokes gets nothing that was kept for it', async () => {
  const { path } = await aReadDefinition();
  const name = uniqueName('key');
  const text = await api.key({ name });
  assert.equal((await api.get(path, { as: text })).status, 200);
  const { id } = (await api.store.one<{ id: string }>(sql`select id from api_keys where name = ${name}`)) ?? { id: '' };
  // While a commit of ours is on its way to the disk, readers do not see those of others.
  await untilUseIsNoted(id);
  assert.equal((await api.get(path, { as: text })).status, 200);
  const other = await openStore(api.database);
  await other.write((tx) => tx.run(sql`delete from api_keys where id = ${id}`));
  refused(await api.get(path, { as: text }), 401, /./);
  await other.close();
});

test('a response cached for one key is not sent to another, nor without a key', async () => {
  const { path, first } = await aReadDefinition();
  const stranger = await api.key({ scope: { kind: 'project', projectId: (await aProject(api)).id } });
  assert.equal((await api.get(path)).text, first.text);
  refused(await api.get(path, { as: stranger }), 404, /./);
  refused(await api.get(path, { as: null }), 401, /./);
  refused(await api.get(path, { as: `${api.adminKey}x` }), 401, /./);
  // A header that is no key leaves the decision to the other one.
  const other = await api.get(path, { as: null, headers: { authorization: 'Bearer', 'x-api-key': stranger } });
  refused(other, 404, /./);
});

test('a refusal is not kept', async () => {
  const { id } = await aProject(api);
  refused(await api.get(`/splits/ws/${id}/late`), 404, /./);
  await api.post(`/splits/ws/${id}/trafficTypes/user`, { name: 'late' });
  assert.equal((await api.get(`/splits/ws/${id}/late`)).status, 200);
});

test('the note that a key was used ends nothing that is kept, and the list of keys shows it', onlySqlite, async () => {
  const { path } = await aReadDefinition();
  const name = uniqueName('key');
  const other = await api.key({ name });
  const row = await api.store.one<{ id: string }>(sql`select id from api_keys where name = ${name}`);
  const as = await aKeyThatHasRead(path);
  const version = api.store.version();
  await api.get('/groups', { as: other });
  await untilUseIsNoted(row?.id ?? '');
  assert.equal(api.store.version(), version);
  assert.deepEqual(await statements(() => api.get(path, { as })), []);
});

test(
  'strangers who fail to sign in or ask for a reset invalidate no cached response, and the audit log shows them',
  onlySqlite,
  async () => {
    const { path } = await aReadDefinition();
    const as = await aKeyThatHasRead(path);
    await api.get('/auditLogs?limit=1');
    const version = api.store.version();
    const stranger = { email: 'stranger@example.com', password: 'whatever it is' };
    refused(await signIn(api, stranger), 401, /./);
    assert.equal((await api.lastChange()).auditLogType, 'session.refused');
    await askForReset(api, stranger.email);
    assert.equal((await api.lastChange()).auditLogType, 'user.password_reset_requested');
    assert.equal(api.store.version(), version);
    assert.deepEqual(await statements(() => api.get(path, { as })), []);
  },
);

test('a response is cached only for the key that authenticated it', async () => {
  const cache = createResponseCache(
    { version: () => 1 },
    { mustBypass: () => false, bypassed: () => undefined },
    () => 'transaction',
  );
  const app = fastify();
  after(() => app.close());
  cache.storeFrom(app);
  const authenticatedBy = (keyHash: string | undefined) => async (request: FastifyRequest) => {
    request.keyHash = keyHash;
    return {};
  };
  app.get(`${prefix}/by-this-key`, authenticatedBy(hashOf('shown')));
  app.get(`${prefix}/by-another-key`, authenticatedBy(hashOf('other')));
  app.get(`${prefix}/by-a-session`, authenticatedBy(undefined));
  const isCached = async (path: string) => {
    const url = prefix + path;
    const headers = { 'x-api-key': 'shown' };
    await app.inject({ url, headers });
    let found = false;
    const server = (request: IncomingMessage, response: ServerResponse) => {
      found = cache.respond(request, response) !== undefined;
      if (!found) response.end();
    };
    await inject(server as never, { url, headers });
    return found;
  };
  const paths = ['/by-this-key', '/by-another-key', '/by-a-session'];
  assert.deepEqual(await Promise.all(paths.map(isCached)), [true, false, false]);
});
