/** Creates a span for each request, the parent of its database spans. */
import type { FastifyInstance } from 'fastify';
import type { Span, Traces } from '#telemetry/traces.ts';

export function traceRequests(app: FastifyInstance, traces: Traces): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.span = traces.begin(request.headers.traceparent);
    traces.within(request.span, done);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, id: transactionId, problem, span } = request;
    if (!span) return;
    traces.end(span, { method, route: request.routeOptions.url, status: reply.statusCode, transactionId, problem });
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined while traces are off. */
    span: Span | undefined;
  }
}
