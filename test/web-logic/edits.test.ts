import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessWith } from '../../web/src/features/projects/access.ts';
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

test('who may see a project is what is saved now, with my additions and without whom I removed', () => {
  const saved = { isRestricted: true, viewers: ['a', 'b', 'theirs'] };
  const viewers = { from: ['a', 'b', 'gone'], to: ['b', 'gone', 'mine'] };
  assert.deepEqual(accessWith(saved, { viewers }), { isRestricted: true, viewers: ['b', 'theirs', 'mine'] });
  assert.deepEqual(accessWith({ ...saved, viewers: ['mine'] }, { viewers }).viewers, ['mine']);
  assert.deepEqual(accessWith(saved, {}), saved);
  assert.deepEqual(accessWith(saved, { isRestricted: { from: true, to: false } }), { ...saved, isRestricted: false });
});
