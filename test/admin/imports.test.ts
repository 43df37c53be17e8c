/** Imports that are started over HTTP and run in the background, against a fake Split. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'light-my-request';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import type { Import } from '#domain/imports.ts';
import { findAccount } from '#store/account.ts';
import { createApp } from '../../src/app.ts';
import { type Api, refused, startApi } from '../support/app.ts';
import { startSplitAccount, type Vendor } from '../support/split-account.ts';

const api = await startApi({ importPrivateSources: true });

const askedOf = ({ url, adminKey, sdkKeys }: Vendor, step: Import['step'], choices = {}) => ({
  step,
  source: { url },
  keys: { admin: adminKey, sdk: Object.entries(sdkKeys).map(([environment, key]) => ({ environment, key })) },
  choices,
});

async function until<Value>(look: () => Promise<Value | undefined | false>): Promise<Value> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await pause(20);
  }
}

const ended = (id: string, on: Pick<Api, 'get'> = api): Promise<Import> =>
  until(async () => {
    const { body } = await on.get(`/imports/${id}`);
    return body.state !== 'running' && body;
  });

async function ran(body: unknown): Promise<Import> {
  const answer = await api.post('/imports', body);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.state, 'running');
  return ended(answer.body.id);
}

const countOf = async (table: 'flags' | 'changes') =>
  Number(
    (
      await api.store.one<{ n: number }>(
        table === 'flags' ? sql`select count(*) as n from flags` : sql`select count(*) as n from changes`,
      )
    )?.n,
  );

/** Everything that is stored, as text. */
async function stored(): Promise<string> {
  const rows = await Promise.all([
    api.store.all(sql`select * from imports`),
    api.store.all(sql`select * from imported_objects`),
    api.store.all(sql`select * from changes`),
    api.store.all(sql`select * from outbox`),
  ]);
  return JSON.stringify(rows);
}

test('an account that limits and fails is planned, imported by parts and verified; the keys are nowhere', async () => {
  const vendor = await startSplitAccount({ flags: 60, users: 10, keys: 50, projects: 1 });
  vendor.trouble = (_, number) => {
    if (number === 4) return { status: 429, headers: { 'x-ratelimit-reset-seconds-org': '1' } };
    if (number === 9) return { status: 503 };
    return number === 12 ? 'drop' : undefined;
  };
  const flags = await countOf('flags');
  const { 'Default/Staging': staging = '', ...others } = vendor.sdkKeys;
  const plan = await ran(
    askedOf({ ...vendor, sdkKeys: others }, 'plan', { projects: [{ name: 'Default', as: 'Moved' }] }),
  );
  assert.equal(plan.state, 'done', JSON.stringify(plan.result?.problem));
  const { report } = plan.result ?? {};
  assert.ok(report && report.rebucketed.length > 0);
  assert.deepEqual([...new Set(report.rebucketed.map(({ environment }) => environment))], ['Staging']);
  assert.match(report.rebucketed[0]?.now ?? '', /^\w+ \d+%$/);
  assert.match(report.headline, /objects will be created/);
  assert.ok((plan.progress.requests ?? 0) > 5 && (plan.progress.waitedMs ?? 0) > 900, JSON.stringify(plan.progress));
  const rehearsed = Object.fromEntries((report.rehearsal?.environments ?? []).map((one) => [one.environment, one]));
  assert.ok(rehearsed.Production && rehearsed.Production.evaluations > 1_000);
  assert.equal(report.rehearsal?.differenceCount, 0);
  assert.equal(rehearsed.Staging?.hasSeeds, false);
  assert.equal(await countOf('flags'), flags, 'a plan writes nothing');

  const asked = (step: Import['step']) =>
    askedOf({ ...vendor, sdkKeys: { ...others, 'Default/Staging': staging } }, step, {
      projects: [{ name: 'Default', as: 'Moved' }],
    });
  // Stopped in the middle, and started again.
  const { id } = (await api.post('/imports', asked('import'))).body;
  await until(async () => (await countOf('flags')) > flags);
  refused(await api.post('/imports', asked('plan')), 409, 'Another import is running');
  const stopped = await api.delete(`/imports/${id}`);
  assert.deepEqual([stopped.status, stopped.body.state], [200, 'interrupted']);
  const written = await ran(asked('import'));
  assert.deepEqual([written.state, written.result?.refusedCount], ['done', 0], JSON.stringify(written.result?.problem));
  const verified = await ran({ ...asked('verify'), keysPerFlag: 50 });
  assert.equal(verified.result?.comparison?.differenceCount, 0);
  assert.ok((verified.result?.comparison?.evaluations ?? 0) > 1_000);

  const entries = await countOf('changes');
  const again = await ran(asked('import'));
  assert.match(again.result?.report?.headline ?? '', /^Nothing to do: \d+ objects already here\.$/);
  assert.equal(await countOf('changes'), entries + 1, 'only that it was started');
  assert.ok(vendor.requests.every(({ method }) => method === 'GET'));
  const text = (await stored()) + JSON.stringify(api.log);
  for (const key of [vendor.adminKey, ...Object.values(vendor.sdkKeys)]) assert.ok(!text.includes(key));
});

