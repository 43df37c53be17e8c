/** Compresses responses for clients that accept it. What is compressed and what is not: docs/decisions/0033. */
import { once } from 'node:events';
import { Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance } from 'fastify';
import { turnstile } from './turnstile.ts';

export type Encoding = 'br' | 'gzip';

/** Below this the headers outweigh what is saved. In characters. */
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

/** The encoding that the client prefers among ours; undefined: none. */
export function acceptedEncoding(acceptEncoding: string | string[] | undefined): Encoding | undefined {
  // No cache by header text: clients could fill it with whatever they make up.
  return (negotiate(String(acceptEncoding ?? '').toLowerCase(), ['br', 'gzip']) as Encoding | null) ?? undefined;
}

/**
 * Compresses the answers of the scope, on threads beside the event loop. The ETag stays as it is: it names the revision
 * of the object, and `If-Match` must find it whichever encoding the client read.
 */
export function compressAnswers(app: FastifyInstance): void {
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
 * Compression runs in libuv's pool of four threads. Password hashes take at most two of them, and compression one, so
 * that one is left to bring SQLite's commits to the disk.
 */
const oneAtATime = turnstile(1);

/**
 * Holds the thread only while it works, not while the client reads: what comes out is collected first. When the client
 * leaves, the loop ends, and the payload with it.
 */
async function* compressedParts(payload: Readable, compressor: Transform): AsyncGenerator<Buffer> {
  const compressed: Buffer[] = [];
  compressor.on('data', (bytes: Buffer) => compressed.push(bytes));
  // The write that failed tells.
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

/** Only what is larger than a megabyte comes as a stream. */
const isLarge = (payload: unknown): payload is string | Readable =>
  typeof payload === 'string' ? payload.length >= smallest : payload instanceof Readable;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer shows a secret beside what the client sent, so its length must not tell of either. */
    showsSecret?: boolean;
  }
}
