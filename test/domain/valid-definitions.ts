/** Bodies of valid definitions, at random. */
import fc from 'fast-check';
import type { MatcherType } from '#domain/definitions/matchers.ts';

const record = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }, optional: (keyof T & string)[] = []) =>
  fc.record(members, {
    requiredKeys: (Object.keys(members) as (keyof T & string)[]).filter((member) => !optional.includes(member)),
    noNullPrototype: true,
  });

const text = fc.string({ minLength: 1, maxLength: 8 });
const texts = fc.array(text, { minLength: 1, maxLength: 3 });
const integer = fc.maxSafeInteger();
const version = fc.constantFrom('0.0.1', '1.2.3-rc.1', '10.0.0+build');
const negate = fc.constantFrom(true, false, null);
const between = (bound: fc.Arbitrary<unknown>) => ({ between: record({ from: bound, to: bound }) });
const dependency = fc.oneof(
  record({ splitName: fc.constant('anchor'), treatment: text }),
  record({ splitName: fc.constant('anchor'), treatments: texts }),
);

/** Types that need an attribute, and types that match the key without one. */
const named = { attribute: text };
const maybe = { attribute: fc.constantFrom('age', '', null) };

/** What a matcher of each type has besides its type. It depends on no flag but `anchor`. */
const membersOf: Record<MatcherType, Record<string, fc.Arbitrary<unknown>>> = {
  IN_SEGMENT: { string: text },
  IN_LIST_STRING: { ...maybe, strings: texts },
  STARTS_WITH_STRING: { ...maybe, strings: texts },
  ENDS_WITH_STRING: { ...maybe, strings: texts },
  CONTAINS_STRING: { ...maybe, strings: texts },
  MATCHES_STRING: { ...maybe, string: fc.constantFrom('^a', '[0-9]{2}$', '(a|b)+') },
  EQUAL_SET: { ...named, strings: texts },
  ANY_OF_SET: { ...named, strings: texts },
  ALL_OF_SET: { ...named, strings: texts },
  PART_OF_SET: { ...named, strings: texts },
  ON_DATE: { ...named, date: integer },
  ON_OR_AFTER_DATE: { ...named, date: integer },
  ON_OR_BEFORE_DATE: { ...named, date: integer },
  BETWEEN_DATE: { ...named, ...between(integer) },
  EQUAL_NUMBER: { ...named, number: integer },
  LESS_THAN_OR_EQUAL_NUMBER: { ...named, number: integer },
  GREATER_THAN_OR_EQUAL_NUMBER: { ...named, number: integer },
  BETWEEN_NUMBER: { ...named, ...between(integer) },
  BOOLEAN: { ...named, bool: fc.boolean() },
  IN_SPLIT: { depends: dependency },
  EQUAL_TO_SEMVER: { ...named, string: version },
  GREATER_THAN_OR_EQUAL_TO_SEMVER: { ...named, string: version },
  LESS_THAN_OR_EQUAL_TO_SEMVER: { ...named, string: version },
  BETWEEN_SEMVER: { ...named, ...between(version) },
  IN_LIST_SEMVER: { ...named, strings: fc.array(version, { minLength: 1, maxLength: 3 }) },
};

/** A valid matcher of each type, as clients send it. */
export const validMatchers = Object.entries(membersOf).map(([type, members]) => ({
  type,
  matcher: record<Record<string, unknown>>({ type: fc.constant(type), negate, ...members }, ['negate']),
}));
const anyMatcher = fc.oneof(...validMatchers.map(({ matcher }) => matcher));

/** Some of the treatments, with sizes between sorted cuts of 0 to 100, so that they add up. */
const bucketsOf = (names: string[]) =>
  fc.shuffledSubarray(names, { minLength: 1 }).chain((chosen) =>
    fc.array(fc.nat(100), { minLength: chosen.length - 1, maxLength: chosen.length - 1 }).map((cuts) => {
      const ends = [...cuts.sort((a, b) => a - b), 100];
      return chosen.map((treatment, index) => ({ treatment, size: (ends[index] ?? 100) - (ends[index - 1] ?? 0) }));
    }),
  );

/** Treatments that share out a pool of keys, so that no key is in two of them. */
const treatmentsOf = (names: string[], key: fc.Arbitrary<string>) =>
  fc
    .record({
      keys: fc.uniqueArray(key, { maxLength: 6 }),
      members: fc.array(
        record(
          {
            description: fc.option(text),
            configurations: fc.constantFrom(null, '', '{"colour":"blue"}', '[]'),
            segments: fc.option(fc.uniqueArray(text, { maxLength: 3 })),
          },
          ['description', 'configurations', 'segments'],
        ),
        { minLength: names.length, maxLength: names.length },
      ),
    })
    .map(({ keys, members }) =>
      names.map((name, index) => ({
        name,
        ...members[index],
        keys: keys.filter((_, position) => position % names.length === index),
      })),
    );

const ruleOf = (names: string[]) =>
  record({
    buckets: bucketsOf(names),
    condition: record(
      { combiner: fc.constantFrom('AND', null), matchers: fc.array(anyMatcher, { minLength: 1, maxLength: 3 }) },
      ['combiner'],
    ),
  });

const treatmentName = fc
  .tuple(fc.constantFrom(...'aZ09'), fc.string({ unit: fc.constantFrom(...'aZ09-_.'), maxLength: 9 }))
  .map((parts) => parts.join(''));
const flagSet = fc.oneof(
  fc.constantFrom('web', 'apps'),
  fc.constantFrom({ id: 'one' }, { id: 'two', type: 'FlagSet' }, { name: 'three' }),
);
const optionalFields = [
  'killed',
  'baselineTreatment',
  'trafficAllocation',
  'impressionsDisabled',
  'flagSets',
  'rules',
  'title',
  'id',
] as const;

/** The body of a valid definition as clients send it, with at least this many rules. */
export const bodyWith = (rules: number, { name = treatmentName, key = text } = {}) =>
  fc.uniqueArray(name, { minLength: 1, maxLength: 4 }).chain((names) =>
    record<Record<string, unknown>>(
      {
        treatments: treatmentsOf(names, key),
        defaultTreatment: fc.constantFrom(...names),
        defaultRule: bucketsOf(names),
        killed: fc.constantFrom(true, false, 'true', 'false', null),
        baselineTreatment: fc.constantFrom(...names, null),
        trafficAllocation: fc.option(fc.nat(100)),
        impressionsDisabled: fc.option(fc.boolean()),
        flagSets: fc.option(fc.uniqueArray(flagSet, { maxLength: 3 })),
        rules: fc.array(ruleOf(names), { minLength: rules, maxLength: 3 }),
        title: fc.string(),
        id: fc.jsonValue(),
      },
      optionalFields.filter((field) => rules === 0 || field !== 'rules'),
    ),
  );
