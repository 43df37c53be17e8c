/** Watching flags: who is told of which changes, when, and in how many mails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { bundleMs, maxMailedChanges, type WatchMail } from '#domain/watches.ts';
import { doWithoutMailServer, smtpSender } from '#jobs/mail.ts';
import { mailWatchers } from '#jobs/watches.ts';
import { refused, startApi } from '../support/app.ts';
import { aDefinition, aFlag, aProject, type ProjectFixture } from '../support/build.ts';
import { startMailServer } from '../support/mail-server.ts';
import { account, administratorsId, aPerson, type Person } from '../support/session.ts';

const api = await startApi();
const wait = (milliseconds: number) => {
  api.clock.now = (api.clock.now ?? Date.now()) + milliseconds;
};
wait(0);

const watch = async ({ id }: { id: string }, person: Person) => {
  const answer = await api.put(account(`/watches/${id}`), undefined, person.signedIn);
  assert.deepEqual([answer.status, answer.body], [200, true], answer.text);
};
const watched = async (person: Person): Promise<string[]> => {
  const { body } = await api.get(account('/watches'), person.signedIn);
  return body.map(({ flag }: { flag: { name: string } }) => flag.name);
};
const wants = (person: Person, mails: 'soon' | 'daily' | 'never') =>
  api.put(account('/reminders'), { cleanup: false, watched: mails }, person.signedIn);
const mails = async () =>
  (
    await api.store.all<{ payload: string }>(
      sql`select payload from outbox where kind = 'watched-flags' order by created_at, id`,
    )
  ).map(({ payload }) => JSON.parse(payload) as WatchMail);
/** What is due is told, and taken out of the outbox. */
async function told(): Promise<WatchMail[]> {
  await mailWatchers(api.store);
  const all = await mails();
  await api.store.write((tx) => tx.run(sql`delete from outbox where kind = 'watched-flags'`));
  return all;
}
const tag = (project: ProjectFixture, { name }: { name: string }, tags: string[], as?: Person) =>
  api.post(`/tags/ws/${project.id}/object/${name}/objecttype/Split`, tags, as?.signedIn);
const whats = ({ flags }: WatchMail) => flags.flatMap(({ changes }) => changes.map(({ what }) => what));

test('watchers get one mail about what others did within minutes, from one of several nodes', async () => {
  const mailServer = await startMailServer();
  const send = smtpSender(mailServer.url, 'burgee@example.com', 'https://flags.example.com');
  const [ann, bob] = [await aPerson(api), await aPerson(api)];
  const project = await aProject(api);
  const [flag, other] = [await aFlag(api, project), await aFlag(api, project)];
  const place = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  assert.equal((await api.post(place, aDefinition())).status, 200);
  assert.deepEqual(await api.recorded(() => watch(flag, ann)), []);
  await watch(flag, ann);
  await watch(flag, bob);
  await watch(other, ann);
  assert.deepEqual(await watched(ann), [flag.name, other.name]);
  const listed = async (path: string, person: Person) =>
    (await api.get(`${path}/ws/${project.id}?watched=true`, person.signedIn)).body.totalCount;
  assert.deepEqual([await listed('/splits', bob), await listed('/flag-counts', ann)], [1, 2]);

  const shares = [
    { treatment: 'on', size: 30 },
    { treatment: 'off', size: 70 },
  ];
  const patch = [{ op: 'replace', path: '/defaultRule', value: shares }];
  const note = '?title=Ramp&comment=as%20agreed';
  assert.equal((await api.patch(`${place}${note}`, patch, bob.signedIn)).status, 200);
  wait(bundleMs - 1);
  await tag(project, other, ['one'], bob);
  assert.deepEqual(await told(), [], 'too early');
  wait(1);
  await Promise.all([mailWatchers(api.store), mailWatchers(api.store)]);
  const [mail, ...more] = await mails();
  assert.deepEqual([mail?.email, more], [ann.email, []], 'only to Ann: Bob did it himself');
  await send(mail as WatchMail);
  const { recipients, subject, text } = await mailServer.nextMail();
  assert.deepEqual(
    [recipients, subject],
    [[ann.email], '2 flags that you watch changed in Burgee at flags.example.com'],
  );
  for (const words of [
    `https://flags.example.com/p/${project.name}/flags/${flag.name}/activity`,
    `${bob.email} changed it in production`,
    'everyone else: off 100% → on 30%, off 70%',
    '> as agreed',
    `${bob.email} tagged it`,
    'tags: none → one',
    'https://flags.example.com/me',
  ])
    assert.ok(text.includes(words), `${words} is not in:\n${text}`);
  await told();

  await tag(project, flag, ['one'], ann);
  wait(bundleMs);
  const [toBob, ...others] = await told();
  assert.deepEqual([toBob?.email, others.length, toBob && whats(toBob)], [bob.email, 0, ['tagged it']]);
});

