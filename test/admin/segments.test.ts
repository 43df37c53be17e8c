import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aDefinition, aFlag, aProject, aSegment, type ProjectFixture, uniqueName } from '../support/build.ts';

const api = await startApi();

const createPath = (project: { id: string }) => `/segments/ws/${project.id}/trafficTypes/user`;

/** A segment that is active in the staging environment. */
async function anActiveSegment(project: ProjectFixture) {
  const { name } = await aSegment(api, project, [project.staging]);
  return { name, path: `/segments/${project.staging.id}/${name}` };
}

const inSegment = (string: string) => ({
  buckets: [{ treatment: 'on', size: 100 }],
  condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string }] },
});

/** A flag whose definition in the environment names the segment. */
async function aUserOf(segment: string, project: ProjectFixture, environment = project.staging) {
  const flag = await aFlag(api, project);
  const path = `/splits/ws/${project.id}/${flag.name}/environments/${environment.id}`;
  const { status, text } = await api.post(path, aDefinition({ rules: [inSegment(segment)] }));
  assert.equal(status, 200, text);
  return { flag, path };
}

test('a new segment is answered, listed and found, without an id, and recorded', async () => {
  const project = await aProject(api);
  const created = await api.post(createPath(project), { name: 'beta_testers', description: 'first' });
  assert.equal(created.status, 200, created.text);
  const { trafficType, creationTime } = created.body;
  assert.equal(trafficType.name, 'user');
  assert.deepEqual(created.body, {
    name: 'beta_testers',
    description: 'first',
    trafficType,
    creationTime,
    tags: null,
  });
  const change = await api.lastChange();
  assert.deepEqual([change.auditLogType, change.object.name], ['segment.created', 'beta_testers']);
  assert.deepEqual(change.after, { kind: 'standard', ...created.body });
  for (const word of [project.id, project.name]) {
    assert.deepEqual((await api.get(`/segments/ws/${word}/beta_testers`)).body, created.body);
    const { body } = await api.get(`/segments/ws/${word}`);
    assert.deepEqual(body, { objects: [created.body], offset: 0, limit: 20, totalCount: 1 });
  }
  assert.equal((await api.post(createPath(project), { name: 'plain' })).body.description, '');
});

test('names are a letter, then letters, digits, - or _, at most 100, and exist once in a project', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  for (const name of ['1a', '_a', 'a.b', 'a b', 'a/b', '', 'ä', `a${'b'.repeat(100)}`]) {
    refused(await api.post(createPath(project), { name }), 400, /^name must/);
  }
  for (const name of ['a', `a${'b'.repeat(99)}`, 'A-1_b']) {
    assert.equal((await api.post(createPath(project), { name })).status, 200, name);
    refused(await api.post(createPath(project), { name }), 409, `Segment ${name} already exists`);
    assert.equal((await api.post(createPath(other), { name })).status, 200, name);
  }
  refused(await api.get(`/segments/ws/${project.id}/none`), 404, 'Could not find segment none');
});

test('lists page by offset, and filter by tag, name and part of the name', async () => {
  const project = await aProject(api);
  for (const name of ['alpha', 'beta', 'gamma']) await api.post(createPath(project), { name });
  const list = async (query: string) => {
    const { body } = await api.get(`/segments/ws/${project.id}${query}`);
    return [body.objects.map(({ name }: { name: string }) => name), body.limit, body.totalCount];
  };
  assert.deepEqual(await list('?limit=2'), [['alpha', 'beta'], 2, 3]);
  assert.deepEqual(await list('?offset=2&limit=50'), [['gamma'], 50, 3]);
  assert.deepEqual(await list('?offset=3'), [[], 20, 3]);
  const tagPath = (name: string) => `/tags/ws/${project.id}/object/${name}/objecttype/Segment`;
  const { body } = await api.post(tagPath('beta'), ['one', 'two']);
  assert.deepEqual(body.objects[0], { name: 'one', objectType: 'Segment', objectName: 'beta' });
  assert.equal((await api.lastChange()).auditLogType, 'segment.tagged');
  await api.post(tagPath('gamma'), ['two']);
  assert.deepEqual(await list('?tag=one'), [['beta'], 20, 1]);
  assert.deepEqual(await list('?tag=two&tag=one'), [['beta', 'gamma'], 20, 2]);
  assert.deepEqual(await list('?name=AM'), [['gamma'], 20, 1]);
  assert.deepEqual(await list('?names=gamma&names=alpha&names=alph'), [['alpha', 'gamma'], 20, 2]);
  assert.deepEqual((await api.get(`/segments/ws/${project.id}/beta`)).body.tags, [{ name: 'one' }, { name: 'two' }]);
  assert.deepEqual(await api.recorded(() => api.post(tagPath('gamma'), ['two'])), []);
});

