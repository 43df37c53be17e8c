import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patchBack } from '#domain/flags.ts';
import { type Details, overwritten, patchOf } from '../../web/src/features/flags/details.ts';

const saved: Details = { description: 'Old', tags: ['a', 'b'], status: '1' };

test('a patch names only what was changed', () => {
  assert.deepEqual(patchOf(saved, saved), []);
  assert.deepEqual(patchOf(saved, { ...saved, tags: ['a', 'b'] }), []);
  assert.deepEqual(patchOf(saved, { description: '', tags: ['b'], status: '2' }), [
    { op: 'replace', path: '/description', value: '' },
    { op: 'replace', path: '/tags', value: [{ name: 'b' }] },
    { op: 'replace', path: '/rolloutStatus/id', value: '2' },
  ]);
});

test('tags are compared one by one: a comma inside a tag does not make two', () => {
  assert.equal(patchOf({ ...saved, tags: ['a,b'] }, { ...saved, tags: ['a', 'b'] }).length, 1);
});

test("somebody else's change of the same is noticed; the same change is none", () => {
  const edits = { description: { from: 'Old', to: 'Mine' } };
  assert.deepEqual(overwritten(saved, edits), []);
  assert.deepEqual(overwritten({ ...saved, description: 'Mine' }, edits), []);
  assert.deepEqual(overwritten({ ...saved, description: 'Theirs' }, edits), [
    { name: 'description', theirs: 'Theirs' },
  ]);
  assert.deepEqual(overwritten({ ...saved, status: '2' }, edits), []);
});

test('a recorded change is taken back, except for what was changed again since', () => {
  const flag = (description: string, tag: string, status: string) => ({
    description,
    tags: [{ name: tag }],
    rolloutStatus: { id: status, name: '' },
  });
  const [before, after] = [flag('Old', 'a', '1'), flag('New', 'b', '1')];
  assert.deepEqual(patchBack(before, after, flag('New', 'c', '2')), {
    operations: [{ op: 'replace', path: '/description', value: 'Old' }],
    conflicts: ['the tags'],
  });
  assert.deepEqual(patchBack(before, after, before), { operations: [], conflicts: [] });
});
