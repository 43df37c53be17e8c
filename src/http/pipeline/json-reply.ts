/** Replies that consist of stored JSON text, passed on unparsed: parsing and serialising a megabyte takes 100 ms. */
import { finished, Readable, type Writable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { turnstile } from '#concurrency/turnstile.ts';
import { limited, type PageSize } from '#contract/parts.ts';
import { Problem } from '#domain/problems.ts';
import type { Versioned } from '#domain/revisions.ts';
import { maxWaitMs, withDeadline } from '#store/deadline.ts';
import type { OffsetQuery, OffsetSource } from '../paging/offset.ts';

/** In characters. A list of one part is sent whole, such as 50 definitions of 16 kB; longer ones are streamed. */
const partLength = 819_200;

/**
 * A reply holds up to three parts while its client reads, and one part while it waits, so all replies together take
 * about 100 MB. What a list has in memory already comes on top: 7 MB for the points of cleanup with 100,000 flags. A
 * client that stops reading keeps its place until its connection is closed.
 */
const largeReplies = turnstile(16, {
  maxWaiting: 32,
  maxWaitMs: 30_000,
  refusal: () => new Problem('too_many_large_responses', { seconds: 2 }),
});

/** Each turn of the event loop builds one part, however many replies are being streamed. */
const onePerTurn = turnstile(1);

export class JsonReply {
  /** The source of the ETag. */
  readonly version: Versioned | undefined;
  readonly #text: string | AsyncIterable<string>;

  /** A text that is already in memory, or the pieces of a list. */
  constructor(text: string | AsyncIterable<string>, version?: Versioned) {
    this.#text = text;
    this.version = version;
  }

  /** A long list waits for its place, and leaves it when the response is closed. */
  async payload(response: Writable): Promise<string | Readable> {
    if (typeof this.#text === 'string') return this.#text;
    const parts = inParts(this.#text);
    const first = await parts.next();
    if (first.done || first.value.length < partLength) return first.value ?? '';
    await largeReplies.enter();
    finished(response, largeReplies.leave);
    // The default would read 16 parts ahead.
    return Readable.from(streamed([first.value], parts), { highWaterMark: 1 });
  }
}

/** A file to download, such as CSV. */
export class FileReply extends JsonReply {
  readonly type: string;
  readonly fileName: string;

  constructor(text: AsyncIterable<string>, { type, fileName }: { type: string; fileName: string }) {
    super(text);
    this.type = type;
    this.fileName = fileName;
  }
}

/** All parts except the last are at least `partLength` long. */
async function* inParts(pieces: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let part = '';
  // A suspended generator keeps its variables alive, so the part is cleared before it is yielded.
  const taken = () => {
    const full = part;
    part = '';
    return full;
  };
  for await (const piece of pieces) {
    part += piece;
    if (part.length < partLength) continue;
    yield taken();
    await onePerTurn.pass(nextRound);
  }
  if (part !== '') yield part;
}

async function* streamed(begun: string[], rest: AsyncGenerator<string>): AsyncGenerator<Buffer> {
  while (begun.length > 0) yield Buffer.from(begun.shift() ?? '');
  for (let bytes = await nextBytes(rest); bytes; bytes = await nextBytes(rest)) yield bytes;
}

/** A slow client must not use up the request's database deadline, so each part gets its own. */
async function nextBytes(parts: AsyncGenerator<string>): Promise<Buffer | undefined> {
  const { done, value } = await withDeadline(maxWaitMs, () => parts.next());
  return done ? undefined : Buffer.from(value);
}

/** A page of a list by offset. The items are JSON text in pieces, commas included. */
export const jsonPage = (query: OffsetQuery, size: PageSize, source: OffsetSource<AsyncIterable<string>>): JsonReply =>
  new JsonReply(pageText(query, size, source));

async function* pageText(
  { offset = 0, limit: asked }: OffsetQuery,
  size: PageSize,
  { list, count }: OffsetSource<AsyncIterable<string>>,
): AsyncGenerator<string> {
  const limit = limited(asked, size);
  yield '{"objects":[';
  yield* list({ offset, limit });
  yield `],${JSON.stringify({ offset, limit, totalCount: await count() }).slice(1)}`;
}

/** Inserts commas. */
export async function* separated(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let comma = '';
  for await (const text of texts) {
    yield comma + text;
    comma = ',';
  }
}
