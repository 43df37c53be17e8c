import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultRolloutStatuses } from '#domain/default-rollout-statuses.ts';
import { descriptionOf } from '../../web/src/kit/rollout-status-words.ts';

test('the vendor’s descriptions are shown in our words, others as they are', () => {
  for (const status of defaultRolloutStatuses) assert.doesNotMatch(descriptionOf(status), /^$|split/i);
  assert.equal(descriptionOf({ description: 'Splits traffic by region' }), 'Splits traffic by region');
  assert.equal(descriptionOf({ description: '' }), '');
});
