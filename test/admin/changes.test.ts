import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import type { Change } from '#domain/changes.ts';
import { hashOf } from '#security/secrets.ts';
import { findAccount } from '#store/account.ts';
import { listChanges } from '#store/changes.ts';
import { listMails } from '#store/outbox.ts';
import { type Answer, refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, type ProjectFixture, uniqueName } from '../support/build.ts';

const api = await startApi();

/** The newest entries of the audit log that the query asks for. */
async function logOf(query: string, as?: string): Promise<Change[]> {
  const answer = await api.get(`/auditLogs?limit=200&${query}`, as === undefined ? {} : { as });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

const typesOf = (changes: readonly Change[]) => changes.map((change) => change.auditLogType);

test('an entry says who did what to which thing, when and in which request', async () => {
  const project = await aProject(api);
  const answer = await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: uniqueName('flag') });
  const flag = answer.body;
  const [entry] = await logOf(`objectId=${flag.id}`);
  assert.ok(entry);
  const { id, editor, createdAt } = entry;
  assert.deepEqual(entry, {
    id,
    type: 'audit_log',
    auditLogType: 'flag.created',
    object: { type: 'flag', id: flag.id, name: flag.name },
    workspaceId: project.id,
    editor: { type: 'api_key', id: editor.id, name: 'First admin key' },
    createdAt,
    after: { ...flag, owners: [] },
    transactionId: answer.headers['x-transaction-id'],
  });
  assert.equal(createdAt, flag.creationTime);
});

test('before is absent when a thing is created, after when it is deleted, and both show a change', async () => {
  const name = uniqueName('group');
  const { body: created } = await api.post('/groups', { name });
  const { body: replaced } = await api.put(`/groups/${created.id}`, { name, description: 'new' });
  await api.delete(`/groups/${created.id}`);
  const entries = await logOf(`objectId=${created.id}`);
  assert.deepEqual(
    entries.map(({ auditLogType, before, after }) => [auditLogType, before, after]),
    [
      ['group.deleted', { ...replaced, members: [] }, undefined],
      ['group.replaced', created, replaced],
      ['group.created', undefined, created],
    ],
  );
  for (const entry of entries) assert.equal('workspaceId' in entry, false, 'what is of the account has no project');
});

test('title and comment are kept in the log, from the query or the body, and left out where none were given', async () => {
  const project = await aProject(api);
  const { path, flag } = await aDefinedFlag(api, project);
  await api.put(`${path}/kill?title=Stop&comment=on+fire`);
  await api.put(`${path}/restore`, { title: 'Go', comment: 'put out' });
  const [restored, killed, created] = await logOf(`objectId=${flag.id}&objectType=definition`);
  assert.deepEqual([killed?.title, killed?.comment], ['Stop', 'on fire']);
  assert.deepEqual([restored?.title, restored?.comment], ['Go', 'put out']);
  assert.ok(created && !('title' in created) && !('comment' in created));
  assert.deepEqual([killed?.workspaceId, killed?.environmentId], [project.id, project.staging.id]);
});

test('entries come newest first and are paged by markers that are null exactly on the last page', async () => {
  const { id } = await aProject(api);
  const as = await api.key({ scope: { kind: 'project', projectId: id } });
  for (const path of ['/name', '/name', '/name', '/name']) {
    await api.patch(`/workspaces/${id}`, [{ op: 'replace', path, value: uniqueName('project') }]);
  }
  const query = `objectType=workspace&objectId=${id}`;
  const all = await logOf(query);
  assert.deepEqual(typesOf(all), [...Array(4).fill('workspace.patched'), 'workspace.created']);
  assert.ok(all.every((entry, index) => index === 0 || entry.createdAt <= (all[index - 1]?.createdAt ?? 0)));
  const pages = [(await api.get(`/auditLogs?limit=2&${query}`, { as })).body];
  while (pages.at(-1).nextMarker !== null && pages.length < 10) {
    pages.push((await api.get(`/auditLogs?limit=2&${query}&after=${pages.at(-1).nextMarker}`, { as })).body);
  }
  assert.deepEqual(
    pages.map((page) => page.count),
    [2, 2, 1],
  );
  assert.deepEqual(
    pages.map((page) => page.previousMarker === null),
    [false, false, true],
  );
  assert.deepEqual(
    pages.flatMap((page) => page.data),
    all,
  );
  const back = (await api.get(`/auditLogs?limit=2&${query}&before=${pages[1].previousMarker}`, { as })).body;
  assert.deepEqual(back, pages[0]);
});

