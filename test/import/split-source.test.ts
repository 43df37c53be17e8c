/** What is read of an account of Split, through the Admin API and the SDK endpoints, whatever they do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matcherTypes } from '#domain/definitions/matchers.ts';
import { parseSegmentRules, parseTargeting } from '#domain/definitions/parse.ts';
import type { SourceAccount, SourceProject } from '#domain/import/source.ts';
import { type AccountOptions, readSplitAccount } from '#import/split/account.ts';
import type { ReadProgress } from '#import/split/reading.ts';
import { startSplitAccount, type Vendor } from '../support/split-account.ts';
import type { VendorAccount } from '../support/split-data.ts';

/** As `defaultRetryPolicy`, without waiting. */
const retryPolicy = { deadlineMs: 5_000, retries: 6, firstPauseMs: 1 };
const signal = new AbortController().signal;

const read = ({ url, adminKey, sdkKeys }: Vendor, more: Partial<AccountOptions> = {}): Promise<SourceAccount> =>
  readSplitAccount({ url, adminKey, sdkKeys, signal, retryPolicy, ...more });

const projectOf = (account: SourceAccount, name: string): SourceProject => {
  const project = account.projects.find((one) => one.name === name);
  assert.ok(project);
  return project;
};

const flagOf = (account: SourceAccount, project: string, name: string) => {
  const flag = projectOf(account, project).flags.find((one) => one.name === name);
  assert.ok(flag);
  return flag;
};

const whys = ({ unread }: SourceAccount, what: RegExp) =>
  unread.filter((one) => what.test(one.what)).map(({ why }) => why);

/** Everything that the account has, and nothing twice. */
function requireComplete(source: SourceAccount, account: VendorAccount): void {
  const names = <Item extends { name: string }>(items: readonly Item[]) => items.map(({ name }) => name).sort();
  assert.deepEqual(names(source.projects), names(account.projects));
  for (const project of account.projects) {
    const own = projectOf(source, project.name);
    assert.deepEqual(names(own.environments), names(project.environments));
    assert.deepEqual(names(own.flags), names(project.flags));
    assert.deepEqual(names(own.flagSets), names(project.flagSets));
    assert.deepEqual(names(own.segments), names(project.segments));
    assert.deepEqual(
      own.rolloutStatuses,
      names(project.statuses).length ? project.statuses.map(({ name }) => name) : [],
    );
    for (const flag of project.flags) {
      const { definitions } = flagOf(source, project.name, flag.name);
      assert.deepEqual(definitions.map(({ environment }) => environment).sort(), [...flag.definitions.keys()].sort());
    }
  }
}

test('everything of an account is read, with seeds, algorithm and numbers as SDKs get them', async () => {
  const vendor = await startSplitAccount();
  const source = await read(vendor);
  requireComplete(source, vendor.account);
  assert.equal(source.name, `Split (${new URL(vendor.url).host})`);
  for (const project of vendor.account.projects) {
    for (const flag of project.flags) {
      const own = flagOf(source, project.name, flag.name);
      assert.equal(own.trafficType, 'user');
      assert.equal(own.description, flag.description ?? '');
      assert.deepEqual(
        own.tags,
        (flag.tags ?? []).map(({ name }) => name),
      );
      assert.equal(own.rolloutStatus, flag.rolloutStatus.name);
      for (const definition of own.definitions) {
        const there = flag.definitions.get(definition.environment);
        assert.ok(there);
        const { seed, trafficAllocationSeed } = there;
        assert.deepEqual(definition.seeds, { seed, trafficAllocationSeed });
        assert.equal(definition.algorithm, there.algo);
        assert.equal(definition.changeNumber, there.changeNumber);
      }
    }
    assert.ok(projectOf(source, project.name).environments.every(({ hasSeeds }) => hasSeeds));
  }
});

