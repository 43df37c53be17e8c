/**
 * Answers kept ready: a key that asks for the same address again gets the same bytes for as long as nothing was
 * committed that may change them, neither by us nor by another process at the database. They are given before the
 * framework sees the request, which is what makes them quick.
 *
 * Invariants
 * 1. What is kept was read after the stamp under which it is kept, and is given while its tag has no later one.
 * 2. The name of an answer holds all that it depends on: the key, the address and the encoding, so what is compressed
 *    is compressed once.
 * 3. Only what a key was let in to read is kept, never what a session reads: a request may show a key and be let in by
 *    something else. Names hold hashes of keys.
 * 4. An answer has a tag when it stays the same whatever happens to other tags. All others have none: any commit ends
 *    them, but for housekeeping, which they do not show.
 * 5. Where the database cannot tell cheaply whether anything changed (PostgreSQL), nothing is kept.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prefix } from '#contract/parts.ts';
import { hashOf } from '#security/secrets.ts';
import type { CacheTag, Stamped } from '#store/sql.ts';
import { keyOf } from '../pipeline/authenticate.ts';
import { acceptedEncoding } from '../server/compression.ts';
import type { WholeWays } from './refresh.ts';

/** A bound for the memory, in characters or bytes; when it is full, keeping starts anew. */
const room = 16_000_000;
const largestAnswer = 64_000;
/** What is kept beside the body: name, headers, and the entry itself. */
const overhead = 1_000;

/** What the log says of a request. */
export interface AnsweredRequest {
  readonly method: 'GET';
  readonly route: string | undefined;
  readonly status: 200;
  readonly milliseconds: 0;
  readonly actor: string | undefined;
  readonly transactionId: string;
}

interface Kept extends Pick<AnsweredRequest, 'route' | 'actor'> {
  readonly body: string | Buffer;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly cacheTag: CacheTag | undefined;
  readonly stamp: number;
  readonly size: number;
}

export interface Answers {
  /** Answers when it can, and says what. */
  tryAnswer(request: IncomingMessage, response: ServerResponse): AnsweredRequest | undefined;
  /** Keeps what the routes answer from now on. */
  keepFrom(app: FastifyInstance): void;
}

export function keptAnswers(stampOf: Stamped['stamp'], wholeWays: WholeWays, nextTransactionId: () => string): Answers {
  const kept = new Map<string, Kept>();
  let used = 0;
  let isClosing = false;

  const forget = (name: string): void => {
    used -= kept.get(name)?.size ?? 0;
    kept.delete(name);
  };
  const clear = (): void => {
    kept.clear();
    used = 0;
  };

  /** Whether nothing was committed since the stamp that may concern the tag. */
  const holds = (stamp: number, tag: CacheTag | undefined): boolean => {
    const last = stampOf(tag);
    return last !== undefined && last <= stamp;
  };

  const keep = (request: FastifyRequest, reply: FastifyReply, payload: string | Buffer): void => {
    const { keepAs: { name, stamp } = {}, cacheTag, isCacheable } = request;
    if (!isCacheable || name === undefined || stamp === undefined || !holds(stamp, cacheTag)) return;
    const size = name.length + payload.length + overhead;
    if (size > largestAnswer) return;
    forget(name);
    if (used + size > room) clear();
    used += size;
    kept.set(name, {
      body: payload,
      headers: headersOf(reply, payload),
      cacheTag,
      stamp,
      route: request.routeOptions.url,
      actor: request.actor?.id,
      size,
    });
  };

  return {
    tryAnswer: (request, response) => {
      const key = isClosing ? undefined : keptFor(request);
      if (key === undefined) return undefined;
      const name = nameOf(key, request);
      const found = kept.get(name);
      if (!found) return undefined;
      if (!holds(found.stamp, found.cacheTag)) {
        forget(name);
        return undefined;
      }
      if (wholeWays.isDue(key)) return undefined;
      const { body, headers, route, actor } = found;
      const transactionId = nextTransactionId();
      response.writeHead(200, [...headers, 'x-transaction-id', transactionId]);
      response.end(body);
      return { transactionId, method: 'GET', route, status: 200, milliseconds: 0, actor };
    },
    keepFrom: (app) => {
      app.decorateRequest('keepAs', undefined);
      app.addHook('onRequest', (request, _reply, done) => {
        const key = keptFor(request.raw);
        if (key !== undefined) request.keepAs = { name: nameOf(key, request.raw), stamp: stampOf() };
        done();
      });
      app.addHook('onSend', (request, reply, payload, done) => {
        if (reply.statusCode === 200 && (typeof payload === 'string' || Buffer.isBuffer(payload))) {
          keep(request, reply, payload);
        }
        done(null, payload);
      });
      // From then on connections are told to end, which the framework does.
      app.addHook('preClose', (done) => {
        isClosing = true;
        done();
      });
    },
  };
}

const nameOf = (key: string, { url, headers }: IncomingMessage): string =>
  `${key} ${url} ${acceptedEncoding(headers['accept-encoding'])}`;

/** The hash of the key that asks; undefined for what is never kept: only what a key reads is the same each time. */
function keptFor({ method, url = '', headers }: IncomingMessage): string | undefined {
  if (method !== 'GET' || !url.startsWith(prefix) || 'content-length' in headers || 'transfer-encoding' in headers) {
    return undefined;
  }
  // What a page of another site reads has headers for its origin.
  if ('origin' in headers) return undefined;
  const key = keyOf(headers);
  return key && hashOf(key);
}

function headersOf(reply: FastifyReply, payload: string | Buffer): string[] {
  const headers = Object.entries(reply.getHeaders()).filter(([name]) => name !== 'x-transaction-id');
  return [
    ...headers.flatMap(([name, value]) => [name, String(value)]),
    'content-length',
    String(Buffer.byteLength(payload)),
  ];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of its answer, and the stamp of the database when it came in; undefined for what is never kept. */
    keepAs: { readonly name: string; readonly stamp: number | undefined } | undefined;
  }
}
