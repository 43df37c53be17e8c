import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import type { Role } from '#domain/access.ts';
import { lacks, refused, startApi } from '../support/app.ts';
import {
  aDefinedFlag,
  aDefinition,
  aFlag,
  aFullProject,
  aProject,
  aSetName,
  copiesOfFlag,
  uniqueName,
} from '../support/build.ts';

const api = await startApi();

const copyOf = (project: { id: string }, body: object) => api.post(`/workspaces/${project.id}/copy`, body);
const environmentsOf = async (id: string) => (await api.get(`/environments/ws/${id}?sort=position`)).body;

test('a copy has the environments and statuses in their order, the lists, traffic types, attributes and flag sets, but no keys', async () => {
  const project = await aFullProject(api);
  const { id, staging, production } = project;
  const { body: groups } = await api.get('/groups');
  const group = { type: 'group', id: groups.objects[0].id };
  await api.key({});
  const { body: keys } = await api.get('/apiKeys?limit=200');
  const key = { type: 'api_key', id: keys.objects.at(-1).id };
  await api.patch(`/workspaces/${id}`, [{ op: 'replace', path: '/requiresTitleAndComments', value: true }]);
  await api.post(`/environments/ws/${id}/${production.id}/move`, { before: staging.id });
  const editors = { restricted: true, grantees: [group, key] };
  const approvals = { required: true };
  const access = await api.put(`/workspaces/${id}/access`, {
    edit: editors,
    environments: [{ id: production.id, editors, approvals }],
  });
  assert.equal(access.status, 200, access.text);

  const statuses = `/rolloutStatuses/ws/${id}`;
  const { body: own } = await api.post(statuses, { name: 'Waiting for legal', permanent: true });
  await api.post(`${statuses}/${own.id}/move`, { before: (await api.get(statuses)).body[0].id });
  const statusesOf = async (of: string) =>
    (await api.get(`/rolloutStatuses/ws/${of}?expand=uses`)).body.map(
      (status: { name: string; description: string; permanent: boolean }) => [
        status.name,
        status.description,
        status.permanent,
      ],
    );

  const name = uniqueName('copy');
  const actions = await api.recorded(async () => {
    const { status, text, body } = await copyOf(project, { name });
    assert.equal(status, 200, text);
    assert.deepEqual(body, { name, type: 'workspace', id: body.id, requiresTitleAndComments: true });
  });
  assert.deepEqual(actions.toSorted(), [
    'attribute.created',
    'environment.created',
    'environment.created',
    'flag_set.created',
    'restriction.replaced',
    'trafficType.created',
    'workspace.created',
  ]);
  const [{ id: copy }] = (await api.get(`/workspaces?name=${name}`)).body.objects;
  assert.deepEqual(
    (await environmentsOf(copy)).map((one: { name: string; production: boolean }) => [one.name, one.production]),
    (await environmentsOf(id)).map((one: { name: string; production: boolean }) => [one.name, one.production]),
  );
  assert.deepEqual(await statusesOf(copy), await statusesOf(id));
  assert.deepEqual((await statusesOf(copy))[0], ['Waiting for legal', '', true]);
  const { body: lists } = await api.get(`/workspaces/${copy}/access`);
  const granted = (circle: { restricted: boolean; grantees: { id: string }[] }) => [
    circle.restricted,
    circle.grantees.map((grantee) => grantee.id),
  ];
  assert.deepEqual(granted(lists.edit), [true, [group.id]]);
  assert.deepEqual(granted(lists.environments[0].editors), [true, [group.id]]);
  assert.equal(lists.environments[0].approvals.required, true);
  const [trafficType] = (await api.get(`/trafficTypes/ws/${copy}`)).body;
  assert.equal(trafficType.name, 'user');
  const { body: attributes } = await api.get(`/schema/ws/${copy}/trafficTypes/${trafficType.id}`);
  assert.deepEqual(
    attributes.map((attribute: { id: string }) => attribute.id),
    ['plan'],
  );
  assert.equal((await api.get(`/internal/api/v3/flag-sets?workspace_id=${copy}`)).body.data.length, 1);
  assert.equal((await api.get(`/splits/ws/${copy}`)).body.totalCount, 0);
  const ofCopy = (await api.get('/apiKeys?limit=200')).body.objects.filter(
    ({ workspace }: { workspace?: { id: string } }) => workspace?.id === copy,
  );
  assert.deepEqual(ofCopy, []);
});

