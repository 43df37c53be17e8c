import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, aSetName, type ProjectFixture } from '../support/build.ts';

const api = await startApi();
const sets = '/internal/api/v3/flag-sets';

async function aFlagSet(project: { id: string }, name = aSetName()) {
  const { status, body } = await api.post(sets, { name, workspace: { id: project.id } });
  assert.equal(status, 200);
  return body as { id: string; name: string };
}

const link = ({ id }: { id: string }) => ({ id, type: 'flag_set' });
const listed = async (project: { id: string }) => (await api.get(`${sets}?workspace_id=${project.id}`)).body;

test('a flag set is created, read, listed and recorded', async () => {
  const project = await aProject(api);
  const name = aSetName();
  const actions = await api.recorded(async () => {
    const workspace = { id: project.id, type: 'WORKSPACE' };
    const created = await api.post(sets, { name, description: 'for the apps', workspace });
    assert.equal(created.status, 200);
    const { id, createdAt } = created.body;
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000Z$/);
    assert.deepEqual(created.body, {
      id,
      name,
      description: 'for the apps',
      workspace: { id: project.id, type: 'workspace' },
      createdAt,
      type: 'flag_set',
    });
    assert.deepEqual((await api.get(`${sets}/${id}`)).body, created.body);
    const data = [created.body];
    const page = { data, nextMarker: null, previousMarker: null, limit: 50, count: 1, objects: data };
    assert.deepEqual(await listed(project), page);
  });
  assert.deepEqual(actions, ['flag_set.created']);
  const { object, workspaceId } = await api.lastChange();
  assert.deepEqual([object.type, object.name, workspaceId], ['flag_set', name, project.id]);
});

test('both prefixes answer the same, with the same keys, and so do their errors', async () => {
  const project = await aProject(api);
  const flagSet = await aFlagSet(project);
  const ask = (url: string, key = api.adminKey) =>
    api.app.inject({ url, headers: { authorization: `Bearer ${key}`, accept: 'text/html' } });
  for (const path of [`?workspace_id=${project.id}`, `/${flagSet.id}`, `/?workspace_id=${project.name}`]) {
    const [one, other] = [await ask(sets + path), await ask(`/api/v3/flag-sets${path}`)];
    assert.equal(other.statusCode, 200);
    assert.equal(other.body, one.body);
  }
  for (const [path, status] of [
    ['/flag-sets/none', 404],
    ['/flag-sets', 400],
    ['/nonsense', 404],
  ] as const) {
    const { statusCode, headers } = await ask(`/api/v3${path}`);
    assert.deepEqual([statusCode, headers['content-type']], [status, 'application/json; charset=utf-8'], path);
  }
  assert.equal((await ask(`/api/v3/flag-sets?workspace_id=${project.id}`, 'no-key-of-ours-at-all')).statusCode, 401);
  const viewer = await api.key({ roles: ['API_FEATURE_FLAG_VIEWER'] });
  const created = await api.app.inject({
    method: 'POST',
    url: '/api/v3/flag-sets',
    headers: { 'x-api-key': viewer },
    payload: { name: aSetName(), workspace: { id: project.id } },
  });
  assert.equal(created.statusCode, 403);
});

test('a name of a flag set has lower-case letters, digits and _, and exists once in a project', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  const actions = await api.recorded(async () => {
    for (const name of ['', '_a', 'A', 'a-b', 'a b', 'é', 'a'.repeat(51), 7]) {
      refused(await api.post(sets, { name, workspace: { id: project.id } }), 400, /^name must/);
    }
    refused(await api.post(sets, { name: 'a' }), 400, 'workspace is required');
    refused(await api.post(sets, { name: 'a', workspace: { id: 'none' } }), 404, 'Could not find project none');
  });
  assert.deepEqual(actions, []);
  for (const name of ['0', 'a_1', 'a'.repeat(50)]) await aFlagSet(project, name);
  refused(await api.post(sets, { name: '0', workspace: { id: project.id } }), 409, 'Flag set 0 already exists');
  await aFlagSet(other, '0');
});

test('the list is paged by markers, in order of creation', async () => {
  const project = await aProject(api);
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.push((await aFlagSet(project)).id);
  const page = async (query: string) => (await api.get(`${sets}?workspace_id=${project.id}&limit=2${query}`)).body;
  const seen: string[] = [];
  let after = '';
  do {
    const { objects, nextMarker, limit } = await page(after);
    assert.equal(limit, 2);
    seen.push(...objects.map(({ id }: { id: string }) => id));
    after = nextMarker === null ? '' : `&after=${nextMarker}`;
  } while (after !== '');
  assert.deepEqual(seen, ids);
  const second = await page(`&after=${(await page('')).nextMarker}`);
  assert.deepEqual(await page(`&before=${second.previousMarker}`), await page(''));
  assert.equal((await api.get(`${sets}?workspace_id=${project.id}&limit=900`)).body.limit, 200);
  refused(await api.get(sets), 400, 'workspace_id is required');
});

