/**
 * The keys of segments, in memory: those of standard ones as SDKs fetch them, and of standard and large ones as hashes
 * that tell whether a key is in them. Values are immutable; a change makes a new one.
 *
 * Invariants
 * 1. A key that was changed after the number of `base` is in `log`, whatever base says about it: the number is read
 *    before the keys.
 * 2. `log` has every change after `logStart`. SDKs that know `logStart` or a later number get what they miss from it.
 * 3. `base.number` is not below `logStart`, so that an SDK that has fetched base can continue.
 */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import { first53Bits, hash64 } from '#domain/hash64.ts';
import { findServedList, listBlocksOf, listKeysAfter } from '#store/delivery.ts';
import { listAllKeys } from '#store/segment-keys.ts';
import type { Reader } from '#store/sql.ts';

export interface StandardKeys {
  readonly kind: 'standard';
  readonly name: string;
  /** Of its last change. */
  readonly number: number;
  readonly base: Base;
  readonly logStart: number;
  readonly log: readonly KeyChanges[];
  readonly hashes: Float64Array;
}

/** The whole segment as it was at some number, as the answer to an SDK that knows nothing. */
interface Base {
  readonly number: number;
  /** Compressed: a hundred thousand keys are some megabytes. */
  readonly gzip: Buffer;
}

