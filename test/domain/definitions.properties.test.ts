/** What holds for every valid definition, and for every one with a single fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkTargeting, type Targeting } from '#domain/definitions/definition.ts';
import type { Matcher } from '#domain/definitions/matchers.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { Problem } from '#domain/problems.ts';
import { aDefinition } from '../support/build.ts';
import { bodyWith, validMatchers } from './valid-definitions.ts';

const surroundings = { flag: 'gull', existingFlags: new Set(['anchor']), dependentFlags: new Set<string>() };

const complaintsAbout = (body: unknown): string[] => {
  try {
    return checkTargeting(parseTargeting(body), surroundings);
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'definition_invalid', String(error));
    return (error.details || error.message).split('\n');
  }
};

for (const { type, matcher } of validMatchers) {
  test(`every valid ${type} is accepted, and reading it again changes nothing`, () => {
    const rule = (only: unknown) => ({ buckets: [{ treatment: 'on', size: 100 }], condition: { matchers: [only] } });
    const body = matcher.map((only) => aDefinition({ rules: [rule(only)] }));
    fc.assert(fc.property(body, requireAccepted), { numRuns: 10 });
  });
}

test('every valid definition is accepted, and reading it again changes nothing', () => {
  fc.assert(fc.property(bodyWith(0), requireAccepted));
});

function requireAccepted(body: unknown): void {
  const before = structuredClone(body);
  assert.deepEqual(complaintsAbout(body), []);
  const targeting = parseTargeting(body);
  assert.deepEqual(body, before, 'the body is not changed');
  assert.deepEqual(parseTargeting(targeting), targeting);
  assert.deepEqual(parseTargeting(JSON.parse(JSON.stringify(targeting))), targeting);
  assert.doesNotMatch(JSON.stringify(targeting, withoutTexts), /null/);
}

/** Text may say null; members and items may not be it. */
const withoutTexts = (_: string, value: unknown) => (typeof value === 'string' ? '' : value);

test('null in place of any absent member changes nothing', () => {
  const nulls = (value: unknown, names: string[]) => ({
    ...Object.fromEntries(names.map((name) => [name, null])),
    ...(value as object),
  });
  const matcherMembers = ['negate', 'attribute', 'string', 'strings', 'number', 'date', 'between', 'bool', 'depends'];
  fc.assert(
    fc.property(bodyWith(0), (body) => {
      const targeting = parseTargeting(body);
      const filled = {
        ...nulls(targeting, ['id', 'title', 'comment', 'flagSets']),
        treatments: targeting.treatments.map((treatment) =>
          nulls(treatment, ['description', 'configurations', 'keys', 'segments']),
        ),
        rules: targeting.rules.map(({ buckets, condition }) => ({
          buckets,
          condition: { combiner: null, matchers: condition.matchers.map((matcher) => nulls(matcher, matcherMembers)) },
        })),
      };
      assert.deepEqual(parseTargeting(filled), targeting);
    }),
  );
});

test('members that clients leave out get the same values as if sent', () => {
  fc.assert(
    fc.property(bodyWith(0), ({ treatments, defaultTreatment, defaultRule }) => {
      const short = { treatments, defaultTreatment, defaultRule };
      const long = { ...short, killed: false, baselineTreatment: defaultTreatment, trafficAllocation: 100, rules: [] };
      assert.deepEqual(parseTargeting(short), parseTargeting(long));
    }),
  );
});

/** A name that no random treatment has: it is too long. */
const unknown = 'no-such-treatment';
const dependsOn = (name: string) => ({ type: 'IN_SPLIT', depends: { splitName: name, treatments: ['on'] } });
const withTreatments = (t: Targeting, ...added: object[]) => ({ ...t, treatments: [...added, ...t.treatments] });
const withBucket = (t: Targeting, added: object) => ({ ...t, defaultRule: [added, ...t.defaultRule] });
const withRule = (t: Targeting, changes: object) => ({ ...t, rules: [{ ...t.rules[0], ...changes }] });
const withMatcher = (t: Targeting, change: (matcher: Matcher) => object) =>
  withRule(t, { condition: { matchers: t.rules[0]?.condition.matchers.map(change) } });
const oneLess = (buckets: { size: number }[] = []) => {
  const index = buckets.findIndex(({ size }) => size > 0);
  return buckets.map((bucket, position) => (position === index ? { ...bucket, size: bucket.size - 1 } : bucket));
};

