import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { contextFor } from '#commands/context.ts';
import { applyStep } from '#commands/schedules.ts';
import { system } from '#commands/setup.ts';
import { startSchedules } from '#jobs/schedules.ts';
import { type Answer, refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject, aRuleBasedSegment, aSegment, uniqueName } from '../support/build.ts';
import { until } from '../support/until.ts';

const api = await startApi();

async function aPlace(settings = {}) {
  const project = await aProject(api, settings);
  const name = uniqueName('large');
  await api.post(`/large-segments/ws/${project.id}/trafficTypes/user`, { name });
  const submitting = `/changeRequests/ws/${project.id}/environments/${project.staging.id}`;
  return { project, name, submitting, activate: () => api.post(`/large-segments/${project.staging.id}/${name}`) };
}

test('an upload is requested with an address for its file, and found by its id without that', async () => {
  const { project, name, submitting, activate } = await aPlace();
  await activate();
  const sent = { largeSegment: { name }, operationType: 'UPLOAD', title: 'Nightly', comment: 'export', approvers: [] };
  const { body } = await api.post(submitting, sent, { headers: { host: 'flags.example:8080' } });
  const { transactionMetadata, ...rest } = body;
  assert.match(transactionMetadata.url, /^http:\/\/flags\.example:8080\/internal\/uploads\/[\w-]{43}$/);
  assert.deepEqual(transactionMetadata, {
    method: 'PUT',
    url: transactionMetadata.url,
    headers: { Host: ['flags.example:8080'] },
  });
  const [comment] = body.comments;
  assert.deepEqual(rest, {
    id: body.id,
    status: 'AWAITING',
    operationType: 'UPLOAD',
    title: 'Nightly',
    comment: null,
    comments: [{ ...comment, comment: 'export', role: 'SUBMITTER' }],
    approvers: [],
    workspace: { id: project.id, type: 'workspace' },
    environment: { id: project.staging.id, name: project.staging.name },
    split: null,
    segment: null,
    largeSegment: { name, environment: { id: project.staging.id, name: project.staging.name } },
    ruleBasedSegment: null,
    rolloutStatus: null,
    rolloutStatusTimestamp: null,
  });
  assert.deepEqual((await api.get(`/changeRequests/${body.id}`)).body, { ...rest, transactionMetadata: null });
});

test('a change that cannot be submitted is refused, with those that can', async () => {
  const { name, submitting } = await aPlace();
  const send = (body: object) => api.post(submitting, body);
  const needsOne = 'A change request needs one of split, segment, largeSegment, ruleBasedSegment';
  refused(await send({ operationType: 'KILL' }), 400, needsOne);
  refused(await send({ split: { name: 'a' }, segment: { name: 'b' }, operationType: 'CREATE' }), 400, needsOne);
  const words = 'operationType of a largeSegment must be one of UPLOAD, ARCHIVE';
  refused(await send({ largeSegment: { name }, operationType: 'CREATE' }), 400, words);
  refused(await send({ segment: { name }, operationType: 'CREATE' }), 400, 'segment/keys must be an array of strings');
  refused(await send({ split: { name: 'none' }, operationType: 'KILL' }), 404, /flag none/);
  refused(await send({ largeSegment: { name: 'none' }, operationType: 'UPLOAD' }), 404, /segment none/);
  refused(await send({ largeSegment: { name }, operationType: 'UPLOAD' }), 404, /in environment staging/);
  refused(await api.get('/changeRequests/none'), 404, /change request none/);
  refused(await api.put('/changeRequests/none', { status: 'APPROVED' }), 404, /change request none/);
});

test('a change request needs a title and a comment where the project requires them', async () => {
  const { name, submitting, activate } = await aPlace({ requiresTitleAndComments: true });
  await activate();
  for (const operationType of ['UPLOAD', 'ARCHIVE']) {
    const body = { largeSegment: { name }, operationType };
    assert.equal((await api.post(submitting, body)).status, 400);
    assert.equal((await api.post(submitting, { ...body, title: 'why', comment: 'because' })).status, 200);
  }
});