test('definitions of all matcher types are what our own Admin API takes, and mean the same', async () => {
  const vendor = await startSplitAccount({ flags: matcherTypes.length });
  const source = await read(vendor);
  const types = new Set<string>();
  for (const project of vendor.account.projects) {
    for (const flag of project.flags) {
      for (const { environment, body } of flagOf(source, project.name, flag.name).definitions) {
        const { flagSets: _, ...parsed } = parseTargeting(body);
        const { flagSets: __, ...there } = flag.definitions.get(environment)?.targeting ?? assert.fail();
        assert.deepEqual(withoutEmptyShares(parsed), withoutEmptyShares(parseTargeting(there)));
        for (const { type } of parsed.rules.flatMap(({ condition }) => condition.matchers)) types.add(type);
      }
    }
  }
  assert.deepEqual([...types].sort(), [...matcherTypes].sort());
});

type Targeting = Omit<ReturnType<typeof parseTargeting>, 'flagSets'>;
const withoutEmptyShares = ({ rules, defaultRule, ...targeting }: Targeting) => ({
  ...targeting,
  rules: rules.map(({ buckets, condition }) => ({ buckets: buckets.filter(({ size }) => size > 0), condition })),
  defaultRule: defaultRule.filter(({ size }) => size > 0),
});

test('a matcher in a spelling of the source alone is taken from what SDKs get; without a key it stays as it is', async () => {
  const vendor = await startSplitAccount({ flags: 25 });
  const at = matcherTypes.indexOf('IN_LIST_SEMVER');
  const typeIn = (source: SourceAccount) => {
    const [definition] = flagOf(source, 'Default', `flag_${at}`).definitions;
    return JSON.stringify(definition?.body.rules);
  };
  assert.match(typeIn(await read(vendor)), /"type":"IN_LIST_SEMVER"/);
  assert.match(typeIn(await read(vendor, { sdkKeys: {} })), /"type":"SEMVER_IN_LIST"/);
});

test('shares are in the order that SDKs use, whatever order the Admin API has', async () => {
  const vendor = await startSplitAccount({ flags: 3 });
  vendor.edit('Default', 'flag_1', {
    environment: 'Staging',
    change: ({ targeting }) => {
      targeting.treatments = [{ name: 'on' }, { name: 'off' }];
      targeting.defaultRule = [
        { treatment: 'on', size: 30 },
        { treatment: 'off', size: 70 },
      ];
    },
  });
  const { flags } = vendor.project('Default');
  const definition = flags[1]?.definitions.get('Staging') ?? assert.fail();
  // The list is asked for first, then what SDKs get.
  const { targeting } = definition;
  const reversed = { ...targeting, defaultRule: targeting.defaultRule.toReversed() };
  vendor.trouble = (path) => {
    if (path.includes('/splits/')) definition.targeting = reversed;
    else if (path.startsWith('/api/splitChanges')) definition.targeting = targeting;
    return undefined;
  };
  const own = flagOf(await read(vendor), 'Default', 'flag_1').definitions.find(
    ({ environment }) => environment === 'Staging',
  );
  assert.deepEqual(own?.body.defaultRule, targeting.defaultRule);
});

test('flag sets have names instead of ids', async () => {
  const vendor = await startSplitAccount({ flags: 2 });
  for (const sdkKeys of [vendor.sdkKeys, {}]) {
    const [definition] = flagOf(await read(vendor, { sdkKeys }), 'Default', 'flag_0').definitions;
    assert.deepEqual(definition?.flagSets, ['backend', 'frontend']);
    assert.deepEqual(definition?.body.flagSets, ['backend', 'frontend']);
  }
});

