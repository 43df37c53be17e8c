import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import {
  aDefinedFlag,
  aDefinition,
  aFlag,
  aProject,
  asAnswered,
  type ProjectFixture,
  uniqueName,
} from '../support/build.ts';

const api = await startApi();

/** Everything that a definition may hold, in the order of the answers. */
const full = {
  killed: false,
  treatments: [
    {
      name: 'on',
      description: 'the new way',
      configurations: '{"color":"blue"}',
      keys: ['ann', 'bob'],
      segments: ['s'],
    },
    { name: 'off', description: '' },
  ],
  defaultTreatment: 'off',
  baselineTreatment: 'on',
  trafficAllocation: 80,
  rules: [
    {
      buckets: [
        { treatment: 'on', size: 50 },
        { treatment: 'off', size: 50 },
      ],
      condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: 'not-made-yet' }] },
    },
  ],
  defaultRule: [{ treatment: 'off', size: 100 }],
  impressionsDisabled: true,
};

/** A new flag in a new project, with the path of its definition, which is not there yet. */
async function anUndefinedFlag() {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  return { project, flag, path: `/splits/ws/${project.id}/${flag.name}/environments/${project.staging.id}` };
}

/** The attempt leaves neither a change in the environment nor an audit entry behind. */
async function changesNothing(project: ProjectFixture, attempt: () => Promise<unknown>) {
  const list = `/splits/ws/${project.id}/environments/${project.staging.id}`;
  const before = (await api.get(list)).text;
  assert.deepEqual(await api.recorded(attempt), []);
  assert.equal((await api.get(list)).text, before);
}

test('a definition is answered as sent plus its times, read again by id, and recorded', async () => {
  const { project, flag, path } = await anUndefinedFlag();
  const { trafficType } = (await api.get(`/splits/ws/${project.id}/${flag.name}`)).body;
  const environment = { id: project.staging.id, name: 'staging' };
  const sent = { id: flag.id, name: flag.name, environment, trafficType, ...full };
  const actions = await api.recorded(async () => {
    const { status, text, body, headers } = await api.post(path, sent);
    assert.equal(status, 200);
    const { creationTime } = body;
    assert.ok(Number.isInteger(creationTime));
    assert.equal(text, JSON.stringify({ ...sent, creationTime, lastUpdateTime: creationTime }));

    const read = await api.get(`/splits/ws/${project.id}/${flag.id}/environments/${project.staging.id}`);
    assert.deepEqual([read.status, read.text, read.headers.etag], [200, text, headers.etag]);
    assert.equal(read.headers['content-type'], 'application/json; charset=utf-8');
    const change = await api.lastChange();
    assert.deepEqual(change.object, { type: 'definition', id: flag.id, name: flag.name });
    assert.deepEqual([change.workspaceId, change.environmentId], [project.id, project.staging.id]);
    assert.deepEqual([change.before, asAnswered(change.after)], [undefined, body]);
    assert.equal(change.transactionId, headers['x-transaction-id']);
  });
  assert.deepEqual(actions, ['definition.created']);
  const elsewhere = path.replace(project.staging.id, project.production.id);
  refused(await api.get(elsewhere), 404, `Could not find splitmetadata ${flag.name}`);
});

test('absent and null members get their defaults', async () => {
  const { flag: _, project } = await anUndefinedFlag();
  const rule = {
    buckets: [{ treatment: 'on', size: 100 }],
    condition: { matchers: [{ type: 'IN_SEGMENT', string: 's' }] },
  };
  const table: [sent: Record<string, unknown>, member: string, expected: unknown][] = [
    [{}, 'baselineTreatment', 'off'],
    [{ baselineTreatment: null }, 'baselineTreatment', 'off'],
    [{}, 'trafficAllocation', 100],
    [{ trafficAllocation: null }, 'trafficAllocation', 100],
    [{ trafficAllocation: 0 }, 'trafficAllocation', 0],
    [{}, 'rules', []],
    [{ rules: null }, 'rules', []],
    [{}, 'killed', false],
    [{ killed: null }, 'killed', false],
    [{ killed: 'true' }, 'killed', true],
    [{ rules: [rule] }, 'rules', [{ ...rule, condition: { combiner: 'AND', ...rule.condition } }]],
  ];
  for (const [sent, member, expected] of table) {
    const { definition } = await aDefinedFlag(api, project, sent);
    assert.deepEqual((definition as Record<string, unknown>)[member], expected, JSON.stringify(sent));
  }
});

