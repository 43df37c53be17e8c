/** `burgee import`, as an operator runs it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { equalJson } from '#domain/json.ts';
import { temporaryFolder } from '../support/databases.ts';
import { anInstallation, fromSources, type Installation } from '../support/process.ts';
import { startSplitAccount, type Vendor } from '../support/split-account.ts';

const argsFor = ({ url, adminKey, sdkKeys }: Vendor): string[] => [
  ...['import', 'split', '--url', url, '--key', adminKey],
  ...Object.entries(sdkKeys).flatMap(([place, key]) => ['--sdk-key', `${place}=${key}`]),
];

/** All that an import writes, as far as two runs must agree. */
const contentsOf = async (burgee: Installation) => ({
  // Flag sets have other ids in every installation.
  definitions: JSON.stringify(
    await burgee.rows(
      'select targeting, seed, traffic_allocation_seed, algo, change_number from definitions order by change_number, seed',
    ),
  ).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, ''),
  flags: await burgee.rows('select name, description from flags order by name, description'),
  keys: await burgee.rows('select count(*) as n from segment_keys'),
  people: await burgee.rows("select email, status from users where status = 'PENDING' order by email"),
});
const entriesIn = async (burgee: Installation): Promise<number> => {
  const [row] = await burgee.rows<{ n: number | string }>('select count(*) as n from changes');
  return Number(row?.n);
};

/** Runs it until it has said something, then sends Ctrl-C. */
async function interrupt(burgee: Installation, args: readonly string[], after: RegExp): Promise<string> {
  const { PATH, NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: await burgee.databaseUrl() };
  const child = spawn(process.execPath, [fromSources.main, ...args], { cwd: burgee.folder, env });
  const said = watched(child);
  await said.until(after);
  child.kill('SIGINT');
  await once(child, 'close');
  return said.text();
}

function watched(child: ChildProcess) {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk));
  after(() => child.kill('SIGKILL'));
  return {
    text: () => text,
    until: async (pattern: RegExp) => {
      while (!pattern.test(text))
        await Promise.race([once(child.stdout ?? child, 'data'), once(child.stderr ?? child, 'data')]);
    },
  };
}

test('a dry run says what would be imported, and writes nothing but the report', async () => {
  const burgee = anInstallation();
  await (await burgee.start()).end('SIGTERM');
  const vendor = await startSplitAccount({ flags: 8, users: 10, keys: 20 });
  const entries = await entriesIn(burgee);
  const { 'Default/Staging': _, ...sdkKeys } = vendor.sdkKeys;
  const report = join(temporaryFolder(), 'plan.html');
  const { code, stdout, stderr } = await burgee.run([...argsFor({ ...vendor, sdkKeys }), '--report', report]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /rollouts? would be re-bucketed, because the SDK key is missing: Staging/);
  assert.match(stdout, /Default \/ Staging \/ \w+: \d+% of users would get another treatment\. Left out\./);
  assert.match(stdout, /\d+ objects will be created/);
  assert.match(stdout, /Rehearsal, on what would be written: [\d,]{4,} evaluations, 0 differences\./);
  assert.match(stdout, /Nothing has been written\. Run it again with --yes/);
  const page = readFileSync(report, 'utf8');
  assert.match(page, /<h1>Import from Split \(127\.0\.0\.1:\d+\)<\/h1>/);
  assert.match(page, /re-bucketed/);
  assert.match(page, /<h2>Rehearsal: [\d,]{4,} evaluations, 0 differences<\/h2>/);
  assert.equal(await entriesIn(burgee), entries);
  assert.ok(vendor.requests.every(({ method }) => method === 'GET'));
});

test('an import that is interrupted, or whose source limits, fails and lies, ends as any other; a second one changes nothing', async () => {
  const options = { flags: 40, users: 20, keys: 50 };
  const calm = await startSplitAccount(options);
  const wild = await startSplitAccount({ ...options, totalCount: 3, hasShortPages: true });
  wild.trouble = (_, number) => {
    if (number % 7 === 3) return { status: 429, headers: { 'x-ratelimit-reset-seconds-org': '0' } };
    if (number % 11 === 5) return { status: 503 };
    return number % 13 === 6 ? 'drop' : undefined;
  };
  const [burgee, other] = [anInstallation(), anInstallation()];
  for (const one of [burgee, other]) await (await one.start()).end('SIGTERM');
  const args = [...argsFor(calm), '--yes'];
  const said = await interrupt(burgee, args, /objects will be created/);
  assert.match(said, /Interrupted\. What was imported stays; run the same command again to continue\.|Imported \d+/);
  const { code, stdout } = await burgee.run([...args, '--verify', '100']);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /Verified: [\d,]{4,} evaluations, 0 differences\./);
  const troubled = await other.run([...argsFor(wild), '--yes']);
  assert.equal(troubled.code, 0, troubled.stderr);
  assert.ok(equalJson(await contentsOf(burgee), await contentsOf(other)));
  const entries = await entriesIn(burgee);
  const again = await burgee.run(args);
  assert.match(again.stdout, /Nothing to do: \d+ objects already here/);
  assert.equal(await entriesIn(burgee), entries);
  const [named] = await burgee.rows<{ n: number | string }>(
    `select count(*) as n from changes where title = 'Imported from Split (${new URL(calm.url).host})'`,
  );
  assert.ok(Number(named?.n) > 40);
});