test('without an SDK key everything but seeds and numbers is read, and the environment says so', async () => {
  const vendor = await startSplitAccount({ flags: 12 });
  const { 'Default/Production': key = '' } = vendor.sdkKeys;
  const source = await read(vendor, { sdkKeys: { 'Default/Production': key } });
  requireComplete(source, vendor.account);
  assert.deepEqual(
    projectOf(source, 'Default').environments.map(({ name, hasSeeds }) => [name, hasSeeds]),
    [
      ['Production', true],
      ['Staging', false],
    ],
  );
  const { definitions } = flagOf(source, 'Default', 'flag_0');
  assert.deepEqual(
    definitions.map(({ seeds, changeNumber }) => [seeds !== undefined, changeNumber !== undefined]),
    [
      [true, true],
      [false, false],
    ],
  );
});

test('segments of all kinds are read, with where they are active, their keys and their rules', async () => {
  const vendor = await startSplitAccount({ segments: 20 });
  const source = await read(vendor);
  for (const { name, segments } of vendor.account.projects) {
    const own = new Map(projectOf(source, name).segments.map((segment) => [segment.name, segment]));
    for (const there of segments) {
      const segment = own.get(there.name) ?? assert.fail();
      assert.equal(segment.kind, there.kind);
      assert.equal(segment.trafficType, 'user');
      assert.equal(segment.description, there.description ?? '');
      assert.deepEqual(
        segment.tags,
        (there.tags ?? []).map((tag) => tag.name),
      );
      assert.deepEqual(
        segment.environments.map(({ environment }) => environment).sort(),
        [...there.active.keys()].sort(),
      );
      for (const activation of segment.environments) {
        const { keys, rules, changeNumber } = there.active.get(activation.environment) ?? assert.fail();
        if (there.kind === 'standard') {
          assert.equal(activation.keyCount, keys.size);
          assert.deepEqual(await keysOf(activation), [...keys].sort());
        }
        if (there.kind === 'rule_based')
          assert.deepEqual(parseSegmentRules(activation.definition), parseSegmentRules(rules));
        if (there.kind !== 'large') assert.equal(activation.changeNumber, changeNumber);
      }
    }
  }
});

async function keysOf({ keys }: SourceProject['segments'][number]['environments'][number]): Promise<string[]> {
  const all: string[] = [];
  for await (const page of keys?.() ?? []) all.push(...page);
  return all.sort();
}

test('keys of segments come in pages of the Admin API without a server-side SDK key', async () => {
  const vendor = await startSplitAccount({ keys: 1234, flags: 2 });
  const { clientKey = '' } = vendor.project('Default').environments[0] ?? {};
  for (const sdkKeys of [{}, { 'Default/Production': clientKey }]) {
    const source = await read(vendor, { sdkKeys });
    const [segment] = projectOf(source, 'Default').segments;
    const [activation] = segment?.environments ?? [];
    assert.equal(activation?.keyCount, 1234);
    const there = vendor.project('Default').segments[0]?.active.get('Production');
    assert.deepEqual(activation && (await keysOf(activation)), [...(there?.keys ?? [])].sort());
  }
});

test('keys of large segments cannot be read from Split: their segments are kept, and the report says so', async () => {
  const vendor = await startSplitAccount({ flags: 1, projects: 1 });
  const source = await read(vendor);
  const large = projectOf(source, 'Default').segments.filter(({ kind }) => kind === 'large');
  assert.equal(large.length, 3);
  assert.ok(
    large.every(({ environments }) => environments.every(({ keys, keyCount }) => !keys && keyCount === undefined)),
  );
  for (const environment of ['Production', 'Staging']) {
    assert.deepEqual(whys(source, new RegExp(`^Keys of large segments in Default/${environment}$`)), [
      'Split has no way to read them. Upload the files here: large_0, large_2.',
    ]);
  }
});

