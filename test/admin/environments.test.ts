import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

interface Created {
  readonly id: string;
  readonly name: string;
  readonly apiTokens: { id: string; key: string }[];
}

async function anEnvironment(project: { id: string }, name = uniqueName('env')) {
  const { body } = await api.post(`/environments/ws/${project.id}`, { name });
  return body as Created;
}

async function withoutKeys(environment: Created) {
  for (const token of environment.apiTokens) await api.delete(`/apiKeys/${token.id}`);
}

const namesIn = async (project: { id: string }): Promise<string[]> =>
  (await api.get(`/environments/ws/${project.id}`)).body.map((environment: { name: string }) => environment.name);

/** The attempt leaves neither a change of the project's environments nor an audit entry behind. */
async function changesNothing(project: { id: string }, attempt: () => Promise<unknown>) {
  const before = (await api.get(`/environments/ws/${project.id}`)).text;
  assert.deepEqual(await api.recorded(attempt), []);
  assert.equal((await api.get(`/environments/ws/${project.id}`)).text, before);
}

test('the first start makes Prod-Default, which is production, and Staging-Default', async () => {
  const { status, text, body } = await api.get('/environments/ws/Default');
  assert.equal(status, 200);
  const expected = [
    { name: 'Prod-Default', id: body[0].id, production: true },
    { name: 'Staging-Default', id: body[1].id, production: false },
  ];
  assert.equal(text, JSON.stringify(expected));
});

test('the list is an array of exactly name, id and production, in order of creation', async () => {
  const project = await aProject(api);
  const last = await anEnvironment(project, 'a-first-by-name');
  const expected = [
    { name: 'staging', id: project.staging.id, production: false },
    { name: 'production', id: project.production.id, production: true },
    { name: last.name, id: last.id, production: false },
  ];
  assert.equal((await api.get(`/environments/ws/${project.id}`)).text, JSON.stringify(expected));
});

test('a key of some environments lists only those, and misses the others as if they did not exist', async () => {
  const project = await aProject(api);
  const scope = { kind: 'environment', projectId: project.id, environmentIds: [project.production.id] } as const;
  const as = await api.key({ scope });
  const { body } = await api.get(`/environments/ws/${project.id}`, { as });
  assert.deepEqual(body, [{ name: 'production', id: project.production.id, production: true }]);
  for (const word of [project.staging.id, project.staging.name, 'absent']) {
    const answer = await api.get(`/splits/ws/${project.id}/environments/${word}`, { as });
    refused(answer, 404, `Could not find environment ${word}`);
  }
});

test('an environment is created with a client-side and a server-side key, shown once and never recorded', async () => {
  const project = await aProject(api);
  const actions = await api.recorded(async () => {
    const { status, body } = await api.post(`/environments/ws/${project.name}`, { name: 'new', production: true });
    assert.equal(status, 200);
    const { id, orgId, creationTime, apiTokens } = body;
    const expected = {
      id,
      type: 'environment',
      name: 'new',
      environmentType: 'production',
      changePermissions: {},
      dataExportPermissions: {},
      orgId,
      creationTime,
      production: true,
      status: 'ACTIVE',
      workspaceIds: [project.id],
      permissioningEnabled: false,
      apiTokens,
    };
    assert.equal(JSON.stringify(body), JSON.stringify(expected));
    assert.deepEqual(
      apiTokens.map(({ type, apiKeyType }: Record<string, string>) => ({ type, apiKeyType })),
      [
        { type: 'api_key', apiKeyType: 'browser' },
        { type: 'api_key', apiKeyType: 'sdk' },
      ],
    );
    const change = await api.lastChange();
    assert.deepEqual(change.object, { type: 'environment', id, name: 'new' });
    assert.deepEqual([change.workspaceId, change.environmentId, change.before], [project.id, id, undefined]);
    for (const token of apiTokens) assert.ok(token.key && !JSON.stringify(change).includes(token.key));
    const renamed = await api.patch(`/environments/ws/${project.id}/${id}`, [
      { op: 'replace', path: '/name', value: 'newer' },
    ]);
    assert.deepEqual(
      renamed.body.apiTokens.map((token: object) => Object.hasOwn(token, 'key')),
      [false, false],
    );
  });
  assert.deepEqual(actions, ['environment.created', 'environment.patched']);
});

