import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { refused, startApi } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';

const api = await startApi();

const named = async (name: string) =>
  (await api.get(`/workspaces?nameOp=IS&name=${encodeURIComponent(name)}`)).body.objects;

async function aBareProject(name = uniqueName('project')) {
  const { body } = await api.post('/workspaces', { name });
  return body as { id: string; name: string };
}

/** The attempt leaves neither a change of the project nor an audit entry behind. */
async function changesNothing(name: string, attempt: () => Promise<unknown>) {
  const before = await named(name);
  assert.deepEqual(await api.recorded(attempt), []);
  assert.deepEqual(await named(name), before);
}

test('a project is created without environments, with the traffic type user and ten rollout statuses', async () => {
  const name = uniqueName('project');
  const actions = await api.recorded(async () => {
    const { status, text, body } = await api.post('/workspaces', { name, requiresTitleAndComments: true });
    assert.equal(status, 200);
    assert.equal(text, JSON.stringify({ name, type: 'workspace', id: body.id, requiresTitleAndComments: true }));
  });
  assert.deepEqual(actions, ['workspace.created']);
  const [project] = await named(name);
  const { object, workspaceId, before, after } = await api.lastChange();
  assert.deepEqual(object, { type: 'workspace', id: project.id, name });
  assert.deepEqual({ workspaceId, before, after }, { workspaceId: project.id, before: undefined, after: project });
  assert.deepEqual((await api.get(`/environments/ws/${project.id}`)).body, []);
  const { body: trafficTypes } = await api.get(`/trafficTypes/ws/${project.id}`);
  assert.deepEqual(
    trafficTypes.map((trafficType: { name: string }) => trafficType.name),
    ['user'],
  );
  assert.equal((await api.get(`/rolloutStatuses?wsId=${project.id}`)).body.length, 10);
});

test('a project is created together with environments, which have no keys', async () => {
  const name = uniqueName('project');
  const environments = [{ name: 'Staging' }, { name: 'Production', production: 'true' }];
  const actions = await api.recorded(async () => {
    const { status, text, body } = await api.post('/workspaces', { name, environments });
    assert.equal(status, 200);
    assert.equal(text, JSON.stringify({ name, type: 'workspace', id: body.id, requiresTitleAndComments: false }));
  });
  assert.deepEqual(actions, ['workspace.created', 'environment.created', 'environment.created']);
  const [project] = await named(name);
  const { body } = await api.get(`/environments/ws/${project.id}`);
  assert.deepEqual(
    body.map((one: { name: string; production: boolean }) => [one.name, one.production]),
    [
      ['Staging', false],
      ['Production', true],
    ],
  );
  const { object, workspaceId, environmentId, after } = await api.lastChange();
  assert.deepEqual(object, { type: 'environment', id: body[1].id, name: 'Production' });
  assert.deepEqual([workspaceId, environmentId], [project.id, body[1].id]);
  assert.deepEqual(after, { ...body[1], projectId: project.id, createdAt: (after as { createdAt: number }).createdAt });
  for (const { id } of body) assert.equal((await api.delete(`/environments/ws/${project.id}/${id}`)).status, 200);
});

test('a project is not created if one of its environments cannot be', async () => {
  const name = uniqueName('project');
  const table: [environments: unknown, status: number, message: RegExp][] = [
    [[{ name: 'Staging' }, { name: 'Staging' }], 409, /Environment Staging already exists/],
    [[{ name: '' }], 400, /^environments\/0\/name /],
    [[{ name: 'x'.repeat(21) }], 400, /^environments\/0\/name /],
    [[{ name: 'Staging', production: 'perhaps' }], 400, /^environments\/0\/production /],
    [Array.from({ length: 11 }, (_, index) => ({ name: `e${index}` })), 400, /^environments /],
    ['Staging', 400, /^environments /],
  ];
  const actions = await api.recorded(async () => {
    for (const [environments, status, message] of table) {
      refused(await api.post('/workspaces', { name, environments }), status, message);
    }
  });
  assert.deepEqual(actions, []);
  assert.deepEqual(await named(name), []);
});

