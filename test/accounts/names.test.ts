import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account, aPerson, fromBrowser, setUpAdministrator, startAccounts } from '../support/session.ts';

const api = await startAccounts();
await setUpAdministrator(api);

test('people change their own name, which the audit log says, and nothing else about them', async () => {
  const { id, email, signedIn } = await aPerson(api);
  const recorded = await api.recorded(async () => {
    const { status, body } = await api.put(account('/name'), { name: 'Ada King' }, signedIn);
    assert.deepEqual([status, body.id, body.name, body.email], [200, id, 'Ada King', email]);
  });
  assert.deepEqual(recorded, ['user.patched']);
  assert.equal((await api.get(account('/session'), signedIn)).body.user.name, 'Ada King');
  assert.deepEqual(await api.recorded(() => api.put(account('/name'), { name: 'Ada King' }, signedIn)), []);
  const changed = await api.put(account('/name'), { name: 'Ada', email: 'other@example.org' }, signedIn);
  assert.notEqual(changed.body.email, 'other@example.org');
});

test('a name is needed, and a session', async () => {
  const { signedIn } = await aPerson(api);
  for (const name of ['', ' ', 'x'.repeat(256)]) {
    assert.equal((await api.put(account('/name'), { name }, signedIn)).status, 400, name);
  }
  assert.equal((await api.put(account('/name'), { name: 'Ada' }, fromBrowser())).status, 401);
});
