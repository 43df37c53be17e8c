import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  curveOf,
  errorsInWords,
  headline,
  peakOf,
  reachedAfter,
  span,
  usesOf,
  whyBehind,
} from '../../web/src/features/sdks/fleet.ts';

test('times are as exact as they matter', () => {
  assert.deepEqual([143, 2_940, 48_400, 720_000, 9_000_000].map(span), ['0.14 s', '2.9 s', '48 s', '12 min', '3 h']);
});

test('the headline says how many hold the change', () => {
  assert.equal(headline({ instances: 420, converged: 412 }), '412 of 420 hold the last change');
  assert.equal(headline({ instances: 1_420, converged: 1_420 }), 'All 1,420 hold the last change');
  assert.equal(headline({ instances: 0, converged: 0 }), 'No instance is connected');
});

test('an instance that polls says when it asks next', () => {
  const one = { sdk: 'go-6.8.0', changeNumber: 5, lastSeenAt: 1_000, streams: 0 };
  assert.equal(whyBehind({ ...one, pollMilliseconds: 60_000 }, 40_000), 'Polls every 60 s, next in 21 s');
  assert.equal(whyBehind(one, 40_000), 'Waiting for its next poll, last seen 39 s ago');
});

test('the curve ends at the share that has the change, and names times only when they are reached', () => {
  const arrivals = [20, 100, 2_000];
  const { points } = curveOf(arrivals, 4, 5_000);
  assert.deepEqual(
    points.map(({ y }) => y),
    [0.25, 0.5, 0.75],
  );
  assert.ok(points.every(({ x }) => x >= 0 && x <= 1));
  assert.deepEqual([reachedAfter(arrivals, 4, 0.5), reachedAfter(arrivals, 4, 0.95)], [100, undefined]);
});

test('versions are compared as numbers, and those with advice are marked', () => {
  const sdk = { firstSeenAt: 0, lastSeenAt: 0, streams: 0 };
  const [nodejs, java] = usesOf([
    { ...sdk, sdk: 'nodejs-11.9.0' },
    { ...sdk, sdk: 'nodejs-11.11.2' },
    { ...sdk, sdk: 'nodejs-10.28.0', advice: 'Update it.' },
    { ...sdk, sdk: 'java-4.18.3' },
  ]);
  assert.deepEqual(
    nodejs?.versions.map(({ version, kind }) => [version, kind]),
    [
      ['11.11.2', 'newest'],
      ['11.9.0', 'older'],
      ['10.28.0', 'lacking'],
    ],
  );
  assert.deepEqual([java?.name, java?.count], ['java', 1]);
});

test('errors and peaks are said in words', () => {
  const http = [{ resource: 'flags', status: '503', count: 4 }];
  const reported = { at: 0, http, exceptions: 1, droppedImpressions: 0, droppedEvents: 2 };
  assert.equal(errorsInWords(reported), '4 × 503 for flags, 1 exception, 2 events dropped');
  assert.equal(peakOf([0, 3, 1], Date.UTC(2026, 10, 15), 24 * 3_600_000), 'Most: 3 on 16 Nov');
  assert.equal(peakOf([0, 0], 0, 3_600_000), 'None in this period');
});
