import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAccount } from '#store/account.ts';
import { refused, startApi } from '../support/app.ts';
import { aProject } from '../support/build.ts';

const api = await startApi();
const organizationId = (await findAccount(api.store))?.id ?? assert.fail();

/** The identities of users in staging, in a new project. */
async function aPlace() {
  const project = await aProject(api);
  const [trafficType] = (await api.get(`/trafficTypes/ws/${project.id}`)).body as { id: string }[];
  assert.ok(trafficType);
  const pathIn = (environment: string) => `/trafficTypes/${trafficType.id}/environments/${environment}/identities`;
  return { project, trafficTypeId: trafficType.id, pathIn, path: pathIn(project.staging.id) };
}

const keysIn = async (path: string, query = ''): Promise<string[]> =>
  (await api.get(path + query)).body.data.map(({ key }: { key: string }) => key);

test('several identities are saved in one change, with an entry for each, and their values are text', async () => {
  const { project, trafficTypeId, path } = await aPlace();
  const values = { plan: 'team', seats: 12, trial: false, tags: ['a', 'b'], none: null };
  const actions = await api.recorded(async () => {
    const { status, body } = await api.post(path, [{ key: 'ada', values }, { key: 'bob' }]);
    assert.equal(status, 200);
    const place = { organizationId, trafficTypeId, environmentId: project.staging.id };
    const ada = { key: 'ada', ...place, values: { plan: 'team', seats: '12', tags: 'a,b', trial: 'false' } };
    assert.deepEqual(body, {
      objects: [ada, { key: 'bob', ...place, values: {} }],
      failed: [],
      metadata: null,
      offset: null,
      limit: null,
      count: null,
      total: null,
    });
    assert.deepEqual((await api.get(`${path}/ada`)).body, ada);
  });
  assert.deepEqual(actions, ['identity.created', 'identity.created']);
  const { object, workspaceId, environmentId } = await api.lastChange();
  assert.deepEqual([object.type, workspaceId, environmentId], ['identity', project.id, project.staging.id]);
});

test('identities that are wrong are answered with the reason, and the others are saved', async () => {
  const { path } = await aPlace();
  const wrong: [object: unknown, message: string | RegExp][] = [
    [{ values: {} }, 'key is required'],
    [{ key: 7 }, 'key must be text'],
    [{ key: '' }, 'key must be text'],
    [{ key: 'k'.repeat(251) }, 'key must not have more than 250 characters'],
    [{ key: 'a', values: [] }, 'values must be object'],
    [{ key: 'a', values: { plan: {} } }, 'values/plan must be text, a number, a boolean or a list of these'],
    [{ key: 'a', values: { plan: 'x'.repeat(2_001) } }, 'values/plan must not have more than 2000 characters'],
    [{ key: 'a', values: { ['n'.repeat(201)]: 'x' } }, 'values: a name must have 1 to 200 characters'],
    [
      { key: 'a', values: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`a${index}`, 1])) },
      'values must not have more than 100 attributes',
    ],
    [7, 'body must be object'],
    [{ key: 'good', values: { a: 2 } }, 'key good occurs twice'],
  ];
  const actions = await api.recorded(async () => {
    const good = { key: 'good', values: { a: 'x'.repeat(2_000) } };
    const { status, body } = await api.post(path, [good, ...wrong.map(([object]) => object)]);
    assert.equal(status, 200);
    assert.deepEqual(
      body.objects.map(({ key }: { key: string }) => key),
      ['good'],
    );
    assert.deepEqual(
      body.failed,
      wrong.map(([object, message]) => ({ object, status: 400, message })),
    );
  });
  assert.deepEqual(actions, ['identity.created']);
  const nothing = await api.recorded(async () => {
    assert.deepEqual((await api.post(path, [{ key: '' }])).body.objects, []);
    refused(await api.post(path, { key: 'a' }), 400, 'body must be array');
    const many = Array.from({ length: 101 }, (_, index) => ({ key: `k${index}` }));
    refused(await api.post(path, many), 400, 'body must not have more than 100 items: send several requests');
    for (const [object, message] of wrong.slice(4, 8)) refused(await api.put(`${path}/a`, object), 400, message);
  });
  assert.deepEqual(nothing, []);
});

test('an identity has at most 100 attributes and 20,000 characters, also after a patch', async () => {
  const { path } = await aPlace();
  const many = (count: number, value: unknown = 1) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, value]));
  assert.equal((await api.put(`${path}/ada`, { values: many(100) })).status, 200);
  const message = 'values must not have more than 100 attributes';
  refused(await api.put(`${path}/bob`, { values: many(101) }), 400, message);
  refused(await api.patch(`${path}/ada`, { values: { one: 1 } }), 400, message);
  refused(
    await api.put(`${path}/ada`, { values: many(11, 'x'.repeat(2_000)) }),
    400,
    'values must not have more than 20000 characters in all',
  );
});