test('tags are set for segments of each kind by its object type, and for none of another', async () => {
  const project = await aProject(api);
  const paths = {
    Segment: 'segments',
    LargeSegment: 'large-segments',
    RuleBasedSegment: 'rule-based-segments',
  };
  for (const [objectType, path] of Object.entries(paths)) {
    const name = uniqueName('tagged');
    assert.equal((await api.post(`/${path}/ws/${project.id}/trafficTypes/user`, { name })).status, 200);
    for (const type of Object.keys(paths)) {
      const answer = await api.post(`/tags/ws/${project.id}/object/${name}/objecttype/${type}`, ['one']);
      if (type !== objectType) refused(answer, 404, `Could not find segment ${name}`);
      else assert.deepEqual(answer.body.objects, [{ name: 'one', objectType, objectName: name }]);
    }
    const change = await api.lastChange();
    assert.deepEqual([change.auditLogType, change.object.name], ['segment.tagged', name]);
    assert.deepEqual((await api.get(`/${path}/ws/${project.id}/${name}`)).body.tags, [{ name: 'one' }]);
  }
});

test('a segment is activated with any body or none, once, and listed there', async () => {
  const project = await aProject(api);
  for (const request of [{}, { text: '""' }, { body: {} }]) {
    const { name } = await aSegment(api, project);
    const path = `/segments/${project.staging.id}/${name}`;
    const { status, body } = await api.call('POST', path, request);
    assert.equal(status, 200);
    assert.deepEqual([body.name, body.environment], [name, { id: project.staging.id, name: 'staging' }]);
    const change = await api.lastChange();
    assert.deepEqual([change.auditLogType, change.environmentId], ['segment.activated', project.staging.id]);
    const again = await api.call('POST', path, request);
    refused(again, 409, `Segment ${name} is already active in staging`);
  }
  const { body } = await api.get(`/segments/ws/${project.id}/environments/staging`);
  assert.deepEqual(
    [body.totalCount, Object.keys(body.objects[0])],
    [3, ['name', 'environment', 'trafficType', 'creationTime']],
  );
  assert.equal((await api.get(`/segments/ws/${project.id}/environments/production`)).body.totalCount, 0);
});

test('an environment without its project is found by name if one project has it and the segment', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  const { name } = await aSegment(api, project, [project.staging]);
  assert.equal((await api.get(`/segments/staging/${name}/keys`)).status, 200);
  await api.post(createPath(other), { name });
  refused(
    await api.get(`/segments/staging/${name}/keys`),
    400,
    'Several projects have an environment named staging; send its id',
  );
  assert.equal((await api.get(`/segments/${project.staging.id}/${name}/keys`)).status, 200);
  const scoped = await api.key({ scope: { kind: 'project', projectId: project.id } });
  assert.equal((await api.get(`/segments/staging/${name}/keys`, { as: scoped })).status, 200);
  refused(await api.get(`/segments/none/${name}/keys`), 404, 'Could not find environment none');
});

