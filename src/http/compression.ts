/** Compresses answers for clients that accept it. What is compressed and what is not: docs/decisions/0033. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance } from 'fastify';
import { prefix } from '#contract/parts.ts';

export type Encoding = 'br' | 'gzip';

/** Below this the headers outweigh what is saved. In characters. */
const smallest = 1_024;

/** The cheapest level of each: the next ones cost two to four times as much for three percent of the size. */
const compressors: Record<Encoding, (text: string) => Promise<Buffer>> = {
  br: (text) =>
    promisify(brotliCompress)(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 },
    }),
  gzip: (text) => promisify(gzip)(text, { level: 1 }),
};

/** The encoding that the client prefers among ours; undefined: none. */
export function acceptedEncoding(acceptEncoding: string | string[] | undefined): Encoding | undefined {
  // No cache by header text: clients could fill it with whatever they make up.
  return (negotiate(String(acceptEncoding ?? '').toLowerCase(), ['br', 'gzip']) as Encoding | null) ?? undefined;
}

/**
 * Compresses the Admin API's answers, on threads beside the event loop. The ETag stays as it is: it names the revision
 * of the object, and `If-Match` must find it whichever encoding the client read.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { url, config } = request.routeOptions;
    if (typeof payload !== 'string' || payload.length < smallest) return payload;
    if (!url?.startsWith(prefix) || config.showsSecret) return payload;
    reply.header('vary', 'accept-encoding');
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    if (!encoding) return payload;
    const compressed = await compressors[encoding](payload);
    reply.header('content-encoding', encoding);
    return compressed;
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer shows a secret beside what the client sent, so its length must not tell of either. */
    showsSecret?: boolean;
  }
}
