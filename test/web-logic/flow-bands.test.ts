/** The picture of a change: bands between the shares now and after. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bandsOf } from '../../web/src/features/definitions/review/flow-bands.ts';

const order = ['on', 'compact', 'off'];

test('bars and bands are stacked in the order of the treatments, and moves cross', () => {
  const flows = [
    { from: 'on', to: 'on', share: 48 },
    { from: 'on', to: 'off', share: 32 },
    { from: 'off', to: 'on', share: 12 },
    { from: 'off', to: 'off', share: 8 },
  ];
  assert.deepEqual(bandsOf(flows, order), {
    before: [
      { treatment: 'on', top: 0, share: 80 },
      { treatment: 'off', top: 80, share: 20 },
    ],
    after: [
      { treatment: 'on', top: 0, share: 60 },
      { treatment: 'off', top: 60, share: 40 },
    ],
    bands: [
      { from: 'on', to: 'on', share: 48, left: 0, right: 0 },
      { from: 'on', to: 'off', share: 32, left: 48, right: 60 },
      { from: 'off', to: 'on', share: 12, left: 80, right: 48 },
      { from: 'off', to: 'off', share: 8, left: 92, right: 92 },
    ],
  });
});

test('a treatment without a place in the order comes last, and one without keys is not drawn', () => {
  const { before, after } = bandsOf([{ from: 'control', to: 'off', share: 100 }], order);
  assert.deepEqual(before, [{ treatment: 'control', top: 0, share: 100 }]);
  assert.deepEqual(after, [{ treatment: 'off', top: 0, share: 100 }]);
});

test('bands fill both bars without gaps and without covering each other', () => {
  const flow = fc.record({ from: fc.constantFrom(...order), to: fc.constantFrom(...order), share: fc.nat(10_000) });
  const flows = fc
    .uniqueArray(flow, { selector: ({ from, to }) => `${from} ${to}`, minLength: 1 })
    .map((list) => list.map((one) => ({ ...one, share: one.share / 100 })));
  fc.assert(
    fc.property(flows, (list) => {
      const { bands, before, after } = bandsOf(list, order);
      const close = (one: number, other: number) => assert.ok(Math.abs(one - other) < 0.05, `${one} and ${other}`);
      for (const [side, parts] of [['left', before] as const, ['right', after] as const]) {
        let end = 0;
        for (const band of bands.toSorted((one, other) => one[side] - other[side])) {
          close(band[side], end);
          end += band.share;
        }
        close(end, (parts.at(-1)?.top ?? 0) + (parts.at(-1)?.share ?? 0));
      }
    }),
  );
});