test('keys are added, listed by pages and by prefix, removed, and each change is recorded with a digest', async () => {
  const project = await aProject(api);
  const { name, path } = await anActiveSegment(project);
  const keys = Array.from({ length: 250 }, (_, index) => `user-${String(index).padStart(3, '0')}`);
  const uploaded = await api.put(`${path}/uploadKeys`, { keys: [...keys, ' user-000 ', '', 'user-001'] });
  assert.equal(uploaded.status, 200, uploaded.text);
  const { id, metadataId, orgId, creator, creationTime, lastUpdateTime, trafficTypeId, ...rest } = uploaded.body;
  assert.deepEqual(rest, {
    environment: project.staging.id,
    environmentURN: { type: 'Environment', id: project.staging.id, name: 'staging' },
    name,
    trafficTypeURN: { type: 'TRAFFIC_TYPE', id: trafficTypeId, name: 'user' },
    description: '',
    status: 'ACTIVE',
    iAmInThisSegment: null,
    keys: null,
    openChangeRequestId: null,
    approvers: null,
    type: 'Segment',
  });
  const change = await api.lastChange();
  assert.equal(change.auditLogType, 'segment.keys_added');
  const after = change.after as { keys: string[]; digest: string };
  assert.deepEqual(after, {
    name,
    keyCount: 250,
    added: 250,
    removed: 0,
    source: 'api',
    digest: after.digest,
    keys: keys.slice(0, 100),
  });
  assert.match(after.digest, /^[0-9a-f]{64}$/);
  const first = (await api.get(`${path}/keys`)).body;
  assert.deepEqual(first, {
    keys: keys.slice(0, 100).map((key) => ({ key })),
    openChangeRequestId: null,
    count: 250,
    totalCount: 250,
    offset: 0,
    limit: 100,
  });
  const last = (await api.get(`${path}/keys?offset=200&limit=100`)).body;
  assert.deepEqual([last.keys, last.count], [keys.slice(200).map((key) => ({ key })), 250]);
  const found = (await api.get(`${path}/keys?prefix=user-01`)).body;
  assert.deepEqual([found.keys.length, found.keys[0].key, found.count], [10, 'user-010', 10]);
  const removed = await api.put(`${path}/removeKeys`, { keys: ['user-003', 'none', '', ' user-004'] });
  assert.deepEqual(removed.body, { code: 200, message: 'Deleted 2 keys', details: null, transactionId: null });
  assert.equal((await api.lastChange()).auditLogType, 'segment.keys_removed');
  assert.equal((await api.put(`${path}/deleteKeys`, ['user-005'])).body.message, 'Deleted 1 keys');
  assert.equal((await api.get(`${path}/keys`)).body.count, 247);
});

test('a request that changes nothing leaves no trace', async () => {
  const project = await aProject(api);
  const { path } = await anActiveSegment(project);
  await api.put(`${path}/uploadKeys`, { keys: ['ada'] });
  const actions = await api.recorded(async () => {
    assert.equal((await api.put(`${path}/uploadKeys`, { keys: ['ada'] })).status, 200);
    assert.equal((await api.put(`${path}/uploadKeys?replace=true`, { keys: ['ada'] })).status, 200);
    assert.equal((await api.put(`${path}/removeKeys`, { keys: ['grace'] })).body.message, 'Deleted 0 keys');
    assert.equal((await api.put(`${path}/uploadKeys`, { keys: [''] })).status, 200);
  });
  assert.deepEqual(actions, []);
  assert.equal((await api.get(`${path}/keyChanges`)).body.totalCount, 1);
});

test('replace is true, True or without a value; false, False and nothing add', async () => {
  const project = await aProject(api);
  const { path } = await anActiveSegment(project);
  const keysAfter = async (query: string, keys: string[]) => {
    assert.equal((await api.put(`${path}/uploadKeys${query}`, { keys })).status, 200, query);
    return (await api.get(`${path}/keys`)).body.keys.map(({ key }: { key: string }) => key);
  };
  assert.deepEqual(await keysAfter('', ['a', 'b']), ['a', 'b']);
  assert.deepEqual(await keysAfter('?replace=False', ['c']), ['a', 'b', 'c']);
  assert.deepEqual(await keysAfter('?replace=true', ['b', 'd']), ['b', 'd']);
  const { after } = await api.lastChange();
  assert.partialDeepStrictEqual(after, { added: 1, removed: 2, keyCount: 2 });
  assert.deepEqual(await keysAfter('?replace=True', ['a']), ['a']);
  assert.deepEqual(await keysAfter('?replace', ['e']), ['e']);
  assert.deepEqual(await keysAfter('?replace=False', ['a']), ['a', 'e']);
  assert.deepEqual(await keysAfter('?replace=True', []), []);
  refused(await api.put(`${path}/uploadKeys?replace=maybe`, { keys: [] }), 400, /^replace must be one of/);
});

