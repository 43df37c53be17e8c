import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Bucket } from '#domain/definitions/definition.ts';
import {
  bordersOf,
  changeShare,
  moveBorder,
  type ShareChange,
  withoutTreatment,
  withoutUnused,
  withTreatments,
} from '../../src/domain/definitions/shares.ts';

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

const one = (treatment: string, share: number, isTyped = false) => ({ treatment, share, isTyped, saved: [] });
const set = (list: readonly Bucket[], treatment: string, share: number) =>
  changeShare(list, undefined, one(treatment, share)).result;
const sizesOf = (list: readonly Bucket[]) => list.map(({ size }) => size);
const ofSizes = (...sizes: number[]): Bucket[] => sizes.map((size, index) => ({ treatment: `t${index}`, size }));

test('whatever share is asked for, the sizes add up to 100 and the order stays', () => {
  const step = fc.record({ index: fc.nat(4), share: anything, isTyped: fc.boolean() });
  fc.assert(
    fc.property(buckets, buckets, fc.array(step, { maxLength: 6 }), (list, saved, steps) => {
      let last: ShareChange | undefined;
      let now: readonly Bucket[] = list;
      for (const { index, share, isTyped } of steps) {
        const treatment = `t${index % list.length}`;
        last = changeShare(now, last, { treatment, share, isTyped, saved });
        now = last.result;
        requireWhole(now);
        assert.deepEqual(names(now), names(list));
        const given = now.find((bucket) => bucket.treatment === treatment)?.size;
        if (list.length > 1 && Number.isInteger(share) && share >= 0 && share <= 100) assert.equal(given, share + 0);
      }
    }),
  );
});

test('setting a share back brings every other share back', () => {
  fc.assert(
    fc.property(buckets, fc.nat(4), fc.array(fc.nat(100)), fc.boolean(), (list, index, shares, isTyped) => {
      const treatment = `t${index % list.length}`;
      const start = list.find((bucket) => bucket.treatment === treatment)?.size ?? 0;
      let last: ShareChange | undefined;
      for (const share of [...shares, start]) {
        last = changeShare(last?.result ?? list, last, one(treatment, share, isTyped));
      }
      assert.deepEqual(last?.result, list);
    }),
  );
});

test('the other shares keep their proportion', () => {
  const four = ofSizes(40, 30, 20, 10);
  assert.deepEqual(sizesOf(set(four, 't0', 80)), [80, 10, 7, 3]);
  assert.deepEqual(sizesOf(set(four, 't0', 10)), [10, 45, 30, 15]);
  assert.deepEqual(sizesOf(set(four, 't3', 100)), [0, 0, 0, 100]);
  assert.deepEqual(sizesOf(set(ofSizes(100), 't0', 10)), [100]);
});

test('after 100 the others get back the proportion they were saved with', () => {
  const next = changeShare(ofSizes(100, 0, 0), undefined, { ...one('t0', 10), saved: ofSizes(40, 40, 20) });
  assert.deepEqual(sizesOf(next.result), [10, 60, 30]);
  assert.deepEqual(sizesOf(set(ofSizes(100, 0, 0), 't0', 10)), [10, 0, 90]);
});

test('shares that are typed one after the other stay as they were typed', () => {
  let last = changeShare(ofSizes(50, 30, 20), undefined, one('t0', 60, true));
  last = changeShare(last.result, last, one('t1', 10, true));
  assert.deepEqual(sizesOf(last.result), [60, 10, 30]);
  last = changeShare(last.result, last, one('t2', 50, true));
  assert.deepEqual(sizesOf(last.result), [43, 7, 50]);
});

test('shares changed in another way are where the next series starts', () => {
  const last = changeShare(ofSizes(40, 30, 30), undefined, one('t0', 100));
  assert.deepEqual(sizesOf(changeShare(ofSizes(20, 60, 20), last, one('t0', 60)).result), [60, 30, 10]);
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
      const [min = 0, max = 100] = [bordersOf(list)[index - 1], bordersOf(list)[index + 1]];
      // A border at -0 is one at 0.
      if (Number.isInteger(to) && to >= min && to <= max) assert.equal(bordersOf(next)[index], to + 0);
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
      const tried = changeShare(withTreatments(saved, ['new']), undefined, { ...one('new', share, true), saved });
      assert.equal(tried.result.at(-1)?.size, share);
      const back = changeShare(tried.result, tried, { ...one('new', 0, true), saved });
      assert.deepEqual(withoutUnused(back.result, saved), saved);
    }),
  );
});
