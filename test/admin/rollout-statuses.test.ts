import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { refused, startApi } from '../support/app.ts';
import { aFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

const statuses = [
  ['Pre-Production', 'Splits where code for the feature haven’t been pushed to prod yet'],
  ['0% in Production', 'Splits where code for the feature is pushed to prod but not turned on for anyone'],
  ['Killed', 'Splits that are moved to the default treatment due to an issue or bug'],
  ['Internal Testing', 'Splits that have only been turned on for users that are employees or contractors'],
  [
    'External Beta',
    'Splits that have been turned on for a few external beta customers that have been pre-selected or chosen for early access to a feature',
  ],
  [
    'Ramping',
    'Splits that are turned on for a small percentage of users to make sure no performance issues or larger issues come up',
  ],
  ['Experimenting', 'Splits that have are ramped for max power in an experiment to get results as quickly as possible'],
  ['100% Released', 'Splits that have been moved to be fully on for all customers'],
  ['Removed from Code', 'Splits that have been removed from the codebase'],
  ['Permanent', 'Splits that are set to be permanent circuit breakers in the application'],
] as const;

const defaultProjectId = async () => (await api.get('/workspaces?name=Default')).body.objects[0].id;

test('every project has the ten rollout statuses, in their order, in an array', async () => {
  for (const id of [await defaultProjectId(), (await aProject(api)).id]) {
    const { status, text, body } = await api.get(`/rolloutStatuses?wsId=${id}`);
    assert.equal(status, 200);
    const expected = statuses.map(([name, description], index) => ({ id: body[index].id, name, description }));
    assert.equal(text, JSON.stringify(expected));
  }
});

test('the ids of rollout statuses belong to one project and stay', async () => {
  const list = async (project: string) =>
    (await api.get(`/rolloutStatuses?wsId=${project}`)).body.map((status: { id: string }) => status.id) as string[];
  const [one, other] = [(await aProject(api)).id, (await aProject(api)).id];
  const ids = [...(await list(one)), ...(await list(other))];
  assert.equal(new Set(ids).size, 20);
  assert.deepEqual([...(await list(one)), ...(await list(other))], ids);
});

test('the project must be named and known', async () => {
  for (const query of ['', '?', '?wsId=', '?wsid=Default', '?wsId=a&wsId=b']) {
    refused(await api.get(`/rolloutStatuses${query}`), 400, /wsId/);
  }
  refused(await api.get('/rolloutStatuses?wsId=absent'), 404, 'Could not find project absent');
});

test('the project may be in the path instead, by id or name', async () => {
  const { id, name } = await aProject(api);
  const { text } = await api.get(`/rolloutStatuses?wsId=${id}`);
  for (const word of [id, name, `${id}/`]) assert.equal((await api.get(`/rolloutStatuses/ws/${word}`)).text, text);
  refused(await api.get('/rolloutStatuses/ws/absent'), 404, 'Could not find project absent');
});

test('a project outside the scope of the key is not found, as if it did not exist', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const scope = { kind: 'environment', projectId: mine.id, environmentIds: [mine.staging.id] } as const;
  const as = await api.key({ scope });
  assert.equal((await api.get(`/rolloutStatuses?wsId=${mine.id}`, { as })).status, 200);
  const hidden = await api.get(`/rolloutStatuses?wsId=${other.id}`, { as });
  refused(hidden, 404, `Could not find project ${other.id}`);
});

test('the list by query can only be read', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const answer = await api.call(method, `/rolloutStatuses?wsId=${await defaultProjectId()}`);
    refused(answer, 405, new RegExp(method));
    assert.match(String(answer.headers.allow), /\bGET\b/);
  }
});

test('a trailing slash and a doubled slash change nothing', async () => {
  const query = `?wsId=${await defaultProjectId()}`;
  const { text } = await api.get(`/rolloutStatuses${query}`);
  for (const path of ['/rolloutStatuses/', '/internal/api/v2//rolloutStatuses', '//internal/api/v2/rolloutStatuses']) {
    assert.equal((await api.get(path + query)).text, text, path);
  }
});