test('the list has the change requests that wait, or those of a status, page by page', async () => {
  const { project, name, submitting, activate } = await aPlace();
  await activate();
  const list = async (query = '') => {
    const { body } = await api.get(`/changeRequests?environmentId=${project.staging.id}&limit=1${query}`);
    return { ids: body.data.map(({ id }: { id: string }) => id), next: body.nextMarker };
  };
  const submit = async (operationType: string) =>
    (await api.post(submitting, { largeSegment: { name }, operationType })).body;
  const [first, second] = [await submit('UPLOAD'), await submit('UPLOAD')];
  const page = await list();
  assert.deepEqual(page.ids, [first.id]);
  assert.deepEqual((await list(`&after=${page.next}`)).ids, [second.id]);
  const { pathname } = new URL(first.transactionMetadata.url);
  assert.equal((await api.put(pathname, undefined, { as: null, text: 'a\n' })).status, 200);
  assert.deepEqual((await list()).ids, [second.id]);
  assert.deepEqual((await list('&status=PUBLISHED')).ids, [first.id]);
  assert.deepEqual((await list('&status=WITHDRAWN')).ids, []);
  api.clock.now = Date.now() + 6 * 60_000;
  try {
    assert.deepEqual([(await list()).ids, (await list('&status=REJECTED')).ids], [[], [second.id]]);
  } finally {
    api.clock.now = undefined;
  }
});

