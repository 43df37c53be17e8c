import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, type ProjectFixture, uniqueName } from '../support/build.ts';
import { account, administratorsId, aPerson, type Person, setUpAdministrator } from '../support/session.ts';

const api = await startApi();
const administrator = await setUpAdministrator(api);
const administrators = { id: await administratorsId(api), type: 'group' };

const user = ({ id }: { id: string }) => ({ id, type: 'user' });
const setAccess = async (project: { id: string }, update: unknown): Promise<Answer> => {
  const answer = await api.put(`/workspaces/${project.id}/access`, update);
  assert.equal(answer.status, 200, answer.text);
  return answer;
};
const restrictEditing = (project: { id: string }, ...grantees: unknown[]) =>
  setAccess(project, { edit: { restricted: true, grantees } });
const inProduction = (project: ProjectFixture, lists: Record<string, unknown>) =>
  setAccess(project, { environments: [{ id: project.production.id, ...lists }] });

async function aGroup(name = uniqueName('group')) {
  const { body } = await api.post('/groups', { name });
  return { id: body.id as string, name: body.name as string, type: 'group' };
}

/** A flag that is defined in production, and the path of that definition. */
async function inProductionDefined(project: ProjectFixture) {
  const flag = await aFlag(api, project);
  const path = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  assert.equal((await api.post(path, aDefinition())).status, 200);
  return { flag, path };
}

const patch = [{ op: 'replace', path: '/defaultRule/0/treatment', value: 'on' }];

test('where editing is restricted, everybody still reads, and only those listed change anything', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const group = await aGroup();
  const [listed, member, outsider] = [
    await aPerson(api),
    await aPerson(api, { groups: [group.id] }),
    await aPerson(api),
  ];
  await restrictEditing(project, user(listed), group);
  const flags = `/splits/ws/${project.id}`;
  const attempts = (person: Person): Promise<Answer>[] => [
    api.post(`${flags}/trafficTypes/user`, { name: uniqueName('flag') }, person.signedIn),
    api.put(`${flags}/${flag.name}/updateDescription`, uniqueName('text'), person.signedIn),
    api.post(`/tags/ws/${project.id}/object/${flag.name}/objecttype/Split`, [uniqueName('tag')], person.signedIn),
    api.put(path, aDefinition({ baselineTreatment: 'off' }), person.signedIn),
    api.put(`${path}/kill`, {}, person.signedIn),
    api.put(`${path}/restore`, {}, person.signedIn),
  ];
  for (const person of [listed, member]) {
    for (const attempt of attempts(person)) assert.equal((await attempt).status, 200);
  }
  const recorded = await api.recorded(async () => {
    for (const attempt of attempts(outsider)) refused(await attempt, 403, 'Role is insufficient');
    refused(await api.patch(path, patch, outsider.signedIn), 403, 'Role is insufficient');
    refused(await api.delete(path, outsider.signedIn), 403, 'Role is insufficient');
    refused(await api.delete(`${flags}/${flag.name}`, outsider.signedIn), 403, 'Role is insufficient');
  });
  assert.deepEqual(recorded, []);
  for (const read of [flags, `${flags}/${flag.name}`, path, `/environments/ws/${project.id}`]) {
    assert.equal((await api.get(read, outsider.signedIn)).status, 200, read);
  }
});

test('a refusal says who may, and whom to ask', async () => {
  const project = await aProject(api);
  const group = await aGroup('Payments');
  const [liu, outsider] = [await aPerson(api, { name: 'Liu Wei' }), await aPerson(api)];
  const { path } = await inProductionDefined(project);
  await inProduction(project, { editors: { restricted: true, grantees: [group, user(liu)] } });
  const { body } = await api.put(path, aDefinition(), outsider.signedIn);
  assert.equal(
    body.details,
    `Only Payments and Liu Wei can edit definitions in production. Ask an administrator, for example ${administrator.name}.`,
  );
  const key = await api.key({ roles: ['API_FEATURE_FLAG_EDITOR'], name: 'Deploy' });
  const answer = await api.put(path, aDefinition(), { as: key });
  assert.match(
    answer.body.details,
    /^Only Payments and Liu Wei can edit .* An administrator can add the key Deploy\.$/,
  );
  assert.equal(answer.headers['x-burgee-problem'], 'right_missing');
});

test('who may not see a project is told that it is not there, whatever else the lists say', async () => {
  const project = await aProject(api);
  const outsider = await aPerson(api);
  const { path } = await inProductionDefined(project);
  await setAccess(project, {
    view: { restricted: true, grantees: [administrators] },
    edit: { restricted: true, grantees: [user(outsider)] },
    environments: [{ id: project.production.id, killers: [user(outsider)] }],
  });
  refused(await api.put(`${path}/kill`, {}, outsider.signedIn), 404, /Could not find project/);
  refused(await api.get(path, outsider.signedIn), 404, /Could not find project/);
  refused(await api.get(`/workspaces/${project.id}/access`, outsider.signedIn), 404, /Could not find project/);
});