test('a page has 20 entries unless asked otherwise, and never more than 200', async () => {
  for (const [query, limit] of Object.entries({ '': 20, 'limit=1': 1, 'limit=5000': 200 })) {
    assert.equal((await api.get(`/auditLogs?${query}`)).body.limit, limit);
  }
});

test('a page ends before its limit where its entries are large, and following either marker shows every entry once', async () => {
  const project = await aProject(api);
  const keys = Array.from({ length: 90_000 }, (_, index) => index.toString(36));
  const { path, flag } = await aDefinedFlag(api, project, { treatments: [{ name: 'on', keys }, { name: 'off' }] });
  for (const switched of ['kill', 'restore', 'kill', 'restore']) await api.put(`${path}/${switched}`);
  const query = `limit=200&objectId=${flag.id}`;
  const pages = [(await api.get(`/auditLogs?${query}`)).body];
  while (pages.at(-1).nextMarker !== null && pages.length < 10) {
    pages.push((await api.get(`/auditLogs?${query}&after=${pages.at(-1).nextMarker}`)).body);
  }
  assert.deepEqual(
    pages.map((page) => [page.count, page.limit, page.previousMarker === null]),
    [
      [1, 200, false],
      [1, 200, false],
      [1, 200, false],
      [3, 200, true],
    ],
  );
  assert.deepEqual(typesOf(pages.flatMap((page) => page.data)), [
    'definition.restored',
    'definition.killed',
    'definition.restored',
    'definition.killed',
    'definition.created',
    'flag.created',
  ]);
  const back = [(await api.get(`/auditLogs?${query}&before=${pages[2].previousMarker}`)).body];
  back.unshift((await api.get(`/auditLogs?${query}&before=${back[0].previousMarker}`)).body);
  // Told by their ids: comparing the entries themselves would say too much when they differ.
  const idsOn = (page: { data: Change[] }) => page.data.map(({ id }) => id);
  assert.deepEqual(back.map(idsOn), pages.slice(0, 2).map(idsOn));
  assert.equal(back[1].nextMarker, pages[1].nextMarker);
});

test('an offset skips the newest entries, and one that is too large is refused', async () => {
  const { id } = (await api.post('/groups', { name: uniqueName('group') })).body;
  for (const description of ['1', '2', '3']) await api.put(`/groups/${id}`, { description });
  const all = await logOf(`objectId=${id}`);
  assert.equal(all.length, 4);
  assert.deepEqual(await logOf(`objectId=${id}&offset=1`), all.slice(1));
  assert.deepEqual(await logOf(`objectId=${id}&offset=4`), []);
  refused(await api.get('/auditLogs?offset=10001'), 400, /^offset must not be more than 10000; /);
});

test('invalid queries are refused', async () => {
  for (const [query, message] of [
    ['limit=0', /^limit /],
    ['objectType=spaceship', /^objectType /],
    ['from=yesterday', /^from /],
    ['to=1.5', /^to /],
    ['from=9007199254740993', /^from /],
    ['from=-100000000000000000000', /^from /],
    ['to=99999999999999999999999', /^to /],
    ['after=x', /marker/],
    ['before=x', /marker/],
  ] as const) {
    refused(await api.get(`/auditLogs?${query}`), 400, message);
  }
});