test('production may be absent, a boolean or its text', async () => {
  const project = await aProject(api);
  const table = [
    [undefined, false, 'pre_production'],
    [true, true, 'production'],
    [false, false, 'pre_production'],
    ['true', true, 'production'],
    ['false', false, 'pre_production'],
  ] as const;
  for (const [production, expected, environmentType] of table) {
    const { body } = await api.post(`/environments/ws/${project.id}`, { name: uniqueName('env'), production });
    assert.deepEqual([body.production, body.environmentType], [expected, environmentType], String(production));
  }
});

test('permissions that leave everything open are taken, those that nothing enforces are refused', async () => {
  const project = await aProject(api);
  const open = {
    changePermissions: { areApprovalsRequired: false, areApproversRestricted: false, approvers: [] },
    dataExportPermissions: { areExportersRestricted: false, exporters: [] },
    envType: 'stage',
  };
  const accepted = await api.post(`/environments/ws/${project.id}`, { name: 'open', ...open }, textPlain);
  assert.equal(accepted.status, 200);
  await changesNothing(project, async () => {
    const closing = { dataExportPermissions: { areExportersRestricted: true } };
    refused(await api.post(`/environments/ws/${project.id}`, { name: 'closed', ...closing }), 400, /not supported/);
  });
});

const textPlain = { headers: { 'content-type': 'text/plain' } };

test('an environment name is 1 to 20 characters, not blank', async () => {
  const project = await aProject(api);
  const path = `/environments/ws/${project.id}`;
  for (const name of ['', '  ', 'x'.repeat(21), 7, null, undefined]) {
    await changesNothing(project, async () => refused(await api.post(path, { name }), 400, /name/));
  }
  for (const name of ['x', 'x'.repeat(20), 'With space/slash']) {
    assert.equal((await api.post(path, { name })).status, 200, name);
  }
  for (const production of ['yes', 1, 'TRUE']) {
    await changesNothing(project, async () => {
      refused(await api.post(path, { name: 'new', production }), 400, /^production /);
    });
  }
});

test('an environment name exists once in a project', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  const { id, name } = await anEnvironment(project);
  const taken = `Environment ${name} already exists`;
  await changesNothing(project, async () => {
    refused(await api.post(`/environments/ws/${project.id}`, { name }), 409, taken);
    const rename = [{ op: 'replace', path: '/name', value: name }];
    refused(await api.patch(`/environments/ws/${project.id}/staging`, rename), 409, taken);
  });
  assert.notEqual((await anEnvironment(other, name)).id, id);
});

test('an environment is patched by id or by name, and recorded with before and after', async () => {
  for (const by of ['id', 'name'] as const) {
    const project = await aProject(api);
    const path = `/environments/ws/${project.id}/${project.staging[by]}`;
    const actions = await api.recorded(async () => {
      const { status, body } = await api.patch(path, [
        { op: 'replace', path: '/name', value: 'renamed' },
        { op: 'replace', path: '/production', value: 'true' },
      ]);
      const { id, name, production, environmentType } = body;
      assert.equal(status, 200);
      assert.deepEqual([id, name, production, environmentType], [project.staging.id, 'renamed', true, 'production']);
    });
    assert.deepEqual(actions, ['environment.patched']);
    const { before, after } = (await api.lastChange()) as { before: object; after: object };
    assert.deepEqual({ ...before, name: 'renamed', production: true }, after);
    assert.deepEqual(await namesIn(project), ['renamed', 'production'], 'the order of creation stays');
  }
});

test('a patch of an environment changes its settings only, and is all or nothing', async () => {
  const project = await aProject(api);
  const path = `/environments/ws/${project.id}/${project.staging.id}`;
  const good = { op: 'replace', path: '/production', value: true };
  const table: [patch: unknown, message: RegExp][] = [
    [[good, { op: 'replace', path: '/id', value: 'x' }], /1\/path: \/id /],
    [[good, { op: 'replace', path: '/creationTime', value: 1 }], /1\/path: \/creationTime /],
    [[good, { op: 'add', path: '/unknown', value: 'x' }], /1\/path: \/unknown /],
    [[good, { op: 'remove', path: '/name' }], /name/],
    [[good, { op: 'replace', path: '/name', value: 'x'.repeat(21) }], /name/],
    [[good, { op: 'replace', path: '/production', value: 'maybe' }], /production/],
    [[good, { op: 'replace', path: '/dataExportPermissions/areExportersRestricted', value: true }], /not supported/],
    [[good, { op: 'test', path: '/name', value: 'other' }], /test failed/],
    [good, /^body /],
  ];
  for (const [patch, message] of table) {
    await changesNothing(project, async () => refused(await api.patch(path, patch), 400, message));
  }
});