test('people are read: users of each status, their groups, owners of flags, and who may see a project', async () => {
  const vendor = await startSplitAccount({ flags: 5 });
  const { users, groups } = vendor.account;
  const source = await read(vendor);
  const groupNames = new Map(groups.map(({ id, name }) => [id, name]));
  assert.deepEqual(
    source.users.toSorted(byEmail),
    users
      .map((user) => ({
        email: user.email,
        name: user.name,
        isActive: user.status !== 'DEACTIVATED',
        groups: user.groups.map((id) => groupNames.get(id)),
      }))
      .toSorted(byEmail),
  );
  assert.deepEqual(
    source.groups,
    groups.map(({ name, description }) => ({ name, description })),
  );
  assert.deepEqual(flagOf(source, 'Default', 'flag_0').owners, [
    { kind: 'user', name: 'person0@example.com' },
    { kind: 'group', name: 'Mobile team' },
  ]);
  assert.equal(projectOf(source, 'Default').viewers, undefined);
  assert.deepEqual(projectOf(source, 'Checkout').viewers, [
    { kind: 'group', name: 'Administrators' },
    { kind: 'user', name: 'person0@example.com' },
    { kind: 'user', name: 'person1@example.com' },
    { kind: 'api_key', name: 'deploy key' },
  ]);
});

const byEmail = (one: { email: string }, other: { email: string }) => (one.email < other.email ? -1 : 1);

test('traffic types come with their attributes, as our Admin API takes them', async () => {
  const source = await read(await startSplitAccount({ flags: 1 }));
  const [trafficType] = projectOf(source, 'Default').trafficTypes;
  assert.equal(trafficType?.name, 'user');
  assert.equal(trafficType?.displayAttributeId, 'name');
  assert.deepEqual(
    trafficType?.attributes.map(({ id, dataType }) => [id, dataType]),
    [
      ['plan', null],
      ['age', 'number'],
      ['tags', null],
    ],
  );
});

test('an account that moved to Harness is read without its people, and the report says what is missing', async () => {
  const vendor = await startSplitAccount({ isMoved: true });
  const source = await read(vendor);
  requireComplete(source, vendor.account);
  assert.deepEqual([source.users, source.groups], [[], []]);
  assert.match(whys(source, /^Users$/).join(), /status 403: This endpoint is not available/);
  assert.match(whys(source, /^Groups$/).join(), /status 404/);
  assert.match(whys(source, /^Project viewers$/).join(), /status 410/);
  assert.equal(whys(source, /^Owners of flags in Default$/).length, 1);
});

test('only GET is ever sent, and only with the key that belongs to the address', async () => {
  const vendor = await startSplitAccount();
  await read(vendor);
  assert.ok(vendor.requests.every(({ method }) => method === 'GET'));
  const keysAt = (pattern: RegExp) =>
    new Set(vendor.requests.filter(({ path }) => pattern.test(path)).map(({ headers }) => headers.authorization));
  assert.deepEqual([...keysAt(/^\/(internal\/|api\/v3)/)], [`Bearer ${vendor.adminKey}`]);
  assert.ok(!keysAt(/^\/api\/(split|segment)Changes/).has(`Bearer ${vendor.adminKey}`));
});

test('a redirect is not followed: another host would get the key', async () => {
  const vendor = await startSplitAccount();
  const other = await startSplitAccount();
  vendor.trouble = () => ({ status: 302, headers: { location: other.url } });
  await assert.rejects(read(vendor), /redirects to http.*Use that address instead/);
  assert.equal(other.requests.length, 0);
});

test('definitions are read by the page, not flag by flag', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 100 });
  await read(vendor);
  const pages = vendor.requests.filter(({ path }) => path.includes('/splits/'));
  assert.ok(pages.length <= 3 * 3, String(pages.length));
});

test('a total is not believed, too small or too large', async () => {
  for (const totalCount of [0, 1, 1_000_000]) {
    const vendor = await startSplitAccount({ totalCount, projects: 1, flags: 120 });
    requireComplete(await read(vendor), vendor.account);
  }
});

test('short pages do not end a list', async () => {
  const vendor = await startSplitAccount({ hasShortPages: true, flags: 120 });
  requireComplete(await read(vendor), vendor.account);
});

