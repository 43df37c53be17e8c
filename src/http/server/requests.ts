/** The log line and the span of each request. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, Traces } from '#telemetry/traces.ts';

interface Ended {
  readonly route: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
}

/** Logs the route, not the path, which may contain a key. Successful reads are logged at debug level only. */
export function logRequest({ method, log, actor, problem, span }: FastifyRequest, ended: Ended): void {
  const quiet = (method === 'GET' || method === 'HEAD') && ended.status < 400;
  log[quiet ? 'debug' : 'info']({ method, ...ended, actor: actor?.id, problem, traceId: span?.traceId }, 'request');
}

/** The path as the contract has it: Fastify wants a colon doubled that is no parameter. */
export const routeOf = ({ routeOptions }: FastifyRequest): string | undefined =>
  routeOptions.url?.replaceAll('::', ':');

/** Creates a span for each request, the parent of its database spans. */
export function traceRequests(app: FastifyInstance, traces: Traces): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.span = traces.begin(request.headers.traceparent);
    traces.within(request.span, done);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, id: transactionId, problem, span } = request;
    if (!span) return;
    traces.end(span, { method, route: routeOf(request), status: reply.statusCode, transactionId, problem });
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined while traces are off. */
    span: Span | undefined;
  }
}
