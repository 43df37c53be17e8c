/**
 * Allows pages of other origins to use the Admin API with a key, if the operator permits it. Never with a session: no
 * response allows credentials, and responses to requests with cookies and without a key have no CORS headers, so
 * browsers hide them from the page.
 */
import type { FastifyInstance } from 'fastify';
import { keyOf } from '#security/secrets.ts';

/** `*` for every origin, or a list. */
export type AllowedOrigins = '*' | readonly string[];

const methods = 'GET, POST, PUT, PATCH, DELETE';
const requestHeaders = 'authorization, content-type, if-match, x-api-key, traceparent';
const exposedHeaders = [
  'etag',
  'retry-after',
  'warning',
  'x-burgee-problem',
  'x-ratelimit-remaining-ip',
  'x-ratelimit-remaining-org',
  'x-ratelimit-reset-seconds-ip',
  'x-ratelimit-reset-seconds-org',
  'x-transaction-id',
].join(', ');
const preflightSeconds = 600;

/** Register it after the hook that sets the headers of every response. */
export function allowOrigins(app: FastifyInstance, origins: AllowedOrigins): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    const { origin, cookie } = request.headers;
    if (origins !== '*') reply.header('vary', 'origin');
    if (origin === undefined || (origins !== '*' && !origins.includes(origin))) return;
    if (cookie !== undefined && keyOf(request.headers) === undefined) return;
    reply.headers({
      'access-control-allow-origin': origins === '*' ? '*' : origin,
      'access-control-expose-headers': exposedHeaders,
      'cross-origin-resource-policy': 'cross-origin',
    });
    if (request.method !== 'OPTIONS' || !('access-control-request-method' in request.headers)) return;
    await reply
      .code(204)
      .headers({
        'access-control-allow-methods': methods,
        'access-control-allow-headers': requestHeaders,
        'access-control-max-age': preflightSeconds,
      })
      .send();
  });
}
