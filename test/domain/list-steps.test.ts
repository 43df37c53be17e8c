import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { listSteps } from '#domain/definitions/list-steps.ts';

/** An old list of this length, and a new one made of some of its items in any order, with new ones between. */
const lists = fc
  .nat(12)
  .chain((oldLength) =>
    fc.record({
      oldLength: fc.constant(oldLength),
      kept: fc.shuffledSubarray(Array.from({ length: oldLength }, (_, place) => place)),
      added: fc.array(fc.nat(12), { maxLength: 4 }),
    }),
  )
  .map(({ oldLength, kept, added }) => {
    const origins: (number | undefined)[] = [...kept];
    for (const at of added) origins.splice(Math.min(at, origins.length), 0, undefined);
    return { oldLength, origins };
  });

test('the steps make the new list', () => {
  fc.assert(
    fc.property(lists, ({ oldLength, origins }) => {
      const list: (number | string)[] = Array.from({ length: oldLength }, (_, place) => place);
      for (const step of listSteps(oldLength, origins)) {
        if (step.step === 'remove') list.splice(step.at, 1);
        else if (step.step === 'add') list.splice(step.at, 0, `new ${step.item}`);
        else list.splice(step.to, 0, ...list.splice(step.from, 1));
      }
      assert.deepEqual(
        list,
        origins.map((origin, item) => origin ?? `new ${item}`),
      );
    }),
  );
});

test('items that keep their order are not moved', () => {
  assert.deepEqual(listSteps(5, [1, 2, 3, 4, 0]), [{ step: 'move', from: 0, to: 4, item: 4 }]);
  assert.deepEqual(listSteps(5, [4, 0, 1, 2, 3]), [{ step: 'move', from: 4, to: 0, item: 0 }]);
  assert.deepEqual(listSteps(3, [0, 1, 2]), []);
});

test('no more steps than items are new, gone or moved', () => {
  fc.assert(
    fc.property(lists, ({ oldLength, origins }) => {
      const kept = origins.filter((origin) => origin !== undefined);
      const added = origins.length - kept.length;
      const steps = listSteps(oldLength, origins);
      assert.equal(steps.filter(({ step }) => step === 'remove').length, oldLength - kept.length);
      assert.equal(steps.filter(({ step }) => step === 'add').length, added);
      assert.ok(steps.filter(({ step }) => step === 'move').length <= Math.max(0, kept.length - 1));
    }),
  );
});