test('people choose whether they hear of watched flags soon, once a day or never', async () => {
  const person = await aPerson(api);
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  await watch(flag, person);
  assert.deepEqual((await api.get(account('/reminders'), person.signedIn)).body, { cleanup: false, watched: 'soon' });
  assert.equal((await wants(person, 'daily')).status, 200);
  api.clock.now = Date.UTC(2031, 4, 5, 6, 0);
  await tag(project, flag, ['one']);
  wait(30 * 60_000);
  await tag(project, flag, ['two']);
  assert.deepEqual(await told(), []);
  wait(30 * 60_000);
  const [digest] = await told();
  assert.deepEqual(digest && whats(digest), ['tagged it', 'tagged it'], 'at 7:00 UTC');
  await tag(project, flag, ['three']);
  wait(23 * 3_600_000);
  assert.deepEqual(await told(), []);
  const again = await aPerson(api);
  await watch(flag, again);
  await wants(again, 'never');
  await tag(project, flag, ['four'], person);
  wait(3_600_000);
  assert.deepEqual(
    (await told()).map(({ email }) => email),
    [person.email],
  );
});

test('people who stopped watching, are deactivated or cannot see the project get no mail; archiving and deletion are announced', async () => {
  const [stays, stops, goes, loses] = [await aPerson(api), await aPerson(api), await aPerson(api), await aPerson(api)];
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  for (const person of [stays, stops, goes, loses]) await watch(flag, person);
  const elsewhere = await aProject(api);
  const [busy, open] = [await aFlag(api, project), await aFlag(api, elsewhere)];
  for (const one of [busy, open]) await watch(one, loses);
  for (let count = 0; count < maxMailedChanges; count += 1) await tag(project, busy, [`tag ${count}`]);
  await tag(elsewhere, open, ['one']);
  await api.post(`/splits/ws/${project.id}/${flag.name}/archive`);
  assert.equal((await api.delete(account(`/watches/${flag.id}`), stops.signedIn)).body, true);
  assert.equal(
    (await api.patch(`/users/${goes.id}`, [{ op: 'replace', path: '/status', value: 'DEACTIVATED' }])).status,
    200,
  );
  const viewers = [
    { id: stays.id, type: 'user' },
    { id: await administratorsId(api), type: 'group' },
  ];
  const restriction = {
    resource: { id: project.id, type: 'workspace' },
    operations: { view: true },
    resourcePermissions: { view: viewers },
  };
  assert.equal((await api.put('/restrictions', restriction)).status, 200);
  assert.deepEqual([await watched(stays), await watched(stops), await watched(loses)], [[flag.name], [], [open.name]]);
  refused(
    await api.put(account(`/watches/${flag.id}`), undefined, loses.signedIn),
    404,
    `Could not find flag ${flag.id}`,
  );
  wait(bundleMs);
  const about = (all: WatchMail[]) => Object.fromEntries(all.map((mail) => [mail.email, [...whats(mail), mail.more]]));
  // However much happened in a project that is closed to her, she hears of the open one.
  assert.deepEqual(about(await told()), { [stays.email]: ['archived it', 0], [loses.email]: ['tagged it', 0] });

  await api.delete(`/splits/ws/${project.id}/${flag.name}`);
  assert.deepEqual(await watched(stays), []);
  wait(bundleMs);
  const [last, ...others] = await told();
  assert.deepEqual([last?.flags[0]?.isDeleted, others, last && whats(last)], [true, [], ['deleted it']]);

  // Without a mail server, nothing piles up.
  const next = await aFlag(api, project);
  await watch(next, stays);
  await tag(project, next, ['one']);
  await doWithoutMailServer(api.store, pino({ level: 'silent' }), 'https://flags.example.com');
  wait(bundleMs);
  assert.deepEqual(await told(), []);
});
