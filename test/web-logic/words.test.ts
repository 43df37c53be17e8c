import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedTargeting, type Targeting } from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { type Matcher, matcherTypes } from '#domain/definitions/matchers.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { newMatcher } from '../../src/domain/definitions/edit-matchers.ts';
import { whyNeverReached } from '../../src/domain/evaluation/reachability.ts';
import { dayValue, instantOf, minuteValue } from '../../web/src/targeting/dates.ts';
import { doubleKeys, keysIn } from '../../web/src/targeting/key-lists.ts';
import { matcherSentence } from '../../web/src/targeting/matcher-words.ts';
import { aDefinition } from '../support/build.ts';

const noon = Date.UTC(2025, 10, 12, 12, 30);

const sentences: [Matcher, string][] = [
  [{ type: 'IN_SEGMENT', string: 'staff' }, 'user is in segment staff'],
  [{ type: 'IN_SEGMENT', string: 'staff', negate: true }, 'user is not in segment staff'],
  [{ type: 'IN_LIST_STRING', strings: ['ana', 'liu'] }, 'user key is one of ana or liu'],
  [
    { type: 'IN_LIST_STRING', attribute: 'plan', strings: ['a', 'b', 'c', 'd', 'e'] },
    'plan is one of a, b, c or 2 more',
  ],
  [{ type: 'STARTS_WITH_STRING', attribute: 'email', strings: ['a', 'b'] }, 'email starts with a or b'],
  [{ type: 'ENDS_WITH_STRING', attribute: 'email', strings: ['a'], negate: true }, 'email does not end with a'],
  [{ type: 'MATCHES_STRING', string: '^qa' }, 'user key matches ^qa'],
  [{ type: 'ALL_OF_SET', attribute: 'roles', strings: ['a', 'b'] }, 'roles has all of a and b'],
  [{ type: 'ON_DATE', attribute: 'born', date: noon }, 'born is on 12 Nov 2025'],
  [{ type: 'ON_OR_AFTER_DATE', attribute: 'born', date: noon }, 'born is on or after 12 Nov 2025, 12:30 UTC'],
  [
    { type: 'BETWEEN_DATE', attribute: 'born', between: { from: noon, to: noon } },
    'born is between 12 Nov 2025, 12:30 UTC and 12 Nov 2025, 12:30 UTC',
  ],
  [{ type: 'BETWEEN_NUMBER', attribute: 'age', between: { from: 18, to: 30 } }, 'age is between 18 and 30'],
  [{ type: 'LESS_THAN_OR_EQUAL_NUMBER', attribute: 'age', number: 0, negate: true }, 'age is more than 0'],
  [{ type: 'BOOLEAN', attribute: 'beta', bool: false }, 'beta is false'],
  [
    { type: 'IN_SPLIT', depends: { splitName: 'anchor', treatments: ['on', 'compact'] } },
    'flag anchor serves on or compact',
  ],
  [
    { type: 'BETWEEN_SEMVER', attribute: 'app', between: { from: '1.0.0', to: '2.0.0' } },
    'app is between version 1.0.0 and 2.0.0',
  ],
];
for (const [matcher, sentence] of sentences) {
  test(`a matcher reads: ${sentence}`, () => assert.equal(matcherSentence(matcher, 'user'), sentence));
}

test('every type of matcher has a sentence, also while it has no value', () => {
  for (const type of matcherTypes) assert.match(matcherSentence(newMatcher(type), 'user'), /^\S.*\S$/, type);
});

test('a date that no calendar knows is shown as its number', () => {
  const far = Number.MAX_SAFE_INTEGER;
  assert.equal(matcherSentence({ type: 'ON_DATE', attribute: 'born', date: far }, 'user'), `born is on ${far}`);
  assert.equal(minuteValue(far), '');
});

test('fields for dates speak UTC', () => {
  assert.equal(dayValue(noon), '2025-11-12');
  assert.equal(minuteValue(noon), '2025-11-12T12:30');
  assert.equal(instantOf('2025-11-12T12:30'), noon);
  assert.equal(instantOf('2025-11-12'), Date.UTC(2025, 10, 12));
  assert.equal(instantOf(''), undefined);
});

test('keys come one on a line or with commas, each once', () => {
  assert.deepEqual(keysIn('ana, liu\n noor \n\nana,'), ['ana', 'liu', 'noor']);
  assert.deepEqual(keysIn(' \n,'), []);
});

test('a key in two treatments is named with both', () => {
  const lists = [
    { treatment: 'on', keys: ['ana', 'liu'] },
    { treatment: 'off', keys: ['noor', 'ana'] },
  ];
  assert.deepEqual(doubleKeys(lists), [{ key: 'ana', treatments: ['on', 'off'] }]);
});

const withConditions = (...conditions: Matcher[][]): Targeting =>
  parseTargeting(
    aDefinition({
      rules: conditions.map((matchers) => ({ buckets: [{ treatment: 'on', size: 100 }], condition: { matchers } })),
    }),
  );
const staff: Matcher = { type: 'IN_SEGMENT', string: 'staff' };
const notStaff: Matcher = { negate: true, type: 'IN_SEGMENT', string: 'staff' };
const beta: Matcher = { type: 'IN_SEGMENT', string: 'beta' };
const every: Matcher = { type: 'MATCHES_STRING', string: '.*' };

const neverReached: [string, Targeting, (string | undefined)[]][] = [
  ['rules that ask different things', withConditions([staff], [beta]), [undefined, undefined, undefined]],
  [
    'a rule that asks more than one before it',
    withConditions([staff], [staff, beta]),
    [undefined, 'rule 1 already takes all of these', undefined],
  ],
  [
    'a rule that asks less than one before it',
    withConditions([staff, beta], [staff]),
    [undefined, undefined, undefined],
  ],
  [
    'what follows a rule that takes every key',
    withConditions([every], [staff]),
    [undefined, 'rule 1 already takes everyone', 'rule 1 already takes everyone'],
  ],
  [
    'what follows a rule and its opposite',
    withConditions([staff], [notStaff], [beta]),
    [undefined, undefined, 'the rules before it already take everyone', 'the rules before it already take everyone'],
  ],
  [
    'a rule against itself',
    withConditions([staff, notStaff], [beta]),
    ['its conditions contradict each other', undefined, undefined],
  ],
  [
    'everything behind an allocation of nothing',
    { ...withConditions([staff]), trafficAllocation: 0 },
    ['the traffic allocation lets nobody through', 'the traffic allocation lets nobody through'],
  ],
];
for (const [name, targeting, reasons] of neverReached) {
  test(`never reached: ${name}`, () => assert.deepEqual(whyNeverReached(targeting), reasons));
}

test('members set by the server do not count as differences in the audit log', () => {
  const targeting = parseTargeting(aDefinition());
  const recorded = (changeNumber: number) =>
    recordedTargeting({ ...targeting, id: 'f', name: 'gull', lastUpdateTime: changeNumber, seed: 1, changeNumber });
  assert.deepEqual(differencesBetween(recorded(1), recorded(2)), []);
});