test('an environment narrows who edits definitions there, and nowhere else', async () => {
  const project = await aProject(api);
  const [editor, other] = [await aPerson(api), await aPerson(api)];
  const { flag, path } = await inProductionDefined(project);
  const staging = `/splits/ws/${project.id}/${flag.name}/environments/${project.staging.id}`;
  await inProduction(project, { editors: { restricted: true, grantees: [user(editor)] } });
  refused(await api.patch(path, patch, other.signedIn), 403, 'Role is insufficient');
  refused(await api.put(`${path}/kill`, {}, other.signedIn), 403, 'Role is insufficient');
  assert.equal((await api.post(staging, aDefinition(), other.signedIn)).status, 200);
  assert.equal((await api.patch(path, patch, editor.signedIn)).status, 200);
  // Being listed in an environment does not help where the project does not let edit.
  await restrictEditing(project, user(other));
  refused(await api.put(path, aDefinition(), editor.signedIn), 403, 'Role is insufficient');
});

test('those listed for it may kill and restore, and do nothing else', async () => {
  const project = await aProject(api);
  const onCall = await aGroup('On call');
  const person = await aPerson(api, { groups: [onCall.id] });
  const { path } = await inProductionDefined(project);
  await restrictEditing(project);
  await inProduction(project, { editors: { restricted: true, grantees: [] }, killers: [onCall] });
  assert.equal((await api.put(`${path}/kill`, {}, person.signedIn)).body.killed, true);
  assert.equal((await api.post(`${path}/restore`, {}, person.signedIn)).body.killed, false);
  refused(await api.patch(path, patch, person.signedIn), 403, 'Role is insufficient');
  refused(await api.put(path, aDefinition({ killed: true }), person.signedIn), 403, 'Role is insufficient');
});

test('a flag is deleted only by who may edit all its definitions', async () => {
  const project = await aProject(api);
  const person = await aPerson(api);
  const { flag } = await inProductionDefined(project);
  await inProduction(project, { editors: { restricted: true, grantees: [] } });
  const path = `/splits/ws/${project.id}/${flag.name}`;
  assert.deepEqual(await api.recorded(() => api.delete(path, person.signedIn)), []);
  const { body } = await api.delete(path, person.signedIn);
  assert.match(body.details, /^Only administrators can edit definitions in production\./);
  const other = await aFlag(api, project);
  assert.equal((await api.delete(`/splits/ws/${project.id}/${other.name}`, person.signedIn)).status, 200);
});

test('owners edit their own flags and definitions where the project says so, and no others', async () => {
  const project = await aProject(api);
  const person = await aPerson(api);
  const { body: own } = await api.post(
    `/splits/ws/${project.id}/trafficTypes/user`,
    { name: uniqueName('flag') },
    person.signedIn,
  );
  const other = await aFlag(api, project);
  const defining = (flag: { name: string }) =>
    api.post(
      `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`,
      aDefinition(),
      person.signedIn,
    );
  await restrictEditing(project);
  await inProduction(project, { editors: { restricted: true, grantees: [] } });
  refused(await defining(own), 403, 'Role is insufficient');
  await setAccess(project, { ownersEdit: true });
  assert.equal((await defining(own)).status, 200);
  const described = await api.put(`/splits/ws/${project.id}/${own.name}/updateDescription`, 'mine', person.signedIn);
  assert.equal(described.status, 200);
  refused(await defining(other), 403, 'Role is insufficient');
  refused(await api.delete(`/splits/ws/${project.id}/${other.name}`, person.signedIn), 403, 'Role is insufficient');
});

test('keys are held to the lists, except those that may change them', async () => {
  const project = await aProject(api);
  const { path } = await inProductionDefined(project);
  await restrictEditing(project);
  const scope = { kind: 'project', projectId: project.id } as const;
  const editor = await api.key({ roles: ['API_FEATURE_FLAG_EDITOR'], scope });
  refused(await api.patch(path, patch, { as: editor }), 403, 'Role is insufficient');
  const { body: listed } = await api.post('/apiKeys', {
    name: 'listed',
    apiKeyType: 'admin',
    roles: ['API_FEATURE_FLAG_EDITOR'],
    workspace: { id: project.id },
  });
  await restrictEditing(project, { id: listed.id, type: 'api_key' });
  assert.equal((await api.patch(path, patch, { as: listed.key })).status, 200);
  const both = await api.key({ roles: ['API_FEATURE_FLAG_EDITOR', 'API_WORKSPACE_ADMIN'], scope });
  assert.equal((await api.put(`${path}/kill`, {}, { as: both })).status, 200);
  assert.equal((await api.put(`${path}/restore`, {}, administrator.signedIn)).status, 200);
});