test('a flag that is created while the list is read repeats another one, which is kept once', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 120 });
  const { flags } = vendor.project('Default');
  const [first] = flags;
  assert.ok(first);
  vendor.trouble = (path) => {
    if (path.includes('/splits/ws/') && path.includes('offset=50')) {
      flags.push({ ...first, id: `new-${flags.length}`, name: `new_${flags.length}` });
    }
    return undefined;
  };
  const names = projectOf(await read(vendor), 'Default').flags.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (let at = 0; at < 120; at += 1) assert.ok(names.includes(`flag_${at}`), `flag_${at}`);
});

test('a list without end is given up', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 0, segments: 0 });
  vendor.trouble = (path) =>
    /\/splits\/ws\/[^/]*\?/.test(path)
      ? { status: 200, text: JSON.stringify({ objects: [{ id: String(vendor.requests.length), name: 'endless' }] }) }
      : undefined;
  await assert.rejects(read(vendor), /does not end/);
});

test('429 is respected: every request waits until the window ends, and all is read', async () => {
  const vendor = await startSplitAccount({ projects: 1, segments: 1, rate: { requests: 3, windowMs: 40 } });
  const progress: ReadProgress[] = [];
  const source = await read(vendor, { onProgress: (step) => progress.push({ ...step, traffic: { ...step.traffic } }) });
  requireComplete(source, vendor.account);
  const { waitedMs = 0, requests = 0 } = progress.at(-1)?.traffic ?? {};
  assert.ok(waitedMs >= 20, String(waitedMs));
  assert.equal(requests, vendor.requests.length);
});

test('the later of the two resets counts, and nothing is sent before it', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 1, segments: 0 });
  let [refusedAt, resumedAt] = [0, 0];
  vendor.trouble = (_, number) => {
    if (number > 1) resumedAt ||= performance.now();
    if (number > 1) return undefined;
    refusedAt = performance.now();
    const headers = { 'X-RateLimit-Reset-Seconds-Org': '0.05', 'X-RateLimit-Reset-Seconds-IP': '0.01' };
    return { status: 429, headers };
  };
  await read(vendor);
  assert.ok(resumedAt - refusedAt >= 50, String(resumedAt - refusedAt));
});

test('a source that only ever answers 429 is given up', async () => {
  const vendor = await startSplitAccount();
  vendor.trouble = () => ({ status: 429 });
  await assert.rejects(read(vendor), /too many requests, again and again/);
});

test('errors of the source, cut connections and cut bodies are repeated until all is read', async () => {
  const vendor = await startSplitAccount();
  const troubles = [{ status: 500 }, 'drop', { status: 503, text: '<html>' }, 'cut'] as const;
  vendor.trouble = (_, number) => (number % 5 === 0 ? troubles[(number / 5) % troubles.length] : undefined);
  requireComplete(await read(vendor), vendor.account);
});

test('a source that keeps failing is given up after a number of attempts, with a sentence', async () => {
  const vendor = await startSplitAccount();
  vendor.trouble = () => ({ status: 502 });
  await assert.rejects(read(vendor), /GET http.*\/workspaces: status 502 \(7 attempts\)/);
  assert.equal(vendor.requests.length, 7);
});

test('a request without an answer is repeated after its deadline', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 3 });
  vendor.trouble = (_, number) => (number === 4 ? 'hang' : undefined);
  requireComplete(await read(vendor, { retryPolicy: { ...retryPolicy, deadlineMs: 100 } }), vendor.account);
});

test('reading can be aborted at any moment, also while it waits', async () => {
  const vendor = await startSplitAccount();
  const troubles = ['hang', { status: 429, headers: { 'X-RateLimit-Reset-Seconds-Org': '60' } }] as const;
  for (const trouble of troubles) {
    for (const at of [1, 3, 20]) {
      const abort = new AbortController();
      const start = vendor.requests.length;
      vendor.trouble = (_, number) => {
        if (number - start < at) return undefined;
        setImmediate(() => abort.abort(new Error('stopped')));
        return trouble;
      };
      await assert.rejects(read(vendor, { signal: abort.signal }), /stopped/);
    }
  }
});