test('the log is narrowed by type and id of the object, by who acted, and by time, inclusive at both ends', async () => {
  const text = await api.key({ name: uniqueName('actor') });
  const keys = (await api.get('/apiKeys?limit=200')).body.objects;
  const actor = keys.at(-1).id;
  const groups: { id: string }[] = [];
  const start = 2_000_000_000_000;
  for (const step of [0, 1, 2]) {
    api.clock.now = start + step * 1000;
    groups.push((await api.post('/groups', { name: uniqueName('group') }, { as: text })).body);
  }
  await api.delete(`/groups/${groups[0]?.id}`);
  api.clock.now = undefined;
  const idsFor = async (query: string) => (await logOf(`actor=${actor}&${query}`)).map((entry) => entry.object.id);
  const [first, second, third] = groups.map((group) => group.id);
  for (const [query, expected] of [
    ['', [third, second, first]],
    ['objectType=group', [third, second, first]],
    ['objectType=user', []],
    [`objectId=${second}`, [second]],
    [`objectType=group&objectId=${third}`, [third]],
    [`objectType=flag&objectId=${third}`, []],
    [`from=${start + 1000}`, [third, second]],
    [`from=${start + 1001}`, [third]],
    [`to=${start + 1000}`, [second, first]],
    [`to=${start + 999}`, [first]],
    [`from=${start + 1000}&to=${start + 1000}`, [second]],
    [`from=${start + 2000}&to=${start}`, []],
  ] as const) {
    assert.deepEqual(await idsFor(query), expected, query);
  }
  assert.deepEqual(typesOf(await logOf(`objectId=${first}`)), ['group.deleted', 'group.created'], 'whoever acted');
  assert.deepEqual(await logOf('actor=nobody'), []);
});

test('the log is narrowed by project and environment, and filters narrow each other', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const { flag, path } = await aDefinedFlag(api, mine);
  await aDefinedFlag(api, other);
  await api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 50 }]);
  await api.post(`/splits/ws/${mine.id}/${flag.name}/environments/${mine.production.id}`, aDefinition());
  const all = ['definition.created', 'definition.patched', 'definition.created', 'flag.created'];
  for (const [query, expected] of [
    [`workspaceId=${mine.id}`, [...all, 'environment.created', 'environment.created', 'workspace.created']],
    [`workspaceId=${mine.id}&objectId=${flag.id}`, all],
    [`workspaceId=${mine.id}&objectId=${flag.id}&objectType=flag`, ['flag.created']],
    [`workspaceId=${other.id}&objectId=${flag.id}`, []],
    [`environmentId=${mine.production.id}`, ['definition.created', 'environment.created']],
    [`environmentId=${mine.staging.id}&objectId=${flag.id}`, ['definition.patched', 'definition.created']],
    [`workspaceId=${other.id}&environmentId=${mine.staging.id}`, []],
    ['workspaceId=absent', []],
  ] as const) {
    assert.deepEqual(typesOf(await logOf(query)), expected, query);
  }
});

test('a filter shows nothing that is outside the scope of the key', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const as = await api.key({ scope: { kind: 'project', projectId: mine.id } });
  for (const query of [`workspaceId=${other.id}`, `environmentId=${other.staging.id}`]) {
    assert.notDeepEqual(await logOf(query), [], query);
    assert.deepEqual(await logOf(query, as), [], query);
  }
});

/** What only an evaluation needs, of the flag's definition in staging. */
async function seedsOf(project: { id: string }, flag: { name: string }) {
  const { definitions } = (await api.get(`/splits/ws/${project.id}/${flag.name}?expand=definitions`)).body;
  const [{ seed, trafficAllocationSeed, algo }] = definitions;
  return { seed, trafficAllocationSeed, algo };
}

/** The number in an ETag is that of the change. */
const numberIn = ({ headers }: Answer) => Number(String(headers.etag).slice(1).split('-')[0]);

test('the entries of a definition hold all of it, before and after, with its seeds and its change number', async () => {
  const project = await aProject(api);
  const { path, flag } = await aDefinedFlag(api, project);
  const seeds = await seedsOf(project, flag);
  const answers = [
    await api.get(path),
    await api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 50 }]),
    await api.put(`${path}/kill`),
  ];
  await api.delete(path);
  const [created, patched, killed] = answers.map((answer) => ({
    ...answer.body,
    ...seeds,
    changeNumber: numberIn(answer),
  }));
  const entries = await logOf(`objectId=${flag.id}&objectType=definition`);
  assert.deepEqual(
    entries.map(({ before, after }) => [before, after]),
    [
      [killed, undefined],
      [patched, killed],
      [created, patched],
      [undefined, created],
    ],
  );
});

