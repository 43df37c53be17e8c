import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import {
  aDefinedFlag,
  aDefinition,
  aFlag,
  aProject,
  aRuleBasedSegment,
  aSegment,
  type ProjectFixture,
  uniqueName,
} from '../support/build.ts';

const api = await startApi();

const shares = (on: number) => [
  { treatment: 'on', size: on },
  { treatment: 'off', size: 100 - on },
];
const set = (path: string, value: unknown) => ({ kind: 'patch', operations: [{ op: 'replace', path, value }] });

const idOf = ({ id }: { id: string }) => id;

const create = (project: { id: string }, operations: unknown, more = {}) =>
  api.post('/changesets', { workspace: { id: project.id }, title: 'Ship it', operations, ...more });
const apply = (id: string, as = api.adminKey) => api.post(`/changesets/${id}/apply`, undefined, { as });

/** Creates it and returns its id. */
async function aChangeset(project: { id: string }, operations: unknown): Promise<string> {
  const { status, body, text } = await create(project, operations);
  assert.equal(status, 200, text);
  return body.id;
}

async function applied(id: string): Promise<void> {
  const { status, text } = await apply(id);
  assert.equal(status, 200, text);
}

/** A defined flag, and how to edit and read it in staging. */
async function aPlacedFlag(project: ProjectFixture, changes = {}) {
  const { flag, path } = await aDefinedFlag(api, project, changes);
  return {
    ...flag,
    path,
    edit: (edit: unknown) => ({ environment: project.staging.id, flag: flag.name, edit }),
    read: async () => (await api.get(path)).body,
  };
}

test('a changeset changes nothing until it is applied, then everything in one transaction', async () => {
  const project = await aProject(api);
  const [one, two, other] = [await aPlacedFlag(project), await aPlacedFlag(project), await aPlacedFlag(project)];
  const drafting = await api.recorded(async () => {
    const { status, body, headers } = await create(project, [
      one.edit(set('/trafficAllocation', 40)),
      { environment: project.staging.name, flag: two.id, edit: { kind: 'kill' } },
      { flag: one.name, edit: set('/description', 'Half way') },
    ]);
    assert.deepEqual([status, body.status, body.title, body.operations.length], [200, 'DRAFT', 'Ship it', 3]);
    assert.deepEqual(body.operations[1].flag, { id: two.id, name: two.name });
    const read = await api.get(`/changesets/${body.id}`);
    assert.deepEqual([read.body, read.headers.etag], [body, headers.etag]);
    const { reviews, ...listed } = body;
    assert.deepEqual(reviews, []);
    for (const [filter, found] of [
      ['', [listed]],
      [`&flag=${two.id}`, [listed]],
      [`&flag=${other.id}`, []],
      [`&flag=${two.id}&environment=${project.staging.id}`, [listed]],
      [`&flag=${two.id}&environment=${project.production.id}`, []],
    ] as const) {
      assert.deepEqual((await api.get(`/changesets?workspaceId=${project.name}${filter}`)).body.data, found, filter);
    }
    assert.equal((await one.read()).trafficAllocation, 100);
  });
  assert.deepEqual(drafting, ['changeset.created']);
  const [{ id }] = (await api.get(`/changesets?workspaceId=${project.id}&status=DRAFT`)).body.data;
  const actions = await api.recorded(() => applied(id));
  assert.deepEqual(actions, ['definition.patched', 'definition.killed', 'flag.patched', 'changeset.published']);
  assert.deepEqual([(await one.read()).trafficAllocation, (await two.read()).killed], [40, true]);
  const log = (await api.get(`/auditLogs?workspaceId=${project.id}&limit=4`)).body.data;
  assert.deepEqual(new Set(log.map((entry: { changesetId: string }) => entry.changesetId)), new Set([id]));
  assert.equal(new Set(log.map((entry: { transactionId: string }) => entry.transactionId)).size, 1);
  assert.deepEqual(new Set(log.map((entry: { title: string }) => entry.title)), new Set(['Ship it']));
  refused(await apply(id), 409, /^The changeset is PUBLISHED/);
  refused(await api.delete(`/changesets/${id}`), 409, /^The changeset is PUBLISHED/);
});

