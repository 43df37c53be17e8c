import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bucket } from '#domain/definitions/definition.ts';
import { changeShare, withoutUnused } from '#domain/definitions/shares.ts';
import { raisedTreatment, withRaised } from '../../web/src/features/definitions/ladder/raised.ts';

test('a rollout raises the first treatment that is not the default, also if the buckets lack it', () => {
  const flag = { treatments: ['on', 'off', 'new'], defaultTreatment: 'off' };
  const share = (treatment: string, size: number): Bucket => ({ treatment, size });
  const shown = (...list: Bucket[]) => ({ raised: raisedTreatment(list, flag), shares: withRaised(list, flag) });
  const everyoneOff = [share('on', 0), share('off', 100)];
  assert.deepEqual(shown(share('off', 100)), { raised: 'on', shares: everyoneOff });
  assert.deepEqual(shown(...everyoneOff), { raised: 'on', shares: everyoneOff });
  assert.deepEqual(shown(share('on', 100)), { raised: 'on', shares: [share('on', 100), share('off', 0)] });
  const others = [share('off', 40), share('new', 60)];
  assert.deepEqual(shown(...others), { raised: 'new', shares: others });
  const single = { treatments: ['off'], defaultTreatment: 'off' };
  assert.equal(raisedTreatment([share('off', 100)], single), undefined);
  assert.deepEqual(withRaised([share('off', 100)], single), [share('off', 100)]);
});

test('raising a treatment that the saved buckets lack and taking it back leaves no trace', () => {
  const saved: Bucket[] = [{ treatment: 'off', size: 100 }];
  const raised = withRaised(saved, { treatments: ['on', 'off'], defaultTreatment: 'off' });
  assert.deepEqual(withoutUnused(raised, saved), saved);
  const { result: ten } = changeShare(raised, undefined, { treatment: 'on', share: 10, isTyped: false, saved });
  assert.deepEqual(withoutUnused(ten, saved), [
    { treatment: 'on', size: 10 },
    { treatment: 'off', size: 90 },
  ]);
});
