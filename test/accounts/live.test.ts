/** What open pages are told while they are open: changes that their people may read, and who is editing. */
import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { contextFor } from '#commands/context.ts';
import { patchProject } from '#commands/projects.ts';
import { system } from '#commands/setup.ts';
import { openStore } from '#store/open.ts';
import { housekeep } from '#store/sql.ts';
import { refused } from '../support/app.ts';
import { aDefinedFlag, aProject, uniqueName } from '../support/build.ts';
import { listening } from '../support/sdk.ts';
import {
  account,
  administratorsId,
  aPerson,
  host,
  type Person,
  setUpAdministrator,
  startAccounts,
} from '../support/session.ts';
import { until } from '../support/until.ts';

const api = await startAccounts();
const base = await listening(api);
const administrator = await setUpAdministrator(api);
const administrators = await administratorsId(api);

interface Told {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

interface OpenPage {
  readonly response: IncomingMessage;
  told(event?: string): Told[];
  /** Waits until it is told of the object with this id. */
  hearsOf(id: string): Promise<Told>;
  readonly ended: Promise<void>;
}

/** What happened before is replayed for some seconds. */
const aWhileLater = (): void => {
  api.clock.now = (api.clock.now ?? Date.now()) + 10_000;
};

/** Opens the stream as the page of this person does, and waits for its first event. */
async function openPage({ cookie }: Person): Promise<OpenPage> {
  const request = get(`${base}/internal/account/live`, { agent: false, headers: { host, cookie } });
  after(() => request.destroy());
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    request.on('response', resolve).on('error', reject),
  );
  assert.equal(response.statusCode, 200);
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  response.on('error', () => undefined);
  const told = (event?: string): Told[] =>
    [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)]
      .map(([, name = '', data = '']) => ({ event: name, data: JSON.parse(data) }))
      .filter((one) => event === undefined || one.event === event);
  await until('the stream is open', () => told('alive').length > 0);
  const find = (id: string) => told('change').find(({ data }) => data.id === id);
  return {
    response,
    told,
    hearsOf: async (id) => {
      await until(`the page hears of ${id}`, () => find(id) !== undefined);
      return find(id) as Told;
    },
    ended: new Promise((resolve) => void response.once('close', resolve)),
  };
}

const allocate = async (path: string, value: number) => {
  const { status, text } = await api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value }]);
  assert.equal(status, 200, text);
};

/** Only administrators and these people see the project. */
async function restrict({ id }: { id: string }, ...people: readonly Person[]): Promise<void> {
  const view = [{ id: administrators, type: 'group' }, ...people.map((one) => ({ id: one.id, type: 'user' }))];
  const resource = { id, type: 'workspace' };
  const answer = await api.put('/restrictions', {
    resource,
    operations: { view: true },
    resourcePermissions: { view },
  });
  assert.equal(answer.status, 200, answer.text);
}

test('a saved definition is announced once it is committed, and a refused or empty change is not', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const person = await aPerson(api);
  aWhileLater();
  const page = await openPage(person);
  const { 'content-type': type, 'x-accel-buffering': buffering, 'cache-control': caching } = page.response.headers;
  assert.deepEqual([type, buffering, caching], ['text/event-stream; charset=utf-8', 'no', 'no-store']);
  assert.equal((await api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 700 }])).status, 400);
  await allocate(path, 100);
  await allocate(path, 40);
  const { data } = await page.hearsOf(flag.id);
  assert.deepEqual(data, {
    type: 'definition',
    id: flag.id,
    name: flag.name,
    project: project.id,
    environment: project.staging.id,
  });
  const other = await aDefinedFlag(api, project);
  await page.hearsOf(other.flag.id);
  assert.equal(page.told('change').filter(({ data: { id } }) => id === flag.id).length, 1);
  // A page reads first and opens its stream then: what changes in between is not lost.
  const late = await openPage(person);
  await late.hearsOf(flag.id);
});

test('a page hears nothing of a project that its person does not see, from the moment that they do not', async () => {
  const [member, outsider] = [await aPerson(api), await aPerson(api)];
  const [hidden, open] = [await aProject(api), await aProject(api)];
  await restrict(hidden, member);
  const [secret, common] = [await aDefinedFlag(api, hidden), await aDefinedFlag(api, open)];
  const pages = [await openPage(member), await openPage(outsider), await openPage(administrator)] as const;
  await allocate(secret.path, 41);
  await allocate(common.path, 41);
  for (const page of pages) await page.hearsOf(common.flag.id);
  const hears = () => pages.map((page) => page.told('change').some(({ data }) => data.id === secret.flag.id));
  assert.deepEqual(hears(), [true, false, true]);
  assert.ok(!JSON.stringify(pages[1].told()).includes(hidden.id));
  await restrict(hidden, outsider);
  for (const page of pages) await until('access is read again', () => page.told('access').length > 0);
  const later = await aDefinedFlag(api, hidden);
  const last = await aDefinedFlag(api, open);
  for (const page of pages) await page.hearsOf(last.flag.id);
  const hearsLater = pages.map((page) => page.told('change').some(({ data }) => data.id === later.flag.id));
  assert.deepEqual(hearsLater, [false, true, true]);
});

