import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editsAfter } from '../../web/src/state/edits.ts';

test('when edits are saved, what was typed meanwhile is left, and starts from what was saved', () => {
  const name = { from: 'Old', to: 'Mine' };
  assert.deepEqual(editsAfter({ name }, { name: { ...name } }), {});
  assert.deepEqual(editsAfter({ name }, { name: { from: 'Old', to: 'Mine, too' } }), {
    name: { from: 'Mine', to: 'Mine, too' },
  });
  const tags = { from: ['a'], to: ['a', 'b'] };
  assert.deepEqual(editsAfter<{ name: string; tags: string[] }>({ name }, { name, tags }), { tags });
});
