import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule, Targeting } from '#domain/definitions/definition.ts';
import { setRuleBuckets } from '#domain/definitions/edit-rules.ts';
import { addTreatment, removeTreatment, setKeys } from '#domain/definitions/edit-treatments.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { rebase, type Unsaved } from '#domain/definitions/rebase.ts';
import { aDefinition } from '../support/build.ts';

const split = (on: number) => [
  { treatment: 'on', size: on },
  { treatment: 'off', size: 100 - on },
];
const rule: Rule = {
  buckets: split(100),
  condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: 'staff' }] },
};
const base = addTreatment(
  parseTargeting(aDefinition({ treatments: [{ name: 'on' }, { name: 'off' }], defaultRule: split(50), rules: [rule] })),
  'compact',
);
const withDefault = (on: number): Targeting => ({ ...base, defaultRule: split(on) });

/** My edits after someone else saved each of these. */
const afterSaves = (mine: Targeting, ...saves: Targeting[]): Unsaved | undefined =>
  saves.reduce<Unsaved | undefined>((unsaved, theirs) => unsaved && rebase(unsaved, theirs), {
    base,
    targeting: mine,
    conflicts: [],
  });

test('a step that they changed twice is one conflict, with what they have now', () => {
  const draft = afterSaves(withDefault(80), withDefault(60), withDefault(70));
  assert.deepEqual(
    draft?.conflicts.map(({ theirs }) => theirs.after),
    [split(70)],
  );
  const ofRule = afterSaves(
    setRuleBuckets(base, 0, split(80)),
    setRuleBuckets(base, 0, split(60)),
    setRuleBuckets(base, 0, split(70)),
  );
  assert.deepEqual(
    ofRule?.conflicts.map(({ theirs }) => theirs.kind === 'rule' && theirs.after?.rule.buckets),
    [split(70)],
  );
});

test('a conflict is over when they come to the same as I did', () => {
  assert.equal(afterSaves(withDefault(80), withDefault(60), withDefault(80)), undefined);
  assert.equal(
    afterSaves(
      setRuleBuckets(base, 0, split(80)),
      setRuleBuckets(base, 0, split(60)),
      setRuleBuckets(base, 0, split(80)),
    ),
    undefined,
  );
});

test('a conflict stays open while they change something else', () => {
  const draft = afterSaves(withDefault(80), withDefault(60), { ...withDefault(60), trafficAllocation: 90 });
  assert.deepEqual(
    draft?.conflicts.map(({ theirs }) => theirs.after),
    [split(60)],
  );
  const used = setKeys(base, 'compact', ['liu']);
  const removed = afterSaves(removeTreatment(base, 'compact'), used, { ...used, trafficAllocation: 90 });
  assert.equal(removed?.conflicts.length, 1);
  const alsoRemoved = afterSaves(removeTreatment(base, 'compact'), used, removeTreatment(base, 'compact'));
  assert.equal(alsoRemoved, undefined);
});

test('edits of a definition that someone deleted define it again, and those of one that someone made change that one', () => {
  const mine = withDefault(80);
  assert.deepEqual(rebase({ base, targeting: mine, conflicts: [] }, undefined), {
    base: null,
    targeting: mine,
    conflicts: [],
  });
  const undefinedBefore: Unsaved = { base: null, targeting: mine, conflicts: [] };
  assert.deepEqual(rebase(undefinedBefore, base), { base, targeting: mine, conflicts: [] });
  assert.equal(rebase(undefinedBefore, mine), undefined);
});
