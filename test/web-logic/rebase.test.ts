import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule, Targeting } from '#domain/definitions/definition.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { setRuleBuckets } from '../../src/domain/definitions/edit-rules.ts';
import { addTreatment, removeTreatment, setKeys } from '../../src/domain/definitions/edit-treatments.ts';
import { rebased } from '../../web/src/features/definitions/editing/rebase.ts';
import type { Draft } from '../../web/src/state/drafts.ts';
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
const saved = (targeting: Targeting, etag: string) => ({ ...targeting, etag }) as ExpandedDefinition;
const draftOf = (targeting: Targeting): Draft => ({ base, etag: '0', targeting, conflicts: [] });

/** The draft after each of these was saved by somebody else. */
const afterSaves = (mine: Targeting, ...saves: Targeting[]): Draft | undefined =>
  saves.reduce<Draft | undefined>(
    (draft, theirs, place) => draft && rebased(draft, saved(theirs, `${place + 1}`)),
    draftOf(mine),
  );

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
