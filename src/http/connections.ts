/** How many connections there may be at once, and for how long one may be idle. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';

export interface ConnectionLimits {
  /** One more is closed as soon as it comes: refusing must cost nothing. */
  readonly most: number;
  /** How long a connection is kept after an answer. Longer than proxies keep it, so that it is they who end it. */
  readonly keepAliveSeconds: number;
}

/** Whoever floods the server must not flood its log. */
const quietMs = 60_000;

export function limitConnections(server: Server, { most, keepAliveSeconds }: ConnectionLimits, log: Logger): void {
  let refused = 0;
  let lastSaidAt = Number.NEGATIVE_INFINITY;
  server.keepAliveTimeout = keepAliveSeconds * 1000;
  server.maxConnections = most;
  server.on('drop', () => {
    refused += 1;
    if (performance.now() - lastSaidAt < quietMs) return;
    log.warn({ most, refused }, 'connections are refused: there are MAX_CONNECTIONS already');
    lastSaidAt = performance.now();
    refused = 0;
  });
}
