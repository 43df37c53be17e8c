import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aProject, asAnswered } from '../support/build.ts';

const api = await startApi();

const buckets = (on: number) => [
  { treatment: 'on', size: on },
  { treatment: 'off', size: 100 - on },
];
const rule = (string: string) => ({
  buckets: [{ treatment: 'on', size: 100 }],
  condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string }] },
});

/** A definition in a project of its own: `on` has the keys a and b and a description, `off` has neither. */
async function aPatchable() {
  return aDefinedFlag(api, await aProject(api), {
    treatments: [{ name: 'on', description: 'the new way', keys: ['a', 'b'] }, { name: 'off' }],
    rules: [rule('first'), rule('second')],
  });
}

/** The attempt leaves neither a change of the definition nor an audit entry behind. */
async function changesNothing(path: string, attempt: () => Promise<unknown>) {
  const before = await api.get(path);
  assert.deepEqual(await api.recorded(attempt), []);
  const after = await api.get(path);
  assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag]);
}

test('replacing the default rule changes it alone, answers the whole definition and is recorded', async () => {
  const { flag, path, definition } = await aPatchable();
  const actions = await api.recorded(async () => {
    const operations = [{ op: 'replace', path: '/defaultRule', value: buckets(50) }];
    const { status, text, body, headers } = await api.patch(path, operations);
    const { creationTime, lastUpdateTime: _, ...rest } = definition;
    const expected = { ...rest, defaultRule: buckets(50), creationTime, lastUpdateTime: body.lastUpdateTime };
    assert.deepEqual([status, text], [200, JSON.stringify(expected)]);
    assert.ok(body.lastUpdateTime > definition.lastUpdateTime);
    const read = await api.get(path);
    assert.deepEqual([read.text, read.headers.etag], [text, headers.etag]);
    const change = await api.lastChange();
    assert.deepEqual(change.object, { type: 'definition', id: flag.id, name: flag.name });
    assert.deepEqual([change.before, change.after].map(asAnswered), [definition, body]);
    assert.equal(change.transactionId, headers['x-transaction-id']);
  });
  assert.deepEqual(actions, ['definition.patched']);
});

test('any field that a client decides can be patched', async () => {
  const [first, second] = [rule('first'), rule('second')];
  const table: [operations: Record<string, unknown>[], member: string, expected: unknown][] = [
    [[{ op: 'replace', path: '/trafficAllocation', value: 7 }], 'trafficAllocation', 7],
    [[{ op: 'replace', path: '/defaultTreatment', value: 'on' }], 'defaultTreatment', 'on'],
    [[{ op: 'add', path: '/baselineTreatment', value: 'on' }], 'baselineTreatment', 'on'],
    [[{ op: 'remove', path: '/trafficAllocation' }], 'trafficAllocation', 100],
    [[{ op: 'replace', path: '/rules', value: [second] }], 'rules', [second]],
    [[{ op: 'replace', path: '/rules', value: null }], 'rules', []],
    [[{ op: 'remove', path: '/rules' }], 'rules', []],
    [[{ op: 'remove', path: '/rules/0' }], 'rules', [second]],
    [[{ op: 'add', path: '/rules/-', value: first }], 'rules', [first, second, first]],
    [[{ op: 'add', path: '/rules/0', value: second }], 'rules', [second, first, second]],
    [[{ op: 'add', path: '/rules/2', value: first }], 'rules', [first, second, first]],
    [[{ op: 'move', from: '/rules/0', path: '/rules/1' }], 'rules', [second, first]],
    [[{ op: 'copy', from: '/rules/0', path: '/rules/-' }], 'rules', [first, second, first]],
    [[{ op: 'replace', path: '/rules/0/condition/matchers/0/string', value: 'second' }], 'rules', [second, second]],
    [
      [
        { op: 'test', path: '/defaultRule/0/size', value: 100 },
        { op: 'replace', path: '/defaultRule/0/size', value: 40 },
        { op: 'add', path: '/defaultRule/-', value: { treatment: 'on', size: 60 } },
      ],
      'defaultRule',
      [
        { treatment: 'off', size: 40 },
        { treatment: 'on', size: 60 },
      ],
    ],
  ];
  for (const [operations, member, expected] of table) {
    const { path } = await aPatchable();
    const { status, body, text } = await api.patch(path, operations);
    assert.equal(status, 200, text);
    assert.deepEqual(body[member], expected, JSON.stringify(operations));
    assert.deepEqual((await api.get(path)).body, body);
  }
});

