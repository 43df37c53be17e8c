/** What "Who sees what" says about segments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Evaluable, evaluatorOf } from '#domain/evaluation/evaluate.ts';
import { matchesPattern } from '#domain/evaluation/match.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import { wordsOf } from '../../web/src/features/definitions/ladder/step-words.ts';
import type { KnownSegment } from '../../web/src/targeting/known-segments.ts';

const condition = (attribute: string, value: string) => ({
  condition: { combiner: 'AND' as const, matchers: [{ type: 'IN_LIST_STRING' as const, attribute, strings: [value] }] },
});
const rules = (changes: Partial<SegmentRules>): KnownSegment => ({
  kind: 'rule_based',
  isActive: true,
  keyCount: 0,
  rules: { rules: [], excludedKeys: [], excludedSegments: [], ...changes },
});

const segments = new Map<string, KnownSegment | 'missing'>([
  ['listed', { kind: 'standard', isActive: true, keyCount: 1 }],
  ['asleep', { kind: 'standard', isActive: false, keyCount: 0 }],
  ['gone', 'missing'],
  ['bare', rules({})],
  ['german', rules({ rules: [condition('country', 'DE')], excludedKeys: ['mallory'] })],
  ['several', rules({ rules: [condition('country', 'DE'), condition('plan', 'pro')] })],
  ['without', rules({ excludedSegments: [{ name: 'german', type: 'rule_based_segment' }] })],
]);

/** The line about the rule that asks for the segment. */
function lineFor(segment: string, { key = 'ana', attributes = {}, isTarget = false } = {}): string | undefined {
  const definition: Evaluable = {
    name: 'flag',
    killed: false,
    treatments: [{ name: 'on', ...(isTarget ? { segments: [segment] } : {}) }, { name: 'off' }],
    defaultTreatment: 'off',
    baselineTreatment: 'off',
    trafficAllocation: 100,
    rules: isTarget
      ? []
      : [
          {
            condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: segment }] },
            buckets: [{ treatment: 'on', size: 100 }],
          },
        ],
    impressionsDisabled: false,
    defaultRule: [{ treatment: 'off', size: 100 }],
    seed: 7,
    trafficAllocationSeed: -7,
    algo: 2,
  };
  const evaluation = evaluatorOf(definition, {
    definitionOf: () => undefined,
    listsKey: (name, tried) => name === 'listed' && tried === 'ana',
    segmentRulesOf: (name) => {
      const found = segments.get(name);
      return found === 'missing' ? undefined : found?.rules;
    },
    matches: matchesPattern,
  })({ key, attributes });
  const setting = {
    targeting: definition,
    trafficType: 'user',
    areBucketsKnown: false,
    environment: 'Staging',
    segments,
  };
  return wordsOf(evaluation, setting).find(({ number }) => number === (isTarget ? undefined : 1))?.words;
}

test('a segment that lists keys needs no reason', () => {
  assert.equal(lineFor('listed'), 'user is in segment listed');
  assert.equal(lineFor('listed', { key: 'liu' }), 'Not: user is in segment listed');
});

test('a segment that nobody can be in is named as such', () => {
  assert.equal(lineFor('gone'), 'Not: user is in segment gone (no such segment)');
  assert.equal(lineFor('asleep'), 'Not: user is in segment asleep (not active in Staging)');
  assert.equal(lineFor('bare'), 'Not: user is in segment bare (it has no rules)');
});

test('the rule of a segment that matches, or the only one that does not, is the reason', () => {
  const german = { attributes: { country: 'DE' } };
  assert.equal(lineFor('german', german), 'user is in segment german (country is one of DE)');
  assert.equal(lineFor('german'), 'Not: user is in segment german (not: country is one of DE (no country))');
  assert.equal(lineFor('several'), 'Not: user is in segment several (none of its 2 rules matches)');
  const pro = { attributes: { plan: 'pro' } };
  assert.equal(lineFor('several', pro), 'user is in segment several (plan is one of pro)');
  assert.equal(
    lineFor('german', { ...german, isTarget: true }),
    'In segment german, targeted to on (country is one of DE)',
  );
});

test('an exclusion is the reason, and why the key is in the excluded segment', () => {
  assert.equal(lineFor('german', { key: 'mallory' }), 'Not: user is in segment german (the key is excluded)');
  assert.equal(
    lineFor('without', { attributes: { country: 'DE' } }),
    'Not: user is in segment without (excluded: in segment german (country is one of DE))',
  );
});
