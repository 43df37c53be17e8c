import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Flag, patchBack } from '#domain/flags.ts';
import { type Details, overwritten, patchOf } from '../../web/src/features/flags/details.ts';

const ann = { id: 'ann', type: 'user' } as const;
const team = { id: 'team', type: 'group' } as const;
const saved: Details = { description: 'Old', tags: ['a', 'b'], status: '1', owners: [ann] };
const nameOf = (id: string) => ({ '2': 'Ramping', team: 'Team' })[id];

test('a patch names only what was changed', () => {
  assert.deepEqual(patchOf(saved, saved), []);
  assert.deepEqual(patchOf(saved, { ...saved, tags: ['a', 'b'] }), []);
  assert.deepEqual(patchOf(saved, { description: '', tags: ['b'], status: '2', owners: [ann, team] }), [
    { op: 'replace', path: '/description', value: '' },
    { op: 'replace', path: '/tags', value: [{ name: 'b' }] },
    { op: 'replace', path: '/rolloutStatus/id', value: '2' },
    { op: 'replace', path: '/owners', value: [ann, team] },
  ]);
});

test('tags are compared one by one: a comma inside a tag does not make two', () => {
  assert.equal(patchOf({ ...saved, tags: ['a,b'] }, { ...saved, tags: ['a', 'b'] }).length, 1);
});

test("somebody else's change of the same is noticed; the same change is none", () => {
  const edits = { description: { from: 'Old', to: 'Mine' } };
  assert.deepEqual(overwritten(saved, edits, nameOf), []);
  assert.deepEqual(overwritten({ ...saved, description: 'Mine' }, edits, nameOf), []);
  assert.deepEqual(overwritten({ ...saved, description: 'Theirs' }, edits, nameOf), [
    { name: 'description', theirs: 'Theirs' },
  ]);
  assert.deepEqual(overwritten({ ...saved, status: '2' }, edits, nameOf), []);
});

test("somebody else's status and owners are named", () => {
  const theirs: Details = { ...saved, status: '2', owners: [ann, team] };
  const edits = { status: { from: '1', to: '3' }, owners: { from: [ann], to: [] } };
  assert.deepEqual(overwritten(theirs, edits, nameOf), [
    { name: 'status', theirs: 'Ramping' },
    { name: 'owners', theirs: 'ann, Team' },
  ]);
});

test('a recorded change is taken back, except for what was changed again since', () => {
  const flag = (description: string, tag: string, status: string, ...owners: Flag['owners']) => ({
    description,
    tags: [{ name: tag }],
    rolloutStatus: { id: status, name: '' },
    owners,
  });
  const [before, after] = [flag('Old', 'a', '1'), flag('New', 'b', '1')];
  assert.deepEqual(patchBack(before, after, flag('New', 'c', '2')), {
    operations: [{ op: 'replace', path: '/description', value: 'Old' }],
    conflicts: ['the tags'],
  });
  assert.deepEqual(patchBack(before, after, before), { operations: [], conflicts: [] });
  assert.deepEqual(patchBack(flag('Old', 'a', '1', ann), flag('Old', 'a', '1', team), flag('Old', 'a', '1', team)), {
    operations: [{ op: 'add', path: '/owners', value: [ann] }],
    conflicts: [],
  });
});
