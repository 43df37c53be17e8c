/** Requests of maximum size, shaped to keep the server busy as long as possible before it refuses. */
import assert from 'node:assert/strict';
import { aDefinition } from './build.ts';
import { everyEndpoint } from './every-endpoint.ts';
import type { HostileInstallation } from './hostile-installation.ts';
import type { Hostile } from './hostile-requests.ts';

const endpointOf = (name: string) => everyEndpoint.find((one) => one.name === name) ?? assert.fail(`no ${name}`);
const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const short = (index: number): string => index.toString(36);
const put = (path: string, value: unknown) => ({ op: 'add', path, value });
const failing = { op: 'test', path: '/killed', value: 7 };
const keys = '/treatments/0/keys';
const members = (count: number) => Object.fromEntries(many(count, (index) => [`m${index}`, 0]));
const rule = (matcher: object) => ({
  buckets: [{ treatment: 'on', size: 100 }],
  condition: { combiner: 'AND', matchers: [matcher] },
});
const matching = (string: string) => aDefinition({ rules: [rule({ type: 'MATCHES_STRING', string })] });

/** By endpoint and what is heavy about them. */
const heavyBodies: Record<string, Record<string, unknown>> = {
  patchDefinition: {
    'half a million numbers': many(500_000, () => 0),
    'a third of a million objects': many(340_000, () => ({})),
    '40,000 operations': many(40_000, () => ({ op: 'add', path: '' })),
    'insertions in front of a long list': [
      put(
        keys,
        many(450_000, () => 0),
      ),
      ...many(998, () => put(`${keys}/0`, 0)),
      failing,
    ],
    'moves through a long list': [
      put(keys, many(110_000, short)),
      ...many(998, () => ({ op: 'move', from: `${keys}/0`, path: `${keys}/-` })),
      failing,
    ],
    'copies that double': [put(keys, ['x']), ...many(60, () => ({ op: 'copy', from: keys, path: `${keys}/-` }))],
    'a place of half a million levels': [put(`/name/${'a/'.repeat(500_000)}`, 1)],
    'a place of a million characters': [put(`/${'a'.repeat(1_000_000)}`, 1)],
    'half a million ~0': [put(`/name/${'~0'.repeat(500_000)}`, 1)],
  },
  patchUser: {
    'additions to 100,000 groups': [put('/groups', many(100_000, short)), ...many(999, () => put('/groups/-', 'x'))],
    'a list of 120,000 groups': [put('/groups', many(120_000, short))],
  },
  replaceDefinition: {
    '30,000 unknown treatments': aDefinition({
      defaultRule: many(30_000, (index) => ({ treatment: short(index), size: 1 })),
    }),
    '25,000 rules without anything': aDefinition({ rules: many(25_000, () => ({ buckets: [], condition: {} })) }),
    '40,000 matchers without a value': aDefinition({
      rules: [{ buckets: [], condition: { matchers: many(40_000, () => ({ type: 'BOOLEAN' })) } }],
    }),
    '60,000 treatments without a name': aDefinition({ treatments: many(60_000, () => ({ name: '' })) }),
    'a key 250,000 times': aDefinition({
      treatments: [{ name: 'on', keys: many(250_000, () => 'a') }, { name: 'off' }],
    }),
    'half a million keys that are numbers': aDefinition({ treatments: [{ name: 'on', keys: many(500_000, () => 0) }] }),
    'a number behind 200,000 keys': aDefinition({
      treatments: [{ name: 'on', keys: [...many(200_000, () => 'a'), 0] }],
    }),
    '7,000 dependencies': aDefinition({
      rules: many(7_000, (index) => rule({ type: 'IN_SPLIT', depends: { splitName: short(index), treatments: [''] } })),
    }),
    'an expression of 900,000 brackets': matching('('.repeat(900_000)),
    'an expression of 60,000 names': matching(`${many(60_000, (index) => `(?<a${index}>)`).join('')}(`),
    'a configuration of a million brackets': aDefinition({
      treatments: [{ name: 'on', configurations: '['.repeat(1_000_000) }],
    }),
    '80,000 members': members(80_000),
    '400 objects of 200 members': { more: many(400, () => members(200)) },
  },
  createGroup: {
    'a name of a million spaces': { name: ' '.repeat(1_000_000) },
    'a name of combining marks': { name: `a${'\u0301'.repeat(500_000)}` },
    'a name of joined emoji': { name: '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'.repeat(50_000) },
  },
  inviteUser: Object.fromEntries(
    [
      'a'.repeat(1_000_000),
      `${'a.'.repeat(500_000)}@x.y`,
      `a@${'a-'.repeat(400_000)}`,
      '@'.repeat(1_000_000),
      `"${'\\a'.repeat(200_000)}@`,
    ].map((email, index) => [`email ${index}`, { email }]),
  ),
  replaceRestriction: {
    '30,000 viewers': { resourcePermissions: { view: many(30_000, () => ({ id: 'x', type: 'x' })) } },
  },
  associateTags: { '200,000 numbers': many(200_000, () => 1) },
  createEnvironment: { '80,000 permissions': { name: 'x', changePermissions: members(80_000) } },
};

