/**
 * Who asks, and for what, is remembered for as long as it holds: until something is committed, by us or by
 * another process, that is more than a change of definitions. So a key that is revoked is dead at once all the same.
 *
 * Invariants
 * 1. What is remembered was found after the stamp under which it is remembered, and is used while there is no later one.
 * 2. Only keys are remembered, as hashes, and only of those who were let in.
 * 3. Where the database cannot tell cheaply whether anything changed (PostgreSQL), nothing is remembered.
 */
import type { FastifyRequest } from 'fastify';
import type { Actor } from '#domain/access.ts';
import { hashOf } from '#security/secrets.ts';
import type { Stamped } from '#store/sql.ts';
import { keyOf } from '../pipeline/authenticate.ts';
import type { ResolvedPath } from '../pipeline/resolve.ts';
import type { WholeWays } from './refresh.ts';

/** A bound for the memory; when it is full, remembering starts anew. */
const maxAskers = 2_000;

/** What is known of a request when its key and the words of its path are. */
export interface Asker {
  readonly actor: Actor;
  readonly resolved: ResolvedPath;
}

/** A request that is looked up: what is remembered of it, or as what it can be; neither where nothing is remembered. */
export interface Look {
  readonly found?: Asker;
  readonly rememberAs?: { readonly key: string; readonly name: string; readonly stamp: number };
}

export interface KnownAskers {
  look(request: FastifyRequest): Look;
  remember(look: Look, asker: Asker): void;
}

export function knownAskers(store: Stamped, wholeWays: WholeWays): KnownAskers {
  const known = new Map<string, { readonly asker: Asker; readonly stamp: number }>();
  return {
    look: (request) => {
      const text = keyOf(request.headers);
      const stamp = text === undefined ? undefined : store.stamp('surroundings');
      if (text === undefined || stamp === undefined) return nothing;
      const key = hashOf(text);
      const name = nameOf(key, request);
      const entry = known.get(name);
      if (entry?.stamp === stamp && !wholeWays.isDue(key)) return { found: entry.asker };
      return { rememberAs: { key, name, stamp } };
    },
    remember: ({ rememberAs }, asker) => {
      if (!rememberAs) return;
      const { key, name, stamp } = rememberAs;
      wholeWays.went(key);
      if (known.size >= maxAskers) known.clear();
      // Where something was committed meanwhile, the stamp is over, and nobody will find it.
      known.set(name, { asker, stamp });
    },
  };
}

const nothing: Look = {};

/** No word of a path contains NUL. */
const nameOf = (key: string, { routeOptions, params }: FastifyRequest): string =>
  [key, routeOptions.url, ...Object.values(params as Record<string, string>)].join('\0');