test('a definition names flag sets by id or by name, and answers their ids', async () => {
  const project = await aProject(api);
  const [one, two] = [await aFlagSet(project), await aFlagSet(project)];
  const { path, definition } = await aDefinedFlag(api, project);
  assert.equal('flagSets' in definition, false);
  const ways = [
    [link(one), { id: two.id, type: 'FlagSet' }],
    [one.id, two.name],
    [{ name: one.name }, { id: two.name }],
  ];
  for (const flagSets of ways) {
    await api.put(path, aDefinition());
    const actions = await api.recorded(async () => {
      const { status, body } = await api.put(path, aDefinition({ flagSets }));
      assert.equal(status, 200);
      assert.deepEqual(body.flagSets, [link(one), link(two)]);
      assert.deepEqual((await api.get(path)).body, body);
      assert.deepEqual((await api.put(path, body)).body, body);
    });
    assert.deepEqual(actions, ['definition.replaced']);
  }
  const twice = await api.put(path, aDefinition({ flagSets: [one.id, one.name] }));
  assert.deepEqual(twice.body.flagSets, [link(one)]);
  for (const flagSets of [[], null, undefined]) {
    assert.equal('flagSets' in (await api.put(path, aDefinition({ flagSets }))).body, false);
  }
  const created = await aDefinedFlag(api, project, { flagSets: [two.name] });
  assert.deepEqual((created.definition as { flagSets?: unknown }).flagSets, [link(two)]);
  const { flag } = created;
  const expanded = (await api.get(`/splits/ws/${project.id}/${flag.name}?expand=definitions`)).body.definitions[0];
  assert.deepEqual(expanded.flagSets, [link(two)]);
});

test('a patch adds, replaces, tests and removes flag sets', async () => {
  const project = await aProject(api);
  const [one, two] = [await aFlagSet(project), await aFlagSet(project)];
  const { path } = await aDefinedFlag(api, project);
  const patched = async (...operations: object[]) => {
    const { status, body, text } = await api.patch(path, operations);
    assert.equal(status, 200, text);
    return body.flagSets;
  };
  assert.deepEqual(await patched({ op: 'add', path: '/flagSets/-', value: one.name }), [link(one)]);
  assert.deepEqual(await patched({ op: 'add', path: '/flagSets/0', value: { id: two.id } }), [link(two), link(one)]);
  assert.deepEqual(await patched({ op: 'test', path: '/flagSets/0/id', value: two.id }), [link(two), link(one)]);
  assert.deepEqual(await patched({ op: 'remove', path: '/flagSets/0' }), [link(one)]);
  assert.deepEqual(await patched({ op: 'replace', path: '/flagSets', value: [two.id] }), [link(two)]);
  assert.equal(await patched({ op: 'remove', path: '/flagSets' }), undefined);
  refused(
    await api.patch(path, [{ op: 'add', path: '/flagSets/-', value: 'none' }]),
    400,
    'flagSets/0 none is not a flag set of the project',
  );
});

test('flag sets that the project does not have are refused with their place', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  const [mine, foreign] = [await aFlagSet(project), await aFlagSet(other)];
  const { path } = await aDefinedFlag(api, project);
  const undefinedFlag = await aFlag(api, project);
  const create = `/splits/ws/${project.id}/${undefinedFlag.name}/environments/${project.staging.id}`;
  const actions = await api.recorded(async () => {
    for (const word of [foreign.id, foreign.name, 'none']) {
      const body = aDefinition({ flagSets: [mine.id, word] });
      const message = `flagSets/1 ${word} is not a flag set of the project`;
      refused(await api.put(path, body), 400, message);
      refused(await api.post(create, body), 400, message);
    }
    refused(await api.put(path, aDefinition({ flagSets: 'mine' })), 400, 'flagSets must be array');
    refused(await api.put(path, aDefinition({ flagSets: [{}] })), 400, 'flagSets/0/id must be string');
    refused(await api.put(path, aDefinition({ flagSets: [7] })), 400, 'flagSets/0 must be object');
    const many = Array.from({ length: 101 }, (_, index) => `s${index}`);
    refused(await api.put(path, aDefinition({ flagSets: many })), 400, /^flagSets must not have more than 100 items/);
  });
  assert.deepEqual(actions, []);
});

test('killing and restoring leave the flag sets as they are', async () => {
  const project = await aProject(api);
  const one = await aFlagSet(project);
  const { path } = await aDefinedFlag(api, project, { flagSets: [one.id] });
  for (const verb of ['kill', 'restore']) {
    assert.deepEqual((await api.put(`${path}/${verb}`)).body.flagSets, [link(one)]);
  }
});

/** A flag that both environments of the project have, in these sets. */
async function definedTwice(project: ProjectFixture, flagSets: readonly string[]) {
  const { flag, path } = await aDefinedFlag(api, project, { flagSets });
  const production = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  await api.post(production, aDefinition({ flagSets }));
  return { flag, staging: path, production };
}