const heavyTexts: Record<string, string> = {
  'a million open brackets': '['.repeat(1_000_000),
  'a number of a million digits': `{"name":${'9'.repeat(1_000_000)}}`,
  '40,000 members __proto__': `{"a":[${'{"__proto__"   :1},'.repeat(40_000)}1]}`,
  '60,000 escaped pairs': `{"a":[${'"\\ud83d\\udea9",'.repeat(60_000)}1],"name":1}`,
  'a million spaces': ' '.repeat(1_000_000),
  '60,000 duplicate keys': `{${'"a":0,'.repeat(150)}"more":[${'{"a":0,"a":1},'.repeat(60_000)}0]}`,
};

export function* heavyRequests(): Generator<Hostile> {
  for (const [name, bodies] of Object.entries(heavyBodies)) {
    for (const [kind, body] of Object.entries(bodies)) {
      yield { kind: `${name}: ${kind}`, endpoint: endpointOf(name), body: JSON.stringify(body) };
    }
  }
  const endpoint = endpointOf('createGroup');
  for (const [kind, body] of Object.entries(heavyTexts)) yield { kind, endpoint, body };
  const marker = { endpoint: endpointOf('listUsers') };
  yield { ...marker, kind: 'a marker of 60,000 lines', query: `after=${'_'.repeat(60_000)}` };
  yield { ...marker, kind: '6,000 markers', query: `after=a${'&after=a'.repeat(6_000)}` };
  const list = { endpoint: endpointOf('listFlags') };
  yield { ...list, kind: '8,000 parameters', query: `limit=0&${many(8_000, (index) => `a${index}=`).join('&')}` };
  yield { ...list, kind: '60,000 empty parameters', query: `limit=0${'&'.repeat(60_000)}` };
  yield { ...list, kind: '60,000 percent signs', query: `name=${'%'.repeat(60_000)}` };
  yield { endpoint: endpointOf('getGroup'), kind: '30,000 slashes', params: { group: `x${'//a'.repeat(20_000)}` } };
}

/** Each flag of the graph depends on this many before it; with the last one they are one less than may be. */
const graph = { flags: 500, each: 10 };
const needing = (...names: string[]) =>
  aDefinition({
    rules: names.map((splitName) => rule({ type: 'IN_SPLIT', depends: { splitName, treatments: ['on'] } })),
  });

