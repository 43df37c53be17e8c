/** Fastify with the route and the schema of GET definition, and nothing else: the answer is an object in memory. */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { getDefinition } from '#contract/definitions.ts';
import { prefix } from '#contract/parts.ts';
import { answerOrders } from './answers.ts';
import type { BareAnswer } from './bare-http.ts';

answerOrders(async ({ headers, base64 }: BareAnswer) => {
  const definition = JSON.parse(Buffer.from(base64, 'base64').toString()) as object;
  const app = fastify();
  app.get(
    prefix + getDefinition.path,
    { schema: { response: { 200: getDefinition.reply } } },
    async (_request, reply) => {
      reply.headers({ etag: headers.etag, 'x-transaction-id': headers['x-transaction-id'] });
      return reply.type('application/json; charset=utf-8').send(definition);
    },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
});
