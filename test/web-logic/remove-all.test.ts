import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { removeAll } from '../../web/src/features/environments/remove-all.ts';

/** A list that is read in pages of ten, and how it is worked through. */
function aList(size: number, { failsAt = -1, stopsAfter = Number.POSITIVE_INFINITY } = {}) {
  const left = new Set(Array.from({ length: size }, (_, index) => index));
  let underWay = 0;
  let max = 0;
  const counts: number[] = [];
  const run = () =>
    removeAll({
      list: async () => [...left].slice(0, 10),
      remove: async (item: number) => {
        underWay += 1;
        max = Math.max(max, underWay);
        await setImmediate();
        underWay -= 1;
        if (item === failsAt) throw new Error('refused');
        left.delete(item);
      },
      onRemoved: (count) => counts.push(count),
      isStopped: () => counts.length >= stopsAfter,
    });
  return { left, counts, run, max: () => max };
}

test('everything is removed, page by page, at max four at a time', async () => {
  const list = aList(33);
  assert.equal(await list.run(), 33);
  assert.equal(list.left.size, 0);
  assert.deepEqual([list.counts.length, list.counts.at(-1), list.max()], [33, 33, 4]);
});

test('a failure ends it, and what was removed stays removed', async () => {
  const list = aList(33, { failsAt: 12 });
  await assert.rejects(list.run(), /refused/);
  assert.ok(list.left.has(12) && list.left.size > 15, String(list.left.size));
});

test('stopping it lets what is under way finish, and starts nothing else', async () => {
  const list = aList(33, { stopsAfter: 5 });
  const removed = await list.run();
  assert.equal(removed, 33 - list.left.size);
  assert.ok(removed >= 5 && removed < 10, String(removed));
});
