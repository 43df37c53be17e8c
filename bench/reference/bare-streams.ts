/** The limit of streams: Node's own HTTP server, which keeps what is open and writes the same bytes to all of it. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOrders } from './answers.ts';

/** The first order starts it; each one after that is sent to all streams. */
export type BareStreamsOrder = { readonly first: string } | { readonly send: string };

const open = new Set<ServerResponse>();

answerOrders(async (order: BareStreamsOrder) => {
  if ('send' in order) {
    const bytes = Buffer.from(order.send);
    for (const response of open) response.write(bytes);
    return open.size;
  }
  const first = Buffer.from(order.first);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(first);
    open.add(response);
    response.on('close', () => open.delete(response));
  })
    // Node would close idle sockets, and limit the time of a request.
    .setTimeout(0)
    .listen(0, '127.0.0.1', 20_000);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
});