test('a deleted flag can be made again from its entries without moving any key to another bucket', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project, {
    trafficAllocation: 60,
    defaultRule: [
      { treatment: 'on', size: 30 },
      { treatment: 'off', size: 70 },
    ],
  });
  const [definition, seeds] = [(await api.get(path)).body, await seedsOf(project, flag)];
  await api.delete(`/splits/ws/${project.id}/${flag.name}`);
  const [{ before } = assert.fail()] = await logOf(`objectId=${flag.id}&objectType=definition`);
  await aFlag(api, project, flag.name);
  const again = await api.post(path, before);
  assert.equal(again.status, 200, again.text);
  assert.deepEqual(await seedsOf(project, flag), seeds);
  const { id, creationTime, lastUpdateTime } = again.body;
  assert.deepEqual(again.body, { ...definition, id, creationTime, lastUpdateTime });
});

test('deleting a flag stores no definition again, however large its definitions are', async () => {
  const project = await aProject(api);
  const keys = Array.from({ length: 500 }, (_, index) => `key-${index}`);
  const treatments = [{ name: 'on', keys }, { name: 'off' }];
  const { flag } = await aDefinedFlag(api, project, { treatments });
  await api.delete(`/splits/ws/${project.id}/${flag.name}`);
  const rows = await api.store.all<{ action: string; bytes: number }>(sql`
    select action, coalesce(octet_length(before_body), 0) as bytes from changes
     where object_id = ${flag.id} and after_body is null order by id`);
  assert.deepEqual(
    rows.map(({ action, bytes }) => [action, bytes]),
    [
      ['definition.deleted', 0],
      ['flag.deleted', 0],
    ],
  );
});

test('a definition takes the seeds and the algorithm that it is created with, and keeps them when it is replaced', async () => {
  const project = await aProject(api);
  const seeds = { seed: -2_147_483_648, trafficAllocationSeed: 2_147_483_647, algo: 1 };
  const { flag, path } = await aDefinedFlag(api, project, seeds);
  assert.deepEqual(await seedsOf(project, flag), seeds);
  const replaced = await api.put(
    path,
    aDefinition({ seed: 1, trafficAllocationSeed: 2, algo: 2, trafficAllocation: 5 }),
  );
  assert.equal(replaced.status, 200);
  assert.deepEqual(await seedsOf(project, flag), seeds);
  const other = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  for (const wrong of [
    { seed: 1 },
    { trafficAllocationSeed: 1 },
    { ...seeds, seed: 2_147_483_648 },
    { ...seeds, seed: '1' },
  ]) {
    refused(
      await api.post(other, aDefinition(wrong)),
      400,
      /[sS]eed must be an integer from -2147483648 to 2147483647/,
    );
  }
  refused(await api.post(other, aDefinition({ ...seeds, algo: 3 })), 400, /algo must be 1 or 2/);
  refused(await api.post(other, aDefinition({ algo: 1 })), 400, /algo 1 must be sent with both seeds/);
  assert.equal((await api.post(other, aDefinition({ seed: null, trafficAllocationSeed: null }))).status, 200);
});

interface Stored {
  readonly action: string;
  readonly previous: string | null;
  readonly before: string | null;
}
const storedOf = (objectId: string) =>
  api.store.all<Stored>(sql`
    select c.action, p.action as previous, c.before_body as before
      from changes c left join changes p on p.id = c.previous_id
     where c.object_id = ${objectId} order by c.at, c.id`);

