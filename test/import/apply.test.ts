/** What an import writes, and what it does with what is here already. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { type Context, contextFor } from '#commands/context.ts';
import { permissionsOf } from '#domain/access.ts';
import type { Change } from '#domain/changes.ts';
import type { Choices, Item, Plan, WantedDefinition } from '#domain/import/plan.ts';
import type { SourceAccount } from '#domain/import/source.ts';
import { type ApplyOptions, applyPlan } from '#import/apply.ts';
import { planAccount } from '#import/here.ts';
import { verifyAccount } from '#import/verify.ts';
import { openStore } from '#store/open.ts';
import { type Api, startApi } from '../support/app.ts';
import {
  aBody,
  aSourceAccount,
  aSourceDefinition,
  aSourceFlag,
  aSourceProject,
  longAgo,
  withFlag,
  withKeys,
} from '../support/import-account.ts';
import { anSdkKey, aPollingSdk, listening, treated } from '../support/sdk.ts';

const operator = {
  type: 'operator',
  id: 'test',
  name: 'test',
  permissions: permissionsOf(['API_ALL_GRANTED']),
  scope: { kind: 'account' },
} as const;
const contextOf = ({ store }: Api): Context => contextFor(store, { actor: operator, transactionId: 'import' });

async function imported(api: Api, source: SourceAccount, choices?: Choices, options?: ApplyOptions) {
  const plan = await planAccount(api.store, source, { choices });
  return { plan, ...(await applyPlan(contextOf(api), plan, options)) };
}

const said = ({ items }: Plan, action: Item['action']) =>
  items
    .filter((item) => item.action === action)
    .map(({ kind, environment, name }) => [kind, environment, name].filter(Boolean).join(' '));

const reasonOf = ({ items }: Plan, kind: Item['kind'], name: string) =>
  items.find((item) => item.kind === kind && item.name === name)?.reason;

const addresses = new Map<Api, string>();

/** What SDKs get in an environment. */
async function wireOf(api: Api, environment: string, project = 'Shop') {
  const [place] = await api.store.all<{ id: string; project_id: string }>(sql`
    select e.id, e.project_id from environments e join projects p on p.id = e.project_id
     where e.name = ${environment} and p.name = ${project}`);
  assert.ok(place);
  const scope = { kind: 'environment', projectId: place.project_id, environmentIds: [place.id] } as const;
  const key = await api.key({ name: 'sdk', type: 'server_side', roles: [], scope });
  const url = addresses.get(api) ?? (await listening(api));
  addresses.set(api, url);
  const ask = async (path: string) => {
    const answer = await fetch(`${url}/api/${path}`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200, path);
    return JSON.parse(await answer.text());
  };
  return { ask, ...(await ask('splitChanges?s=1.3&since=-1&rbSince=-1')) };
}

/** Every row that an import may write, without what is new each time. */
async function contentOf(api: Api) {
  const tables = {
    projects: sql`select name, requires_title_and_comments, is_restricted from projects order by name`,
    environments: sql`select name, production, change_number, are_editors_restricted from environments order by name, change_number`,
    types: sql`select name from traffic_types order by name`,
    attributes: sql`select id, display_name, data_type from attributes order by id`,
    sets: sql`select name, description from flag_sets order by name`,
    flags: sql`select f.name, f.description, s.name as status from flags f join rollout_statuses s on s.id = f.rollout_status_id order by f.name`,
    tags: sql`select f.name, t.name as tag from flag_tags t join flags f on f.id = t.flag_id order by f.name, t.position`,
    definitions: sql`select f.name, e.name as environment, d.seed, d.traffic_allocation_seed, d.algo, d.change_number from definitions d join flags f on f.id = d.flag_id join environments e on e.id = d.environment_id order by f.name, e.name`,
    segments: sql`select s.name, s.kind, e.change_number, e.key_count, e.rules from segments s join segment_environments e on e.segment_id = s.id order by s.name, e.change_number`,
    keys: sql`select segment, key from segment_keys where is_removed = false order by segment, key`,
    users: sql`select email, status from users order by email`,
    groups: sql`select name from groups order by name`,
    imported: sql`select kind, name, content_hash from imported_objects order by kind, name, content_hash`,
  };
  const all: Record<string, unknown> = {};
  for (const [name, query] of Object.entries(tables)) all[name] = await api.store.all(query);
  return all;
}

test('every kind of object is imported, with seeds, algorithms and numbers, and the audit log names the source', async () => {
  const api = await startApi();
  const source = aSourceAccount();
  const before = (await api.get('/auditLogs?limit=1')).body.data[0].id;
  const { plan, refused } = await imported(api, source);
  assert.deepEqual(refused, []);
  assert.deepEqual(said(plan, 'left_out'), ['user bo@example.com', 'rollout_status Our own']);
  assert.deepEqual(said(plan, 'conflict'), []);
  const [project] = source.projects;
  for (const environment of ['Prod', 'Staging']) {
    const { ff, rbs } = await wireOf(api, environment);
    const wanted = (project?.flags ?? []).flatMap(({ name, definitions }) =>
      definitions
        .filter((one) => one.environment === environment)
        .map(({ seeds, algorithm: algo, changeNumber, flagSets }) => ({
          name,
          ...seeds,
          algo,
          changeNumber,
          sets: flagSets,
        })),
    );
    const got = ff.d.map(
      ({ name, seed, trafficAllocationSeed, algo, changeNumber, sets }: Record<string, unknown>) => ({
        name,
        seed,
        trafficAllocationSeed,
        algo,
        changeNumber,
        sets,
      }),
    );
    const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
    assert.deepEqual(got.sort(byName), wanted.sort(byName));
    if (environment === 'Staging') assert.equal(ff.t, Math.max(...wanted.map(({ changeNumber }) => changeNumber ?? 0)));
    assert.equal(rbs.d.length, environment === 'Prod' ? 1 : 0);
  }
  const { ask, rbs } = await wireOf(api, 'Prod');
  assert.deepEqual(rbs.d[0].excluded, { keys: ['eve'], segments: [{ type: 'large', name: 'everyone' }] });
  assert.equal(rbs.d[0].changeNumber, longAgo + 8);
  const beta = await ask('segmentChanges/beta?since=-1');
  assert.deepEqual([beta.added.sort(), beta.till], [['ana', 'bo'], longAgo + 5]);
  const { body: shown } = await api.get('/splits/ws/Shop/checkout');
  assert.deepEqual(
    [shown.description, shown.tags, shown.rolloutStatus.name, shown.owners.length],
    ['About checkout', [{ name: 'shop' }, { name: 'money' }], 'Ramping', 2],
  );
  const { body: users } = await api.get('/users');
  assert.deepEqual(
    users.data.map(({ email, name, status, groups }: Record<string, unknown[]>) => [
      email,
      name,
      status,
      groups?.length,
    ]),
    [['Ana@example.com', 'Ana', 'PENDING', 2]],
  );
  assert.deepEqual(await api.store.all(sql`select id from outbox`), [], 'no mail');
  const { body: log } = await api.get('/auditLogs?limit=200');
  const entries: Change[] = log.data.slice(
    0,
    log.data.findIndex(({ id }: Change) => id === before),
  );
  // The test itself made keys for SDKs.
  const titles = new Set(entries.filter(({ object }) => object.type !== 'api_key').map(({ title }) => title));
  assert.deepEqual([...titles], ['Imported from Split (api.split.io)']);
  const about = (type: string) => entries.filter(({ object }) => object.name === 'checkout' && object.type === type);
  assert.deepEqual([about('flag').length, about('definition').length], [1, 2]);
});

test('a second run changes nothing', async () => {
  const api = await startApi();
  const source = aSourceAccount();
  await imported(api, source);
  const before = await contentOf(api);
  let written = -1;
  const actions = await api.recorded(async () => {
    const { plan, ...applied } = await imported(api, source);
    written = Object.values(applied.written).reduce((sum, count) => sum + count, 0);
    assert.deepEqual([said(plan, 'create'), said(plan, 'update'), said(plan, 'conflict')], [[], [], []]);
  });
  assert.deepEqual([actions, written], [[], 0]);
  assert.deepEqual(await contentOf(api), before);
});

test('an import that was interrupted after any batch and run again gives the same as one that was not', async () => {
  const whole = await startApi();
  const source = aSourceAccount();
  let batches = 0;
  await imported(whole, source, {}, { onProgress: () => (batches += 1) });
  const expected = await contentOf(whole);
  const parts = await startApi();
  let runs = 0;
  for (let isDone = false; !isDone; runs += 1) {
    const stop = new AbortController();
    isDone = await imported(parts, source, {}, { signal: stop.signal, onProgress: () => stop.abort() }).then(
      ({ plan }) => plan.items.every(({ wanted }) => wanted === undefined),
      (error: unknown) => {
        if ((error as Error).name === 'AbortError') return false;
        throw error;
      },
    );
    assert.ok(runs < 100);
  }
  assert.ok(runs > 10 && batches > 10, `${runs} ${batches}`);
  const withoutClock = (content: Record<string, unknown>) =>
    JSON.parse(JSON.stringify(content), (name, value) =>
      name === 'change_number' && value > longAgo * 1.01 ? 'clock' : value,
    );
  assert.deepEqual(withoutClock(await contentOf(parts)), withoutClock(expected));
});

test('changes at the source are imported, edits made here stay, and doing both is reported as a conflict', async () => {
  const api = await startApi();
  const source = aSourceAccount();
  await imported(api, source);
  const changed = (source: SourceAccount, name: string, size: number) =>
    withFlag(source, name, (flag) => ({
      ...flag,
      definitions: flag.definitions.map((definition) => ({
        ...definition,
        changeNumber: (definition.changeNumber ?? 0) + 1_000,
        body: aBody({
          defaultRule: [
            { treatment: 'on', size },
            { treatment: 'off', size: 100 - size },
          ],
        }),
      })),
    }));
  const { body: definition } = await api.get('/splits/ws/Shop/old_flag/environments/Prod');
  const note = { title: 'here', comment: 'here' };
  for (const flag of ['old_flag', 'checkout']) {
    const edit = { ...aBody({ trafficAllocation: 5 }), ...note };
    assert.equal((await api.put(`/splits/ws/Shop/${flag}/environments/Prod`, edit)).status, 200);
  }
  assert.equal(definition.trafficAllocation, 100);
  const { plan, refused } = await imported(api, changed(changed(source, 'old_flag', 55), 'search', 60));
  assert.deepEqual(refused, []);
  assert.deepEqual(said(plan, 'update'), [
    'definition Prod search',
    'definition Staging search',
    'definition Staging old_flag',
  ]);
  assert.deepEqual(said(plan, 'conflict'), ['definition Prod old_flag']);
  assert.match(reasonOf(plan, 'definition', 'old_flag') ?? '', /changed both here and at the source/);
  assert.equal((await api.get('/splits/ws/Shop/old_flag/environments/Prod')).body.trafficAllocation, 5);
  assert.equal((await api.get('/splits/ws/Shop/checkout/environments/Prod')).body.trafficAllocation, 5);
  assert.equal((await api.get('/splits/ws/Shop/search/environments/Prod')).body.defaultRule[0].size, 60);
});

test('an object that already existed with the same content follows later changes at the source', async () => {
  const [api, source] = [await startApi(), aSourceAccount()];
  await imported(api, source);
  // As if somebody had made it by hand.
  await api.store.write((tx) => tx.run(sql`delete from imported_objects where kind in ('definition', 'flag')`));
  const { plan } = await imported(api, source);
  assert.equal(plan.counts.definition.same, 6);
  const changed = withFlag(source, 'search', (flag) => ({
    ...flag,
    description: 'Other words',
    definitions: flag.definitions.map((one) => ({ ...one, body: aBody({ trafficAllocation: 50 }) })),
  }));
  const next = await imported(api, changed);
  assert.deepEqual(said(next.plan, 'update').sort(), [
    'definition Prod search',
    'definition Staging search',
    'flag search',
  ]);
  assert.deepEqual(said(next.plan, 'conflict'), []);
});