/** Each breaks one rule of a valid definition that has a rule; the complaint names the place. */
const faults: [fault: string, spoil: (t: Targeting) => unknown, complaint: RegExp][] = [
  ['no treatments', (t) => ({ ...t, treatments: null }), /^treatments is required$/],
  ['an empty list of treatments', (t) => ({ ...t, treatments: [] }), /^treatments must not be empty$/],
  ['no default treatment', (t) => ({ ...t, defaultTreatment: null }), /^defaultTreatment is required$/],
  ['no default rule', (t) => ({ ...t, defaultRule: null }), /^defaultRule is required$/],
  ['a treatment control', (t) => withTreatments(t, { name: 'control' }), /^treatments\/0\/name must not be control/],
  ['a bad treatment name', (t) => withTreatments(t, { name: 'a b' }), /^treatments\/0\/name must be 1 to 100 letters/],
  [
    'a treatment twice',
    (t) => withTreatments(t, ...t.treatments.slice(0, 1)),
    /^treatments\/1\/name .+ is used twice$/,
  ],
  [
    'a key twice',
    (t) => withTreatments(t, { name: unknown, keys: ['k', 'k'] }),
    /^treatments\/0\/keys\/1 k is used twice$/,
  ],
  [
    'a key in two treatments',
    (t) => withTreatments(t, { name: unknown, keys: ['k'] }, { name: `${unknown}s`, keys: ['k'] }),
    /^treatments\/1\/keys\/0 k is used twice$/,
  ],
  [
    'a key that is null',
    (t) => withTreatments(t, { name: unknown, keys: [null] }),
    /^treatments\/0\/keys\/0 must be string$/,
  ],
  [
    'a segment twice',
    (t) => withTreatments(t, { name: unknown, segments: ['s', 's'] }),
    /^treatments\/0\/segments\/1 s is used twice/,
  ],
  [
    'configurations that are no JSON',
    (t) => withTreatments(t, { name: unknown, configurations: '{' }),
    /^treatments\/0\/configurations/,
  ],
  [
    'an unknown default treatment',
    (t) => ({ ...t, defaultTreatment: unknown }),
    /^defaultTreatment no-such-treatment is not/,
  ],
  [
    'an unknown baseline treatment',
    (t) => ({ ...t, baselineTreatment: unknown }),
    /^baselineTreatment no-such-treatment is not/,
  ],
  ['killed as other text', (t) => ({ ...t, killed: 'yes' }), /^killed must be boolean$/],
  ['a traffic allocation above 100', (t) => ({ ...t, trafficAllocation: 101 }), /^trafficAllocation must be <= 100$/],
  [
    'a default rule of 99',
    (t) => ({ ...t, defaultRule: oneLess(t.defaultRule) }),
    /^defaultRule sizes .* 100, not 99$/,
  ],
  [
    'an unknown bucket',
    (t) => withBucket(t, { treatment: unknown, size: 0 }),
    /^defaultRule\/0\/treatment no-such-treatment is not/,
  ],
  ['a bucket twice', (t) => withBucket(t, { ...t.defaultRule[0], size: 0 }), /^defaultRule\/1 .+ is used twice$/],
  [
    'a size with a fraction',
    (t) => withBucket(t, { treatment: unknown, size: 0.5 }),
    /^defaultRule\/0\/size must be integer$/,
  ],
  ['a negative size', (t) => withBucket(t, { treatment: unknown, size: -1 }), /^defaultRule\/0\/size must be >= 0$/],
  [
    'a rule of 99',
    (t) => withRule(t, { buckets: oneLess(t.rules[0]?.buckets) }),
    /^rules\/0\/buckets sizes .* not 99$/,
  ],
  ['a rule without buckets', (t) => withRule(t, { buckets: [] }), /^rules\/0\/buckets sizes .* not 0$/],
  ['a rule without a condition', (t) => withRule(t, { condition: null }), /^rules\/0\/condition is required$/],
  [
    'a rule without matchers',
    (t) => withRule(t, { condition: {} }),
    /^rules\/0\/condition\/matchers must not be empty$/,
  ],
  [
    'the combiner OR',
    (t) => withRule(t, { condition: { combiner: 'OR' } }),
    /^rules\/0\/condition\/combiner must be AND$/,
  ],
  [
    'an unknown type of matcher',
    (t) => withMatcher(t, (m) => ({ ...m, type: 'IS' })),
    /^rules\/0\/condition\/matchers\/0\/type must be/,
  ],
  [
    'a matcher without its member',
    (t) => withMatcher(t, ({ type, attribute }) => ({ type, attribute })),
    /^rules\/0\/condition\/matchers\/0\/\w+ is required for [A-Z_]+$/,
  ],
  [
    'a matcher with a foreign member',
    (t) => withMatcher(t, (m) => ({ ...m, ...(m.bool === undefined ? { bool: true } : { number: 1 }) })),
    /^rules\/0\/condition\/matchers\/0\/(bool|number) does not belong to [A-Z_]+$/,
  ],
  [
    'a flag that is not there',
    (t) => withMatcher(t, () => dependsOn('rudder')),
    /^rules\/0\/.+\/splitName rudder is not a flag/,
  ],
  [
    'the flag itself',
    (t) => withMatcher(t, () => dependsOn('gull')),
    /^rules\/0\/.+\/splitName must not be the flag itself$/,
  ],
];
for (const [fault, spoil, complaint] of faults) {
  test(`a valid definition but for ${fault} is refused`, () => {
    const refused = (body: unknown) => {
      const complaints = complaintsAbout(spoil(parseTargeting(body)));
      assert.ok(
        complaints.some((found) => complaint.test(found)),
        `${complaint} is not in:\n${complaints.join('\n')}`,
      );
    };
    fc.assert(fc.property(bodyWith(1), refused), { numRuns: 10 });
  });
}
