/** How the body of a definition is read; its rules are in definitions.rules.test.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTargeting } from '#domain/definitions/definition.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { aDefinition } from '../support/build.ts';

type Changes = Record<string, unknown>;

const surroundings = { flag: 'gull', existingFlags: new Set(['anchor']), dependentFlags: new Set<string>() };
const on = { treatment: 'on', size: 100 };
const off = { treatment: 'off', size: 100 };
const aMatcher = { type: 'IN_SEGMENT', string: 'crew' };
const aRule = (changes: Changes = {}) => ({ buckets: [on], condition: { matchers: [aMatcher] }, ...changes });
const withMatcher = (matcher: unknown) => ({ rules: [aRule({ condition: { matchers: [matcher] } })] });
const withTreatment = (treatment: Changes) => ({ treatments: [{ name: 'off' }, { name: 'on', ...treatment }] });
const parsed = (changes: Changes) => parseTargeting(aDefinition(changes));
const invalid = (message: string) => ({ name: 'Problem', code: 'definition_invalid', message });

test('a definition needs treatments, a default treatment and a default rule, no more', () => {
  assert.deepEqual(parsed({}), {
    killed: false,
    treatments: [{ name: 'on' }, { name: 'off' }],
    defaultTreatment: 'off',
    baselineTreatment: 'off',
    trafficAllocation: 100,
    rules: [],
    defaultRule: [off],
    impressionsDisabled: false,
  });
});

/** Changes of a valid body, and what of the result they change. */
const read: [rule: string, changes: Changes, expected: Changes][] = [
  ['null for rules is an empty list', { rules: null }, { rules: [] }],
  ['null for impressionsDisabled is false', { impressionsDisabled: null }, { impressionsDisabled: false }],
  ['impressionsDisabled is kept', { impressionsDisabled: true }, { impressionsDisabled: true }],
  ['an empty list of flag sets is accepted', { flagSets: [] }, {}],
  ['null for flag sets is accepted', { flagSets: null }, {}],
  ['null for killed is false', { killed: null }, { killed: false }],
  ['null for trafficAllocation is 100', { trafficAllocation: null }, { trafficAllocation: 100 }],
  ['null for baselineTreatment is the default treatment', { baselineTreatment: null }, { baselineTreatment: 'off' }],
  ['a traffic allocation of 0 is kept', { trafficAllocation: 0 }, { trafficAllocation: 0 }],
  ['killed is kept', { killed: true }, { killed: true }],
  ['the text true is taken for killed', { killed: 'true' }, { killed: true }],
  ['the text false is taken for killed', { killed: 'false' }, { killed: false }],
  ['the baseline may be another treatment', { baselineTreatment: 'on' }, { baselineTreatment: 'on' }],
  [
    'what the server sets is ignored',
    { id: 'x', name: 'y', environment: 1, creationTime: 'z', lastUpdateTime: -1 },
    {},
  ],
  ['unknown fields, title and comment are dropped', { flagSets: [], title: 't', comment: 'c', 'a b': {} }, {}],
  [
    'null members of a treatment are absent, and so are empty lists',
    withTreatment({ description: null, configurations: null, keys: null, segments: [], colour: 'red' }),
    { treatments: [{ name: 'off' }, { name: 'on' }] },
  ],
  [
    'members of a treatment are kept',
    withTreatment({ description: '', configurations: '', keys: ['k'], segments: ['s'] }),
    withTreatment({ description: '', configurations: '', keys: ['k'], segments: ['s'] }),
  ],
  [
    'the combiner is AND',
    { rules: [aRule({ condition: { combiner: null, matchers: [aMatcher] }, note: 'x' })] },
    { rules: [{ buckets: [on], condition: { combiner: 'AND', matchers: [aMatcher] } }] },
  ],
  ...(
    [
      ['negate is kept only when true', { ...aMatcher, negate: true }, { ...aMatcher, negate: true }],
      ['negate false is absent', { ...aMatcher, negate: false }, aMatcher],
      [
        'null members of a matcher are absent, unknown ones dropped',
        { ...aMatcher, negate: null, attribute: null, strings: null, between: null, depends: null, colour: 'red' },
        aMatcher,
      ],
      ['an empty foreign member is absent', { ...aMatcher, strings: [] }, aMatcher],
      ['an empty attribute is absent', { ...aMatcher, attribute: '' }, aMatcher],
      [
        'a single treatment of a dependency is a list of one',
        dependency({ treatment: 'on' }),
        dependency({ treatments: ['on'] }),
      ],
      [
        'treatments of a dependency are kept',
        dependency({ treatments: ['on', 'off'] }),
        dependency({ treatments: ['on', 'off'] }),
      ],
      [
        'null beside treatment is absent',
        dependency({ treatment: 'on', treatments: null }),
        dependency({ treatments: ['on'] }),
      ],
    ] as const
  ).map(([rule, given, kept]): [string, Changes, Changes] => [
    rule,
    withMatcher(given),
    { rules: [{ buckets: [on], condition: { combiner: 'AND', matchers: [kept] } }] },
  ]),
];

function dependency(depends: Changes, splitName = 'anchor') {
  return { type: 'IN_SPLIT', depends: { splitName, ...depends } };
}

for (const [rule, changes, expected] of read) {
  test(rule, () => {
    const targeting = parsed(changes);
    assert.deepEqual(targeting, { ...parsed({}), ...expected });
    assert.deepEqual(checkTargeting(targeting, surroundings), []);
  });
}

