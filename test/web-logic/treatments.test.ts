import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colourOf } from '../../web/src/kit/treatments.ts';

const slots = (order: readonly string[]) => order.map((treatment) => colourOf(treatment, order).slot);

test('treatments take the colours in their order, and what is off is grey wherever it stands', () => {
  assert.deepEqual(slots(['on', 'off']), [1, 2]);
  assert.deepEqual(slots(['off', 'on']), [2, 1]);
  assert.deepEqual(slots(['red', 'green', 'blue']), [1, 2, 3]);
  assert.deepEqual(slots(['a', 'disabled', 'b', 'c']), [1, 2, 3, 4]);
});

test('from the seventh treatment on colours repeat, with a hatch', () => {
  const order = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  assert.deepEqual(colourOf('f', order), { slot: 6, isRepeated: false });
  assert.deepEqual(colourOf('g', order), { slot: 1, isRepeated: true });
  assert.deepEqual(colourOf('g', ['off', ...order]), { slot: 3, isRepeated: true });
});

test('a treatment that is not there any more has a colour, too', () => {
  assert.deepEqual(colourOf('gone', ['on', 'off']), { slot: 3, isRepeated: false });
});