test('editors of a project are imported; what was deleted at the source is reported and stays', async () => {
  const api = await startApi();
  const project = aSourceProject('Shop', { editors: [{ kind: 'group', name: 'Release' }] });
  await imported(api, aSourceAccount({ projects: [project] }));
  const [{ id }] = (await api.get('/workspaces?name=Shop')).body.objects;
  const { edit } = (await api.get(`/workspaces/${id}/access`)).body;
  assert.deepEqual([edit.restricted, edit.grantees.map(({ name }: { name: string }) => name)], [true, ['Release']]);
  const { plan } = await imported(api, aSourceAccount({ projects: [{ ...project, flags: project.flags.slice(1) }] }));
  const gone = plan.gone.map(({ kind, environment, name }) => [kind, environment, name].filter(Boolean).join(' '));
  assert.deepEqual(gone, ['flag checkout', 'definition Prod checkout', 'definition Staging checkout']);
  assert.equal((await api.get(`/splits/ws/${id}/checkout`)).status, 200);
});

test('a rehearsal finds a definition that would answer otherwise', async () => {
  const [api, source] = [await startApi(), aSourceAccount()];
  const plan = await planAccount(api.store, source);
  const options = { perFlag: 200, plan };
  const { evaluations, differenceCount, environments } = await verifyAccount(api.store, source, options);
  assert.ok(evaluations >= 1_200);
  assert.deepEqual([differenceCount, environments.map(({ compared }) => compared)], [0, [3, 3]]);
  const items = plan.items.map((item) => {
    if (item.kind !== 'definition' || item.name !== 'search' || item.environment !== 'Prod') return item;
    const wanted = item.wanted as WantedDefinition;
    return { ...item, wanted: { ...wanted, seeds: { seed: 1, trafficAllocationSeed: 1 } } };
  });
  const broken = await verifyAccount(api.store, source, { ...options, plan: { ...plan, items } });
  assert.ok(broken.differenceCount > 20);
  // Another one depends on it.
  assert.deepEqual([...new Set(broken.differences.map(({ environment }) => environment))], ['Prod']);
  assert.equal((await api.get('/workspaces?name=Shop')).body.objects.length, 0, 'nothing is written');
});

test('an import with a large segment of more than a page of keys is verified', async () => {
  const api = await startApi();
  const project = aSourceProject('Shop');
  const keys = Array.from({ length: 10_001 }, (_, index) => `customer-${index}`);
  const segments = project.segments.map((segment) =>
    segment.kind === 'large'
      ? { ...segment, environments: [{ environment: 'Prod', ...withKeys(keys, longAgo) }] }
      : segment,
  );
  const source = aSourceAccount({ projects: [{ ...project, segments }] });
  await imported(api, source);
  assert.equal((await verifyAccount(api.store, source, { perFlag: 10 })).differenceCount, 0);
});

test('an imported object that was deleted here does not come back', async () => {
  const api = await startApi();
  const source = aSourceAccount();
  await imported(api, source);
  const note = { headers: { 'split-title': 'x' } };
  assert.equal(
    (await api.patch('/workspaces/Shop', [{ op: 'replace', path: '/requiresTitleAndComments', value: false }])).status,
    200,
  );
  assert.equal((await api.delete('/splits/ws/Shop/old_flag', note)).status, 200);
  const { plan } = await imported(api, source);
  assert.deepEqual(
    said(plan, 'left_out').filter((what) => what.includes('old_flag')),
    ['flag old_flag', 'definition Prod old_flag', 'definition Staging old_flag'],
  );
  assert.equal((await api.get('/splits/ws/Shop/old_flag')).status, 404);
});

test('an import merges into a project that is here, and leaves what differs', async () => {
  const api = await startApi();
  const { body: shop } = await api.post('/workspaces', { name: 'Store' });
  assert.equal((await api.post(`/environments/ws/${shop.id}`, { name: 'Prod', production: true })).status, 200);
  assert.equal(
    (await api.post(`/splits/ws/${shop.id}/trafficTypes/user`, { name: 'search', description: 'Ours' })).status,
    200,
  );
  assert.equal(
    (await api.post(`/splits/ws/${shop.id}/search/environments/Prod`, aBody({ trafficAllocation: 1 }))).status,
    200,
  );
  const { plan, refused } = await imported(api, aSourceAccount(), { projects: { Shop: 'Store' } });
  assert.deepEqual(refused, []);
  assert.deepEqual(said(plan, 'conflict'), [
    'flag search',
    'definition Prod search',
    'restriction viewers',
    'restriction Prod editors',
  ]);
  assert.ok(said(plan, 'same').includes('environment Prod Prod'));
  assert.equal((await api.get(`/splits/ws/${shop.id}/search`)).body.description, 'Ours');
  const { ff } = await wireOf(api, 'Prod', 'Store');
  assert.deepEqual(ff.d.map(({ name }: { name: string }) => name).sort(), ['checkout', 'old_flag', 'search']);
  const numbers = ff.d.map(({ changeNumber }: { changeNumber: number }) => changeNumber);
  assert.ok(Math.min(...numbers) > longAgo * 1.01, 'numbers of an environment only grow');
});

