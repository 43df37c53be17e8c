/**
 * Computes the bucket of a key, 1 to 100, exactly like the official SDKs: murmur3 (x86, 32 bits) of the key's UTF-8
 * bytes, or the legacy hash of its UTF-16 units. A different result would make the interface show another treatment
 * than SDKs serve.
 */
import { type Static, Type } from 'typebox';

/** Created with the definition and never changed, so that edits do not move keys between buckets. */
export const Seeds = Type.Object({
  seed: Type.Integer({ description: 'for the shares of rules and of the default rule; a signed 32-bit number' }),
  trafficAllocationSeed: Type.Integer({ description: 'for the traffic allocation; a signed 32-bit number' }),
});
export type Seeds = Readonly<Static<typeof Seeds>>;

/** How SDKs hash a key: 1 is the legacy hash, which only imported definitions have, 2 is murmur3. */
export const Algorithm = Type.Union([Type.Literal(1), Type.Literal(2)], {
  description: 'how SDKs hash keys: 2 is murmur3; 1 is the legacy hash of old definitions that were imported',
});
export type Algorithm = Static<typeof Algorithm>;

/** Everything that decides about buckets. */
export const Bucketing = Type.Object({ ...Seeds.properties, algo: Algorithm });
export type Bucketing = Readonly<Static<typeof Bucketing>>;

export interface Share {
  readonly treatment: string;
  readonly size: number;
}

export const bucketOf = (key: string, seed: number, algo: Algorithm): number =>
  algo === 1 ? Math.abs(legacyHash(key, seed) % 100) + 1 : (murmur3(toUtf8(key), seed) % 100) + 1;

/** A signed 32-bit number. */
function legacyHash(key: string, seed: number): number {
  let hash = 0;
  for (let index = 0; index < key.length; index += 1) hash = (Math.imul(31, hash) + key.charCodeAt(index)) | 0;
  return hash ^ seed;
}

/** Shares cover the 100 buckets in order. Undefined only if they add up to less than the bucket. */
export function treatmentAt(shares: readonly Share[], bucket: number): string | undefined {
  let end = 0;
  for (const { treatment, size } of shares) {
    end += size;
    if (bucket <= end) return treatment;
  }
  return undefined;
}

/** An unsigned 32-bit number. */
export function murmur3(bytes: readonly number[], seed: number): number {
  const byteAt = (index: number) => bytes[index] ?? 0;
  const tail = bytes.length - (bytes.length % 4);
  let hash = seed;
  for (let index = 0; index < tail; index += 4) {
    const block = byteAt(index) | (byteAt(index + 1) << 8) | (byteAt(index + 2) << 16) | (byteAt(index + 3) << 24);
    hash = Math.imul(rotate(hash ^ scramble(block), 13), 5) + 0xe6546b64;
  }
  if (tail < bytes.length) hash ^= scramble(byteAt(tail) | (byteAt(tail + 1) << 8) | (byteAt(tail + 2) << 16));
  return finish(hash ^ bytes.length);
}

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));
const scramble = (block: number): number => Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);

function finish(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Written out, because the language itself has no encoder (the domain may not use platform APIs). Encodes a lone
 * surrogate as if it were a character.
 */
export function toUtf8(text: string): number[] {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const point = text.codePointAt(index) ?? 0;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), following(point));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), following(point >> 6), following(point));
    else {
      bytes.push(0xf0 | (point >> 18), following(point >> 12), following(point >> 6), following(point));
      index += 1;
    }
  }
  return bytes;
}

const following = (bits: number): number => 0x80 | (bits & 0x3f);