test('if one operation is refused, none is applied', async () => {
  const project = await aProject(api);
  const [one, two] = [await aPlacedFlag(project), await aPlacedFlag(project)];
  const id = await aChangeset(project, [
    one.edit(set('/trafficAllocation', 40)),
    two.edit({ kind: 'replace', body: aDefinition({ defaultTreatment: 'gone' }) }),
  ]);
  const actions = await api.recorded(async () => refused(await apply(id), 400, /defaultTreatment/));
  assert.deepEqual(actions, []);
  assert.equal((await one.read()).trafficAllocation, 100);
  assert.equal((await api.get(`/changesets/${id}`)).body.status, 'DRAFT');
});

test('changes that others made since are kept, unless the operations changed the same', async () => {
  const project = await aProject(api);
  const flag = await aPlacedFlag(project);
  const id = await aChangeset(project, [flag.edit(set('/defaultRule', shares(30)))]);
  await api.patch(flag.path, [{ op: 'replace', path: '/trafficAllocation', value: 60 }]);
  await applied(id);
  const { trafficAllocation, defaultRule } = await flag.read();
  assert.deepEqual([trafficAllocation, defaultRule], [60, shares(30)]);
});

test('an operation that is added leaves what the others started from; one made for an older version is refused', async () => {
  const project = await aProject(api);
  const [flag, other] = [await aPlacedFlag(project), await aPlacedFlag(project)];
  const edit = flag.edit(set('/trafficAllocation', 40));
  const { etag } = (await api.get(flag.path)).headers;
  const { body } = await create(project, [edit]);
  await api.patch(flag.path, [{ op: 'replace', path: '/trafficAllocation', value: 50 }]);
  const add = (edits: unknown) => api.put(`/changesets/${body.id}`, { add: [other.edit(edits)] });
  await add({ kind: 'delete' });
  const added = await add({ kind: 'kill' });
  assert.deepEqual(
    added.body.operations.map((one: { edit: { kind: string } }) => one.edit.kind),
    ['patch', 'kill'],
  );
  refused(await apply(body.id), 409, /trafficAllocation|traffic allocation/i);
  const stale = { workspace: { id: project.id }, title: 'Late', operations: [{ ...edit, ifMatch: `${etag}` }] };
  refused(await api.post('/changesets', stale), 412, /.+/);
});

test('every conflict is named, and nothing is applied', async () => {
  const project = await aProject(api);
  const flags = await Promise.all(Array.from({ length: 5 }, () => aPlacedFlag(project)));
  const [share, gone, changed, killed, described] = flags;
  assert.ok(share && gone && changed && killed && described);
  const fresh = await aFlag(api, project);
  const id = await aChangeset(project, [
    share.edit(set('/defaultRule', shares(30))),
    gone.edit(set('/trafficAllocation', 10)),
    changed.edit({ kind: 'delete' }),
    killed.edit({ kind: 'kill' }),
    { flag: described.name, edit: set('/description', 'mine') },
    { environment: project.staging.id, flag: fresh.name, edit: { kind: 'create', body: aDefinition() } },
  ]);
  await api.patch(share.path, [{ op: 'replace', path: '/defaultRule', value: shares(50) }]);
  await api.delete(gone.path);
  await api.patch(changed.path, [{ op: 'replace', path: '/trafficAllocation', value: 60 }]);
  await api.patch(killed.path, [{ op: 'replace', path: '/trafficAllocation', value: 60 }]);
  await api.patch(`/splits/ws/${project.id}/${described.name}`, [
    { op: 'replace', path: '/description', value: 'theirs' },
  ]);
  await api.post(
    `/splits/ws/${project.id}/${fresh.name}/environments/${project.staging.id}`,
    aDefinition({ trafficAllocation: 5 }),
  );
  const answer = await apply(id);
  refused(answer, 409, '5 conflicts with changes made since then');
  assert.deepEqual(answer.body.details.split('\n'), [
    `${share.name} in staging: someone else changed what everyone else gets too`,
    `${gone.name} in staging: someone deleted the definition`,
    `${changed.name} in staging: someone changed the definition that is to be deleted`,
    `${described.name}: someone else changed the description too`,
    `${fresh.name} in staging: someone else defined the flag here`,
  ]);
  assert.equal((await killed.read()).killed, false);
  // New operations start from what is there now.
  const edited = await api.put(`/changesets/${id}`, { operations: [share.edit(set('/defaultRule', shares(30)))] });
  assert.deepEqual([edited.status, edited.body.operations.length, edited.body.title], [200, 1, 'Ship it']);
  await applied(id);
  assert.deepEqual((await share.read()).defaultRule, shares(30));
});