test('objects that our rules refuse are left out with the reason, and the rest is imported', async () => {
  const api = await startApi();
  const bad = aSourceProject('Bad', {
    environments: [
      { name: 'Prod', production: true, hasSeeds: true },
      { name: 'An environment with a long name', production: false, hasSeeds: true },
    ],
    segments: [],
    flags: [
      aSourceFlag('1st'),
      aSourceFlag('good'),
      aSourceFlag('wrong', {
        definitions: [aSourceDefinition('Prod', { body: aBody({ defaultTreatment: 'none' }) })],
      }),
      aSourceFlag('elsewhere', { definitions: [aSourceDefinition('An environment with a long name')] }),
      ...(['one', 'other'] as const).map((name) =>
        aSourceFlag(name, {
          definitions: [
            aSourceDefinition('Prod', {
              body: aBody({
                rules: [
                  {
                    condition: {
                      matchers: [
                        {
                          type: 'IN_SPLIT',
                          depends: { splitName: name === 'one' ? 'other' : 'one', treatments: ['on'] },
                        },
                      ],
                    },
                    buckets: [{ treatment: 'on', size: 100 }],
                  },
                ],
              }),
            }),
          ],
        }),
      ),
    ],
    viewers: undefined,
  });
  const { plan, refused } = await imported(api, aSourceAccount({ projects: [bad] }));
  assert.deepEqual(refused, []);
  assert.match(reasonOf(plan, 'environment', 'An environment with a long name') ?? '', /20 characters/);
  assert.match(reasonOf(plan, 'flag', '1st') ?? '', /name/);
  assert.match(reasonOf(plan, 'definition', 'wrong') ?? '', /defaultTreatment none is not a treatment/);
  assert.match(reasonOf(plan, 'definition', 'one') ?? '', /cycle/);
  assert.match(reasonOf(plan, 'definition', 'elsewhere') ?? '', /environment .* left out/);
  const { ff } = await wireOf(api, 'Prod', 'Bad');
  assert.deepEqual(
    ff.d.map(({ name }: { name: string }) => name),
    ['good'],
  );
});

test('one object that is refused when it is written does not keep its batch from being written', async () => {
  const api = await startApi();
  const source = aSourceAccount();
  const plan = await planAccount(api.store, source);
  // Somebody takes the name meanwhile.
  assert.equal((await api.post('/groups', { name: 'Release', description: '' })).status, 200);
  const { refused, written } = await applyPlan(contextOf(api), plan);
  assert.deepEqual(
    refused.map(({ item }) => `${item.kind} ${item.name}`),
    ['group Release'],
  );
  assert.match(refused[0]?.reason ?? '', /Release/);
  assert.equal(written.definition, 6);
});

test('a live rollout without seeds is left out with the share of keys that would change, unless that is accepted', async () => {
  const api = await startApi();
  const unknown = { seeds: undefined, changeNumber: undefined };
  const full = aBody({ defaultRule: [{ treatment: 'on', size: 100 }] });
  const source = aSourceAccount({
    projects: [
      aSourceProject('Shop', {
        flags: [
          aSourceFlag('live', {
            definitions: [aSourceDefinition('Prod', unknown), aSourceDefinition('Staging', unknown)],
          }),
          aSourceFlag('full', { definitions: [aSourceDefinition('Prod', { ...unknown, body: full })] }),
        ],
      }),
    ],
  });
  const { plan } = await imported(api, source, { newSeeds: { Staging: 'accept' } });
  assert.deepEqual(
    plan.rebucketed.map(({ environment, flag, share, accepted }) => [
      environment,
      flag,
      Math.round(100 * share),
      accepted,
    ]),
    [
      ['Prod', 'live', 42, false],
      ['Staging', 'live', 42, true],
    ],
  );
  assert.match(reasonOf(plan, 'definition', 'live') ?? '', /up to 42% of keys/);
  assert.deepEqual(
    (await wireOf(api, 'Prod')).ff.d.map(({ name }: { name: string }) => name),
    ['full'],
  );
  assert.deepEqual(
    (await wireOf(api, 'Staging')).ff.d.map(({ name }: { name: string }) => name),
    ['live'],
  );
});