test('a flag set lists its flags; deleted, it leaves the definitions that name it, each with an entry and a new ETag', async () => {
  const project = await aProject(api);
  const [gone, kept] = [await aFlagSet(project), await aFlagSet(project)];
  const both = await definedTwice(project, [gone.id, kept.id]);
  const { path: only } = await aDefinedFlag(api, project, { flagSets: [gone.id] });
  const { path: other } = await aDefinedFlag(api, project, { flagSets: [kept.id] });
  const paths = [both.staging, both.production, only];
  const inside = async () => {
    const { objects, totalCount } = (await api.get(`${sets}/${gone.id}/flags?limit=2`)).body;
    return [objects.map(({ environment: { name } }: { environment: { name: string } }) => name), totalCount];
  };
  assert.deepEqual(await inside(), [['staging', 'staging'], 3]);
  const before = await Promise.all([...paths, other].map((path) => api.get(path)));
  const actions = await api.recorded(async () => {
    assert.equal((await api.delete(`${sets}/${gone.id}`)).text, 'true');
  });
  assert.deepEqual(actions.sort(), [...paths.map(() => 'definition.patched'), 'flag_set.deleted']);
  const after = await Promise.all([...paths, other].map((path) => api.get(path)));
  assert.deepEqual(
    after.map(({ body }) => body.flagSets),
    [[link(kept)], [link(kept)], undefined, [link(kept)]],
  );
  const changed = after.map(({ headers }, index) => headers.etag !== before[index]?.headers.etag);
  assert.deepEqual(changed, [true, true, true, false]);
  const { body: entries } = await api.get(`/auditLogs?workspaceId=${project.id}&limit=4`);
  assert.equal(new Set(entries.data.map((entry: { transactionId: string }) => entry.transactionId)).size, 1);
  refused(await api.delete(`${sets}/${gone.id}`), 404, `Could not find flag set ${gone.id}`);
  refused(await api.get(`${sets}/${gone.id}`), 404, `Could not find flag set ${gone.id}`);
  // Its name is free again, and the definitions can be edited.
  await aFlagSet(project, gone.name);
  assert.equal((await api.put(`${only}/kill`)).status, 200);
});

test('a set that several hundred definitions name is deleted, each with its own change number', async () => {
  const project = await aProject(api);
  const flagSet = await aFlagSet(project);
  const paths: string[] = [];
  for (let count = 0; count < 250; count += 1) {
    paths.push((await aDefinedFlag(api, project, { flagSets: [flagSet.id] })).path);
  }
  assert.equal((await api.delete(`${sets}/${flagSet.id}`)).status, 200);
  const answers = await Promise.all(paths.map((path) => api.get(path)));
  assert.ok(answers.every(({ body }) => body.flagSets === undefined));
  assert.equal(new Set(answers.map(({ headers }) => headers.etag)).size, paths.length);
});

test('a set that is deleted while definitions join it leaves nothing behind', async () => {
  const project = await aProject(api);
  const flagSet = await aFlagSet(project);
  const flags = await Promise.all(Array.from({ length: 12 }, () => aDefinedFlag(api, project)));
  const saving = flags.map(({ path }) => api.put(path, aDefinition({ flagSets: [flagSet.id] })));
  const deleting = api.delete(`${sets}/${flagSet.id}`);
  const statuses = (await Promise.all(saving)).map(({ status }) => status);
  assert.equal((await deleting).status, 200);
  assert.ok(
    statuses.every((status) => status === 200 || status === 400),
    statuses.join(),
  );
  for (const { path } of flags) assert.equal('flagSets' in (await api.get(path)).body, false);
});

test('deleting a set takes the right to edit the definitions that name it', async () => {
  const project = await aProject(api);
  const [used, unused] = [await aFlagSet(project), await aFlagSet(project)];
  await aDefinedFlag(api, project, { flagSets: [used.id] });
  const as = await api.key({ roles: ['API_FEATURE_FLAG_EDITOR'] });
  const restricted = await api.put(`/workspaces/${project.id}/access`, {
    environments: [{ id: project.staging.id, editors: { restricted: true, grantees: [] } }],
  });
  assert.equal(restricted.status, 200, restricted.text);
  refused(await api.delete(`${sets}/${used.id}`, { as }), 403, 'Role is insufficient');
  assert.equal((await api.delete(`${sets}/${unused.id}`, { as })).status, 200);
  await api.put(`/workspaces/${project.id}/access`, { edit: { restricted: true, grantees: [] } });
  const body = { name: aSetName(), workspace: { id: project.id } };
  refused(await api.post(sets, body, { as }), 403, 'Role is insufficient');
  assert.equal((await api.delete(`${sets}/${used.id}`)).status, 200);
});

test('a project is deleted with its flag sets', async () => {
  const { body: project } = await api.post('/workspaces', { name: aSetName() });
  const { id } = await aFlagSet(project);
  for (const one of (await api.get(`/trafficTypes/ws/${project.id}`)).body) await api.delete(`/trafficTypes/${one.id}`);
  assert.equal((await api.delete(`/workspaces/${project.id}`)).status, 200);
  refused(await api.get(`${sets}/${id}`), 404, `Could not find flag set ${id}`);
});
