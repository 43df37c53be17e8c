import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTargeting } from '#domain/definitions/parse.ts';
import type { SourceAccount } from '#domain/import/source.ts';
import { isLaunchDarkly, readLaunchDarkly } from '../../src/import/files/launchdarkly.ts';
import { isUnleash, readUnleash } from '../../src/import/files/unleash.ts';

const flagIn = ({ projects }: SourceAccount, name: string) => {
  const found = projects[0]?.flags.find((flag) => flag.name === name);
  assert.ok(found, name);
  return found;
};
/** As Burgee would store it: refused if Burgee does not take it. */
const definitionIn = (account: SourceAccount, name: string) => {
  const [definition] = flagIn(account, name).definitions;
  assert.ok(definition, JSON.stringify(account.unread));
  return parseTargeting(definition.body);
};
const whyLeftOut = (account: SourceAccount, name: string) => {
  assert.deepEqual(flagIn(account, name).definitions, []);
  return account.unread.find(({ what }) => what.startsWith(`Definition of ${name} `))?.why;
};

const booleans = [{ value: true }, { value: false }];
const darkly = (settings: object, flag: object = {}) => ({
  key: 'new-search',
  name: 'New search',
  variations: booleans,
  tags: ['search'],
  _maintainer: { email: 'ana@example.org' },
  environments: { production: { on: true, offVariation: 1, fallthrough: { variation: 0 }, ...settings } },
  ...flag,
});
const fromDarkly = (...items: object[]) => readLaunchDarkly({ items }, 'Shop');

test('a flag of LaunchDarkly keeps its treatments, targets, rules, shares, tags and owner', () => {
  const account = fromDarkly(
    darkly({
      targets: [{ variation: 0, values: ['ada', 'ben'] }],
      rules: [
        {
          clauses: [
            { attribute: 'country', op: 'in', values: ['DE', 'AT'] },
            { attribute: 'key', op: 'endsWith', values: ['-test'], negate: true },
          ],
          variation: 0,
        },
      ],
      fallthrough: {
        rollout: {
          variations: [
            { variation: 0, weight: 25_000 },
            { variation: 1, weight: 75_000 },
          ],
        },
      },
    }),
  );
  const flag = flagIn(account, 'new-search');
  assert.deepEqual([flag.tags, flag.owners], [['search'], [{ kind: 'user', name: 'ana@example.org' }]]);
  const { treatments, defaultTreatment, killed, rules, defaultRule } = definitionIn(account, 'new-search');
  assert.deepEqual(treatments, [{ name: 'on', keys: ['ada', 'ben'] }, { name: 'off' }]);
  assert.deepEqual([defaultTreatment, killed], ['off', false]);
  assert.deepEqual(rules, [
    {
      buckets: [{ treatment: 'on', size: 100 }],
      condition: {
        combiner: 'AND',
        matchers: [
          { type: 'IN_LIST_STRING', attribute: 'country', strings: ['DE', 'AT'] },
          { type: 'ENDS_WITH_STRING', strings: ['-test'], negate: true },
        ],
      },
    },
  ]);
  assert.deepEqual(defaultRule, [
    { treatment: 'on', size: 25 },
    { treatment: 'off', size: 75 },
  ]);
  assert.deepEqual(account.unread, []);
});

test('a flag of LaunchDarkly that is off is killed; a variation with a value is a treatment with a configuration', () => {
  const account = fromDarkly(
    darkly({ on: false }, { variations: [{ name: 'Blue one', value: 'blue' }, { value: { size: 3 } }] }),
  );
  const { killed, defaultTreatment, treatments } = definitionIn(account, 'new-search');
  assert.deepEqual([killed, defaultTreatment], [true, 'treatment_2']);
  assert.deepEqual(treatments, [
    { name: 'Blue_one', configurations: '{"value":"blue"}' },
    { name: 'treatment_2', configurations: '{"size":3}' },
  ]);
});

test('a condition of LaunchDarkly on several numbers becomes several rules, and none of them if it is negated', () => {
  const rule = (negate: boolean) => ({
    clauses: [{ attribute: 'tier', op: 'in', values: [1, 2], negate }],
    variation: 0,
  });
  const typesOf = (negate: boolean) =>
    definitionIn(fromDarkly(darkly({ rules: [rule(negate)] })), 'new-search').rules.map(({ condition }) =>
      condition.matchers.map(({ number, negate: not }) => [number, not === true]),
    );
  assert.deepEqual(typesOf(false), [[[1, false]], [[2, false]]]);
  assert.deepEqual(typesOf(true), [
    [
      [1, true],
      [2, true],
    ],
  ]);
});

