/**
 * Reads the bodies of reports: JSON, whatever their content type says, possibly compressed by gzip. Memory is bounded: when
 * too many bodies arrive at once, the one that has taken longest is given up.
 */
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { turnstile } from '#concurrency/turnstile.ts';
import { isObject } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';
import { parseBody, Refusal, readBody } from './respond.ts';

/** What the SDKs collect at most before they send it. */
const maxBytes = 5 * 1_048_576;
/** Of all bodies that are being received. */
const maxHeld = 64 * 1_048_576;

export interface Reports {
  /** A body, unpacked. Refuses what is too large, and a body that was given up: SDKs send that again. */
  read(request: IncomingMessage): Promise<Buffer>;
  /**
   * Calls `take` with the whole body; if it is long, with parts of the same form, between which other work can run. What
   * cannot be cut is not looked at; returns false then. Parsing piece by piece would take six times as long.
   */
  parse(body: Buffer, findCut: FindCut, take: (part: unknown) => void): boolean | Promise<boolean>;
}

/** `afterWrites`: see `Store`; bodies and parts of them wait for it. `givenUp` is called for each body that is. */
export function createReports(afterWrites: () => Promise<void> | undefined, givenUp: () => void): Reports {
  /** Oldest first. */
  const held = new Set<Buffer[]>();
  let bytes = 0;
  const release = (parts: Buffer[]): void => {
    if (!held.delete(parts)) return;
    for (const { length } of parts) bytes -= length;
    parts.length = 0;
  };
  const hold = (parts: Buffer[], part: Buffer): void => {
    if (!held.has(parts)) return;
    parts.push(part);
    bytes += part.length;
    for (const oldest of held) {
      if (bytes <= maxHeld) return;
      release(oldest);
      givenUp();
    }
  };
  /** Waiting ones continue one by one, so that the next change does not wait for all of them. */
  const giveWay = async (): Promise<void> => {
    await afterWrites();
    await nextTurn();
  };
  return {
    read: async (request) => {
      const parts: Buffer[] = [];
      held.add(parts);
      try {
        await readBody(request, maxBytes, (part) => hold(parts, part));
        if (afterWrites() !== undefined) await givingWay.pass(giveWay);
        if (!held.has(parts)) throw new Refusal(503, 'Too many reports at once', ['retry-after', '10']);
        const body = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
        return request.headers['content-encoding'] === 'gzip' ? await unpacking.pass(() => unpacked(body)) : body;
      } finally {
        release(parts);
      }
    },
    parse: (body, findCut, take) => {
      if (body.length > maxAtOnce) return parsing.pass(() => parseLong(body, { findCut, take, afterWrites }));
      take(parseBody(body.toString()));
      return true;
    },
  };
}

const givingWay = turnstile(1);

/** In threads of libuv's pool. What waits is at most as large as what was received. */
const unpacking = turnstile(2);

const unpacked = (body: Buffer): Promise<Buffer> =>
  promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)(body, { maxOutputLength: maxBytes }).catch(() => {
    throw new Refusal(400, `The body is not gzip, or has more than ${maxBytes} bytes unpacked`);
  });

/** In bytes: about 5 ms of `JSON.parse`. Nearly all bodies are shorter. */
const maxAtOnce = 500_000;

/** Long bodies are parsed one after the other. */
const parsing = turnstile(1, {
  maxWaiting: 12,
  maxWaitMs: 10_000,
  refusal: () => new Problem('too_many_waiting', { seconds: 10 }),
});

/** How a list is cut at the comma between two objects. */
interface Cut {
  /** What ends the part before. */
  readonly close: string;
  /** What begins the next part, given the one before; undefined if that is not what it should be. */
  readonly open: (part: unknown) => string | undefined;
}
type FindCut = (text: string, comma: number) => Cut;

const between = (open: string, close: string): Cut => ({ close, open: () => open });

/** `[{…},{…}]` */
export const cutItems: FindCut = () => between('[', ']');
/** `{"pf":[{…},{…}]}` */
export const cutCounts: FindCut = () => between('{"pf":[', ']}');
/** `[{"f":"flag","i":[{…},{…}]},{…}]`: between two impressions, or between the impressions of two flags. */
export const cutImpressions: FindCut = (text, comma) =>
  /\]\s*\}$/.test(text.slice(comma - 10, comma)) ? between('[', ']') : betweenImpressions;

const betweenImpressions: Cut = {
  close: ']}]',
  open: (part) => {
    const last: unknown = Array.isArray(part) ? part.at(-1) : undefined;
    return isObject(last) && typeof last.f === 'string' && Array.isArray(last.i)
      ? `[{"f":${JSON.stringify(last.f)},"i":[`
      : undefined;
  },
};

interface Parsing {
  readonly findCut: FindCut;
  readonly take: (part: unknown) => void;
  readonly afterWrites: () => Promise<void> | undefined;
}

/**
 * Never turns the whole body into one string: that would outlive several turns, and many such strings make the garbage
 * collector run a full collection several times a second.
 */
async function parseLong(body: Buffer, { findCut, take, afterWrites }: Parsing): Promise<boolean> {
  let [start, begin] = [0, ''];
  while (body.length - start > maxAtOnce) {
    await afterWrites();
    const found = partFrom(body, { start, begin, findCut });
    if (!found) return false;
    take(found.part);
    [start, begin] = [found.end, found.begin];
    await nextTurn();
  }
  take(parseBody(begin + body.toString('utf8', start)));
  return true;
}

/** In a text, the quote would be its end: nearly every match is what it looks like. */
const commas = /\},\s*\{\s*"/g;
const maxAttempts = 5;

function partFrom(body: Buffer, { start, begin, findCut }: { start: number; begin: string; findCut: FindCut }) {
  // A character for each byte: places in it are places in the body.
  const text = body.toString('latin1', start, start + maxAtOnce);
  commas.lastIndex = Math.floor(text.length / 2);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const found = commas.exec(text);
    if (!found) return undefined;
    const comma = found.index + 1;
    const { close, open } = findCut(text, comma);
    const part = parseBody(begin + body.toString('utf8', start, start + comma) + close);
    const next = part === undefined ? undefined : open(part);
    if (next !== undefined) return { part, begin: next, end: start + comma + 1 };
  }
  return undefined;
}

/** `{"keys":[{"f":"flag","ks":["key","key"]}]}`: the beginning of a long one, because only some keys are remembered. */
export function parseKeys(body: Buffer): unknown {
  if (body.length <= maxAtOnce) return parseBody(body.toString());
  const end = body.indexOf('","', maxAtOnce / 2) + 1;
  return end === 0 || end > maxAtOnce ? undefined : parseBody(`${body.toString('utf8', 0, end)}]}]}`);
}