test('a rollout status that was deleted since then is a conflict', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const [, status] = (await api.get(`/rolloutStatuses/ws/${project.id}`)).body;
  const id = await aChangeset(project, [{ flag: flag.name, edit: set('/rolloutStatus/id', status.id) }]);
  assert.deepEqual((await api.get(`/changesets/${id}/plan`)).body.operations[0].conflicts, []);
  await api.delete(`/rolloutStatuses/ws/${project.id}/${status.id}`);
  const { conflicts } = (await api.get(`/changesets/${id}/plan`)).body.operations[0];
  assert.deepEqual(conflicts, ['the rollout status was deleted']);
  refused(await apply(id), 409, `${flag.name}: the rollout status was deleted`);
});

test('the plan for rules of a segment says what differs, and rules that someone changed since are refused', async () => {
  const project = await aProject(api);
  const { name: segment } = await aRuleBasedSegment(api, project, [project.staging]);
  const path = `/rule-based-segments/ws/${project.id}/${segment}/environments/${project.staging.id}`;
  const ifMatch = String((await api.get(path)).headers.etag);
  const edit = { kind: 'replaceRules', body: { excludedKeys: ['omar'] } };
  const operation = { environment: project.staging.id, segment, edit, ifMatch };
  const id = await aChangeset(project, [operation]);
  const { differences, trafficType } = (await api.get(`/changesets/${id}/plan`)).body.operations[0];
  assert.deepEqual([differences.length, differences[0].kind, trafficType], [1, 'keys', 'user']);
  await api.put(path, { rules: [], excludedKeys: ['lee'] });
  assert.equal((await create(project, [operation])).status, 412);
  const { conflicts } = (await api.get(`/changesets/${id}/plan`)).body.operations[0];
  assert.deepEqual(conflicts, ['someone else changed its rules']);
});

test('changesets are listed by the segment that they change, and by the environment', async () => {
  const project = await aProject(api);
  const { name: segment } = await aSegment(api, project, [project.staging]);
  const edit = { kind: 'addKeys', keys: ['ana'] };
  const { id, operations } = (await create(project, [{ environment: project.staging.id, segment, edit }])).body;
  const segmentId = operations[0].segment.id;
  const list = (query: string) => api.get(`/changesets?workspaceId=${project.id}${query}`);
  for (const [query, expected] of [
    [`&segment=${segmentId}`, [id]],
    [`&segment=${segmentId}&environment=${project.staging.id}`, [id]],
    [`&segment=${segmentId}&environment=${project.production.id}`, []],
  ] as const) {
    assert.deepEqual((await list(query)).body.data.map(idOf), expected, query);
  }
  assert.equal((await list(`&segment=${segmentId}&flag=${segmentId}`)).status, 400);
});

