import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

type Named = { id: string; name: string };
const { objects } = (await api.get('/groups?limit=1')).body;
const administrators = { id: objects[0].id, name: 'Administrators', type: 'group' };

const aGroup = async (): Promise<Named> => (await api.post('/groups', { name: uniqueName('group') })).body;
const aUser = async (): Promise<Named> =>
  (await api.post('/users', { email: `${uniqueName('user')}@example.com` })).body;

const update = (project: { id: string }, view: boolean, viewers?: object[]) => ({
  resource: { id: project.id, type: 'workspace' },
  operations: { view },
  ...(viewers ? { resourcePermissions: { view: viewers } } : {}),
});

const shown = ({ id, name }: Named, view: boolean, viewers: object[]) => ({
  id,
  type: 'restriction',
  resource: { id, name, type: 'workspace' },
  operations: { view },
  resourcePermissions: { view: viewers },
});

const pathOf = (project: { id: string }) => `/restrictions?resource_type=workspace&resource_id=${project.id}`;
const current = async (project: { id: string }) => (await api.get(pathOf(project))).body.objects[0];

test('a new project is open to everybody: its one restriction lists nobody', async () => {
  const project = await aProject(api);
  const { status, body } = await api.get(pathOf(project));
  assert.equal(status, 200);
  assert.deepEqual(body, { objects: [shown(project, false, [])], offset: 0, limit: 20, totalCount: 1 });
  const second = (await api.get(`${pathOf(project)}&offset=1&limit=1000`)).body;
  assert.deepEqual(second, { objects: [], offset: 1, limit: 200, totalCount: 1 });
});

test('a project is restricted to the users and groups listed, each once and in order, and opened again', async () => {
  const project = await aProject(api);
  const [user, group] = [await aUser(), await aGroup()];
  const asUser = { id: user.id, type: 'user' };
  const viewers = [{ id: user.id, name: user.name, type: 'user' }, administrators];
  const actions = await api.recorded(async () => {
    const answer = await api.put('/restrictions', update(project, true, [asUser, administrators, asUser]));
    assert.deepEqual([answer.status, answer.body], [200, shown(project, true, viewers)]);
    assert.deepEqual(await current(project), answer.body);
    const others = [{ ...group, type: 'group' }, administrators];
    const replaced = await api.put('/restrictions?dry_run=false', update(project, true, others));
    const names = others.map(({ id, name, type }) => ({ id, name, type }));
    assert.deepEqual(replaced.body, shown(project, true, names), 'the list is replaced, not extended');
    assert.deepEqual((await api.put('/restrictions', update(project, false))).body, shown(project, false, []));
  });
  assert.deepEqual(actions, ['restriction.replaced', 'restriction.replaced', 'restriction.replaced']);
  assert.deepEqual(await current(project), shown(project, false, []));
});

test('a change of access is recorded with its project, before and after', async () => {
  const project = await aProject(api);
  await api.put('/restrictions', update(project, true, [administrators]));
  const { auditLogType, object, workspaceId, before, after } = await api.lastChange();
  assert.equal(auditLogType, 'restriction.replaced');
  assert.deepEqual(object, { type: 'restriction', id: project.id, name: project.name });
  assert.equal(workspaceId, project.id);
  assert.deepEqual([before, after], [shown(project, false, []), shown(project, true, [administrators])]);
});

test('a list that would lock everyone out, or that names someone who does not exist, is refused and changes nothing', async () => {
  const project = await aProject(api);
  const [user, group] = [await aUser(), await aGroup()];
  await api.put('/restrictions', update(project, true, [administrators]));
  const wrong: [body: unknown, message: RegExp][] = [
    [update(project, true), /Administrators/],
    [update(project, true, []), /Administrators/],
    [update(project, true, [{ id: user.id, type: 'user' }]), /Administrators/],
    [update(project, true, [{ id: administrators.id, type: 'user' }]), /Administrators/],
    [update(project, true, [administrators, { id: 'nobody', type: 'user' }]), /there is no user with the id nobody$/],
    [update(project, true, [administrators, { id: 'none', type: 'group' }]), /there is no group with the id none$/],
    [update(project, true, [administrators, { id: user.id, type: 'group' }]), /there is no group with /],
    [update(project, true, [administrators, { id: group.id, type: 'user' }]), /there is no user with /],
    [update(project, true, [administrators, { id: user.id, type: 'robot' }]), /^resourcePermissions\/view\/1\/type /],
    [update(project, true, [administrators, { type: 'user' }]), /^resourcePermissions\/view\/1\/id /],
    [{ ...update(project, true), operations: {} }, /^operations\/view /],
    [{ ...update(project, true), operations: { view: 'yes' } }, /^operations\/view /],
    [{ ...update(project, true), resource: { id: project.id, type: 'environment' } }, /^resource\/type /],
    [{ ...update(project, true), resource: { type: 'workspace' } }, /^resource\/id /],
    [{}, /^(resource|operations) /],
  ];
  const actions = await api.recorded(async () => {
    for (const [body, message] of wrong) refused(await api.put('/restrictions', body), 400, message);
    const dryRun = await api.put('/restrictions?dry_run=true', update(project, false));
    refused(dryRun, 400, /^dry_run /);
  });
  assert.deepEqual(actions, []);
  assert.deepEqual(await current(project), shown(project, true, [administrators]));
});

