import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { startCleanup } from '#jobs/cleanup.ts';
import { listLargeSegmentsOf } from '#store/large-segments.ts';
import { type Answer, refused, startApi } from '../support/app.ts';
import {
  aDefinedFlag,
  aProject,
  aRuleBasedSegment,
  aSegment,
  type ProjectFixture,
  uniqueName,
} from '../support/build.ts';
import { until } from '../support/until.ts';

const api = await startApi();

interface LargeSegment {
  readonly project: ProjectFixture;
  readonly name: string;
  readonly id: string;
  /** In staging, where it is active. */
  readonly path: string;
}

async function aLargeSegment(): Promise<LargeSegment> {
  const project = await aProject(api);
  const name = uniqueName('large');
  const { body } = await api.post(`/large-segments/ws/${project.id}/trafficTypes/user`, { name });
  const path = `/large-segments/${project.staging.id}/${name}`;
  assert.equal((await api.post(path)).status, 200);
  return { project, name, id: body.id, path };
}

const submit = ({ project, name }: LargeSegment, fields: object = {}, as?: string): Promise<Answer> =>
  api.post(
    `/changeRequests/ws/${project.id}/environments/${project.staging.id}`,
    { largeSegment: { name }, operationType: 'UPLOAD', ...fields },
    as === undefined ? {} : { as },
  );

/** The path of a new upload's address. */
async function addressFor(segment: LargeSegment, as?: string): Promise<string> {
  const { status, body, text } = await submit(segment, {}, as);
  assert.equal(status, 200, text);
  return new URL(body.transactionMetadata.url).pathname;
}

const send = (address: string, text: string): Promise<Answer> => api.put(address, undefined, { as: null, text });
const upload = async (segment: LargeSegment, text: string) => send(await addressFor(segment), text);

async function keysOf({ path }: LargeSegment): Promise<string[]> {
  const { body } = await api.get(`${path}/keys`);
  return body.keys.map(({ key }: { key: string }) => key);
}

const lastUpload = async ({ path }: LargeSegment) => (await api.get(`${path}/uploads`)).body[0];

test('the keys of a file replace those of the segment: trimmed, each once, sorted by bytes', async () => {
  const segment = await aLargeSegment();
  assert.deepEqual((await upload(segment, 'old\n')).body, { count: 1 });
  const file = ' b \r\nzz\na\n\n"c,""d"""\n\u{1F600}\n\uFF5E\nb\nlast';
  assert.deepEqual((await upload(segment, file)).body, { count: 7 });
  assert.deepEqual(await keysOf(segment), ['a', 'b', 'c,"d"', 'last', 'zz', '\uFF5E', '\u{1F600}']);
  const { body } = await api.get(`/large-segments/ws/${segment.project.id}/environments/staging`);
  assert.deepEqual(
    body.map((one: { name: string; count: number }) => [one.name, one.count]),
    [[segment.name, 7]],
  );
});

test('an upload takes a change number and is recorded with counts, digest and the first keys', async () => {
  const segment = await aLargeSegment();
  const address = new URL((await submit(segment, { title: 'Nightly', comment: 'export' })).body.transactionMetadata.url)
    .pathname;
  const numberOf = async () =>
    (
      await api.store.one<{ change_number: number }>(
        sql`select change_number from environments where id = ${segment.project.staging.id}`,
      )
    )?.change_number ?? 0;
  const before = await numberOf();
  const keys = Array.from({ length: 150 }, (_, index) => `key-${String(index).padStart(3, '0')}`);
  const actions = await api.recorded(() => send(address, keys.toReversed().join('\n')));
  assert.deepEqual(actions.sort(), ['changeset.published', 'segment.keys_uploaded']);
  const { body } = await api.get(`/auditLogs?workspaceId=${segment.project.id}&limit=2`);
  const change = body.data.find((one: { auditLogType: string }) => one.auditLogType === 'segment.keys_uploaded');
  const after = change.after as Record<string, unknown>;
  assert.deepEqual(
    [change.title, change.comment, change.editor.type, change.environmentId],
    ['Nightly', 'export', 'api_key', segment.project.staging.id],
  );
  assert.deepEqual(change.before, { name: segment.name, keyCount: 0 });
  assert.deepEqual([after.keyCount, after.firstKeys], [150, keys.slice(0, 100)]);
  assert.ok((await numberOf()) > before && after.changeNumber === (await numberOf()));
});

test('the same file again changes no keys', async () => {
  const segment = await aLargeSegment();
  await upload(segment, 'a\nb\n');
  const address = await addressFor(segment);
  assert.deepEqual(await api.recorded(() => send(address, 'b\na\n')), ['changeset.published']);
  assert.deepEqual([await keysOf(segment), (await lastUpload(segment)).status], [['a', 'b'], 'published']);
});