async function ok(answering: Promise<Answer>): Promise<Answer['body']> {
  const answer = await answering;
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** A key of its own, as the vendor's client uses one for each role. */
async function aKey(name: string, more = {}) {
  const { id, key } = await ok(api.post('/apiKeys', { name, apiKeyType: 'admin', environments: [], ...more }));
  return { id, name, as: key };
}

/** Staging requires approvals, which one API key can give; a second key submits. */
async function aGuardedPlace() {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const [submitter, approver] = [await aKey('submitter'), await aKey('approver')];
  const guard = (more = {}) =>
    ok(
      api.patch(`/environments/ws/${project.id}/${project.staging.id}`, [
        {
          op: 'replace',
          path: '/changePermissions',
          value: { areApprovalsRequired: true, approvers: [{ id: approver.id, type: 'api_key' }], ...more },
        },
      ]),
    );
  await guard();
  const submitting = `/changeRequests/ws/${project.id}/environments/${project.staging.id}`;
  return {
    project,
    flag,
    path,
    submitter,
    approver,
    guard,
    submitting,
    submit: (body: object) => api.post(submitting, body, submitter),
    decide: (id: string, status: string, who = approver, comment = '') =>
      api.put(`/changeRequests/${id}`, { status, comment }, who),
  };
}

/** As the vendor's Python client does it. */
const listed = async (environmentId: string, status?: string) => {
  const ids: string[] = [];
  for (let after = ''; ; ) {
    const query = `limit=100&environmentId=${environmentId}${status ? `&status=${status}` : ''}${after}`;
    const { data, nextMarker } = await ok(api.get(`/changeRequests?${query}`));
    ids.push(...data.map(({ id }: { id: string }) => id));
    if (nextMarker === null) return ids;
    after = `&after=${nextMarker}`;
  }
};

test('a flag’s change is requested with one key and published by the approval of another', async () => {
  const { project, flag, path, submitter, approver, submit, decide } = await aGuardedPlace();
  const definition = { ...aDefinition(), trafficAllocation: 40 };
  refused(await api.put(path, definition, submitter), 403, /^Approvals are required/);
  const sent = { split: { ...definition, name: flag.name }, operationType: 'UPDATE', title: 'Less', comment: 'Why' };
  const requested = await ok(submit({ ...sent, approvers: [] }));
  const { id } = requested;
  const { trafficType } = await ok(api.get(path));
  const { split, comments, ...rest } = requested;
  assert.deepEqual(
    { ...split, treatments: undefined, rules: undefined, defaultRule: undefined },
    {
      id: flag.id,
      name: flag.name,
      environment: { id: project.staging.id, name: project.staging.name },
      trafficType,
      killed: false,
      defaultTreatment: definition.defaultTreatment,
      baselineTreatment: definition.defaultTreatment,
      trafficAllocation: 40,
      impressionsDisabled: false,
      openChangeRequestId: id,
      treatments: undefined,
      rules: undefined,
      defaultRule: undefined,
    },
  );
  assert.deepEqual(
    comments.map(({ timestamp: _, ...said }: { timestamp: number }) => said),
    [{ comment: 'Why', user: 'submitter', role: 'SUBMITTER' }],
  );
  assert.deepEqual(rest, {
    id,
    status: 'REQUESTED',
    operationType: 'UPDATE',
    title: 'Less',
    comment: null,
    approvers: [],
    workspace: { id: project.id, type: 'workspace' },
    environment: { id: project.staging.id, name: project.staging.name },
    segment: null,
    largeSegment: null,
    ruleBasedSegment: null,
    rolloutStatus: null,
    rolloutStatusTimestamp: null,
    transactionMetadata: null,
  });
  assert.deepEqual(await listed(project.staging.id), [id]);

  refused(await decide(id, 'APPROVED', submitter), 403, /You cannot approve/);
  refused(await decide(id, 'APPROVED', await aKey('stranger')), 401, /^stranger cannot approve/);
  const second = await submit(sent);
  refused(second, 423, 'Something was wrong');
  assert.equal(second.body.details, `A pending change request with id:${id} for this object already exists`);

  const actions = await api.recorded(async () => {
    const { status, comments: said } = await ok(decide(id, 'APPROVED', approver, 'Fine'));
    assert.deepEqual([status, said[1].role, said[1].comment], ['PUBLISHED', 'APPROVER', 'Fine']);
  });
  assert.deepEqual(actions.sort(), ['changeset.approved', 'changeset.published', 'definition.replaced']);
  assert.equal((await ok(api.get(path))).trafficAllocation, 40);
  assert.deepEqual([await listed(project.staging.id), await listed(project.staging.id, 'PUBLISHED')], [[], [id]]);
  refused(await decide(id, 'REJECTED'), 409, /is PUBLISHED/);
  // The object is free again.
  await ok(submit({ ...sent, operationType: 'KILL' }));
});

test('a change request is rejected by an approver and withdrawn by its submitter, each with a comment', async () => {
  const { project, flag, path, submitter, submit, decide } = await aGuardedPlace();
  const kill = { split: { name: flag.name }, operationType: 'KILL', title: 'Off' };
  const rejected = (await ok(submit(kill))).id;
  const { status, reason } = await ok(decide(rejected, 'REJECTED', undefined, 'Not now'));
  assert.deepEqual([status, reason], ['REJECTED', 'approver rejected it: Not now']);
  const withdrawn = (await ok(submit(kill))).id;
  assert.equal((await ok(decide(withdrawn, 'WITHDRAWN', submitter, 'Sorry'))).status, 'WITHDRAWN');
  assert.deepEqual(await listed(project.staging.id, 'WITHDRAWN'), [withdrawn]);
  assert.deepEqual(await listed(project.staging.id, 'REJECTED'), [rejected]);
  assert.equal((await ok(api.get(path))).killed, false);
});

test('definitions and keys of segments name the change request about them until it is over', async () => {
  const { project, flag, path, submitter, approver, submit, decide, guard } = await aGuardedPlace();
  const segment = await aSegment(api, project, [project.staging]);
  const keys = `/segments/${project.staging.id}/${segment.name}/keys`;
  const list = `/splits/ws/${project.id}/environments/${project.staging.id}`;
  // The same key asks before and after, so that answers which are kept would be seen.
  const named = async () => {
    const { objects } = await ok(api.get(list));
    return [await ok(api.get(path)), objects[0], await ok(api.get(keys))].map((one) => one.openChangeRequestId);
  };
  assert.deepEqual(await named(), [undefined, undefined, null]);
  const kill = { split: { name: flag.name }, operationType: 'KILL', title: 'Off' };
  const { headers } = await api.get(path);
  const { id } = await ok(submit(kill));
  assert.deepEqual(await named(), [id, id, null]);
  assert.equal((await api.get(path)).headers.etag, headers.etag, 'the ETag names the revision');
  const { id: added } = await ok(
    submit({ segment: { name: segment.name, keys: ['grace'] }, operationType: 'CREATE', title: 'Grace' }),
  );
  assert.deepEqual(await named(), [id, id, added]);
  await ok(decide(id, 'REJECTED'));
  await ok(decide(added, 'APPROVED'));
  assert.deepEqual(await named(), [undefined, undefined, null]);

  // Those who need no approval are told of what others asked for.
  await guard({ approvalSkippableBy: [{ id: approver.id, type: 'api_key' }] });
  const asked = (await ok(submit(kill))).id;
  const adding = { segment: { name: segment.name, keys: ['joan'] }, operationType: 'CREATE' };
  const joan = (await ok(submit(adding))).id;
  const uploaded = await ok(
    api.put(`/segments/${project.staging.id}/${segment.name}/uploadKeys`, { keys: ['k'] }, approver),
  );
  assert.equal(uploaded.openChangeRequestId, joan);
  assert.equal(
    (await ok(api.put(path, { ...aDefinition(), trafficAllocation: 7 }, approver))).openChangeRequestId,
    asked,
  );
  await ok(api.delete(path, approver));
  assert.equal((await ok(api.post(`${path}/undelete`, {}, approver))).openChangeRequestId, asked);
  assert.deepEqual(await named(), [asked, asked, joan]);
  await ok(decide(asked, 'WITHDRAWN', submitter));
  assert.deepEqual(await named(), [undefined, undefined, joan]);
});

test('a change request for a later time waits for its approval, and then for its time', async () => {
  const { project, flag, path, submitter, submit, decide } = await aGuardedPlace();
  const now = Date.parse('2026-10-24T08:00:00Z');
  api.clock.now = now;
  try {
    const kill = { split: { name: flag.name }, operationType: 'KILL', title: 'Tonight' };
    const [berlin, hour] = ['Europe/Berlin', 3_600_000];
    const send = (scheduledFor: number, zone: string | null = null) =>
      submit({ ...kill, scheduledFor, scheduledForTimezone: zone });
    refused(await send(now), 400, 'scheduledFor is over');
    refused(await send(now + 800 * 24 * hour), 400, 'scheduledFor must be within two years');
    refused(await send(1e300), 400, /^scheduledFor/);
    refused(await send(now + hour, 'Europe/Bonn'), 400, /^scheduledForTimezone Europe\/Bonn is not a known time zone/);
    // The second of two half past twos, when clocks are set back.
    const second = Date.parse('2026-10-25T01:30:00Z');
    const asked = await ok(send(second, berlin));
    assert.deepEqual([asked.status, asked.scheduledFor], ['SCHEDULE_REQUESTED', second]);
    refused(await send(now + hour), 423, 'Something was wrong');
    assert.equal((await ok(decide(asked.id, 'WITHDRAWN', submitter))).status, 'WITHDRAWN');

    const aborted = await ok(send(now + hour));
    await ok(api.post(`/changesets/${aborted.id}/abort`, {}, submitter));
    assert.equal((await ok(api.get(`/changeRequests/${aborted.id}`))).status, 'WITHDRAWN');

    const at = now + hour + 30_500;
    const { id } = await ok(send(at, berlin));
    assert.deepEqual(await listed(project.staging.id, 'SCHEDULE_REQUESTED'), [id]);
    const scheduled = await ok(decide(id, 'APPROVED'));
    assert.deepEqual([scheduled.status, scheduled.scheduledFor], ['SCHEDULED', at]);
    assert.deepEqual((await ok(api.get(`/changesets/${id}`))).schedule.at, {
      time: '2026-10-24T11:00:30.500',
      zone: berlin,
    });
    assert.equal((await ok(api.get(path))).killed, false);
    api.clock.now = at;
    const work = { store: api.store, log: pino({ level: 'silent' }) };
    const context = () => contextFor(api.store, { actor: { ...system, id: 'schedule' }, transactionId: 'schedule' });
    const worker = startSchedules({
      ...work,
      apply: (due) => applyStep(context(), due),
      fail: async () => assert.fail(),
    });
    const isPublished = async () => (await ok(api.get(`/changeRequests/${id}`))).status === 'PUBLISHED';
    await until('it is published', isPublished);
    await worker.stop();
    assert.equal((await ok(api.get(path))).killed, true);
  } finally {
    api.clock.now = undefined;
  }
});

test('where the environment restricts who approves, nobody can be named, and the request shows the list', async () => {
  const { flag, submit, guard } = await aGuardedPlace();
  const { id } = await aKey('release manager');
  await guard({ areApproversRestricted: true, approvers: [{ id, type: 'api_key' }] });
  const kill = { split: { name: flag.name }, operationType: 'KILL', title: 'Off' };
  refused(await submit({ ...kill, approvers: ['ada@example.com'] }), 400, 'Something was wrong');
  assert.deepEqual((await ok(submit({ ...kill, approvers: [] }))).approvers, ['release manager']);
});

test('where no approval is needed, a change request of any type is published at once', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const submitting = `/changeRequests/ws/${project.id}/environments/${project.staging.id}`;
  const publish = async (body: object) => {
    const answer = await ok(api.post(submitting, body));
    assert.equal(answer.status, 'PUBLISHED', JSON.stringify(body));
    return answer;
  };
  const split = { name: flag.name };
  const [, status] = await ok(api.get(`/rolloutStatuses?wsId=${project.id}`));
  const killed = await publish({ split, operationType: 'KILL', rolloutStatus: { id: status.id } });
  assert.deepEqual(killed.rolloutStatus, { id: status.id, type: 'rolloutStatus', name: status.name });
  assert.equal((await ok(api.get(`/splits/ws/${project.id}/${flag.name}`))).rolloutStatus.id, status.id);
  assert.equal((await ok(api.get(path))).killed, true);
  await publish({ split, operationType: 'RESTORE' });
  assert.equal((await ok(api.get(path))).killed, false);
  await publish({ split, operationType: 'ARCHIVE' });
  assert.equal((await api.get(path)).status, 404);
  await publish({ split: { ...aDefinition(), ...split }, operationType: 'CREATE' });
  assert.equal((await ok(api.get(path))).killed, false);

  const { name: segment } = await aSegment(api, project, [project.staging]);
  const keysPath = `/segments/${project.staging.id}/${segment}/keys`;
  const keys = async () => (await ok(api.get(keysPath))).keys.map(({ key }: { key: string }) => key);
  await publish({ segment: { name: segment, keys: ['ada', 'bob'] }, operationType: 'CREATE' });
  assert.deepEqual(
    (await publish({ segment: { name: segment, keys: ['bob'] }, operationType: 'ARCHIVE' })).segment.keys,
    ['bob'],
  );
  const form = [
    ...part('segmentName', segment),
    ...part('operationType', 'CREATE'),
    ...part('title', 'More'),
    ...part('approvers', ''),
    ...part('file"; filename="keys.csv', 'cy\r\ndee'),
    '--x--\r\n',
  ].join('\r\n');
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  assert.equal((await ok(api.post(`${submitting}/file`, undefined, { text: form, headers }))).title, 'More');
  assert.deepEqual(await keys(), ['ada', 'cy', 'dee']);

  const { name: rbs } = await aRuleBasedSegment(api, project, [project.staging]);
  const excludedKeys = ['ada'];
  const { ruleBasedSegment } = await publish({
    ruleBasedSegment: { name: rbs, excludedKeys },
    operationType: 'UPDATE',
  });
  assert.deepEqual([ruleBasedSegment.name, ruleBasedSegment.excludedKeys], [rbs, excludedKeys]);
  const rbsPath = `/rule-based-segments/ws/${project.id}/${rbs}/environments/${project.staging.id}`;
  assert.deepEqual((await ok(api.get(rbsPath))).excludedKeys, excludedKeys);
});

