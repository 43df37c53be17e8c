/** Finds the actor of a request by its key or session. */
import type { FastifyRequest } from 'fastify';
import { actorOfKey, actorOfPerson, requireSecondFactor } from '#commands/actors.ts';
import type { Actor } from '#domain/access.ts';
import { type ApiKey, isExpired } from '#domain/api-keys.ts';
import { Problem } from '#domain/problems.ts';
import { hashOf, keyOf, mayBeKey } from '#security/secrets.ts';
import { findApiKeyByHash } from '#store/api-keys.ts';
import { findSignedIn, type Session, type SignedIn } from '#store/sessions.ts';
import type { Reader } from '#store/sql.ts';
import type { Throttles } from '../limits/throttle.ts';
import { requireOwnOrigin } from './origin.ts';
import { sessionTokenOf } from './session-cookie.ts';

export interface Authentication {
  readonly db: Reader;
  readonly throttles: Throttles;
  readonly publicUrl: string | undefined;
  /** Called for each key and session that was used. */
  readonly keyUsed: (key: ApiKey) => void;
  readonly sessionUsed: (session: Session) => void;
}

/** A signed-in user. */
export interface Person extends SignedIn {
  readonly actor: Actor;
}

interface Authenticated {
  readonly actor: Actor;
  /** The key that authenticated the request; undefined for a session, and for a key that expires. */
  readonly keyHash: string | undefined;
}

/** By the key if there is one, else by the session. Refuses requests that have neither. */
export async function authenticate(authentication: Authentication, request: FastifyRequest): Promise<Authenticated> {
  const text = keyOf(request.headers);
  if (text !== undefined) return authenticateKey(authentication, request, text);
  const person = await findPerson(authentication, request);
  if (!person) throw new Problem('unauthenticated', { why: request.headers.authorization ? 'malformed' : 'none' });
  requireSecondFactor(person);
  return { actor: person.actor, keyHash: undefined };
}

/** Refuses everything except a known admin key; SDK keys have no access here. */
async function authenticateKey(
  { db, throttles, keyUsed }: Authentication,
  request: FastifyRequest,
  text: string,
): Promise<Authenticated> {
  const keyHash = hashOf(text);
  const key = mayBeKey(text) ? await findApiKeyByHash(db, keyHash) : undefined;
  if (key?.type !== 'admin' || isExpired(key, db.clock())) {
    throttles.failedKey(request.ip);
    throw new Problem('unauthenticated', { why: key ? (key.type === 'admin' ? 'expired' : 'sdk') : 'unknown' });
  }
  keyUsed(key);
  // Nothing is committed when a key expires, so nothing is cached for one that does.
  return { actor: actorOfKey(key), keyHash: key.expiresAt === undefined ? keyHash : undefined };
}

/** The signed-in user, or undefined. Refuses cross-site writes. */
export async function findPerson(
  { db, publicUrl, sessionUsed }: Authentication,
  request: FastifyRequest,
): Promise<Person | undefined> {
  const token = sessionTokenOf(request, publicUrl);
  const person = token === undefined ? undefined : await findSignedIn(db, hashOf(token));
  if (!person) return undefined;
  requireOwnOrigin(request, publicUrl, true);
  sessionUsed(person.session);
  return { ...person, actor: actorOfPerson(person) };
}