test('a dry run is refused wherever there is none, since it would change something', async () => {
  const project = await aProject(api);
  const path = `/environments/ws/${project.id}/${project.staging.id}`;
  const patch = [{ op: 'replace', path: '/name', value: 'renamed' }];
  for (const asked of ['dry_run=true', 'dryRun=true', 'dryRun=']) {
    await changesNothing(project, async () => {
      refused(await api.patch(`${path}?${asked}`, patch), 400, /^dry_?[rR]un must be false/);
      refused(await api.delete(`${path}?${asked}`), 400, /^dry_?[rR]un must be false/);
      refused(
        await api.post(`/environments/ws/${project.id}?${asked}`, { name: 'dry', production: false }),
        400,
        /dry/,
      );
    });
  }
  assert.equal((await api.patch(`${path}?dry_run=false`, patch)).status, 200);
});

test('an environment is deleted when it has neither keys nor definitions', async () => {
  const project = await aProject(api);
  const staging = project.staging as Created;
  const { path: definition } = await aDefinedFlag(api, project);
  const path = `/environments/ws/${project.id}/staging`;
  const inUse = 'Environment staging still has feature flag definitions or segments; delete or deactivate them first';
  const keyIds = staging.apiTokens.map(({ id }) => id).join(', ');
  const hasKeys = `Environment ${staging.id} cannot be archived, it has apitokens associated [${keyIds}]`;
  await changesNothing(project, async () => refused(await api.delete(path), 400, hasKeys));
  await withoutKeys(staging);
  await changesNothing(project, async () => refused(await api.delete(path), 400, inUse));
  await api.delete(definition);
  const actions = await api.recorded(async () => {
    const { status, text } = await api.delete(path);
    assert.deepEqual([status, text], [200, 'true']);
  });
  assert.deepEqual(actions, ['environment.deleted']);
  const change = await api.lastChange();
  assert.equal((change.before as { id: string }).id, staging.id);
  assert.equal(change.after, undefined);
  assert.deepEqual(await namesIn(project), ['production']);
  refused(await api.delete(path), 404, 'Could not find environment staging');
});

test('the refusal to delete an environment lists keys of every type, and at most 50', async () => {
  const project = await aProject(api);
  const staging = project.staging as Created;
  const scope = { kind: 'environment', projectId: project.id, environmentIds: [staging.id] } as const;
  const listed = async () => {
    const { body } = await api.delete(`/environments/ws/${project.id}/staging`);
    return (/ has apitokens associated \[([^\]]+)\]$/.exec(body.message)?.[1] ?? '').split(', ');
  };
  await withoutKeys(staging);
  await api.key({ type: 'admin', scope });
  const { id } = (await api.get('/apiKeys?limit=200')).body.objects.at(-1);
  assert.deepEqual(await listed(), [id]);
  for (let count = 0; count < 60; count += 1) await api.key({ type: 'server_side', roles: [], scope });
  assert.equal((await listed()).length, 50);
});

test('the audit log names the keys that come with an environment, without their texts', async () => {
  const { body: project } = await api.post('/workspaces', { name: uniqueName('project') });
  const { body: environment } = await api.post(`/environments/ws/${project.id}`, { name: 'keyed' });
  const { after } = (await api.lastChange()) as { after: { apiKeys: { id: string }[] } };
  const tokens: { id: string; key: string }[] = environment.apiTokens;
  assert.deepEqual(
    after.apiKeys.map((key) => key.id),
    tokens.map((token) => token.id),
  );
  for (const { key } of tokens) assert.equal(JSON.stringify(after).includes(key), false);
});

interface Ordered {
  readonly id: string;
  readonly name: string;
}