test('an import continues after its node was stopped, and another node shows its state', async () => {
  const vendor = await startSplitAccount({ flags: 80, users: 0, keys: 10, projects: 1, seed: 2 });
  const choices = { projects: [{ name: 'Default', as: 'Continued' }] };
  const account = await findAccount(api.store);
  assert.ok(account);
  const node = await createApp({
    store: api.store,
    account,
    log: pino({ level: 'silent' }),
    importPrivateSources: true,
  });
  await node.ready();
  const flags = await countOf('flags');
  const answer = await inject(node.routing, {
    method: 'POST',
    url: '/internal/api/v2/imports',
    headers: { authorization: `Bearer ${api.adminKey}`, 'content-type': 'application/json' },
    payload: JSON.stringify(askedOf(vendor, 'import', choices)),
  });
  assert.equal(answer.statusCode, 200, answer.payload);
  const { id } = JSON.parse(answer.payload);
  await until(async () => (await countOf('flags')) > flags);
  await node.close();
  const { state, result } = await ended(id);
  assert.deepEqual([state, result?.problem], ['interrupted', 'It was stopped. What it wrote stays.']);
  const { result: rest } = await ran(askedOf(vendor, 'import', choices));
  assert.equal(rest?.refusedCount, 0);
  const { comparison } = (await ran({ ...askedOf(vendor, 'verify', choices), keysPerFlag: 20 })).result ?? {};
  assert.deepEqual([comparison?.differenceCount, (comparison?.compared ?? 0) > 80], [0, true]);
});

test('a source that echoes the key, a wrong key and a missing host fail with a sentence, without the key', async () => {
  const vendor = await startSplitAccount({ flags: 1 });
  vendor.trouble = () => ({ status: 418, text: JSON.stringify({ message: `no tea for ${vendor.adminKey}` }) });
  const { state, result } = await ran(askedOf(vendor, 'plan'));
  assert.equal(state, 'failed');
  assert.equal(result?.problem, 'There is no Admin API: status 418: no tea for [key]');
  vendor.trouble = () => undefined;
  const wrong = await ran(askedOf({ ...vendor, adminKey: 'a-wrong-key-1234' }, 'plan'));
  assert.match(wrong.result?.problem ?? '', /^The source refuses the Admin API key/);
  refused(await api.post('/imports', askedOf({ ...vendor, adminKey: 'the' }, 'plan')), 400, /keys\/admin|keys\.admin/);
  const strange = await ran(askedOf({ ...vendor, adminKey: '","state":"' }, 'plan'));
  assert.equal(strange.state, 'failed');
});