test('absent members are left out of answers, never null, and empty lists of a treatment are absent', async () => {
  const project = await aProject(api);
  const treatments = [
    { name: 'on', description: null, configurations: null, keys: null, segments: null },
    { name: 'off', keys: [], segments: [] },
  ];
  const matcher = {
    type: 'IN_SEGMENT',
    negate: false,
    attribute: null,
    string: 's',
    strings: null,
    number: null,
    date: null,
    between: null,
    bool: null,
    depends: null,
  };
  const buckets = [{ treatment: 'on', size: 100 }];
  const rules = [{ buckets, condition: { combiner: null, matchers: [matcher] } }];
  const { path } = await aDefinedFlag(api, project, { treatments, rules });
  const { body, text } = await api.get(path);
  assert.doesNotMatch(text, /null/);
  assert.deepEqual(body.treatments, [{ name: 'on' }, { name: 'off' }]);
  const condition = { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: 's' }] };
  assert.deepEqual(body.rules, [{ buckets, condition }]);
});

test('treatments, defaultTreatment and defaultRule are required', async () => {
  const { project, path } = await anUndefinedFlag();
  for (const member of ['treatments', 'defaultTreatment', 'defaultRule']) {
    for (const value of [undefined, null]) {
      await changesNothing(project, async () => {
        refused(await api.post(path, aDefinition({ [member]: value })), 400, new RegExp(`^${member} `));
      });
    }
  }
});

test('the path decides what only the server sets, and unknown fields are ignored', async () => {
  const { project, flag, path } = await anUndefinedFlag();
  const mine = {
    id: 'mine',
    name: 'mine',
    environment: { id: 'mine', name: 'mine' },
    trafficType: 'wrong type',
    creationTime: 'wrong type',
    lastUpdateTime: 1,
    lastTrafficReceivedAt: 1,
    changeNumber: 1,
    flagSets: null,
    impressionsDisabled: false,
    unknown: { deeply: ['nested'] },
  };
  for (const method of ['POST', 'PUT'] as const) {
    const { status, body } = await api.call(method, path, { body: { ...aDefinition(), ...mine } });
    assert.equal(status, 200);
    assert.deepEqual([body.id, body.name, body.environment.id], [flag.id, flag.name, project.staging.id]);
    assert.ok(body.creationTime > 1 && body.lastUpdateTime > 1 && body.trafficType.name === 'user');
    assert.ok(!('unknown' in body || 'changeNumber' in body));
  }
});

test('a whole GET answer may be sent back', async () => {
  const project = await aProject(api);
  const { path, definition } = await aDefinedFlag(api, project, full);
  const { creationTime, lastUpdateTime, ...rest } = (await api.get(path)).body;
  const back = await api.put(path, { ...rest, creationTime, lastUpdateTime });
  assert.equal(back.status, 200);
  assert.deepEqual(back.body, definition);
  const elsewhere = await api.post(path.replace(project.staging.id, project.production.id), back.body);
  assert.deepEqual(elsewhere.body.environment, { id: project.production.id, name: 'production' });
});

test('a body is read as JSON whatever its content type says', async () => {
  const { path } = await anUndefinedFlag();
  const types = ['text/plain', 'application/json; charset=utf-8', 'application/octet-stream'];
  for (const [index, type] of types.entries()) {
    const headers = { 'content-type': type };
    const method = index === 0 ? 'POST' : 'PUT';
    assert.equal((await api.call(method, path, { body: aDefinition(), headers })).status, 200, type);
  }
});

test('a flag is defined once in an environment', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  await changesNothing(project, async () => {
    const message = `Definition of ${flag.name} in staging already exists`;
    refused(await api.post(path, aDefinition({ trafficAllocation: 1 })), 409, message);
  });
});

test('a rule has a name for people, which can be patched and is absent if empty', async () => {
  const rule = {
    buckets: [{ treatment: 'on', size: 100 }],
    condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', strings: ['a'] }] },
  };
  const { path } = await aDefinedFlag(api, await aProject(api), {
    rules: [
      { name: 'Staff', ...rule },
      { name: '', ...rule },
    ],
  });
  const namesIn = ({ body }: { body: { rules: { name?: string }[] } }) => body.rules.map((one) => one.name);
  assert.deepEqual(namesIn(await api.get(path)), ['Staff', undefined]);
  const named = [{ op: 'add', path: '/rules/1/name', value: 'EU beta' }];
  assert.deepEqual(namesIn(await api.patch(path, named)), ['Staff', 'EU beta']);
  refused(await api.patch(path, [{ ...named[0], value: 'x'.repeat(101) }]), 400, /rules\/1\/name/);
  assert.deepEqual(namesIn(await api.patch(path, [{ op: 'remove', path: '/rules/0/name' }])), [undefined, 'EU beta']);
});

