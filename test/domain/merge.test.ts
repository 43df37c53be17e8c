import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkTargeting, dependenciesOf, type Rule, type Targeting } from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { applyDifferences } from '../../src/domain/definitions/apply.ts';
import { moveRule, removeRule, setRuleBuckets } from '../../src/domain/definitions/edit-rules.ts';
import {
  addTreatment,
  changeTreatment,
  removeTreatment,
  renameTreatment,
  setKeys,
  setSegments,
} from '../../src/domain/definitions/edit-treatments.ts';
import { keepMine, mergeTargetings, takeTheirs } from '../../src/domain/definitions/merge.ts';
import { aDefinition } from '../support/build.ts';
import { changedTargeting, narrowTargeting, targeting } from './changed-definitions.ts';

test('all differences together make the other targeting: none is overlooked', () => {
  const requireComplete = (before: Targeting, after: Targeting) =>
    assert.deepEqual(applyDifferences(before, differencesBetween(before, after)), after);
  fc.assert(fc.property(targeting, targeting, requireComplete));
  fc.assert(fc.property(narrowTargeting, narrowTargeting, requireComplete));
  fc.assert(fc.property(changedTargeting, ({ before, after }) => requireComplete(before, after)));
});

test('if only one side changed something, the merge has that change', () => {
  const requireTheChange = (before: Targeting, after: Targeting) => {
    for (const [theirs, mine] of [
      [after, before],
      [before, after],
      [after, after],
    ] as const) {
      assert.deepEqual(mergeTargetings({ base: before, theirs, mine }), { targeting: after, conflicts: [] });
    }
  };
  fc.assert(fc.property(narrowTargeting, narrowTargeting, requireTheChange));
  fc.assert(fc.property(changedTargeting, ({ before, after }) => requireTheChange(before, after)));
});

test('whatever two people do, the merge is valid, and so is the choice of either', () => {
  const requireValid = (merged: Targeting) =>
    assert.deepEqual(
      checkTargeting(merged, {
        flag: 'gull',
        existingFlags: new Set(dependenciesOf(merged)),
        dependentFlags: new Set(),
      }),
      [],
    );
  const requireAllValid = (base: Targeting, theirs: Targeting, mine: Targeting) => {
    const merged = mergeTargetings({ base, theirs, mine });
    requireValid(merged.targeting);
    requireValid(merged.conflicts.reduce((next, conflict) => takeTheirs(next, conflict, theirs), merged.targeting));
    requireValid(merged.conflicts.reduce(keepMine, merged.targeting));
  };
  fc.assert(fc.property(targeting, targeting, targeting, requireAllValid), { numRuns: 100 });
  fc.assert(fc.property(narrowTargeting, narrowTargeting, narrowTargeting, requireAllValid), { numRuns: 300 });
});

const rule = (segment: string, on = 100): Rule => ({
  buckets: [
    { treatment: 'on', size: on },
    { treatment: 'off', size: 100 - on },
  ],
  condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: segment }] },
});
const split = (on: number) => [
  { treatment: 'on', size: on },
  { treatment: 'off', size: 100 - on },
];
const withCompact = (share: number) => [
  { treatment: 'on', size: 100 - share },
  { treatment: 'compact', size: share },
];
const base = parseTargeting(
  aDefinition({
    treatments: [{ name: 'on', keys: ['ana'] }, { name: 'off' }, { name: 'compact' }],
    defaultRule: split(50),
    rules: [rule('staff'), rule('beta'), rule('eu')],
  }),
);
const [staff, beta, eu] = base.rules as [Rule, Rule, Rule];
const merge = (theirs: Targeting, mine: Targeting) => mergeTargetings({ base, theirs, mine });

test('changes of different steps are both kept', () => {
  const theirs = setRuleBuckets(base, 0, split(20));
  const mine = { ...base, defaultRule: split(80), trafficAllocation: 90 };
  assert.deepEqual(merge(theirs, mine), {
    targeting: { ...theirs, defaultRule: split(80), trafficAllocation: 90 },
    conflicts: [],
  });
});

test('the same step changed by both is a conflict: mine stands, and theirs can be taken', () => {
  const theirs = { ...base, defaultRule: split(60) };
  const merged = merge(theirs, { ...base, defaultRule: split(80) });
  assert.deepEqual(merged.targeting.defaultRule, split(80));
  assert.deepEqual(merged.conflicts, [
    {
      theirs: { kind: 'defaultRule', before: split(50), after: split(60) },
      mine: { kind: 'defaultRule', before: split(50), after: split(80) },
    },
  ]);
  const [conflict] = merged.conflicts;
  assert.ok(conflict);
  assert.deepEqual(takeTheirs(merged.targeting, conflict, theirs).defaultRule, split(60));
});