test('people choose the order of the environments; the plain list stays in order of creation', async () => {
  const project = await aProject(api);
  const [dev, qa] = [await anEnvironment(project, 'dev'), await anEnvironment(project, 'qa')];
  const path = `/environments/ws/${project.id}`;
  const positions = async (as?: string) =>
    (await api.get(`${path}?sort=position`, as ? { as } : {})).body.map(({ name }: Ordered) => name);
  assert.deepEqual(await positions(), ['staging', 'dev', 'qa', 'production']);
  const actions = await api.recorded(async () => {
    const { status, body } = await api.post(`${path}/${dev.id}/move`, { before: project.staging.id });
    assert.equal(status, 200);
    assert.deepEqual(
      body.map(({ name }: Ordered) => name),
      ['dev', 'staging', 'qa', 'production'],
    );
  });
  assert.deepEqual(actions, ['environment.moved']);
  const moved = await api.lastChange();
  assert.deepEqual([moved.object.name, moved.before, moved.after], ['dev', { position: 2 }, { position: 1 }]);
  await api.post(`${path}/production/move`, { before: 'qa' });
  await anEnvironment(project, 'new');
  assert.deepEqual(await positions(), ['dev', 'staging', 'production', 'qa', 'new']);
  await withoutKeys(qa);
  assert.equal((await api.delete(`${path}/${qa.id}`)).status, 200);
  assert.deepEqual(await positions(), ['dev', 'staging', 'production', 'new']);
  assert.deepEqual(await namesIn(project), ['staging', 'production', 'dev', 'new']);
  const environmentIds = [project.production.id, dev.id];
  const scoped = await api.key({ scope: { kind: 'environment', projectId: project.id, environmentIds } });
  assert.deepEqual(await positions(scoped), ['dev', 'production']);
});

test('moves at the same time both take effect, and one that changes nothing leaves no trace', async () => {
  const project = await aProject(api);
  const others = [];
  for (const name of ['a', 'b', 'c', 'd']) others.push(await anEnvironment(project, name));
  const path = `/environments/ws/${project.id}`;
  const [a, , c, d] = others as [Created, Created, Created, Created];
  // staging, a, b, c, d, production
  await Promise.all([
    api.post(`${path}/${d.id}/move`, { before: 'staging' }),
    api.post(`${path}/${a.id}/move`, { before: null }),
  ]);
  const { body } = await api.get(`${path}?sort=position`);
  assert.deepEqual(
    body.map(({ name }: Ordered) => name),
    ['d', 'staging', 'b', 'c', 'production', 'a'],
  );
  await changesNothing(project, async () => {
    for (const before of [c.id, 'production']) {
      assert.equal((await api.post(`${path}/${c.id}/move`, { before })).status, 200);
    }
    const elsewhere = await api.post(`${path}/${c.id}/move`, { before: 'nowhere' });
    refused(elsewhere, 400, 'before names nowhere, which is not an environment of the project');
  });
});

test('a name that a node of the previous release gave to another environment is no former name', async () => {
  const project = await aProject(api);
  const path = `/environments/ws/${project.id}`;
  await api.patch(`${path}/staging`, [{ op: 'replace', path: '/name', value: 'preview' }]);
  await api.store.write((tx) =>
    tx.run(sql`update environments set name = 'staging' where id = ${project.production.id}`),
  );
  const { body } = await api.get(`${path}?sort=position`);
  assert.deepEqual(
    body.map((one: { name: string; formerNames?: string[] }) => [one.name, one.formerNames]),
    [
      ['preview', undefined],
      ['staging', undefined],
    ],
  );
});

test('an environment keeps its former names until another one of the project takes them', async () => {
  const project = await aProject(api);
  const path = `/environments/ws/${project.id}`;
  const rename = (environment: string, value: string) =>
    api.patch(`${path}/${environment}`, [{ op: 'replace', path: '/name', value }]);
  const formerly = async () => {
    const { body } = await api.get(`${path}?sort=position`);
    return Object.fromEntries(
      body.map((one: { name: string; formerNames?: string[] }) => [one.name, one.formerNames ?? 'none']),
    );
  };
  assert.deepEqual(await formerly(), { staging: 'none', production: 'none' });
  await rename('staging', 'test');
  await rename('test', 'preview');
  assert.deepEqual(await formerly(), { preview: ['staging', 'test'], production: 'none' });
  assert.equal('formerNames' in (await api.get(path)).body[0], false);
  refused(await rename('staging', 'any'), 404, /Could not find environment staging/);
  await anEnvironment(project, 'staging');
  assert.deepEqual(await formerly(), { preview: ['test'], staging: 'none', production: 'none' });
  await rename('production', 'test');
  assert.deepEqual(await formerly(), { preview: 'none', staging: 'none', test: ['production'] });
  await rename('test', 'production');
  assert.deepEqual(await formerly(), { preview: 'none', staging: 'none', production: ['test'] });
});