test('keys are appended to a treatment, also to one that has none yet', async () => {
  const { path } = await aPatchable();
  const steps: [operation: Record<string, unknown>, on: string[] | undefined, off: string[] | undefined][] = [
    [{ op: 'add', path: '/treatments/0/keys/-', value: 'c' }, ['a', 'b', 'c'], undefined],
    [{ op: 'add', path: '/treatments/1/keys/-', value: 'd' }, ['a', 'b', 'c'], ['d']],
    [{ op: 'add', path: '/treatments/1/keys/0', value: 'e' }, ['a', 'b', 'c'], ['e', 'd']],
    [{ op: 'remove', path: '/treatments/0/keys/1' }, ['a', 'c'], ['e', 'd']],
    [{ op: 'move', from: '/treatments/0/keys/1', path: '/treatments/1/keys/-' }, ['a'], ['e', 'd', 'c']],
    [{ op: 'remove', path: '/treatments/0/keys/0' }, undefined, ['e', 'd', 'c']],
    [{ op: 'remove', path: '/treatments/1/keys' }, undefined, undefined],
    [{ op: 'add', path: '/treatments/0/keys', value: ['3'] }, ['3'], undefined],
    [{ op: 'replace', path: '/treatments/0/keys', value: [] }, undefined, undefined],
    [{ op: 'add', path: '/treatments/0/keys/-', value: '4' }, ['4'], undefined],
    [{ op: 'replace', path: '/treatments/0/keys', value: null }, undefined, undefined],
  ];
  for (const [operation, on, off] of steps) {
    const { status, body, text } = await api.patch(path, [operation]);
    assert.equal(status, 200, text);
    assert.deepEqual([body.treatments[0].keys, body.treatments[1].keys], [on, off], JSON.stringify(operation));
  }
  const { body } = await api.patch(path, [{ op: 'add', path: '/treatments/1/segments/-', value: 's' }]);
  assert.deepEqual(body.treatments[1].segments, ['s']);
});

test('a key may be moved or copied to a treatment that has none yet', async () => {
  const { path } = await aPatchable();
  const operations = [
    { op: 'move', from: '/treatments/0/keys/1', path: '/treatments/1/keys/-' },
    { op: 'copy', from: '/treatments/0/keys/0', path: '/treatments/1/segments/-' },
  ];
  const { body } = await api.patch(path, operations);
  assert.deepEqual(body.treatments, [
    { name: 'on', description: 'the new way', keys: ['a'] },
    { name: 'off', keys: ['b'], segments: ['a'] },
  ]);
});

test('a treatment is added, renamed everywhere, and removed', async () => {
  const { path } = await aPatchable();
  const rename = [
    { op: 'replace', path: '/treatments/1/name', value: 'away' },
    { op: 'replace', path: '/defaultTreatment', value: 'away' },
    { op: 'replace', path: '/baselineTreatment', value: 'away' },
    { op: 'replace', path: '/defaultRule/0/treatment', value: 'away' },
  ];
  assert.equal((await api.patch(path, rename)).body.treatments[1].name, 'away');
  const add = [{ op: 'add', path: '/treatments/-', value: { name: 'new', description: 'x' } }];
  assert.deepEqual((await api.patch(path, add)).body.treatments[2], { name: 'new', description: 'x' });
  const { body } = await api.patch(path, [{ op: 'remove', path: '/treatments/2' }]);
  assert.deepEqual(
    body.treatments.map((treatment: { name: string }) => treatment.name),
    ['on', 'away'],
  );
  await changesNothing(path, async () => {
    refused(await api.patch(path, [{ op: 'remove', path: '/treatments/1' }]), 400, /away is not a treatment/);
  });
});

test('killed is patched by a boolean or its text', async () => {
  const { path } = await aPatchable();
  for (const [value, expected] of [
    [true, true],
    [false, false],
    ['true', true],
    ['false', false],
  ] as const) {
    const { body } = await api.patch(path, [{ op: 'replace', path: '/killed', value }]);
    assert.equal(body.killed, expected, String(value));
  }
  for (const value of ['yes', 'True', 1, [true]]) {
    await changesNothing(path, async () => {
      refused(await api.patch(path, [{ op: 'replace', path: '/killed', value }]), 400, /killed/);
    });
  }
});

