/** Turns errors into responses. The only place that logs them. */

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorBody, statusOf } from '#contract/parts.ts';
import { Problem, type ProblemCode } from '#domain/problems.ts';

/** The specification: a change without title and comment, where the project requires them, is 400 with an empty body. */
const bodiless: ReadonlySet<ProblemCode> = new Set(['note_required']);

const keys = /(burgee_[asc]_)[0-9A-Za-z]{36}/g;
/** Session and link tokens: 256 bits in base64url, with upper- and lower-case letters, unlike most names. */
const tokens = /(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{42}[AEIMQUYcgkosw048](?![\w-])/g;

/** A key or token sent in the wrong place is not echoed: error responses end up in logs. */
export const withoutSecrets = (text: string): string => text.replaceAll(keys, '$1…').replaceAll(tokens, '…');

export const errorBody = (problem: Problem, transactionId: string): ErrorBody => ({
  code: statusOf[problem.kind],
  message: withoutSecrets(problem.message),
  details: withoutSecrets(problem.details),
  transactionId,
});

export function sendProblem(error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply) {
  const problem = toProblem(error, request);
  request.problem = problem.code;
  if (problem.kind === 'internal') request.log.error({ err: error }, 'internal error');
  if (problem.cause) request.log.warn({ err: problem.cause }, 'the database is not available');
  if (problem.retryAfterSeconds !== undefined) sayWhenAgain(reply, problem);
  if (problem.kind === 'too_large') letTheRestCome(request, reply);
  reply.code(statusOf[problem.kind]).header('x-burgee-problem', problem.code);
  if (bodiless.has(problem.code)) return reply.removeHeader('content-type').send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(errorBody(problem, request.id)));
}

/** How much of a refused body is discarded, so that a client that sends all of it before reading sees the response. */
const largestDiscarded = 64 * 1_048_576;

/**
 * Fastify closes the connection after this error, so a client that is still sending would see a reset and no response.
 * While it stays open, Node discards what arrives, until the request times out.
 */
function letTheRestCome({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (Number(headers['content-length'] ?? 0) <= largestDiscarded) reply.removeHeader('connection');
}

/** The four vendor headers let its clients wait as long as they must; ours is one limit, so both pairs agree. */
function sayWhenAgain(reply: FastifyReply, { kind, retryAfterSeconds }: Problem): void {
  reply.header('retry-after', retryAfterSeconds);
  if (kind !== 'too_many') return;
  reply.headers({
    'x-ratelimit-remaining-org': 0,
    'x-ratelimit-remaining-ip': 0,
    'x-ratelimit-reset-seconds-org': retryAfterSeconds,
    'x-ratelimit-reset-seconds-ip': retryAfterSeconds,
  });
}

const sentences: Record<string, string> = {
  FST_ERR_BAD_URL: 'The path is not a valid URL',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is too long',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Body length does not match Content-Length',
};

/** Fastify's own refusals have codes; everything else is an internal error. */
function toProblem(error: FastifyError | Problem, { routeOptions }: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Problem('body_too_large', { limit: routeOptions.bodyLimit });
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new Problem('request_invalid', { complaints: [sentences[error.code] ?? 'The request is not valid'] });
  }
  return new Problem('internal');
}