test('only administrators hear of people, groups and keys, and a demoted one no longer', async () => {
  const other = await aPerson(api, { groups: [administrators] });
  aWhileLater();
  const pages = [await openPage(await aPerson(api)), await openPage(other), await openPage(administrator)] as const;
  const { body: group } = await api.post('/groups', { name: uniqueName('group') });
  await pages[1].hearsOf(group.id);
  await pages[2].hearsOf(group.id);
  assert.deepEqual(pages[0].told('change'), []);
  const demoted = await api.patch(`/users/${other.id}`, [{ op: 'remove', path: '/groups/0' }]);
  assert.equal(demoted.status, 200, demoted.text);
  await until('access is read again', () => pages[1].told('access').length > 0);
  const before = pages[1].told('change').length;
  const { body: key } = await api.post('/apiKeys', {
    name: uniqueName('key'),
    apiKeyType: 'admin',
    roles: ['API_ADMIN'],
  });
  await pages[2].hearsOf(key.id);
  assert.equal(pages[1].told('change').length, before);
});

test('a stream ends with its session: signed out, signed out elsewhere, deactivated', async () => {
  const [first, second, third] = [await aPerson(api), await aPerson(api), await aPerson(api)];
  const bystander = await openPage(await aPerson(api));
  const pages = [await openPage(first), await openPage(second), await openPage(third)];
  assert.equal((await api.delete(account('/session'), first.signedIn)).status, 200);
  const [{ id } = { id: '' }] = (await api.get(account('/sessions'), second.signedIn)).body;
  assert.equal((await api.delete(account(`/sessions/${id}`), second.signedIn)).status, 200);
  await api.patch(`/users/${third.id}`, [{ op: 'replace', path: '/status', value: 'DEACTIVATED' }]);
  for (const page of pages) await page.ended;
  assert.equal(bystander.response.destroyed, false);
  const again = await fetch(`${base}/internal/account/live`, { headers: { cookie: first.cookie } });
  assert.equal(again.status, 401);
  refused(await api.get(account('/live'), { as: null }), 401, /.+/);
});

test('a commit of another node or process reaches the page', async () => {
  const project = await aProject(api);
  const page = await openPage(administrator);
  const before = page.told('access').length;
  const elsewhere = await openStore(api.database, Date.now);
  after(() => elsewhere.close());
  const context = contextFor(elsewhere, { actor: system, transactionId: 'elsewhere' });
  const { body } = await api.get(`/workspaces?projectIdentifier=${project.id}`);
  await patchProject(context, body.objects[0], [{ op: 'replace', path: '/name', value: uniqueName('renamed') }]);
  // On SQLite nobody says what another process changed: the page reads everything again.
  await until('the page is told', () => page.told('access').length > before);
});

test('editors are announced to everyone who sees the project, also to pages opened later, until they stop', async () => {
  const [editor, colleague, outsider] = [
    await aPerson(api, { name: 'Liu Wei' }),
    await aPerson(api),
    await aPerson(api),
  ];
  const project = await aProject(api);
  await restrict(project, editor, colleague);
  const { flag } = await aDefinedFlag(api, project);
  const path = account(`/editing/ws/${project.id}/${flag.name}/environments/${project.staging.id}`);
  const [seeing, blind] = [await openPage(colleague), await openPage(outsider)];
  const recorded = await api.recorded(async () => {
    assert.equal((await api.post(path, { editing: true }, editor.signedIn)).status, 200);
  });
  assert.deepEqual(recorded, []);
  await until('the page is told', () => seeing.told('editing').length > 0);
  const later = await openPage(colleague);
  await until('a later page is told', () => later.told('editing').length > 0);
  const { forMs, ...said } = later.told('editing')[0]?.data ?? {};
  assert.ok(Number(forMs) > 0 && Number(forMs) <= 45_000);
  const place = { project: project.id, environment: project.staging.id, flag: flag.id };
  assert.deepEqual(said, { ...place, person: { id: editor.id, name: 'Liu Wei' } });
  assert.equal((await api.post(path, { editing: false }, editor.signedIn)).status, 200);
  await until('it ends', () => later.told('editing').some(({ data }) => data.forMs === 0));
  refused(await api.post(path, { editing: true }, outsider.signedIn), 404, /.+/);
  assert.deepEqual(blind.told('editing'), []);
});

test('a page that does not read is dropped, and the other pages hear everything', { timeout: 120_000 }, async () => {
  const project = await aProject(api);
  const person = await aPerson(api);
  const neighbour = await openPage(person);
  const slow = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => undefined);
  after(() => slow.destroy());
  slow.write(`GET /internal/account/live HTTP/1.1\r\nHost: ${host}\r\nCookie: ${person.cookie}\r\n\r\n`);
  await new Promise((resolve) => slow.once('data', resolve));
  slow.pause();
  const connections = () =>
    new Promise<number>((resolve) => api.app.server.getConnections((_, count) => resolve(count)));
  const before = await connections();
  const announce = (round: number) =>
    housekeep(api.store, async (tx) => {
      for (let index = 0; index < 500; index += 1) {
        const object = { type: 'flag', id: `${round}-${index}`, name: 'x'.repeat(1_000) } as const;
        tx.announce({ kind: 'recorded', transactionId: `${round}`, object, projectId: project.id });
      }
    });
  // The kernel takes some megabytes before anything waits in the server.
  for (let round = 0; (await connections()) >= before; round += 1) {
    assert.ok(round < 100, 'it is still open');
    await announce(round);
    await neighbour.hearsOf(`${round}-499`);
  }
  assert.equal(neighbour.response.destroyed, false);
});
