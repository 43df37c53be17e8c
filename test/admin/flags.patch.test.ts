import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aFlag, aProject, type ProjectFixture } from '../support/build.ts';

const api = await startApi();

interface Status {
  readonly id: string;
  readonly name: string;
}
const statusNamed = async (project: { id: string }, name: string): Promise<Status> =>
  (await api.get(`/rolloutStatuses?wsId=${project.id}`)).body.find((status: Status) => status.name === name);

/** A new flag in a new project. */
async function aFlagPath() {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  return { project, flag, path: `/splits/ws/${project.id}/${flag.name}` };
}

/** The attempt leaves neither a change of the flag nor an audit entry behind. */
async function changesNothing(path: string, attempt: () => Promise<unknown>) {
  const before = await api.get(path);
  assert.deepEqual(await api.recorded(attempt), []);
  const after = await api.get(path);
  assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag]);
}

test('a patch answers the flag after the change, without owners, and is recorded once', async () => {
  const { project, flag } = await aFlagPath();
  for (const word of [flag.name, flag.id]) {
    const path = `/splits/ws/${project.name}/${word}/`;
    const { owners: _, ...before } = (await api.get(path)).body;
    const actions = await api.recorded(async () => {
      const { status, text, headers } = await api.patch(path, [
        { op: 'replace', path: '/description', value: `patched by ${word}` },
        { op: 'replace', path: '/tags', value: [{ name: word }] },
      ]);
      assert.equal(status, 200);
      const expected = { ...before, description: `patched by ${word}`, tags: [{ name: word }] };
      assert.equal(text, JSON.stringify(expected));
      const change = await api.lastChange();
      assert.deepEqual(
        [change.before, change.after],
        [
          { ...before, owners: [] },
          { ...expected, owners: [] },
        ],
      );
      assert.deepEqual([change.object.id, change.transactionId], [flag.id, headers['x-transaction-id']]);
    });
    assert.deepEqual(actions, ['flag.patched']);
  }
});

test('tags are null or a list of names, changed as a whole, by index or by appending', async () => {
  const { path } = await aFlagPath();
  const steps: [operation: object, tags: string[] | null][] = [
    [{ op: 'add', path: '/tags/-', value: 'first' }, ['first']],
    [{ op: 'add', path: '/tags/-', value: { name: 'second' } }, ['first', 'second']],
    [{ op: 'add', path: '/tags/0', value: 'zeroth' }, ['zeroth', 'first', 'second']],
    [{ op: 'replace', path: '/tags/1', value: { name: 'First' } }, ['zeroth', 'First', 'second']],
    [{ op: 'add', path: '/tags/-', value: 'first' }, ['zeroth', 'First', 'second', 'first']],
    [{ op: 'remove', path: '/tags/0' }, ['First', 'second', 'first']],
    [{ op: 'replace', path: '/tags', value: ['x', { name: 'y z' }] }, ['x', 'y z']],
    [{ op: 'replace', path: '/tags', value: [] }, null],
    [{ op: 'add', path: '/tags', value: [{ name: 'again' }] }, ['again']],
    [{ op: 'replace', path: '/tags', value: null }, null],
    [{ op: 'add', path: '/tags/0', value: 'only' }, ['only']],
    [{ op: 'remove', path: '/tags/0' }, null],
    [{ op: 'add', path: '/tags', value: ['last'] }, ['last']],
    [{ op: 'remove', path: '/tags' }, null],
  ];
  for (const [operation, names] of steps) {
    const tags = names?.map((name) => ({ name })) ?? null;
    const { status, body, text } = await api.patch(path, [operation]);
    assert.equal(status, 200, text);
    assert.deepEqual(body.tags, tags, JSON.stringify(operation));
    assert.deepEqual((await api.get(path)).body.tags, tags);
  }
});

test('a tag may be tested, and a failing test changes nothing', async () => {
  const { path } = await aFlagPath();
  await api.patch(path, [{ op: 'add', path: '/tags', value: ['old'] }]);
  const replaceWhere = (value: unknown) => [
    { op: 'replace', path: '/tags/0', value: 'new' },
    { op: 'test', path: '/description', value },
  ];
  await changesNothing(path, async () => refused(await api.patch(path, replaceWhere('x')), 400, /^1\/.*test failed/));
  assert.deepEqual((await api.patch(path, replaceWhere(''))).body.tags, [{ name: 'new' }]);
});

