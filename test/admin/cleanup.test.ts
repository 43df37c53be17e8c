/** Which flags look finished, and what keeps them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { type CleanupFlag, defaultPolicy } from '#domain/cleanup.ts';
import { nextReminderAt } from '#domain/reminders.ts';
import { studyDefinitions } from '#jobs/definition-facts.ts';
import { smtpSender } from '#jobs/mail.ts';
import { remindOwners } from '#jobs/reminders.ts';
import { addCounts, saveLastTraffic } from '#store/traffic.ts';
import { refused, startApi } from '../support/app.ts';
import { aDefinition, aFlag, aProject, aSegment, type ProjectFixture, uniqueName } from '../support/build.ts';
import { startMailServer } from '../support/mail-server.ts';
import { administratorsId, aPerson, cookieOf, fromBrowser, type Person, signIn } from '../support/session.ts';

const api = await startApi();
const dayMs = 86_400_000;
/** After the first start, which the audit log has first. */
const start = Math.ceil(Date.now() / dayMs) * dayMs;
api.clock.now = start;
const wait = (days: number) => {
  api.clock.now = (api.clock.now ?? start) + days * dayMs;
};

const onForAll = { defaultRule: [{ treatment: 'on', size: 100 }] };

/** A flag in production. */
async function aReleasedFlag(project: ProjectFixture, changes: Record<string, unknown> = onForAll) {
  const flag = await aFlag(api, project);
  const path = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  assert.equal((await api.post(path, aDefinition(changes))).status, 200);
  return { ...flag, path, flagPath: `/splits/ws/${project.id}/${flag.name}` };
}

const list = async ({ id }: { id: string }, query = '') => {
  await studyDefinitions(api.store);
  const { status, body } = await api.get(`/cleanup/ws/${id}?${query}`);
  assert.equal(status, 200);
  return body as {
    objects: CleanupFlag[];
    totalCount: number;
    counts: Record<string, number>;
    points?: { name: string; group: string }[];
  };
};
const groups = ({ objects }: { objects: CleanupFlag[] }) =>
  Object.fromEntries(objects.map(({ name, group }) => [name, group]));

/** As if SDKs had reported it now. */
const evaluate = ({ production }: ProjectFixture, { id }: { id: string }, evaluations = 7) =>
  api.store.write(async (tx) => {
    tx.touches('nothing');
    const place = { environmentId: production.id, flagId: id };
    await addCounts(tx, [{ ...place, hour: tx.now - (tx.now % 3_600_000), treatment: 'on', label: '', evaluations }]);
    await saveLastTraffic(tx, [{ ...place, lastAt: tx.now }]);
  });

test('flags are grouped by what to do next, with the evidence', async () => {
  const project = await aProject(api);
  const [quiet, asked, ramping, killed] = [
    await aReleasedFlag(project),
    await aReleasedFlag(project),
    await aReleasedFlag(project, {
      defaultRule: [
        { treatment: 'on', size: 50 },
        { treatment: 'off', size: 50 },
      ],
    }),
    await aReleasedFlag(project),
  ];
  const undefinedFlag = await aFlag(api, project);
  const lost = await aReleasedFlag(project, {
    defaultRule: [
      { treatment: 'on', size: 50 },
      { treatment: 'off', size: 50 },
    ],
    treatments: [
      { name: 'on', segments: ['gone'] },
      { name: 'off', segments: [(await aSegment(api, project)).name] },
    ],
  });
  assert.deepEqual(groups(await list(project)), { [lost.name]: 'rules' });
  await api.put(`${killed.path}/kill`);
  wait(100);
  for (const flag of [asked, ramping, lost]) await evaluate(project, flag);
  const found = await list(project, 'points=true');
  assert.deepEqual(groups(found), {
    [quiet.name]: 'safe',
    [undefinedFlag.name]: 'safe',
    [asked.name]: 'code',
    [killed.name]: 'killed',
    [lost.name]: 'rules',
  });
  assert.deepEqual(found.counts, { safe: 2, code: 1, killed: 1, rules: 1, kept: 0, 'in-use': 1 });
  assert.equal(found.points?.length, 6);
  const of = ({ name }: { name: string }) => found.objects.find((one) => one.name === name) ?? assert.fail();
  assert.deepEqual(
    [of(asked).treatment, of(asked).treatmentSince, of(asked).definedIn.map(({ name }) => name)],
    ['on', start, ['production']],
  );
  assert.deepEqual(of(asked).calls, { perDay: [...Array.from({ length: 23 }, () => 0), 7], treatments: ['on'] });
  assert.deepEqual(of(killed).killedIn, [{ id: project.production.id, name: 'production' }]);
  assert.deepEqual(of(lost).unknownSegments, ['gone']);
  assert.deepEqual(groups(await list(project, 'group=in-use')), { [ramping.name]: 'in-use' });
  const [page] = (await list(project, 'limit=1&offset=2')).objects;
  assert.equal(page?.name, asked.name);
  await api.post(`${quiet.flagPath}/archive`);
  assert.equal((await list(project)).counts.safe, 1);
});

