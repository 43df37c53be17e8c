import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { rolloutOf } from '#domain/rollouts.ts';
import { aDefinition } from '../support/build.ts';

const rollout = (changes: Record<string, unknown>) => rolloutOf(parseTargeting(aDefinition(changes)));
const shares = (on: number, off: number) => [
  { treatment: 'on', size: on },
  { treatment: 'off', size: off },
];

test('the traffic allocation counts: those outside of it get the default treatment', () => {
  assert.deepEqual(rollout({ trafficAllocation: 50, defaultRule: shares(5, 95) }), shares(2.5, 97.5));
  assert.deepEqual(rollout({ trafficAllocation: 50, defaultRule: [{ treatment: 'on', size: 100 }] }), shares(50, 50));
  assert.deepEqual(rollout({ defaultRule: [{ treatment: 'on', size: 100 }] }), [{ treatment: 'on', size: 100 }]);
});

test('a killed flag gives everybody the default treatment', () => {
  assert.deepEqual(rollout({ killed: true, defaultRule: shares(80, 20) }), shares(0, 100));
});
