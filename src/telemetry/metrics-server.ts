/** Serves the metrics on a separate address, without authentication: do not expose it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contentType } from './exposition.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Rejects with the socket's error if it cannot listen. */
export async function serveMetrics(metrics: Metrics, host: string, port: number): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 5_000, headersTimeout: 5_000 }, async (request, response) => {
    const path = request.url?.replace(/\?.*$/s, '');
    if (path !== '/metrics') return response.writeHead(404, plain).end('The metrics are at /metrics\n');
    if (request.method !== 'GET')
      return response.writeHead(405, { ...plain, allow: 'GET' }).end('GET is all there is\n');
    return response.writeHead(200, { 'content-type': contentType }).end(await metrics.text());
  });
  // Enough for a few scrapers; anything else must not use up our sockets.
  server.maxConnections = 20;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      metrics.stop();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };
