import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Bucket } from '#domain/definitions/definition.ts';
import { movedShares } from '#domain/definitions/shares.ts';

const split = (...sizes: number[]): Bucket[] => sizes.map((size, index) => ({ treatment: `t${index}`, size }));

test('raising the first share takes from the next one only', () => {
  assert.deepEqual(movedShares(split(50, 50), split(80, 20)), [{ from: 't1', to: 't0', share: 30 }]);
});

test('the same shares move nobody, also with empty buckets', () => {
  assert.deepEqual(movedShares(split(50, 50), split(50, 50, 0)), []);
  assert.deepEqual(movedShares(split(50, 0, 50), split(50, 0, 50)), []);
});

test('another order of the same shares moves people', () => {
  const before = split(50, 50);
  assert.deepEqual(movedShares(before, before.toReversed()), [
    { from: 't0', to: 't1', share: 50 },
    { from: 't1', to: 't0', share: 50 },
  ]);
});

test('the keys that leave and join a treatment add up to the change of its share', () => {
  const shares = fc.array(fc.nat(100), { minLength: 3, maxLength: 3 }).map((cuts) => {
    const ends = [...cuts.sort((one, other) => one - other), 100];
    return split(...ends.map((end, index) => end - (ends[index - 1] ?? 0)));
  });
  fc.assert(
    fc.property(shares, shares, (before, after) => {
      const moves = movedShares(before, after);
      for (const { treatment } of before) {
        const sum = (way: 'from' | 'to') =>
          moves.filter((move) => move[way] === treatment).reduce((total, { share }) => total + share, 0);
        const sizeIn = (list: Bucket[]) => list.find((bucket) => bucket.treatment === treatment)?.size ?? 0;
        assert.equal(sum('to') - sum('from'), sizeIn(after) - sizeIn(before));
      }
    }),
  );
});
