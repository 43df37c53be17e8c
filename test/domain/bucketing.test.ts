import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import { bucketOf, murmur3, toUtf8, treatmentAt } from '#domain/bucketing.ts';

test('murmur3 gives the numbers that are known for it', () => {
  for (const [text, seed, hash] of [
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', -1, 0x81f16f39],
    ['test', 0, 0xba6bd213],
    ['test', 0x9747b28c, 0x704b81dc],
    ['Hello, world!', 0, 0xc0363e43],
    ['Hello, world!', 0x9747b28c, 0x24884cba],
    ['The quick brown fox jumps over the lazy dog', 0, 0x2e4ff723],
    ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
  ] as const) {
    assert.equal(murmur3(toUtf8(text), seed), hash, `${text} ${seed}`);
  }
});

test('texts become the bytes that every other program makes of them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.deepEqual(toUtf8(text), [...new TextEncoder().encode(text)]);
    }),
  );
});

test('half a surrogate pair has bytes of its own', () => {
  assert.deepEqual(toUtf8('\ud83d'), [0xed, 0xa0, 0xbd]);
  assert.deepEqual(toUtf8('a\udc00b'), [0x61, 0xed, 0xb0, 0x80, 0x62]);
});

test('the legacy hash gives the buckets that the official package computes', () => {
  const { bucket } = createRequire(createRequire(import.meta.url).resolve('@splitsoftware/splitio'))(
    '@splitsoftware/splitio-commons/cjs/utils/murmur3/legacy',
  ) as { bucket: (key: string, seed: number) => number };
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer(), (key, seed) => {
      assert.equal(bucketOf(key, seed, 1), bucket(key, seed));
    }),
    { numRuns: 10_000 },
  );
  // The hash of the last one is the smallest 32-bit number.
  for (const [key, bucket] of Object.entries({ '': 1, ana: 25, polygenelubricants: 49 })) {
    assert.equal(bucketOf(key, 0, 1), bucket, key);
  }
});

test('a seed is the same as a signed and as an unsigned number', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer(), (key, seed) => {
      assert.equal(bucketOf(key, seed, 2), bucketOf(key, seed >>> 0, 2));
    }),
  );
});

test('buckets are 1 to 100, about equally full', () => {
  const counts = new Map<number, number>();
  for (let index = 0; index < 100_000; index += 1) {
    const bucket = bucketOf(`user-${index}`, 42, 2);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  assert.deepEqual(
    [...counts.keys()].sort((a, b) => a - b),
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
  for (const count of counts.values()) assert.ok(count > 850 && count < 1150, String(count));
});

test('shares lie side by side in their order; one of size 0 has no bucket', () => {
  const shares = [
    { treatment: 'none', size: 0 },
    { treatment: 'a', size: 1 },
    { treatment: 'b', size: 98 },
    { treatment: 'c', size: 1 },
  ];
  const found = [1, 2, 99, 100].map((bucket) => treatmentAt(shares, bucket));
  assert.deepEqual(found, ['a', 'b', 'b', 'c']);
  assert.equal(treatmentAt([{ treatment: 'a', size: 50 }], 51), undefined);
});