test('whether title and comment are required may be absent, a boolean or its text', async () => {
  const table = [
    [undefined, false],
    [true, true],
    [false, false],
    ['true', true],
    ['false', false],
  ] as const;
  for (const [requiresTitleAndComments, expected] of table) {
    const { body } = await api.post('/workspaces', { name: uniqueName('project'), requiresTitleAndComments });
    assert.equal(body.requiresTitleAndComments, expected, String(requiresTitleAndComments));
  }
});

test('a body is read as JSON whatever its content type says', async () => {
  for (const type of [undefined, 'text/plain', 'application/json; charset=utf-8', 'application/octet-stream']) {
    const name = uniqueName('project');
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const { status } = await api.post('/workspaces', { name, unknown: { field: 1 }, id: 'mine' }, { headers });
    assert.equal(status, 200, type);
    assert.notEqual((await named(name))[0].id, 'mine');
  }
});

test('a content type that is not even one does not keep a body from being read', async () => {
  for (const type of ['odd', 'application/', '/json', ';']) {
    const name = uniqueName('project');
    const { status, text } = await api.post('/workspaces', { name }, { headers: { 'content-type': type } });
    assert.equal(status, 200, `${type} ${text}`);
  }
});

test('a project that is not well described is refused and not made', async () => {
  const name = uniqueName('refused');
  const table: [body: unknown, message: RegExp][] = [
    [{}, /name/],
    [{ name: '' }, /^name /],
    [{ name: '   ' }, /^name /],
    [{ name: 'x'.repeat(256) }, /^name /],
    [{ name: 7 }, /^name /],
    [{ name: null }, /^name /],
    [{ name, requiresTitleAndComments: 'yes' }, /^requiresTitleAndComments /],
    [{ name, requiresTitleAndComments: 1 }, /^requiresTitleAndComments /],
    [[{ name }], /^body /],
    [name, /^body /],
    [null, /^body /],
    [undefined, /^body /],
  ];
  const { totalCount } = (await api.get('/workspaces')).body;
  const actions = await api.recorded(async () => {
    for (const [body, message] of table) refused(await api.post('/workspaces', body), 400, message);
    refused(await api.call('POST', '/workspaces', { text: `{"name":"${name}",}` }), 400, /not valid JSON/);
  });
  assert.deepEqual(actions, []);
  assert.equal((await api.get('/workspaces')).body.totalCount, totalCount);
});

test('several complaints are all in the details, one a line, and the first is the message', async () => {
  const { body } = await api.post('/workspaces', { name: 7, requiresTitleAndComments: 7 });
  const lines: string[] = body.details.split('\n');
  assert.equal(body.message, lines[0]);
  assert.deepEqual([...new Set(lines.map((line) => line.split(' ', 1)[0]))], ['name', 'requiresTitleAndComments']);
});

test('a project name exists once', async () => {
  const [{ name }, other] = [await aBareProject(), await aBareProject()];
  await changesNothing(name, async () => {
    refused(await api.post('/workspaces', { name }), 409, `Project ${name} already exists`);
  });
  await changesNothing(other.name, async () => {
    const rename = [{ op: 'replace', path: '/name', value: name }];
    refused(await api.patch(`/workspaces/${other.id}`, rename), 409, `Project ${name} already exists`);
  });
  assert.equal((await api.post('/workspaces', { name: name.toUpperCase() })).status, 200, 'compared exactly');
});

test('a project is patched by id or by name, and recorded with before and after', async () => {
  for (const by of ['id', 'name'] as const) {
    const project = await aBareProject();
    const name = uniqueName('renamed');
    const actions = await api.recorded(async () => {
      const { status, text } = await api.patch(`/workspaces/${project[by]}`, [
        { op: 'replace', path: '/name', value: name },
        { op: 'replace', path: '/requiresTitleAndComments', value: 'true' },
      ]);
      assert.equal(status, 200);
      assert.equal(text, JSON.stringify({ name, type: 'workspace', id: project.id, requiresTitleAndComments: true }));
    });
    assert.deepEqual(actions, ['workspace.patched']);
    const { before, after } = await api.lastChange();
    assert.deepEqual(before, project);
    assert.deepEqual([after], await named(name));
  }
});