test('the state before is stored once, in the previous entry', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const ofFlag = `/splits/ws/${project.id}/${flag.name}`;
  await api.put(path, { ...aDefinition({ trafficAllocation: 3 }), killed: false });
  await api.patch(ofFlag, [{ op: 'replace', path: '/description', value: 'new' }]);
  await api.put(`${path}/kill`);
  await api.patch(ofFlag, [{ op: 'replace', path: '/tags', value: [{ name: 'a' }] }]);
  await api.delete(path);
  const rows = (await storedOf(flag.id)).map(({ action, previous, before }) => [action, previous, before]);
  assert.deepEqual(rows, [
    ['flag.created', null, null],
    ['definition.created', null, null],
    ['definition.replaced', 'definition.created', null],
    ['flag.patched', 'flag.created', null],
    ['definition.killed', 'definition.replaced', null],
    ['flag.patched', 'flag.patched', null],
    ['definition.deleted', 'definition.killed', null],
  ]);
});

test('a state that a change of another object altered is stored with the next entry', async () => {
  const { body: group } = await api.post('/groups', { name: uniqueName('group') });
  const email = `${uniqueName('user')}@example.com`;
  const { body: user } = await api.post('/users', { email, groups: [group.id] });
  await api.delete(`/groups/${group.id}`);
  await api.patch(`/users/${user.id}`, [{ op: 'replace', path: '/name', value: 'Somebody' }]);
  const [, patched] = await storedOf(user.id);
  assert.deepEqual([patched?.action, patched?.previous], ['user.patched', null]);
  const [entry] = await logOf(`objectId=${user.id}`);
  const before = { ...user };
  delete before.groups;
  assert.deepEqual(entry?.before, before);
});

test('entries of an object are in the order of its changes even if the clock stops or goes back', async () => {
  const now = Date.now();
  api.clock.now = now;
  try {
    const { body: group } = await api.post('/groups', { name: uniqueName('group') });
    for (const step of [0, -1000, 0]) {
      api.clock.now = now + step;
      await api.put(`/groups/${group.id}`, { name: group.name, description: String(Math.random()) });
    }
    const entries = await logOf(`objectId=${group.id}`);
    assert.deepEqual(
      entries.map(({ createdAt }) => createdAt - now),
      [2, 1, 0, 0],
    );
    for (const [index, entry] of entries.entries()) assert.deepEqual(entry.before, entries[index + 1]?.after);
  } finally {
    api.clock.now = undefined;
  }
});

test('entries that the release before wrote, with both states, are shown as they are and followed by new ones', async () => {
  const id = uniqueName('old');
  const row = { at: 1_600_000_000_000, ...{ one: '{"n":1}', two: '{"n":2}' } };
  await api.store.write((tx) =>
    tx.run(sql`
      insert into changes (id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id,
                           object_name, before_body, after_body)
      values (${id}, ${row.at}, 't', 'system', 's', 's', 'group.replaced', 'group', ${id}, 'old', ${row.one}, ${row.two})`),
  );
  const [entry] = await logOf(`objectId=${id}`);
  assert.deepEqual([entry?.before, entry?.after], [{ n: 1 }, { n: 2 }]);
});

test('a filter that few entries pass ends a page early, and its markers lead through the whole log', async () => {
  const actor = uniqueName('busy');
  const count = 25_000;
  await api.store.write(async (tx) => {
    const some = sql`with recursive n (n) as (select 1 union all select n + 1 from n where n < ${count})`;
    await tx.run(sql`
      insert into changes (id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id,
                           object_name)
      ${some} select ${actor} || n, 1500000000000 + n, 't', 'system', ${actor}, 's',
             'x', case when n % 12000 = 1 then 'flag' else 'group' end, ${actor}, 's' from n`);
  });
  // Two filters of which an index serves one.
  const query = `objectId=${actor}&objectType=flag&limit=2`;
  const walk = async (direction: 'after' | 'before', start = '') => {
    const pages = [(await api.get(`/auditLogs?${query}${start}`)).body];
    const name = direction === 'after' ? 'nextMarker' : 'previousMarker';
    while (pages.at(-1)[name] !== null && pages.length < 20) {
      pages.push((await api.get(`/auditLogs?${query}&${direction}=${pages.at(-1)[name]}`)).body);
    }
    return pages;
  };
  const idsOf = (pages: { data: Change[] }[]) => pages.flatMap(({ data }) => data.map(({ id }) => id));
  const all = [24_001, 12_001, 1].map((n) => actor + n);
  const pages = await walk('after');
  assert.deepEqual(idsOf(pages), all);
  assert.ok(pages.length > 2 && pages.every(({ limit }) => limit === 2));
  for (const page of pages.slice(0, -1)) assert.ok(page.nextMarker !== null && page.previousMarker !== null);
  assert.deepEqual([pages.at(-1).nextMarker, pages.at(-1).previousMarker], [null, null]);
  let place = pages.at(-2).nextMarker;
  const back: string[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    const { data, previousMarker } = (await api.get(`/auditLogs?${query}&before=${place}`)).body;
    back.unshift(...data.map(({ id }: Change) => id));
    if (previousMarker === null || previousMarker === place) break;
    place = previousMarker;
  }
  assert.deepEqual(back, all.slice(0, back.length));
  assert.ok(back.length >= 2);
});

