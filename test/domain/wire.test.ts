import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Targeting } from '#domain/definitions/definition.ts';
import { type Matcher, matcherTypes } from '#domain/definitions/matchers.ts';
import { toAsciiText } from '#domain/json.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import { archivedFlag, forSpec, type Spec, toWireFlag } from '#domain/wire/flags.ts';
import { archivedSegment, toWireSegment } from '#domain/wire/segments.ts';

const surroundings = {
  kindOf: (name: string) =>
    name.startsWith('big')
      ? 'large'
      : name.startsWith('ruled')
        ? 'rule_based'
        : name === 'beta'
          ? 'standard'
          : undefined,
  setNameOf: (id: string) => (id === 's1' ? 'backend' : undefined),
} as const;

const targeting: Targeting = {
  killed: false,
  treatments: [
    { name: 'on', description: 'secret', configurations: '{"color":"blue"}', keys: ['vip'], segments: ['beta'] },
    { name: 'off', configurations: '', keys: [], segments: ['big', 'ruled'] },
  ],
  defaultTreatment: 'off',
  baselineTreatment: 'off',
  trafficAllocation: 60,
  rules: [],
  defaultRule: [
    { treatment: 'off', size: 90 },
    { treatment: 'on', size: 10 },
  ],
  impressionsDisabled: false,
  flagSets: [
    { id: 's1', type: 'flag_set' },
    { id: 'deleted', type: 'flag_set' },
  ],
};

/** Stored with the definition; SDKs get none of it. */
const storedOnly = {
  id: 'f1',
  environment: { id: 'e1', name: 'production' },
  creationTime: 1,
  lastUpdateTime: 2,
};

const flagWith = (changes: Partial<Targeting>) =>
  toWireFlag(
    {
      ...targeting,
      ...changes,
      ...storedOnly,
      name: 'checkout_v2',
      trafficType: { id: 't1', name: 'user' },
      revision: 1794701340704,
      seed: -77,
      trafficAllocationSeed: 991,
      algo: 2 as const,
    },
    surroundings,
  );
const flagWithMatchers = (...matchers: Matcher[]) =>
  flagWith({
    treatments: [{ name: 'on' }, { name: 'off' }],
    rules: [{ buckets: [{ treatment: 'off', size: 100 }], condition: { combiner: 'AND', matchers } }],
  });
const onKey = { keySelector: { trafficType: 'user', attribute: null }, negate: false };

