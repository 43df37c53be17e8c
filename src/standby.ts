/**
 * Serves SDKs from the copy on the local disk while the database cannot be opened, so that applications that start
 * meanwhile get their flags. Everything else is refused with 503.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { transactionIds } from '#commands/transaction-ids.ts';
import type { DiskCopy } from '#delivery/disk.ts';
import { startFeed } from '#delivery/feed.ts';
import { knownKeys } from '#delivery/keys.ts';
import { createRecents } from '#delivery/recents.ts';
import { createSdks } from '#delivery/sdks.ts';
import { createStreams } from '#delivery/streams.ts';
import { createTraffic } from '#delivery/traffic.ts';
import { Problem } from '#domain/problems.ts';
import { createThrottles } from '#http/limits/throttle.ts';
import { sdkEndpoints } from '#http/sdk/endpoints.ts';
import { createSdkResponder } from '#http/sdk/respond.ts';
import { limitConnections } from '#http/server/connections.ts';
import { safeHeaders } from '#http/server/headers.ts';
import { createHttpServer } from '#http/server/listen.ts';
import { errorBody } from '#http/server/problems.ts';
import { unavailable } from '#store/sql.ts';
import manifest from '../package.json' with { type: 'json' };
import type { Config } from './config.ts';

export interface Standby {
  readonly port: number;
  /** Ends all connections: SDKs connect again, to the server that follows. */
  stop(): Promise<void>;
}

/** Resolves when it listens. */
export async function startStandby(config: Config, log: Logger, copy: DiskCopy): Promise<Standby> {
  const { publicUrl, trustProxy, connections, host, port } = config;
  const keys = knownKeys(copy.keys, Date.now);
  const feed = startFeed({ store: down, log, environmentIds: new Set(), known: copy.environments });
  const streams = createStreams({ feed, keys, log, now: Date.now });
  const sdks = createSdks(Date.now);
  const nextTransactionId = transactionIds();
  const respondToSdk = createSdkResponder({
    keys,
    sdks,
    keyUsed: () => undefined,
    endpoints: sdkEndpoints(
      // What is counted here is lost: the database is down.
      { feed, keys, streams, sdks, traffic: createTraffic(Date.now, createRecents(Date.now)) },
      {
        secrets: copy.secrets,
        now: Date.now,
        version: manifest.version,
        afterWrites: () => undefined,
      },
    ),
    throttles: createThrottles(),
    // What is served may be old.
    headers: ['x-burgee-snapshot', 'disk'],
    answered: () => undefined,
    traces: undefined,
    log,
    trustProxy,
    publicUrl,
    nextTransactionId,
  });
  const refuse = refuser(publicUrl, nextTransactionId);
  const server = createHttpServer((request, response) => {
    if (!respondToSdk(request, response)) refuse(request, response);
  });
  limitConnections(server, connections, { trustProxy, log });
  await once(server.listen(port, host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = once(server.close(), 'close');
      await streams.end();
      server.closeAllConnections();
      await Promise.all([closed, feed.stop()]);
    },
  };
}

/** A database that cannot be read. */
const down = {
  clock: Date.now,
  rowsPerTurn: Infinity,
  one: () => Promise.reject(unavailable(undefined)),
  all: () => Promise.reject(unavailable(undefined)),
  version: () => undefined,
  onCommit: () => undefined,
};

const retrySeconds = 2;

function refuser(publicUrl: string | undefined, nextTransactionId: () => string) {
  const headers = { ...safeHeaders(publicUrl), 'content-type': 'application/json; charset=utf-8' };
  return (request: IncomingMessage, response: ServerResponse): void => {
    request.resume();
    if (request.method === 'GET' && request.url === '/health') {
      response.writeHead(200, headers).end(JSON.stringify({ status: 'ok', version: manifest.version }));
      return;
    }
    const problem = new Problem('unavailable', { seconds: retrySeconds });
    const transactionId = nextTransactionId();
    const facts = {
      'x-burgee-problem': problem.code,
      'x-transaction-id': transactionId,
      'retry-after': String(retrySeconds),
    };
    response.writeHead(503, { ...headers, ...facts }).end(JSON.stringify(errorBody(problem, transactionId)));
  };
}