test('PUT replaces everything that a client decides', async () => {
  const project = await aProject(api);
  const { flag, path, definition: before } = await aDefinedFlag(api, project, full);
  const actions = await api.recorded(async () => {
    const { status, text, body } = await api.put(path, aDefinition());
    const { id, name, environment, trafficType, creationTime } = before;
    const expected = {
      id,
      name,
      environment,
      trafficType,
      killed: false,
      treatments: [{ name: 'on' }, { name: 'off' }],
      defaultTreatment: 'off',
      baselineTreatment: 'off',
      trafficAllocation: 100,
      rules: [],
      defaultRule: [{ treatment: 'off', size: 100 }],
      impressionsDisabled: false,
      creationTime,
      lastUpdateTime: body.lastUpdateTime,
    };
    assert.deepEqual([status, text], [200, JSON.stringify(expected)]);
    assert.equal((await api.get(path)).text, text);
    const change = await api.lastChange();
    assert.deepEqual([change.object.id, ...[change.before, change.after].map(asAnswered)], [flag.id, before, body]);
  });
  assert.deepEqual(actions, ['definition.replaced']);
});

test('deleting a definition takes it out of that environment alone', async () => {
  const project = await aProject(api);
  const { flag, path, definition } = await aDefinedFlag(api, project, full);
  const elsewhere = path.replace(project.staging.id, project.production.id);
  await api.post(elsewhere, aDefinition());
  const actions = await api.recorded(async () => {
    const request = { text: '', headers: { 'content-type': 'application/json' } };
    const { status, text } = await api.call('DELETE', path, request);
    assert.deepEqual([status, text], [200, 'true']);
  });
  assert.deepEqual(actions, ['definition.deleted']);
  const change = await api.lastChange();
  assert.deepEqual([asAnswered(change.before), change.after], [definition, undefined]);
  assert.equal(change.environmentId, project.staging.id);
  refused(await api.get(path), 404, `Could not find splitmetadata ${flag.name}`);
  assert.equal((await api.get(elsewhere)).status, 200);
  assert.equal((await api.get(`/splits/ws/${project.id}/${flag.name}`)).status, 200);
  assert.equal((await api.post(path, aDefinition())).status, 200, 'and can be defined again');
});

test('a PUT that does not speak of killed leaves a killed definition killed', async () => {
  const { path } = await aDefinedFlag(api, await aProject(api), { killed: true });
  const table = [
    [{}, true],
    [{ killed: null }, true],
    [{ killed: false }, false],
    [{}, false],
    [{ killed: 'true' }, true],
  ] as const;
  for (const [sent, killed] of table) {
    assert.equal((await api.put(path, aDefinition(sent))).body.killed, killed, JSON.stringify(sent));
  }
});

test('the list shows the definitions of one environment as GET does, in order of creation', async () => {
  const project = await aProject(api);
  const empty = { objects: [], offset: 0, limit: 20, totalCount: 0 };
  const list = `/splits/ws/${project.id}/environments/${project.staging.id}`;
  assert.equal((await api.get(list)).text, JSON.stringify(empty));
  const objects = [];
  for (const changes of [{ killed: true, trafficAllocation: 7 }, {}])
    objects.push((await aDefinedFlag(api, project, changes)).definition);
  await aFlag(api, project, uniqueName('undefined'));
  const expected = JSON.stringify({ ...empty, objects, totalCount: 2 });
  for (const path of [list, `${list}/`, `/splits/ws/${project.name}/environments/staging`]) {
    assert.equal((await api.get(path)).text, expected, path);
  }
  assert.deepEqual((await api.get(list.replace(project.staging.id, project.production.id))).body, empty);
});

test('a page has 20 definitions unless asked otherwise, at most 50', async () => {
  const project = await aProject(api);
  const names: string[] = [];
  for (let made = 0; made < 52; made += 1) names.push((await aDefinedFlag(api, project)).flag.name);
  const pages = [
    { query: '', offset: 0, limit: 20, found: names.slice(0, 20) },
    { query: '?limit=50', offset: 0, limit: 50, found: names.slice(0, 50) },
    { query: '?limit=51&offset=1', offset: 1, limit: 50, found: names.slice(1, 51) },
    { query: '?limit=7&offset=49', offset: 49, limit: 7, found: names.slice(49) },
    { query: '?offset=52', offset: 52, limit: 20, found: [] },
  ];
  const list = `/splits/ws/${project.id}/environments/staging`;
  for (const { query, offset, limit, found } of pages) {
    const { body } = await api.get(list + query);
    const objects = body.objects.map((definition: { name: string }) => definition.name);
    assert.deepEqual({ ...body, objects }, { objects: found, offset, limit, totalCount: 52 }, query);
  }
  for (const query of [
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1.5',
    'limit=',
    'offset=-1',
    'offset=x',
    'offset=0.5',
  ]) {
    refused(await api.get(`${list}?${query}`), 400, new RegExp(`^${query.split('=', 1)[0]} `));
  }
});