test('members that only the server sets can be tested but not changed', async () => {
  const { path, definition } = await aPatchable();
  const fields = ['id', 'name', 'environment', 'trafficType', 'creationTime', 'lastUpdateTime'];
  const attempts = fields.flatMap((field) => [
    { op: 'replace', path: `/${field}`, value: 'other' },
    { op: 'add', path: `/${field}`, value: 1 },
    { op: 'remove', path: `/${field}` },
    { op: 'copy', from: '/killed', path: `/${field}` },
  ]);
  const inside = [
    { op: 'replace', path: '/environment/id', value: 'other' },
    { op: 'replace', path: '/environment/name', value: 'other' },
    { op: 'add', path: '/environment/more', value: 1 },
    { op: 'replace', path: '/trafficType/name', value: 'account' },
    { op: 'move', from: '/name', path: '/defaultTreatment' },
  ];
  for (const operation of [...attempts, ...inside]) {
    await changesNothing(path, async () => {
      refused(await api.patch(path, [operation]), 400, /set by the server|cannot be changed/);
    });
  }
  for (const field of fields) {
    await changesNothing(path, async () => {
      refused(await api.patch(path, [{ op: 'test', path: `/${field}`, value: 'other' }]), 400, /test failed/);
    });
  }
  const tests = fields.map((field) => ({
    op: 'test',
    path: `/${field}`,
    value: definition[field as keyof typeof definition],
  }));
  assert.equal((await api.patch(path, tests)).status, 200);
});

test('one bad operation, or a result that is no valid definition, and nothing is changed', async () => {
  const { path } = await aPatchable();
  const good = { op: 'replace', path: '/trafficAllocation', value: 1 };
  const table: [operation: Record<string, unknown>, message: RegExp][] = [
    [{ op: 'replace', path: '/unknown', value: 1 }, /^1\/path: \/unknown /],
    [{ op: 'add', path: '/title', value: 'x' }, /^1\/path: \/title /],
    [{ op: 'add', path: '', value: {} }, /^1\/path/],
    [{ op: 'remove', path: '' }, /^1\/path/],
    [{ op: 'replace', path: 'killed', value: true }, /^1\/path/],
    [{ op: 'replace', path: '/rules/2', value: rule('x') }, /^1\/path: .*\/rules\/2/],
    [{ op: 'replace', path: '/rules/-', value: rule('x') }, /^1\/path: .*\/rules\/-/],
    [{ op: 'add', path: '/rules/3', value: rule('x') }, /^1\/path: .*\/rules\/3/],
    [{ op: 'add', path: '/rules/01', value: rule('x') }, /^1\/path: .*\/rules\/01/],
    [{ op: 'remove', path: '/rules/2' }, /^1\/path: .*\/rules\/2/],
    [{ op: 'remove', path: '/treatments/1/keys' }, /^1\/path: .*\/treatments\/1\/keys/],
    [{ op: 'replace', path: '/treatments/1/keys/0', value: 'x' }, /^1\/path/],
    [{ op: 'add', path: '/treatments/2/keys/-', value: 'x' }, /^1\/path/],
    [{ op: 'add', path: '/treatments/-/keys/-', value: 'x' }, /^1\/path/],
    [{ op: 'replace', path: '/killed~2', value: true }, /^1\/path/],
    [{ op: 'test', path: '/killed', value: true }, /^1\/.*test failed/],
    [{ op: 'test', path: '/unknown', value: 1 }, /^1\/path/],
    [{ op: 'move', from: '/rules/5', path: '/rules/0' }, /^1\/from/],
    [{ op: 'move', path: '/rules/0' }, /^1\/from/],
    [{ op: 'copy', from: '/nothing', path: '/killed' }, /^1\/from/],
    [{ op: 'move', from: '/rules', path: '/rules/0' }, /^1\/path/],
    [{ op: 'replace', path: '/killed' }, /^1\/value/],
    [{ op: 'add', path: '/treatments/0/keys/-', value: 'a' }, /^treatments\/0\/keys/],
    [{ op: 'add', path: '/treatments/1/keys/-', value: 'a' }, /^treatments\/1\/keys/],
    [{ op: 'add', path: '/treatments/0/keys/-', value: 7 }, /^treatments\/0\/keys\/2 /],
    [{ op: 'add', path: '/treatments/0/keys/-', value: ['c'] }, /^treatments\/0\/keys\/2 /],
    [{ op: 'replace', path: '/defaultRule', value: [{ treatment: 'on', size: 99 }] }, /^defaultRule .*100/],
    [{ op: 'replace', path: '/defaultRule/0/size', value: '100' }, /^defaultRule\/0\/size must be integer$/],
    [{ op: 'remove', path: '/defaultRule' }, /^defaultRule /],
    [{ op: 'replace', path: '/defaultRule', value: null }, /^defaultRule /],
    [{ op: 'remove', path: '/treatments' }, /^treatments /],
    [{ op: 'remove', path: '/treatments/0' }, /on is not a treatment/],
    [{ op: 'replace', path: '/defaultTreatment', value: 'absent' }, /^defaultTreatment absent /],
    [{ op: 'replace', path: '/trafficAllocation', value: 101 }, /^trafficAllocation /],
    [{ op: 'replace', path: '/rules/0/condition/matchers', value: [] }, /^rules\/0\/condition\/matchers /],
    [{ op: 'add', path: '/rules/0/condition/matchers/0/number', value: 1 }, /^rules\/0\/.*number does not belong/],
  ];
  for (const [operation, message] of table) {
    await changesNothing(path, async () => refused(await api.patch(path, [good, operation]), 400, message));
  }
});

