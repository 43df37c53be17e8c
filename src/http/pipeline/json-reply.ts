/** Replies that consist of stored JSON text: passed on as it is, since parsing and writing a megabyte takes 100 ms. */
import { Readable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { limited, type PageSize } from '#contract/parts.ts';
import type { Versioned } from '#domain/revisions.ts';
import { maxWaitMs, withDeadline } from '#store/deadline.ts';
import type { OffsetQuery, OffsetSource } from '../paging/offset.ts';

/** In characters. A reply of one part is sent whole; longer ones are streamed, so that they need no more memory. */
const partLength = 1_048_576;

export class JsonReply {
  /** What the ETag is made from. */
  readonly version: Versioned | undefined;
  readonly #parts: AsyncGenerator<string>;

  constructor(pieces: Iterable<string> | AsyncIterable<string>, version?: Versioned) {
    this.#parts = inParts(pieces);
    this.version = version;
  }

  async payload(): Promise<string | Readable> {
    const first = await this.#parts.next();
    const second = await this.#parts.next();
    if (second.done) return first.value ?? '';
    // By default 16 parts would be read ahead.
    return Readable.from(streamed([first.value ?? '', second.value], this.#parts), { highWaterMark: 1 });
  }
}

async function* inParts(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let part = '';
  for await (const piece of pieces) {
    part += piece;
    if (part.length < partLength) continue;
    yield part;
    part = '';
    // A fast client takes parts without a turn of the event loop in between.
    await nextRound();
  }
  if (part !== '') yield part;
}

/** A slow client must not use up the request's deadline for the database: each part gets its own. */
async function* streamed(begun: readonly string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* begun;
  for (;;) {
    const { done, value } = await withDeadline(maxWaitMs, () => rest.next());
    if (done) return;
    yield value;
  }
}

/** A page of a list that is paged by offset. The list comes as JSON text in pieces, commas included. */
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

/** With commas between them. */
export async function* separated(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let comma = '';
  for await (const text of texts) {
    yield comma + text;
    comma = ',';
  }
}
