/** The rules that a definition of the right shape must keep. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTargeting, dependenciesOf } from '#domain/definitions/definition.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { aDefinition } from '../support/build.ts';

type Changes = Record<string, unknown>;

const surroundings = {
  flag: 'gull',
  existingFlags: new Set(['anchor', 'sail']),
  dependentFlags: new Set(['sail']),
};
const on = { treatment: 'on', size: 100 };
const off = { treatment: 'off', size: 100 };
const aMatcher = { type: 'IN_SEGMENT', string: 'crew' };
const dependency = (splitName: string) => ({ type: 'IN_SPLIT', depends: { splitName, treatment: 'on' } });
const aRule = (...matchers: unknown[]) => ({ buckets: [on], condition: { matchers } });
const withMatcher = (matcher: unknown) => ({ rules: [aRule(matcher)] });
const withTreatment = (treatment: Changes) => ({ treatments: [{ name: 'off' }, { name: 'on', ...treatment }] });
const parsed = (changes: Changes) => parseTargeting(aDefinition(changes));

const matcherPlace = 'rules/0/condition/matchers/0';

const badName = 'treatments/1/name must be 1 to 100 letters, digits, -, _ or ., a letter or digit first';
const named = (name: string) => ({ treatments: [{ name: 'off' }, { name }] });

const complained: [rule: string, changes: Changes, complaints: string[]][] = [
  [
    'there is at least one treatment',
    { treatments: [] },
    [
      'treatments must not be empty',
      'defaultTreatment off is not a treatment',
      'defaultRule/0/treatment off is not a treatment',
    ],
  ],
  ['control is reserved', named('control'), ['treatments/1/name must not be control: that word is reserved']],
  ...['', '-on', 'on off', 'ön', 'on\n', 'x'.repeat(101)].map((name): [string, Changes, string[]] => [
    `a treatment is not named ${JSON.stringify(name)}`,
    named(name),
    [badName],
  ]),
  ...['0', 'on-_.9', 'Control', 'x'.repeat(100)].map((name): [string, Changes, string[]] => [
    `a treatment may be named ${name}`,
    named(name),
    [],
  ]),
  ['treatment names are unique', named('off'), ['treatments/1/name off is used twice']],
  ['a key is in a treatment once', withTreatment({ keys: ['k', 'l', 'k'] }), ['treatments/1/keys/2 k is used twice']],
  [
    'a key is in one treatment only',
    {
      treatments: [
        { name: 'on', keys: ['k'] },
        { name: 'off', keys: ['l', 'k'] },
      ],
    },
    ['treatments/1/keys/1 k is used twice'],
  ],
  [
    'a segment is in a treatment once',
    withTreatment({ segments: ['s', 's'] }),
    ['treatments/1/segments/1 s is used twice'],
  ],
  [
    'a segment may be in two treatments, and a key may be named like it',
    {
      treatments: [
        { name: 'on', segments: ['s'] },
        { name: 'off', segments: ['s'], keys: ['s'] },
      ],
    },
    [],
  ],
  [
    'configurations are JSON text',
    withTreatment({ configurations: '{"a":' }),
    ['treatments/1/configurations must be JSON text'],
  ],
  ['configurations may be any JSON text', withTreatment({ configurations: '{"colour":"blue"}' }), []],
  [
    'the default treatment exists',
    { defaultTreatment: 'up', baselineTreatment: 'on' },
    ['defaultTreatment up is not a treatment'],
  ],
  ['the baseline treatment exists', { baselineTreatment: 'up' }, ['baselineTreatment up is not a treatment']],
  [
    'a bucket of the default rule has a treatment that exists',
    { defaultRule: [{ treatment: 'up', size: 100 }] },
    ['defaultRule/0/treatment up is not a treatment'],
  ],
  [
    'bucket sizes must add up to 100',
    {
      defaultRule: [
        { ...on, size: 98 },
        { ...off, size: 1 },
      ],
    },
    ['defaultRule sizes must add up to 100, not 99'],
  ],
  ['no buckets do not add up to 100', { defaultRule: [] }, ['defaultRule sizes must add up to 100, not 0']],
  ['a bucket may be empty', { defaultRule: [on, { ...off, size: 0 }] }, []],
  [
    'a treatment is once in a list of buckets',
    {
      defaultRule: [
        { ...on, size: 50 },
        { ...on, size: 50 },
      ],
    },
    ['defaultRule/1 on is used twice'],
  ],
  [
    'the buckets of a rule follow the same rules',
    {
      rules: [
        aRule(aMatcher),
        {
          ...aRule(aMatcher),
          buckets: [
            { treatment: 'up', size: 1 },
            { treatment: 'up', size: 1 },
          ],
        },
      ],
    },
    [
      'rules/1/buckets/0/treatment up is not a treatment',
      'rules/1/buckets/1/treatment up is not a treatment',
      'rules/1/buckets/1 up is used twice',
      'rules/1/buckets sizes must add up to 100, not 2',
    ],
  ],
  ...[null, []].map((matchers): [string, Changes, string[]] => [
    `${JSON.stringify(matchers)} for matchers is no condition`,
    { rules: [{ ...aRule(), condition: { matchers } }] },
    ['rules/0/condition/matchers must not be empty'],
  ]),
  [
    'a complaint about a matcher names its place',
    withMatcher({ ...aMatcher, bool: true }),
    [`${matcherPlace}/bool does not belong to IN_SEGMENT`],
  ],
  [
    'an empty member of its own is kept',
    withMatcher({ ...aMatcher, string: '' }),
    [`${matcherPlace}/string must not be empty`],
  ],
  ['a segment need not exist', withMatcher({ ...aMatcher, string: 'nobody' }), []],
  [
    'a flag must not depend on itself',
    withMatcher(dependency('gull')),
    [`${matcherPlace}/depends/splitName must not be the flag itself`],
  ],
  [
    'a flag depends on flags that exist',
    withMatcher(dependency('rudder')),
    [`${matcherPlace}/depends/splitName rudder is not a flag of the project`],
  ],
  [
    'dependencies make no cycle',
    withMatcher(dependency('sail')),
    [`${matcherPlace}/depends/splitName sail depends on gull: that would be a cycle`],
  ],
];
for (const [rule, changes, complaints] of complained) {
  test(rule, () => assert.deepEqual(checkTargeting(parsed(changes), surroundings), complaints));
}

test('the flags that a definition depends on are listed once', () => {
  const rules = [aRule(aMatcher), aRule(dependency('anchor'), dependency('sail')), aRule(dependency('anchor'))];
  assert.deepEqual(dependenciesOf(parsed({ rules })), ['anchor', 'sail']);
});

test('a definition depends on at most 100 flags', () => {
  const flags = Array.from({ length: 101 }, (_, index) => `flag-${index}`);
  const complaintsAbout = (names: string[]) =>
    checkTargeting(parsed({ rules: [aRule(...names.map(dependency))] }), {
      flag: 'gull',
      existingFlags: new Set(flags),
      dependentFlags: new Set(),
    });
  assert.deepEqual(complaintsAbout(flags.slice(1)), []);
  assert.deepEqual(complaintsAbout(flags), ['rules must not depend on more than 100 flags']);
});
