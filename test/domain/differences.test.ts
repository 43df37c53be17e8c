import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Rule, Targeting } from '#domain/definitions/definition.ts';
import { differencesBetween, renameTreatments } from '#domain/definitions/differences.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { aDefinition } from '../support/build.ts';
import { changedTargeting, targeting } from './changed-definitions.ts';

const rule = (segment: string, on = 100): Rule => ({
  buckets: [
    { treatment: 'on', size: on },
    { treatment: 'off', size: 100 - on },
  ],
  condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: segment }] },
});
const start = parseTargeting(
  aDefinition({ treatments: [{ name: 'on', keys: ['ana'] }, { name: 'off' }], rules: [rule('staff'), rule('beta')] }),
);
const [staff, beta] = start.rules as [Rule, Rule];
const kindsOf = (after: Targeting) => differencesBetween(start, after).map(({ kind }) => kind);

test('equal targetings do not differ', () => {
  fc.assert(fc.property(targeting, (same) => assert.deepEqual(differencesBetween(same, structuredClone(same)), [])));
});

test('whatever differs is told', () => {
  fc.assert(
    fc.property(changedTargeting, ({ before, after }) => assert.notEqual(differencesBetween(before, after).length, 0)),
  );
});

test('a member that nobody has spoken of is told too', () => {
  const after = { ...start, prerequisites: ['mobile'] };
  assert.deepEqual(differencesBetween(start, after), [
    { kind: 'other', member: 'prerequisites', before: undefined, after: ['mobile'] },
  ]);
});

test('every part of a definition has its own difference', () => {
  assert.deepEqual(kindsOf({ ...start, killed: true }), ['killed']);
  assert.deepEqual(kindsOf({ ...start, trafficAllocation: 1 }), ['trafficAllocation']);
  assert.deepEqual(kindsOf({ ...start, impressionsDisabled: true }), ['impressionsDisabled']);
  assert.deepEqual(kindsOf({ ...start, flagSets: [{ id: 'set', type: 'flag_set' }] }), ['flagSets']);
  assert.deepEqual(kindsOf({ ...start, defaultTreatment: 'on' }), ['defaultTreatment']);
  assert.deepEqual(kindsOf({ ...start, baselineTreatment: 'on' }), ['baselineTreatment']);
  assert.deepEqual(kindsOf({ ...start, defaultRule: [{ treatment: 'on', size: 100 }] }), ['defaultRule']);
  const [on, off] = start.treatments as [Targeting['treatments'][0], Targeting['treatments'][0]];
  assert.deepEqual(kindsOf({ ...start, treatments: [{ ...on, keys: ['ana', 'liu'] }, off] }), ['keys']);
  assert.deepEqual(kindsOf({ ...start, treatments: [{ ...on, segments: ['staff'] }, off] }), ['segments']);
  assert.deepEqual(kindsOf({ ...start, treatments: [{ ...on, description: 'new' }, off] }), ['treatment']);
  assert.deepEqual(kindsOf({ ...start, treatments: [{ ...on, configurations: '{}' }, off] }), ['treatment']);
  assert.deepEqual(kindsOf({ ...start, treatments: [on, off, { name: 'new' }] }), ['treatment']);
  assert.deepEqual(kindsOf({ ...start, treatments: [off, on] }), ['treatmentOrder']);
});

test('rules that are added, removed, moved and changed are told apart', () => {
  const rulesOf = (rules: Rule[]) => differencesBetween(start, { ...start, rules });
  assert.deepEqual(rulesOf([staff, beta, rule('eu')]), [
    { kind: 'rule', before: undefined, after: { at: 2, rule: rule('eu') }, isMoved: false },
  ]);
  assert.deepEqual(rulesOf([beta]), [
    { kind: 'rule', before: { at: 0, rule: staff }, after: undefined, isMoved: false },
  ]);
  assert.deepEqual(rulesOf([beta, staff]), [
    { kind: 'rule', before: { at: 1, rule: beta }, after: { at: 0, rule: beta }, isMoved: true },
  ]);
  assert.deepEqual(rulesOf([staff, rule('beta', 10)]), [
    { kind: 'rule', before: { at: 1, rule: beta }, after: { at: 1, rule: rule('beta', 10) }, isMoved: false },
  ]);
});

test('a rule that only stands elsewhere because another came or went is not told', () => {
  assert.equal(differencesBetween(start, { ...start, rules: [rule('eu'), staff, beta] }).length, 1);
});

test('a treatment that is renamed everywhere is one difference', () => {
  const renamed = renameTreatments(start, new Map([['on', 'new']]));
  assert.deepEqual(differencesBetween(start, renamed), [
    { kind: 'treatment', before: start.treatments[0], after: { name: 'new', keys: ['ana'] } },
  ]);
});