test('a flag has what an evaluation needs and nothing else: keys first, then segments, rules, and everyone else', () => {
  const matchers: Matcher[] = [{ type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'] }];
  const rules = [{ buckets: [{ treatment: 'off', size: 100 }], condition: { combiner: 'AND' as const, matchers } }];
  assert.deepEqual(flagWith({ rules }), {
    name: 'checkout_v2',
    trafficTypeName: 'user',
    changeNumber: 1794701340704,
    status: 'ACTIVE',
    killed: false,
    defaultTreatment: 'off',
    trafficAllocation: 60,
    trafficAllocationSeed: 991,
    seed: -77,
    algo: 2,
    configurations: { on: '{"color":"blue"}' },
    sets: ['backend'],
    impressionsDisabled: false,
    prerequisites: [],
    conditions: [
      {
        conditionType: 'WHITELIST',
        matcherGroup: {
          combiner: 'AND',
          matchers: [
            {
              keySelector: null,
              matcherType: 'WHITELIST',
              negate: false,
              whitelistMatcherData: { whitelist: ['vip'] },
            },
          ],
        },
        partitions: [{ treatment: 'on', size: 100 }],
        label: 'whitelisted',
      },
      {
        conditionType: 'WHITELIST',
        matcherGroup: {
          combiner: 'AND',
          matchers: [{ ...onKey, matcherType: 'IN_SEGMENT', userDefinedSegmentMatcherData: { segmentName: 'beta' } }],
        },
        partitions: [{ treatment: 'on', size: 100 }],
        label: 'whitelisted segment',
      },
      {
        conditionType: 'WHITELIST',
        matcherGroup: {
          combiner: 'AND',
          matchers: [
            {
              ...onKey,
              matcherType: 'IN_LARGE_SEGMENT',
              userDefinedLargeSegmentMatcherData: { largeSegmentName: 'big' },
            },
          ],
        },
        partitions: [{ treatment: 'off', size: 100 }],
        label: 'whitelisted large segment',
      },
      {
        conditionType: 'WHITELIST',
        matcherGroup: {
          combiner: 'AND',
          matchers: [
            {
              ...onKey,
              matcherType: 'IN_RULE_BASED_SEGMENT',
              userDefinedSegmentMatcherData: { segmentName: 'ruled' },
            },
          ],
        },
        partitions: [{ treatment: 'off', size: 100 }],
        label: 'whitelisted rule based segment',
      },
      {
        conditionType: 'ROLLOUT',
        matcherGroup: {
          combiner: 'AND',
          matchers: [
            {
              keySelector: { trafficType: 'user', attribute: 'plan' },
              matcherType: 'WHITELIST',
              negate: false,
              whitelistMatcherData: { whitelist: ['pro'] },
            },
          ],
        },
        partitions: [
          { treatment: 'off', size: 100 },
          { treatment: 'on', size: 0 },
        ],
        label: 'plan in list [pro]',
      },
      {
        conditionType: 'ROLLOUT',
        matcherGroup: { combiner: 'AND', matchers: [{ ...onKey, matcherType: 'ALL_KEYS' }] },
        partitions: [
          { treatment: 'off', size: 90 },
          { treatment: 'on', size: 10 },
        ],
        label: 'default rule',
      },
    ],
  });
});

const list = (matcherType: string, whitelist: string[]) => ({ matcherType, whitelistMatcherData: { whitelist } });
const attribute = 'a';
const strings = ['x', 'y', 'z'];
const numberRange = { from: -5, to: 7 };
const dateRange = { from: 0, to: 1794701340704 };
const versionRange = { from: '1.0.0', to: '2.0.0-rc' };
const [at, late] = [1794701340704, Number.MAX_SAFE_INTEGER];
const unary = (matcherType: string, dataType: string, value: number) => ({
  matcherType,
  unaryNumericMatcherData: { dataType, value },
});

test('each matcher is translated, with a label that says it', () => {
  const translated: [Matcher, object, string][] = [
    [
      { type: 'IN_SEGMENT', string: 'beta' },
      { matcherType: 'IN_SEGMENT', userDefinedSegmentMatcherData: { segmentName: 'beta' } },
      'in segment beta',
    ],
    [
      { type: 'IN_SEGMENT', string: 'nowhere' },
      { matcherType: 'IN_SEGMENT', userDefinedSegmentMatcherData: { segmentName: 'nowhere' } },
      'in segment nowhere',
    ],
    [
      { type: 'IN_SEGMENT', string: 'big' },
      { matcherType: 'IN_LARGE_SEGMENT', userDefinedLargeSegmentMatcherData: { largeSegmentName: 'big' } },
      'in large segment big',
    ],
    [
      { type: 'IN_SEGMENT', string: 'ruled' },
      { matcherType: 'IN_RULE_BASED_SEGMENT', userDefinedSegmentMatcherData: { segmentName: 'ruled' } },
      'in rule based segment ruled',
    ],
    [{ type: 'IN_LIST_STRING', strings: ['x', 'y'] }, list('WHITELIST', ['x', 'y']), 'key in list [x, y]'],
    [{ type: 'STARTS_WITH_STRING', attribute, strings }, list('STARTS_WITH', strings), 'a starts with [x, y, ...]'],
    [{ type: 'ENDS_WITH_STRING', attribute, strings }, list('ENDS_WITH', strings), 'a ends with [x, y, ...]'],
    [{ type: 'CONTAINS_STRING', attribute, strings }, list('CONTAINS_STRING', strings), 'a contains [x, y, ...]'],
    [
      { type: 'MATCHES_STRING', attribute, string: '^x' },
      { matcherType: 'MATCHES_STRING', stringMatcherData: '^x' },
      'a matches ^x',
    ],
    [{ type: 'EQUAL_SET', attribute, strings }, list('EQUAL_TO_SET', strings), 'a is equal to [x, y, ...]'],
    [{ type: 'ANY_OF_SET', attribute, strings }, list('CONTAINS_ANY_OF_SET', strings), 'a contains any of [x, y, ...]'],
    [{ type: 'ALL_OF_SET', attribute, strings }, list('CONTAINS_ALL_OF_SET', strings), 'a contains all of [x, y, ...]'],
    [{ type: 'PART_OF_SET', attribute, strings }, list('PART_OF_SET', strings), 'a part of [x, y, ...]'],
    [{ type: 'ON_DATE', attribute, date: at }, unary('EQUAL_TO', 'DATETIME', at), 'a on 2026-11-15T00:09Z'],
    [
      { type: 'ON_OR_AFTER_DATE', attribute, date: at },
      unary('GREATER_THAN_OR_EQUAL_TO', 'DATETIME', at),
      'a on or after 2026-11-15T00:09Z',
    ],
    [
      { type: 'ON_OR_BEFORE_DATE', attribute, date: late },
      unary('LESS_THAN_OR_EQUAL_TO', 'DATETIME', late),
      'a on or before 9007199254740991',
    ],
    [
      { type: 'BETWEEN_DATE', attribute, between: dateRange },
      { matcherType: 'BETWEEN', betweenMatcherData: { dataType: 'DATETIME', start: 0, end: at } },
      'a between 1970-01-01T00:00Z and 2026-11-15T00:09Z',
    ],
    [{ type: 'EQUAL_NUMBER', attribute, number: 3 }, unary('EQUAL_TO', 'NUMBER', 3), 'a = 3'],
    [
      { type: 'LESS_THAN_OR_EQUAL_NUMBER', attribute, number: 0 },
      unary('LESS_THAN_OR_EQUAL_TO', 'NUMBER', 0),
      'a <= 0',
    ],
    [
      { type: 'GREATER_THAN_OR_EQUAL_NUMBER', attribute, number: -3 },
      unary('GREATER_THAN_OR_EQUAL_TO', 'NUMBER', -3),
      'a >= -3',
    ],
    [
      { type: 'BETWEEN_NUMBER', attribute, between: numberRange },
      { matcherType: 'BETWEEN', betweenMatcherData: { dataType: 'NUMBER', start: -5, end: 7 } },
      'a between -5 and 7',
    ],
    [
      { type: 'BOOLEAN', attribute, bool: false },
      { matcherType: 'EQUAL_TO_BOOLEAN', booleanMatcherData: false },
      'a is false',
    ],
    [
      { type: 'IN_SPLIT', depends: { splitName: 'other', treatments: ['on', 'v2'] } },
      {
        matcherType: 'IN_SPLIT_TREATMENT',
        dependencyMatcherData: { split: 'other', treatments: ['on', 'v2'] },
      },
      'in split other treatment [on, v2]',
    ],
    [
      { type: 'EQUAL_TO_SEMVER', attribute, string: '1.2.3' },
      { matcherType: 'EQUAL_TO_SEMVER', stringMatcherData: '1.2.3' },
      'a equal to semver 1.2.3',
    ],
    [
      { type: 'GREATER_THAN_OR_EQUAL_TO_SEMVER', attribute, string: '1.2.3' },
      { matcherType: 'GREATER_THAN_OR_EQUAL_TO_SEMVER', stringMatcherData: '1.2.3' },
      'a greater than or equal to semver 1.2.3',
    ],
    [
      { type: 'LESS_THAN_OR_EQUAL_TO_SEMVER', attribute, string: '1.2.3' },
      { matcherType: 'LESS_THAN_OR_EQUAL_TO_SEMVER', stringMatcherData: '1.2.3' },
      'a less than or equal to semver 1.2.3',
    ],
    [
      { type: 'BETWEEN_SEMVER', attribute, between: versionRange },
      { matcherType: 'BETWEEN_SEMVER', betweenStringMatcherData: { start: '1.0.0', end: '2.0.0-rc' } },
      'a between semver 1.0.0 and 2.0.0-rc',
    ],
    [{ type: 'IN_LIST_SEMVER', attribute, strings }, list('IN_LIST_SEMVER', strings), 'a in list semver [x, y, ...]'],
  ];
  assert.deepEqual(new Set(translated.map(([{ type }]) => type)), new Set(matcherTypes));
  for (const [matcher, data, label] of translated) {
    for (const negate of [false, true]) {
      const [condition] = flagWithMatchers(negate ? { ...matcher, negate } : matcher).conditions;
      const keySelector = { trafficType: 'user', attribute: matcher.attribute ?? null };
      assert.deepEqual(condition?.matcherGroup.matchers, [{ keySelector, negate, ...data }]);
      assert.equal(condition?.label, negate ? `not ${label}` : label);
    }
  }
});

test('a label says all matchers of the rule, as far as it has room', () => {
  const plan: Matcher = { type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'] };
  const old: Matcher = { type: 'GREATER_THAN_OR_EQUAL_NUMBER', attribute: 'age', number: 18 };
  assert.equal(flagWithMatchers(plan, old).conditions[0]?.label, 'plan in list [pro] and age >= 18');
  const long = flagWithMatchers(...new Array<Matcher>(1000).fill(plan)).conditions[0]?.label ?? '';
  assert.equal(long.length, 250);
  assert.match(long, /^plan in list \[pro] and .*\.\.\.$/);
  const birds: Matcher = { type: 'MATCHES_STRING', string: `x${'🦜'.repeat(200)}` };
  assert.ok(flagWithMatchers(birds).conditions[0]?.label.isWellFormed());
});

test('a spec that does not know a matcher gets control for everyone, and the rest of the flag', () => {
  const unknownIn: Record<Spec, (matcher: Matcher) => boolean> = {
    '1.0': ({ type, string = '' }) => type.includes('SEMVER') || string === 'big' || string === 'ruled',
    '1.1': ({ string }) => string === 'big' || string === 'ruled',
    '1.2': ({ string }) => string === 'ruled',
    '1.3': () => false,
  };
  const samples: Matcher[] = [
    { type: 'IN_SEGMENT', string: 'beta' },
    { type: 'IN_SEGMENT', string: 'big' },
    { type: 'IN_SEGMENT', string: 'ruled' },
    { type: 'MATCHES_STRING', attribute, string: 'x' },
    { type: 'EQUAL_TO_SEMVER', attribute, string: '1.2.3' },
    { type: 'GREATER_THAN_OR_EQUAL_TO_SEMVER', attribute, string: '1.2.3' },
    { type: 'LESS_THAN_OR_EQUAL_TO_SEMVER', attribute, string: '1.2.3' },
    { type: 'BETWEEN_SEMVER', attribute, between: versionRange },
    { type: 'IN_LIST_SEMVER', attribute, strings: ['1.2.3'] },
  ];
  for (const matcher of samples) {
    const flag = flagWithMatchers({ type: 'BOOLEAN', attribute, bool: true }, matcher);
    for (const [spec, isUnknown] of Object.entries(unknownIn)) {
      const sent = forSpec(flag, spec as Spec);
      if (!isUnknown(matcher)) assert.equal(sent, flag);
      else assert.deepEqual(sent, { ...flag, conditions: [unsupported] });
    }
  }
  // A segment among the individual targets counts too.
  const targeted = flagWith({ treatments: [{ name: 'on', segments: ['ruled'] }, { name: 'off' }] });
  assert.deepEqual(forSpec(targeted, '1.2').conditions, [unsupported]);
});

const unsupported = {
  conditionType: 'WHITELIST',
  matcherGroup: { combiner: 'AND', matchers: [{ keySelector: null, matcherType: 'ALL_KEYS', negate: false }] },
  partitions: [{ treatment: 'control', size: 100 }],
  label: 'targeting rule type unsupported by sdk',
};

test('a flag to forget is archived in every spec', () => {
  const flag = archivedFlag('gone', 7);
  assert.deepEqual(flag, {
    name: 'gone',
    trafficTypeName: '',
    changeNumber: 7,
    status: 'ARCHIVED',
    killed: false,
    defaultTreatment: 'off',
    trafficAllocation: 100,
    trafficAllocationSeed: 0,
    seed: 0,
    algo: 2,
    configurations: {},
    sets: [],
    impressionsDisabled: false,
    prerequisites: [],
    conditions: [],
  });
  assert.equal(forSpec(flag, '1.0'), flag);
});

test('a rule-based segment has its exclusions by kind, and conditions without shares', () => {
  const rules: SegmentRules = {
    rules: [{ condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: 'ruled too', negate: true }] } }],
    excludedKeys: ['ana'],
    // The kind in the environment counts, not the type as stored.
    excludedSegments: [
      { name: 'beta', type: 'large_segment' },
      { name: 'big', type: 'standard_segment' },
      { name: 'ruled', type: 'standard_segment' },
      { name: 'nowhere', type: 'rule_based_segment' },
    ],
  };
  assert.deepEqual(toWireSegment({ ...rules, name: 'pros', trafficType: 'user', changeNumber: 9 }, surroundings), {
    name: 'pros',
    trafficTypeName: 'user',
    changeNumber: 9,
    status: 'ACTIVE',
    excluded: {
      keys: ['ana'],
      segments: [
        { type: 'standard', name: 'beta' },
        { type: 'large', name: 'big' },
        { type: 'rule-based', name: 'ruled' },
        { type: 'standard', name: 'nowhere' },
      ],
    },
    conditions: [
      {
        conditionType: 'ROLLOUT',
        matcherGroup: {
          combiner: 'AND',
          matchers: [
            {
              ...onKey,
              negate: true,
              matcherType: 'IN_RULE_BASED_SEGMENT',
              userDefinedSegmentMatcherData: { segmentName: 'ruled too' },
            },
          ],
        },
      },
    ],
  });
  assert.deepEqual(archivedSegment('pros', 10), {
    name: 'pros',
    trafficTypeName: '',
    changeNumber: 10,
    status: 'ARCHIVED',
    excluded: { keys: [], segments: [] },
    conditions: [],
  });
});

test('escaped for streams, JSON is ASCII and means the same', () => {
  const value = { tré: 'a\u0000\u007f\u0080\u2028é用🦜\ud83d"\\', plain: 'x' };
  const text = toAsciiText(JSON.stringify(value));
  assert.match(text, /^[\x20-\x7f]*$/);
  assert.deepEqual(JSON.parse(text), value);
});
