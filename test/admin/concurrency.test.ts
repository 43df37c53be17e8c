/** What holds when many write at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

const times = <Result>(count: number, make: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
/** How often each status was answered. */
const statusesOf = (answers: readonly Answer[]) =>
  Object.fromEntries([...Map.groupBy(answers, (answer) => answer.status)].map(([status, all]) => [status, all.length]));

test('two hundred concurrent appends of different keys leave all two hundred', async () => {
  const { path } = await aDefinedFlag(api, await aProject(api));
  const actions = await api.recorded(async () => {
    const answers = await times(200, (index) =>
      api.patch(path, [{ op: 'add', path: `/treatments/${index % 2}/keys/-`, value: `key-${index}` }]),
    );
    assert.deepEqual(statusesOf(answers), { 200: 200 });
    assert.equal(new Set(answers.map((answer) => answer.headers.etag)).size, 200);
    assert.equal(new Set(answers.map((answer) => answer.body.lastUpdateTime)).size, 200);
  });
  assert.deepEqual(actions, Array(200).fill('definition.patched'));
  const [on, off] = (await api.get(path)).body.treatments;
  const expected = (rest: number) =>
    numbers(200)
      .filter((index) => index % 2 === rest)
      .map((index) => `key-${index}`);
  assert.deepEqual(new Set(on.keys), new Set(expected(0)));
  assert.deepEqual(new Set(off.keys), new Set(expected(1)));
  assert.deepEqual([on.keys.length, off.keys.length], [100, 100]);
});

test('the audit entries of concurrent changes follow from each other without a gap', async () => {
  const { flag, path } = await aDefinedFlag(api, await aProject(api));
  await times(30, (index) => api.patch(path, [{ op: 'add', path: '/treatments/0/keys/-', value: `key-${index}` }]));
  const { body } = await api.get(`/auditLogs?objectType=definition&objectId=${flag.id}&limit=200`);
  const changes: { before?: object; after: { lastUpdateTime: number } }[] = body.data;
  assert.equal(changes.length, 31);
  changes.sort((one, other) => one.after.lastUpdateTime - other.after.lastUpdateTime);
  for (const [index, { before }] of changes.entries()) assert.deepEqual(before, changes[index - 1]?.after);
});

test('of fifty concurrent creates one succeeds, the others find the name taken, and one entry is recorded', async () => {
  const project = await aProject(api);
  const [name, flag] = [uniqueName('raced'), await aFlag(api, project)];
  const definition = `/splits/ws/${project.id}/${flag.name}/environments/staging`;
  const table = [
    {
      path: `/splits/ws/${project.id}/trafficTypes/user`,
      body: { name },
      recorded: 'flag.created',
      taken: `Feature flag ${name} already exists`,
    },
    { path: '/groups', body: { name }, recorded: 'group.created', taken: `Group ${name} already exists` },
    {
      path: definition,
      body: aDefinition(),
      recorded: 'definition.created',
      taken: `Definition of ${flag.name} in staging already exists`,
    },
    {
      path: `/environments/ws/${project.id}`,
      body: { name },
      recorded: 'environment.created',
      taken: `Environment ${name} already exists`,
    },
    {
      path: `/trafficTypes/ws/${project.id}`,
      body: { name },
      recorded: 'trafficType.created',
      taken: `Traffic type ${name} already exists`,
    },
    { path: '/workspaces', body: { name }, recorded: 'workspace.created', taken: `Project ${name} already exists` },
  ];
  for (const { path, body, recorded, taken } of table) {
    const actions = await api.recorded(async () => {
      const answers = await times(50, () => api.post(path, body));
      assert.deepEqual(statusesOf(answers), { 200: 1, 409: 49 }, path);
      for (const answer of answers.filter(({ status }) => status === 409)) refused(answer, 409, taken);
    });
    assert.deepEqual(actions, [recorded]);
  }
});

