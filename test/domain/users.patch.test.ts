/** How a patch changes a user; what it shares with a full update is in users.test.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '#domain/json-patch.ts';
import { patchUser, type User } from '#domain/users.ts';

const user: User = {
  id: 'u1',
  name: 'ann',
  email: 'ann@example.com',
  status: 'ACTIVE',
  twoFactor: true,
  groupIds: ['g1', 'g2', 'g3'],
  createdAt: 1,
};
const group = (id: string) => ({ id, type: 'group' });

/** The groups g1, g2, g3 after the operations. */
const grouped: [rule: string, operations: Operation[], groupIds: string[]][] = [
  ...['/groups/0', '/groups/3', '/groups/99', '/groups/-'].map((path): [string, Operation[], string[]] => [
    `add at ${path} adds a group`,
    [{ op: 'add', path, value: group('g4') }],
    ['g1', 'g2', 'g3', 'g4'],
  ]),
  ['add takes the id alone', [{ op: 'add', path: '/groups/-', value: 'g4' }], ['g1', 'g2', 'g3', 'g4']],
  [
    'add of a group that is there is no change',
    [{ op: 'add', path: '/groups/0', value: group('g2') }],
    ['g1', 'g2', 'g3'],
  ],
  [
    'add of one group twice adds it once',
    [
      { op: 'add', path: '/groups/0', value: group('g4') },
      { op: 'add', path: '/groups/0', value: group('g4') },
    ],
    ['g1', 'g2', 'g3', 'g4'],
  ],
  ['remove by index', [{ op: 'remove', path: '/groups/1' }], ['g1', 'g3']],
  ['remove by group id', [{ op: 'remove', path: '/groups/g2' }], ['g1', 'g3']],
  [
    'remove after a test of the id',
    [
      { op: 'test', path: '/groups/1/id', value: 'g2' },
      { op: 'remove', path: '/groups/1' },
    ],
    ['g1', 'g3'],
  ],
  [
    'remove after a test of the group',
    [
      { op: 'test', path: '/groups/1', value: group('g2') },
      { op: 'remove', path: '/groups/1' },
    ],
    ['g1', 'g3'],
  ],
  ['remove with a value removes that group', [{ op: 'remove', path: '/groups/0', value: group('g3') }], ['g1', 'g2']],
  ['remove with a value at -', [{ op: 'remove', path: '/groups/-', value: group('g3') }], ['g1', 'g2']],
  ['remove with a value at /groups', [{ op: 'remove', path: '/groups', value: group('g3') }], ['g1', 'g2']],
  [
    'an index names the group that stands there now',
    [
      { op: 'remove', path: '/groups/0' },
      { op: 'remove', path: '/groups/0' },
    ],
    ['g3'],
  ],
  ['remove of /groups empties them', [{ op: 'remove', path: '/groups' }], []],
  ['replace at an index', [{ op: 'replace', path: '/groups/0', value: group('g4') }], ['g4', 'g2', 'g3']],
  [
    'replace by a group that is there keeps it once',
    [{ op: 'replace', path: '/groups/0', value: group('g2') }],
    ['g2', 'g3'],
  ],
  ['replace of all', [{ op: 'replace', path: '/groups', value: [group('g5'), 'g4', group('g5')] }], ['g5', 'g4']],
  ['add of all replaces them', [{ op: 'add', path: '/groups', value: [] }], []],
];
for (const [rule, operations, groupIds] of grouped) {
  test(`groups: ${rule}`, () => {
    assert.deepEqual(patchUser(user, operations), { ...user, groupIds });
    assert.deepEqual(user.groupIds, ['g1', 'g2', 'g3']);
  });
}

const changed: [rule: string, operations: Operation[], changes: Partial<User>][] = [
  ['no operations', [], {}],
  ['the name', [{ op: 'replace', path: '/name', value: 'Ann Lee' }], { name: 'Ann Lee' }],
  ['the email', [{ op: 'add', path: '/email', value: 'lee@example.com' }], { email: 'lee@example.com' }],
  ['2fa by the text false', [{ op: 'replace', path: '/2fa', value: 'false' }], { twoFactor: false }],
  [
    'several at once, after tests that hold',
    [
      { op: 'test', path: '/name', value: 'ann' },
      { op: 'test', path: '/2fa', value: true },
      { op: 'replace', path: '/status', value: 'DEACTIVATED' },
      { op: 'remove', path: '/groups/g1' },
    ],
    { status: 'DEACTIVATED', groupIds: ['g2', 'g3'] },
  ],
];
for (const [rule, operations, changes] of changed) {
  test(`a patch changes: ${rule}`, () => assert.deepEqual(patchUser(user, operations), { ...user, ...changes }));
}

const nothing = (path: string) => `0/path: there is nothing at ${path}`;
const noGroup = (path: string) => `0/path: the user is in no such group at ${path}`;
const notHere = (path: string) => `0/path: ${path} cannot be changed by a patch`;
const failed = (path: string) => `0/value: the test failed, ${path} has another value`;