test('flags are copied on request, with what they depend on, killed or not, and with seeds of their own', async () => {
  const project = await aProject(api);
  const { id, staging } = project;
  const { body: set } = await api.post('/internal/api/v3/flag-sets', { name: aSetName(), workspace: { id } });
  const needed = await aFlag(api, project);
  const rule = {
    buckets: [{ treatment: 'on', size: 100 }],
    condition: { matchers: [{ type: 'IN_SPLIT', depends: { splitName: needed.name, treatments: ['on'] } }] },
  };
  const { flag, path } = await aDefinedFlag(api, project, { rules: [rule], flagSets: [{ id: set.id }] });
  await api.post(`/splits/ws/${id}/${needed.name}/environments/${staging.id}`, aDefinition());
  await api.post(`/tags/ws/${id}/object/${flag.name}/objecttype/Split`, ['beta']);
  await api.put(`${path}/kill`);
  // The copy requires them too, but not for what it starts with.
  await api.patch(`/environments/ws/${id}/${staging.id}`, [
    { op: 'replace', path: '/changePermissions/areApprovalsRequired', value: true },
  ]);
  const archived = await aFlag(api, project);
  await api.post(`/splits/ws/${id}/${archived.name}/archive`);

  const { status, text, body: copy } = await copyOf(project, { name: uniqueName('copy'), flags: true });
  assert.equal(status, 200, text);
  const { body: flags } = await api.get(`/splits/ws/${copy.id}`);
  assert.deepEqual(
    flags.objects.map((one: { name: string }) => one.name),
    [needed.name, flag.name],
  );
  const { body: original } = await api.get(`/splits/ws/${id}/${flag.name}`);
  const { body: copied } = await api.get(`/splits/ws/${copy.id}/${flag.name}`);
  assert.notEqual(copied.id, original.id);
  assert.deepEqual([copied.tags, copied.owners], [original.tags, original.owners]);
  assert.equal(copied.rolloutStatus.name, original.rolloutStatus.name);
  const { body: definition } = await api.get(path);
  const { body: copiedDefinition } = await api.get(`/splits/ws/${copy.id}/${flag.name}/environments/${staging.name}`);
  assert.equal(copiedDefinition.killed, true);
  assert.deepEqual(
    [copiedDefinition.treatments, copiedDefinition.rules, copiedDefinition.defaultRule],
    [definition.treatments, definition.rules, definition.defaultRule],
  );
  const { body: sets } = await api.get(`/internal/api/v3/flag-sets?workspace_id=${copy.id}`);
  assert.deepEqual(copiedDefinition.flagSets, [{ id: sets.data[0].id, type: 'flag_set' }]);
  const seedOf = async (flagId: string) =>
    (await api.store.one<{ seed: number }>(sql`select seed from definitions where flag_id = ${flagId}`))?.seed;
  assert.notEqual(await seedOf(copied.id), await seedOf(flag.id));
  const { body: dependents } = await api.get(`/splits/ws/${copy.id}/${needed.name}/dependents`);
  assert.equal(dependents.objects.length, 1);
});

test('a key copies flags only if it can read and create them', async () => {
  const project = await aProject(api);
  await aDefinedFlag(api, project);
  const copyAs = async (roles: readonly Role[], flags: boolean) =>
    api.post(`/workspaces/${project.id}/copy`, { name: uniqueName('copy'), flags }, { as: await api.key({ roles }) });
  lacks(await copyAs(['API_ADMIN'], true), 'flag.read');
  lacks(await copyAs(['API_ADMIN', 'API_FEATURE_FLAG_VIEWER'], true), 'flag.write');
  assert.equal((await copyAs(['API_ADMIN', 'API_FEATURE_FLAG_EDITOR'], true)).status, 200);
  assert.equal((await copyAs(['API_ADMIN'], false)).status, 200);
});

test('a copy is no more open than new projects are, and keeps the lists of its original', async () => {
  for (const newProjects of ['private', 'read-only'] as const) {
    const strict = await startApi({ newProjects });
    const project = await aProject(strict);
    const accessOf = async (id: string) => (await strict.get(`/workspaces/${id}/access`)).body;
    const asNew = await accessOf(project.id);
    const copied = async () => {
      const { body } = await strict.post(`/workspaces/${project.id}/copy`, { name: uniqueName('copy') });
      const { view, edit, ownersEdit } = await accessOf(body.id);
      return { view, edit, ownersEdit };
    };
    const open = { restricted: false, grantees: [] };
    await strict.put(`/workspaces/${project.id}/access`, { view: open, edit: open, ownersEdit: true });
    const ownersEdit = newProjects === 'private';
    assert.deepEqual(await copied(), { view: asNew.view, edit: asNew.edit, ownersEdit });

    const { body: team } = await strict.post('/groups', { name: uniqueName('team') });
    const edit = { restricted: true, grantees: [{ type: 'group', id: team.id }] };
    await strict.put(`/workspaces/${project.id}/access`, { edit });
    const listed = (await copied()).edit.grantees.map(({ id }: { id: string }) => id);
    assert.deepEqual(listed, [team.id]);
  }
});

test('a project with very many flags is copied without them only', async () => {
  const project = await aProject(api);
  await copiesOfFlag(api, await aFlag(api, project), 2_000);
  const name = uniqueName('copy');
  const refusal = await copyOf(project, { name, flags: true });
  refused(refusal, 400, `Project ${project.name} has more than 2000 flags and definitions`);
  assert.equal((await copyOf(project, { name })).status, 200);
});

test('a copy has a name of its own, and a refused one leaves nothing behind', async () => {
  const project = await aProject(api);
  const { totalCount } = (await api.get('/workspaces')).body;
  const actions = await api.recorded(async () => {
    refused(await copyOf(project, { name: project.name }), 409, `Project ${project.name} already exists`);
    refused(await copyOf(project, {}), 400, /name/);
    refused(await copyOf(project, { name: uniqueName('copy'), flags: 'some' }), 400, /^flags /);
    refused(await copyOf({ id: 'nowhere' }, { name: uniqueName('copy') }), 404, /Could not find project/);
  });
  assert.deepEqual(actions, []);
  assert.equal((await api.get('/workspaces')).body.totalCount, totalCount);
});