test('a prerequisite of LaunchDarkly becomes the first rule', () => {
  const account = fromDarkly(
    darkly({}, { key: 'base.flag' }),
    darkly({ prerequisites: [{ key: 'base.flag', variation: 0 }] }),
  );
  assert.deepEqual(definitionIn(account, 'new-search').rules[0], {
    buckets: [{ treatment: 'off', size: 100 }],
    condition: {
      combiner: 'AND',
      matchers: [{ type: 'IN_SPLIT', negate: true, depends: { splitName: 'base_flag', treatments: ['on'] } }],
    },
  });
  assert.deepEqual(account.unread, [
    { what: 'Flag base.flag', why: 'Is imported as base_flag: names have letters, digits, - and _.' },
  ]);
});

test('parts of a LaunchDarkly flag that Burgee cannot express are left out with the reason', () => {
  const clause = (fields: object) => ({ rules: [{ clauses: [{ attribute: 'age', ...fields }], variation: 0 }] });
  const reasons: [object, RegExp][] = [
    [clause({ op: 'lessThan', values: [3] }), /"age lessThan 3", which Burgee does not have/],
    [clause({ op: 'in', values: ['x'], contextKind: 'device' }), /contexts of kind device/],
    [clause({ op: 'in', values: [] }), /has no value/],
    [{ offVariation: null }, /no variation while it is off/],
    [{ fallthrough: { rollout: { bucketBy: 'email', variations: [] } } }, /rollout is by user email/],
    [{ prerequisites: [{ key: 'elsewhere', variation: 0 }] }, /elsewhere, which is not in the file/],
  ];
  for (const [settings, reason] of reasons)
    assert.match(whyLeftOut(fromDarkly(darkly(settings)), 'new-search') ?? '', reason);
  assert.equal(fromDarkly(darkly({}, { archived: true })).projects[0]?.flags.length, 0);
});

test('segments of LaunchDarkly with keys are standard ones, with rules rule-based ones', async () => {
  const account = readLaunchDarkly(
    {
      items: [darkly({})],
      segments: {
        production: [
          { key: 'testers', included: ['ada', 'ben'], excluded: ['ben'] },
          {
            key: 'staff',
            excluded: ['eve'],
            rules: [{ clauses: [{ attribute: 'email', op: 'endsWith', values: ['@acme.example'] }] }],
          },
          { key: 'everyone', unbounded: true },
        ],
      },
    },
    'Shop',
  );
  const [testers, staff] = account.projects[0]?.segments ?? [];
  assert.deepEqual([testers?.kind, staff?.kind], ['standard', 'rule_based']);
  const pages: (readonly string[])[] = [];
  for await (const page of testers?.environments[0]?.keys?.() ?? []) pages.push(page);
  assert.deepEqual(pages, [['ada']]);
  assert.deepEqual(staff?.environments[0]?.definition, {
    rules: [
      {
        condition: {
          combiner: 'AND',
          matchers: [{ type: 'ENDS_WITH_STRING', attribute: 'email', strings: ['@acme.example'] }],
        },
      },
    ],
    excludedKeys: ['eve'],
    excludedSegments: [],
  });
  assert.deepEqual(account.unread, [
    { what: 'Segment everyone in production', why: 'Left out: the file has no keys of big segments.' },
  ]);
});

const unleash = (strategies: object[], { settings = {}, more = {} }: { settings?: object; more?: object } = {}) =>
  readUnleash(
    {
      features: [{ name: 'new-search', description: 'Finds more', archived: false }],
      featureStrategies: strategies.map((strategy) => ({ featureName: 'new-search', ...strategy })),
      featureEnvironments: [{ featureName: 'new-search', environment: 'production', enabled: true, ...settings }],
      featureTags: [{ featureName: 'new-search', tagType: 'simple', tagValue: 'search' }],
      contextFields: [{ name: 'country', legalValues: [{ value: 'DE' }] }, { name: 'userId' }],
      ...more,
    },
    'Shop',
  );
const rollout = (percent: number, fields: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: String(percent), stickiness: 'default', groupId: 'new-search' },
  ...fields,
});