const aForm = (parts: Record<string, string>, file: string) => {
  const lines = Object.entries(parts).flatMap(([name, text]) => [
    '--xyz',
    `Content-Disposition: form-data; name="${name}"`,
    'Content-Type: application/json',
    '',
    text,
  ]);
  const head = [
    '--xyz',
    'Content-Disposition: form-data; name="file"; filename="testers.csv"',
    'Content-Type: text/csv',
  ];
  return {
    text: [...lines, ...head, '', file, '--xyz--', ''].join('\r\n'),
    headers: { 'content-type': 'multipart/form-data; boundary=xyz' },
  };
};

test('upload takes a list, or a form with a CSV file whose name is kept as the source of each key', async () => {
  const project = await aProject(api, { requiresTitleAndComments: true });
  const { path } = await anActiveSegment(project);
  const note = '?title=why&comment=because';
  assert.equal((await api.put(`${path}/upload${note}`, ['one'])).status, 200);
  const csv = '\ufeffada\r\n"gra""ce",ignored\n\n  linus  ,x\r\nада\n';
  const payload = JSON.stringify({ title: 'testers', comment: 'of May' });
  const sent = await api.call('PUT', `${path}/upload`, aForm({ payload }, csv));
  assert.equal(sent.status, 200, sent.text);
  const change = await api.lastChange();
  assert.deepEqual([change.title, change.comment], ['testers', 'of May']);
  const { keys } = (await api.get(`${path}/keys?expand=origin`)).body;
  assert.deepEqual(
    keys.map(({ key, source, addedBy }: { key: string; source: string; addedBy: { type: string } }) => [
      key,
      source,
      addedBy.type,
    ]),
    [
      ['ada', 'testers.csv', 'api_key'],
      ['gra"ce', 'testers.csv', 'api_key'],
      ['linus', 'testers.csv', 'api_key'],
      ['one', 'api', 'api_key'],
      ['ада', 'testers.csv', 'api_key'],
    ],
  );
  const { objects } = (await api.get(`${path}/keyChanges`)).body;
  assert.deepEqual(
    objects.map(({ added, keyCount, source }: Record<string, unknown>) => [added, keyCount, source]),
    [
      [4, 5, 'testers.csv'],
      [1, 1, 'api'],
    ],
  );
  const broken = { text: '--xyz\r\nContent-Disposition: form-data; name="file"\r\n\r\nada', headers: {} };
  refused(await api.call('PUT', `${path}/upload${note}`, broken), 400, /form/);
  const withoutFile = {
    text: '--xyz\r\nContent-Disposition: form-data; name="a"\r\n\r\nada\r\n--xyz--\r\n',
    headers: {},
  };
  refused(await api.call('PUT', `${path}/upload${note}`, withoutFile), 400, /part "file"/);
});

test('calls that change keys need title and comment where the project requires them', async () => {
  const project = await aProject(api, { requiresTitleAndComments: true });
  const { path } = await anActiveSegment(project);
  for (const [call, body] of [
    ['uploadKeys', { keys: ['a'] }],
    ['upload', ['a']],
    ['removeKeys', { keys: ['a'] }],
    ['deleteKeys', ['a']],
  ] as const) {
    assert.equal((await api.put(`${path}/${call}`, body)).status, 400, call);
  }
  const note = { title: 'why', comment: 'because' };
  assert.equal((await api.put(`${path}/uploadKeys`, { keys: ['a'], ...note })).status, 200);
  assert.equal((await api.put(`${path}/removeKeys`, { keys: ['a'], ...note })).status, 200);
});

test('limits are refused by name: 250 characters, 10,000 keys in a call, 100,000 in a segment', async () => {
  const project = await aProject(api);
  const { name, path } = await anActiveSegment(project);
  refused(
    await api.put(`${path}/uploadKeys`, { keys: ['a', 'b'.repeat(251)] }),
    400,
    'keys/1 must not have more than 250 characters',
  );
  const keys = (count: number, start = 0) => Array.from({ length: count }, (_, index) => `k${start + index}`);
  refused(
    await api.put(`${path}/uploadKeys`, { keys: keys(10_001) }),
    400,
    'keys must not have more than 10000 different keys',
  );
  for (let start = 0; start < 100_000; start += 10_000) {
    const { status, text } = await api.put(`${path}/uploadKeys`, {
      keys: [...keys(10_000, start), ...keys(10, start)],
    });
    assert.equal(status, 200, text);
  }
  assert.equal((await api.get(`${path}/keys?limit=1`)).body.count, 100_000);
  refused(
    await api.put(`${path}/uploadKeys`, { keys: ['one-more'] }),
    400,
    `Segment ${name} would have 100001 keys in staging; the limit is 100000`,
  );
  const { status } = await api.put(`${path}/uploadKeys?replace=true`, { keys: ['one-more'] });
  assert.equal(status, 200);
  assert.deepEqual((await api.get(`${path}/keys`)).body.keys, [{ key: 'one-more' }]);
});

