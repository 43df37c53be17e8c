/**
 * Stream messages about changed segment keys. Server-side SDKs are told to fetch; client-side ones, which know only the
 * segments of their own users, get the changed keys (as hashes) if there are few.
 *
 * The JavaScript SDK keeps one membership message per user at a time: of two that arrive while it works on a third, it
 * forgets the first, and with it the segments in it. So a client whose key was in a message a moment ago
 * gets no second list: it is told to fetch, which brings everything.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { first53Bits, hash64 } from '#domain/hash64.ts';
import type { KeysChange } from './changes.ts';
import { type Audience, type Message, maxText, pack, servers, zlib } from './messages.ts';

const clients: readonly Audience[] = ['client', 'client 1.2'];
const oldClients: readonly Audience[] = ['client before 1.2'];

/** What a message says: everyone fetches, clients in the bitmap fetch, or clients in the list apply it directly. */
const strategies = { fetch: 0, fetchSome: 1, list: 2 } as const;

/** Fetches are spread so that there are about this many per second. */
const fetchesASecond = 1_000;
const maxSpreadMs = 60_000;

/** One for each environment. */
export interface Memberships {
  /** Messages about the changes; `listeners` is how many clients may fetch because of them. */
  messagesFor(changes: readonly KeysChange[], listeners: number): Promise<Message[]>;
}

export function createMemberships(now: () => number): Memberships {
  const announced = createRecent(now);
  const lastNumber = { standard: -1, large: -1 };
  const strategiesFor = async ({ added, removed }: KeysChange): Promise<Strategy[]> => {
    if (!added || !removed) return [{ u: strategies.fetch, c: 0, d: '' }];
    const [a, r] = [await hashesOf(added), await hashesOf(removed)];
    const hashes = [...a, ...r];
    const isRepeated = announced.hasAny(hashes);
    announced.add(hashes);
    if (isRepeated) return [{ u: strategies.fetchSome, c: zlib, d: await packed(bitmapOf(hashes)) }];
    const parts = [...listsOf('a', a), ...listsOf('r', r)];
    return Promise.all(parts.map(async (text) => ({ u: strategies.list, c: zlib, d: await packed(text) })));
  };
  return {
    messagesFor: async (changes, listeners) => {
      const messages: Message[] = [];
      const spreadMs = Math.min(Math.ceil((listeners * 1_000) / fetchesASecond), maxSpreadMs);
      for (const change of changes.toSorted((one, other) => one.number - other.number)) {
        if (change.kind === 'standard') messages.push(forServers(change));
        // Clients ignore what is not newer than all that they were told. The keys of a large segment may arrive late,
        // and so may those of a segment that no flag named before.
        const number = Math.max(change.number, lastNumber[change.kind] + 1);
        lastNumber[change.kind] = number;
        if (listeners === 0) continue;
        for (const strategy of await strategiesFor(change)) {
          messages.push(...forClients({ ...change, number }, strategy, spreadMs));
        }
      }
      return messages;
    },
  };
}

interface Strategy {
  readonly u: number;
  readonly c: number;
  readonly d: string;
}

const forServers = ({ name, number }: KeysChange): Message => ({
  channel: 'segments',
  to: servers,
  body: { type: 'SEGMENT_UPDATE', changeNumber: number, segmentName: name },
});

function forClients({ kind, name, number }: KeysChange, strategy: Strategy, spreadMs: number): Message[] {
  const type = kind === 'standard' ? 'MEMBERSHIPS_MS_UPDATE' : 'MEMBERSHIPS_LS_UPDATE';
  // `h` is the hash by which clients spread: murmur3 of the key.
  const spread = strategy.u === strategies.list ? {} : { i: spreadMs, h: 1, s: 0 };
  const messages: Message[] = [
    { channel: 'memberships', to: clients, body: { type, cn: number, n: [name], ...strategy, ...spread } },
  ];
  if (kind === 'standard') {
    const body = { type: 'MY_SEGMENTS_UPDATE_V2', changeNumber: number, segmentName: name, ...strategy };
    messages.push({ channel: 'memberships', to: oldClients, body });
  }
  return messages;
}

type Hash = ReturnType<typeof hash64>;

/** Between two turns of the event loop. */
const hashesATurn = 1_000;

async function hashesOf(keys: readonly string[]): Promise<Hash[]> {
  const hashes: Hash[] = [];
  for (let from = 0; from < keys.length; from += hashesATurn) {
    if (from > 0) await nextTurn();
    hashes.push(...keys.slice(from, from + hashesATurn).map(hash64));
  }
  return hashes;
}

/** With a comma, a hash has up to 21 characters. */
const hashesAList = Math.floor(maxText / 21) - 1;

/** JSON texts that are not too long for SDKs. Numbers of 64 bits, so `JSON.stringify` cannot write them. */
function listsOf(name: 'a' | 'r', hashes: readonly Hash[]): string[] {
  const lists: string[] = [];
  for (let from = 0; from < hashes.length; from += hashesAList) {
    const numbers = hashes.slice(from, from + hashesAList).map(({ high, low }) => (BigInt(high) << 32n) | BigInt(low));
    lists.push(name === 'a' ? `{"a":[${numbers}],"r":[]}` : `{"a":[],"r":[${numbers}]}`);
  }
  return lists;
}

/** With 16 bits for each key, one key in 16 that did not change fetches too. */
function bitmapOf(hashes: readonly Hash[]): Buffer {
  const bitmap = Buffer.alloc(Math.max(8, hashes.length * 2));
  for (const { low } of hashes) {
    const bit = low % (bitmap.length * 8);
    bitmap[bit >> 3] = (bitmap[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return bitmap;
}

const packed = async (content: string | Buffer): Promise<string> => (await pack(content)).toString('base64');

/** By then, an SDK that was told to fetch has done so. */
const recentMs = 5_000;
/** Bounds memory. Above it, every key counts as recent. */
const maxRecent = 50_000;

/** The hashes in recent messages: those of the current period, and of the one before. */
function createRecent(now: () => number) {
  let since = now();
  let latest = new Set<number>();
  let before = new Set<number>();
  const rotate = () => {
    const periods = Math.floor((now() - since) / recentMs);
    if (periods < 1) return;
    before = periods === 1 ? latest : new Set();
    latest = new Set();
    since += periods * recentMs;
  };
  return {
    hasAny: (hashes: readonly Hash[]): boolean => {
      rotate();
      if (latest.size + before.size > maxRecent) return true;
      return hashes.map(first53Bits).some((hash) => latest.has(hash) || before.has(hash));
    },
    add: (hashes: readonly Hash[]): void => {
      for (const hash of hashes) if (latest.size <= maxRecent) latest.add(first53Bits(hash));
    },
  };
}