interface Status {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

const pathOf = (project: { id: string }) => `/rolloutStatuses/ws/${project.id}`;
const listOf = async (project: { id: string }): Promise<Status[]> => (await api.get(pathOf(project))).body;
const namesOf = async (project: { id: string }) => (await listOf(project)).map(({ name }) => name);
const usesOf = async (project: { id: string }) => (await api.get(`${pathOf(project)}?expand=uses`)).body;

/** A status of a new project, by name. */
async function aStatus(name: string) {
  const project = await aProject(api);
  const status = (await listOf(project)).find((one) => one.name === name);
  assert.ok(status);
  return { project, status, path: `${pathOf(project)}/${status.id}` };
}

test('a project adds statuses of its own, at the end', async () => {
  const project = await aProject(api);
  const actions = await api.recorded(async () => {
    const { status, body } = await api.post(pathOf(project), { name: 'Waiting for legal', description: 'Ask Kim.' });
    assert.equal(status, 200);
    const { id, ...fields } = body;
    assert.deepEqual(fields, { name: 'Waiting for legal', description: 'Ask Kim.', permanent: false });
    const change = await api.lastChange();
    assert.deepEqual([change.object, change.after], [{ type: 'rollout_status', id, name: 'Waiting for legal' }, body]);
  });
  assert.deepEqual(actions, ['rollout_status.created']);
  assert.equal((await namesOf(project)).at(-1), 'Waiting for legal');
  refused(await api.post(pathOf(project), { name: 'Ramping' }), 409, /Rollout status Ramping already exists/);
  assert.equal((await namesOf(await aProject(api))).includes('Waiting for legal'), false, 'other projects keep theirs');
  for (const body of [{}, { name: '' }, { name: ' ' }, { name: 'x'.repeat(51) }, { name: 'x', permanent: 'no' }]) {
    assert.equal((await api.post(pathOf(project), body)).status, 400);
  }
});

test('a project has at most 50 statuses', async () => {
  const project = await aProject(api);
  for (let made = 10; made < 50; made += 1) {
    assert.equal((await api.post(pathOf(project), { name: uniqueName('status') })).status, 200);
  }
  refused(await api.post(pathOf(project), { name: 'too many' }), 400, /not have more than 50/);
});

test('a status is renamed and described; flags with it follow', async () => {
  const { project, path } = await aStatus('Pre-Production');
  const flag = await aFlag(api, project);
  const update = { name: 'Planned', description: 'Not built yet.' };
  const actions = await api.recorded(async () => {
    assert.equal((await api.put(path, update)).status, 200);
    const { before, after } = (await api.lastChange()) as Record<'before' | 'after', Status>;
    assert.deepEqual([before.name, after.name, after.description], ['Pre-Production', 'Planned', 'Not built yet.']);
  });
  assert.deepEqual(actions, ['rollout_status.changed']);
  assert.equal((await api.get(`/splits/ws/${project.id}/${flag.name}`)).body.rolloutStatus.name, 'Planned');
  assert.deepEqual(await api.recorded(() => api.put(path, update)), []);
  refused(await api.put(path, { name: 'Ramping' }), 409, /already exists/);
  assert.deepEqual((await api.put(path, {})).body.description, 'Not built yet.', 'what is absent stays');
});

test('statuses move; new flags get the first, and lists sort by the new order', async () => {
  const { project, status, path } = await aStatus('Ramping');
  const ramping = await aFlag(api, project);
  const move = [{ op: 'replace', path: '/rolloutStatus/id', value: status.id }];
  await api.patch(`/splits/ws/${project.id}/${ramping.name}`, move);
  const planned = await aFlag(api, project);
  const sorted = async () =>
    (await api.get(`/splits/ws/${project.id}?sort=status`)).body.objects.map(({ name }: Status) => name);
  assert.deepEqual(await sorted(), [planned.name, ramping.name]);
  const [first] = await listOf(project);
  const actions = await api.recorded(async () => {
    const { body } = await api.post(`${path}/move`, { before: first?.id });
    assert.deepEqual(
      body.slice(0, 2).map(({ name }: Status) => name),
      ['Ramping', 'Pre-Production'],
    );
    const { before, after } = await api.lastChange();
    assert.deepEqual([before, after], [{ position: 6 }, { position: 1 }]);
  });
  assert.deepEqual(actions, ['rollout_status.moved']);
  assert.deepEqual(await sorted(), [ramping.name, planned.name]);
  const next = await aFlag(api, project);
  assert.equal((await api.get(`/splits/ws/${project.id}/${next.name}`)).body.rolloutStatus.name, 'Ramping');
  for (const before of [first?.id, status.id]) {
    assert.deepEqual(await api.recorded(() => api.post(`${path}/move`, { before })), []);
  }
  await api.post(`${path}/move`, { before: null });
  assert.equal((await namesOf(project)).at(-1), 'Ramping');
  refused(await api.post(`${path}/move`, { before: 'absent' }), 400, /before names absent/);
});

test('a status that no flag has is deleted; the last one stays', async () => {
  const { project, path } = await aStatus('Experimenting');
  const actions = await api.recorded(async () => {
    assert.equal((await api.delete(path)).text, 'true');
    assert.equal(((await api.lastChange()).before as Status).name, 'Experimenting');
  });
  assert.deepEqual(actions, ['rollout_status.deleted']);
  assert.equal((await namesOf(project)).includes('Experimenting'), false);
  refused(await api.delete(path), 404, /^Could not find rollout status /);
  const [last, ...others] = await listOf(project);
  for (const { id } of others) assert.equal((await api.delete(`${pathOf(project)}/${id}`)).status, 200);
  refused(await api.delete(`${pathOf(project)}/${last?.id}`), 400, /is the only one of the project/);
});

test('a status that flags have is deleted only by moving them, archived ones too', async () => {
  const { project, status, path } = await aStatus('Pre-Production');
  const [one, archived] = [await aFlag(api, project), await aFlag(api, project)];
  await api.post(`/splits/ws/${project.id}/${archived.name}/archive`, {});
  assert.deepEqual((await usesOf(project))[0], { ...status, permanent: false, flagCount: 2 });
  const refusal = await api.delete(path);
  refused(refusal, 400, 'Rollout status Pre-Production is used by 2 feature flags');
  assert.match(refusal.body.details, /moveTo/);
  for (const moveTo of ['absent', status.id]) {
    refused(await api.delete(`${path}?moveTo=${moveTo}`), 400, /is not the id of another rollout status/);
  }
  const target = (await listOf(project)).find(({ name }) => name === 'Ramping');
  const actions = await api.recorded(() => api.delete(`${path}?moveTo=${target?.id}`));
  assert.deepEqual(actions, ['flag.patched', 'flag.patched', 'rollout_status.deleted']);
  for (const { name } of [one, archived]) {
    const { rolloutStatus } = (await api.get(`/splits/ws/${project.id}/${name}`)).body;
    assert.deepEqual(rolloutStatus, { id: target?.id, name: 'Ramping' });
  }
});

/** So many with the status that new flags get. */
async function manyFlags(project: { id: string }, count: number): Promise<void> {
  const flag = await aFlag(api, project);
  const columns = sql`project_id, traffic_type_id, rollout_status_id, description, rollout_status_at, owners, revision,
    created_at, changed_at, status_position`;
  await api.store.write((tx) =>
    tx.run(sql`
      with recursive numbers (number) as (select 2 union all select number + 1 from numbers where number < ${count})
      insert into flags (id, name, ${columns})
      select id || '-' || number, name || '_' || number, ${columns} from flags cross join numbers where id = ${flag.id}`),
  );
}

test('1,000 flags move at once, more do not', async () => {
  const { project, path } = await aStatus('Pre-Production');
  const target = (await listOf(project)).at(-1);
  await manyFlags(project, 1_001);
  const last = (await api.get(`/splits/ws/${project.id}?limit=1`)).body.objects[0];
  refused(await api.delete(`${path}?moveTo=${target?.id}`), 400, /is used by 1001 feature flags/);
  await api.delete(`/splits/ws/${project.id}/${last.name}`);
  const actions = await api.recorded(async () => {
    const answer = await api.delete(`${path}?moveTo=${target?.id}`);
    assert.equal(answer.status, 200, answer.text);
  });
  assert.deepEqual(actions, [...new Array(1_000).fill('flag.patched'), 'rollout_status.deleted']);
  assert.equal((await usesOf(project)).at(-1).flagCount, 1_000);
});

test('flags move only for those who may change them, with the note that the project requires', async () => {
  const { project, path } = await aStatus('Pre-Production');
  const flag = await aFlag(api, project);
  const [, unused, target] = await listOf(project);
  const scope = { kind: 'project', projectId: project.id } as const;
  const as = await api.key({ roles: ['API_WORKSPACE_ADMIN'], scope });
  assert.equal((await api.delete(`${pathOf(project)}/${unused?.id}`, { as })).status, 200, 'no flag has it');
  const move = `${path}?moveTo=${target?.id}`;
  const refusal = await api.delete(move, { as });
  assert.equal(refusal.status, 403);
  assert.match(refusal.text, /lacks the permission flag\.write/);
  await api.patch(`/workspaces/${project.id}`, [{ op: 'replace', path: '/requiresTitleAndComments', value: true }]);
  assert.deepEqual(await api.recorded(async () => assert.equal((await api.delete(move)).status, 400)), []);
  const note = { title: 'Fewer statuses', comment: 'Nobody used it' };
  assert.equal((await api.delete(`${move}&${new URLSearchParams(note)}`)).status, 200);
  const moved = (await api.get(`/auditLogs?objectId=${flag.id}&limit=1`)).body.data[0];
  const removed = await api.lastChange();
  assert.deepEqual(
    [moved.title, moved.comment, removed.title, removed.comment],
    [...Object.values(note), ...Object.values(note)],
  );
});

test('a key that may change statuses lists them', async () => {
  const project = await aProject(api);
  const scope = { kind: 'project', projectId: project.id } as const;
  const as = await api.key({ roles: ['API_WORKSPACE_ADMIN'], scope });
  assert.equal((await api.get(pathOf(project), { as })).body.length, statuses.length);
});

test('a status of another project is not found', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const [foreign] = await listOf(other);
  const path = `${pathOf(mine)}/${foreign?.id}`;
  for (const attempt of [
    () => api.put(path, { name: 'x' }),
    () => api.post(`${path}/move`, { before: null }),
    () => api.delete(path),
  ]) {
    refused(await attempt(), 404, `Could not find rollout status ${foreign?.id}`);
  }
});

test('flags whose status is permanent stay out of cleanup, whatever it is called', async () => {
  const { project, status, path } = await aStatus('Permanent');
  const flag = await aFlag(api, project);
  await api.patch(`/splits/ws/${project.id}/${flag.name}`, [
    { op: 'replace', path: '/rolloutStatus/id', value: status.id },
  ]);
  api.clock.now = Date.now() + 200 * 86_400_000;
  const listed = async () => (await api.get(`/cleanup/ws/${project.id}`)).body.totalCount;
  assert.equal(await listed(), 0);
  await api.put(path, { name: 'Kill switch' });
  assert.equal(await listed(), 0);
  await api.put(path, { permanent: false });
  assert.equal(await listed(), 1);
});