const refused: [rule: string, operation: Operation, complaint: string][] = [
  ['remove beyond the last group', { op: 'remove', path: '/groups/3' }, nothing('/groups/3')],
  ['remove at -', { op: 'remove', path: '/groups/-' }, noGroup('/groups/-')],
  ['remove by the id of another group', { op: 'remove', path: '/groups/g4' }, noGroup('/groups/g4')],
  ['remove of a part of a group', { op: 'remove', path: '/groups/0/id' }, noGroup('/groups/0/id')],
  [
    'remove with the value of another group',
    { op: 'remove', path: '/groups/0', value: group('g4') },
    noGroup('/groups/0'),
  ],
  ['replace beyond the last group', { op: 'replace', path: '/groups/3', value: group('g4') }, nothing('/groups/3')],
  ['add at no index', { op: 'add', path: '/groups/g4', value: group('g4') }, notHere('/groups/g4')],
  ['change of a part of a group', { op: 'replace', path: '/groups/0/id', value: 'g4' }, notHere('/groups/0/id')],
  ['add without a value', { op: 'add', path: '/groups/-' }, '0/value must be a group: {"id", "type": "group"}'],
  [
    'add of what is no group',
    { op: 'add', path: '/groups/-', value: { id: 4 } },
    '0/value must be a group: {"id", "type": "group"}',
  ],
  [
    'replace of all by what is no list',
    { op: 'replace', path: '/groups', value: group('g4') },
    '0/value must be a list of groups',
  ],
  [
    'replace of all by what are no groups',
    { op: 'replace', path: '/groups', value: [null] },
    '0/value must be a list of groups',
  ],
  ['a test of another id', { op: 'test', path: '/groups/0/id', value: 'g2' }, failed('/groups/0/id')],
  ['a test of another group', { op: 'test', path: '/groups/0', value: group('g2') }, failed('/groups/0')],
  ['a test beyond the last group', { op: 'test', path: '/groups/3/id', value: 'g4' }, nothing('/groups/3/id')],
  ['a test of another name', { op: 'test', path: '/name', value: 'bob' }, failed('/name')],
  ['a move of groups', { op: 'move', from: '/groups/0', path: '/groups/1' }, '0/op: move is not possible at /groups/1'],
  ['a copy of a field', { op: 'copy', from: '/name', path: '/email' }, '0/op: copy is not possible at /email'],
  [
    'a path without its slash',
    { op: 'replace', path: 'name', value: 'x' },
    '0/path: a path begins with a slash; did you mean /name?',
  ],
  ['removal of a field', { op: 'remove', path: '/name' }, '0/op: remove is not possible at /name'],
  ['a change of the whole', { op: 'replace', path: '', value: 'x' }, notHere('the whole')],
  ...['/', '/id', '/type', '/createdAt', '/toString', '/__proto__', '/name/0', '/groupsies'].map(
    (path): [string, Operation, string] => [
      `a change of ${JSON.stringify(path)}`,
      { op: 'replace', path, value: 'x' },
      notHere(path),
    ],
  ),
];
for (const [rule, operation, complaint] of refused) {
  test(`refused: ${rule}`, () => {
    assert.throws(() => patchUser(user, [operation]), { code: 'patch_invalid', message: complaint });
  });
}

const invalid: [path: string, value: unknown, complaint: string][] = [
  ['/email', 'nobody', 'email must be a valid email'],
  ['/name', null, 'name must be string'],
  ['/name', '', 'name must not be blank or contain control characters'],
  ['/status', 'GONE', 'status must be one of PENDING, ACTIVE, DEACTIVATED'],
  ['/2fa', 'off', '2fa must be boolean'],
  ['/2fa', null, '2fa must be boolean'],
];
for (const [path, value, complaint] of invalid) {
  test(`refused as in a full update: ${path} ${JSON.stringify(value)}`, () => {
    const problem = { code: 'user_invalid', message: complaint };
    assert.throws(() => patchUser(user, [{ op: 'replace', path, value }]), problem);
  });
}

test('one operation that cannot be done refuses all of them and is named', () => {
  const operations: Operation[] = [
    { op: 'add', path: '/groups/-', value: group('g4') },
    { op: 'remove', path: '/groups/g9' },
  ];
  const message = '1/path: the user is in no such group at /groups/g9';
  assert.throws(() => patchUser(user, operations), { code: 'patch_invalid', message });
});

test('a user is in 200 groups at most at any step of a patch, so that no patch costs more than its size', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `other-${index}`);
  const all = (count: number): Operation => ({ op: 'replace', path: '/groups', value: ids(count) });
  assert.equal(patchUser(user, [all(200)]).groupIds.length, 200);
  const append: Operation = { op: 'add', path: '/groups/-', value: 'g4' };
  const tooMany = { code: 'user_invalid', message: 'groups must not have more than 200 items' };
  assert.throws(() => patchUser(user, [all(200), append]), tooMany);
  assert.throws(() => patchUser(user, [all(100_000), ...Array.from({ length: 999 }, () => append)]), tooMany);
  assert.throws(() => patchUser(user, [all(201), all(1)]), tooMany);
});
