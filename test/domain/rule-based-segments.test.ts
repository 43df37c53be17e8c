/** What a definition of a rule-based segment may be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSegmentRules } from '#domain/definitions/parse.ts';
import { Problem } from '#domain/problems.ts';
import {
  checkSegmentRules,
  maxFlags,
  maxSegments,
  referencesOf,
  type SegmentRules,
  withTypes,
} from '#domain/rule-based-segments.ts';

const plan = { type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'] };
const ruled = (...matchers: unknown[]) => ({ rules: [{ condition: { combiner: 'AND', matchers } }] });
const complaintsAbout = (input: unknown, flags = ['gull']): string[] => {
  try {
    return checkSegmentRules(parseSegmentRules(input), new Set(flags));
  } catch (error) {
    if (error instanceof Problem) return [error.message];
    throw error;
  }
};

test('everything may be left out: the segment is empty then', () => {
  for (const body of [{}, { rules: null, excludedKeys: null, excludedSegments: null }]) {
    assert.deepEqual(parseSegmentRules(body), { rules: [], excludedKeys: [], excludedSegments: [] });
  }
});

test('rules are as lenient as those of flags: null, unknown members, no combiner, empty members of other matchers', () => {
  const matcher = { ...plan, negate: false, string: '', between: null, depends: null, more: 1 };
  const body = { title: 't', comment: 'c', name: 'pros', rules: [{ condition: { matchers: [matcher] }, buckets: [] }] };
  assert.deepEqual(parseSegmentRules(body), { ...ruled(plan), excludedKeys: [], excludedSegments: [] });
});

test('an excluded segment without a type, or with the type segment, is taken for a standard one until it is known', () => {
  const types = [undefined, null, 'segment', 'standard_segment', 'large_segment', 'rule_based_segment'];
  const { excludedSegments } = parseSegmentRules({
    excludedSegments: types.map((type, at) => ({ name: `s${at}`, type })),
  });
  const read = excludedSegments.map(({ type }) => type);
  assert.deepEqual(read, [...Array(4).fill('standard_segment'), 'large_segment', 'rule_based_segment']);
  const known = withTypes({ rules: [], excludedKeys: [], excludedSegments }, new Map([['s0', 'large_segment']]));
  assert.deepEqual(known.excludedSegments.slice(0, 2), [
    { name: 's0', type: 'large_segment' },
    { name: 's1', type: 'standard_segment' },
  ]);
});

const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
const depends = (splitName: string) => ({ type: 'IN_SPLIT', depends: { splitName, treatments: ['on'] } });
const refused: Record<string, [unknown, RegExp]> = {
  'no object': [[], /^body must be object/],
  'another combiner': [
    { rules: [{ condition: { combiner: 'OR', matchers: [plan] } }] },
    /^rules\/0\/condition\/combiner must be AND$/,
  ],
  'a rule without a condition': [{ rules: [{}] }, /^rules\/0\/condition is required$/],
  'a condition without matchers': [ruled(), /^rules\/0\/condition\/matchers must not be empty$/],
  'a matcher without its value': [
    ruled(plan, { type: 'BOOLEAN', attribute: 'a' }),
    /^rules\/0\/condition\/matchers\/1\/bool is required/,
  ],
  'a regular expression that is none': [
    ruled({ type: 'MATCHES_STRING', string: '(' }),
    /matchers\/0\/string must be a regular/,
  ],
  'a matcher with operator and value': [
    ruled(plan, { attribute: 'plan', operator: 'EQUALS', value: 'pro' }),
    /^rules\/0\/condition\/matchers\/1 must be a matcher as in feature flags, with type instead of operator and value/,
  ],
  'a flag that does not exist': [ruled(depends('tern')), /matchers\/0\/depends\/splitName tern is not a flag/],
  'an empty excluded key': [{ excludedKeys: ['a', ''] }, /^excludedKeys\/1 /],
  'a key excluded twice': [{ excludedKeys: ['a', 'b', 'a'] }, /^excludedKeys\/2 a is used twice$/],
  'a segment excluded twice': [
    { excludedSegments: [{ name: 'a' }, { name: 'a', type: 'large_segment' }] },
    /^excludedSegments\/1 a is used twice$/,
  ],
  'an unknown type': [
    { excludedSegments: [{ name: 'a', type: 'large' }] },
    /^excludedSegments\/0\/type must be one of standard_segment, rule_based_segment, large_segment$/,
  ],
  'an excluded segment that is text': [{ excludedSegments: ['a'] }, /^excludedSegments\/0 must be object/],
  'too many segments': [
    { excludedSegments: many(maxSegments + 1).map((name) => ({ name })) },
    /must not name more than 1000 segments$/,
  ],
  'too many flags': [ruled(...many(maxFlags + 1).map(depends)), /must not depend on more than 100 flags$/],
};
for (const [what, [body, sentence]] of Object.entries(refused)) {
  test(`${what} is refused with its place`, () => {
    const [complaint = '', ...more] = complaintsAbout(body, ['gull', ...many(maxFlags + 1)]);
    assert.match(complaint, sentence);
    assert.deepEqual(more, []);
  });
}

test('a dependency on a flag of the project is accepted', () =>
  assert.deepEqual(complaintsAbout(ruled(depends('gull'))), []));

test('it refers to the flags and segments of its rules and to excluded segments, each once', () => {
  const body = {
    ...ruled(depends('gull'), { type: 'IN_SEGMENT', string: 'staff' }, { type: 'IN_SEGMENT', string: 'gull' }),
    excludedSegments: [{ name: 'staff' }, { name: 'crowd', type: 'large_segment' }],
  };
  const found = referencesOf(parseSegmentRules(body) as SegmentRules).map(({ kind, name }) => `${kind} ${name}`);
  assert.deepEqual(found, ['flag gull', 'segment staff', 'segment gull', 'segment crowd']);
});
