/** Gives each request one deadline for all its database work. Time spent receiving the body does not count. */
import type { FastifyInstance } from 'fastify';
import { currentDeadline, withDeadline } from '#store/deadline.ts';

export function shareDeadline(app: FastifyInstance, waitMs: number): void {
  app.decorateRequest('waitLeftMs', waitMs);
  app.addHook('onRequest', (_request, _reply, done) => withDeadline(waitMs, done));
  app.addHook('preParsing', async (request) => {
    request.waitLeftMs = currentDeadline() - performance.now();
  });
  // Reading a body leaves the context that the first hook made.
  app.addHook('preHandler', (request, _reply, done) => withDeadline(request.waitLeftMs, done));
}

declare module 'fastify' {
  interface FastifyRequest {
    waitLeftMs: number;
  }
}
