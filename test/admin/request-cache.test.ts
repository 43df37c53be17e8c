/** The request cache outlives changes to definitions, and nobody can tell that it is there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { openStore } from '#store/open.ts';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject, uniqueName } from '../support/build.ts';
import { onlySqlite } from '../support/databases.ts';
import { statementsOf } from '../support/statements.ts';

const api = await startApi();

const toOn = [{ op: 'replace', path: '/defaultTreatment', value: 'on' }];

/** A definition that a key of its own has changed, often enough that everything about it is known. */
async function aChangedDefinition() {
  const project = await aProject(api);
  const { path, flag } = await aDefinedFlag(api, project);
  const name = uniqueName('key');
  const text = await api.key({ name });
  const row = await api.store.one<{ id: string }>(sql`select id from api_keys where name = ${name}`);
  const change = () => api.patch(path, toOn, { as: text });
  // The first change waits behind the note that the key was used; the second finds it known, and goes the whole way once.
  for (let times = 0; times < 3; times += 1) assert.equal((await change()).status, 200);
  return { project, path, flag, keyId: row?.id ?? '', text, change };
}

test('a key that changes a definition again is not looked up again, nor what its path names', onlySqlite, async () => {
  const { change } = await aChangedDefinition();
  assert.deepEqual(await statementsOf(api.store, change), []);
});

test('a key that is revoked, here or by another process, is no longer known', async () => {
  const here = await aChangedDefinition();
  assert.equal((await api.delete(`/apiKeys/${here.keyId}`)).status, 200);
  const there = await aChangedDefinition();
  const other = await openStore(api.database);
  await other.write((tx) => tx.run(sql`delete from api_keys where id = ${there.keyId}`));
  await other.close();
  for (const { change, path, text } of [here, there]) {
    refused(await change(), 401, /./);
    refused(await api.get(`${path}?anew`, { as: text }), 401, /./);
    // Nobody gets so far as to be told what is wrong with a body.
    refused(await api.patch(path, 'no patch', { as: text }), 401, /./);
  }
});

test('a flag recreated under the same name is the new one', async () => {
  const { project, path, flag, change } = await aChangedDefinition();
  assert.equal((await api.delete(`/splits/ws/${project.id}/${flag.name}`)).status, 200);
  refused(await change(), 404, /./);
  await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: flag.name });
  refused(await change(), 404, /./);
  await api.post(path, aDefinition());
  const changed = await change();
  assert.equal(changed.status, 200);
  assert.notEqual(changed.body.id, flag.id);
});

test('the request cache confuses neither paths nor the permissions of keys', async () => {
  const { project, path, flag } = await aChangedDefinition();
  const other = await aDefinedFlag(api, project);
  assert.equal((await api.patch(other.path, toOn)).body.name, other.flag.name);
  assert.equal((await api.patch(path, toOn)).body.name, flag.name);
  // The same words, of another route.
  assert.equal((await api.get(`/splits/ws/${project.id}/${flag.name}`)).body.name, flag.name);
  refused(await api.get(`/splits/ws/${project.id}/environments/${flag.name}`), 404, /./);
  const reader = await api.key({ roles: ['API_FEATURE_FLAG_VIEWER'] });
  assert.equal((await api.get(path, { as: reader })).status, 200);
  for (let times = 0; times < 3; times += 1) refused(await api.patch(path, toOn, { as: reader }), 403, /./);
});
