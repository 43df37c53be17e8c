/**
 * Lets pages of other sites use the Admin API, where the operator allows it, with a key that they send themselves. Never
 * with a session: no answer allows credentials, and an answer to a request that carries cookies and no key says nothing
 * of this, so the browser keeps it from the page.
 */
import type { FastifyInstance } from 'fastify';
import { keyOf } from '#security/secrets.ts';

/** `*` for every origin, or a list of them. */
export type AllowedOrigins = '*' | readonly string[];

const methods = 'GET, POST, PUT, PATCH, DELETE';
const requestHeaders = 'authorization, content-type, if-match, x-api-key, traceparent';
const answerHeaders = [
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

/** Register it behind the hook that sets the headers of every answer. */
export function allowOrigins(app: FastifyInstance, origins: AllowedOrigins): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    const { origin, cookie } = request.headers;
    if (origins !== '*') reply.header('vary', 'origin');
    if (origin === undefined || (origins !== '*' && !origins.includes(origin))) return;
    if (cookie !== undefined && keyOf(request.headers) === undefined) return;
    reply.headers({
      'access-control-allow-origin': origins === '*' ? '*' : origin,
      'access-control-expose-headers': answerHeaders,
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
