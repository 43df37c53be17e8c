/** Answers that are kept ready must not be told from answers that are not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { openStore } from '#store/open.ts';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aProject, uniqueName } from '../support/build.ts';
import { onlySqlite } from '../support/databases.ts';

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

/** How many statements were read from the database for what `body` does. */
async function statements(body: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const { one, all } = api.store;
  api.store.one = (query) => {
    count += 1;
    return one.call(api.store, query) as never;
  };
  api.store.all = (query) => {
    count += 1;
    return all.call(api.store, query) as never;
  };
  try {
    await body();
  } finally {
    Object.assign(api.store, { one, all });
  }
  return count;
}

test('what a key has just read it gets again without a look at the tables', onlySqlite, async () => {
  const { path, first } = await aReadDefinition();
  const seen: number[] = [];
  // A commit that happens beside (the last use of a key) makes one look necessary.
  for (let times = 0; times < 5; times += 1) seen.push(await statements(() => api.get(path)));
  assert.ok(seen.includes(0), String(seen));
  assert.ok((await statements(() => api.get(`${path}?again`))) > 0);
  assert.equal(first.status, 200);
});

test('a kept answer has the same bytes and headers as the first, under an id of its own, and is logged like it', async () => {
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

test('what is kept for one key is not given to another, nor to none', async () => {
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
