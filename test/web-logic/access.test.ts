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

test('changes saved by others are kept, with my additions and removals', () => {
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
const effect = (before: ProjectAccess, after: ProjectAccess) =>
  effectOf(rightsOf(people, before, after), before, after);

test('saving says who gains and loses what, each thing once', () => {
  assert.equal(
    effect(access(), access({ ownersEdit: true })),
    'Owners can then edit their flags in every environment.',
  );
  assert.equal(effect(access(), access({ edit: open('a') })), 'Nobody gains or loses a right.');
  const approvals = { required: true, approvers: open(), allowKills: false, skippers: [] };
  const guarded = { ...access(), environments: access().environments.map((one) => ({ ...one, approvals })) };
  assert.equal(
    effect(access(), guarded),
    'Changes in Staging then need an approval. Changes in Production then need an approval.',
  );
  const closed = access({}, [], only());
  assert.equal(
    effect(closed, access({}, ['a'], only())),
    '2 people can then kill and restore in Production. Nobody loses a right.',
  );
  assert.equal(effect(closed, access()), '3 people can then edit in Production. Nobody loses a right.');
  assert.equal(
    effect(access(), access({ edit: only('a') })),
    '=1+1 can no longer edit or kill and restore in any environment.',
  );
  assert.equal(
    effect(access({ view: only('b') }), access({ view: only('a') })),
    '2 people can then view the project. 2 people can then edit in every environment. =1+1 can no longer view the project.',
  );
});

test('saving says every effect, if several things change or only the project itself does', () => {
  const restricted = access({ edit: only() }, [], only());
  const both = { ...restricted, environments: restricted.environments.map((one) => ({ ...one, editors: only() })) };
  assert.equal(effect(both, { ...both, edit: only('b') }), '=1+1 can then edit the project. Nobody loses a right.');
  assert.equal(effect({ ...both, edit: only('b') }, both), '=1+1 can no longer edit the project.');
  const none = access({ environments: [] });
  assert.equal(effect(none, { ...none, view: only('a') }), '=1+1 can no longer view the project.');
  const key: Grantee = { id: 'k', name: 'Deploy', type: 'api_key' };
  const withKey = {
    ...access(),
    edit: { restricted: true, grantees: [group('a'), group('b'), key] },
    ownersEdit: true,
  };
  assert.equal(
    effect(access(), withKey),
    'Owners can then edit their flags in every environment. Adds the API key Deploy.',
  );
  assert.equal(
    effect(access(), access({ view: only('a'), ownersEdit: true }, ['b'], only('b'))),
    '=1+1 can no longer view the project. 2 people can no longer edit or kill and restore in Production. Owners can then edit their flags in every environment.',
  );
});

test('rights say where someone else must approve', () => {
  const approvals = { required: true, approvers: open(), allowKills: true, skippers: [group('b')] };
  const [staging, production] = access().environments;
  assert.ok(staging && production);
  const guarded = { ...access(), environments: [staging, { ...production, approvals }] };
  const said = rightsOf(people, guarded, guarded).map(({ user, cells }) => [
    user.name,
    ...cells.flatMap(({ after: { define, kill } }) => [define.withApproval ?? false, kill.withApproval ?? false]),
  ]);
  assert.deepEqual(said, [
    ['ana', false, false, true, false],
    ['liu', false, false, true, false],
    ['omar', false, false, true, false],
    ['=1+1', false, false, false, false],
  ]);
  assert.match(csvOf(rightsOf(people, guarded, guarded)), /"Production","yes",[^\n]*"with approval",/);
});

test('the CSV has one line for each person and environment, and no formula', () => {
  const lines = csvOf(rightsOf(people, access(), access({ edit: only('a') }))).split('\r\n');
  assert.equal(lines.length, 1 + 4 * 2 + 1);
  const head = lines[0]?.split(',') ?? [];
  assert.equal(new Set(head).size, head.length, 'no two columns have the same name');
  assert.match(lines.at(-2) ?? '', /^"'=1\+1","'=1\+1@example\.org","b","Production","yes",/);
  const saved = access({ edit: only('a') });
  const [, , , liu = ''] = csvOf(rightsOf(people, saved, saved)).split('\r\n');
  assert.ok(
    liu.endsWith(
      ',"Staging","yes","Everyone with an account can view this project.","yes","Can edit this project: through the group a.","yes","Can edit this project: through the group a."',
    ),
    liu,
  );
});