test('a key that is refused in its own project is told who may edit, even if only others are viewers', async () => {
  const project = await aProject(api);
  await setAccess(project, { view: { restricted: true, grantees: [administrators] }, edit: { restricted: true } });
  const scope = { kind: 'project', projectId: project.id } as const;
  const key = await api.key({ roles: ['API_FEATURE_FLAG_EDITOR'], name: 'Deploy', scope });
  const answer = await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: 'refused' }, { as: key });
  assert.equal(
    answer.body.details,
    `Only administrators can edit ${project.name}. An administrator can add the key Deploy.`,
  );
});

test('whoever leaves a group, and whatever group is deleted, has its rights no more', async () => {
  const project = await aProject(api);
  const group = await aGroup();
  const [leaving, staying] = [await aPerson(api, { groups: [group.id] }), await aPerson(api, { groups: [group.id] })];
  await restrictEditing(project, group);
  const creating = (person: Person) =>
    api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: uniqueName('flag') }, person.signedIn);
  for (const person of [leaving, staying]) assert.equal((await creating(person)).status, 200);
  await api.patch(`/users/${leaving.id}`, [{ op: 'remove', path: '/groups/0' }]);
  refused(await creating(leaving), 403, 'Role is insufficient');
  assert.equal((await creating(staying)).status, 200);
  assert.equal((await api.delete(`/groups/${group.id}`)).status, 200);
  const { body } = await creating(staying);
  assert.match(body.details, /^Only administrators can edit /);
});

test('all lists of a project are set in one change, with an entry for each object that changed', async () => {
  const project = await aProject(api);
  const [ana, group] = [await aPerson(api, { name: 'Ana' }), await aGroup()];
  const path = `/workspaces/${project.id}/access`;
  const before = await api.get(path);
  const update = {
    edit: { restricted: true, grantees: [group] },
    environments: [
      { id: project.production.id, editors: { restricted: true, grantees: [user(ana)] }, killers: [group] },
    ],
  };
  const recorded = await api.recorded(async () => {
    assert.equal((await api.put(path, update, { headers: { 'if-match': String(before.headers.etag) } })).status, 200);
  });
  assert.deepEqual(recorded, ['restriction.replaced', 'environment.patched']);
  const change = await api.lastChange();
  const { id, name, type } = group;
  assert.deepEqual((change.after as { changePermissions: unknown }).changePermissions, {
    areEditorsRestricted: true,
    editors: [{ id: ana.id, name: 'Ana', type: 'user' }],
    killers: [{ id, name, type }],
  });
  assert.equal((change.before as { changePermissions?: unknown }).changePermissions, undefined);
  assert.deepEqual(await api.recorded(() => api.put(path, update)), []);
  refused(await api.put(path, update, { headers: { 'if-match': String(before.headers.etag) } }), 412, /If-Match/);
  const unknown = { environments: [{ id: 'nowhere', killers: [] }] };
  refused(await api.put(path, unknown), 404, /environment nowhere/);
  refused(
    await api.put(path, { edit: { grantees: [{ id: 'nobody', type: 'user' }] } }),
    400,
    'resourcePermissions/edit: there is no user with the id nobody',
  );
});

test('the restrictions of the vendor leave alone who may edit, unless they name it', async () => {
  const project = await aProject(api);
  const group = await aGroup();
  await restrictEditing(project, group);
  const resource = { type: 'workspace', id: project.id };
  const answer = await api.put('/restrictions', { resource, operations: { view: false } });
  assert.deepEqual(answer.body.operations, { view: false, edit: true });
  assert.deepEqual(answer.body.resourcePermissions.edit, [group]);
  const opened = await api.put('/restrictions', { resource, operations: { view: false, edit: false } });
  assert.deepEqual(opened.body.operations, { view: false });
});

test('the change permissions of an environment say who edits and who kills, as the vendor writes them', async () => {
  const project = await aProject(api);
  const [ana, group] = [await aPerson(api, { name: 'Ana' }), await aGroup()];
  const named = { id: ana.id, name: 'Ana', type: 'user' };
  const created = await api.post(`/environments/ws/${project.id}`, {
    name: 'guarded',
    changePermissions: { areEditorsRestricted: true, editors: [named], allowKills: true, approvers: null },
  });
  assert.deepEqual(created.body.changePermissions, { areEditorsRestricted: true, editors: [named], allowKills: true });
  const path = `/environments/ws/${project.id}/${created.body.id}`;
  const patched = await api.patch(path, [
    { op: 'add', path: '/changePermissions/editors/-', value: { id: group.id, type: 'group' } },
    { op: 'replace', path: '/changePermissions/killers', value: [named] },
  ]);
  assert.deepEqual(patched.body.changePermissions, {
    areEditorsRestricted: true,
    editors: [named, group],
    killers: [named],
    allowKills: true,
  });
  const opened = await api.patch(path, [{ op: 'replace', path: '/changePermissions', value: {} }]);
  assert.deepEqual(opened.body.changePermissions, {});
});