test('the rollout status is changed by its id or as a whole', async () => {
  const { project, path } = await aFlagPath();
  const [ramping, experimenting] = [await statusNamed(project, 'Ramping'), await statusNamed(project, 'Experimenting')];
  const steps: [operation: object, expected: Status][] = [
    [{ op: 'replace', path: '/rolloutStatus/id', value: ramping.id }, ramping],
    [{ op: 'replace', path: '/rolloutStatus', value: { id: experimenting.id } }, experimenting],
    [{ op: 'add', path: '/rolloutStatus/id', value: ramping.id }, ramping],
    [{ op: 'add', path: '/rolloutStatus', value: { id: experimenting.id, name: 'any' } }, experimenting],
  ];
  for (const [operation, { id, name }] of steps) {
    const { body } = await api.patch(path, [operation]);
    assert.deepEqual(body.rolloutStatus, { id, name }, JSON.stringify(operation));
  }
});

test('the time of the rollout status moves only when the status really changes', async (t) => {
  t.after(() => {
    api.clock.now = undefined;
  });
  const base = 1_650_000_000_000;
  api.clock.now = base;
  const { project, path } = await aFlagPath();
  const start = (await api.get(path)).body;
  const [same, ramping] = [start.rolloutStatus.id, (await statusNamed(project, 'Ramping')).id];
  const patchAt = async (now: number, operation: object) => {
    api.clock.now = now;
    return (await api.patch(path, [operation])).body.rolloutStatusTimestamp;
  };
  const table: [at: number, operation: object, timestamp: number][] = [
    [base + 100, { op: 'replace', path: '/description', value: 'other' }, base],
    [base + 200, { op: 'replace', path: '/rolloutStatus/id', value: same }, base],
    [base + 300, { op: 'replace', path: '/rolloutStatus/id', value: ramping }, base + 300],
    [base + 400, { op: 'replace', path: '/rolloutStatus', value: { id: ramping } }, base + 300],
    [base + 500, { op: 'replace', path: '/tags', value: ['x'] }, base + 300],
    [base + 600, { op: 'replace', path: '/rolloutStatus/id', value: same }, base + 600],
  ];
  for (const [at, operation, timestamp] of table) {
    assert.equal(await patchAt(at, operation), timestamp, JSON.stringify(operation));
  }
  assert.equal((await api.get(path)).body.creationTime, base);
});

test('a patch that names anything else, or leaves no valid flag, is refused as a whole', async () => {
  const { project, path } = await aFlagPath();
  const foreign = await statusNamed(await aProject(api), 'Ramping');
  const killed = await statusNamed(project, 'Killed');
  await api.patch(path, [{ op: 'add', path: '/tags', value: ['there'] }]);
  const table: [operation: Record<string, unknown>, message: RegExp][] = [
    [{ op: 'replace', path: '/name', value: 'other' }, /1\/path: \/name /],
    [{ op: 'replace', path: '/id', value: 'other' }, /1\/path: \/id /],
    [{ op: 'replace', path: '/trafficType', value: { id: 'x' } }, /1\/path: \/trafficType /],
    [{ op: 'replace', path: '/creationTime', value: 1 }, /1\/path: \/creationTime /],
    [{ op: 'replace', path: '/rolloutStatusTimestamp', value: 1 }, /1\/path: \/rolloutStatusTimestamp /],
    [{ op: 'replace', path: '/rolloutStatus/name', value: 'Killed' }, /1\/path: \/rolloutStatus\/name /],
    [{ op: 'replace', path: '/owners/0/id', value: 'x' }, /1\/path: \/owners\/0\/id /],
    [{ op: 'replace', path: '/tags/0/name', value: 'x' }, /1\/path: \/tags\/0\/name /],
    [{ op: 'add', path: '/tags/x', value: 'x' }, /1\/path: \/tags\/x /],
    [{ op: 'add', path: '', value: {} }, /1\/path/],
    [{ op: 'add', path: 'description', value: 'x' }, /1\/path/],
    [{ op: 'add', path: '/tags/5', value: 'x' }, /1\/path/],
    [{ op: 'remove', path: '/tags/1' }, /1\/path/],
    [{ op: 'replace', path: '/tags/-', value: 'x' }, /1\/path/],
    [{ op: 'add', path: '/tags/-', value: 'there' }, /tags/],
    [{ op: 'add', path: '/tags', value: ['a', { name: 'a' }] }, /tags/],
    [{ op: 'add', path: '/tags', value: 'a' }, /tags/],
    [{ op: 'add', path: '/tags/-', value: '' }, /tags/],
    [{ op: 'add', path: '/tags/-', value: 7 }, /tags/],
    [{ op: 'add', path: '/tags/-', value: null }, /tags/],
    [{ op: 'replace', path: '/description', value: 'x'.repeat(2001) }, /description/],
    [{ op: 'replace', path: '/description', value: 7 }, /description/],
    [{ op: 'replace', path: '/rolloutStatus/id', value: foreign.id }, /rolloutStatus/],
    [{ op: 'replace', path: '/rolloutStatus/id', value: 'Killed' }, /rolloutStatus/],
    [{ op: 'replace', path: '/rolloutStatus', value: killed.id }, /rolloutStatus/],
    [{ op: 'replace', path: '/rolloutStatus', value: { name: 'Killed' } }, /rolloutStatus/],
    [{ op: 'remove', path: '/rolloutStatus' }, /rolloutStatus/],
    [{ op: 'replace', path: '/rolloutStatus', value: null }, /rolloutStatus/],
    [{ op: 'replace', path: '/description' }, /1\/value/],
    [{ op: 'merge', path: '/description', value: 'x' }, /^1\/op /],
    [{ op: 'replace', value: 'x' }, /^1\/path /],
  ];
  for (const [operation, message] of table) {
    const operations = [{ op: 'replace', path: '/description', value: 'lost' }, operation];
    await changesNothing(path, async () => refused(await api.patch(path, operations), 400, message));
  }
});