test('the same rule changed by both is a conflict, also after it has moved', () => {
  const theirs = setRuleBuckets(base, 1, split(10));
  const mine = setRuleBuckets(base, 1, split(20));
  const merged = merge(theirs, moveRule(mine, 1, 0));
  assert.deepEqual(merged.targeting.rules, [rule('beta', 20), staff, eu]);
  const [conflict] = merged.conflicts;
  assert.equal(merged.conflicts.length, 1);
  assert.ok(conflict);
  assert.deepEqual(takeTheirs(merged.targeting, conflict, theirs).rules, [rule('beta', 10), staff, eu]);
});

test('a rule that one removed and the other changed is a conflict in either direction', () => {
  const changed = setRuleBuckets(base, 1, split(10));
  const removed = removeRule(base, 1);
  const iRemoved = merge(changed, removed);
  assert.deepEqual(iRemoved.targeting.rules, [staff, eu]);
  assert.deepEqual(
    iRemoved.conflicts.map((conflict) => takeTheirs(iRemoved.targeting, conflict, changed).rules),
    [[staff, rule('beta', 10), eu]],
  );
  const theyRemoved = merge(removed, changed);
  assert.deepEqual(theyRemoved.targeting.rules, [staff, rule('beta', 10), eu]);
  assert.deepEqual(
    theyRemoved.conflicts.map((conflict) => takeTheirs(theyRemoved.targeting, conflict, removed).rules),
    [[staff, eu]],
  );
});

test('rules that both added are both there, each behind the rule that it was put behind', () => {
  const theirs = { ...base, rules: [staff, rule('theirs'), beta, eu] };
  const mine = { ...base, rules: [staff, beta, rule('mine'), eu] };
  assert.deepEqual(merge(theirs, mine).targeting.rules, [staff, rule('theirs'), beta, rule('mine'), eu]);
  const both = { ...base, rules: [...base.rules, rule('same')] };
  assert.deepEqual(merge(both, both).targeting.rules, both.rules);
});

test('a rule that one put there a second time is there twice, and not more often where both did', () => {
  const doubled = { ...base, rules: [staff, beta, eu, staff] };
  assert.deepEqual(merge(doubled, base).targeting.rules, doubled.rules);
  assert.deepEqual(merge(base, doubled).targeting.rules, doubled.rules);
  assert.deepEqual(merge(doubled, doubled).targeting.rules, doubled.rules);
  const addedTwice = { ...base, rules: [...base.rules, rule('new'), rule('new')] };
  assert.deepEqual(merge(base, addedTwice).targeting.rules, addedTwice.rules);
});

test('my order of the rules is kept beside their new rule, and theirs beside mine', () => {
  const moved = moveRule(base, 2, 0);
  const grown = { ...base, rules: [staff, rule('new'), beta, eu] };
  assert.deepEqual(merge(grown, moved).targeting.rules, [eu, staff, rule('new'), beta]);
  assert.deepEqual(merge(moved, grown).targeting.rules, [eu, staff, rule('new'), beta]);
});

test('individual targets that both added are all kept; a key goes where I put it', () => {
  const theirs = setKeys(base, 'on', ['ana', 'liu']);
  const mine = setKeys(setKeys(base, 'on', ['noor']), 'off', ['liu']);
  const { targeting: merged, conflicts } = merge(theirs, mine);
  assert.deepEqual(
    merged.treatments.map(({ keys }) => keys),
    [['noor'], ['liu'], undefined],
  );
  assert.deepEqual(conflicts, []);
});

test('a list of keys has the order that it was given, also where a key came from another treatment', () => {
  const before = setKeys(base, 'on', ['ana', 'liu']);
  const after = setKeys(setKeys(before, 'on', ['noor', 'liu']), 'off', ['ana']);
  assert.deepEqual(applyDifferences(before, differencesBetween(before, after).toReversed()), after);
});

test('a treatment that one renamed has its new name in what the other changed', () => {
  const renamed = renameTreatment(base, 'on', 'one_page');
  const changed = { ...base, defaultRule: split(80) };
  for (const [theirs, mine] of [
    [renamed, changed],
    [changed, renamed],
  ] as const) {
    const { targeting: merged, conflicts } = merge(theirs, mine);
    assert.deepEqual(merged.defaultRule[0], { treatment: 'one_page', size: 80 });
    assert.deepEqual(merged.rules, renamed.rules);
    assert.deepEqual(conflicts, []);
  }
});

test('a name that one gave to an old treatment and the other to a new one is there once, and nothing is lost', () => {
  const renamed = renameTreatment(base, 'compact', 'small');
  const added = { ...addTreatment(base, 'small'), defaultRule: withCompact(50) };
  for (const [theirs, mine] of [
    [renamed, added],
    [added, renamed],
  ] as const) {
    const { targeting: merged, conflicts } = merge(theirs, mine);
    assert.deepEqual(merged.treatments.map(({ name }) => name).sort(), ['compact', 'off', 'on', 'small']);
    assert.deepEqual(merged.defaultRule, withCompact(50));
    assert.deepEqual(
      conflicts.map(({ theirs: other }) => other.kind === 'treatment' && other.before?.name),
      ['compact'],
    );
  }
});

