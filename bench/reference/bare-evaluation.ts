/** Fastify that parses the body of an evaluation and answers an object in memory. */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { answerOrders } from './answers.ts';
import type { BareAnswer } from './bare-http.ts';

answerOrders(async ({ base64 }: BareAnswer) => {
  const answer = JSON.parse(Buffer.from(base64, 'base64').toString()) as object;
  const app = fastify();
  app.post('/ofrep/v1/evaluate/flags/:flag', async () => answer);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
});
