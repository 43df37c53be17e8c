/**
 * The response cache: a key that repeats a GET gets the same bytes, before Fastify sees the request, while nothing was
 * committed that could change them.
 *
 * How entries end. Nothing is deleted on a write. The store counts commits (`store.version()`), those of other processes
 * included. An entry remembers the version from before its data was read, and is used while the version is the same.
 * Most commits touch everything. Two kinds touch less, and say so: a change to one definition touches only responses
 * tagged with that definition and responses without a tag; housekeeping (last use, outbox, backups) touches nothing.
 * Responses that show housekeeping are never cached.
 *
 * Invariants
 * 1. The version is taken before the data is read, so an entry is never older than its version says.
 * 2. A response is stored under the hash of the key that authenticated it: set by `authenticate`, not taken from the
 *    headers. What a session reads is never stored.
 * 3. The name of an entry has everything that the response depends on: key, URL and encoding. Requests with a body or an
 *    Origin depend on more, and bypass the cache.
 * 4. Where the version is not cheap to ask for (PostgreSQL), and where rate limits must count every request, there is no
 *    version, and nothing is stored.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prefix } from '#contract/parts.ts';
import { hashOf, keyOf } from '#security/secrets.ts';
import type { CacheTag, CacheVersions } from '#store/sql.ts';
import { acceptedEncoding } from '../server/compression.ts';
import type { Refresh } from './refresh.ts';

/** Bounds memory, in characters or bytes. When it is full, the cache is emptied. */
const maxSize = 16_000_000;
const maxEntrySize = 64_000;
/** What an entry takes besides its body: name, headers, the objects themselves. */
const overhead = 1_000;

/** What the log says of a request. */
interface CachedRequest {
  readonly method: 'GET';
  readonly route: string | undefined;
  readonly status: 200;
  readonly milliseconds: 0;
  readonly actor: string | undefined;
  readonly transactionId: string;
}

interface Entry extends Pick<CachedRequest, 'route' | 'actor'> {
  readonly body: string | Buffer;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly cacheTag: CacheTag | undefined;
  readonly version: number;
  readonly size: number;
}

export interface ResponseCache {
  /** Sends the cached response, if there is one, and returns what to log. */
  respond(request: IncomingMessage, response: ServerResponse): CachedRequest | undefined;
  /** Stores what the routes of the scope send. Call it after every other `onSend` hook was added. */
  storeFrom(scope: FastifyInstance): void;
}

export function createResponseCache(
  { version: versionOf }: CacheVersions,
  refresh: Refresh,
  nextTransactionId: () => string,
): ResponseCache {
  const entries = new Map<string, Entry>();
  let size = 0;
  let isClosing = false;

  const remove = (name: string): void => {
    size -= entries.get(name)?.size ?? 0;
    entries.delete(name);
  };

  const isCurrent = (version: number, tag: CacheTag | undefined): boolean => {
    const latest = versionOf(tag);
    return latest !== undefined && latest <= version;
  };

  const store = (request: FastifyRequest, reply: FastifyReply, body: string | Buffer): void => {
    const { keyHash, cacheTag, version } = request;
    if (keyHash === undefined || version === undefined || !isCurrent(version, cacheTag)) return;
    const name = nameOf(keyHash, request.raw);
    const entrySize = name.length + body.length + overhead;
    if (entrySize > maxEntrySize) return;
    remove(name);
    if (size + entrySize > maxSize) {
      entries.clear();
      size = 0;
    }
    size += entrySize;
    const { routeOptions, actor } = request;
    const headers = headersOf(reply, body);
    entries.set(name, { body, headers, cacheTag, version, route: routeOptions.url, actor: actor?.id, size: entrySize });
  };

  return {
    respond: (request, response) => {
      const key = isClosing || !isCacheable(request) ? undefined : keyOf(request.headers);
      if (key === undefined) return undefined;
      const keyHash = hashOf(key);
      const name = nameOf(keyHash, request);
      const entry = entries.get(name);
      if (!entry) return undefined;
      if (!isCurrent(entry.version, entry.cacheTag)) {
        remove(name);
        return undefined;
      }
      if (refresh.mustBypass(keyHash)) return undefined;
      const { body, headers, route, actor } = entry;
      const transactionId = nextTransactionId();
      response.writeHead(200, [...headers, 'x-transaction-id', transactionId]);
      response.end(body);
      return { transactionId, method: 'GET', route, status: 200, milliseconds: 0, actor };
    },
    storeFrom: (scope) => {
      for (const member of ['version', 'keyHash', 'cacheTag']) scope.decorateRequest(member, undefined);
      scope.addHook('onRequest', (request, _reply, done) => {
        if (isCacheable(request.raw)) request.version = versionOf();
        done();
      });
      scope.addHook('onSend', (request, reply, payload, done) => {
        if (reply.statusCode === 200 && (typeof payload === 'string' || Buffer.isBuffer(payload))) {
          store(request, reply, payload);
        }
        done(null, payload);
      });
      // Closing connections need the header `Connection: close`, which Fastify sets.
      scope.addHook('preClose', (done) => {
        isClosing = true;
        done();
      });
    },
  };
}

const nameOf = (keyHash: string, { url, headers }: IncomingMessage): string =>
  `${keyHash} ${url} ${acceptedEncoding(headers['accept-encoding'])}`;

const isCacheable = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  url.startsWith(prefix) &&
  !('content-length' in headers || 'transfer-encoding' in headers || 'origin' in headers);

function headersOf(reply: FastifyReply, body: string | Buffer): string[] {
  const headers = Object.entries(reply.getHeaders()).filter(([name]) => name !== 'x-transaction-id');
  return [
    ...headers.flatMap(([name, value]) => [name, String(value)]),
    'content-length',
    String(Buffer.byteLength(body)),
  ];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The version of the database when the request arrived; undefined for requests that bypass the cache. */
    version: number | undefined;
    /** The key that authenticated a request whose response may be cached. */
    keyHash: string | undefined;
    /** The one thing that the response shows; undefined if any change could change it. */
    cacheTag: CacheTag | undefined;
  }
}
