import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Definition, Rule, Targeting } from '#domain/definitions/definition.ts';
import { parseTargeting, patchTargeting } from '#domain/definitions/parse.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { maxOperations } from '#domain/json-patch.ts';
import { aDefinition } from '../support/build.ts';
import { changedTargeting, targeting } from './changed-definitions.ts';

const definitionWith = (fields: Targeting): Definition => ({
  id: 'f1',
  name: 'gull',
  environment: { id: 'e1', name: 'staging' },
  trafficType: { id: 't1', name: 'user' },
  ...fields,
  creationTime: 1,
  lastUpdateTime: 1,
  revision: 1,
});

function requireApplies(before: Targeting, after: Targeting): void {
  const operations = diffTargeting(before, after);
  assert.ok(operations.length <= maxOperations);
  assert.deepEqual(patchTargeting(definitionWith(before), operations), after);
}

test('the patch makes any targeting out of any other', () => {
  fc.assert(fc.property(targeting, targeting, requireApplies));
});

test('the patch makes a targeting out of one that was edited', () => {
  fc.assert(fc.property(changedTargeting, ({ before, after }) => requireApplies(before, after)));
});

test('equal targetings need no operation', () => {
  fc.assert(fc.property(targeting, (same) => assert.deepEqual(diffTargeting(same, structuredClone(same)), [])));
});

const rule = (segment: string, on = 100): Rule => ({
  buckets: [
    { treatment: 'on', size: on },
    { treatment: 'off', size: 100 - on },
  ],
  condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: segment }] },
});
const start = parseTargeting(
  aDefinition({
    treatments: [
      { name: 'on', keys: ['ana', 'liu'] },
      { name: 'off', description: 'as before' },
    ],
    defaultRule: [
      { treatment: 'on', size: 50 },
      { treatment: 'off', size: 50 },
    ],
    rules: [rule('staff'), rule('beta'), rule('eu')],
  }),
);
const [staff, beta, eu] = start.rules as [Rule, Rule, Rule];

const split = [
  { treatment: 'on', size: 80 },
  { treatment: 'off', size: 20 },
];

const examples: [name: string, after: Targeting, operations: unknown[]][] = [
  ['a split', { ...start, defaultRule: split }, [{ op: 'replace', path: '/defaultRule', value: split }]],
  ['an allocation', { ...start, trafficAllocation: 5 }, [{ op: 'replace', path: '/trafficAllocation', value: 5 }]],
  [
    'a rule that goes to the end',
    { ...start, rules: [beta, eu, staff] },
    [{ op: 'move', from: '/rules/0', path: '/rules/2' }],
  ],
  [
    'a rule in the middle',
    { ...start, rules: [staff, rule('qa'), beta, eu] },
    [{ op: 'add', path: '/rules/1', value: rule('qa') }],
  ],
  [
    'a rule at the end',
    { ...start, rules: [...start.rules, rule('qa')] },
    [{ op: 'add', path: '/rules/-', value: rule('qa') }],
  ],
  ['a rule less', { ...start, rules: [staff, eu] }, [{ op: 'remove', path: '/rules/1' }]],
  [
    'the split of a rule that is moved too',
    { ...start, rules: [rule('eu', 10), staff, beta] },
    [
      { op: 'move', from: '/rules/2', path: '/rules/0' },
      { op: 'replace', path: '/rules/0/buckets', value: rule('eu', 10).buckets },
    ],
  ],
  [
    'the segment of a rule',
    { ...start, rules: [staff, rule('betas'), eu] },
    [{ op: 'replace', path: '/rules/1/condition/matchers/0', value: { type: 'IN_SEGMENT', string: 'betas' } }],
  ],
  [
    'a key more and one less',
    { ...start, treatments: [{ name: 'on', keys: ['liu', 'noor'] }, ...start.treatments.slice(1)] },
    [
      { op: 'remove', path: '/treatments/0/keys/0' },
      { op: 'add', path: '/treatments/0/keys/-', value: 'noor' },
    ],
  ],
  [
    'the first key of a treatment, and the end of a description',
    { ...start, treatments: [...start.treatments.slice(0, 1), { name: 'off', keys: ['noor'] }] },
    [
      { op: 'remove', path: '/treatments/1/description' },
      { op: 'add', path: '/treatments/1/keys', value: ['noor'] },
    ],
  ],
];
for (const [name, after, operations] of examples) {
  test(`the patch reads as a person would write it: ${name}`, () => {
    assert.deepEqual(diffTargeting(start, after), operations);
    requireApplies(start, after);
  });
}

test('a renamed treatment keeps its place in the patch', () => {
  const renamed = JSON.parse(JSON.stringify(start).replaceAll('"on"', '"new"')) as Targeting;
  const [first] = diffTargeting(start, renamed);
  assert.deepEqual(first, { op: 'replace', path: '/treatments/0/name', value: 'new' });
  requireApplies(start, renamed);
});

test('one more in a long list of texts is one operation; many are the new list', () => {
  const listing = (strings: string[]) => ({
    ...start,
    rules: [
      { ...staff, condition: { combiner: 'AND' as const, matchers: [{ type: 'IN_LIST_STRING' as const, strings }] } },
    ],
  });
  const people = Array.from({ length: 300 }, (_, number) => `person-${number}`);
  const path = '/rules/0/condition/matchers/0/strings';
  assert.deepEqual(diffTargeting(listing(people), listing([...people, 'ana'])), [
    { op: 'add', path: `${path}/-`, value: 'ana' },
  ]);
  const others = people.slice(100);
  assert.deepEqual(diffTargeting(listing(people), listing(others)), [{ op: 'replace', path, value: others }]);
});

test('a patch of more operations than the server takes is coarser', () => {
  const many = (word: string) => ({ ...start, rules: Array.from({ length: 600 }, (_, n) => rule(`${word}-${n}`)) });
  const operations = diffTargeting(many('a'), many('b'));
  assert.deepEqual(
    operations.map(({ op, path }) => `${op} ${path}`),
    ['replace /rules'],
  );
});