test('a feature of Unleash keeps its strategies, constraints, tags and attributes', () => {
  const account = unleash([
    { name: 'userWithId', parameters: { userIds: 'ada, ben' }, sortOrder: 0 },
    rollout(100, { sortOrder: 1, constraints: [{ contextName: 'country', operator: 'NOT_IN', values: ['DE'] }] }),
    rollout(20, { sortOrder: 2 }),
    rollout(50, { sortOrder: 3, disabled: true }),
  ]);
  const { treatments, rules, defaultRule, killed } = definitionIn(account, 'new-search');
  assert.deepEqual([treatments, killed], [[{ name: 'on' }, { name: 'off' }], false]);
  assert.deepEqual(
    rules.map(({ condition }) => condition.matchers),
    [
      [{ type: 'IN_LIST_STRING', strings: ['ada', 'ben'] }],
      [{ type: 'IN_LIST_STRING', attribute: 'country', strings: ['DE'], negate: true }],
    ],
  );
  assert.deepEqual(defaultRule, [
    { treatment: 'on', size: 20 },
    { treatment: 'off', size: 80 },
  ]);
  assert.deepEqual(flagIn(account, 'new-search').tags, ['search']);
  assert.deepEqual(account.projects[0]?.trafficTypes[0]?.attributes[0]?.id, 'country');
  assert.deepEqual(account.unread, []);
});

test('variants of Unleash share the rollout; a feature without strategies is on for everyone', () => {
  const variants = [
    { name: 'blue', weight: 500, payload: { type: 'string', value: '#00f' } },
    { name: 'red', weight: 500, payload: { type: 'json', value: '{"hex":"#f00"}' } },
  ];
  const { treatments, defaultRule } = definitionIn(unleash([rollout(50, { variants })]), 'new-search');
  assert.deepEqual(treatments, [
    { name: 'blue', configurations: '{"value":"#00f"}' },
    { name: 'red', configurations: '{"hex":"#f00"}' },
    { name: 'off' },
  ]);
  assert.deepEqual(
    defaultRule.map(({ size }) => size),
    [25, 25, 50],
  );
  assert.deepEqual(definitionIn(unleash([]), 'new-search').defaultRule, [{ treatment: 'on', size: 100 }]);
  assert.equal(definitionIn(unleash([], { settings: { enabled: false } }), 'new-search').killed, true);
});

test('a parent of an Unleash feature becomes the first rule', () => {
  const dependencies = [{ feature: 'new-search', dependencies: [{ feature: 'base', enabled: true, variants: [] }] }];
  const { rules } = definitionIn(unleash([rollout(100)], { more: { dependencies } }), 'new-search');
  assert.deepEqual(rules[0]?.condition.matchers, [
    { type: 'IN_SPLIT', depends: { splitName: 'base', treatments: ['off'] } },
  ]);
});

test('parts of an Unleash feature that Burgee cannot express are left out with the reason', () => {
  const constraint = (fields: object) => [rollout(100, { constraints: [{ contextName: 'age', ...fields }] })];
  const reasons: [object[], RegExp][] = [
    [
      [rollout(50, { constraints: [{ contextName: 'country', operator: 'IN', values: ['DE'] }] }), rollout(10)],
      /take turns/,
    ],
    [constraint({ operator: 'NUM_GT', value: '3' }), /"age NUM_GT 3", which Burgee does not have/],
    [constraint({ operator: 'STR_CONTAINS', values: ['x'], caseInsensitive: true }), /ignores case/],
    [[rollout(50, { parameters: { rollout: '50', stickiness: 'sessionId' } })], /rollout is by sessionId/],
    [[rollout(100, { segments: [3] })], /uses segments/],
    [[{ name: 'remoteAddress', parameters: {} }], /strategy remoteAddress/],
  ];
  for (const [strategies, reason] of reasons) assert.match(whyLeftOut(unleash(strategies), 'new-search') ?? '', reason);
});

test('a file is recognised by what is in it', () => {
  const documents = [{ items: [darkly({})] }, { features: [], featureStrategies: [] }, {}, [], null, { items: [] }];
  assert.deepEqual(documents.map(isLaunchDarkly), [true, false, false, false, false, false]);
  assert.deepEqual(documents.map(isUnleash), [false, true, false, false, false, false]);
});