test('a treatment that they removed and I use stays until I choose', () => {
  const mine = {
    ...base,
    defaultRule: [
      { treatment: 'on', size: 50 },
      { treatment: 'compact', size: 50 },
    ],
  };
  const theirs = removeTreatment(base, 'compact');
  const { targeting: merged, conflicts } = merge(theirs, mine);
  assert.deepEqual(
    merged.treatments.map(({ name }) => name),
    ['on', 'off', 'compact'],
  );
  assert.equal(conflicts.length, 1);
  const [conflict] = conflicts;
  assert.ok(conflict);
  assert.deepEqual(takeTheirs(merged, conflict, theirs).defaultRule, [{ treatment: 'on', size: 100 }]);
});

test('a treatment that I removed and they use stays until I choose', () => {
  const theirs = { ...base, rules: [...base.rules, { ...staff, buckets: [{ treatment: 'compact', size: 100 }] }] };
  const { targeting: merged, conflicts } = merge(theirs, removeTreatment(base, 'compact'));
  assert.deepEqual(merged.rules, theirs.rules);
  const [conflict] = conflicts;
  assert.ok(conflict && conflicts.length === 1);
  assert.deepEqual(takeTheirs(merged, conflict, theirs), merged);
  assert.deepEqual(keepMine(merged, conflict).rules.at(-1)?.buckets, [{ treatment: 'off', size: 100 }]);
});

const compactUses: [string, Targeting][] = [
  ['gave it a share', { ...base, defaultRule: withCompact(50) }],
  ['serves it when killed', { ...base, defaultTreatment: 'compact' }],
  ['made it the baseline', { ...base, baselineTreatment: 'compact' }],
  ['gave it keys', setKeys(base, 'compact', ['liu'])],
  ['gave it segments', setSegments(base, 'compact', ['beta'])],
  ['moved a key to it', setKeys(setKeys(base, 'on', []), 'compact', ['ana'])],
  ['described it', changeTreatment(base, 'compact', { description: 'Small' })],
  ['gave it a share of a rule', setRuleBuckets(base, 0, withCompact(20))],
];
for (const [use, used] of compactUses) {
  const removed = removeTreatment(base, 'compact');
  test(`a treatment that one removed stays where the other ${use}, until I choose`, () => {
    for (const [theirs, mine] of [
      [used, removed],
      [removed, used],
    ] as const) {
      const { targeting: merged, conflicts } = merge(theirs, mine);
      assert.deepEqual(merged, used);
      assert.deepEqual(
        conflicts.map(({ theirs: other, mine: own }) => [other.kind, own.kind]),
        [['treatment', 'treatment']],
      );
      const chosen = [
        conflicts.reduce((next, conflict) => takeTheirs(next, conflict, theirs), merged),
        conflicts.reduce(keepMine, merged),
      ];
      assert.deepEqual(chosen[theirs === used ? 0 : 1], used);
      assert.ok(chosen[theirs === used ? 1 : 0]?.treatments.every(({ name }) => name !== 'compact'));
    }
  });
}

test('a treatment that comes back takes no key away that they gave to another', () => {
  const before = setKeys(base, 'compact', ['liu']);
  const theirs = setKeys(removeTreatment(before, 'compact'), 'off', ['liu']);
  const mine = setKeys(before, 'compact', ['liu', 'noor']);
  assert.deepEqual(
    mergeTargetings({ base: before, theirs, mine }).targeting.treatments.map(({ keys }) => keys),
    [['ana'], ['liu'], ['noor']],
  );
});

test('theirs can be taken also after I went on editing the rule', () => {
  const theirs = setRuleBuckets(base, 1, split(10));
  const merged = merge(theirs, setRuleBuckets(base, 1, split(20)));
  const edited = setRuleBuckets(merged.targeting, 1, split(30));
  assert.deepEqual(
    merged.conflicts.map((conflict) => takeTheirs(edited, conflict, theirs)),
    [theirs],
  );
  const without = removeRule(base, 1);
  const kept = merge(without, setRuleBuckets(base, 1, split(20)));
  const editedKept = setRuleBuckets(kept.targeting, 1, split(30));
  assert.deepEqual(
    kept.conflicts.map((conflict) => takeTheirs(editedKept, conflict, without)),
    [without],
  );
});

test('descriptions of different treatments are no conflict, of the same one they are', () => {
  const theirs = changeTreatment(base, 'on', { description: 'theirs' });
  assert.deepEqual(merge(theirs, changeTreatment(base, 'off', { description: 'mine' })).conflicts, []);
  assert.equal(merge(theirs, changeTreatment(base, 'on', { description: 'mine' })).conflicts.length, 1);
});
