import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { rolloutLine } from '../../web/src/features/definitions/page/rollout-line.ts';
import { aDefinition } from '../support/build.ts';

const split = (on: number) => [
  { treatment: 'on', size: on },
  { treatment: 'off', size: 100 - on },
];
const now = (on: number, changes = {}) => ({
  treatment: 'on',
  targeting: parseTargeting(aDefinition({ defaultRule: split(on), ...changes })),
  at: 400,
});
const history = (...points: [at: number, on: number][]) => ({
  since: 100,
  points: points.map(([at, on]) => ({ at, shares: split(on) })),
});

test('without a change the line is flat', () => {
  assert.deepEqual(rolloutLine(history([100, 30]), now(30)), [{ at: 100, share: 30 }]);
});

test('what was saved after the history was read is a step at the end: the past stays what it was', () => {
  assert.deepEqual(rolloutLine(history([100, 10], [200, 50]), now(5)), [
    { at: 100, share: 10 },
    { at: 200, share: 50 },
    { at: 400, share: 5 },
  ]);
});

test('the traffic allocation and a kill count', () => {
  assert.deepEqual(rolloutLine(history([100, 50]), now(50, { trafficAllocation: 10 })).at(-1), { at: 400, share: 5 });
  assert.deepEqual(rolloutLine(history([100, 50]), now(50, { killed: true })).at(-1), { at: 400, share: 0 });
});

test('where it is not defined yet, nobody gets it', () => {
  const points = [{ at: 100, shares: [] }, ...history([200, 50]).points];
  assert.deepEqual(rolloutLine({ since: 100, points }, now(50)), [
    { at: 100, share: 0 },
    { at: 200, share: 50 },
  ]);
});