test('a former name leads to the project until another one takes it', async () => {
  const project = await aBareProject();
  const rename = (id: string, value: string) =>
    api.patch(`/workspaces/${id}`, [{ op: 'replace', path: '/name', value }]);
  const formerly = async (name: string, as?: string) => {
    const { body } = await api.get(`/workspaces?formerName=${name}`, as === undefined ? {} : { as });
    return body.objects.map(({ id }: { id: string }) => id);
  };
  const [second, third] = [uniqueName('second'), uniqueName('third')];
  assert.deepEqual(await formerly(project.name), [], 'its own name is not a former one');
  await rename(project.id, second);
  await rename(project.id, third);
  assert.deepEqual(await formerly(project.name), [project.id]);
  assert.deepEqual(await formerly(second), [project.id]);
  const elsewhere = await aBareProject();
  const outside = await api.key({ scope: { kind: 'project', projectId: elsewhere.id } });
  assert.deepEqual(await formerly(second, outside), []);
  refused(await api.get(`/environments/ws/${second}`), 404, /Could not find project/);

  const taking = await aBareProject(project.name);
  assert.deepEqual(await formerly(project.name), []);
  await rename(taking.id, second);
  assert.deepEqual(await formerly(project.name), [taking.id], 'who had it last');
  assert.deepEqual(await formerly(second), []);
  await rename(project.id, project.name);
  assert.deepEqual(await formerly(project.name), []);
  assert.deepEqual(await formerly(third), [project.id]);
  for (let count = 0; count < 25; count += 1) await rename(taking.id, uniqueName('often'));
  assert.deepEqual(await formerly(second), [], 'the oldest of many are forgotten');
});

test('a name that a node of the previous release gave to another project is no former name', async () => {
  const [project, taking] = [await aBareProject(), await aBareProject()];
  const path = `/workspaces?formerName=${project.name}`;
  const value = uniqueName('renamed');
  await api.patch(`/workspaces/${project.id}`, [{ op: 'replace', path: '/name', value }]);
  assert.equal((await api.get(path)).body.totalCount, 1);
  await api.store.write((tx) => tx.run(sql`update projects set name = ${project.name} where id = ${taking.id}`));
  assert.equal((await api.get(path)).body.totalCount, 0);
});

test('a patch may name nothing but name and requiresTitleAndComments, and is all or nothing', async () => {
  const { id, name } = await aBareProject();
  const good = { op: 'replace', path: '/name', value: uniqueName('renamed') };
  const table: [patch: unknown, message: RegExp][] = [
    [[good, { op: 'replace', path: '/id', value: 'x' }], /1\/path: \/id /],
    [[good, { op: 'replace', path: '/type', value: 'x' }], /1\/path: \/type /],
    [[good, { op: 'add', path: '/unknown', value: 'x' }], /1\/path: \/unknown /],
    [[good, { op: 'remove', path: '/name' }], /name/],
    [[good, { op: 'replace', path: '/name', value: ' ' }], /name/],
    [[good, { op: 'replace', path: '/requiresTitleAndComments', value: 'maybe' }], /requiresTitleAndComments/],
    [[good, { op: 'test', path: '/name', value: 'another' }], /test failed/],
    [[good, { op: 'replace', path: '/name' }], /value/],
    [[good, { op: 'rename', path: '/name', value: 'x' }], /^1\/op /],
    [good, /^body /],
    [undefined, /^body /],
  ];
  for (const [patch, message] of table) {
    await changesNothing(name, async () => refused(await api.patch(`/workspaces/${id}`, patch), 400, message));
  }
});

test('a project is deleted when it has neither environments nor traffic types', async () => {
  const { id, name } = await aBareProject();
  const path = `/workspaces/${id}`;
  const { body: environment } = await api.post(`/environments/ws/${id}`, { name: 'only' });
  const inUse = `Project ${name} still has environments or traffic types; delete them first`;
  await changesNothing(name, async () => refused(await api.delete(path), 400, inUse));
  for (const token of environment.apiTokens) await api.delete(`/apiKeys/${token.id}`);
  await api.delete(`/environments/ws/${id}/${environment.id}`);
  await changesNothing(name, async () => refused(await api.delete(path), 400, inUse));
  const [trafficType] = (await api.get(`/trafficTypes/ws/${id}`)).body;
  await api.delete(`/trafficTypes/${trafficType.id}`);
  const [before] = await named(name);
  const actions = await api.recorded(async () => {
    const { status, text } = await api.call('DELETE', path, { headers: { 'content-type': 'application/json' } });
    assert.deepEqual([status, text], [200, 'true']);
  });
  assert.deepEqual(actions, ['workspace.deleted']);
  const change = await api.lastChange();
  assert.deepEqual([change.before, change.after], [{ ...before, apiKeys: [] }, undefined]);
  assert.deepEqual(await named(name), []);
  refused(await api.delete(path), 404, `Could not find project ${id}`);
});

