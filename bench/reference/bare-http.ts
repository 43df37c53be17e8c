/** The limit of reads: Node's own HTTP server, which looks at nothing and always answers the same bytes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOrders } from './answers.ts';

export interface BareAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly base64: string;
}

answerOrders(async ({ headers, base64 }: BareAnswer) => {
  const body = Buffer.from(base64, 'base64');
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
});
