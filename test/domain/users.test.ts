import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '#domain/json-patch.ts';
import { shapeOf } from '#domain/shapes.ts';
import {
  applyUserUpdate,
  emailKey,
  invitedGroupIds,
  nameFromEmail,
  patchUser,
  toUserReply,
  type User,
  type UserStatus,
  UserUpdate,
  userStatuses,
} from '#domain/users.ts';

const aUser = (changes: Partial<User> = {}): User => ({
  id: 'u1',
  name: 'ann',
  email: 'ann@example.com',
  status: 'ACTIVE',
  twoFactor: true,
  groupIds: ['g1', 'g2', 'g3'],
  createdAt: 1,
  ...changes,
});
const anUpdate = { email: 'ann@example.com', name: 'ann', status: 'ACTIVE', '2fa': true, type: 'user' } as const;
const group = (id: string) => ({ id, type: 'group' });

/** Whether the status may change, by full update and by patch alike. */
const transitions: Record<UserStatus, Record<UserStatus, boolean>> = {
  PENDING: { PENDING: true, ACTIVE: false, DEACTIVATED: false },
  ACTIVE: { PENDING: false, ACTIVE: true, DEACTIVATED: true },
  DEACTIVATED: { PENDING: false, ACTIVE: true, DEACTIVATED: true },
};
for (const from of userStatuses) {
  for (const to of userStatuses) {
    test(`a status ${transitions[from][to] ? 'may' : 'must not'} go from ${from} to ${to}`, () => {
      const user = aUser({ status: from });
      const ways = [
        () => applyUserUpdate(user, { ...anUpdate, status: to }),
        () => patchUser(user, [{ op: 'replace', path: '/status', value: to }]),
      ];
      const message = `The status of a user cannot change from ${from} to ${to}`;
      for (const change of ways) {
        if (transitions[from][to]) assert.deepEqual(change(), { ...user, status: to });
        else assert.throws(change, { code: 'status_change_refused', kind: 'invalid', message });
      }
    });
  }
}

const secondFactor: [had: boolean, asked: boolean, allowed: boolean][] = [
  [true, true, true],
  [true, false, true],
  [false, false, true],
  [false, true, false],
];
for (const [had, asked, allowed] of secondFactor) {
  test(`2fa ${asked} ${allowed ? 'is taken' : 'is refused'} where it is ${had}`, () => {
    const user = aUser({ twoFactor: had });
    const ways = [
      () => applyUserUpdate(user, { ...anUpdate, '2fa': asked }),
      () => patchUser(user, [{ op: 'replace', path: '/2fa', value: asked }]),
      () => patchUser(user, [{ op: 'add', path: '/2fa', value: String(asked) }]),
    ];
    const message = 'Two-factor authentication cannot be enabled through the API';
    for (const change of ways) {
      if (allowed) assert.deepEqual(change(), { ...user, twoFactor: asked });
      else assert.throws(change, { code: 'two_factor_not_enabled_here', kind: 'invalid', message });
    }
  });
}

test('the email of a PENDING user does not change', () => {
  const user = aUser({ status: 'PENDING' });
  const update = { ...anUpdate, status: 'PENDING', email: 'bob@example.com' } as const;
  assert.throws(() => applyUserUpdate(user, update), { code: 'pending_email_fixed' });
  const operation: Operation = { op: 'replace', path: '/email', value: 'bob@example.com' };
  assert.throws(() => patchUser(user, [operation]), { code: 'pending_email_fixed' });
  assert.equal(applyUserUpdate(user, { ...update, email: user.email, name: 'Ann' }).name, 'Ann');
  assert.equal(applyUserUpdate(aUser(), { ...anUpdate, email: 'bob@example.com' }).email, 'bob@example.com');
});

test('a full update changes nothing but email, name, status and 2fa', () => {
  const update = { email: 'b@example.com', name: 'bob', status: 'DEACTIVATED', '2fa': false } as const;
  const { '2fa': twoFactor, ...others } = update;
  assert.deepEqual(applyUserUpdate(aUser(), update), { ...aUser(), ...others, twoFactor });
});

const updateShape = shapeOf(UserUpdate);
for (const field of ['email', 'name', 'status', '2fa', 'type'] as const) {
  test(`a full update needs ${field} and names it`, () => {
    const { [field]: _, ...rest } = anUpdate;
    assert.deepEqual(updateShape.complaints(rest), [`${field} is required`]);
  });
}

const badUpdates: [changes: object, complaint: string][] = [
  [{ type: 'group' }, 'type must be user'],
  [{ status: 'GONE' }, 'status must be one of PENDING, ACTIVE, DEACTIVATED'],
  [{ '2fa': 'true' }, '2fa must be boolean'],
  [{ email: 'ann' }, 'email must be a valid email'],
  [{ name: ' ' }, 'name must not be blank or contain control characters'],
];
for (const [changes, complaint] of badUpdates) {
  test(`a full update with ${JSON.stringify(changes)} is refused`, () => {
    assert.deepEqual(updateShape.complaints({ ...anUpdate, ...changes }), [complaint]);
  });
}

test('names come from what stands before the last @, addresses are compared without case', () => {
  assert.equal(nameFromEmail('ann.lee@example.com'), 'ann.lee');
  assert.equal(nameFromEmail('"a@b"@example.com'), '"a@b"');
  assert.equal(emailKey('Ann@Example.COM'), emailKey('ann@example.com'));
});

test('an invitation names groups by id or by object, each counts once, none is fine', () => {
  const email = 'ann@example.com';
  assert.deepEqual(invitedGroupIds({ email }), []);
  assert.deepEqual(invitedGroupIds({ email, groups: ['g1', group('g2'), { id: 'g1' }] }), ['g1', 'g2']);
});

test('groups are left out of the answer for a user in none', () => {
  const reply = { id: 'u1', type: 'user', name: 'ann', email: 'ann@example.com', status: 'ACTIVE', '2fa': true };
  assert.deepEqual(toUserReply(aUser({ groupIds: [] })), reply);
  assert.deepEqual(toUserReply(aUser({ groupIds: ['g1'] })), { ...reply, groups: [group('g1')] });
});