test('keys and rules of segments are part of a changeset', async () => {
  const project = await aProject(api);
  const { name } = await aSegment(api, project, [project.staging]);
  const rules = await aRuleBasedSegment(api, project, [project.staging]);
  const keysOf = async () =>
    (await api.get(`/segments/${project.staging.id}/${name}/keys`)).body.keys.map(({ key }: { key: string }) => key);
  await api.put(`/segments/${project.staging.id}/${name}/uploadKeys`, { keys: ['ana'] });
  const at = { environment: project.staging.id };
  const operations = [
    { ...at, segment: name, edit: { kind: 'addKeys', keys: ['liu', 'ana'] } },
    { ...at, segment: rules.name, edit: { kind: 'replaceRules', body: { excludedKeys: ['omar'] } } },
  ];
  const { id } = (await create(project, operations, { title: 'x'.repeat(2_000) })).body;
  const actions = await api.recorded(() => applied(id));
  assert.deepEqual(actions, ['segment.keys_added', 'segment.changed', 'changeset.published']);
  assert.deepEqual(await keysOf(), ['ana', 'liu']);
  const { body: revert } = await api.post(`/changesets/${id}/revert`);
  // Its title can be sent again, like any other.
  assert.equal((await api.put(`/changesets/${revert.id}`, { title: revert.title })).status, 200);
  await applied(revert.id);
  // `ana` was there before.
  assert.deepEqual(await keysOf(), ['ana']);
  const { body } = await api.get(
    `/rule-based-segments/ws/${project.id}/${rules.name}/environments/${project.staging.id}`,
  );
  assert.deepEqual(body.excludedKeys, []);
});

test('a revert takes back what the changeset changed, with seeds, and keeps what others changed since', async () => {
  const project = await aProject(api);
  const [changed, deleted] = [await aPlacedFlag(project), await aPlacedFlag(project)];
  const created = await aFlag(api, project);
  const seeds = async () => {
    const { data } = (await api.get(`/auditLogs?objectId=${deleted.id}&objectType=definition&limit=1`)).body;
    const { seed, trafficAllocationSeed } = data[0].before ?? data[0].after;
    return [seed, trafficAllocationSeed];
  };
  const before = await seeds();
  const id = await aChangeset(project, [
    changed.edit(set('/defaultRule', shares(30))),
    deleted.edit({ kind: 'delete' }),
    { environment: project.staging.id, flag: created.name, edit: { kind: 'create', body: aDefinition() } },
    { flag: changed.name, edit: set('/description', 'new') },
  ]);
  refused(await api.post(`/changesets/${id}/revert`), 409, /^The changeset is DRAFT/);
  await applied(id);
  await api.patch(changed.path, [{ op: 'replace', path: '/trafficAllocation', value: 60 }]);
  const { status, body } = await api.post(`/changesets/${id}/revert`, { comment: 'It was too early.' });
  assert.deepEqual([status, body.status, body.title, body.reverts], [200, 'DRAFT', 'Revert: Ship it', id]);
  const backOf = async (one: string) =>
    (await api.get(`/changesets?workspaceId=${project.id}&reverts=${one}`)).body.data.map(idOf);
  assert.deepEqual([await backOf(id), await backOf(body.id)], [[body.id], []]);
  await applied(body.id);
  const { trafficAllocation, defaultRule } = await changed.read();
  assert.deepEqual([trafficAllocation, defaultRule], [60, [{ treatment: 'off', size: 100 }]]);
  assert.equal((await api.get(`/splits/ws/${project.id}/${changed.name}`)).body.description, '');
  assert.deepEqual(await seeds(), before);
  assert.equal((await deleted.read()).name, deleted.name);
  assert.equal(
    (await api.get(`/splits/ws/${project.id}/${created.name}/environments/${project.staging.id}`)).status,
    404,
  );
});

