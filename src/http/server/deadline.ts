/** Gives each request one patience for all that it asks of the database. Time that its body takes does not count. */
import type { FastifyInstance } from 'fastify';
import { deadlineOfNow, longestPatienceMs, withPatience } from '#store/deadline.ts';

export function sharePatience(app: FastifyInstance): void {
  app.decorateRequest('patienceLeftMs', longestPatienceMs);
  app.addHook('onRequest', (_request, _reply, done) => withPatience(longestPatienceMs, done));
  app.addHook('preParsing', async (request) => {
    request.patienceLeftMs = deadlineOfNow() - performance.now();
  });
  // Reading a body leaves the context that the first hook made.
  app.addHook('preHandler', (request, _reply, done) => withPatience(request.patienceLeftMs, done));
}

declare module 'fastify' {
  interface FastifyRequest {
    patienceLeftMs: number;
  }
}