test('who is on a list stays there when a key changes it that cannot see them', async () => {
  const project = await aProject(api);
  const outsider = await aPerson(api);
  await setAccess(project, { view: { restricted: true, grantees: [administrators] } });
  await inProduction(project, { killers: [user(outsider)] });
  const key = await api.key({ roles: ['API_WORKSPACE_ADMIN'], scope: { kind: 'project', projectId: project.id } });
  const path = `/environments/ws/${project.id}/${project.production.id}`;
  const renamed = await api.patch(path, [{ op: 'replace', path: '/name', value: 'live' }], { as: key });
  assert.deepEqual([renamed.status, renamed.body.changePermissions.killers.length], [200, 1]);
  const twice = [project.production, project.production].map(({ id }) => ({ id, killers: [] }));
  refused(await api.put(`/workspaces/${project.id}/access`, { environments: twice }), 400, /twice/);
});

test('the lists of all environments together have a limit', async () => {
  const project = await aProject(api);
  const groups = await Promise.all(Array.from({ length: 200 }, () => aGroup()));
  const full = { editors: { restricted: true, grantees: groups }, killers: groups };
  const { staging, production } = project;
  await setAccess(project, { environments: [staging, production].map(({ id }) => ({ id, ...full })) });
  const guarded = {
    name: 'third',
    changePermissions: { areEditorsRestricted: true, editors: groups, killers: groups },
  };
  const recorded = await api.recorded(async () => {
    refused(await api.post(`/environments/ws/${project.id}`, guarded), 400, /1000 entries together/);
  });
  assert.deepEqual(recorded, []);
});

test('a person is told what they may do and why, and others only by who can change it', async () => {
  const project = await aProject(api);
  const group = await aGroup('Checkout');
  const person = await aPerson(api, { groups: [group.id] });
  await restrictEditing(project, group);
  await inProduction(project, { editors: { restricted: true, grantees: [] }, killers: [user(person)] });
  const path = account(`/access?user=${person.id}&project=${project.id}`);
  for (const asking of [person.signedIn, administrator.signedIn, {}]) {
    const { body } = await api.get(path, asking);
    assert.deepEqual([body.totalCount, body.user.id, body.groups.length, body.administrator], [1, person.id, 1, false]);
    assert.equal(body.ask, `Ask an administrator, for example ${administrator.name}.`);
    const [{ view, edit, ownersEdit, environments }] = body.objects;
    assert.equal(ownersEdit, false);
    assert.deepEqual(view, { may: true, reason: 'Everyone with an account can view this project.' });
    assert.deepEqual(edit, { may: true, reason: 'Through the group Checkout.' });
    assert.deepEqual(environments[0].define, {
      may: true,
      reason: 'Everyone who can edit this project can edit definitions here.',
    });
    assert.deepEqual(environments[1].define, {
      may: false,
      reason: 'Only administrators can edit definitions in production.',
    });
    assert.deepEqual(environments[1].kill, { may: true, reason: 'Listed by name.' });
  }
  const other = await aPerson(api);
  refused(await api.get(path, other.signedIn), 403, 'Role is insufficient');
  assert.equal((await api.get(account('/access'), other.signedIn)).body.user.id, other.id);
  refused(await api.get(account('/access?user=nobody')), 404, /user nobody/);
});

test('a server setting gives new projects, the first included, their restrictions', async () => {
  const expected = {
    'read-only': { operations: { view: false, edit: true }, resourcePermissions: { view: [] } },
    private: { operations: { view: true }, resourcePermissions: { view: ['Administrators'] } },
  };
  for (const newProjects of ['read-only', 'private'] as const) {
    const server = await startApi({ newProjects });
    const { body: created } = await server.post('/workspaces', { name: 'new' });
    assert.equal((await server.lastChange()).auditLogType, 'restriction.replaced');
    for (const project of ['Default', created.id]) {
      const { body } = await server.get(`/restrictions?resource_type=workspace&resource_id=${project}`);
      const [{ operations, resourcePermissions }] = body.objects;
      const view = resourcePermissions.view.map(({ name }: { name: string }) => name);
      assert.deepEqual({ operations, resourcePermissions: { ...resourcePermissions, view } }, expected[newProjects]);
    }
  }
});
