import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import type { Change } from '#domain/changes.ts';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, asAnswered, uniqueName } from '../support/build.ts';

const api = await startApi();

const user = async (project: { id: string }) => (await api.get(`/trafficTypes/ws/${project.id}`)).body[0];
const statuses = async (project: { id: string }) => (await api.get(`/rolloutStatuses?wsId=${project.id}`)).body;
const newFlag = (project: { id: string }) => `/splits/ws/${project.id}/trafficTypes/user`;

/** The attempt leaves neither a change of the project's flags nor an audit entry behind. */
async function changesNothing(project: { id: string }, attempt: () => Promise<unknown>) {
  const before = (await api.get(`/splits/ws/${project.id}`)).text;
  assert.deepEqual(await api.recorded(attempt), []);
  assert.equal((await api.get(`/splits/ws/${project.id}`)).text, before);
}

test('a new flag is Pre-Production, has no tags and is defined nowhere', async () => {
  const project = await aProject(api);
  const [trafficType, [preProduction]] = [await user(project), await statuses(project)];
  const name = uniqueName('flag');
  const actions = await api.recorded(async () => {
    const { status, text, body, headers } = await api.post(`${newFlag(project)}/`, { name, description: 'a flag' });
    assert.equal(status, 200);
    const { id, creationTime } = body;
    const expected = {
      id,
      name,
      description: 'a flag',
      trafficType: { id: trafficType.id, name: 'user' },
      creationTime,
      rolloutStatus: { id: preProduction.id, name: 'Pre-Production' },
      rolloutStatusTimestamp: creationTime,
      tags: null,
    };
    assert.equal(text, JSON.stringify(expected));
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.match(String(headers['x-transaction-id']), /^[0-9a-z]{11}$/);

    const read = await api.get(`/splits/ws/${project.id}/${name}`);
    assert.equal(read.text, JSON.stringify({ ...expected, owners: [] }), 'owners are in GET answers');
    assert.equal(read.headers.etag, headers.etag);
    for (const { id: environment } of [project.staging, project.production]) {
      const definition = await api.get(`/splits/ws/${project.id}/${name}/environments/${environment}`);
      refused(definition, 404, `Could not find splitmetadata ${name}`);
    }
    const change = await api.lastChange();
    assert.deepEqual(change.object, { type: 'flag', id, name });
    assert.deepEqual([change.workspaceId, change.environmentId, change.before], [project.id, undefined, undefined]);
    assert.deepEqual(change.after, { ...expected, owners: [] });
    assert.equal(change.transactionId, headers['x-transaction-id']);
  });
  assert.deepEqual(actions, ['flag.created']);
});

test('the times of a flag are the clock in milliseconds', async (t) => {
  t.after(() => {
    api.clock.now = undefined;
  });
  const project = await aProject(api);
  api.clock.now = 1_650_000_000_123;
  const { body } = await api.post(newFlag(project), { name: uniqueName('flag') });
  assert.deepEqual([body.creationTime, body.rolloutStatusTimestamp], [api.clock.now, api.clock.now]);
});

test('a flag name is a letter, then letters, digits, -, _ and ., 2 to 255 characters', async () => {
  const project = await aProject(api);
  const good = ['ab', 'A1', 'a-b_c.D9', 'a'.repeat(255), 'Set', 'strings', 'integer2'];
  for (const name of good) assert.equal((await api.post(newFlag(project), { name })).body.name, name);
  const bad = ['', 'a', '1a', '-ab', '_ab', '.ab', 'a b', 'a/b', 'a+b', 'äb', 'ab\n', ' ab', 'a'.repeat(256)];
  for (const name of [...bad, 'datetime', 'string', 'set', 'integer', 7, null, ['ab'], undefined]) {
    await changesNothing(project, async () => refused(await api.post(newFlag(project), { name }), 400, /name/));
  }
});

