/** ACCEPT_PARTIAL_PUT=true: what the vendor's Python client, Terraform and Postman send to change a user. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 as newId } from 'uuid';
import type { User } from '#domain/users.ts';
import { insertUser } from '#store/users.ts';
import { refused, startApi } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';

const api = await startApi({ acceptPartialPut: true });

/** ACTIVE, with a second factor and in a group. Returns the user as the API shows it. */
async function aUser() {
  const { body: group } = await api.post('/groups', { name: uniqueName('group') });
  const user: User = {
    id: newId(),
    name: 'Ann',
    email: `${uniqueName('user')}@example.com`,
    status: 'ACTIVE',
    twoFactor: false,
    groupIds: [group.id],
    createdAt: Date.now(),
  };
  await api.store.write((tx) => insertUser(tx, user));
  return (await api.get(`/users/${user.id}`)).body;
}

test('a PUT keeps what its body leaves out or has as null', async () => {
  const user = await aUser();
  const email = `${uniqueName('new')}@example.com`;
  const steps = [
    [{ status: 'DEACTIVATED' }, { status: 'DEACTIVATED' }],
    [
      { name: 'Grace', email, '2fa': false, status: 'ACTIVE' },
      { name: 'Grace', email, status: 'ACTIVE' },
    ],
    [{ name: 'Ada', status: null, email: null, '2fa': null, type: null }, { name: 'Ada' }],
    [{ ...user }, user],
  ] as const;
  let expected = user;
  for (const [sent, changed] of steps) {
    expected = { ...expected, ...changed };
    const actions = await api.recorded(async () => {
      const { status, body } = await api.put(`/users/${user.id}`, sent);
      assert.deepEqual([status, body], [200, expected]);
    });
    assert.deepEqual(actions, ['user.replaced']);
  }
});

test('PUT /users takes the id in the body', async () => {
  const user = await aUser();
  const { status, body } = await api.put('/users', { id: user.id, status: 'DEACTIVATED' });
  assert.deepEqual([status, body], [200, { ...user, status: 'DEACTIVATED' }]);
  const as = await api.key({ roles: ['API_FEATURE_FLAG_EDITOR'] });
  const actions = await api.recorded(async () => {
    refused(await api.put('/users', { status: 'ACTIVE' }), 400, 'id is required');
    refused(await api.put('/users', { id: 'absent', status: 'ACTIVE' }), 404, 'Could not find user absent');
    refused(await api.put('/users', { id: user.id, status: 'ACTIVE' }, { as }), 403, /./);
  });
  assert.deepEqual(actions, []);
});

test('the members that a partial PUT does send must be valid', async () => {
  const user = await aUser();
  const actions = await api.recorded(async () => {
    for (const [sent, message] of [
      [{ status: 'GONE' }, /^status /],
      [{ name: ' ' }, /^name /],
      [{ '2fa': 'yes' }, /^2fa /],
      [{ '2fa': true }, /Two-factor/],
      [{ status: 'PENDING' }, /PENDING/],
      [[], /^body /],
      [null, /^body /],
    ] as const) {
      refused(await api.put(`/users/${user.id}`, sent), 400, message);
    }
  });
  assert.deepEqual(actions, []);
  assert.deepEqual((await api.get(`/users/${user.id}`)).body, user);
});

test('PUT /users is not there unless the server accepts partial updates', async () => {
  const strict = await startApi();
  refused(await strict.put('/users', { id: 'any', status: 'ACTIVE' }), 405, /./);
});
