import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { maxViews } from '#domain/views.ts';
import { refused } from '../support/app.ts';
import { aProject, uniqueName } from '../support/build.ts';
import { aPerson, setUpAdministrator, startAccounts } from '../support/session.ts';

const api = await startAccounts();
await setUpAdministrator(api);
const [ada, liu] = [await aPerson(api), await aPerson(api)];
const ramping = { query: 'status=Ramping&sort=-name', columns: ['created', '-env:Staging'] };

async function aPlace() {
  const project = await aProject(api);
  return { project, path: `/views/ws/${project.id}` };
}

const namesFor = async (path: string, { signedIn }: typeof ada): Promise<string[]> =>
  (await api.get(path, signedIn)).body.map(({ name }: { name: string }) => name);

test('a shared view is for everyone in the project, keeps filters, order and columns, and leaves audit entries', async () => {
  const { path } = await aPlace();
  const entry = async (change: () => Promise<unknown>) => {
    const [action, ...more] = await api.recorded(change);
    assert.deepEqual(more, []);
    return action;
  };
  const save = (content: object) => api.put(`${path}/shared/In%20flight`, content, ada.signedIn);
  assert.equal(await entry(() => save(ramping)), 'view.created');
  const [view] = (await api.get(path, liu.signedIn)).body;
  assert.deepEqual(view, { id: view.id, name: 'In flight', shared: true, ...ramping });
  const changed = { query: 'tag=checkout', columns: [] };
  assert.equal(await entry(() => save(changed)), 'view.changed');
  const { before, after, object } = await api.lastChange();
  assert.deepEqual([before, after], [view, { ...view, ...changed }]);
  assert.deepEqual(object, { type: 'view', id: view.id, name: 'In flight' });
  assert.deepEqual(await api.recorded(() => save(changed)), []);
  assert.equal(await entry(() => api.delete(`${path}/shared/In%20flight`, liu.signedIn)), 'view.deleted');
  assert.deepEqual((await api.get(path, ada.signedIn)).body, []);
  refused(await api.delete(`${path}/shared/In%20flight`, ada.signedIn), 404, 'Could not find view In flight');
});

test('an own view is only for its owner, even if a shared one has the same name, and leaves no audit entry', async () => {
  const { path } = await aPlace();
  const actions = await api.recorded(async () => {
    assert.equal((await api.put(`${path}/own/Mine`, ramping, ada.signedIn)).status, 200);
    assert.equal((await api.put(`${path}/own/Mine`, { ...ramping, query: '' }, ada.signedIn)).body.query, '');
    assert.equal((await api.put(`${path}/own/Mine`, ramping, liu.signedIn)).status, 200);
  });
  assert.deepEqual(actions, []);
  await api.put(`${path}/shared/Mine`, ramping, liu.signedIn);
  assert.deepEqual(
    (await api.get(path, ada.signedIn)).body.map(({ shared, query }: typeof ramping & { shared: boolean }) => [
      shared,
      query,
    ]),
    [
      [true, ramping.query],
      [false, ''],
    ],
  );
  assert.equal((await api.delete(`${path}/own/Mine`, ada.signedIn)).body, true);
  assert.deepEqual([await namesFor(path, ada), await namesFor(path, liu)], [['Mine'], ['Mine', 'Mine']]);
});

test('people who may only view a project can save own views there, but not shared ones', async () => {
  const { project, path } = await aPlace();
  const restricted = await api.put(`/workspaces/${project.id}/access`, {
    edit: { restricted: true, grantees: [{ id: ada.id, type: 'user' }] },
  });
  assert.equal(restricted.status, 200, restricted.text);
  assert.equal((await api.put(`${path}/own/Mine`, ramping, liu.signedIn)).status, 200);
  const answer = await api.put(`${path}/shared/Ours`, ramping, liu.signedIn);
  assert.deepEqual([answer.status, answer.headers['x-burgee-problem']], [403, 'right_missing']);
  assert.equal((await api.put(`${path}/shared/Ours`, ramping, ada.signedIn)).status, 200);
  assert.equal((await api.delete(`${path}/shared/Ours`, liu.signedIn)).status, 403);
});

test('there are at most 50 views of each kind, and their parts are limited', async () => {
  const { path } = await aPlace();
  for (let index = 0; index < maxViews; index += 1) await api.put(`${path}/own/${index}`, ramping, ada.signedIn);
  refused(
    await api.put(`${path}/own/more`, ramping, ada.signedIn),
    409,
    'There are already 50 views; delete one first',
  );
  assert.equal((await api.put(`${path}/own/7`, ramping, ada.signedIn)).status, 200);
  assert.equal((await api.put(`${path}/shared/more`, ramping, ada.signedIn)).status, 200);
  for (const [name, body] of [
    ['%20', ramping],
    ['a%0Ab', ramping],
    ['x'.repeat(61), ramping],
    ['long', { ...ramping, query: 'x'.repeat(4_001) }],
    ['many', { ...ramping, columns: Array.from({ length: 201 }, String) }],
    ['none', { columns: [] }],
  ] as const) {
    assert.equal((await api.put(`${path}/shared/${name}`, body)).status, 400, name);
  }
});

test('the own views of a key are deleted with it', async () => {
  const { project, path } = await aPlace();
  const key = (await api.post('/apiKeys', { name: uniqueName('key'), apiKeyType: 'admin', roles: ['API_ALL_GRANTED'] }))
    .body;
  assert.equal((await api.put(`${path}/own/Nightly`, ramping, { as: key.key })).status, 200);
  await api.put(`${path}/shared/Ours`, ramping);
  const owners = async () =>
    (await api.store.all<{ owner_id: string }>(sql`select owner_id from views where project_id = ${project.id}`))
      .map(({ owner_id: owner }) => owner)
      .sort();
  assert.deepEqual(await owners(), ['', key.id]);
  await api.delete(`/apiKeys/${key.id}`);
  assert.deepEqual(await owners(), ['']);
});
