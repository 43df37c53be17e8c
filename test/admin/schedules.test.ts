import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { contextFor } from '#commands/context.ts';
import { applyStep, failStep } from '#commands/schedules.ts';
import { system } from '#commands/setup.ts';
import type { Review } from '#domain/approvals.ts';
import { startSchedules } from '#jobs/schedules.ts';
import { openStore } from '#store/open.ts';
import { type ChangesetMail, listOutbox } from '#store/outbox.ts';
import type { Store } from '#store/sql.ts';
import { type Answer, refused } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject, aSegment } from '../support/build.ts';
import { aPerson, setUpAdministrator, startAccounts } from '../support/session.ts';
import { until } from '../support/until.ts';

const api = await startAccounts();
const [minute, hour] = [60_000, 3_600_000];
// Before anybody signs in: sessions end.
api.clock.now = Date.parse('2026-11-20T08:00:00Z');
await setUpAdministrator(api);
const [ana, ben, cleo] = [await aPerson(api), await aPerson(api), await aPerson(api)];
type Who = { readonly signedIn: object };
type Named = { readonly auditLogType: string };

const allocate = (share: number) => ({
  kind: 'patch',
  operations: [{ op: 'replace', path: '/trafficAllocation', value: share }],
});
const as = (who: Who) => who.signedIn;