test('an import that is stopped while it reads ends at once, and nothing else does', async () => {
  const vendor = await startSplitAccount({ flags: 5, users: 0, projects: 1 });
  const isAboutSegments = (path: string) => path.includes('egments');
  vendor.trouble = (path) => (isAboutSegments(path) ? 'hang' : undefined);
  const { id } = (await api.post('/imports', askedOf(vendor, 'plan'))).body;
  await until(async () => vendor.requests.filter(({ path }) => isAboutSegments(path)).length >= 4);
  const { body } = await api.delete(`/imports/${id}`);
  assert.deepEqual([body.state, body.result.problem], ['interrupted', 'It was stopped. What it wrote stays.']);
  assert.equal((await api.get('/workspaces')).status, 200);
});

test('an export file is planned and imported', async () => {
  const file = {
    text: JSON.stringify({
      features: [{ name: 'new-search', description: 'Finds more' }],
      featureStrategies: [{ featureName: 'new-search', name: 'flexibleRollout', parameters: { rollout: '25' } }],
      featureEnvironments: [{ featureName: 'new-search', environment: 'production', enabled: true }],
    }),
    project: 'From a file',
  };
  const { result } = await ran({ step: 'plan', source: { file } });
  assert.deepEqual(
    result?.report?.rebucketed.map(({ flag, now }) => [flag, now]),
    [['new-search', 'on 25%']],
  );
  const done = await ran({ step: 'import', source: { file }, choices: { newSeeds: ['production'] } });
  assert.equal(done.state, 'done');
  assert.equal((await api.get('/splits/ws/From a file/new-search/environments/production')).status, 200);
  const bad = await ran({ step: 'plan', source: { file: { ...file, text: '{"features": [' } } });
  assert.equal(bad.result?.problem, 'The file is not JSON');
});

test('only administrators and keys with all permissions can start, see and stop imports', async () => {
  const as = await api.key({
    name: 'some',
    type: 'admin',
    roles: ['API_ADMIN', 'API_APIKEY'],
    scope: { kind: 'account' },
  });
  const body = askedOf(await startSplitAccount({ flags: 1 }), 'plan');
  refused(await api.post('/imports', body, { as }), 403, 'Role is insufficient');
  refused(await api.get('/imports/latest', { as }), 403, 'Role is insufficient');
  refused(await api.delete('/imports/latest', { as }), 403, 'Role is insufficient');
  refused(await api.get('/imports/nothing'), 404, 'Could not find import nothing');
});

test('without the permission of the operator, only public hosts are asked, over https', async () => {
  const strict = await startApi();
  refused(await strict.get('/imports/latest'), 404, 'Could not find import latest');
  const asked = (source: object) => ({ step: 'plan', source, keys: { admin: 'a-key-of-somebody' } });
  for (const [source, complaint] of [
    [{ url: 'http://api.split.io' }, /^source\/url must begin with https:\/\/ unless .*IMPORT_PRIVATE_SOURCES=true$/],
    [{ url: 'https://api.split.io', sdkUrl: 'http://x' }, /^source\/sdkUrl must begin with https/],
    [{ url: 'file:///etc/passwd' }, /^source\/url must be an address such as https:\/\/api.split.io$/],
    [{ url: 'nowhere' }, /^source\/url must be an address/],
    [{}, /^source must have url or file$/],
  ] as const) {
    refused(await strict.post('/imports', asked(source)), 400, complaint);
  }
  for (const url of [
    'https://127.0.0.1',
    'https://localhost:8443',
    'https://[::1]',
    'https://169.254.169.254',
    'https://[::ffff:10.0.0.1]',
  ]) {
    const { body } = await strict.post('/imports', asked({ url }));
    const { state, result } = await ended(body.id, strict);
    assert.equal(state, 'failed');
    assert.match(
      result?.problem ?? '',
      /is not a public address\. To import from there, run the server with IMPORT_PRIVATE_SOURCES=true/,
    );
  }
});