test('keys of a segment are imported in parts, followed, and left alone if they were edited here', async () => {
  const api = await startApi();
  const many = Array.from({ length: 25_000 }, (_, index) => `key-${index}`);
  const accountWith = (keys: readonly string[], number: number) =>
    aSourceAccount({
      projects: [
        aSourceProject('Shop', {
          flags: [],
          segments: [
            {
              kind: 'standard',
              name: 'many',
              description: '',
              trafficType: 'user',
              tags: [],
              environments: [{ environment: 'Prod', ...withKeys(keys, number) }],
            },
          ],
        }),
      ],
    });
  const first = accountWith(many, longAgo);
  await imported(api, first);
  const count = async () =>
    (await api.store.one<{ n: number }>(sql`select count(*) as n from segment_keys where is_removed = false`))?.n;
  assert.equal(await count(), 25_000);
  assert.deepEqual(await api.recorded(() => imported(api, first)), []);
  await imported(api, accountWith(many.slice(0, 5), longAgo + 1));
  assert.equal(await count(), 5);
  const { body: shop } = await api.get('/workspaces?name=Shop');
  const environments = (await api.get(`/environments/ws/${shop.objects[0].id}`)).body;
  const prod = environments.find(({ name }: { name: string }) => name === 'Prod');
  const edit = { keys: ['mine'], title: 'here', comment: 'here' };
  assert.equal((await api.put(`/segments/${prod.id}/many/uploadKeys`, edit)).status, 200);
  const { plan } = await imported(api, accountWith(['other'], longAgo + 2));
  assert.deepEqual(said(plan, 'conflict'), ['keys Prod many']);
  assert.equal(await count(), 6);
});

test('people are invited on request, once', async () => {
  const api = await startApi();
  const source = aSourceAccount();
  await imported(api, source);
  const mails = async () => (await api.store.all(sql`select id from outbox`)).length;
  assert.equal(await mails(), 0);
  const { plan } = await imported(api, source, { invite: true });
  assert.deepEqual([said(plan, 'update'), await mails()], [['user Ana@example.com'], 1]);
  assert.deepEqual(await api.recorded(() => imported(api, source, { invite: true })), []);
});

test('only administrators can import', async () => {
  const api = await startApi();
  const plan = await planAccount(api.store, aSourceAccount());
  const actor = { ...operator, permissions: permissionsOf(['API_ADMIN']) };
  await assert.rejects(applyPlan(contextFor(api.store, { actor, transactionId: 'x' }), plan), /Role is insufficient/);
  assert.equal((await api.get('/workspaces')).body.objects.length, 1);
});

test('a running server serves what another process imported', async () => {
  const api = await startApi();
  const project = aSourceProject('Shop', { viewers: undefined });
  await imported(api, aSourceAccount({ projects: [{ ...project, flags: project.flags.slice(1) }] }));
  const { body: places } = await api.get(
    `/environments/ws/${(await api.get('/workspaces?name=Shop')).body.objects[0].id}`,
  );
  const staging = places.find(({ name }: { name: string }) => name === 'Staging');
  const [{ id }] = (await api.get('/workspaces?name=Shop')).body.objects;
  const sdk = await aPollingSdk(await listening(api), await anSdkKey(api, { id, staging }));
  await treated(sdk, ['ana', 'checkout', 'control']);
  const other = await openStore(api.database);
  try {
    const plan = await planAccount(other, aSourceAccount({ projects: [project] }));
    await applyPlan(contextFor(other, { actor: operator, transactionId: 'other' }), plan);
  } finally {
    await other.close();
  }
  await treated(sdk, ['ana', 'checkout', 'off']);
});
