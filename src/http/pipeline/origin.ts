import type { FastifyRequest } from 'fastify';
import { Problem } from '#domain/problems.ts';

const reading = new Set(['GET', 'HEAD']);

/**
 * A browser sends the session's cookie along whoever's page asks, so a change must come from a page of ours. With a
 * session the header Origin is required and must name this server; without one a foreign Origin is refused, so that no
 * other site can sign somebody in.
 */
export function requireOwnOrigin(request: FastifyRequest, publicUrl: string | undefined, hasSession: boolean): void {
  if (reading.has(request.method)) return;
  const { origin, host } = request.headers;
  if (origin === undefined && !hasSession) return;
  const from = origin === undefined ? null : URL.parse(origin);
  // Without PUBLIC_URL the Host must tell who we are: a proxy that drops it must not let everybody in.
  const own =
    publicUrl === undefined
      ? host !== undefined && host !== '' && from?.host === host
      : from?.origin === new URL(publicUrl).origin;
  if (!own) throw new Problem('origin_foreign');
}
