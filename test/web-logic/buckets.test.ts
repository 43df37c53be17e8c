import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Bucket } from '#domain/definitions.ts';
import {
  bordersOf,
  moveBorder,
  setShare,
  withoutEmptyEnd,
  withoutTreatment,
  withTreatments,
} from '../../web/src/features/definitions/buckets.ts';

const buckets: fc.Arbitrary<Bucket[]> = fc.array(fc.nat(100), { maxLength: 4 }).map((cuts) => {
  const ends = [...cuts.sort((one, other) => one - other), 100];
  return ends.map((end, index) => ({ treatment: `t${index}`, size: end - (ends[index - 1] ?? 0) }));
});
const anything = fc.oneof(fc.integer({ min: -50, max: 150 }), fc.double(), fc.constant(Number.NaN));
const names = (list: readonly Bucket[]) => list.map(({ treatment }) => treatment);

function requireWhole(list: readonly Bucket[]): void {
  assert.equal(
    list.reduce((sum, { size }) => sum + size, 0),
    100,
  );
  for (const { size } of list) assert.ok(Number.isInteger(size) && size >= 0 && size <= 100, JSON.stringify(list));
}

test('whatever share is asked for, the sizes add up to 100 and the order stays', () => {
  fc.assert(
    fc.property(buckets, fc.nat(4), anything, (list, index, share) => {
      const next = setShare(list, index % list.length, share);
      requireWhole(next);
      assert.deepEqual(names(next), names(list));
    }),
  );
});

test('a share that is possible is given; the last of the others gives first', () => {
  const three = [
    { treatment: 'on', size: 50 },
    { treatment: 'off', size: 30 },
    { treatment: 'compact', size: 20 },
  ];
  const sizes = (index: number, share: number) => setShare(three, index, share).map(({ size }) => size);
  assert.deepEqual(sizes(0, 60), [60, 30, 10]);
  assert.deepEqual(sizes(0, 90), [90, 10, 0]);
  assert.deepEqual(sizes(0, 40), [40, 30, 30]);
  assert.deepEqual(sizes(2, 0), [50, 50, 0]);
  assert.deepEqual(sizes(2, 100), [0, 0, 100]);
  assert.deepEqual(setShare([{ treatment: 'on', size: 100 }], 0, 10), [{ treatment: 'on', size: 100 }]);
});

test('a border moves as far as its neighbours, and only they change', () => {
  fc.assert(
    fc.property(buckets, fc.nat(3), anything, (list, border, to) => {
      if (list.length < 2) return;
      const index = border % (list.length - 1);
      const next = moveBorder(list, index, to);
      requireWhole(next);
      for (const [place, bucket] of next.entries()) {
        if (place !== index && place !== index + 1) assert.deepEqual(bucket, list[place]);
      }
      const [least = 0, most = 100] = [bordersOf(list)[index - 1], bordersOf(list)[index + 1]];
      // A border at -0 is one at 0.
      if (Number.isInteger(to) && to >= least && to <= most) assert.equal(bordersOf(next)[index], to + 0);
    }),
  );
});

test('a treatment that goes leaves its share to the last that stays', () => {
  const list = [
    { treatment: 'on', size: 50 },
    { treatment: 'off', size: 50 },
  ];
  assert.deepEqual(withoutTreatment(list, 'off', 'on'), [{ treatment: 'on', size: 100 }]);
  assert.deepEqual(withoutTreatment(list, 'other', 'on'), list);
  assert.deepEqual(withoutTreatment([{ treatment: 'on', size: 100 }], 'on', 'off'), [{ treatment: 'off', size: 100 }]);
  fc.assert(
    fc.property(buckets, fc.nat(4), (all, index) => {
      requireWhole(withoutTreatment(all, `t${index % all.length}`, 'heir'));
    }),
  );
});

test('trying a treatment and taking its share back leaves no trace', () => {
  fc.assert(
    fc.property(buckets, fc.integer({ min: 1, max: 100 }), (saved, share) => {
      const tried = setShare(withTreatments(saved, ['new']), saved.length, share);
      assert.equal(tried.at(-1)?.treatment, 'new');
      const back = saved.reduce((list, { size }, index) => setShare(list, index, size), tried);
      assert.deepEqual(withoutEmptyEnd(back, saved), saved);
    }),
  );
});
