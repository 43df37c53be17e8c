import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Share } from '#domain/bucketing.ts';
import { type Evaluable, evaluatorOf, type World } from '#domain/evaluate.ts';
import { compareRollouts, sampleKeys } from '#domain/rollout.ts';
import { worldOf } from '../support/random-worlds.ts';

const nowhere: World = { definitionOf: () => undefined, isInSegment: () => false };

const withShares = (defaultRule: Share[], changes: Partial<Evaluable> = {}): Evaluable => ({
  name: 'flag',
  killed: false,
  treatments: ['a', 'b', 'c', 'd'].map((name) => ({ name })),
  defaultTreatment: 'a',
  baselineTreatment: 'a',
  trafficAllocation: 100,
  rules: [],
  defaultRule,
  seed: -42,
  trafficAllocationSeed: 42,
  ...changes,
});

test('a comparison counts what each key gets before and after, as evaluating one by one does', () => {
  const keys = sampleKeys(40);
  for (let number = 0; number < 300; number += 1) {
    const [world, other] = [worldOf(number), worldOf(number + 1)];
    const before = world.flags[0] ?? assert.fail();
    const after = { ...(other.flags[0] ?? assert.fail()), rules: [] };
    const { attributes } = world.subject;
    const sides = keys.map((key) =>
      [before, after].map((definition) => evaluatorOf(definition, world)({ key, attributes }).treatment),
    );
    const { treatments, moved, moves } = compareRollouts({ before, after, world, keys, attributes });
    for (const { treatment, ...counts } of treatments) {
      const [was, is] = [0, 1].map((side) => sides.filter((pair) => pair[side] === treatment).length);
      assert.deepEqual(counts, { before: was, after: is }, treatment);
    }
    const total = treatments
      .map((counts) => [counts.before, counts.after])
      .reduce(([a = 0, b = 0], [c = 0, d = 0]) => [a + c, b + d]);
    assert.deepEqual(total, [keys.length, keys.length]);
    assert.equal(moved, sides.filter(([from, to]) => from !== to).length);
    for (const { from, to, keys: count } of moves) {
      assert.equal(sides.filter((pair) => pair[0] === from && pair[1] === to && from !== to).length, count);
    }
    assert.equal(
      moves.reduce((sum, move) => sum + move.keys, 0),
      moved,
    );
    assert.deepEqual(
      moves,
      moves.toSorted((a, b) => b.keys - a.keys),
    );
  }
});

test('where the flag is not defined, everybody gets control, which is told last', () => {
  const after = withShares([{ treatment: 'b', size: 100 }]);
  const keys = sampleKeys(10);
  assert.deepEqual(compareRollouts({ before: undefined, after, world: nowhere, keys, attributes: {} }), {
    treatments: [
      { treatment: 'a', before: 0, after: 0 },
      { treatment: 'b', before: 0, after: 10 },
      { treatment: 'c', before: 0, after: 0 },
      { treatment: 'd', before: 0, after: 0 },
      { treatment: 'control', before: 10, after: 0 },
    ],
    moved: 10,
    moves: [{ from: 'control', to: 'b', keys: 10 }],
  });
});

test('the sample is close to the whole: shares of 10,000 keys are as large as they were cut', () => {
  const cut = [
    { treatment: 'a', size: 5 },
    { treatment: 'b', size: 95 },
  ];
  for (const seed of [0, -1, 123_456_789, -2_000_000_000]) {
    const after = withShares(cut, { seed });
    const comparison = { before: undefined, after, world: nowhere, keys: sampleKeys(10_000), attributes: {} };
    const counted = compareRollouts(comparison).treatments[0]?.after ?? 0;
    assert.ok(Math.abs(counted - 500) < 100, String(counted));
  }
  assert.equal(new Set(sampleKeys(10_000)).size, 10_000);
});