/** The effect of one change that later ones have not undone. */
export interface KeyChanges {
  readonly number: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface LargeKeys {
  readonly kind: 'large';
  readonly name: string;
  readonly number: number;
  readonly hashes: Float64Array;
}

export type SegmentKeys = StandardKeys | LargeKeys;

interface Place {
  readonly environmentId: string;
  readonly name: string;
}

const placeOf = ({ environmentId, name }: Place) => ({ environmentId, segment: name });

/** The keys of a standard segment whose last change had at least this number. */
export async function loadStandard(db: Reader, place: Place, number: number): Promise<StandardKeys> {
  const hashes: number[] = [];
  const base = await readBase(db, place, number, (key) => hashes.push(hash53(key)));
  const loaded: StandardKeys = {
    kind: 'standard',
    name: place.name,
    number,
    base,
    logStart: number,
    log: [],
    hashes: Float64Array.from(hashes).sort(),
  };
  return (await readChanges(db, place, loaded))?.keys ?? loaded;
}

/** All keys, for SDKs that know none. They are at least as new as the number. */
export async function readBase(
  db: Reader,
  place: Place,
  number: number,
  found: (key: string) => void = () => undefined,
): Promise<Base> {
  const parts: string[] = [];
  for await (const keys of listAllKeys(db, placeOf(place))) {
    parts.push(JSON.stringify(keys).slice(1, -1));
    keys.forEach(found);
    await nextTurn();
  }
  const name = JSON.stringify(place.name);
  const text = `{"name":${name},"added":[${parts.join()}],"removed":[],"since":-1,"till":${number}}`;
  return { number, gzip: await promisify(gzip)(text) };
}

/** What changed since the keys were read; undefined if nothing did. */
export async function readChanges(
  db: Reader,
  place: Place,
  keys: StandardKeys,
): Promise<{ readonly keys: StandardKeys; readonly changes: readonly KeyChanges[] } | undefined> {
  const byNumber = new Map<number, { number: number; added: string[]; removed: string[] }>();
  for await (const page of listKeysAfter(db, placeOf(place), keys.number)) {
    for (const { key, number, isRemoved } of page) {
      const changes = byNumber.get(number) ?? { number, added: [], removed: [] };
      byNumber.set(number, changes);
      changes[isRemoved ? 'removed' : 'added'].push(key);
    }
    await nextTurn();
  }
  const changes = [...byNumber.values()];
  if (changes.length === 0) return undefined;
  const { added, removed } = netOf(changes);
  const hashes = changedHashes(keys.hashes, added, removed);
  const number = changes.at(-1)?.number ?? keys.number;
  return { keys: { ...keys, number, log: [...keys.log, ...changes], hashes }, changes };
}

/** The last change of a key counts, so that none is in both lists. */
export function netOf(changes: readonly Pick<KeyChanges, 'added' | 'removed'>[]): {
  added: string[];
  removed: string[];
} {
  const isIn = new Map<string, boolean>();
  for (const { added, removed } of changes) {
    for (const key of added) isIn.set(key, true);
    for (const key of removed) isIn.set(key, false);
  }
  const net = { added: [] as string[], removed: [] as string[] };
  for (const [key, isAdded] of isIn) net[isAdded ? 'added' : 'removed'].push(key);
  return net;
}

/** A larger log costs memory and work for each SDK that was away. */
const maxLogKeys = 1_000;
const maxLogShare = 0.1;
const maxLogEntries = 50;

export const isLogLong = ({ log, hashes }: StandardKeys): boolean =>
  log.length > maxLogEntries || keysIn(log) > Math.max(maxLogKeys, maxLogShare * hashes.length);

const keysIn = (log: readonly KeyChanges[]): number =>
  log.reduce((sum, { added, removed }) => sum + added.length + removed.length, 0);

/** The same keys with a newer base, and the newer half of the log. */
export function withBase(keys: StandardKeys, base: Base): StandardKeys {
  const maxKeys = Math.max(maxLogKeys, maxLogShare * keys.hashes.length) / 2;
  const log = [...keys.log];
  let { logStart } = keys;
  while (log.length > maxLogEntries / 2 || keysIn(log) > maxKeys) {
    const [oldest] = log;
    // SDKs that read the base still need what is newer.
    if (!oldest || oldest.number > base.number) break;
    logStart = oldest.number;
    log.shift();
  }
  return { ...keys, base, log, logStart };
}

export interface KeysSince {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly till: number;
}

/** What an SDK misses that knows the keys up to `since`; undefined if the log does not go back so far. */
export function changesSince({ log, logStart, number }: StandardKeys, since: number): KeysSince | undefined {
  if (since >= number) return { added: [], removed: [], till: since };
  if (since < logStart) return undefined;
  return { ...netOf(log.filter((changes) => changes.number > since)), till: number };
}

/** After this many keys, a reply ends with the current change. SDKs ask for the rest. */
const enoughKeys = 10_000;

/** The same from the database, for SDKs that were away for long. */
export async function readChangesSince(db: Reader, place: Place, since: number): Promise<KeysSince> {
  const net = { added: [] as string[], removed: [] as string[] };
  let till = since;
  let count = 0;
  for await (const page of listKeysAfter(db, placeOf(place), since)) {
    for (const { key, number, isRemoved } of page) {
      if (number > till && count >= enoughKeys) return { ...net, till };
      till = number;
      count += 1;
      net[isRemoved ? 'removed' : 'added'].push(key);
    }
    await nextTurn();
  }
  return { ...net, till };
}

/** A list is replaced at most so often while it is read. */
const maxReplaced = 5;

/** The keys of a large segment; undefined if it is not active. */
export async function loadLarge(db: Reader, place: Place): Promise<LargeKeys | undefined> {
  for (let tries = 0; tries < maxReplaced; tries += 1) {
    const list = await findServedList(db, place);
    if (!list) return undefined;
    const hashes = list.id === undefined ? new Float64Array() : await hashesOf(db, list.id, list.keyCount);
    // A list that is not served any more may have been deleted before its end was read.
    const served = await findServedList(db, place);
    if (served?.id === list.id) return { kind: 'large', name: place.name, number: list.number, hashes };
  }
  throw new Error('the keys of a large segment are replaced faster than they can be read');
}

/** Fewer keys are hashed before a thread has started. */
const manyKeys = 10_000;

async function hashesOf(db: Reader, listId: number, keyCount: number): Promise<Float64Array> {
  if (keyCount >= manyKeys) return hashInThread(db, listId, keyCount);
  const hashes: number[] = [];
  for await (const texts of listBlocksOf(db, listId)) {
    for (const text of texts) hashes.push(...text.split('\n').map(hash53));
    await nextTurn();
  }
  return Float64Array.from(hashes).sort();
}

async function hashInThread(db: Reader, listId: number, keyCount: number): Promise<Float64Array> {
  const worker = new Worker(new URL('hash-worker.ts', import.meta.url), { workerData: keyCount });
  // Waits for each answer, so that not more than one page is in memory.
  const ask = async (message: readonly string[] | 'end'): Promise<unknown> => {
    const answered = once(worker, 'message');
    worker.postMessage(message);
    const [answer] = await answered;
    return answer;
  };
  try {
    for await (const texts of listBlocksOf(db, listId)) await ask(texts);
    return (await ask('end')) as Float64Array;
  } finally {
    await worker.terminate();
  }
}

export const hasHash = ({ hashes }: SegmentKeys, hash: number): boolean => indexOf(hashes, hash) >= 0;

/**
 * The first 53 bits of the SDKs' own hash of keys. Among ten million keys, another one is
 * taken for one of them once in 900 million.
 */
export const hash53 = (key: string): number => first53Bits(hash64(key));

/** Negative if it is not there. */
function indexOf(sorted: Float64Array, value: number): number {
  let [start, end] = [0, sorted.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((sorted[middle] ?? 0) < value) start = middle + 1;
    else end = middle;
  }
  return sorted[start] === value ? start : -1;
}

function changedHashes(hashes: Float64Array, added: readonly string[], removed: readonly string[]): Float64Array {
  const gone = new Set(removed.map(hash53));
  const kept = gone.size === 0 ? hashes : hashes.filter((hash) => !gone.has(hash));
  const fresh = [...new Set(added.map(hash53))].filter((hash) => indexOf(kept, hash) < 0);
  if (fresh.length === 0) return kept;
  const all = new Float64Array(kept.length + fresh.length);
  all.set(kept);
  all.set(fresh, kept.length);
  return all.sort();
}
