import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
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

test('where editing is restricted, everyone can still read, and only listed people can make changes', async () => {
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

test('a project is 404 for people who may not see it, whatever the other lists say', async () => {
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

test('only someone who may edit all its definitions can delete a flag', async () => {
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

test('the lists apply to keys, except those that may change the lists', async () => {
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

test('leaving a group, or deleting it, ends the rights that it gave', async () => {
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
    'edit/grantees: there is no user with the id nobody',
  );
});

test('the vendor’s restrictions do not change who may edit, unless they name it', async () => {
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
  const value = { areApprovalsRequired: 'true', areApproversRestricted: true, approvers: [named] };
  const guarded = await api.patch(path, [
    { op: 'replace', path: '/changePermissions', value },
    { op: 'add', path: '/changePermissions/approvalSkippableBy', value: [{ id: group.id, type: 'group' }] },
  ]);
  assert.deepEqual(guarded.body.changePermissions, {
    areApprovalsRequired: true,
    areApproversRestricted: true,
    approvers: [named],
    approvalSkippableBy: [group],
  });
});

test('people on a list stay there when a key that cannot see them changes it', async () => {
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

test('an unknown, misspelled or null member of the lists is refused by name, and a response can be sent back', async () => {
  const project = await aProject(api);
  const path = `/workspaces/${project.id}/access`;
  const { id } = project.production;
  const nobody = { id: 'nobody', type: 'user' };
  const refusals: [body: unknown, ...complaints: string[]][] = [
    [{ veiw: { restricted: true } }, 'veiw is not a known member'],
    [{ view: null }, 'view must be object'],
    [{ ownersEdit: null, edit: { restricted: null } }, 'edit/restricted must be boolean', 'ownersEdit must be boolean'],
    [{ edit: { grantee: [] } }, 'edit/grantee is not a known member'],
    [{ environments: [{ id, killer: [] }] }, 'environments/0/killer is not a known member'],
    [{ environments: [{ id, editors: { restrict: true } }] }, 'environments/0/editors/restrict is not a known member'],
    [{ view: { restricted: true } }, 'view/grantees must list the group Administrators'],
    [{ edit: { grantees: [nobody] } }, 'edit/grantees: there is no user with the id nobody'],
    [
      { environments: [{ id, editors: { grantees: [nobody] } }] },
      'environments/0/editors/grantees: there is no user with the id nobody',
    ],
    [{ environments: [{ id, killers: [nobody] }] }, 'environments/0/killers: there is no user with the id nobody'],
  ];
  const recorded = await api.recorded(async () => {
    for (const [body, ...complaints] of refusals) {
      const answer = await api.put(path, body);
      refused(answer, 400, complaints[0] ?? '');
      assert.equal(answer.body.details, complaints.length > 1 ? complaints.join('\n') : '');
    }
    const { body } = await api.get(path);
    assert.deepEqual((await api.put(path, body)).body, body);
  });
  assert.deepEqual(recorded, []);
});

test('deleting a group, an invited user or a key is recorded for each list that it was on', async () => {
  const project = await aProject(api);
  const { id, production } = project;
  const group = await aGroup();
  const invited = await api.post('/users', { email: `${uniqueName('invited')}@example.com` });
  const key = await api.post('/apiKeys', { name: uniqueName('key'), apiKeyType: 'admin' });
  const grantees = [group, user(invited.body), { id: key.body.id, type: 'api_key' }];
  const elsewhere = await aProject(api);
  const deletions: [path: string, action: string][] = [
    [`/groups/${group.id}`, 'group.deleted'],
    [`/users/${invited.body.id}`, 'user.deleted'],
    [`/apiKeys/${key.body.id}`, 'api_key.revoked'],
  ];
  for (const [index, [path, action]] of deletions.entries()) {
    const grantee = grantees[index] as { id: string; type: string };
    await setAccess(project, {
      view: { restricted: true, grantees: [administrators, grantee] },
      edit: { restricted: true, grantees: [grantee] },
      environments: [{ id: production.id, editors: { restricted: true, grantees: [grantee] }, killers: [grantee] }],
    });
    await setAccess(elsewhere, { edit: { restricted: true, grantees: [grantee, user(administrator)] } });
    const lists = `${account('/access/lists')}?type=${grantee.type}&id=${grantee.id}`;
    const named = { id, name: project.name };
    const inEnvironment = { id: production.id, name: production.name };
    const rights = [
      { project: named, right: 'edit', alone: true },
      { project: named, right: 'view', alone: true },
      { project: named, environment: inEnvironment, right: 'define', alone: true },
      { project: named, environment: inEnvironment, right: 'kill', alone: true },
      { project: { id: elsewhere.id, name: elsewhere.name }, right: 'edit', alone: false },
    ];
    const { body } = await api.get(lists);
    assert.deepEqual([body.objects, body.totalCount], [rights, rights.length]);
    const { etag } = (await api.get(`/workspaces/${id}/access`)).headers;

    assert.equal((await api.delete(path)).status, 200);
    const { data } = (await api.get('/auditLogs?limit=4')).body;
    assert.deepEqual(
      data.map((entry: { auditLogType: string }) => entry.auditLogType).toSorted(),
      [action, 'environment.patched', 'restriction.replaced', 'restriction.replaced'].toSorted(),
    );
    const entryOf = (objectId: string, type: string) =>
      data.find(
        (one: { object: { id: string; type: string } }) => one.object.id === objectId && one.object.type === type,
      );
    const idsIn = (list: { id: string }[] | undefined) => (list ?? []).map((one) => one.id);
    const ofProject = entryOf(id, 'restriction');
    assert.deepEqual(idsIn(ofProject.before.resourcePermissions.edit), [grantee.id]);
    assert.deepEqual(idsIn(ofProject.after.resourcePermissions.edit), []);
    assert.deepEqual(idsIn(ofProject.after.resourcePermissions.view), [administrators.id]);
    const ofEnvironment = entryOf(production.id, 'environment');
    assert.deepEqual(idsIn(ofEnvironment.before.changePermissions.killers), [grantee.id]);
    assert.equal(ofEnvironment.after.changePermissions.killers, undefined);
    assert.equal(ofEnvironment.after.changePermissions.areEditorsRestricted, true);
    assert.equal(new Set(data.map((one: { transactionId: string }) => one.transactionId)).size, 1);

    assert.deepEqual((await api.get(lists)).body.objects, []);
    const stale = { headers: { 'if-match': String(etag) } };
    assert.equal((await api.put(`/workspaces/${id}/access`, { ownersEdit: true }, stale)).status, 412);
  }
});

test('lists that are not in use, and projects that the caller cannot see, are not named', async () => {
  const [open, hidden] = [await aProject(api), await aProject(api)];
  const [group, member] = [await aGroup(), await aPerson(api)];
  await setAccess(open, { edit: { restricted: false, grantees: [group] } });
  await setAccess(hidden, { view: { restricted: true, grantees: [administrators, group] } });
  const lists = `${account('/access/lists')}?type=group&id=${group.id}`;
  assert.deepEqual(
    (await api.get(lists)).body.objects.map((one: { project: { id: string } }) => one.project.id),
    [hidden.id],
  );
  const { body } = await api.get(lists, member.signedIn);
  assert.deepEqual([body.objects, body.totalCount], [[], 0]);
});

test('a refusal for a missing role says which permission is missing and who can grant it', async () => {
  const project = await aProject(api);
  const member = await aPerson(api);
  const ask = `Ask an administrator, for example ${administrator.name}.`;
  const asPerson = await api.post('/groups', { name: 'x' }, member.signedIn);
  refused(asPerson, 403, 'Role is insufficient');
  assert.equal(asPerson.body.details, `Only administrators can do this: it needs the permission group.write. ${ask}`);
  const viewer = await api.key({ name: 'ci', roles: ['API_FEATURE_FLAG_VIEWER'] });
  const asKey = await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: 'x' }, { as: viewer });
  refused(asKey, 403, 'Role is insufficient');
  const another = 'Ask an administrator for another key: the roles and the scope of a key cannot be changed.';
  assert.equal(
    asKey.body.details,
    `The key ci lacks the permission flag.write, which these roles have: API_ALL_GRANTED, API_FEATURE_FLAG_EDITOR. ${another}`,
  );
  const ofProject = await api.key({ name: 'ci', scope: { kind: 'project', projectId: project.id } });
  const tooNarrow = await api.post('/groups', { name: 'x' }, { as: ofProject });
  refused(tooNarrow, 403, 'Role is insufficient');
  assert.equal(
    tooNarrow.body.details,
    `This needs a key for the whole account; the key ci is limited to a project. ${another}`,
  );
});

test('a patch of change permissions reaches nothing else, and refuses what is misspelled or does not exist', async () => {
  const project = await aProject(api);
  const { production, staging } = project;
  const [group, person] = [await aGroup(), await aPerson(api)];
  const path = `/environments/ws/${project.id}/${production.id}`;
  await inProduction(project, { editors: { restricted: true, grantees: [group] }, killers: [user(person)] });
  const lists = async () => (await api.get(`/workspaces/${project.id}/access`)).body;
  const before = await lists();
  const at = '/changePermissions';
  const patches: Record<string, unknown>[] = [
    { op: 'replace', path: `${at}/areEditorRestricted`, value: false },
    { op: 'add', path: `${at}/editorz`, value: [] },
    { op: 'add', path: `${at}/editors/9`, value: group },
    { op: 'add', path: `${at}/editors/-1`, value: group },
    { op: 'add', path: `${at}/editors/00`, value: group },
    { op: 'remove', path: `${at}/editors/length` },
    { op: 'add', path: `${at}/__proto__/areEditorsRestricted`, value: false },
    { op: 'add', path: `${at}/constructor/prototype/restricted`, value: false },
    { op: 'replace', path: `${at}/~1editors`, value: [] },
    { op: 'replace', path: `${at}~1editors`, value: [] },
    { op: 'replace', path: `${at}//editors`, value: [] },
    { op: 'replace', path: `${at}/areEditorsRestricted`, value: null },
    { op: 'replace', path: `${at}/areEditorsRestricted`, value: 0 },
    { op: 'replace', path: `${at}/editors`, value: group },
    { op: 'replace', path: `${at}/editors/0/type`, value: 'user' },
    { op: 'replace', path: `${at}/editors/0/id`, value: administrators.id.slice(1) },
    { op: 'replace', path: `${at}/editors/0`, value: { id: group.id } },
    { op: 'add', path: `${at}/editors/-`, value: null },
    { op: 'replace', path: '/projectId', value: 'other' },
    { op: 'move', from: '/id', path: '/name' },
    { op: 'copy', from: at, path: `${at}/editors/0` },
    { op: 'move', from: at, path: `${at}/editors` },
    { op: 'replace', path: '', value: {} },
  ];
  const recorded = await api.recorded(async () => {
    for (const one of patches) {
      const { status, text } = await api.patch(path, [one]);
      assert.equal(status, 400, `${JSON.stringify(one)} ${text}`);
      // All or nothing: an effective operation before it is not applied either.
      const opened = { op: 'replace', path: `${at}/areEditorsRestricted`, value: false };
      assert.equal((await api.patch(path, [opened, one])).status, 400, JSON.stringify(one));
    }
  });
  assert.deepEqual(recorded, []);
  assert.deepEqual(await lists(), before);
  const moved = await api.patch(path, [{ op: 'move', from: `${at}/editors/0`, path: `${at}/killers/-` }]);
  assert.equal(moved.status, 200, moved.text);
  const [one, other] = (await lists()).environments.toSorted((a: { id: string }) => (a.id === staging.id ? -1 : 1));
  assert.deepEqual([one.editors.restricted, one.killers], [false, []], 'the other environment is as it was');
  assert.deepEqual(other.editors, { restricted: true, grantees: [] });
  assert.deepEqual(
    other.killers.map(({ id }: { id: string }) => id),
    [person.id, group.id],
  );
});

test('an entry whose group a node of the previous release deleted is ignored', async () => {
  const project = await aProject(api);
  const group = await aGroup();
  await inProduction(project, { killers: [group, user(administrator)] });
  await api.store.write((tx) => tx.run(sql`delete from groups where id = ${group.id}`));
  const { body } = await api.get(`/workspaces/${project.id}/access`);
  const killers = body.environments.flatMap((one: { killers: { id: string }[] }) => one.killers);
  assert.deepEqual(killers, [{ id: administrator.id, name: administrator.name, type: 'user' }]);
  await inProduction(project, { killers });
});

test('people can ask what they may do and why; about others, only those who can change it can ask', async () => {
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
      reason: 'Can edit this project: through the group Checkout.',
    });
    assert.deepEqual(environments[1].define, {
      may: false,
      reason: 'Only administrators can edit definitions in production.',
    });
    assert.deepEqual(environments[1].kill, { may: true, reason: 'Listed by name.' });
  }
  await inProduction(project, { approvals: { required: true } });
  const [{ environments: guarded }] = (await api.get(path, person.signedIn)).body.objects;
  assert.deepEqual(guarded[1].kill, {
    may: true,
    reason: 'Listed by name. Someone else must approve.',
    withApproval: true,
  });
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