test('operations that could never be applied are refused at once, with their place', async () => {
  const project = await aProject(api);
  const flag = await aPlacedFlag(project);
  const at = { environment: project.staging.id };
  const other = await aFlag(api, project);
  const actions = await api.recorded(async () => {
    for (const [operation, status, message] of [
      [{ ...at, edit: { kind: 'kill' } }, 400, /^operations\/0 must name a flag or a segment/],
      [{ ...at, flag: flag.name, segment: 'x', edit: { kind: 'kill' } }, 400, /^operations\/0 must name/],
      [{ flag: flag.name, edit: { kind: 'kill' } }, 400, /^operations\/0 edit\/kind must be one of patch/],
      [flag.edit({ kind: 'addKeys', keys: ['x'] }), 400, /^operations\/0 edit\/kind must be one of create, replace/],
      [flag.edit({ kind: 'replace' }), 400, 'operations/0 edit/body is needed to replace'],
      [flag.edit({ kind: 'create', body: aDefinition() }), 409, /already exists$/],
      [flag.edit(set('/nothing', 1)), 400, /nothing/],
      [{ ...at, flag: other.name, edit: { kind: 'kill' } }, 404, /^Could not find/],
      [{ ...at, flag: 'absent', edit: { kind: 'kill' } }, 404, 'Could not find flag absent'],
      [{ ...at, segment: 'absent', edit: { kind: 'addKeys', keys: ['x'] } }, 404, 'Could not find segment absent'],
      [{ environment: 'absent', flag: flag.name, edit: { kind: 'kill' } }, 404, 'Could not find environment absent'],
    ] as const) {
      refused(await create(project, [operation]), status, message);
    }
    refused(
      await create(project, [flag.edit({ kind: 'kill' }), flag.edit({ kind: 'delete' })]),
      400,
      `operations must change ${flag.name} in staging only once`,
    );
    refused(await create(project, []), 400, /^operations must/);
    refused(await create({ id: 'absent' }, [flag.edit({ kind: 'kill' })]), 404, 'Could not find project absent');
  });
  assert.deepEqual(actions, []);
});

test('a project that requires title and comment requires them of changesets', async () => {
  const project = await aProject(api, { requiresTitleAndComments: true });
  const flag = await aFlag(api, project);
  const edit = { kind: 'create', body: aDefinition() };
  const operations = [{ environment: project.staging.id, flag: flag.name, edit }];
  assert.equal((await create(project, operations)).status, 400);
  assert.equal((await create(project, operations, { comment: 'Because' })).status, 200);
});

test('applying takes the rights of each edit at that moment; proposing takes none of them', async () => {
  const project = await aProject(api);
  const flag = await aPlacedFlag(project);
  const scoped = (roles: readonly string[], environment?: { id: string }) =>
    api.key({
      roles: roles as never,
      scope: environment
        ? { kind: 'environment', projectId: project.id, environmentIds: [environment.id] }
        : { kind: 'project', projectId: project.id },
    });
  const [viewer, editor] = [await scoped(['API_FEATURE_FLAG_VIEWER']), await scoped(['API_FEATURE_FLAG_EDITOR'])];
  const people = await api.post('/groups', { name: uniqueName('payments') });
  const setEditors = (editors: unknown) =>
    api.put(`/workspaces/${project.id}/access`, { environments: [{ id: project.staging.id, editors }] });
  await setEditors({ restricted: true, grantees: [{ id: people.body.id, type: 'group' }] });
  const { name: segment } = await aSegment(api, project, [project.staging]);
  const keys = { environment: project.staging.id, segment, edit: { kind: 'addKeys', keys: ['ana'] } };
  const propose = (operations: unknown, as: string) =>
    api.post('/changesets', { workspace: { id: project.id }, operations }, { as });
  refused(await propose([flag.edit({ kind: 'kill' })], viewer), 403, 'Role is insufficient');
  const proposed = await propose([flag.edit({ kind: 'kill' })], editor);
  assert.equal(proposed.status, 200, proposed.text);
  const { id } = proposed.body;
  refused(await apply(id, editor), 403, 'Role is insufficient');
  assert.equal((await api.get(`/changesets/${id}`, { as: viewer })).status, 200);
  // Its author may change it; others need the rights to apply it.
  assert.equal((await api.put(`/changesets/${id}`, { title: 'Stop' }, { as: editor })).status, 200);
  const colleague = await scoped(['API_FEATURE_FLAG_EDITOR']);
  refused(await api.put(`/changesets/${id}`, { title: 'Go' }, { as: colleague }), 403, 'Role is insufficient');
  const elsewhere = await scoped(['API_FEATURE_FLAG_EDITOR'], project.production);
  for (const answer of [
    await api.get(`/changesets/${id}`, { as: elsewhere }),
    await apply(id, elsewhere),
    await api.delete(`/changesets/${id}`, { as: elsewhere }),
    await api.post(`/changesets/${id}/revert`, undefined, { as: elsewhere }),
  ]) {
    refused(answer, 404, `Could not find changeset ${id}`);
  }
  assert.deepEqual((await api.get(`/changesets?workspaceId=${project.id}`, { as: elsewhere })).body.data, []);
  await setEditors({ restricted: false });
  refused(await propose([keys], editor), 403, 'Role is insufficient');
  assert.equal((await apply(id, editor)).status, 200);
});