test('keys of a segment that is not active are a 404, and so is deactivating it', async () => {
  const project = await aProject(api);
  const { name } = await aSegment(api, project);
  const path = `/segments/${project.staging.id}/${name}`;
  const message = `Could not find segment ${name} in environment staging`;
  refused(await api.get(`${path}/keys`), 404, message);
  refused(await api.put(`${path}/uploadKeys`, { keys: ['a'] }), 404, message);
  refused(await api.delete(path), 404, message);
});

test('deactivating needs a segment without keys that nothing there names; activating again starts empty', async () => {
  const project = await aProject(api);
  const { name, path } = await anActiveSegment(project);
  await api.put(`${path}/uploadKeys`, { keys: ['ada'] });
  refused(await api.delete(path), 400, `Segment ${name} still has 1 keys in staging; remove them first`);
  await api.put(`${path}/uploadKeys?replace=True`, { keys: [] });
  const user = await aUserOf(name, project);
  refused(await api.delete(path), 409, `Segment ${name} is still used by flag ${user.flag.name}`);
  await api.delete(user.path);
  const elsewhere = await aUserOf(name, project, project.production);
  assert.equal((await api.delete(path)).text, 'true');
  assert.equal((await api.lastChange()).auditLogType, 'segment.deactivated');
  assert.equal((await api.post(path)).status, 200);
  assert.equal((await api.get(`${path}/keys`)).body.count, 0);
  await api.delete(elsewhere.path);
});

test('deleting a segment removes it and its keys everywhere, unless something names it', async () => {
  const project = await aProject(api);
  const { name, path } = await anActiveSegment(project);
  await api.post(`/segments/${project.production.id}/${name}`);
  await api.put(`${path}/uploadKeys`, { keys: ['ada'] });
  const users = [];
  for (let count = 0; count < 11; count += 1) users.push(await aUserOf(name, project));
  const answer = await api.delete(`/segments/ws/${project.id}/${name}`);
  refused(answer, 409, new RegExp(`^Segment ${name} is still used by (flag [\\w-]+, ){10}others$`));
  for (const user of users) await api.delete(user.path);
  const actions = await api.recorded(async () => {
    assert.equal((await api.delete(`/segments/ws/${project.id}/${name}`)).text, 'true');
  });
  assert.deepEqual(actions, ['segment.deactivated', 'segment.deactivated', 'segment.deleted']);
  await api.post(createPath(project), { name });
  await api.post(path);
  assert.equal((await api.get(`${path}/keys`)).body.count, 0);
  const memberships = `/segments/ws/${project.id}/environments/staging/memberships?key=ada`;
  assert.deepEqual((await api.get(memberships)).body.segments, []);
});

test('the list tells on request the kind, sizes, users and last change in each environment', async () => {
  const project = await aProject(api);
  const { name, path } = await anActiveSegment(project);
  await api.put(`${path}/uploadKeys`, { keys: ['ada', 'grace'] });
  await aUserOf(name, project);
  await aUserOf(name, project, project.production);
  const other = await aSegment(api, project);
  const { body } = await api.get(`/segments/ws/${project.id}?expand=environments&kind=all`);
  const [first, second] = body.objects;
  assert.deepEqual([first.name, first.kind, second.name, second.environments], [name, 'standard', other.name, []]);
  const { lastUpdateTime } = first.environments[0];
  assert.equal(typeof lastUpdateTime, 'number');
  const environment = ({ id, name: itsName }: { id: string; name: string }) => ({ id, name: itsName });
  assert.deepEqual(first.environments, [
    { environment: environment(project.staging), active: true, keyCount: 2, lastUpdateTime, usedBy: 1 },
    { environment: environment(project.production), active: false, keyCount: 0, usedBy: 1 },
  ]);
  const users = (await api.get(`/segments/ws/${project.id}/${name}/dependents`)).body;
  assert.deepEqual(
    users.objects.map(({ kind, environment: { name: where } }: { kind: string; environment: { name: string } }) => [
      kind,
      where,
    ]),
    [
      ['flag', 'staging'],
      ['flag', 'production'],
    ],
  );
  const here = `/segments/ws/${project.id}/${name}/dependents?environmentId=${project.production.id}`;
  assert.equal((await api.get(here)).body.totalCount, 1);
});