test('after a failure no further request is sent', async () => {
  const vendor = await startSplitAccount();
  vendor.trouble = (path) => (path.includes('/splits/') ? { status: 500 } : undefined);
  await assert.rejects(read(vendor), /status 500/);
  // An aborted request may still arrive, but before later ones.
  const arrived = async () => {
    await fetch(vendor.url);
    return vendor.requests.filter(({ path }) => path !== '/').length;
  };
  assert.equal(await arrived(), await arrived());
});

test('an answer that is too large or no JSON is refused, and the rest is read', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 2 });
  const large = 'x'.repeat(65 * 1024 * 1024);
  vendor.trouble = (path) => {
    if (path.includes('/groups')) return { status: 200, text: large };
    return path.includes('/rolloutStatuses') ? { status: 200, text: '<html>' } : undefined;
  };
  const source = await read(vendor);
  assert.match(whys(source, /^Groups$/).join(), /more than 67108864 bytes/);
  assert.match(whys(source, /^Rollout statuses of Default$/).join(), /is not JSON/);
  assert.equal(projectOf(source, 'Default').flags.length, 2);
});

test('a refused Admin API key is said at once', async () => {
  const vendor = await startSplitAccount();
  await assert.rejects(
    read(vendor, { adminKey: 'wrong' }),
    /refuses the Admin API key: status 401: Invalid Admin API Key/,
  );
  assert.equal(vendor.requests.length, 1);
});

test('a refused SDK key is reported, and the environment has no seeds', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 4 });
  const source = await read(vendor, { sdkKeys: { Staging: 'wrong' } });
  assert.match(whys(source, /^Seeds of Default\/Staging$/).join(), /status 401/);
  assert.ok(projectOf(source, 'Default').environments.every(({ hasSeeds }) => !hasSeeds));
});

test('an SDK key of another environment is refused, because its seeds would move everyone', async () => {
  const vendor = await startSplitAccount({ projects: 1 });
  const { 'Default/Production': production = '' } = vendor.sdkKeys;
  await assert.rejects(
    read(vendor, { sdkKeys: { Staging: production } }),
    /The SDK key for Default\/Staging seems to belong to another environment: only \d+ of 60/,
  );
});

test('it must be clear which environment an SDK key is for', async () => {
  const vendor = await startSplitAccount();
  const { 'Default/Staging': key = '' } = vendor.sdkKeys;
  await assert.rejects(read(vendor, { sdkKeys: { Staging: key } }), /may mean Default\/Staging or Checkout\/Staging/);
  await assert.rejects(
    read(vendor, { sdkKeys: { Nowhere: key } }),
    /an SDK key for Nowhere, which the source does not have/,
  );
  await assert.rejects(
    read(vendor, { sdkKeys: { 'Default/Staging': key, 'Default/Production': key } }),
    /have the same SDK key/,
  );
  const source = await read(vendor, { projects: ['Default'], sdkKeys: { Staging: key } });
  assert.deepEqual(
    source.projects.map(({ name }) => name),
    ['Default'],
  );
});

test('a project that the source does not have is refused', async () => {
  const vendor = await startSplitAccount();
  await assert.rejects(read(vendor, { projects: ['Nope'] }), /no project Nope. It has Default, Checkout/);
});

test('with `only`, nothing else is asked for', async () => {
  const vendor = await startSplitAccount({ projects: 1 });
  const source = await read(vendor, { only: ['segments'] });
  const [project] = source.projects;
  assert.equal(project?.segments.length, 9);
  assert.deepEqual([project?.flags, project?.flagSets, source.users], [[], [], []]);
  assert.ok(!vendor.requests.some(({ path }) => /\/splits\/|flag-sets|users|groups|restrictions/.test(path)));
});