test('a patch is an array of operations', async () => {
  const { path } = await aFlagPath();
  for (const body of [{ op: 'replace', path: '/description', value: 'x' }, 'x', null, undefined, [7], [null]]) {
    await changesNothing(path, async () => refused(await api.patch(path, body), 400, /^(body|0) /));
  }
  await changesNothing(path, async () =>
    refused(await api.call('PATCH', path, { text: '[{]' }), 400, /not valid JSON/),
  );
});

test('a patch is read as JSON whatever its content type says', async () => {
  const { path } = await aFlagPath();
  for (const type of ['text/plain', 'application/json-patch+json', 'application/x-www-form-urlencoded']) {
    const operations = [{ op: 'replace', path: '/description', value: type }];
    const { body } = await api.patch(path, operations, { headers: { 'content-type': type } });
    assert.equal(body.description, type);
  }
});

test('a change of a flag leaves its definitions alone', async () => {
  const project: ProjectFixture = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const before = await api.get(path);
  const operations = [{ op: 'replace', path: '/rolloutStatus/id', value: (await statusNamed(project, 'Killed')).id }];
  await api.patch(`/splits/ws/${project.id}/${flag.name}`, operations);
  const after = await api.get(path);
  assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag]);
});

test('updateDescription takes a JSON string, or else the body as it is', async () => {
  const { project, flag, path } = await aFlagPath();
  const table = [
    ['"quoted \\"text\\" ü"', 'quoted "text" ü'],
    ['raw text, not JSON', 'raw text, not JSON'],
    ['"only half a quote', '"only half a quote'],
    ['42', '42'],
    ['true', 'true'],
    ['{"a":1}', '{"a":1}'],
    ['""', ''],
    ['again', 'again'],
    ['', ''],
    ['x'.repeat(2000), 'x'.repeat(2000)],
  ] as const;
  for (const type of [undefined, 'application/json', 'text/plain']) {
    for (const [text, description] of table) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const { owners: _, ...before } = (await api.get(path)).body;
      const actions = await api.recorded(async () => {
        const answer = await api.call('PUT', `${path}/updateDescription`, { text, headers });
        assert.equal(answer.text, JSON.stringify({ ...before, description }), text);
      });
      assert.deepEqual(actions, ['flag.described']);
      const change = await api.lastChange();
      assert.equal((change.after as { description: string }).description, description);
    }
  }
  const byId = `/splits/ws/${project.name}/${flag.id}/updateDescription/`;
  assert.equal((await api.put(byId, 'by id')).body.description, 'by id');
});

test('updateDescription without any body empties the description', async () => {
  const { path } = await aFlagPath();
  await api.put(`${path}/updateDescription`, 'text');
  assert.equal((await api.call('PUT', `${path}/updateDescription`)).body.description, '');
});

test('updateDescription keeps to the limits of a description and of a body', async () => {
  const { path } = await aFlagPath();
  await changesNothing(path, async () => {
    refused(await api.put(`${path}/updateDescription`, 'x'.repeat(2001)), 400, /description/);
    refused(await api.put(`${path}/updateDescription`, 'x'.repeat(1_048_576)), 413, /larger than/);
  });
});