test('the list needs to know of which project', async () => {
  const project = await aProject(api);
  for (const [query, message] of [
    ['', /^resource_(type|id) /],
    [`resource_id=${project.id}`, /^resource_type /],
    ['resource_type=workspace', /^resource_id /],
    [`resource_type=environment&resource_id=${project.staging.id}`, /^resource_type /],
    [`resource_type=workspace&resource_id=${project.id}&offset=-1`, /^offset /],
  ] as const) {
    refused(await api.get(`/restrictions?${query}`), 400, message);
  }
});

test('a project that is not there, or not in reach of the key, is 404 in list and update', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const as = await api.key({ scope: { kind: 'project', projectId: mine.id }, roles: ['API_WORKSPACE_ADMIN'] });
  assert.equal((await api.get(pathOf(mine), { as })).status, 200);
  assert.equal((await api.put('/restrictions', update(mine, true, [administrators]), { as })).status, 200);
  const actions = await api.recorded(async () => {
    for (const id of [other.id, 'no-such-project']) {
      refused(await api.get(pathOf({ id }), { as }), 404, `Could not find project ${id}`);
      const answer = await api.put('/restrictions', update({ id }, true, [administrators]), { as });
      refused(answer, 404, `Could not find project ${id}`);
    }
  });
  assert.deepEqual(actions, []);
});

test('a deleted user is no longer listed, and the project stays restricted', async () => {
  const project = await aProject(api);
  const [user, group] = [await aUser(), await aGroup()];
  const viewers = [administrators, { id: user.id, type: 'user' }, { id: group.id, type: 'group' }];
  await api.put('/restrictions', update(project, true, viewers));
  await api.delete(`/users/${user.id}`);
  await api.delete(`/groups/${group.id}`);
  assert.deepEqual(await current(project), shown(project, true, [administrators]));
});

test('a restriction does not hide a project from its own keys, nor from account-wide keys that may change it', async () => {
  const project = await aProject(api);
  const own = await api.key({ scope: { kind: 'project', projectId: project.id }, roles: ['API_FEATURE_FLAG_VIEWER'] });
  const manager = await api.key({ roles: ['API_WORKSPACE_ADMIN'] });
  await api.put('/restrictions', update(project, true, [administrators]));
  for (const key of [own, manager, api.adminKey]) {
    const { body } = await api.get(`/workspaces?name=${project.name}`, { as: key });
    assert.deepEqual(
      body.objects.map((one: Named) => one.id),
      [project.id],
    );
    assert.equal((await api.get(`/environments/ws/${project.id}`, { as: key })).status, 200);
  }
});

test('a key of a project lists only users whom it sees: others appear not to exist, without a name', async () => {
  const project = await aProject(api);
  const [seen, unseen] = [await aUser(), await aUser()];
  const asUser = ({ id }: { id: string }) => ({ id, type: 'user' });
  await api.put('/restrictions', update(project, true, [administrators, asUser(seen)]));
  const as = await api.key({ scope: { kind: 'project', projectId: project.id }, roles: ['API_WORKSPACE_ADMIN'] });
  const listing = (user: { id: string }) =>
    api.put('/restrictions', update(project, true, [administrators, asUser(user)]), { as });
  const actions = await api.recorded(async () => {
    for (const user of [unseen, { id: 'nobody' }]) {
      refused(await listing(user), 400, `resourcePermissions/view: there is no user with the id ${user.id}`);
    }
  });
  assert.deepEqual(actions, []);
  assert.equal((await listing(seen)).status, 200);
});

async function aKey(fields: object = {}) {
  const roles = ['API_FEATURE_FLAG_EDITOR', 'API_APIKEY'];
  const { body } = await api.post('/apiKeys', { name: uniqueName('key'), apiKeyType: 'admin', roles, ...fields });
  return { id: body.id as string, name: body.name as string, type: 'api_key', text: body.key as string };
}
const asViewer = ({ id, name, type }: { id: string; name: string; type: string }) => ({ id, name, type });