test('an edit that changes nobody’s treatment keeps the time at one treatment; another one begins it again', async () => {
  const project = await aProject(api);
  const flag = await aReleasedFlag(project);
  const since = api.clock.now;
  const sinceNow = async () =>
    (await list(project, 'group=in-use')).objects.find(({ id }) => id === flag.id)?.treatmentSince;
  assert.equal(await sinceNow(), since);
  wait(5);
  await api.put(flag.path, aDefinition({ ...onForAll, treatments: [{ name: 'on', keys: ['ada'] }, { name: 'off' }] }));
  assert.equal(await sinceNow(), since);
  wait(1);
  await api.put(flag.path, aDefinition({ defaultRule: [{ treatment: 'off', size: 100 }] }));
  // Not studied yet: it counts as changed now.
  const { body } = await api.get(`/cleanup/ws/${project.id}?group=in-use`);
  assert.equal(body.objects[0].treatment, undefined);
  assert.equal(await sinceNow(), api.clock.now);
});

test('nothing is safe to remove while no SDK reports anything, or while the flag turns reports off', async () => {
  const project = await aProject(api);
  const flag = await aReleasedFlag(project);
  const silent = await aReleasedFlag(project, { ...onForAll, impressionsDisabled: true });
  wait(100);
  assert.deepEqual(groups(await list(project)), { [flag.name]: 'code', [silent.name]: 'code' });
  await evaluate(project, await aReleasedFlag(project));
  assert.deepEqual(groups(await list(project)), { [flag.name]: 'safe', [silent.name]: 'code' });
});

test('a kept flag does not come back until then', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const path = `/splits/ws/${project.id}/${flag.name}/keep`;
  wait(100);
  assert.equal((await list(project)).totalCount, 1);
  const until = (api.clock.now ?? 0) + dayMs;
  const actions = await api.recorded(() => api.put(path, { until, note: 'for December' }));
  assert.deepEqual(actions, ['flag.kept']);
  assert.equal((await list(project)).totalCount, 0);
  const [kept] = (await list(project, 'group=kept')).objects;
  assert.deepEqual([kept?.keep?.until, kept?.keep?.note], [until, 'for December']);
  wait(2);
  assert.equal((await list(project)).totalCount, 1);
  await api.put(path, {});
  assert.equal((await list(project)).totalCount, 0);
  assert.deepEqual(await api.recorded(() => api.delete(path)), ['flag.unkept']);
  assert.deepEqual(await api.recorded(() => api.delete(path)), []);
  assert.equal((await list(project)).totalCount, 1);
});

test('the policy of a project decides, and a change of it is recorded once', async () => {
  const project = await aProject(api);
  const flag = await aReleasedFlag(project);
  wait(10);
  assert.equal((await list(project)).totalCount, 0);
  const path = `/cleanup/ws/${project.id}/policy`;
  const policy = { ...defaultPolicy, oneTreatmentDays: 10, ageDays: 10 };
  assert.deepEqual(await api.recorded(() => api.put(path, policy)), ['workspace.cleanup_changed']);
  assert.deepEqual(await api.recorded(() => api.put(path, policy)), []);
  assert.deepEqual(groups(await list(project)), { [flag.name]: 'code' });
  await api.put(path, { ...policy, environmentIds: [project.staging.id] });
  assert.deepEqual(groups(await list(project)), {});
  const other = await aProject(api);
  const foreign = await api.put(path, { ...policy, environmentIds: [other.staging.id] });
  refused(foreign, 400, `environmentIds names ${other.staging.id}, which is not an environment of the project`);
  assert.equal((await api.put(path, { ...policy, ageDays: 0 })).status, 400);
});