test('permissions of environments are read where the source lists them, and reported where not', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 1, listsPermissions: true });
  const source = await read(vendor);
  assert.deepEqual(
    projectOf(source, 'Default').environments.map(({ editors }) => editors),
    [[{ kind: 'group', name: 'Administrators' }], undefined],
  );
  assert.deepEqual(whys(source, /^Environment editors$/), []);
  const without = await read(await startSplitAccount({ projects: 1, flags: 1 }));
  assert.match(whys(without, /^Environment editors$/).join(), /Set them in the access settings/);
});

test('prerequisites, which Burgee does not have, become rules, and individual targets with them', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 4, segments: 1 });
  const needsAnother = (flag: string, trafficAllocation: number) =>
    vendor.edit('Default', flag, {
      environment: 'Staging',
      change: (definition) => {
        definition.prerequisites.push({ n: 'flag_3', ts: ['on'] });
        definition.targeting.trafficAllocation = trafficAllocation;
      },
    });
  needsAnother('flag_0', 100);
  needsAnother('flag_1', 50);
  needsAnother('flag_2', 50);
  const source = await read(vendor);
  const bodyOf = (flag: string) =>
    flagOf(source, 'Default', flag).definitions.find(({ environment }) => environment === 'Staging')?.body;
  const parsed = parseTargeting(bodyOf('flag_0'));
  assert.deepEqual(
    parsed.rules.slice(0, 3).map(({ buckets, condition }) => [buckets, condition.matchers]),
    [
      [
        [{ treatment: 'off', size: 100 }],
        [{ type: 'IN_SPLIT', negate: true, depends: { splitName: 'flag_3', treatments: ['on'] } }],
      ],
      [[{ treatment: 'off', size: 100 }], [{ type: 'IN_LIST_STRING', strings: ['vip-0'] }]],
      [[{ treatment: 'on', size: 100 }], [{ type: 'IN_SEGMENT', string: 'standard_0' }]],
    ],
  );
  assert.ok(parsed.treatments.every(({ keys, segments }) => !keys && !segments));
  assert.equal(parseTargeting(bodyOf('flag_1')).rules.length, 2);
  // The allocation would then limit the targets.
  assert.equal(bodyOf('flag_2'), undefined);
  assert.equal(whys(source, /^Definition of flag_2 in Default\/Staging$/).length, 1);
});

test('the address may be that of the API', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 2 });
  for (const path of ['/', '/internal/api/v2', '/internal/api/v2/']) {
    const source = await read(vendor, { url: vendor.url + path });
    assert.equal(projectOf(source, 'Default').flags.length, 2);
  }
  await assert.rejects(read(vendor, { url: 'api.split.io' }), /is not an address/);
});

test('progress ends with everything done', async () => {
  const vendor = await startSplitAccount({ flags: 5 });
  const progress: ReadProgress[] = [];
  await read(vendor, { onProgress: (step) => progress.push(step) });
  const last = progress.at(-1);
  assert.ok(last && last.done === last.total && last.total === progress.length);
});

test('a second read of the same account is equal, and an edit changes what was edited', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 10 });
  const bodies = async () =>
    projectOf(await read(vendor), 'Default').flags.flatMap(({ name, definitions }) =>
      definitions.map(
        ({ environment, ...definition }) => [`${name} ${environment}`, JSON.stringify(definition)] as const,
      ),
    );
  const before = new Map(await bodies());
  assert.deepEqual(new Map(await bodies()), before);
  vendor.edit('Default', 'flag_2', { environment: 'Staging', change: ({ targeting }) => (targeting.killed = true) });
  const changed = (await bodies()).filter(([place, text]) => before.get(place) !== text).map(([place]) => place);
  assert.deepEqual(changed, ['flag_2 Staging']);
});