test('of concurrent deletes one succeeds and is recorded, the others get 404', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const table = [
    { path, recorded: 'definition.deleted' },
    // Its only definition is gone by then.
    { path: `/splits/ws/${project.id}/${flag.name}`, recorded: 'flag.deleted' },
  ];
  for (const { path: gone, recorded } of table) {
    const actions = await api.recorded(async () => {
      assert.deepEqual(statusesOf(await times(20, () => api.delete(gone))), { 200: 1, 404: 19 });
    });
    assert.deepEqual(actions, [recorded]);
  }
});

test('of twenty concurrent patches with the same ETag, exactly one succeeds', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const table = [
    { path, member: 'trafficAllocation', values: numbers(20) as unknown[] },
    { path: `/splits/ws/${project.id}/${flag.name}`, member: 'description', values: numbers(20).map(String) },
  ];
  for (const { path: thing, member, values } of table) {
    const headers = { 'if-match': String((await api.get(thing)).headers.etag) };
    const actions = await api.recorded(async () => {
      const answers = await times(20, (index) =>
        api.patch(thing, [{ op: 'replace', path: `/${member}`, value: values[index] }], { headers }),
      );
      assert.deepEqual(statusesOf(answers), { 200: 1, 412: 19 });
      const winner = answers.find(({ status }) => status === 200);
      assert.equal((await api.get(thing)).body[member], winner?.body[member]);
    });
    assert.equal(actions.length, 1);
  }
});

test('a definition that races with the deletion of its flag is gone with it', async () => {
  const project = await aProject(api);
  for (const _ of numbers(10)) {
    const { name } = await aFlag(api, project);
    const flag = `/splits/ws/${project.id}/${name}`;
    const [defined, deleted] = await Promise.all([
      api.post(`${flag}/environments/staging`, aDefinition()),
      api.delete(flag),
    ]);
    assert.ok(defined.status === 200 || defined.status === 404, defined.text);
    assert.equal(deleted.text, 'true');
    assert.equal((await api.get(`${flag}/environments/staging`)).status, 404);
  }
  assert.equal((await api.get(`/splits/ws/${project.id}/environments/staging`)).body.totalCount, 0);
});

test('of two concurrent definitions that would depend on each other, only one is created', async () => {
  const project = await aProject(api);
  const needing = (splitName: string) => {
    const matchers = [{ type: 'IN_SPLIT', depends: { splitName, treatments: ['on'] } }];
    return aDefinition({ rules: [{ buckets: [{ treatment: 'on', size: 100 }], condition: { matchers } }] });
  };
  const [one, other] = [await aFlag(api, project), await aFlag(api, project)];
  const define = (flag: { name: string }, body: unknown) =>
    api.post(`/splits/ws/${project.id}/${flag.name}/environments/staging`, body);
  const answers = await Promise.all([define(one, needing(other.name)), define(other, needing(one.name))]);
  assert.deepEqual(statusesOf(answers), { 200: 1, 400: 1 });
});

test('of a deletion and a concurrent create inside it, one is refused', async () => {
  const project = await aProject(api);
  for (const round of numbers(10)) {
    const { body: trafficType } = await api.post(`/trafficTypes/ws/${project.id}`, { name: uniqueName('kind') });
    const { body: environment } = await api.post(`/environments/ws/${project.id}`, { name: `env-${round}` });
    for (const token of environment.apiTokens) await api.delete(`/apiKeys/${token.id}`);
    const [flag, name] = [await aFlag(api, project), uniqueName('flag')];
    const races = [
      [
        () => api.delete(`/trafficTypes/${trafficType.id}`),
        () => api.post(`/splits/ws/${project.id}/trafficTypes/${trafficType.id}`, { name }),
      ],
      [
        () => api.delete(`/environments/ws/${project.id}/${environment.id}`),
        () => api.post(`/splits/ws/${project.id}/${flag.name}/environments/${environment.id}`, aDefinition()),
      ],
    ] as const;
    for (const [remove, enter] of races) {
      const order = round % 2 === 0 ? [remove(), enter()] : [enter(), remove()];
      const answers = await Promise.all(order);
      const [removed, entered] = round % 2 === 0 ? answers : answers.toReversed();
      const outcome = `${removed?.status} ${entered?.status}`;
      assert.ok(['200 404', '400 200'].includes(outcome), outcome);
    }
  }
});