test('POST and PUT overwrite, PATCH merges in all its spellings, null removes a value', async () => {
  const { path } = await aPlace();
  const valuesOf = async () => (await api.get(`${path}/ada`)).body.values;
  const actions = await api.recorded(async () => {
    await api.put(`${path}/ada`, { key: 'another', values: { plan: 'free', age: 7 } });
    assert.deepEqual(await valuesOf(), { plan: 'free', age: '7' });
    await api.post(path, [{ key: 'ada', values: { plan: 'team' } }]);
    assert.deepEqual(await valuesOf(), { plan: 'team' });
    await api.patch(`${path}/ada`, { values: { age: 8 } });
    assert.deepEqual(await valuesOf(), { plan: 'team', age: '8' });
    await api.patch(path, { key: 'ada', values: { plan: null } });
    assert.deepEqual(await valuesOf(), { age: '8' });
    const { body } = await api.post(`${path}/ada/patch`, { key: 'ada', values: { plan: 'team' } });
    assert.deepEqual(body.values, { age: '8', plan: 'team' });
    // A client that sends a number again changes nothing.
    assert.deepEqual((await api.patch(`${path}/ada`, { values: { age: 8 } })).body, body);
    assert.deepEqual((await api.put(`${path}/ada`, body)).body, body);
  });
  const verbs = ['created', 'replaced', 'patched', 'patched', 'patched'];
  assert.deepEqual(
    actions,
    verbs.map((verb) => `identity.${verb}`),
  );
  assert.equal((await api.patch(`${path}/new`, { values: { a: 1 } })).body.key, 'new');
  refused(await api.patch(path, { values: {} }), 400, 'key is required');
});

test('an identity is deleted by its key, which may have any characters', async () => {
  const { path } = await aPlace();
  const key = 'a/b c+d@example.com%é';
  await api.post(path, [{ key, values: { a: 1 } }]);
  const one = `${path}/${encodeURIComponent(key)}`;
  assert.equal((await api.get(one)).body.key, key);
  const actions = await api.recorded(async () => assert.equal((await api.delete(one)).text, 'true'));
  assert.deepEqual(actions, ['identity.deleted']);
  for (const answer of [await api.get(one), await api.delete(one)]) {
    refused(answer, 404, `Could not find identity ${key}`);
  }
});

test('the list is by key, paged by markers, and found by the beginning of a key', async () => {
  const { path } = await aPlace();
  await api.post(
    path,
    ['b', 'ab', 'a', 'c', 'abc'].map((key) => ({ key })),
  );
  assert.deepEqual(await keysIn(path), ['a', 'ab', 'abc', 'b', 'c']);
  const first = (await api.get(`${path}?limit=2`)).body;
  assert.deepEqual([first.data.length, first.limit, first.count], [2, 2, 2]);
  const second = (await api.get(`${path}?limit=2&after=${first.nextMarker}`)).body;
  assert.deepEqual(
    second.data.map(({ key }: { key: string }) => key),
    ['abc', 'b'],
  );
  assert.deepEqual((await api.get(`${path}?limit=2&before=${second.previousMarker}`)).body.data, first.data);
  assert.deepEqual(await keysIn(path, '?searchPrefix=ab'), ['ab', 'abc']);
  assert.deepEqual(await keysIn(path, '?searchPrefix=%25'), []);
});

test('the environment is named by id or name within the project of the traffic type', async () => {
  const { project, pathIn, path } = await aPlace();
  const other = await aPlace();
  await api.post(pathIn('staging'), [{ key: 'ada' }]);
  assert.deepEqual(await keysIn(path), ['ada']);
  assert.deepEqual(await keysIn(pathIn('production')), []);
  const foreign = other.project.staging.id;
  refused(await api.get(pathIn(foreign)), 404, `Could not find environment ${foreign}`);
  refused(
    await api.get(path.replace(/trafficTypes\/[^/]+/, 'trafficTypes/user')),
    404,
    'Could not find traffic type user',
  );
  const scope = { kind: 'environment', projectId: project.id, environmentIds: [project.staging.id] } as const;
  const as = await api.key({ roles: ['API_WORKSPACE_ADMIN'], scope });
  assert.equal((await api.post(path, [{ key: 'bob' }], { as })).status, 200);
  refused(
    await api.get(pathIn(project.production.id), { as }),
    404,
    `Could not find environment ${project.production.id}`,
  );
});

test('identities go with their environment and their traffic type, which record how many there were', async () => {
  const { project, trafficTypeId, path, pathIn } = await aPlace();
  const several = Array.from({ length: 30 }, (_, index) => ({ key: `k${index}` }));
  await api.post(path, several);
  await api.post(pathIn('production'), several.slice(0, 3));
  const { body } = await api.delete(`/environments/ws/${project.id}/staging`);
  for (const id of /\[(.+)\]/.exec(body.message)?.[1]?.split(', ') ?? []) await api.delete(`/apiKeys/${id}`);
  const deleted = async (target: string, expected: number) => {
    const actions = await api.recorded(async () => assert.equal((await api.delete(target)).status, 200));
    assert.equal(actions.length, 1);
    assert.equal(((await api.lastChange()).before as { identities: number }).identities, expected);
  };
  await deleted(`/environments/ws/${project.id}/staging`, 30);
  await deleted(`/trafficTypes/${trafficTypeId}`, 3);
});

test('patches of one identity that arrive at once are all kept', async () => {
  const { path } = await aPlace();
  const values = Array.from({ length: 20 }, (_, index) => [`a${index}`, String(index)] as const);
  await Promise.all(values.map(([name, value]) => api.patch(`${path}/ada`, { values: { [name]: value } })));
  assert.deepEqual((await api.get(`${path}/ada`)).body.values, Object.fromEntries(values));
});