test('listed keys are kept and shown with their names, and leave the list when they are revoked', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  const [key, ofOther] = [await aKey(), await aKey({ workspace: { id: other.id } })];
  const { body } = await api.put('/restrictions', update(project, true, [administrators, key, ofOther, key]));
  assert.deepEqual(body, shown(project, true, [administrators, asViewer(key), asViewer(ofOther)]));
  assert.deepEqual(await current(project), body);
  assert.equal((await api.put('/restrictions', body)).status, 200, 'what was answered can be sent back');
  await api.delete(`/apiKeys/${ofOther.id}`);
  assert.deepEqual(await current(project), shown(project, true, [administrators, asViewer(key)]));
  await api.delete(`/apiKeys/${key.id}`);
  assert.deepEqual(await current(project), shown(project, true, [administrators]));
});

test('keys of a project that is deleted leave the lists of other projects', async () => {
  const project = await aProject(api);
  const { body: short } = await api.post('/workspaces', { name: uniqueName('short') });
  const key = await aKey({ workspace: { id: short.id } });
  await api.put('/restrictions', update(project, true, [administrators, key]));
  for (const { id } of (await api.get(`/trafficTypes/ws/${short.id}`)).body) await api.delete(`/trafficTypes/${id}`);
  assert.equal((await api.delete(`/workspaces/${short.id}`)).status, 200);
  assert.deepEqual(await current(project), shown(project, true, [administrators]));
});

test('an account-wide key that may not change project access sees a restricted project only if it is listed', async () => {
  const project = await aProject(api);
  const [listed, other] = [await aKey(), await aKey()];
  const keyOfProject = await aKey({ workspace: { id: project.id } });
  const flags = (as: string) => api.get(`/splits/ws/${project.name}`, { as });
  const sees = async (as: string) => {
    const { body } = await api.get(`/workspaces?projectIdentifier=${project.id}`, { as });
    const { objects } = (await api.get('/apiKeys?limit=200', { as })).body;
    const isKeySeen = objects.some(({ id }: Named) => id === keyOfProject.id);
    return [body.totalCount === 1, (await flags(as)).status === 200, isKeySeen];
  };
  for (const { text } of [listed, other]) assert.deepEqual(await sees(text), [true, true, true], 'while it is open');
  await api.put('/restrictions', update(project, true, [administrators, listed]));
  assert.deepEqual(await sees(listed.text), [true, true, true]);
  assert.deepEqual(await sees(other.text), [false, false, false]);
  refused(await flags(other.text), 404, `Could not find project ${project.name}`);
  const actions = await api.recorded(async () => {
    const path = `/splits/ws/${project.id}/trafficTypes/user`;
    refused(await api.post(path, { name: uniqueName('flag') }, { as: other.text }), 404, /project/);
    const body = { name: 'new', apiKeyType: 'admin', workspace: { id: project.id } };
    refused(await api.post('/apiKeys', body, { as: other.text }), 404, /project/);
    refused(await api.delete(`/apiKeys/${keyOfProject.id}`, { as: other.text }), 404, /API key/);
    refused(await api.get(`/apiKeys/${keyOfProject.id}`, { as: other.text }), 404, /API key/);
  });
  assert.deepEqual(actions, []);
  await api.put('/restrictions', update(project, true, [administrators]));
  assert.deepEqual(await sees(listed.text), [false, false, false], 'at once');
  await api.put('/restrictions', update(project, false));
  assert.deepEqual(await sees(other.text), [true, true, true]);
});

test('only admin keys are listed, and by a key of a project only those that it sees or that are listed already', async () => {
  const project = await aProject(api);
  const [account, listed, own] = [await aKey(), await aKey(), await aKey({ workspace: { id: project.id } })];
  const { id: sdkKey } = (project.staging as unknown as { apiTokens: Named[] }).apiTokens[0] ?? assert.fail();
  const as = await api.key({ scope: { kind: 'project', projectId: project.id }, roles: ['API_WORKSPACE_ADMIN'] });
  await api.put('/restrictions', update(project, true, [administrators, listed]));
  const listing = (id: string, request = {}) =>
    api.put('/restrictions', update(project, true, [administrators, listed, { id, type: 'api_key' }]), request);
  const absent = (id: string) => `resourcePermissions/view: there is no admin key with the id ${id}`;
  const actions = await api.recorded(async () => {
    for (const id of [sdkKey, 'none', administrators.id]) refused(await listing(id), 400, absent(id));
    refused(await listing(account.id, { as }), 400, absent(account.id));
  });
  assert.deepEqual(actions, []);
  assert.equal((await listing(own.id, { as })).status, 200);
  assert.equal((await listing(account.id)).status, 200);
});