const part = (name: string, value: string) => [`--x\r\ncontent-disposition: form-data; name="${name}"`, '', value];

test('a file for a large segment waits for an approval, and its keys are served after it', async () => {
  const { project, submit, decide } = await aGuardedPlace();
  const name = uniqueName('large');
  await ok(api.post(`/large-segments/ws/${project.id}/trafficTypes/user`, { name }));
  await ok(api.post(`/large-segments/${project.staging.id}/${name}`));
  const count = async () =>
    (await ok(api.get(`/large-segments/${project.staging.id}/${name}/keys`))).keys.map(
      ({ key }: { key: string }) => key,
    );
  const upload = async (keys: string) => {
    const { id, status, transactionMetadata } = await ok(submit({ largeSegment: { name }, operationType: 'UPLOAD' }));
    assert.equal(status, 'AWAITING');
    const { pathname } = new URL(transactionMetadata.url);
    return { id, sent: await api.put(pathname, undefined, { as: null, text: keys }) };
  };
  const { id, sent } = await upload('a\nb\n');
  assert.equal(sent.status, 200, sent.text);
  const uploads = `/large-segments/${project.staging.id}/${name}/uploads`;
  assert.deepEqual([await count(), (await ok(api.get(uploads)))[0].status], [[], 'waiting']);
  assert.equal((await ok(api.get(`/changeRequests/${id}`))).status, 'REQUESTED');
  refused(await submit({ largeSegment: { name }, operationType: 'ARCHIVE' }), 423, 'Something was wrong');
  // Long after the five minutes in which the file had to arrive.
  api.clock.now = Date.now() + 24 * 60 * 60_000;
  try {
    assert.equal((await ok(decide(id, 'APPROVED'))).status, 'PUBLISHED');
  } finally {
    api.clock.now = undefined;
  }
  assert.deepEqual([await count(), (await ok(api.get(uploads)))[0].status], [['a', 'b'], 'published']);
  const other = await upload('c\n');
  await ok(decide(other.id, 'REJECTED', undefined, 'No'));
  const [{ status, failure }] = await ok(api.get(uploads));
  assert.deepEqual([await count(), status, failure], [['a', 'b'], 'failed', 'approver rejected it: No']);
});

