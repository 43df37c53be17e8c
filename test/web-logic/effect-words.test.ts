import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { effectOf } from '#domain/evaluation/effects.ts';
import { effectLine, groupWords, namedWords, unknownWords } from '../../web/src/targeting/effect-words.ts';
import { aDefinition } from '../support/build.ts';

const split = (shares: Record<string, number>) =>
  Object.entries(shares).map(([treatment, size]) => ({ treatment, size }));
const definition = (changes: Record<string, unknown>) => parseTargeting(aDefinition(changes));
const rule = (matchers: object[], shares: Record<string, number> = { on: 100 }) => ({
  buckets: split(shares),
  condition: { combiner: 'AND', matchers },
});
const between = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  effectOf({
    before: definition(before),
    after: definition(after),
    seeds: { seed: 1, trafficAllocationSeed: 2, algo: 2 },
    otherFlag: () => undefined,
  });
const country = { type: 'IN_LIST_STRING', attribute: 'country', strings: ['DE'] };

test('the line tells shares of all keys, and a range where rules take an unknown part', () => {
  const half = { defaultRule: split({ on: 50, off: 50 }) };
  assert.equal(effectLine(between(half, { ...half, trafficAllocation: 5 }), 'off'), 'on 50% → 2.5% of all keys');
  const ruled = { ...half, rules: [rule([country])] };
  assert.equal(effectLine(between(ruled, half), 'off'), 'on 50–100% → 50% of all keys');
});

test('the default treatment is left out where others tell the same', () => {
  const treatments = ['on', 'compact', 'off'].map((name) => ({ name }));
  const before = { treatments, defaultRule: split({ on: 42, compact: 11, off: 47 }) };
  const after = { treatments, defaultRule: split({ off: 100 }) };
  assert.equal(effectLine(between(before, after), 'off'), 'on 42% → 0%, compact 11% → 0% of all keys');
});

test('shares that stay the same are not called harmless while keys swap', () => {
  const before = { defaultRule: split({ on: 50, off: 50 }) };
  const after = { defaultRule: split({ off: 50, on: 50 }) };
  assert.equal(
    effectLine(between(before, after), 'off'),
    'Shares stay the same, but 100% of all keys change treatment',
  );
  assert.equal(effectLine(between(before, before), 'off'), 'No key changes treatment');
});

test('ranges that stay the same do not say that shares do', () => {
  const ofCountries = (...codes: string[]) => ({
    defaultRule: split({ on: 10, off: 90 }),
    rules: codes.map((code) => rule([{ ...country, strings: [code] }])),
  });
  assert.equal(
    effectLine(between(ofCountries('DE', 'FR'), ofCountries('DE')), 'off'),
    '0–90% of all keys change treatment',
  );
});

test('unknown values are named after the matcher that needs them', () => {
  const asking = [
    rule([country, { type: 'IN_SEGMENT', string: 'staff' }]),
    rule([{ type: 'MATCHES_STRING', string: '^a' }]),
    rule([{ type: 'IN_SPLIT', depends: { splitName: 'other', treatments: ['on'] } }]),
  ];
  assert.deepEqual(unknownWords(between({}, { rules: asking })), [
    'rule 1 depends on `country` and the segment `staff`',
    'rule 2 depends on the key itself',
    'rule 3 depends on the flag `other`',
  ]);
  const effect = between({}, { rules: [rule([{ type: 'IN_SEGMENT', string: 'gone' }])] });
  const asksFor = [{ kind: 'segment', name: 'gone', nobody: 'does not exist' }] as const;
  assert.deepEqual(unknownWords({ ...effect, unknowns: effect.unknowns.map((one) => ({ ...one, asksFor })) }), [
    'rule 1 depends on the segment `gone`, which does not exist',
  ]);
  assert.deepEqual(unknownWords(between({ rules: asking.slice(1, 2) }, {})), ['rule 1 depends on the key itself']);
});

test('a group is told by the rules that its keys match', () => {
  const [pro, staff] = ['pro', 'staff'].map((name) => rule([{ ...country, strings: [name] }])) as [object, object];
  const groupsOf = (before: object[], after: object[]) => {
    const effect = between({ rules: before }, { rules: after });
    return effect.groups.map((group) => groupWords(group, effect));
  };
  assert.deepEqual(groupsOf([pro], [pro]), ['Keys that match rule 1', 'Keys that match no rule']);
  assert.deepEqual(groupsOf([pro], []), ['Keys that match rule 1 now', 'Keys that match no rule']);
  assert.deepEqual(groupsOf([], [pro]), ['Keys that match rule 1 after', 'Keys that match no rule']);
  assert.deepEqual(groupsOf([pro, staff], [pro]), [
    'Keys that match rule 1',
    'Keys that match rule 2 now and match no rule after',
    'Keys that match no rule',
  ]);
});

test('listed keys are counted', () => {
  const listed = { treatments: [{ name: 'on', keys: ['ana', 'liu'] }, { name: 'off' }] };
  const effect = between({}, listed);
  assert.deepEqual(namedWords(effect), ['2 listed keys move from off to on.']);
  assert.equal(effectLine(effect, 'off'), '2 listed keys change treatment');
  assert.deepEqual(namedWords(between(listed, { rules: [rule([country], { off: 100 })] })), [
    '2 listed keys move from on to off.',
  ]);
  assert.deepEqual(namedWords(between(listed, { rules: [rule([country], { on: 100 })] })), [
    'Cannot tell whether 2 listed keys change treatment.',
  ]);
});
