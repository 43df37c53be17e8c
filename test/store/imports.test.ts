/** Imports that were started in the interface: one at a time, and one that fell silent does not block the next. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findImport, insertImport, saveImportEnd, saveImportProgress } from '#store/imports.ts';
import { startApi } from '../support/app.ts';

const api = await startApi();
const begin = (id: string) => api.store.write((tx) => insertImport(tx, { id, step: 'plan', startedBy: '{}' }));
const stateOf = async (id: string) => (await findImport(api.store, id))?.state;

test('one import runs at a time', async () => {
  assert.deepEqual(await Promise.all([begin('one'), begin('other')]), [true, false]);
  assert.equal(await stateOf('one'), 'running');
  assert.equal(await stateOf('other'), undefined);
  await api.store.write((tx) => saveImportEnd(tx, 'one', { state: 'done', result: '{"a":1}' }));
  assert.deepEqual([await stateOf('one'), (await findImport(api.store, 'one'))?.result], ['done', '{"a":1}']);
  assert.equal(await begin('third'), true);
});

test('an import that fell silent is interrupted: the next can run, and it finds that out', async () => {
  const now = Date.now();
  api.clock.now = now + 60_000;
  const progress = (id: string) => api.store.write((tx) => saveImportProgress(tx, id, '{"done":1}'));
  assert.equal(await stateOf('third'), 'interrupted');
  assert.equal(await progress('third'), true, 'it was only slow');
  assert.equal(await stateOf('third'), 'running');
  api.clock.now = now + 120_000;
  assert.equal(await begin('fourth'), true);
  assert.equal(await progress('third'), false);
  assert.deepEqual([await stateOf('third'), await stateOf('fourth')], ['interrupted', 'running']);
  api.clock.now = undefined;
});
