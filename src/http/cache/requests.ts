/**
 * The request cache: which actor a key is, and what a path names for it. It saves the lookups of a request whose
 * response is not cached, such as a change. `responses.ts` explains versions; the same rules hold here. Changes to
 * definitions touch no entry, since neither keys nor paths depend on them.
 */
import type { FastifyRequest } from 'fastify';
import { hashOf, keyOf } from '#security/secrets.ts';
import type { CacheVersions } from '#store/sql.ts';
import type { Refresh } from './refresh.ts';

/** Bounds memory. When it is full, the cache is emptied. */
const maxEntries = 2_000;

interface Authenticated {
  /** The key that authenticated the request; undefined for a session, and for a key that expires. */
  readonly keyHash: string | undefined;
}

interface Lookup<Admitted> {
  readonly found: Admitted | undefined;
  /** Caches what was read since the lookup. */
  store(admitted: Admitted): void;
}

export interface RequestCache<Admitted> {
  lookUp(request: FastifyRequest): Lookup<Admitted>;
}

export function createRequestCache<Admitted extends Authenticated>(
  { version: versionOf }: CacheVersions,
  refresh: Refresh,
): RequestCache<Admitted> {
  const entries = new Map<string, { readonly admitted: Admitted; readonly version: number }>();
  return {
    lookUp: (request) => {
      const key = keyOf(request.headers);
      const version = key === undefined ? undefined : versionOf('keys-and-paths');
      if (key === undefined || version === undefined) return uncached;
      const keyHash = hashOf(key);
      const name = nameOf(keyHash, request);
      const entry = entries.get(name);
      if (entry?.version === version && !refresh.mustBypass(keyHash)) {
        return { found: entry.admitted, store: () => undefined };
      }
      return {
        found: undefined,
        store: (admitted) => {
          if (admitted.keyHash !== keyHash) return;
          refresh.bypassed(keyHash);
          if (entries.size >= maxEntries) entries.clear();
          // If something was committed meanwhile, this version is over, and the entry is never found.
          entries.set(name, { admitted, version });
        },
      };
    },
  };
}

const uncached: Lookup<never> = { found: undefined, store: () => undefined };

/** No path parameter contains NUL. */
const nameOf = (keyHash: string, { routeOptions, params }: FastifyRequest): string =>
  [keyHash, routeOptions.url, ...Object.values(params as Record<string, string>)].join('\0');
