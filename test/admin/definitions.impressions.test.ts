/** `impressionsDisabled`, which clients send with a definition. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject } from '../support/build.ts';

const api = await startApi();
const project = await aProject(api);

test('impressionsDisabled is false unless sent, and kept by POST and PUT', async () => {
  const { path, definition } = await aDefinedFlag(api, project);
  assert.equal(definition.impressionsDisabled, false);
  for (const impressionsDisabled of [true, false, true]) {
    const { status, body } = await api.put(path, aDefinition({ impressionsDisabled }));
    assert.deepEqual([status, body.impressionsDisabled], [200, impressionsDisabled]);
    assert.equal((await api.get(path)).body.impressionsDisabled, impressionsDisabled);
  }
  assert.equal((await api.put(path, aDefinition())).body.impressionsDisabled, false, 'PUT replaces everything');
  const created = await aDefinedFlag(api, project, { impressionsDisabled: true });
  assert.equal(created.definition.impressionsDisabled, true);
  refused(await api.put(path, aDefinition({ impressionsDisabled: 'yes' })), 400, /^impressionsDisabled /);
});

test('impressionsDisabled is changed and tested by a patch, and recorded', async () => {
  const { path } = await aDefinedFlag(api, project);
  const at = '/impressionsDisabled';
  const { body } = await api.patch(path, [{ op: 'replace', path: at, value: true }]);
  assert.equal(body.impressionsDisabled, true);
  const { before, after } = (await api.lastChange()) as Record<'before' | 'after', { impressionsDisabled: boolean }>;
  assert.deepEqual([before.impressionsDisabled, after.impressionsDisabled], [false, true]);
  assert.equal((await api.patch(path, [{ op: 'test', path: at, value: true }])).status, 200);
  refused(await api.patch(path, [{ op: 'test', path: at, value: false }]), 400, /test failed/);
  assert.equal((await api.patch(path, [{ op: 'remove', path: at }])).body.impressionsDisabled, false);
});

test('killing and restoring leave impressionsDisabled as it is', async () => {
  const { path } = await aDefinedFlag(api, project, { impressionsDisabled: true });
  assert.equal((await api.put(`${path}/kill`)).body.impressionsDisabled, true);
  assert.equal((await api.put(`${path}/restore`)).body.impressionsDisabled, true);
});

test('a definition that was stored before there was impressionsDisabled answers false and takes a patch', async () => {
  const { flag, path, definition } = await aDefinedFlag(api, project);
  const row = await api.store.one<{ targeting: string }>(
    sql`select targeting from definitions where flag_id = ${flag.id}`,
  );
  const { impressionsDisabled: _, ...old } = JSON.parse(row?.targeting ?? '');
  await api.store.write((tx) =>
    tx.run(sql`update definitions set targeting = ${JSON.stringify(old)} where flag_id = ${flag.id}`),
  );
  assert.deepEqual((await api.get(path)).body, definition);
  const expanded = (await api.get(`/splits/ws/${project.id}/${flag.name}?expand=definitions`)).body.definitions[0];
  assert.equal(expanded.impressionsDisabled, false);
  const patch = [{ op: 'replace', path: '/impressionsDisabled', value: true }];
  assert.equal((await api.patch(path, patch)).body.impressionsDisabled, true);
});