test('the expanded list begins with the tags of all segments, whatever it shows of them', async () => {
  const [project, elsewhere] = [await aProject(api), await aProject(api)];
  for (const [tag, place] of [
    ['risk', project],
    ['growth', project],
    ['growth', project],
    ['secret', elsewhere],
  ] as const) {
    const { name } = await aSegment(api, place);
    await api.post(`/tags/ws/${place.id}/object/${name}/objecttype/Segment`, [tag]);
  }
  const path = `/segments/ws/${project.id}?expand=environments&limit=1`;
  const allTags = [
    { name: 'growth', count: 2 },
    { name: 'risk', count: 1 },
  ];
  assert.deepEqual((await api.get(path)).body.allTags, allTags);
  assert.deepEqual((await api.get(`${path}&tag=risk&kind=large`)).body.allTags, allTags);
  assert.equal((await api.get(`${path}&offset=1`)).body.allTags, undefined);
  assert.equal((await api.get(`/segments/ws/${project.id}`)).body.allTags, undefined);
});

test('memberships are the segments that contain a key in an environment', async () => {
  const project = await aProject(api);
  const [one, two] = [await anActiveSegment(project), await anActiveSegment(project)];
  await api.put(`${one.path}/uploadKeys`, { keys: ['ada', 'grace'] });
  await api.put(`${two.path}/uploadKeys`, { keys: ['ada'] });
  const segmentsOf = async (key: string, environment: string) => {
    const path = `/segments/ws/${project.id}/environments/${environment}/memberships?key=${key}`;
    return (await api.get(path)).body.segments.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await segmentsOf('ada', 'staging'), [one.name, two.name].sort());
  assert.deepEqual(await segmentsOf('grace', 'staging'), [one.name]);
  assert.deepEqual(await segmentsOf('Ada', 'staging'), []);
  assert.deepEqual(await segmentsOf('ada', 'production'), []);
  await api.put(`${one.path}/removeKeys`, { keys: ['ada'] });
  assert.deepEqual(await segmentsOf('ada', 'staging'), [two.name]);
});

test('environments and traffic types are not deleted while segments use them', async () => {
  const project = await aProject(api);
  const { body: environment } = await api.post(`/environments/ws/${project.id}`, { name: uniqueName('env') });
  for (const { id } of environment.apiTokens) await api.delete(`/apiKeys/${id}`);
  const { body: trafficType } = await api.post(`/trafficTypes/ws/${project.id}`, { name: uniqueName('type') });
  const name = uniqueName('segment');
  await api.post(`/segments/ws/${project.id}/trafficTypes/${trafficType.name}`, { name });
  const path = `/segments/${environment.id}/${name}`;
  await api.post(path);
  await api.put(`${path}/uploadKeys`, { keys: ['ada'] });
  const environmentPath = `/environments/ws/${project.id}/${environment.id}`;
  refused(await api.delete(environmentPath), 400, /still has feature flag definitions or segments/);
  refused(await api.delete(`/trafficTypes/${trafficType.id}`), 400, /still used by feature flags or segments/);
  await api.put(`${path}/uploadKeys?replace=True`, { keys: [] });
  for (const gone of [path, `/segments/ws/${project.id}/${name}`, `/trafficTypes/${trafficType.id}`, environmentPath]) {
    assert.equal((await api.delete(gone)).text, 'true', gone);
  }
});