test('keys see and submit change requests about what their role reads and writes', async () => {
  const project = await aProject(api);
  const { flag } = await aDefinedFlag(api, project);
  const { name: segment } = await aSegment(api, project, [project.staging]);
  const submitting = `/changeRequests/ws/${project.id}/environments/${project.staging.id}`;
  const flagKey = await aKey('flags', { roles: ['API_FEATURE_FLAG_EDITOR'] });
  const segmentKey = await aKey('segments', { roles: ['API_SEGMENT_EDITOR'] });
  const kill = { split: { name: flag.name }, operationType: 'KILL' };
  const add = { segment: { name: segment, keys: ['ada'] }, operationType: 'CREATE' };
  refused(await api.post(submitting, kill, segmentKey), 403, 'Role is insufficient');
  refused(await api.post(submitting, add, flagKey), 403, 'Role is insufficient');
  const [flagRequest, segmentRequest] = [
    await ok(api.post(submitting, kill, flagKey)),
    await ok(api.post(submitting, add, segmentKey)),
  ];
  const seenBy = async (key: { as: string }) =>
    (await ok(api.get(`/changeRequests?status=PUBLISHED&environmentId=${project.staging.id}`, key))).data.map(
      ({ id }: { id: string }) => id,
    );
  assert.deepEqual([await seenBy(flagKey), await seenBy(segmentKey)], [[flagRequest.id], [segmentRequest.id]]);
  refused(await api.get(`/changeRequests/${flagRequest.id}`, segmentKey), 404, /change request/);
  refused(await api.get(`/changesets/${segmentRequest.id}`, flagKey), 404, /changeset/);
});

test('the operations of a change request cannot be replaced, so its object stays the one that clients know', async () => {
  const { flag, project, submit } = await aGuardedPlace();
  const { id } = await ok(submit({ split: { name: flag.name }, operationType: 'KILL', title: 'Off' }));
  const operations = [{ environment: project.staging.id, flag: flag.name, edit: { kind: 'restore' } }];
  refused(await api.put(`/changesets/${id}`, { operations }), 400, /^operations cannot be changed/);
});