test('a draft is withdrawn, and stays readable; If-Match is honoured', async () => {
  const project = await aProject(api);
  const flag = await aPlacedFlag(project);
  const { body, headers } = await create(project, [flag.edit({ kind: 'kill' })]);
  const match = { headers: { 'if-match': `${headers.etag}` } };
  assert.equal((await api.put(`/changesets/${body.id}`, { title: 'Other' }, match)).status, 200);
  refused(await api.delete(`/changesets/${body.id}`, match), 412, /.+/);
  const actions = await api.recorded(async () =>
    assert.equal((await api.delete(`/changesets/${body.id}`)).body.status, 'WITHDRAWN'),
  );
  assert.deepEqual(actions, ['changeset.withdrawn']);
  refused(await apply(body.id), 409, /^The changeset is WITHDRAWN/);
  assert.equal((await api.get(`/changesets/${body.id}`)).body.title, 'Other');
  assert.equal((await flag.read()).killed, false);
});

test('two people who apply it at once apply it once', async () => {
  const project = await aProject(api);
  const flags = await Promise.all(Array.from({ length: 4 }, () => aPlacedFlag(project)));
  const id = await aChangeset(
    project,
    flags.map((flag) => flag.edit({ kind: 'kill' })),
  );
  const answers = await Promise.all([apply(id), apply(id), apply(id)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  const log = (await api.get(`/auditLogs?workspaceId=${project.id}&limit=50`)).body.data;
  assert.equal(log.filter((entry: { auditLogType: string }) => entry.auditLogType === 'definition.killed').length, 4);
});

test('a plan says what would change, for whom, what conflicts and who may apply it, and writes nothing', async () => {
  const project = await aProject(api);
  const needed = await aPlacedFlag(project, { defaultRule: shares(100) });
  const flag = await aPlacedFlag(project, { defaultRule: shares(20) });
  const rule = (size: number) => ({
    buckets: shares(size),
    condition: { matchers: [{ type: 'IN_SPLIT', depends: { splitName: needed.name, treatments: ['on'] } }] },
  });
  const operations = [flag.edit({ kind: 'patch', operations: [{ op: 'add', path: '/rules/-', value: rule(50) }] })];
  const fields = { workspace: { id: project.id }, title: 'Ship it', operations };
  const viewer = await api.key({
    roles: ['API_FEATURE_FLAG_VIEWER'],
    scope: { kind: 'project', projectId: project.id },
  });
  const actions = await api.recorded(async () => {
    const { status, body, text } = await api.post('/changesets?dryRun=true', fields);
    assert.equal(status, 200, text);
    assert.deepEqual([body.id, body.plan.canApply], ['', true]);
    const [planned] = body.plan.operations;
    assert.deepEqual(
      planned.differences.map(({ kind }: { kind: string }) => kind),
      ['rule'],
    );
    // The other flag gives `on` to everyone, so the rule takes everyone.
    assert.deepEqual(planned.shares, [
      { treatment: 'on', before: { min: 20, max: 20 }, after: { min: 50, max: 50 } },
      { treatment: 'off', before: { min: 80, max: 80 }, after: { min: 50, max: 50 } },
    ]);
    assert.deepEqual(planned.moves, [{ from: 'off', to: 'on', share: 30 }]);
    assert.equal((await api.get(`/changesets?workspaceId=${project.id}`)).body.count, 0);
    const invalid = [flag.edit(set('/defaultTreatment', 'gone'))];
    const refusedLater = await api.post('/changesets?dryRun=true', { ...fields, operations: invalid });
    assert.deepEqual(refusedLater.body.plan.canApply, false);
    assert.match(refusedLater.body.plan.operations[0].refusal, /defaultTreatment/);
  });
  assert.deepEqual(actions, []);
  const id = await aChangeset(project, [flag.edit(set('/defaultRule', shares(30)))]);
  const asViewer = (await api.get(`/changesets/${id}/plan`, { as: viewer })).body;
  assert.deepEqual([asViewer.canApply, asViewer.operations[0].conflicts], [false, []]);
  assert.match(asViewer.operations[0].refusal, /definition\.write/);
  await api.patch(flag.path, [{ op: 'replace', path: '/defaultRule', value: shares(60) }]);
  const { body: late } = await api.get(`/changesets/${id}/plan`);
  assert.deepEqual(
    [late.canApply, late.operations[0].conflicts],
    [false, ['someone else changed what everyone else gets too']],
  );
});

test('a plan names what is probably not meant, each with an example, and what cannot be known', async () => {
  const project = await aProject(api);
  const three = { treatments: [{ name: 'on' }, { name: 'off' }, { name: 'wide' }], defaultTreatment: 'off' };
  const flag = await aPlacedFlag(project, three);
  const needed = await aPlacedFlag(project, { defaultRule: shares(0) });
  const when = (...matchers: object[]) => ({ buckets: [{ treatment: 'on', size: 100 }], condition: { matchers } });
  const plan = { type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'] };
  const rules = [
    when({ type: 'LESS_THAN_OR_EQUAL_NUMBER', attribute: 'age', number: 18 }),
    when({ type: 'BETWEEN_NUMBER', attribute: 'age', between: { from: 3, to: 6 } }),
    when({ type: 'IN_SEGMENT', string: 'nowhere' }, plan),
    when({ type: 'IN_SPLIT', depends: { splitName: needed.name, treatments: ['on'] } }),
    when({ type: 'MATCHES_STRING', attribute: 'plan', string: '(pro|max)+' }),
    when(plan),
  ];
  const inStaging = flag.edit({ kind: 'replace', body: { ...aDefinition(three), rules, defaultRule: shares(10) } });
  const inProduction = {
    environment: project.production.id,
    flag: flag.name,
    edit: { kind: 'create', body: { ...aDefinition(three), rules: [], defaultRule: shares(100) } },
  };
  const { body: draft, text } = await api.post('/changesets?dryRun=true', {
    workspace: { id: project.id },
    operations: [inStaging, inProduction],
  });
  assert.ok(draft.plan, text);
  const [staging, production] = draft.plan.operations.map(({ findings }: { findings: Record<string, unknown>[] }) =>
    findings.map(({ kind, isProven, title, text, example }) => [
      kind,
      isProven,
      title,
      text,
      ...[example ?? []].flat(),
    ]),
  );
  const nobody = { key: 'user-1', attributes: {}, segments: [] };
  // Everyone else: a tenth gets on, and whether user-1 is among them depends on the seed.
  const { treatment } = staging[2].at(-1);
  assert.ok(treatment === 'on' || treatment === 'off', treatment);
  assert.deepEqual(staging, [
    [
      ...['neverReached', true, 'Rule 2 is never reached', 'Rule 1 already takes all of these.'],
      { ...nobody, attributes: { age: 3 }, treatment: 'on' },
    ],
    [
      ...['neverReached', false, 'Rule 6 may never be reached'],
      'Not proven: that depends on the regular expression of rule 5.',
    ],
    [
      ...['prerequisite', true, 'Rule 4 can never match', `It needs ${needed.name} to give on; everyone gets off.`],
      { ...nobody, treatment },
    ],
    [
      ...['segment', true, 'Segment nowhere does not exist', 'Until then rule 3 matches nobody.'],
      { ...nobody, attributes: { plan: 'pro' } },
    ],
    ['neverServed', true, 'wide is never served', `No share and no target of ${flag.name} has it.`],
  ]);
  // Compared with what the changeset makes of staging.
  assert.deepEqual(production[1].slice(0, 4), [
    ...['looser', true, 'production is looser than staging'],
    'Everyone else gives on to 100% of its keys. In staging, 10% of the same keys get it.',
  ]);
  assert.deepEqual(draft.plan.operations[0].unknown, ['attribute age', 'segment nowhere', 'attribute plan']);
});

test('production is compared with staging only where the flag is defined there', async () => {
  const project = await aProject(api);
  const { name } = await aFlag(api, project);
  const inside = (environment: { id: string }, on: number) => ({
    environment: environment.id,
    flag: name,
    edit: { kind: 'create', body: { ...aDefinition(), defaultRule: shares(on) } },
  });
  const looser = async (...operations: object[]): Promise<string[]> => {
    const fields = { workspace: { id: project.id }, operations };
    const { plan } = (await api.post('/changesets?dryRun=true', fields)).body;
    return plan.operations.at(-1).findings.map(({ text }: { text: string }) => text);
  };
  assert.deepEqual(await looser(inside(project.production, 100)), []);
  // Defined by the changeset itself, without seeds so far.
  assert.deepEqual(await looser(inside(project.staging, 100), inside(project.production, 100)), []);
  assert.deepEqual(await looser(inside(project.staging, 10), inside(project.production, 100)), [
    'Everyone else gives on to 100% of its keys. In staging, 10% of the same keys get it.',
  ]);
  await applied(await aChangeset(project, [inside(project.staging, 100)]));
  const removal = { environment: project.staging.id, flag: name, edit: { kind: 'delete' } };
  assert.deepEqual(await looser(removal, inside(project.production, 100)), []);
});

test('a plan counts who gets another treatment, over made-up keys and over identities with their attributes', async () => {
  const project = await aProject(api);
  const rules = [
    {
      buckets: shares(100),
      condition: { matchers: [{ type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'] }] },
    },
  ];
  const flag = await aPlacedFlag(project, { rules, defaultRule: shares(20) });
  const types = (await api.get(`/trafficTypes/ws/${project.id}`)).body as { id: string }[];
  await api.post(`/trafficTypes/${types[0]?.id}/environments/${project.staging.id}/identities`, [
    { key: 'ana', values: { plan: 'pro' } },
    { key: 'liu', values: { plan: 'free' } },
  ]);
  const planOf = async (as = api.adminKey) => {
    const operations = [flag.edit(set('/defaultRule', shares(100).toReversed()))];
    const fields = { workspace: { id: project.id }, title: 'Ship it', operations };
    // A busy machine may not start the thread in time; then the plan goes without.
    for (let attempt = 1; ; attempt += 1) {
      const { body, text } = await api.post('/changesets?dryRun=true', fields, { as });
      assert.ok(body.plan, text);
      if (body.plan.operations[0].transitions.length > 0 || attempt === 20) return body.plan.operations[0];
    }
  };
  const { transitions, moves } = await planOf();
  const [sample, seen] = transitions;
  assert.deepEqual([sample.of, seen.of, seen.keys], ['sample', 'seen', 2]);
  // A busy machine counts fewer in time.
  assert.ok(sample.keys >= 500 && sample.keys <= 100_000, sample.keys);
  const cellsOf = ({ cells }: { cells: { from: string; to: string }[] }) =>
    cells.map(({ from, to }) => `${from} ${to}`);
  assert.deepEqual(cellsOf(sample), ['off on', 'on on']);
  assert.deepEqual(moves, [{ from: 'off', to: 'on', share: 80 }]);
  assert.ok(Math.abs(sample.cells[0].share - 80) < 10, JSON.stringify(sample.cells[0]));
  assert.deepEqual([sample.cells[0].examples.length, new Set(sample.cells[0].examples).size], [10, 10]);
  assert.deepEqual(seen.cells.flatMap(({ examples }: { examples: string[] }) => examples).sort(), ['ana', 'liu']);
  assert.ok(
    seen.cells.some(
      ({ from, examples }: { from: string; examples: string[] }) => from === 'on' && examples.includes('ana'),
    ),
  );
  // Who may not read identities learns no keys of them.
  const editor = await api.key({
    roles: ['API_FEATURE_FLAG_EDITOR'],
    scope: { kind: 'project', projectId: project.id },
  });
  assert.deepEqual(
    (await planOf(editor)).transitions.map(({ of }: { of: string }) => of),
    ['sample'],
  );
});
