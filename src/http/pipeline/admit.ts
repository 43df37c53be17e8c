/**
 * Who may use an endpoint: the only place that asks, by the endpoint's own declaration and before the body is read.
 * In this order: limit of the address (429), key or session (401), limit of the key (429), permission (403), what the
 * path names (404), the right to do it there (403).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireGranted, roleMissing } from '#commands/actors.ts';
import { type Endpoint, needsNobody } from '#contract/endpoint.ts';
import { type Access, type Actor, allows } from '#domain/access.ts';
import { Problem } from '#domain/problems.ts';
import { rightNeeded } from '#domain/rights.ts';
import { definitionTag } from '#store/sql.ts';
import type { RequestCache } from '../cache/requests.ts';
import type { Limits } from '../limits/rate.ts';
import { type Authentication, authenticate, findPerson } from './authenticate.ts';
import { requireOwnOrigin } from './origin.ts';
import { type ResolvedPath, resolvePath } from './resolve.ts';

export interface Admission extends Authentication {
  readonly limits: Limits;
  readonly requests: RequestCache<AdmittedRequest>;
}

/** What is known of a request before its body is read. */
interface AdmittedRequest {
  readonly actor: Actor;
  readonly keyHash: string | undefined;
  readonly resolved: ResolvedPath;
}

/** The first hook of an endpoint. */
export function admit(admission: Admission, endpoint: Endpoint) {
  const { limits, throttles, publicUrl } = admission;
  const { access } = endpoint;
  const isThrottled = endpoint.problems.includes('too_many_attempts');
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (access !== 'probe') reply.headers(limits.ofAddress(request.ip));
    if (isThrottled) throttles.requireAttemptLeft(request.ip);
    if (needsNobody(access)) return requireOwnOrigin(request, publicUrl, false);
    if (access === 'signed-in') return admitPerson(admission, request);
    await admitActor(admission, { ...endpoint, access }, request, reply);
  };
}

async function admitPerson(admission: Admission, request: FastifyRequest): Promise<void> {
  request.person = await findPerson(admission, request);
  if (!request.person) throw new Problem('signed_out');
  request.actor = request.person.actor;
}

async function admitActor(
  admission: Admission,
  { access, cacheTag, showsHousekeeping, changesWithTime = '' }: Endpoint & { readonly access: Access },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const cached = admission.requests.lookUp(request);
  const { actor, keyHash } = cached.found ?? (await authenticate(admission, request));
  request.actor = actor;
  if (actor.type === 'api_key') reply.headers(admission.limits.ofKey(actor.id));
  if (!allows(actor, access)) throw await roleMissing(admission.db, actor, access);
  const params = request.params as Record<string, string>;
  const resolved = cached.found?.resolved ?? (await resolvePath(admission.db, actor, params));
  request.resolved = resolved;
  cached.store({ actor, keyHash, resolved });
  // Before the body is read; the command checks it again in its transaction. Resolving the path is enough to view.
  if (rightNeeded[access.needs] !== 'view') await requireGranted(admission.db, actor, { ...resolved, access });
  if (!showsHousekeeping && !Object.hasOwn(request.query as object, changesWithTime)) request.keyHash = keyHash;
  const { environment, flag } = resolved;
  if (cacheTag === 'definition' && environment && flag) request.cacheTag = definitionTag(environment.id, flag.id);
}
