import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { type Hash64, hash64 } from '#domain/hash64.ts';
import { chanceOf } from '../support/chance.ts';
import { alphabets } from '../support/random-values.ts';

const fromSdk = createRequire(createRequire(import.meta.url).resolve('@splitsoftware/splitio'));
const sdk = fromSdk('@splitsoftware/splitio-commons/cjs/utils/murmur3/murmur3_64') as {
  hash64: (key: string) => { hex: string; dec: string };
};

const hex = ({ high, low }: Hash64) => [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');

test('the hash of a key is the number that is known for it', () => {
  assert.equal(hex(hash64('')), '0000000000000000');
  assert.equal(hex(hash64('key1')), '15d67461d2044fb3');
  // The known hash of this sentence with 128 bits begins so.
  assert.equal(hex(hash64('The quick brown fox jumps over the lazy dog')), 'e34bbc7bbc071b6c');
});

test('the hash of 100,000 random keys of every length and alphabet is that of the official SDK', () => {
  const chance = chanceOf(64);
  for (let number = 0; number < 100_000; number += 1) {
    const letters = chance.oneOf(alphabets);
    const key = chance.listOf(0, chance.odds(0.05) ? 250 : 24, () => chance.oneOf(letters)).join('');
    const ours = hex(hash64(key));
    if (ours !== sdk.hash64(key).hex) assert.equal(ours, sdk.hash64(key).hex, JSON.stringify(key));
  }
});