test('an address works once, for five minutes', async () => {
  const segment = await aLargeSegment();
  const message = 'This upload address does not work';
  const used = await addressFor(segment);
  assert.equal((await send(used, 'a\n')).status, 200);
  refused(await send(used, 'b\n'), 404, message);
  refused(await send(used.replace(/.$/, '-'), 'b\n'), 404, message);
  const late = await addressFor(segment);
  api.clock.now = Date.now() + 5 * 60_000 + 1;
  try {
    refused(await send(late, 'b\n'), 404, message);
    assert.deepEqual((await lastUpload(segment)).failure, 'No file was sent in time.');
  } finally {
    api.clock.now = undefined;
  }
  assert.deepEqual(await keysOf(segment), ['a']);
});

test('wrong addresses take no slot of uploads, however many are sent at once', async () => {
  const address = await addressFor(await aLargeSegment());
  const wrong = Array.from({ length: 10 }, () => send(address.replace(/.$/, '-'), 'b\n'));
  for (const answer of await Promise.all(wrong)) refused(answer, 404, 'This upload address does not work');
});

test('a file with a wrong line is refused by that line, and the segment keeps its keys', async () => {
  const segment = await aLargeSegment();
  await upload(segment, 'old\n');
  for (const [file, message] of [
    [`a\n${'x'.repeat(251)}\n`, 'line 2 must not have more than 250 characters'],
    [`a\n${'x'.repeat(100_000)}`, 'line 2 must not have more than 250 characters'],
    ['a\nb\nc,d\n', 'line 3 has more than one column'],
    ['a\nb"c\n', 'line 2 has a quote in the wrong place'],
    ['a\n\0\n', 'line 2 contains NUL'],
    ['\n\n', /^the file has no keys/],
    ['', /^the file has no keys/],
  ] as const) {
    refused(await upload(segment, file), 400, message);
    assert.match((await lastUpload(segment)).failure, typeof message === 'string' ? new RegExp(message) : message);
  }
  assert.deepEqual(await keysOf(segment), ['old']);
});

test('an upload that breaks off leaves the old keys and says so', async () => {
  const segment = await aLargeSegment();
  await upload(segment, 'old\n');
  const address = await addressFor(segment);
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  after(() => api.app.server.closeAllConnections());
  const sending = request(url + address, { method: 'PUT', headers: { 'content-length': 1_000_000 } });
  sending.on('error', () => undefined);
  sending.write('new\n'.repeat(10_000));
  await until('it is received', async () => (await lastUpload(segment)).status === 'receiving');
  sending.destroy();
  await until('it has failed', async () => (await lastUpload(segment)).status === 'failed');
  assert.equal((await lastUpload(segment)).failure, 'The upload was interrupted.');
  assert.deepEqual(await keysOf(segment), ['old']);
  const raw = request(url + (await addressFor(segment)), { method: 'PUT' });
  const answered = new Promise<number>((resolve) => raw.on('response', ({ statusCode = 0 }) => resolve(statusCode)));
  raw.end(Buffer.from([0x61, 0x0a, 0xff, 0x0a]));
  assert.equal(await answered, 400);
  assert.match((await lastUpload(segment)).failure, /not UTF-8 after line/);
});

test('the user who requested the upload must still be allowed to change the segment when the file arrives', async () => {
  const segment = await aLargeSegment();
  await upload(segment, 'old\n');
  const key = await api.key({ name: 'exporter', roles: ['API_SEGMENT_EDITOR'] });
  const address = await addressFor(segment, key);
  const { body } = await api.get('/apiKeys?limit=200');
  const { id } = body.objects.find(({ name }: { name: string }) => name === 'exporter');
  assert.equal((await api.delete(`/apiKeys/${id}`)).status, 200);
  refused(await send(address, 'new\n'), 401, /./);
  assert.deepEqual(await keysOf(segment), ['old']);
});

test('ARCHIVE removes all keys, and a segment without keys can be deactivated', async () => {
  const segment = await aLargeSegment();
  await upload(segment, 'a\nb\n');
  refused(await api.delete(segment.path), 400, /still has 2 keys in staging/);
  let answer: Answer | undefined;
  const actions = await api.recorded(async () => {
    answer = await submit(segment, { operationType: 'ARCHIVE' });
  });
  assert.deepEqual(
    [answer?.body.status, answer?.body.transactionMetadata, actions.sort()],
    ['PUBLISHED', null, ['changeset.created', 'changeset.published', 'segment.keys_archived']],
  );
  assert.equal((await api.get(`/changeRequests/${answer?.body.id}`)).body.operationType, 'ARCHIVE');
  assert.deepEqual(await keysOf(segment), []);
  const again = await api.recorded(() => submit(segment, { operationType: 'ARCHIVE' }));
  assert.deepEqual(again.sort(), ['changeset.created', 'changeset.published']);
  assert.deepEqual((await api.delete(segment.path)).body, true);
  refused(await api.get(`${segment.path}/keys`), 404, /Could not find segment/);
});

async function allKeysOf({ path }: { path: string }, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let from: string | null = ''; from !== null; ) {
    const { body } = await api.get(`${path}/keys?limit=${limit}&from=${encodeURIComponent(from)}`);
    found.push(...body.keys.map(({ key }: { key: string }) => key));
    from = body.next;
  }
  return found;
}

