/** Compresses responses for clients that accept it. docs/decisions/0033 says which ones. */
import { once } from 'node:events';
import { Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance } from 'fastify';
import { turnstile } from '#concurrency/turnstile.ts';

export type Encoding = 'br' | 'gzip';

/** In characters. Below this, compression does not pay. */
const smallest = 1_024;

/** The cheapest level of each: the next ones cost two to four times as much for three percent of the size. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } };
const gzipOptions = { level: 1 };

const compressors: Record<Encoding, (text: string) => Promise<Buffer>> = {
  br: (text) => promisify(brotliCompress)(text, brotliOptions),
  gzip: (text) => promisify(gzip)(text, gzipOptions),
};
const streamCompressors: Record<Encoding, () => Transform> = {
  br: () => createBrotliCompress(brotliOptions),
  gzip: () => createGzip(gzipOptions),
};

/** The encoding that the client prefers among these; undefined: none. */
export function acceptedEncoding(
  acceptEncoding: string | string[] | undefined,
  among: readonly Encoding[] = ['br', 'gzip'],
): Encoding | undefined {
  // No cache by header text, because clients could fill it.
  return (negotiate(String(acceptEncoding ?? '').toLowerCase(), [...among]) as Encoding | null) ?? undefined;
}

/**
 * Compresses the scope's responses off the event loop. The ETag is not changed: it names the object's revision, and
 * `If-Match` must match whichever encoding the client read.
 */
export function compressResponses(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.routeOptions.config.showsSecret || !isLarge(payload)) return payload;
    const varies = reply.getHeader('vary');
    reply.header('vary', varies === undefined ? 'accept-encoding' : `${varies}, accept-encoding`);
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    if (!encoding) return payload;
    reply.header('content-encoding', encoding);
    if (typeof payload === 'string') return oneAtATime.pass(() => compressors[encoding](payload));
    return Readable.from(compressedParts(payload, streamCompressors[encoding]()), { highWaterMark: 1 });
  });
}

/**
 * Compression runs in libuv's pool of four threads. Password hashes use at most two and compression one, so one is free
 * for SQLite's flushes.
 */
const oneAtATime = turnstile(1);

/**
 * Holds the slot only while compressing, not while the client reads: the output is collected first. If the client
 * disconnects, the loop ends and the payload is released.
 */
async function* compressedParts(payload: Readable, compressor: Transform): AsyncGenerator<Buffer> {
  const compressed: Buffer[] = [];
  compressor.on('data', (bytes: Buffer) => compressed.push(bytes));
  // The failing write reports the error.
  compressor.on('error', () => undefined);
  try {
    for await (const part of payload) {
      await oneAtATime.pass(() => write(compressor, part));
      if (compressed.length > 0) yield Buffer.concat(compressed.splice(0));
    }
    await oneAtATime.pass(() => once(compressor.end(), 'end'));
    yield Buffer.concat(compressed);
  } finally {
    compressor.destroy();
  }
}

const write = (compressor: Transform, part: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    compressor.write(part, (error) => (error ? reject(error) : resolve()));
  });

/** Only payloads over a megabyte are streams. */
const isLarge = (payload: unknown): payload is string | Readable =>
  typeof payload === 'string' ? payload.length >= smallest : payload instanceof Readable;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response contains a secret next to client input, so its length must reveal nothing. */
    showsSecret?: boolean;
  }
}
