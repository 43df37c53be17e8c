import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { prefix } from '#contract/parts.ts';
import { aFlag, aProject, uniqueName } from '../support/build.ts';
import {
  account,
  administratorsId,
  aPerson,
  host,
  origin,
  type Person,
  setUpAdministrator,
  startAccounts,
} from '../support/session.ts';
import { slowRequest } from '../support/slow-request.ts';

const api = await startAccounts();
await setUpAdministrator(api);
const administratorsGroup = await administratorsId(api);
await api.app.listen({ host: '127.0.0.1', port: 0 });
const { port } = api.app.server.address() as AddressInfo;
after(() => api.app.server.closeAllConnections());

const slowly = (
  method: string,
  path: string,
  credentials: Record<string, string>,
  body: unknown,
  meanwhile: () => Promise<unknown>,
) => slowRequest(`http://127.0.0.1:${port}${path}`, { method, headers: credentials, body }, meanwhile);

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
const withSession = ({ cookie }: Person) => ({ host, origin, cookie });
const anAdministrator = () => aPerson(api, { groups: [{ id: administratorsGroup, type: 'group' }] as never });

test('a key that is revoked while the body is being sent changes nothing', async () => {
  const key = await api.key({});
  const actions = await api.recorded(async () => {
    const answer = await slowly('POST', `${prefix}/groups`, withKey(key), { name: uniqueName('late') }, () =>
      api.delete(`/apiKeys/${key}`),
    );
    assert.equal(answer.status, 401);
    assert.match(answer.text, /Invalid Admin API Key/);
  });
  assert.deepEqual(actions, ['api_key.revoked']);
});

test('a title and comment that become required while the body is being sent are required', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const path = `/splits/ws/${project.id}/${flag.name}`;
  const demand = () =>
    api.patch(`/workspaces/${project.id}`, [{ op: 'replace', path: '/requiresTitleAndComments', value: true }]);
  const patch = [{ op: 'replace', path: '/description', value: 'late' }];
  const actions = await api.recorded(async () => {
    assert.deepEqual(await slowly('PATCH', prefix + path, withKey(api.adminKey), patch, demand), {
      status: 400,
      text: '',
    });
  });
  assert.deepEqual(actions, ['workspace.patched']);
});

/** What can end an administrator's rights, and the status that a request admitted before then gets. */
const endings: Record<string, readonly [status: number, action: string, end: (person: Person) => Promise<unknown>]> = {
  'signed out': [401, 'session.ended', (person) => api.delete(account('/session'), person.signedIn)],
  'given a new password': [
    401,
    'user.password_changed',
    ({ password, signedIn }) =>
      api.post(account('/password'), { current: password, next: 'seven amber lanterns glow' }, signedIn),
  ],
  'removed from Administrators': [
    403,
    'user.patched',
    ({ id }) => api.patch(`/users/${id}`, [{ op: 'replace', path: '/groups', value: [] }]),
  ],
  deactivated: [
    401,
    'user.patched',
    ({ id }) => api.patch(`/users/${id}`, [{ op: 'replace', path: '/status', value: 'DEACTIVATED' }]),
  ],
};

for (const [what, [status, action, end]] of Object.entries(endings)) {
  test(`an administrator who is ${what} while the body is being sent creates no key`, async () => {
    const person = await anAdministrator();
    const body = { name: uniqueName('late'), apiKeyType: 'admin' };
    const actions = await api.recorded(async () => {
      const answer = await slowly('POST', `${prefix}/apiKeys`, withSession(person), body, () => end(person));
      assert.equal(answer.status, status, answer.text);
    });
    assert.deepEqual(actions, [action]);
  });

  test(`an administrator who is ${what} while the body is being sent cannot undo that with it`, async () => {
    const person = await anAdministrator();
    const groups = [{ op: 'replace', path: '/groups', value: [{ id: administratorsGroup, type: 'group' }] }];
    const path = `${prefix}/users/${person.id}`;
    const answer = await slowly('PATCH', path, withSession(person), groups, () => end(person));
    assert.equal(answer.status, status, answer.text);
  });
}

test('a member who loses access to the project while the body is being sent changes nothing in it', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const member = await aPerson(api);
  const close = () =>
    api.put('/restrictions', {
      resource: { id: project.id, type: 'workspace' },
      operations: { view: true },
      resourcePermissions: { view: [{ id: administratorsGroup, type: 'group' }] },
    });
  const path = `${prefix}/splits/ws/${project.id}/${flag.name}/updateDescription`;
  const actions = await api.recorded(async () => {
    const answer = await slowly('PUT', path, withSession(member), 'late', close);
    assert.equal(answer.status, 404, answer.text);
  });
  assert.deepEqual(actions, ['restriction.replaced']);
});

test('a person who is signed out while the body is being sent cannot change the account', async () => {
  const person = await aPerson(api);
  const change = { current: person.password, next: 'seven amber lanterns glow' };
  const signOut = () => api.delete(account('/session'), person.signedIn);
  const actions = await api.recorded(async () => {
    const answer = await slowly('POST', account('/password'), withSession(person), change, signOut);
    assert.equal(answer.status, 401, answer.text);
  });
  assert.deepEqual(actions, ['session.ended']);
});
