/** From the key of a request to its actor. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashOf, mayBeKey } from '#commands/secrets.ts';
import { type Actor, permissionsOf } from '#domain/access.ts';
import type { ApiKey } from '#domain/api-keys.ts';
import { Problem } from '#domain/problems.ts';
import { findApiKeyByHash } from '#store/api-keys.ts';
import type { Reader } from '#store/sql.ts';

/** Counts a failure of the address and tells whether it may fail again, and when. */
export type CountFailure = (request: FastifyRequest) => Promise<{ exceeded: boolean; secondsToReset: number }>;

export interface Authentication {
  readonly db: Reader;
  readonly countFailure: CountFailure;
  readonly keyUsed: (key: ApiKey) => void;
}

/** Refuses everything but a known key of type admin; keys of SDKs open nothing here. */
export async function authenticate(
  { db, countFailure, keyUsed }: Authentication,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Actor> {
  const text = keyOf(request);
  const key = text !== undefined && mayBeKey(text) ? await findApiKeyByHash(db, hashOf(text)) : undefined;
  if (key?.type === 'admin') {
    keyUsed(key);
    return { type: 'api_key', id: key.id, name: key.name, permissions: permissionsOf(key.roles), scope: key.scope };
  }
  // A request without any key guesses nothing, so it does not count.
  if (text !== undefined) await refuseTooMany(countFailure, request, reply);
  throw new Problem('unauthenticated');
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const apiKey = headers['x-api-key'];
  return bearer ?? (typeof apiKey === 'string' && apiKey !== '' ? apiKey : undefined);
}

/** The four vendor headers let its clients wait as long as they must; the limit is per address, so both pairs agree. */
async function refuseTooMany(countFailure: CountFailure, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { exceeded, secondsToReset } = await countFailure(request);
  if (!exceeded) return;
  reply.headers({
    'retry-after': secondsToReset,
    'x-ratelimit-remaining-org': 0,
    'x-ratelimit-remaining-ip': 0,
    'x-ratelimit-reset-seconds-org': secondsToReset,
    'x-ratelimit-reset-seconds-ip': secondsToReset,
  });
  throw new Problem('too_many_failures');
}