/** Gives an environment almost as many dependencies as it may have. The requests must look at all of them. */
export async function heavyDependencies({ ask, things }: HostileInstallation): Promise<Hostile[]> {
  const link = (index: number) => `link-${index}`;
  const define = async (index: number, count: number) => {
    const needed = many(count, (step) => link(index - step - 1));
    await ask('POST', `/splits/ws/${things.project}/trafficTypes/user`, { name: link(index) });
    await ask('POST', `/splits/ws/${things.project}/${link(index)}/environments/staging`, needing(...needed));
  };
  for (let index = 0; index < graph.flags; index += 1) await define(index, Math.min(index, graph.each));
  // The first flags have fewer before them.
  await define(graph.flags, (graph.each * (graph.each + 1)) / 2 - 1);
  const last = link(graph.flags);
  const replacing = { endpoint: endpointOf('replaceDefinition'), params: { flag: link(0) } };
  return [
    { ...replacing, kind: 'a cycle through 5,000 dependencies', body: JSON.stringify(needing(last)) },
    { ...replacing, kind: 'dependency 5,001', body: JSON.stringify(needing(last, 'lights')) },
  ];
}

const excluding = (...names: string[]) => ({ excludedSegments: names.map((name) => ({ name })) });

/** Segments that lead to as many references as a check follows, in a chain and side by side. */
export async function heavySegments({ ask, things }: HostileInstallation): Promise<Hostile[]> {
  const path = `/rule-based-segments/ws/${things.project}`;
  const define = async (name: string, body: object) => {
    await ask('POST', `${path}/trafficTypes/user`, { name });
    await ask('POST', `/rule-based-segments/${things.environment}/${name}`);
    await ask('PUT', `${path}/${name}/environments/${things.environment}`, body);
  };
  const chain = many(50, (index) => `chain-${index}`);
  const wide = many(6, (index) => `wide-${index}`);
  await define('chain-start', {});
  for (const [index, name] of chain.entries()) await define(name, excluding(chain[index - 1] ?? 'chain-start'));
  for (const name of wide)
    await define(name, excluding(...many(1_000, (index) => `${name}-${index}`.padEnd(100, 'x'))));
  const endpoint = endpointOf('replaceRuleBasedDefinition');
  const params = { ruleBasedSegment: 'chain-start' };
  const last = chain.at(-1) ?? '';
  return [
    { endpoint, params, kind: 'a cycle through 50 segments', body: JSON.stringify(excluding(last)) },
    { endpoint, params, kind: '6,000 references of segments', body: JSON.stringify(excluding(...wide)) },
    { endpoint, params, kind: '1,001 segments', body: JSON.stringify(excluding(...many(1_001, short))) },
  ];
}

/** Fills a project with definitions of almost the largest size. Reading them must not hold up others. */
export async function heavyReads({ ask }: HostileInstallation): Promise<string[]> {
  const { id } = await ask('POST', '/workspaces', { name: 'heavy' });
  const environments = ['one', 'two'];
  for (const name of environments) await ask('POST', `/environments/ws/${id}`, { name });
  const body = aDefinition({
    treatments: [{ name: 'on', keys: many(100_000, (index) => `k${index}`) }, { name: 'off' }],
  });
  const flags = many(20, (index) => `heavy-${index}`);
  for (const name of flags) {
    await ask('POST', `/splits/ws/${id}/trafficTypes/user`, { name });
    for (const environment of environments)
      await ask('POST', `/splits/ws/${id}/${name}/environments/${environment}`, body);
  }
  return [
    `/splits/ws/${id}/environments/one?limit=50`,
    `/splits/ws/${id}?limit=50&expand=environments`,
    `/splits/ws/${id}/heavy-0?expand=definitions`,
    `/splits/ws/${id}/heavy-0/environments/one`,
  ];
}

/** The path of a new segment where it is active. */
export async function aSegmentForKeys({ ask, things }: HostileInstallation): Promise<string> {
  await ask('POST', `/segments/ws/${things.project}/trafficTypes/user`, { name: 'fleet' });
  await ask('POST', `/segments/${things.environment}/fleet`);
  return `/segments/${things.environment}/fleet`;
}

/** As many keys as a call may have, as long as they may be. */
export const largestKeys = (word: string): string[] => many(10_000, (index) => `${word}-${index}`.padStart(250, 'k'));