test('segment roles: viewers read, editors write, flag roles see none', async () => {
  const project = await aProject(api);
  const { path } = await anActiveSegment(project);
  const as = async (role: 'API_SEGMENT_VIEWER' | 'API_SEGMENT_EDITOR' | 'API_FEATURE_FLAG_EDITOR') => {
    const key = await api.key({ roles: [role], scope: { kind: 'project', projectId: project.id } });
    const { status: read } = await api.get(`${path}/keys`, { as: key });
    const { status: write } = await api.put(`${path}/uploadKeys`, { keys: [role] }, { as: key });
    return [read, write];
  };
  assert.deepEqual(await as('API_SEGMENT_VIEWER'), [200, 403]);
  assert.deepEqual(await as('API_SEGMENT_EDITOR'), [200, 200]);
  assert.deepEqual(await as('API_FEATURE_FLAG_EDITOR'), [403, 403]);
  const environmentKey = await api.key({
    roles: ['API_SEGMENT_EDITOR'],
    scope: { kind: 'environment', projectId: project.id, environmentIds: [project.staging.id] },
  });
  assert.equal((await api.get(`${path}/keys`, { as: environmentKey })).status, 200);
  assert.equal((await api.get(`/segments/ws/${project.id}`, { as: environmentKey })).status, 403);
  const foreign = path.replace(project.staging.id, project.production.id);
  refused(await api.get(`${foreign}/keys`, { as: environmentKey }), 404, /^Could not find environment/);
});

test('a saved definition warns of segments that do not exist or are not active there, until they are', async () => {
  const project = await aProject(api);
  const { name, path } = await anActiveSegment(project);
  const flag = await aFlag(api, project);
  const definitionPath = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  const rules = [inSegment(name), inSegment('nowhere')];
  const { headers } = await api.post(definitionPath, aDefinition({ rules }));
  const isEmpty = (why: string) => `299 - "Segment ${why}, so it counts as empty"`;
  assert.equal(
    headers.warning,
    [isEmpty(`${name} is not active in production`), isEmpty('nowhere does not exist')].join(', '),
  );
  await api.post(path.replace(project.staging.id, project.production.id));
  const patched = await api.patch(definitionPath, [{ op: 'remove', path: '/rules/1' }]);
  assert.equal(patched.headers.warning, undefined);
});

test('description and tags of a segment of any kind are changed together, with one entry', async () => {
  const project = await aProject(api);
  const path = `/large-segments/ws/${project.id}`;
  const name = uniqueName('detailed');
  await api.post(`${path}/trafficTypes/user`, { name, description: 'old' });
  const details = `/segments/ws/${project.id}/${name}/details`;
  const entries = await api.recorded(() => api.put(details, { description: 'new', tags: ['one', 'two', 'one'] }));
  assert.deepEqual(entries, ['segment.patched']);
  const { description, tags } = (await api.get(`${path}/${name}`)).body;
  assert.deepEqual([description, tags], ['new', [{ name: 'one' }, { name: 'two' }]]);
  assert.deepEqual(await api.recorded(() => api.put(details, { description: 'new' })), []);
  assert.deepEqual((await api.put(details, { tags: [] })).body.description, 'new');
  assert.equal((await api.put(details, { tags: [''] })).status, 400);
  await api.patch(`/workspaces/${project.id}`, [{ op: 'replace', path: '/requiresTitleAndComments', value: true }]);
  assert.equal((await api.put(details, { description: 'newer' })).status, 400);
  assert.equal((await api.put(`${details}?title=a&comment=b`, { description: 'newer' })).status, 200);
});

test('the list filters by environment, by use and by a flag that uses them, and counts each user once', async () => {
  const project = await aProject(api);
  const { name } = await anActiveSegment(project);
  const { flag } = await aUserOf(name, project);
  const unused = await aSegment(api, project);
  const list = async (query: string) =>
    (await api.get(`/segments/ws/${project.id}?kind=all&${query}`)).body.objects.map(
      (segment: { name: string }) => segment.name,
    );
  assert.deepEqual(await list('used=false'), [unused.name]);
  assert.deepEqual(await list(`usedBy=${flag.name}`), [name]);
  assert.deepEqual(await list('usedBy=nothing'), []);
  assert.deepEqual(await list(`environmentId=${project.staging.id}`), [name]);
  assert.deepEqual(await list(`environmentId=${project.production.id}`), []);
  const { objects } = (await api.get(`/segments/ws/${project.id}?expand=environments&name=${name}`)).body;
  assert.deepEqual(objects[0].usedBy, { flags: 1, segments: 0 });
});