test('an unknown project is not found wherever a path names one', async () => {
  const word = uniqueName('absent');
  const calls = [
    ['PATCH', `/workspaces/${word}`],
    ['DELETE', `/workspaces/${word}`],
    ['GET', `/environments/ws/${word}`],
    ['POST', `/environments/ws/${word}`],
    ['GET', `/trafficTypes/ws/${word}`],
    ['POST', `/trafficTypes/ws/${word}`],
    ['GET', `/rolloutStatuses?wsId=${word}`],
    ['GET', `/splits/ws/${word}`],
    ['GET', `/splits/ws/${word}/flag`],
    ['POST', `/splits/ws/${word}/trafficTypes/user`],
    ['GET', `/splits/ws/${word}/environments/staging`],
    ['GET', `/splits/ws/${word}/flag/environments/staging`],
  ] as const;
  const actions = await api.recorded(async () => {
    for (const [method, path] of calls) {
      refused(await api.call(method, path, { body: { name: 'x' } }), 404, `Could not find project ${word}`);
    }
  });
  assert.deepEqual(actions, []);
});

test('a project is named by id or name, the id first', async () => {
  const [{ id, name }, environment] = [await aBareProject(), uniqueName('env')];
  await api.post(`/environments/ws/${id}`, { name: environment });
  await aBareProject(id);
  for (const word of [id, name]) {
    const { body } = await api.get(`/environments/ws/${word}`);
    assert.deepEqual(
      body.map((found: { name: string }) => found.name),
      [environment],
    );
  }
});

test('a project name in a path is percent-decoded once, and a + that finds nothing is read as a space', async () => {
  const word = uniqueName('w');
  const table = [
    [`${word} spaced out`, `${word}%20spaced%20out`],
    [`${word} spaced out`, `${word}+spaced+out`],
    [`${word}/slash?&#`, `${word}%2Fslash%3F%26%23`],
    [`${word}%20kept`, `${word}%2520kept`],
    [`${word} ü ✓`, `${word}%20%C3%BC%20%E2%9C%93`],
    [`${word}+plus`, `${word}+plus`],
    [`${word}+plus`, `${word}%2Bplus`],
  ] as const;
  for (const [name, path] of table) {
    if ((await named(name)).length === 0) await aBareProject(name);
    assert.equal((await api.get(`/environments/ws/${path}`)).status, 200, path);
  }
  await aBareProject(`${word} plus`);
  const environment = await api.post(`/environments/ws/${word}+plus`, { name: 'here' });
  assert.deepEqual(environment.body.workspaceIds, [(await named(`${word}+plus`))[0].id], 'a + is itself first');
  const missing = await api.get(`/environments/ws/${word}+not+there`);
  refused(missing, 404, `Could not find project ${word}+not+there`);
  refused(await api.get('/environments/ws/%zz'), 400, /./);
});

test('a trailing slash and a doubled slash change nothing', async () => {
  const { name } = await aBareProject();
  const expected = (await api.get(`/workspaces?name=${name}`)).text;
  const paths = [
    '/workspaces/',
    '//workspaces',
    '//workspaces//',
    '/internal/api/v2//workspaces',
    '/internal//api/v2/workspaces',
    '//internal/api/v2/workspaces',
  ];
  for (const path of paths) {
    const url = path.includes('internal') ? path : `/internal/api/v2${path}`;
    assert.equal((await api.get(`${url}?name=${name}`)).text, expected, path);
  }
});

test('a known path refuses other methods and names those it has', async () => {
  const answer = await api.put('/workspaces', {});
  refused(answer, 405, /PUT/);
  const allowed = String(answer.headers.allow).split(', ');
  assert.ok(allowed.includes('GET') && allowed.includes('POST') && !allowed.includes('PUT'), String(allowed));
});

test('an unknown path is not found', async () => {
  for (const path of ['/absent', '/workspaces/a/b', '/environments', '/splits/ws', '/internal/api/v1/workspaces']) {
    refused(await api.get(path), 404, /^Could not find path /);
  }
});