test('a span of time, two filters and markers together give each entry once', async () => {
  const project = await aProject(api);
  for (let number = 0; number < 6; number += 1) await aFlag(api, project);
  const of = `workspaceId=${project.id}&objectType=flag`;
  const all = (await logOf(of)).toReversed();
  const [, second, , , fifth] = all;
  const span = `${of}&from=${second?.createdAt}&to=${fifth?.createdAt}`;
  const within = all.filter(({ createdAt: at }) => at >= Number(second?.createdAt) && at <= Number(fifth?.createdAt));
  const idsOf = (changes: readonly Change[]) => changes.map(({ id }) => id);
  assert.deepEqual(idsOf(await logOf(span)), idsOf(within.toReversed()));
  const walked: Change[] = [];
  let { body } = await api.get(`/auditLogs?${span}&limit=1`);
  for (;;) {
    walked.push(...body.data);
    if (body.nextMarker === null) break;
    ({ body } = await api.get(`/auditLogs?${span}&limit=1&after=${body.nextMarker}`));
  }
  assert.deepEqual(idsOf(walked), idsOf(within.toReversed()));
  // A marker from outside the span: the span still holds.
  const { body: newest } = await api.get(`/auditLogs?${of}&limit=1`);
  const { body: rest } = await api.get(`/auditLogs?${span}&limit=20&after=${newest.nextMarker}`);
  assert.deepEqual(idsOf(rest.data), idsOf(within.toReversed()));
});

test('an offset skips as many entries as it says, wherever the search for them has to pause', async () => {
  const actor = uniqueName('busy');
  await api.store.write((tx) =>
    tx.run(sql`
      insert into changes (id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id,
                           object_name)
      with recursive n (n) as (select 1 union all select n + 1 from n where n < 16000)
      select ${actor} || n, 1500000000000 + n, 't', 'system', ${actor}, 's',
             'x', case when n % 4000 = 1 then 'flag' else 'group' end, ${actor}, 's' from n`),
  );
  const query = `objectId=${actor}&objectType=flag&limit=1`;
  const all = [12_001, 8_001, 4_001, 1].map((n) => actor + n);
  for (const offset of [0, 1, 2, 3, 4]) {
    const found: string[] = [];
    let { body } = await api.get(`/auditLogs?${query}&offset=${offset}`);
    for (;;) {
      found.push(...body.data.map(({ id }: Change) => id));
      if (body.nextMarker === null) break;
      ({ body } = await api.get(`/auditLogs?${query}&after=${body.nextMarker}`));
    }
    assert.deepEqual(found, all.slice(offset), `offset ${offset}`);
  }
});