test('a description is optional, up to 2,000 characters, empty when absent', async () => {
  const project = await aProject(api);
  const table = [
    [undefined, ''],
    [null, ''],
    ['', ''],
    ['x'.repeat(2000), 'x'.repeat(2000)],
    ['ü ✓ "quoted"\n', 'ü ✓ "quoted"\n'],
  ] as const;
  for (const [description, expected] of table) {
    const { body } = await api.post(newFlag(project), { name: uniqueName('flag'), description });
    assert.equal(body.description, expected);
  }
  for (const description of ['x'.repeat(2001), 7, ['x']]) {
    await changesNothing(project, async () => {
      refused(await api.post(newFlag(project), { name: uniqueName('flag'), description }), 400, /^description /);
    });
  }
});

test('a body that is no flag is refused and makes none', async () => {
  const project = await aProject(api);
  for (const body of [[], 'flag', null, 7, undefined]) {
    await changesNothing(project, async () => refused(await api.post(newFlag(project), body), 400, /^body /));
  }
  await changesNothing(project, async () => {
    refused(await api.call('POST', newFlag(project), { text: '{"name":' }), 400, /not valid JSON/);
    const large = await api.post(newFlag(project), { name: 'large', description: 'x'.repeat(1_048_576) });
    refused(large, 413, /larger than/);
  });
});

test('in the body of a new flag, members that only the server sets and unknown members are ignored', async () => {
  const project = await aProject(api);
  for (const type of ['text/plain', 'application/json']) {
    const sent = {
      name: uniqueName('flag'),
      id: 'mine',
      trafficType: { id: 'x', name: 'account' },
      creationTime: 1,
      rolloutStatus: { id: 'x', name: 'Ramping' },
      rolloutStatusTimestamp: 1,
      tags: null,
      owners: [{ id: 'x', type: 'user' }],
      unknown: 1,
    };
    const { status, body } = await api.post(newFlag(project), sent, { headers: { 'content-type': type } });
    assert.equal(status, 200);
    assert.notEqual(body.id, 'mine');
    assert.deepEqual([body.trafficType.name, body.rolloutStatus.name], ['user', 'Pre-Production']);
    assert.notEqual(body.creationTime, 1);
    assert.deepEqual((await api.get(`/splits/ws/${project.id}/${sent.name}`)).body.owners, []);
  }
});

test('an unknown traffic type is not found', async () => {
  const project = await aProject(api);
  await changesNothing(project, async () => {
    const answer = await api.post(`/splits/ws/${project.id}/trafficTypes/absent/`, { name: 'flag' });
    refused(answer, 404, 'Could not find traffic type absent');
  });
});

test('a flag name exists once in a project, compared exactly', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  const { name } = await aFlag(api, project);
  await changesNothing(project, async () => {
    refused(await api.post(newFlag(project), { name }), 409, `Feature flag ${name} already exists`);
  });
  for (const [where, word] of [[project, name.toUpperCase()] as const, [other, name] as const]) {
    assert.equal((await api.post(newFlag(where), { name: word })).status, 200);
  }
});

test('a flag is named by name or id, the name first', async () => {
  const project = await aProject(api);
  const [flag, other] = [await aFlag(api, project), await aFlag(api, project)];
  for (const projectWord of [project.id, project.name]) {
    for (const word of [flag.name, flag.id]) {
      assert.equal((await api.get(`/splits/ws/${projectWord}/${word}`)).body.id, flag.id);
    }
  }
  // No name that the API takes looks like an id.
  await api.store.write((tx) => tx.run(sql`update flags set name = ${flag.id} where id = ${other.id}`));
  assert.equal((await api.get(`/splits/ws/${project.id}/${flag.id}`)).body.id, other.id);
});

test('the path of a flag is percent-decoded, and slashes may be doubled or trail', async () => {
  const project = await aProject(api);
  const { name } = await aFlag(api, project, 'dot.dash-line_end');
  const { text } = await api.get(`/splits/ws/${project.id}/${name}`);
  const paths = [
    `/splits/ws/${project.id}/dot%2Edash%2Dline%5Fend`,
    `/splits/ws/${project.id}/${name}/`,
    `/splits//ws/${project.id}//${name}`,
    `//internal/api/v2/splits/ws/${project.id}/${name}`,
    `/splits/ws/${project.name}/${name}?unknown=parameter`,
  ];
  for (const path of paths) assert.equal((await api.get(path)).text, text, path);
});

