/** Orders, filters and counts of the flag list. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { pino } from 'pino';
import { startTraffic } from '#jobs/traffic.ts';
import { startApi } from '../support/app.ts';
import { aDefinition, aProject } from '../support/build.ts';
import { anSdkKey } from '../support/sdk.ts';

const api = await startApi();
/** The clock stands still until a test moves it. */
const tick = () => {
  api.clock.now = (api.clock.now ?? Date.now()) + 1_000;
};

type Project = Awaited<ReturnType<typeof aProject>>;

interface Listed {
  readonly name: string;
  readonly lastUpdateTime?: number;
  readonly definitions?: readonly { readonly digest: string }[];
}
interface List {
  readonly objects: readonly Listed[];
  readonly totalCount: number;
}

const list = async (project: Project, query: string): Promise<List> => {
  const answer = await api.get(`/splits/ws/${project.id}?${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as List;
};
const names = async (project: Project, query: string): Promise<string[]> =>
  (await list(project, query)).objects.map(({ name }) => name);

const flagPath = (project: Project, flag: string) => `/splits/ws/${project.id}/${flag}`;
const definitionPath = (project: Project, flag: string, environment: { readonly id: string }) =>
  `${flagPath(project, flag)}/environments/${environment.id}`;

async function aFlagNamed(project: Project, name: string, body: object = {}, trafficType = 'user') {
  tick();
  const answer = await api.post(`/splits/ws/${project.id}/trafficTypes/${trafficType}`, { name, ...body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as { readonly id: string; readonly rolloutStatus: { readonly id: string } };
}

const ramp = (on: number, more: object = {}) => ({
  ...aDefinition(),
  rules: [],
  trafficAllocation: 100,
  defaultTreatment: 'off',
  defaultRule: [
    { treatment: 'on', size: on },
    { treatment: 'off', size: 100 - on },
  ],
  ...more,
});

async function define(project: Project, flag: string, environment: { readonly id: string }, body: object) {
  tick();
  const answer = await api.post(definitionPath(project, flag, environment), body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

/** Four flags: `alpha` ramps, `bravo` is killed in production, `charlie` differs, `delta` is defined nowhere. */
let shop: Project;
let statuses: readonly { readonly id: string; readonly name: string }[];

before(async () => {
  shop = await aProject(api);
  statuses = (await api.get(`/rolloutStatuses/ws/${shop.id}`)).body as typeof statuses;
  await api.post(`/trafficTypes/ws/${shop.id}`, { name: 'account' });
  await aFlagNamed(shop, 'delta', { description: 'Shows a Banner at the top' }, 'account');
  await aFlagNamed(shop, 'charlie');
  await aFlagNamed(shop, 'bravo');
  await aFlagNamed(shop, 'alpha');
  await define(shop, 'alpha', shop.staging, ramp(100));
  await define(shop, 'alpha', shop.production, ramp(50, { trafficAllocation: 50 }));
  await define(shop, 'bravo', shop.staging, ramp(100));
  await define(shop, 'bravo', shop.production, ramp(40));
  await api.put(`${definitionPath(shop, 'bravo', shop.production)}/kill`);
  await define(
    shop,
    'charlie',
    shop.staging,
    ramp(100, { treatments: [{ name: 'on', keys: ['ann'] }, { name: 'off' }] }),
  );
  await define(shop, 'charlie', shop.production, ramp(10));
  const patch = (flag: string, operations: object[]) => api.patch(flagPath(shop, flag), operations);
  await patch('alpha', [{ op: 'add', path: '/tags', value: [{ name: 'pay' }, { name: 'web' }] }]);
  tick();
  await patch('bravo', [
    { op: 'add', path: '/tags', value: [{ name: 'pay' }] },
    { op: 'replace', path: '/rolloutStatus/id', value: statuses[2]?.id },
  ]);
  tick();
  await patch('charlie', [{ op: 'replace', path: '/rolloutStatus/id', value: statuses[1]?.id }]);
});

test('flags are listed by their ids, together with other filters', async () => {
  const { objects } = await list(shop, '');
  const idOf = (name: string) => (objects.find((one) => one.name === name) as unknown as { id: string }).id;
  const query = `id=${idOf('alpha')}&id=${idOf('delta')}&id=absent`;
  assert.deepEqual(await names(shop, `${query}&sort=name`), ['alpha', 'delta']);
  assert.deepEqual(await names(shop, `${query}&tag=web`), ['alpha']);
  assert.equal((await api.get(`/flag-counts/ws/${shop.id}?${query}`)).body.totalCount, 2);
});

test('flags are listed in every order, both ways', async () => {
  assert.deepEqual(await names(shop, ''), ['delta', 'charlie', 'bravo', 'alpha']);
  assert.deepEqual(await names(shop, 'sort=created&order=desc'), ['alpha', 'bravo', 'charlie', 'delta']);
  assert.deepEqual(await names(shop, 'sort=name'), ['alpha', 'bravo', 'charlie', 'delta']);
  assert.deepEqual(await names(shop, 'sort=changed&order=desc'), ['charlie', 'bravo', 'alpha', 'delta']);
  // The first status twice, in order of creation.
  assert.deepEqual(await names(shop, 'sort=status'), ['delta', 'alpha', 'charlie', 'bravo']);
  // When the status was set, not the flag changed.
  assert.deepEqual(await names(shop, 'sort=since'), ['delta', 'alpha', 'bravo', 'charlie']);
  assert.deepEqual(await names(shop, `sort=since&order=desc&rolloutStatus=${statuses[0]?.id}`), ['alpha', 'delta']);
  // 50% of 50% for alpha; killed counts as nothing; not defined comes after that.
  assert.deepEqual(await names(shop, 'sort=share&order=desc'), ['alpha', 'charlie', 'bravo', 'delta']);
});

test('a change in any environment moves a flag to the top of the last changed', async () => {
  const project = await aProject(api);
  for (const name of ['one', 'two', 'three']) await aFlagNamed(project, name);
  const changed = () => names(project, 'sort=changed&order=desc');
  assert.deepEqual(await changed(), ['three', 'two', 'one']);
  await define(project, 'one', project.staging, ramp(10));
  assert.deepEqual(await changed(), ['one', 'three', 'two']);
  tick();
  await api.patch(flagPath(project, 'two'), [{ op: 'replace', path: '/description', value: 'new' }]);
  assert.deepEqual(await changed(), ['two', 'one', 'three']);
  tick();
  await api.put(`${definitionPath(project, 'one', project.staging)}/kill`);
  const at = api.clock.now;
  const { objects } = await list(project, 'sort=changed&order=desc&expand=environments');
  assert.deepEqual([objects[0]?.name, objects[0]?.lastUpdateTime], ['one', at]);
  tick();
  await define(project, 'three', project.staging, ramp(10));
  await api.delete(definitionPath(project, 'one', project.staging));
  assert.deepEqual(await changed(), ['three', 'one', 'two']);
});

test('the vendor’s list has no further members', async () => {
  const [flag] = (await list(shop, 'sort=changed')).objects;
  assert.ok(flag && !('lastUpdateTime' in flag) && !('definitions' in flag));
});

test('an environment that becomes one for production counts for the share', async () => {
  const project = await aProject(api);
  await aFlagNamed(project, 'one');
  await aFlagNamed(project, 'two');
  await define(project, 'two', project.staging, ramp(70));
  await define(project, 'one', project.production, ramp(20));
  const byShare = () => names(project, 'sort=share&order=desc');
  assert.deepEqual(await byShare(), ['one', 'two']);
  const path = `/environments/ws/${project.id}/${project.staging.id}`;
  await api.patch(path, [{ op: 'replace', path: '/production', value: true }]);
  assert.deepEqual(await byShare(), ['two', 'one']);
});

test('pages of each order have every flag once, although many are alike', async () => {
  const project = await aProject(api);
  const all = Array.from({ length: 7 }, (_, index) => `flag_${index}`);
  // At the same millisecond, with the same status and share.
  for (const name of all) await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name });
  for (const sort of ['created', 'name', 'changed', 'status', 'share', 'traffic']) {
    for (const order of ['asc', 'desc']) {
      const found: string[] = [];
      for (let offset = 0; offset < all.length; offset += 3) {
        const { objects, totalCount } = await list(project, `sort=${sort}&order=${order}&limit=3&offset=${offset}`);
        assert.equal(totalCount, all.length);
        found.push(...objects.map(({ name }) => name));
      }
      assert.deepEqual(found.toSorted(), all, `${sort} ${order}`);
    }
  }
});

test('each filter takes several values, and filters are combined', async () => {
  const found = (query: string) => names(shop, `sort=name&${query}`);
  assert.deepEqual(await found('tag=pay'), ['alpha', 'bravo']);
  assert.deepEqual(await found('tag=web&tag=other'), ['alpha']);
  assert.deepEqual(await found(`rolloutStatus=${statuses[1]?.id}&rolloutStatus=${statuses[2]?.id}`), [
    'bravo',
    'charlie',
  ]);
  assert.deepEqual(await found('search=BANNER'), ['delta']);
  assert.deepEqual(await found('search=LPH'), ['alpha']);
  assert.deepEqual(await found('search=%25'), []);
  assert.deepEqual(await found(`tag=pay&rolloutStatus=${statuses[2]?.id}`), ['bravo']);
  const types = (await api.get(`/trafficTypes/ws/${shop.id}`)).body as { id: string; name: string }[];
  const account = types.find(({ name }) => name === 'account');
  assert.deepEqual(await found(`trafficType=${account?.id}`), ['delta']);
  assert.deepEqual(await found(types.map(({ id }) => `trafficType=${id}`).join('&')), [
    'alpha',
    'bravo',
    'charlie',
    'delta',
  ]);
  assert.deepEqual(await found('owner=nobody'), []);
  assert.equal((await list(shop, 'search=a&limit=1')).totalCount, 4);
});

test('states are about any environment, or about one', async () => {
  const found = (query: string) => names(shop, `sort=name&${query}`);
  assert.deepEqual(await found('state=killed'), ['bravo']);
  assert.deepEqual(await found(`state=killed:${shop.production.id}`), ['bravo']);
  assert.deepEqual(await found(`state=killed:${shop.staging.name}`), []);
  assert.deepEqual(await found('state=defined'), ['alpha', 'bravo', 'charlie']);
  assert.deepEqual(await found('state=undefined'), ['delta']);
  assert.deepEqual(await found(`state=undefined:${shop.production.id}`), ['delta']);
  // Shares, allocation and kills are not a difference.
  assert.deepEqual(await found('state=different'), ['charlie']);
  assert.deepEqual(await found('state=different&state=killed'), ['bravo', 'charlie']);
  const { objects } = await list(shop, 'sort=name&expand=environments');
  assert.deepEqual(
    objects.map(({ definitions = [] }) => new Set(definitions.map(({ digest }) => digest)).size),
    [1, 1, 2, 0],
  );
  await api.put(`${definitionPath(shop, 'bravo', shop.production)}/restore`);
  assert.deepEqual(await found('state=killed'), []);
  await api.put(`${definitionPath(shop, 'bravo', shop.production)}/kill`);
});

test('an unknown object is named in the error', async () => {
  for (const [query, complaint] of [
    ['state=killed:nowhere', /state names nowhere, which is not an environment of the project/],
    ['rolloutStatus=none', /rolloutStatus/],
    ['state=odd', /state/],
    ['sort=size', /sort/],
  ] as const) {
    const answer = await api.get(`/splits/ws/${shop.id}?${query}`);
    assert.equal(answer.status, 400);
    assert.match(JSON.stringify(answer.body), complaint);
  }
});

interface Counts {
  readonly totalCount: number;
  readonly rolloutStatus: readonly { readonly id: string; readonly count: number }[];
  readonly trafficType: readonly { readonly count: number }[];
  readonly tag: readonly { readonly name: string; readonly count: number }[];
  readonly state: readonly { readonly state: string; readonly environment?: { id: string }; readonly count: number }[];
  readonly traffic: readonly {
    readonly traffic: string;
    readonly environment?: { id: string };
    readonly count: number;
  }[];
}

test('the counts say what each value would show, given the other filters', async () => {
  const counts = async (query: string) => (await api.get(`/flag-counts/ws/${shop.id}?${query}`)).body as Counts;
  const sum = (values: readonly { readonly count: number }[]) => values.reduce((total, { count }) => total + count, 0);
  const all = await counts('');
  assert.equal(all.totalCount, 4);
  assert.equal(sum(all.rolloutStatus), 4);
  assert.equal(sum(all.trafficType), 4);
  assert.deepEqual(all.tag, [
    { name: 'pay', count: 2 },
    { name: 'web', count: 1 },
  ]);
  // Each count is the total of the list with that value.
  for (const { id, count } of all.rolloutStatus) {
    assert.equal((await list(shop, `rolloutStatus=${id}`)).totalCount, count);
  }
  for (const { state, environment, count } of all.state) {
    const value = environment ? `${state}:${environment.id}` : state;
    assert.equal((await list(shop, `state=${value}`)).totalCount, count, value);
  }
  // A filter does not limit its own values, only those of the others.
  const tagged = await counts('tag=web');
  assert.equal(tagged.totalCount, 1);
  assert.deepEqual(tagged.tag, all.tag);
  assert.equal(sum(tagged.rolloutStatus), 1);
  const killed = await counts('state=killed');
  assert.deepEqual(killed.state, all.state);
  assert.deepEqual(killed.tag, [{ name: 'pay', count: 1 }]);
});

test('flags are sorted and filtered by their last evaluation, in any environment or in one', async () => {
  const project = await aProject(api);
  const { staging, production } = project;
  const day = 24 * 3_600_000;
  const keys = {
    staging: await anSdkKey(api, project),
    production: await anSdkKey(api, { ...project, staging: production }),
  };
  const evaluated = async (flag: string, environment: 'staging' | 'production') => {
    const body = [{ f: flag, i: [{ k: 'ann', t: 'on', m: api.clock.now, r: 'default rule' }] }];
    const answer = await api.call('POST', '/api/testImpressions/bulk', { as: keys[environment], body });
    assert.equal(answer.status, 200);
    await startTraffic({ store: api.store, log: pino({ level: 'silent' }), traffic: api.delivery.traffic }).stop();
  };
  for (const name of ['never', 'month', 'week', 'today']) {
    await aFlagNamed(project, name);
    await define(project, name, staging, ramp(10));
    await define(project, name, production, ramp(10));
  }
  await evaluated('month', 'production');
  api.clock.now = (api.clock.now ?? 0) + 21 * day;
  await evaluated('week', 'staging');
  await evaluated('today', 'production');
  api.clock.now += 10 * day;
  await evaluated('today', 'staging');

  assert.deepEqual(await names(project, 'sort=traffic&order=desc'), ['today', 'week', 'month', 'never']);
  assert.deepEqual(await names(project, 'sort=traffic&limit=2&offset=1'), ['month', 'week']);
  const found = (query: string) => names(project, `sort=name&${query}`);
  assert.deepEqual(await found('traffic=never'), ['never']);
  assert.deepEqual(await found('traffic=quiet-7d'), ['month', 'week']);
  assert.deepEqual(await found('traffic=quiet-30d'), ['month']);
  assert.deepEqual(await found('traffic=quiet-30d&traffic=never'), ['month', 'never']);
  assert.deepEqual(await found('traffic=never:production'), ['never', 'week']);
  assert.deepEqual(await found(`traffic=quiet-7d:${production.id}`), ['month', 'today']);
  const { traffic } = (await api.get(`/flag-counts/ws/${project.id}?traffic=never`)).body as Counts;
  assert.equal(traffic.length, 6);
  for (const { traffic: kind, environment, count } of traffic) {
    const value = environment ? `${kind}:${environment.id}` : kind;
    assert.equal((await list(project, `traffic=${value}`)).totalCount, count, value);
  }
  // Time alone changes the answer.
  api.clock.now += 21 * day;
  assert.deepEqual(await found('traffic=quiet-30d'), ['month', 'week']);

  const { objects } = await list(project, 'sort=name');
  const ids = objects.map((flag) => (flag as Listed & { id: string }).id);
  const asked = async (flagIds: readonly string[]) => {
    const query = flagIds.map((id) => `flagId=${id}`).join('&');
    const { body } = await api.get(`/traffic/ws/${project.id}?${query}`);
    return (body.traffic as { flagId: string; environmentId: string }[]).map((one) => [one.flagId, one.environmentId]);
  };
  const [month = '', never = '', today = ''] = ids;
  assert.deepEqual(await asked([today, never]), [
    [today, staging.id],
    [today, production.id],
  ]);
  assert.deepEqual(await asked([month]), [[month, production.id]]);
  assert.equal((await api.get(`/splits/ws/${project.id}?traffic=never:nowhere`)).status, 400);
});

interface DriftAnswer {
  readonly objects: readonly {
    readonly name: string;
    readonly kinds: readonly string[];
    readonly share: number;
    readonly definitions: readonly { readonly environment: { readonly name: string } }[];
  }[];
  readonly totalCount: number;
  readonly flagCount: number;
  readonly base: { readonly name: string };
  readonly counts: Readonly<Record<string, number>>;
}

test('drift lists what differs between environments, the most severe first', async () => {
  const project = await aProject(api);
  const { staging, production } = project;
  const drift = async (query = ''): Promise<DriftAnswer> => {
    const answer = await api.get(`/flag-drift/ws/${project.id}?${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body as DriftAnswer;
  };
  const both = async (name: string, mine: object, theirs: object) => {
    await aFlagNamed(project, name);
    await define(project, name, staging, mine);
    await define(project, name, production, theirs);
  };
  const rule = {
    buckets: [{ treatment: 'on', size: 100 }],
    condition: { matchers: [{ type: 'IN_LIST_STRING', strings: ['a'] }] },
  };
  await both('same', ramp(50), ramp(50));
  await both('ramping', ramp(100), ramp(25));
  await both('allocated', ramp(100), ramp(100, { trafficAllocation: 90 }));
  await both('other_rules', ramp(50), ramp(50, { rules: [rule] }));
  await both('stopped', ramp(100), ramp(100));
  await api.put(`${definitionPath(project, 'stopped', production)}/kill`);
  await aFlagNamed(project, 'nowhere');
  await aFlagNamed(project, 'not_yet');
  await define(project, 'not_yet', staging, ramp(10));
  await both('archived', ramp(1), ramp(2));
  await api.post(`${flagPath(project, 'archived')}/archive`);

  const all = await drift();
  assert.deepEqual(
    all.objects.map(({ name, kinds, share }) => [name, ...kinds, share]),
    [
      ['stopped', 'killed', 100],
      ['not_yet', 'defined', 100],
      ['ramping', 'share', 75],
      ['allocated', 'share', 10],
      ['other_rules', 'targeting', 0],
    ],
  );
  assert.deepEqual(
    [all.totalCount, all.flagCount, all.base.name, all.counts],
    [5, 7, 'production', { killed: 1, defined: 1, targeting: 1, share: 2 }],
  );
  assert.deepEqual(
    all.objects[2]?.definitions.map(({ environment }) => environment.name),
    ['staging', 'production'],
  );
  const found = async (query: string) => (await drift(query)).objects.map(({ name }) => name);
  assert.deepEqual(await found('kind=share&kind=killed&sort=name'), ['allocated', 'ramping', 'stopped']);
  assert.deepEqual((await found('sort=changed'))[0], 'not_yet');
  assert.deepEqual(await found('name=RAMP&base=staging&environment=production'), ['ramping']);
  assert.deepEqual(await found('limit=2&offset=1'), ['not_yet', 'ramping']);
  const { body: qa } = await api.post(`/environments/ws/${project.id}`, { name: 'qa' });
  assert.deepEqual(await found(`base=qa&environment=${production.id}&sort=name`), [
    ...['allocated', 'other_rules', 'ramping', 'same', 'stopped'],
  ]);
  await define(project, 'same', qa, ramp(50));
  assert.deepEqual(await found('environment=qa&kind=share'), []);
  const unknown = await api.get(`/flag-drift/ws/${project.id}?environment=absent`);
  assert.equal(unknown.status, 400);
  assert.match(unknown.text, /absent is not an environment of the project/);
});

test('drift compares all flags of a large project', async () => {
  const project = await aProject(api);
  for (let number = 0; number < 260; number += 1) await aFlagNamed(project, `flag_${String(number).padStart(3, '0')}`);
  await define(project, 'flag_000', project.staging, ramp(1));
  await define(project, 'flag_259', project.production, ramp(1));
  const { body } = await api.get(`/flag-drift/ws/${project.id}?sort=name`);
  assert.equal(body.flagCount, 260);
  assert.deepEqual(
    body.objects.map(({ name }: { name: string }) => name),
    ['flag_000', 'flag_259'],
  );
});