test('the scope of a key that a restricted project does not list leaves out the log of the project', async () => {
  const [open, closed] = [await aProject(api), await aProject(api)];
  const [{ id: group }] = (await api.get('/groups?limit=1')).body.objects;
  const restricted = await api.put('/restrictions', {
    resource: { id: closed.id, type: 'workspace' },
    operations: { view: true },
    resourcePermissions: { view: [{ id: group, type: 'group' }] },
  });
  assert.equal(restricted.status, 200, restricted.text);
  const none = { projectId: undefined, environmentId: undefined, objectType: undefined, objectId: undefined };
  const whole = {
    ...none,
    actorId: undefined,
    search: undefined,
    from: undefined,
    to: undefined,
    after: undefined,
    before: undefined,
  };
  const scope = { kind: 'account', viewerKeyId: 'another key' } as const;
  const seen = async (projectId: string) =>
    (await listChanges(api.store, { ...whole, projectId, scope, offset: 0, limit: 20 })).items.length;
  assert.ok((await seen(open.id)) > 0);
  assert.equal(await seen(closed.id), 0);
});

test('a key of a project sees the log of the project and nothing else', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const flag = await aFlag(api, mine);
  await aFlag(api, other);
  await api.post('/groups', { name: uniqueName('group') });
  const as = await api.key({ scope: { kind: 'project', projectId: mine.id } });
  const entries = await logOf('', as);
  assert.ok(entries.every((entry) => entry.workspaceId === mine.id));
  assert.deepEqual(typesOf(entries.filter((entry) => entry.object.type !== 'api_key')).reverse(), [
    'workspace.created',
    'environment.created',
    'environment.created',
    'flag.created',
  ]);
  assert.deepEqual((await logOf(`objectId=${flag.id}`, as)).length, 1);
  assert.deepEqual(await logOf(`objectId=${other.id}`, as), []);
});

test('a key of an environment sees the log of its environment and nothing else', async () => {
  const project = await aProject(api);
  const { staging, production } = project;
  const { flag } = await aDefinedFlag(api, project);
  await api.post(`/splits/ws/${project.id}/${flag.name}/environments/${production.id}`, aDefinition());
  const scope = { kind: 'environment', projectId: project.id, environmentIds: [staging.id] } as const;
  const entries = await logOf('', await api.key({ scope }));
  assert.deepEqual(typesOf(entries), ['definition.created', 'environment.created']);
  assert.ok(entries.every((entry) => entry.environmentId === staging.id));
});

/** What happens in `production`, in an entry that is of the project. */
const acts: Record<string, (project: ProjectFixture) => Promise<unknown>> = {
  'a deleted flag': async (project) => {
    const { flag } = await aDefinedFlag(api, project);
    await api.post(`/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`, aDefinition());
    return api.delete(`/splits/ws/${project.id}/${flag.name}`);
  },
  'a key that was created': ({ id, production }) =>
    api.post('/apiKeys', { name: 'k', apiKeyType: 'admin', workspace: { id }, environments: [{ id: production.id }] }),
};

for (const [what, act] of Object.entries(acts)) {
  test(`${what} does not show an environment to a key that does not reach it`, async () => {
    const project = await aProject(api);
    assert.notDeepEqual(await api.recorded(() => act(project)), []);
    const scope = { kind: 'environment', projectId: project.id, environmentIds: [project.staging.id] } as const;
    const entries = await logOf('', await api.key({ scope }));
    assert.ok(!JSON.stringify(entries).includes(project.production.id));
  });
}

test('no secret is in the log: no key, no hash of one, no token of an invitation, no secret of the account', async () => {
  const project = await aProject(api);
  const { body: environment } = await api.post(`/environments/ws/${project.id}`, { name: 'more' });
  const { body: key } = await api.post('/apiKeys', { name: 'k', apiKeyType: 'admin' });
  await api.post('/users', { email: `${uniqueName('user')}@example.com` });
  await api.delete(`/apiKeys/${key.key}`);
  const texts: string[] = [api.adminKey, key.key, ...environment.apiTokens.map((token: { key: string }) => token.key)];
  const tokens = (await listMails(api.store)).map(({ payload }) => payload.token);
  const account = await findAccount(api.store);
  const everything = JSON.stringify(await api.store.all(sql`select * from changes`));
  for (const secret of [...texts, ...tokens, account?.markerSecret ?? assert.fail()]) {
    assert.equal(everything.includes(secret), false);
    assert.equal(everything.includes(hashOf(secret)), false);
  }
});