test('a patch is an array of operations', async () => {
  const { path } = await aPatchable();
  const table: [body: unknown, message: RegExp][] = [
    [{ op: 'replace', path: '/killed', value: true }, /^body /],
    ['[]', /^body /],
    [null, /^body /],
    [undefined, /^body /],
    [['kill'], /^0 /],
    [[{ path: '/killed', value: true }], /^0\/op /],
    [[{ op: 'replace', value: true }], /^0\/path /],
    [[{ op: 'REPLACE', path: '/killed', value: true }], /^0\/op /],
    [[{ op: 'replace', path: 7, value: true }], /^0\/path /],
  ];
  for (const [body, message] of table) {
    await changesNothing(path, async () => refused(await api.patch(path, body), 400, message));
  }
  await changesNothing(path, async () =>
    refused(await api.call('PATCH', path, { text: '[{]' }), 400, /not valid JSON/),
  );
});

test('a patch is read as JSON whatever its content type says, and unknown fields of operations are ignored', async () => {
  const { path } = await aPatchable();
  for (const [index, type] of ['text/plain', 'application/json-patch+json', 'application/json'].entries()) {
    const operations = [{ op: 'replace', path: '/trafficAllocation', value: index, unknown: 1 }];
    const { body } = await api.patch(path, operations, { headers: { 'content-type': type } });
    assert.equal(body.trafficAllocation, index);
  }
});

test('a place that no definition has is refused, not passed over', async () => {
  const project = await aProject(api);
  const { path, definition } = await aDefinedFlag(api, project);
  const places = ['/treatments/0/configuration', '/rules/0/bucket', '/treatments/0/keys/0/x', '/flagSet', '/killed/x'];
  const actions = await api.recorded(async () => {
    for (const place of places) {
      refused(
        await api.patch(path, [{ op: 'add', path: place, value: 'x' }]),
        400,
        `0/path: ${place} cannot be changed by a patch`,
      );
    }
  });
  assert.deepEqual(actions, []);
  assert.deepEqual((await api.get(path)).body, definition);
});

test('a patch that removes killed does not restore what was killed', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  await api.put(`${path}/kill`);
  assert.equal((await api.patch(path, [{ op: 'remove', path: '/killed' }])).body.killed, true);
});

test('a body that is wrong in many places is answered with the first fifty complaints', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  const treatments = [{ name: 'on', keys: Array.from({ length: 5000 }, () => 'same') }, { name: 'off' }];
  const { status, body } = await api.patch(path, [{ op: 'replace', path: '/treatments', value: treatments }]);
  const lines = body.details.split('\n');
  assert.deepEqual([status, lines.length, lines.at(-1)], [400, 51, 'and 4949 more']);
});