test('while it watches, an edit at the source follows, and one that was also edited here is reported', async () => {
  const vendor = await startSplitAccount({ flags: 6, users: 3, keys: 10, projects: 1 });
  const burgee = anInstallation();
  const server = await burgee.start();
  const as = await server.printedKey();
  const args = [...argsFor(vendor), '--yes', '--watch', '1', '--project', 'Default=Moved'];
  const { PATH, NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: await burgee.databaseUrl() };
  const child = spawn(process.execPath, [fromSources.main, ...args], { cwd: burgee.folder, env });
  const said = watched(child);
  await said.until(/Watching the source every 1 s/);
  const [flag] = vendor.project('Default').flags.filter(({ definitions }) => definitions.has('Production'));
  assert.ok(flag);
  vendor.edit('Default', flag.name, {
    environment: 'Production',
    change: (definition) => {
      definition.targeting = { ...definition.targeting, killed: !definition.targeting.killed };
    },
  });
  await said.until(/Imported 1 object/);
  const path = `/splits/ws/Moved/${flag.name}/environments/Production`;
  const { status } = await server.call('PATCH', path, {
    as,
    body: [{ op: 'replace', path: '/trafficAllocation', value: 57 }],
  });
  assert.equal(status, 200);
  vendor.edit('Default', flag.name, {
    environment: 'Production',
    change: (definition) => {
      definition.targeting = { ...definition.targeting, killed: !definition.targeting.killed };
    },
  });
  await said.until(/changed both here and at the source/);
  child.kill('SIGINT');
  await once(child, 'close');
  const { body } = await server.call('GET', path, { as });
  assert.equal(body.trafficAllocation, 57);
});

test('a wrong key, a wrong address and a file that is none of the known ones get a sentence', async () => {
  const burgee = anInstallation();
  await (await burgee.start()).end('SIGTERM');
  const vendor = await startSplitAccount({ flags: 1 });
  const file = join(temporaryFolder(), 'export.json');
  writeFileSync(file, '{"cats": []}');
  for (const [args, sentence] of [
    [['split', '--url', vendor.url, '--key', 'wrong'], /^The source refuses the Admin API key/],
    [['split', '--url', 'nowhere', '--key', 'k'], /^nowhere is not an address/],
    [['split', '--key', 'k', '--sdk-key', 'Production'], /^--sdk-key must be a name, = and a value, not Production/],
    [['split', '--key', 'k', '--watch'], /^--watch imports again and again, so it needs --yes/],
    [['split', '--key', 'k', '--only', 'cats'], /^--only must be one of flags, segments, people, not cats/],
    [
      ['file', file, '--project', 'P'],
      /is neither a list of LaunchDarkly flags, nor an export of Unleash, nor flags of Split/,
    ],
  ] as const) {
    const { code, stderr } = await burgee.run(['import', ...args]);
    assert.equal(code, 1);
    assert.match(stderr, sentence);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});

test('an export of Unleash is imported into a project', async () => {
  const burgee = anInstallation();
  const server = await burgee.start();
  const file = join(temporaryFolder(), 'unleash.json');
  writeFileSync(
    file,
    JSON.stringify({
      features: [{ name: 'new-search', description: 'Finds more' }],
      featureStrategies: [{ featureName: 'new-search', name: 'flexibleRollout', parameters: { rollout: '25' } }],
      featureEnvironments: [{ featureName: 'new-search', environment: 'production', enabled: true }],
    }),
  );
  const args = ['import', 'file', file, '--project', 'Shop', '--yes'];
  assert.match((await burgee.run(args)).stdout, /1 rollout would be re-bucketed.*production/);
  const { code, stdout } = await burgee.run([...args, '--new-seeds', 'production']);
  assert.equal(code, 0, stdout);
  const as = await server.printedKey();
  const { body } = await server.call('GET', '/splits/ws/Shop/new-search/environments/production', { as });
  assert.deepEqual(body.defaultRule, [
    { treatment: 'on', size: 25 },
    { treatment: 'off', size: 75 },
  ]);
});