const matcherPlace = 'rules/0/condition/matchers/0';

const unreadable: [rule: string, changes: Changes, complaint: string][] = [
  ['treatments are there', { treatments: null }, 'treatments is required'],
  ['defaultTreatment is there', { defaultTreatment: null }, 'defaultTreatment is required'],
  ['defaultRule is there', { defaultRule: null }, 'defaultRule is required'],
  ['killed is a boolean', { killed: 'yes' }, 'killed must be boolean'],
  ['treatments are a list', { treatments: 'on' }, 'treatments must be array'],
  ['a treatment is an object', { treatments: ['on'] }, 'treatments/0 must be object'],
  ['a treatment is not null', { treatments: [null] }, 'treatments/0 must be object'],
  ['a treatment has a name', withTreatment({ name: null }), 'treatments/1/name is required'],
  [
    'configurations are text',
    withTreatment({ configurations: {} }),
    'treatments/1/configurations must be string: JSON as text, for example "{\\"color\\":\\"blue\\"}"',
  ],
  ['keys are a list', withTreatment({ keys: 'k' }), 'treatments/1/keys must be array'],
  ['a key is text', withTreatment({ keys: ['k', 1] }), 'treatments/1/keys/1 must be string'],
  ['a key is not null', withTreatment({ keys: [null] }), 'treatments/1/keys/0 must be string'],
  ['a key is not empty', withTreatment({ keys: [''] }), 'treatments/1/keys/0 must not have fewer than 1 characters'],
  [
    'a description has up to 2,000 characters',
    withTreatment({ description: 'x'.repeat(2001) }),
    'treatments/1/description must not have more than 2000 characters',
  ],
  ['a segment is text', withTreatment({ segments: [{}] }), 'treatments/1/segments/0 must be string'],
  ['trafficAllocation is at most 100', { trafficAllocation: 101 }, 'trafficAllocation must be <= 100'],
  ['trafficAllocation is at least 0', { trafficAllocation: -1 }, 'trafficAllocation must be >= 0'],
  ['trafficAllocation is whole', { trafficAllocation: 0.5 }, 'trafficAllocation must be integer'],
  ['a bucket size is a number', { defaultRule: [{ ...off, size: '100' }] }, 'defaultRule/0/size must be integer'],
  ['a bucket size is whole', { defaultRule: [{ ...off, size: 99.5 }] }, 'defaultRule/0/size must be integer'],
  ['a bucket size is at least 0', { defaultRule: [{ ...off, size: -1 }] }, 'defaultRule/0/size must be >= 0'],
  ['a bucket size is at most 100', { defaultRule: [{ ...off, size: 101 }] }, 'defaultRule/0/size must be <= 100'],
  ['a bucket has a treatment', { defaultRule: [{ size: 100 }] }, 'defaultRule/0/treatment is required'],
  ['rules are a list', { rules: {} }, 'rules must be array'],
  ['a rule is not null', { rules: [null] }, 'rules/0 must be object'],
  ['a rule has buckets', { rules: [aRule({ buckets: null })] }, 'rules/0/buckets is required'],
  ['a rule has a condition', { rules: [aRule({ condition: null })] }, 'rules/0/condition is required'],
  [
    'the combiner is only AND',
    { rules: [aRule({ condition: { combiner: 'OR', matchers: [aMatcher] } })] },
    'rules/0/condition/combiner must be AND',
  ],
  ['a matcher is an object', withMatcher('IN_SEGMENT'), `${matcherPlace} must be object`],
  ['a matcher has a type', withMatcher({ string: 'crew' }), `${matcherPlace}/type is required`],
  ['negate is a boolean', withMatcher({ ...aMatcher, negate: 'true' }), `${matcherPlace}/negate must be boolean`],
  [
    'a dependency is an object',
    withMatcher({ type: 'IN_SPLIT', depends: 'anchor' }),
    `${matcherPlace}/depends must be object`,
  ],
  [
    'a dependency names a flag',
    withMatcher({ type: 'IN_SPLIT', depends: { treatment: 'on' } }),
    `${matcherPlace}/depends/splitName must be string`,
  ],
  [
    'a dependency names treatments',
    withMatcher(dependency({ treatment: 1 })),
    `${matcherPlace}/depends/treatments/0 must be string`,
  ],
];
for (const [rule, changes, complaint] of unreadable) {
  test(`refused unless ${rule}`, () => assert.throws(() => parsed(changes), invalid(complaint)));
}

for (const body of [null, undefined, [], 'text', 1]) {
  test(`a body that is ${JSON.stringify(body)} is refused`, () => {
    assert.throws(() => parseTargeting(body), invalid('body must be object'));
  });
}

test('every complaint is in the details, the first is the message', () => {
  const details = 'treatments is required\ndefaultTreatment is required\ndefaultRule is required';
  assert.throws(() => parseTargeting({ rules: [] }), { message: 'treatments is required', details });
});

test('if the body does not say whether it is killed, the caller decides', () => {
  for (const body of [aDefinition(), aDefinition({ killed: null })]) {
    assert.equal(parseTargeting(body, { killed: true }).killed, true);
  }
  assert.equal(parseTargeting(aDefinition({ killed: 'false' }), { killed: true }).killed, false);
});