async function ok(answering: Promise<Answer>): Promise<Answer['body']> {
  const answer = await answering;
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** A project with a flag that is defined in both environments, and what is asked about it in production. */
async function aPlace(permissions?: object) {
  // Entries of one moment have no order.
  pass(minute);
  const project = await aProject(api);
  const { flag } = await aDefinedFlag(api, project);
  const path = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  await ok(api.post(path, aDefinition()));
  const guard = (value: object) =>
    ok(
      api.patch(`/environments/ws/${project.id}/${project.production.id}`, [
        { op: 'replace', path: '/changePermissions', value },
      ]),
    );
  if (permissions) await guard({ areApprovalsRequired: true, ...permissions });
  const edit = (one: unknown) => ({ environment: project.production.id, flag: flag.name, edit: one });
  return {
    ...project,
    flag,
    path,
    guard,
    edit,
    share: async () => (await ok(api.get(path))).trafficAllocation,
    draft: async (one: unknown = allocate(10), who: Who = ana): Promise<string> => {
      const body = { workspace: { id: project.id }, title: 'Ramp', operations: [edit(one)] };
      return (await ok(api.post('/changesets', body, as(who)))).id;
    },
    /** 10 % at once, then as asked. */
    ramp: async (steps: readonly object[], who: Who = ana, scheduler: Who = who) => {
      const body = { workspace: { id: project.id }, title: 'Ramp', operations: [edit(allocate(10))] };
      const { id } = await ok(api.post('/changesets', body, as(who)));
      const asked = steps.map(({ share, ...step }: { share?: number }) => ({
        ...step,
        operations: [edit(allocate(share ?? 100))],
      }));
      await ok(say('schedule', id, scheduler, { steps: asked }));
      return id as string;
    },
  };
}

const say = (verb: string, id: string, who: Who, body?: object) => api.post(`/changesets/${id}/${verb}`, body, as(who));
const read = (id: string) => ok(api.get(`/changesets/${id}`));
/** What people said about it and did with it, in order. */
const saidAbout = async (id: string) =>
  (await read(id)).reviews.map(({ by, kind, comment }: Review) => `${by.name} ${kind} ${comment}`);
const stateOf = async (id: string) => (await read(id)).status;
/** The mails about a changeset that wait to be sent. */
const mailsAbout = async (changesetId: string) =>
  (await listOutbox(api.store)).flatMap(({ kind, payload }) => {
    const { changesetId: about, email, news, comment, isScheduler } = payload as ChangesetMail;
    const said = `${email} ${news} ${comment}${isScheduler ? ' as scheduler' : ''}`;
    return kind === 'changeset' && about === changesetId ? [said] : [];
  });
const inAnHour = () => new Date((api.clock.now ?? 0) + hour).toISOString().slice(0, 16);
const at = (time: string, zone = 'UTC') => ({ at: { time, zone } });

const workOf = (store: Store) => {
  const context = () => contextFor(store, { actor: { ...system, id: 'schedule' }, transactionId: 'schedule' });
  return {
    store,
    log: pino({ level: 'silent' }),
    apply: (due: Parameters<typeof applyStep>[1]) => applyStep(context(), due),
    fail: (due: Parameters<typeof failStep>[1], refusal: Parameters<typeof failStep>[2]) =>
      failStep(context(), due, refusal),
  };
};

/** What nodes that start now apply. */
async function run(stores: readonly Store[] = [api.store]): Promise<void> {
  const nodes = stores.map((store) => startSchedules(workOf(store)));
  const isDone = async () => {
    const [row] = await api.store.all<{ total: number }>(sql`
      select count(*) as total from changeset_schedules s join changesets c on c.id = s.changeset_id
       where s.due_at <= ${api.store.clock()}
         and (c.state = 'SCHEDULED'
              or c.state = 'SCHEDULE_REQUESTED' and s.local_time is not null and s.applied = '[]')`);
    return row?.total === 0;
  };
  await until('every step that is due is settled', isDone);
  await Promise.all(nodes.map((node) => node.stop()));
}
const pass = (ms: number) => {
  api.clock.now = (api.clock.now ?? 0) + ms;
};

test('a changeset is applied at a local time, whatever clocks do there', async () => {
  const place = await aPlace();
  const resolved = async (time: string, zone: string) => {
    const id = await place.draft();
    const { dueAt, status, schedule } = await ok(say('schedule', id, ana, at(time, zone)));
    assert.deepEqual([status, schedule.at, schedule.dueAt], ['SCHEDULED', { time, zone }, dueAt]);
    await ok(say('abort', id, ana));
    return new Date(dueAt).toISOString();
  };
  assert.equal(await resolved('2026-11-20T10:00', 'Europe/Berlin'), '2026-11-20T09:00:00.000Z');
  assert.equal(await resolved('2027-07-01T10:00', 'Europe/Berlin'), '2027-07-01T08:00:00.000Z');
  // 02:30 does not exist on this day: it is 03:30 in summer time.
  assert.equal(await resolved('2027-03-28T02:30', 'Europe/Berlin'), '2027-03-28T01:30:00.000Z');
  assert.equal(await resolved('2027-03-28T03:00', 'Europe/Berlin'), '2027-03-28T01:00:00.000Z');
  // 02:30 comes twice: the first, still in summer time.
  assert.equal(await resolved('2027-10-31T02:30', 'Europe/Berlin'), '2027-10-31T00:30:00.000Z');
  assert.equal(await resolved('2027-10-31T03:00', 'Europe/Berlin'), '2027-10-31T02:00:00.000Z');
  // Half an hour of summer time, and an offset of 45 minutes.
  assert.equal(await resolved('2027-04-04T01:45', 'Australia/Lord_Howe'), '2027-04-03T14:45:00.000Z');
  assert.equal(await resolved('2026-12-24T18:00', 'Asia/Kathmandu'), '2026-12-24T12:15:00.000Z');
  assert.equal(await resolved('2028-02-29T00:00', 'Pacific/Kiritimati'), '2028-02-28T10:00:00.000Z');
  const id = await place.draft();
  for (const [body, complaint] of [
    [at('2026-11-20T10:00', 'Europe/Atlantis'), /^at\/zone Europe\/Atlantis is not a known time zone/],
    [at('2026-11-20T10:00', '+02:00'), /^at\/zone/],
    [at('2027-02-29T10:00'), /^at\/time must be a local date/],
    [at('2026-11-20T10:00:00Z'), /^at\/time must be a local date/],
    [at('2026-11-20T08:00'), /^at\/time is over/],
    [at('2030-11-20T08:00'), /^at\/time must be within two years/],
    [{}, /^at or steps is needed/],
  ] as const) {
    refused(await say('schedule', id, ana, body), 400, complaint);
  }
  assert.equal(await stateOf(id), 'DRAFT');
});

test('a step that was due while no server ran is applied at the start, once, for the person who scheduled it', async () => {
  const place = await aPlace();
  const id = await place.draft(allocate(40));
  await ok(say('schedule', id, ana, at(inAnHour())));
  refused(await say('apply', id, ana), 409, /is SCHEDULED/);
  refused(await api.put(`/changesets/${id}`, { title: 'Other' }, as(ana)), 409, /is SCHEDULED/);
  pass(hour - 1);
  assert.deepEqual(await api.recorded(() => run()), []);
  pass(2 * hour);
  const other = await openStore(api.database, () => api.clock.now ?? 0);
  after(() => other.close());
  const actions = await api.recorded(() => run([api.store, other, api.store]));
  assert.deepEqual(actions, ['definition.patched', 'changeset.published']);
  assert.deepEqual([await place.share(), await stateOf(id)], [40, 'PUBLISHED']);
  const { editor, changesetId } = await api.lastChange();
  assert.deepEqual([editor.name, changesetId], [ana.email, id]);
  const { schedule, dueAt } = await read(id);
  assert.deepEqual([schedule.appliedAt, schedule.dueAt, dueAt], [[api.clock.now], undefined, undefined]);
});

test('new rules of a time zone move the instant, not the time on the clock', async () => {
  const place = await aPlace();
  const id = await place.draft();
  const { dueAt } = await ok(say('schedule', id, ana, at('2026-12-24T18:00', 'Europe/Berlin')));
  await api.store.write((tx) =>
    tx.run(sql`update changeset_schedules set due_at = ${dueAt - hour} where changeset_id = ${id}`),
  );
  await run();
  assert.equal((await read(id)).dueAt, dueAt);
  await ok(say('abort', id, ana));
});

test('a ramp waits between its steps, and can be paused, resumed, skipped and held', async () => {
  const place = await aPlace();
  const id = await place.ramp([
    { waitMs: hour, share: 25 },
    { waitMs: hour, share: 50 },
    { hold: true, share: 100 },
  ]);
  const coming = async () => (await ok(api.get(`${place.path}/schedules`, as(ana))))[0];
  assert.deepEqual(
    (await coming()).steps.map(({ step, at: when, hold }: { step: number; at?: number; hold: boolean }) => [
      step,
      when && when - (api.clock.now ?? 0),
      hold,
    ]),
    [
      [1, 0, false],
      [2, hour, false],
      [3, 2 * hour, false],
      [4, undefined, true],
    ],
  );
  await run();
  assert.equal(await place.share(), 10);
  pass(hour / 2);
  await ok(say('pause', id, ana, { comment: 'Errors' }));
  refused(await say('skip', id, ana), 409, /is paused; only one that is waiting can be skipped/);
  pass(hour);
  await run();
  assert.equal(await place.share(), 10);
  const resumed = await ok(say('resume', id, ben));
  assert.equal(resumed.dueAt, (api.clock.now ?? 0) + hour / 2);
  refused(await say('resume', id, ana), 409, /is waiting/);
  pass(hour / 2);
  await run();
  assert.equal(await place.share(), 25);
  // What others change meanwhile stays.
  await ok(api.patch(place.path, [{ op: 'replace', path: '/defaultRule', value: [{ treatment: 'on', size: 100 }] }]));
  await ok(say('skip', id, ben));
  await run();
  assert.equal(await place.share(), 50);
  pass(2 * hour);
  await run();
  const held = await read(id);
  assert.deepEqual([await place.share(), held.status, held.dueAt], [50, 'SCHEDULED', undefined]);
  refused(await say('pause', id, ana), 409, /is held/);
  refused(await api.delete(`/changesets/${id}`, as(ana)), 409, /is running/);
  const [last] = (await coming()).steps;
  assert.deepEqual([last.step, last.at, last.shares], [4, undefined, [{ treatment: 'on', size: 100 }]]);
  assert.equal(last.allocation, 100);
  await ok(say('resume', id, ana, { comment: 'All calm' }));
  await run();
  assert.equal(await stateOf(id), 'PUBLISHED');
  assert.deepEqual(await saidAbout(id), [
    `${ana.email} request `,
    `${ana.email} pause Errors`,
    `${ben.email} resume `,
    `${ben.email} skip `,
    `${ana.email} resume All calm`,
    `${ana.email} apply `,
  ]);
  const { trafficAllocation, defaultRule } = await ok(api.get(place.path));
  assert.deepEqual([trafficAllocation, defaultRule.length], [100, 1]);
  assert.deepEqual(await coming(), undefined);
  // A revert takes all steps back, and nothing else.
  const { id: revert } = await ok(say('revert', id, ana));
  await ok(say('apply', revert, ana));
  const after = await ok(api.get(place.path));
  assert.deepEqual([after.trafficAllocation, after.defaultRule.length], [100, 1]);
});

test('a plan shows what each further step changes, and what that step is the first to get wrong', async () => {
  const place = await aPlace();
  const give = (on: number) => ({
    kind: 'patch',
    operations: [
      {
        op: 'replace',
        path: '/defaultRule',
        value: [{ treatment: 'on', size: on }, ...(on === 100 ? [] : [{ treatment: 'off', size: 100 - on }])],
      },
    ],
  });
  await ok(api.patch(place.path.replace(place.production.id, place.staging.id), give(50).operations));
  const id = await place.draft(give(10));
  const plan = async () => (await ok(api.get(`/changesets/${id}/plan`))).operations[0];
  assert.deepEqual((await plan()).laterSteps, []);
  const steps = [40, 70, 100].map((on) => ({ waitMs: hour, operations: [place.edit(give(on))] }));
  await ok(say('schedule', id, ana, { ...at(inAnHour()), steps }));
  const { differences, findings, laterSteps } = await plan();
  assert.deepEqual([differences.length, findings], [1, []]);
  type Later = { step: number; differences: { before: object[]; after: object[] }[]; findings: { title: string }[] };
  assert.deepEqual(
    laterSteps.map(({ step, differences: [one], findings: found }: Later) => [
      ...[step, one?.before[0], one?.after[0], found.map(({ title }) => title)],
    ]),
    [
      [2, { treatment: 'on', size: 10 }, { treatment: 'on', size: 40 }, []],
      [3, { treatment: 'on', size: 40 }, { treatment: 'on', size: 70 }, ['production is looser than staging']],
      [4, { treatment: 'on', size: 70 }, { treatment: 'on', size: 100 }, []],
    ],
  );
  // It is not due in the tests that follow.
  await ok(say('abort', id, ana));

  const failing = await place.draft();
  const later = [{ waitMs: hour, operations: [place.edit(give(40))] }];
  await ok(say('schedule', failing, ana, { ...at(inAnHour()), steps: later }));
  await ok(api.patch(place.path, give(30).operations));
  const [planned] = (await ok(api.get(`/changesets/${failing}/plan`))).operations;
  assert.deepEqual(
    [planned.conflicts, planned.laterSteps],
    [[], [{ step: 2, isConflict: true, differences: [], findings: [] }]],
  );
  await ok(say('abort', failing, ana));
});

test('the plan of a ramp that runs is about the steps still to come', async () => {
  const place = await aPlace();
  const id = await place.ramp([
    { waitMs: hour, share: 25 },
    { waitMs: hour, share: 50 },
  ]);
  const plan = async () => {
    const { step, operations } = await ok(api.get(`/changesets/${id}/plan`));
    const [{ differences, conflicts, laterSteps }] = operations;
    const steps = [differences, ...laterSteps.map((later: { differences: object[] }) => later.differences)];
    return [step, conflicts, steps.map(([one]) => [one?.before, one?.after])];
  };
  // Its first step is due at once.
  assert.deepEqual(await plan(), [
    1,
    [],
    [
      [100, 10],
      [10, 25],
      [25, 50],
    ],
  ]);
  await run();
  assert.deepEqual(await plan(), [
    2,
    [],
    [
      [10, 25],
      [25, 50],
    ],
  ]);
  await ok(api.patch(place.path, [{ op: 'replace', path: '/trafficAllocation', value: 20 }]));
  assert.match((await plan())[1][0], /traffic allocation/);
  await ok(say('abort', id, ana));
});

test('a step that is refused changes nothing, stops the rest, and says why', async () => {
  const place = await aPlace();
  const id = await place.ramp([{ waitMs: hour }, { waitMs: hour }], ana, cleo);
  await run();
  await ok(api.patch(place.path, [{ op: 'replace', path: '/trafficAllocation', value: 11 }]));
  const [next] = (await ok(api.get(`${place.path}/schedules`)))[0].steps;
  assert.equal(next.isConflict, true);
  pass(hour);
  const actions = await api.recorded(() => run());
  assert.deepEqual(actions, ['changeset.failed']);
  const { status, reason, schedule } = await read(id);
  assert.deepEqual([status, schedule.appliedAt.length, await place.share()], ['FAILED', 1, 11]);
  const name = `${place.flag.name} in production`;
  // Whoever made it and whoever scheduled it are told.
  assert.deepEqual((await mailsAbout(id)).sort(), [
    `${ana.email} failed ${reason}`,
    `${cleo.email} failed ${reason} as scheduler`,
  ]);
  assert.equal(reason, `Step 2 of 3: ${name}: someone else changed the traffic allocation too`);
  assert.equal((await saidAbout(id)).at(-1), `${system.name} fail ${reason}`);
  pass(hour);
  assert.deepEqual(await api.recorded(() => run()), []);
});

test('rights are those of whoever scheduled it, at its time', async () => {
  const place = await aPlace();
  const dan = await aPerson(api);
  const ids = [await place.draft(allocate(40), dan), await place.draft(allocate(50), dan)];
  for (const id of ids)
    await ok(say('schedule', id, dan, { steps: [{ waitMs: 0, operations: [place.edit(allocate(60))] }] }));
  await place.guard({ areEditorsRestricted: true, editors: [{ id: ana.id, type: 'user' }] });
  await run();
  for (const id of ids)
    assert.match((await read(id)).reason, /^Step 1 of 2: Only .+ can edit definitions in production/);
  await place.guard({});
  const last = await place.draft(allocate(40), dan);
  await ok(say('schedule', last, dan, { steps: [{ hold: true, operations: [place.edit(allocate(60))] }] }));
  await ok(
    api.put(`/users/${dan.id}`, {
      name: dan.name,
      email: dan.email,
      type: 'user',
      status: 'DEACTIVATED',
      '2fa': false,
    }),
  );
  await run();
  const { status, reason } = await read(last);
  assert.equal(status, 'FAILED');
  assert.match(reason, new RegExp(`^Step 1 of 2: ${dan.email}, who scheduled it, no longer has access`));
  assert.equal(await place.share(), 100);
});

test('where approvals are required, it is applied only with approvals that hold at its time', async () => {
  const place = await aPlace({});
  const steps = [{ waitMs: hour, operations: [place.edit(allocate(50))] }];
  const id = await place.draft();
  const asked = await ok(say('schedule', id, ana, { steps }));
  assert.equal(asked.status, 'SCHEDULE_REQUESTED');
  assert.ok((await mailsAbout(id)).includes(`${ben.email} requested `));
  assert.deepEqual(await api.recorded(() => run()), []);
  assert.equal((await ok(say('approve', id, ben))).status, 'SCHEDULED');
  // Another wait is another content.
  const edited = await ok(say('schedule', id, ana, { steps: [{ ...steps[0], waitMs: 1 }] }));
  assert.equal(edited.status, 'SCHEDULE_REQUESTED');
  assert.equal((await ok(say('schedule', id, ana, { steps }))).status, 'SCHEDULE_REQUESTED');
  assert.equal((await ok(say('approve', id, ben))).status, 'SCHEDULED');
  await run();
  assert.equal(await place.share(), 10);
  // Before the second step, Ben may no longer approve.
  await place.guard({
    areApprovalsRequired: true,
    areApproversRestricted: true,
    approvers: [{ id: cleo.id, type: 'user' }],
  });
  pass(hour);
  await run();
  const { status, reason } = await read(id);
  assert.deepEqual([status, await place.share()], ['FAILED', 10]);
  assert.equal(reason, 'Step 2 of 2: it lacked an approval that counted at its time');
  // A time comes, approved or not.
  const other = await place.draft(allocate(70));
  await ok(say('schedule', other, ana, at(inAnHour())));
  pass(hour);
  await run();
  const late = await read(other);
  assert.deepEqual([late.status, late.reason], ['FAILED', 'it lacked an approval that counted at its time']);
  refused(await say('approve', other, cleo), 409, /is FAILED/);
});

test('the plan of a ramp can be edited: all of it before it begins, afterwards the steps still to come', async () => {
  const place = await aPlace();
  const id = await place.ramp([{ waitMs: hour, share: 50 }, { waitMs: hour }]);
  const plan = (share: number, ...steps: readonly [share: number, step: object][]) => ({
    ...(share === 0 ? {} : { operations: [place.edit(allocate(share))] }),
    steps: steps.map(([to, step]) => ({ ...step, operations: [place.edit(allocate(to))] })),
  });
  const wait = { waitMs: 2 * hour };
  // It is still based on what was there when it was drafted, so others' changes are not overwritten.
  await ok(api.patch(place.path, [{ op: 'replace', path: '/trafficAllocation', value: 3 }]));
  const edited = await ok(say('schedule', id, ana, plan(20, [40, wait], [60, wait], [100, wait])));
  assert.deepEqual([edited.status, edited.operations[0].edit], ['SCHEDULED', allocate(20)]);
  assert.match((await ok(api.get(`/changesets/${id}/plan`, as(ana)))).operations[0].conflicts[0], /traffic allocation/);
  await ok(api.patch(place.path, [{ op: 'replace', path: '/trafficAllocation', value: 100 }]));
  await run();
  assert.equal(await place.share(), 20);
  refused(await say('schedule', id, ana, plan(30, [50, wait])), 400, /has begun, only steps can be changed/);
  refused(await say('schedule', id, ana, at(inAnHour())), 400, /has begun/);
  refused(await say('schedule', id, ana, { steps: [] }), 400, /steps is needed/);
  pass(hour);
  const later = await ok(say('schedule', id, ben, plan(0, [45, wait], [55, { hold: true }])));
  const due = later.schedule.appliedAt[0] + 2 * hour;
  assert.deepEqual([later.schedule.steps.length, later.dueAt, later.schedule.by.name], [2, due, ben.email]);
  // A pause stays a pause, with what is left of the new wait, and is not part of it.
  await ok(say('pause', id, ana));
  pass(20 * minute);
  const paused = await ok(say('schedule', id, ana, plan(0, [45, { waitMs: 3 * hour }], [55, { hold: true }])));
  assert.deepEqual([paused.dueAt, typeof paused.schedule.pausedAt], [undefined, 'number']);
  assert.equal((await ok(say('resume', id, ana))).dueAt, due + hour + 20 * minute);
  pass(2 * hour);
  await run();
  assert.equal(await place.share(), 45);
  // A hold is a hold, even if it was paused: who resumes a pause is not asked for an approval.
  await ok(say('schedule', id, ana, plan(0, [80, wait])));
  await ok(say('pause', id, ana));
  const held = await ok(say('schedule', id, ana, plan(0, [80, { hold: true }])));
  assert.deepEqual([held.dueAt, held.schedule.pausedAt], [undefined, undefined]);
  const timed = await ok(say('schedule', id, ana, plan(0, [80, wait])));
  assert.equal(timed.dueAt, timed.schedule.appliedAt[1] + 2 * hour);
  pass(2 * hour);
  await run();
  assert.deepEqual([await place.share(), await stateOf(id)], [80, 'PUBLISHED']);
  const tooMany = Array.from({ length: 20 }, (_, index): [number, object] => [index + 1, wait]);
  const other = await place.ramp([{ waitMs: hour, share: 50 }, { waitMs: hour }]);
  await run();
  pass(hour);
  await run();
  refused(await say('schedule', other, ana, plan(0, ...tooMany)), 400, /steps must not be more than 20/);
});

test('changing the steps still to come voids approvals, and they wait for a new one, however late it is', async () => {
  const place = await aPlace({});
  const id = await place.draft();
  const steps = (share: number) => ({ steps: [{ waitMs: hour, operations: [place.edit(allocate(share))] }] });
  await ok(say('schedule', id, ana, { ...at(inAnHour()), ...steps(50) }));
  await ok(say('approve', id, ben));
  pass(hour);
  await run();
  assert.equal((await ok(say('schedule', id, ana, steps(60)))).status, 'SCHEDULE_REQUESTED');
  refused(await api.delete(`/changesets/${id}`, as(ana)), 409, /is running/);
  pass(2 * hour);
  assert.deepEqual(await api.recorded(() => run()), []);
  refused(await say('approve', id, ana), 403, /that you wrote or edited/);
  assert.equal((await ok(say('approve', id, ben))).status, 'SCHEDULED');
  await run();
  assert.deepEqual([await place.share(), await stateOf(id)], [60, 'PUBLISHED']);
  // Whoever could approve the rest can end it; a kill ends it as well.
  const again = async () => {
    await place.guard({ areApprovalsRequired: false });
    const ramp = await place.ramp([{ waitMs: hour }]);
    await run();
    await place.guard({ areApprovalsRequired: true });
    await ok(say('schedule', ramp, ana, steps(60)));
    return ramp;
  };
  const rejected = await again();
  assert.equal((await ok(say('reject', rejected, ben))).status, 'REJECTED');
  await place.guard({ areApprovalsRequired: true, allowKills: true });
  const killed = await again();
  await place.guard({ areApprovalsRequired: true, allowKills: true });
  await ok(api.put(`${place.path}/kill`, undefined, as(ben)));
  assert.deepEqual([await stateOf(killed), (await read(killed)).expiresAt], ['FAILED', undefined]);
});

test('a kill needs no approval where kills are allowed, but what follows it does', async () => {
  const place = await aPlace({ allowKills: true });
  const id = await place.draft({ kind: 'kill' });
  const steps = [{ waitMs: 0, operations: [place.edit({ kind: 'restore' })] }];
  assert.equal((await ok(say('schedule', id, ana, { steps }))).status, 'SCHEDULE_REQUESTED');
  // A held step is for those who could approve.
  await ok(say('abort', id, ana));
  await ok(say('schedule', id, ana, { steps: [{ hold: true, operations: [place.edit({ kind: 'restore' })] }] }));
  await ok(say('approve', id, ben));
  await run();
  refused(await say('resume', id, ana), 403, /that you wrote or edited/);
  await ok(say('resume', id, cleo));
  await run();
  assert.equal(await stateOf(id), 'PUBLISHED');
});

test('a kill stops the running ramps of the definition, and only these', async () => {
  const [place, elsewhere] = [await aPlace(), await aPlace()];
  const ids = [await place.ramp([{ waitMs: hour }], ana, cleo), await elsewhere.ramp([{ waitMs: hour }])];
  await run();
  const waiting = await place.draft();
  await ok(say('schedule', waiting, ana, at(inAnHour())));
  pass(minute);
  const actions = await api.recorded(() => ok(api.put(`${place.path}/kill`, undefined, as(ben))));
  assert.deepEqual(actions.toSorted(), ['changeset.failed', 'definition.killed']);
  const { status, reason } = await read(ids[0] as string);
  assert.equal(status, 'FAILED');
  assert.deepEqual((await mailsAbout(ids[0] as string)).sort(), [
    `${ana.email} failed ${reason}`,
    `${cleo.email} failed ${reason} as scheduler`,
  ]);
  assert.equal(reason, `${ben.email} killed ${place.flag.name} in production after 1 of 2 steps`);
  assert.equal((await saidAbout(ids[0] as string)).at(-1), `${ben.email} fail ${reason}`);
  assert.deepEqual([await stateOf(ids[1] as string), await stateOf(waiting)], ['SCHEDULED', 'SCHEDULED']);
  pass(hour);
  await run();
  assert.equal(await place.share(), 10);
  // What was applied can be taken back.
  await ok(say('apply', (await ok(say('revert', ids[0] as string, ana))).id, ana));
  assert.equal(await place.share(), 100);
});

test('aborting leaves what was applied, and a draft if nothing was', async () => {
  const place = await aPlace();
  const id = await place.ramp([{ waitMs: hour }]);
  const draft = await ok(say('abort', id, ana));
  assert.deepEqual([draft.status, draft.schedule, draft.dueAt], ['DRAFT', undefined, undefined]);
  await ok(say('schedule', id, ana, { steps: [{ waitMs: hour, operations: [place.edit(allocate(50))] }] }));
  await run();
  const { status, reason } = await ok(say('abort', id, ana, { comment: 'Not today' }));
  assert.deepEqual((await saidAbout(id)).slice(1), [
    `${ana.email} abort `,
    `${ana.email} request `,
    `${ana.email} abort Not today`,
  ]);
  assert.deepEqual([status, reason], ['WITHDRAWN', 'Ended after 1 of 2 steps']);
  pass(hour);
  assert.deepEqual(await api.recorded(() => run()), []);
  assert.equal(await place.share(), 10);
});

test('the author and the scheduler of a changeset are mailed when someone else ends it, with the reason', async () => {
  const place = await aPlace();
  const steps = [{ waitMs: hour, operations: [place.edit(allocate(50))] }];
  const id = await place.draft();
  await ok(say('schedule', id, ben, { steps }));
  assert.equal((await ok(say('abort', id, cleo, { comment: 'Wrong week' }))).status, 'DRAFT');
  const both = (words: string) => [`${ana.email} ${words}`, `${ben.email} ${words} as scheduler`].sort();
  assert.deepEqual((await mailsAbout(id)).sort(), both('aborted Wrong week'));
  await ok(say('schedule', id, ben, { steps }));
  await run();
  await ok(say('abort', id, cleo));
  assert.deepEqual((await mailsAbout(id)).sort(), both('aborted Ended after 1 of 2 steps'));
  const discarded = await place.draft();
  await ok(api.delete(`/changesets/${discarded}`, as(ben)));
  assert.deepEqual(await mailsAbout(discarded), [`${ana.email} withdrawn `]);
  const own = await place.draft();
  await ok(api.delete(`/changesets/${own}`, as(ana)));
  assert.deepEqual(await mailsAbout(own), []);
});

test('steps that could never be applied are refused', async () => {
  const place = await aPlace();
  const id = await place.draft();
  const step = (edit: unknown, more: object = { waitMs: 1 }) => ({ ...more, operations: [place.edit(edit)] });
  const staging = { ...place.edit(allocate(1)), environment: place.staging.id };
  for (const [steps, complaint] of [
    [[step(allocate(1), {})], /^steps\/0 must have either waitMs or hold/],
    [[step(allocate(1), { waitMs: 1, hold: true })], /^steps\/0 must have either/],
    [[step({ kind: 'delete' })], /^steps\/0\/operations\/0 must replace, patch, kill, restore a definition/],
    [[{ waitMs: 1, operations: [staging] }], /must edit a definition that the changeset’s own operations edit/],
    [[{ waitMs: 1, operations: [place.edit(allocate(1)), place.edit(allocate(2))] }], /only once/],
    [[step(allocate(101))], /trafficAllocation/],
  ] as const) {
    refused(await say('schedule', id, ana, { steps }), 400, complaint);
  }
  const first = (...operations: readonly object[]) => say('schedule', id, ana, { ...at(inAnHour()), operations });
  for (const operations of [
    [staging],
    [place.edit({ kind: 'kill' })],
    [place.edit(allocate(1)), place.edit(allocate(2))],
  ]) {
    refused(await first(...operations), 400, /must edit a definition that the changeset edits, once/);
  }
  refused(await first(place.edit(allocate(101))), 400, /trafficAllocation/);
  const { name } = await aSegment(api, place, [place.staging]);
  const keys = { environment: place.staging.id, segment: name, edit: { kind: 'addKeys', keys: ['ada'] } };
  const mixed = await ok(api.post('/changesets', { workspace: { id: place.id }, operations: [keys] }, as(ana)));
  const steps = [step(allocate(1))];
  refused(await say('schedule', mixed.id, ana, { steps }), 400, /^a changeset with further steps must only edit/);
  await ok(say('schedule', mixed.id, ana, at(inAnHour())));
  pass(hour);
  await run();
  assert.equal(await stateOf(mixed.id), 'PUBLISHED');
  const { body } = await api.get(`/auditLogs?objectId=${mixed.id}&objectType=changeset`);
  const actions = body.data.map(({ auditLogType }: Named) => auditLogType);
  assert.deepEqual(actions, ['changeset.published', 'changeset.scheduled', 'changeset.created']);
});

test('someone who schedules another person’s draft counts as its author, and cannot approve it', async () => {
  const place = await aPlace({});
  const id = await place.draft();
  const operations = [place.edit(allocate(90))];
  await ok(say('schedule', id, ben, { ...at(inAnHour()), operations }));
  refused(await say('approve', id, ben), 403, /that you wrote or edited/);
});

test('a ramp whose first step needed no approval after all continues', async () => {
  const place = await aPlace({});
  const id = await place.draft();
  const steps = [{ waitMs: hour, operations: [place.edit(allocate(50))] }];
  assert.equal((await ok(say('schedule', id, ana, { ...at(inAnHour()), steps }))).status, 'SCHEDULE_REQUESTED');
  await place.guard({ areApprovalsRequired: false });
  pass(hour);
  await run();
  const { status, expiresAt } = await read(id);
  assert.deepEqual([await place.share(), status, expiresAt], [10, 'SCHEDULED', undefined]);
  pass(hour);
  await run();
  assert.deepEqual([await place.share(), await stateOf(id)], [50, 'PUBLISHED']);
});