test('only flags of the owner are listed', async () => {
  const project = await aProject(api);
  await aFlag(api, project);
  wait(100);
  const [owner] = (await list(project)).objects[0]?.owners ?? [];
  assert.equal((await list(project, `owner=${owner?.id ?? 'nobody'}`)).totalCount, owner ? 1 : 0);
  assert.equal((await list(project, 'owner=nobody')).totalCount, 0);
});

test('owners who want it get one mail a week, about flags that they may see and that can be removed', async () => {
  const mailServer = await startMailServer();
  const send = smtpSender(mailServer.url, 'burgee@example.com', 'https://flags.example.com');
  const waiting = () =>
    api.store.all<{ user_id: string; payload: string }>(
      sql`select user_id, payload from outbox where kind = 'cleanup-reminder'`,
    );
  const team = (await api.post('/groups', { name: uniqueName('team') })).body as { id: string };
  const [ann, bob] = [await aPerson(api, { groups: [team.id] }), await aPerson(api)];
  const [shop, closed] = [await aProject(api), await aProject(api)];
  const created = async (person: Person, project: ProjectFixture) => {
    const path = `/splits/ws/${project.id}/trafficTypes/user`;
    const { body, status } = await api.post(path, { name: uniqueName('old') }, person.signedIn);
    assert.equal(status, 200);
    return body as { id: string; name: string };
  };
  const [own, foreign] = [await created(ann, shop), await created(bob, shop)];
  const unseen = await created(ann, closed);
  const viewers = [
    { id: bob.id, type: 'user' },
    { id: await administratorsId(api), type: 'group' },
  ];
  const resource = { id: closed.id, type: 'workspace' };
  const restriction = { resource, operations: { view: true }, resourcePermissions: { view: viewers } };
  assert.equal((await api.put('/restrictions', restriction)).status, 200);
  const ofTeam = await created(bob, shop);
  const owners = [{ op: 'replace', path: '/owners', value: [{ id: team.id, type: 'group' }] }];
  assert.equal((await api.patch(`/splits/ws/${shop.id}/${ofTeam.name}`, owners)).status, 200);

  const path = '/internal/account/reminders';
  assert.deepEqual((await api.get(path, ann.signedIn)).body, { cleanup: false, watched: 'soon' });
  const wanted = { cleanup: true, watched: 'soon' };
  assert.deepEqual(await api.recorded(() => api.put(path, wanted, ann.signedIn)), []);
  assert.deepEqual((await api.get(path, ann.signedIn)).body, wanted);
  wait(100);
  // Two nodes at once.
  await Promise.all([remindOwners(api.store), remindOwners(api.store)]);
  await remindOwners(api.store);
  const [entry, ...more] = await waiting();
  assert.deepEqual([entry?.user_id, more], [ann.id, []]);
  await send(JSON.parse(entry?.payload ?? ''));
  const { recipients, subject, text } = await mailServer.nextMail();
  assert.deepEqual(
    [recipients, subject],
    [[ann.email], '2 flags of yours look finished in Burgee at flags.example.com'],
  );
  assert.match(text, new RegExp(`- ${own.name}: safe to remove`));
  assert.match(text, new RegExp(`- ${ofTeam.name}: safe to remove`));
  assert.ok(text.includes(`https://flags.example.com/p/${encodeURIComponent(shop.name)}/cleanup`), text);
  for (const { name } of [foreign, unseen]) assert.ok(!text.includes(name), name);

  // On the next Monday again, in place of the one that could not be sent.
  const monday = nextReminderAt(api.clock.now ?? 0);
  assert.equal(new Date(monday).toUTCString().replace(/,.* /, ' '), 'Mon GMT');
  api.clock.now = monday - 1;
  await remindOwners(api.store);
  assert.equal((await waiting())[0]?.payload, entry?.payload);
  await api.post(`/splits/ws/${shop.id}/${ofTeam.name}/archive`);
  api.clock.now = monday;
  await remindOwners(api.store);
  const [later, ...others] = await waiting();
  assert.deepEqual([JSON.parse(later?.payload ?? '').projects[0].total, others], [1, []]);
  const again = fromBrowser(cookieOf(await signIn(api, ann))?.pair);
  assert.equal((await api.put(path, { ...wanted, cleanup: false }, again)).status, 200);
  wait(7);
  await remindOwners(api.store);
  assert.deepEqual(await waiting(), []);
});