test('keys are listed in pages and looked up, however many blocks there are', async () => {
  const segment = await aLargeSegment();
  const keys = Array.from({ length: 5_000 }, (_, index) => `user-${String(index).padStart(5, '0')}`);
  assert.deepEqual((await upload(segment, keys.join('\n'))).body, { count: 5_000 });
  assert.deepEqual(await allKeysOf(segment, 1_000), keys);
  const place = { environmentId: segment.project.staging.id, segmentId: segment.id };
  for (const [key, isIn] of [
    ['user-00000', true],
    ['user-02500', true],
    ['user-04999', true],
    ['user-05000', false],
    ['user-0250', false],
    ['a', false],
    ['', false],
  ] as const) {
    const found = await listLargeSegmentsOf(api.store, place.environmentId, key);
    assert.deepEqual(
      found.map(({ name }) => name),
      isIn ? [segment.name] : [],
      key,
    );
  }
});

test('long keys, of which a block has only two, are listed in pages too', async () => {
  const segment = await aLargeSegment();
  const keys = Array.from({ length: 250 }, (_, index) => `${String(index).padStart(3, '0')}@${'€'.repeat(246)}`);
  assert.deepEqual((await upload(segment, keys.join('\n'))).body, { count: 250 });
  for (const limit of [1, 99, 250, 1_000]) assert.deepEqual(await allKeysOf(segment, limit), keys);
  const { body } = await api.get(`${segment.path}/keys?limit=2&from=100`);
  assert.deepEqual([body.keys, body.next], [keys.slice(100, 102).map((key) => ({ key })), keys[102]]);
  assert.deepEqual((await api.get(`${segment.path}/keys?from=9`)).body.keys, []);
});

test('memberships list standard and large segments by name, with when their keys changed, and no rule-based ones', async () => {
  const segment = await aLargeSegment();
  const { project } = segment;
  const { name: standard } = await aSegment(api, project, [project.staging], `before-${segment.name}`);
  const { name: ruleBased } = await aRuleBasedSegment(api, project, [project.staging]);
  await upload(segment, 'ada\ngrace\n');
  await api.put(`/segments/${project.staging.id}/${standard}/uploadKeys`, { keys: ['ada'] });
  const rules = [{ condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', strings: ['ada'] }] } }];
  const definition = `/rule-based-segments/ws/${project.id}/${ruleBased}/environments/staging`;
  assert.equal((await api.put(definition, { rules })).status, 200);
  const segmentsOf = async (key: string, environment = 'staging') =>
    (await api.get(`/segments/ws/${project.id}/environments/${environment}/memberships?key=${key}`)).body.segments;
  const active = `/large-segments/ws/${project.id}/environments/staging`;
  const [{ lastUpdateTime }] = (await api.get(active)).body;
  const [first, second, ...rest] = await segmentsOf('ada');
  assert.deepEqual([first.name, first.kind, rest], [standard, 'standard', []]);
  assert.deepEqual([second.name, second.kind], [segment.name, 'large']);
  assert.ok(second.since >= lastUpdateTime && first.since > second.since);
  assert.deepEqual(await segmentsOf('grace'), [second]);
  assert.deepEqual(await segmentsOf('grac'), []);
  assert.deepEqual(await segmentsOf('ada', 'production'), []);
});

test('a large segment that a definition names is not deleted; its name is taken for segments of every kind', async () => {
  const segment = await aLargeSegment();
  const { project, name } = segment;
  const matcher = { type: 'IN_SEGMENT', string: name };
  const rules = [{ buckets: [{ treatment: 'on', size: 100 }], condition: { combiner: 'AND', matchers: [matcher] } }];
  const { flag, path } = await aDefinedFlag(api, project, { rules });
  refused(await api.delete(`/large-segments/ws/${project.id}/${name}`), 409, new RegExp(`flag ${flag.name}`));
  refused(await api.post(`/large-segments/ws/${project.id}/trafficTypes/user`, { name }), 409, /already exists/);
  await api.delete(path);
  await upload(segment, 'a\n');
  assert.deepEqual((await api.delete(`/large-segments/ws/${project.id}/${name}`)).body, true);
  refused(await api.get(`/large-segments/ws/${project.id}/${name}`), 404, /Could not find segment/);
});

test('keys that no segment serves any more are deleted', async () => {
  const [replaced, deleted] = [await aLargeSegment(), await aLargeSegment()];
  await upload(replaced, 'old\n');
  await upload(replaced, 'new\n');
  await upload(deleted, 'gone\n');
  await api.delete(`/large-segments/ws/${deleted.project.id}/${deleted.name}`);
  const job = startCleanup({ store: api.store, log: pino({ level: 'silent' }), trafficDays: 400 });
  try {
    const served = sql`select list_id from segment_environments where list_id is not null`;
    await until('they are gone', async () => {
      const rows = await api.store.all(sql`
        select id as list from key_lists where id not in (${served})
        union all select list_id from key_list_blocks where list_id not in (${served})`);
      return rows.length === 0;
    });
  } finally {
    await job.stop();
  }
  assert.deepEqual(await keysOf(replaced), ['new']);
});
