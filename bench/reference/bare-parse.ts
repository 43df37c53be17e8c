/** The limit of reports: Node's own HTTP server, which reads the body and parses it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOrders } from './answers.ts';
import type { BareAnswer } from './bare-http.ts';

answerOrders(async ({ headers, base64 }: BareAnswer) => {
  const answer = Buffer.from(base64, 'base64');
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      JSON.parse(Buffer.concat(parts).toString());
      response.writeHead(200, headers);
      response.end(answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
});