test('flags named like parts of paths are reached like any other', async () => {
  const project = await aProject(api);
  for (const name of ['environments', 'trafficTypes', 'kill', 'updateDescription', 'ws']) {
    const { id } = await aFlag(api, project, name);
    const path = `/splits/ws/${project.id}/${name}`;
    assert.equal((await api.get(path)).body.id, id, name);
    const definition = `${path}/environments/${project.staging.id}`;
    assert.equal((await api.post(definition, aDefinition())).body.id, id, name);
    assert.equal((await api.put(`${definition}/kill`)).body.killed, true, name);
  }
});

test('an unknown flag, also one of another project, is not found', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  const foreign = await aFlag(api, other);
  for (const word of ['absent', 'absent+flag', foreign.id, foreign.name]) {
    const path = `/splits/ws/${project.id}/${word}`;
    await changesNothing(other, async () => {
      refused(await api.get(path), 404, `Could not find flag ${word}`);
      refused(await api.patch(path, []), 404, `Could not find flag ${word}`);
      refused(await api.put(`${path}/updateDescription`, 'x'), 404, `Could not find flag ${word}`);
      refused(await api.delete(path), 404, `Could not find flag ${word}`);
    });
  }
});

test('deleting a flag removes it with all its definitions, and nothing else', async () => {
  const project = await aProject(api);
  for (const by of ['name', 'id'] as const) {
    const [{ flag, path: inStaging }, kept] = [await aDefinedFlag(api, project), await aDefinedFlag(api, project)];
    const inProduction = inStaging.replace(project.staging.id, project.production.id);
    await api.post(inProduction, aDefinition());
    const before = (await api.get(`/splits/ws/${project.id}/${flag.name}`)).body;
    const definitions = [(await api.get(inStaging)).body, (await api.get(inProduction)).body];
    const actions = await api.recorded(async () => {
      const request = { text: '', headers: { 'content-type': 'application/json' } };
      const { status, text } = await api.call('DELETE', `/splits/ws/${project.id}/${flag[by]}`, request);
      assert.deepEqual([status, text], [200, 'true']);
    });
    assert.deepEqual(actions, ['definition.deleted', 'definition.deleted', 'flag.deleted']);
    const [change, ...others] = (await api.get(`/auditLogs?limit=3&objectId=${flag.id}`)).body.data as Change[];
    assert.deepEqual([change?.object.type, change?.before, change?.after], ['flag', before, undefined]);
    assert.deepEqual(
      others.toReversed().map((other) => asAnswered(other.before)),
      definitions,
    );
    for (const other of others) {
      assert.deepEqual([other.object.type, other.after], ['definition', undefined]);
      assert.equal(other.transactionId, change?.transactionId);
    }
    for (const path of [inStaging, inProduction]) {
      refused(await api.get(path), 404, `Could not find splitmetadata ${flag.name}`);
    }
    refused(await api.delete(`/splits/ws/${project.id}/${flag.name}`), 404, `Could not find flag ${flag.name}`);
    assert.equal((await api.get(kept.path)).status, 200);

    const again = await aFlag(api, project, flag.name);
    assert.notEqual(again.id, flag.id);
    refused(await api.get(inStaging), 404, `Could not find splitmetadata ${flag.name}`);
  }
});

