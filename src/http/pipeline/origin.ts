import type { FastifyRequest } from 'fastify';
import { Problem } from '#domain/problems.ts';

const reading = new Set(['GET', 'HEAD']);

/**
 * CSRF protection. Browsers send the session cookie whichever page makes the request, so changes must come from our own
 * pages. With a session, the Origin header is required and must match this server; without one, a foreign Origin is
 * refused, so that no other site can sign someone in.
 */
export function requireOwnOrigin(request: FastifyRequest, publicUrl: string | undefined, hasSession: boolean): void {
  if (reading.has(request.method)) return;
  const { origin, host } = request.headers;
  if (origin === undefined && !hasSession) return;
  const from = origin === undefined ? null : URL.parse(origin);
  // Without PUBLIC_URL the Host header identifies us: a proxy that drops it must not disable the check.
  const own =
    publicUrl === undefined
      ? host !== undefined && host !== '' && from?.host === host
      : from?.origin === new URL(publicUrl).origin;
  if (!own) throw new Problem('origin_foreign');
}
