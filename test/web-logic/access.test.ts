import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grantee, ProjectAccess } from '#domain/rights.ts';
import type { UserAnswer } from '../../web/src/administration/whole-lists.ts';
import { countChanges, mergeAccess, updateOf } from '../../web/src/features/projects/access/access-draft.ts';
import { csvOf, effectOf, peopleOf, rightsOf } from '../../web/src/features/projects/access/effective-rights.ts';

const group = (id: string): Grantee => ({ id, name: id, type: 'group' });
const only = (...ids: string[]) => ({ restricted: true, grantees: ids.map(group) });
const open = (...ids: string[]) => ({ restricted: false, grantees: ids.map(group) });

const access = (part: Partial<ProjectAccess> = {}, killers: string[] = [], editors = open()): ProjectAccess => ({
  id: 'p',
  name: 'Checkout',
  view: open(),
  edit: open(),
  ownersEdit: false,
  environments: [
    { id: 's', name: 'Staging', production: false, editors: open(), killers: [] },
    { id: 'e', name: 'Production', production: true, editors, killers: killers.map(group) },
  ],
  ...part,
});

test('what others saved is kept, with my additions and without whom I removed', () => {
  const base = access({ edit: only('a', 'b', 'gone') }, ['a']);
  const mine = access({ edit: only('b', 'gone', 'mine'), ownersEdit: true }, ['a', 'mine']);
  const theirs = access({ edit: only('a', 'b', 'theirs'), view: only('a') }, [], only('theirs'));
  assert.deepEqual(
    mergeAccess(base, mine, theirs),
    access({ edit: only('b', 'theirs', 'mine'), view: only('a'), ownersEdit: true }, ['mine'], only('theirs')),
  );
  assert.deepEqual(mergeAccess(base, base, theirs), theirs);
  assert.deepEqual(mergeAccess(base, mine, { ...theirs, environments: [] }).environments, []);
});

test('only lists that differ are sent, whatever their order', () => {
  const base = access({ view: only('a', 'b') }, ['a']);
  assert.deepEqual(updateOf(base, access({ view: only('b', 'a') }, ['a'])), {});
  assert.deepEqual(updateOf(access(), access({ edit: open('a') })), {}, 'the list of an open circle has no effect');
  const changed = updateOf(base, access({ view: only('a', 'b'), ownersEdit: true }, [], only('a')));
  assert.deepEqual(changed, { ownersEdit: true, environments: [{ id: 'e', editors: only('a'), killers: [] }] });
  assert.equal(countChanges(changed), 3);
});

const user = (name: string, ...groups: string[]): UserAnswer => ({
  id: name,
  type: 'user',
  name,
  email: `${name}@example.org`,
  status: 'ACTIVE',
  '2fa': false,
  groups: groups.map((id) => ({ id, type: 'group' })),
});
const people = peopleOf(
  [
    user('ana', 'Administrators'),
    user('liu', 'a'),
    user('omar', 'a'),
    user('=1+1', 'b'),
    { ...user('eva'), status: 'DEACTIVATED' },
  ],
  ['Administrators', 'a', 'b'].map((id) => ({ id, name: id, description: '', type: 'group' })),
);
const effect = (before: ProjectAccess, after: ProjectAccess) => effectOf(rightsOf(people, before, after));

test('saving says who gains and loses what, each thing once', () => {
  assert.equal(effect(access(), access({ ownersEdit: true })), 'Nobody gains or loses a right.');
  const closed = access({}, [], only());
  assert.equal(
    effect(closed, access({}, ['a'], only())),
    '2 people can then kill and restore in Production. Nobody loses a right.',
  );
  assert.equal(effect(closed, access()), '3 people can then edit in Production. Nobody loses a right.');
  assert.equal(
    effect(access(), access({ edit: only('a') })),
    '=1+1 can no longer edit or kill and restore in every environment.',
  );
  assert.equal(
    effect(access({ view: only('b') }), access({ view: only('a') })),
    '2 people can then view the project. 2 people can then edit in every environment. =1+1 can no longer view the project.',
  );
});

test('the CSV has one line for each person and environment, and no formula', () => {
  const lines = csvOf(rightsOf(people, access(), access({ edit: only('a') }))).split('\r\n');
  assert.equal(lines.length, 1 + 4 * 2 + 1);
  assert.match(lines.at(-2) ?? '', /^"'=1\+1","'=1\+1@example\.org","b","Production","yes",/);
});