test('a body on GET or DELETE is ignored', async () => {
  const project = await aProject(api);
  const { name } = await aFlag(api, project);
  const path = `/splits/ws/${project.id}/${name}`;
  for (const type of [undefined, 'application/json']) {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    assert.equal((await api.call('GET', path, { text: '', headers })).status, 200);
    assert.equal((await api.call('GET', path, { text: '{"not json', headers })).status, 200);
  }
  const deleted = await api.call('DELETE', path, {
    text: '{"not json',
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(deleted.text, 'true');
});

test('a flag has no PUT and no POST of its own', async () => {
  const project = await aProject(api);
  const { name } = await aFlag(api, project);
  for (const method of ['PUT', 'POST'] as const) {
    const answer = await api.call(method, `/splits/ws/${project.id}/${name}`, { body: {} });
    refused(answer, 405, new RegExp(method));
    const allowed = String(answer.headers.allow).split(', ');
    assert.ok(
      ['GET', 'PATCH', 'DELETE'].every((known) => allowed.includes(known)),
      String(allowed),
    );
  }
});

test('If-Match cannot hold for a flag that is not there yet', async () => {
  const project = await aProject(api);
  const actions = await api.recorded(async () => {
    const headers = { 'if-match': '*' };
    refused(
      await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: uniqueName('flag') }, { headers }),
      412,
      /If-Match/,
    );
  });
  assert.deepEqual(actions, []);
});

test('a flag is duplicated whole, with other seeds unless the same are asked for, or not at all', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const ofFlag = `/splits/ws/${project.id}/${flag.name}`;
  await api.post(`${ofFlag}/environments/${project.production.id}`, aDefinition());
  await api.put(`${path}/kill`);
  await api.patch(ofFlag, [{ op: 'add', path: '/tags/-', value: { name: 'payments' } }]);
  type Copied = { environment: { name: string }; killed: boolean; seed: number; trafficAllocationSeed: number };
  const read = async (name: string) => {
    const { body } = await api.get(`/splits/ws/${project.id}/${name}?expand=definitions`);
    const definitions = body.definitions as Copied[];
    return {
      tags: body.tags,
      changeCount: body.changeCount,
      places: definitions.map((one) => [one.environment.name, one.killed]),
      seeds: definitions.map((one) => [one.seed, one.trafficAllocationSeed]),
    };
  };
  const before = await read(flag.name);
  const name = uniqueName('copy');
  const query = '?title=Again&comment=why';
  const actions = await api.recorded(async () => {
    const { status, body } = await api.post(`${ofFlag}/duplicate${query}`, { name });
    assert.deepEqual([status, body.name, body.trafficType.name], [200, name, 'user']);
    assert.notEqual(body.id, flag.id);
  });
  assert.deepEqual(actions.sort(), ['definition.created', 'definition.created', 'flag.created']);
  const copy = await read(name);
  assert.deepEqual([copy.places, copy.tags, copy.changeCount], [before.places, [{ name: 'payments' }], 3]);
  assert.deepEqual(
    copy.seeds.flat().filter((seed) => before.seeds.flat().includes(seed)),
    [],
  );

  const twin = uniqueName('twin');
  const wanted = { name: twin, environments: [project.staging.name], tags: false, sameSeeds: true };
  assert.equal((await api.post(`${ofFlag}/duplicate`, wanted)).status, 200);
  const { seeds, tags, places } = await read(twin);
  const at = before.places.findIndex(([place]) => place === project.staging.name);
  assert.deepEqual([seeds, tags, places], [[before.seeds[at]], null, [before.places[at]]]);

  const as = await api.key({ roles: ['API_FEATURE_FLAG_EDITOR'], scope: { kind: 'project', projectId: project.id } });
  const editors = { restricted: true, grantees: [] };
  await api.put(`/workspaces/${project.id}/access`, { environments: [{ id: project.production.id, editors }] });
  await changesNothing(project, async () => {
    refused(await api.post(`${ofFlag}/duplicate`, { name }), 409, `Feature flag ${name} already exists`);
    const nowhere = { name: uniqueName('copy'), environments: ['nowhere'] };
    refused(await api.post(`${ofFlag}/duplicate`, nowhere), 400, /not an environment of the project/);
    const refusal = await api.post(`${ofFlag}/duplicate`, { name: uniqueName('copy') }, { as });
    assert.equal(refusal.status, 403, refusal.text);
  });
});
