/** The HTTP server below Fastify: timeouts, size limits, and replies to input that is not HTTP. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { uploadLargeSegment } from '#contract/uploads.ts';
import { Problem } from '#domain/problems.ts';
import { errorBody } from './problems.ts';

/** A file may take this long to arrive; `limitArrival` sets a shorter time for other requests. */
const longestUploadMs = 20 * 60_000;
const uploadPath = uploadLargeSegment.path.replace(':token', '');
/** Idle time after which a connection is closed; twice that for a client that stopped reading its response. */
const standstillMs = 40_000;

export function createHttpServer(answer: RequestListener): Server {
  const server = createServer(
    {
      // Titles and comments of maximum length fit into a query.
      maxHeaderSize: 65_536,
      headersTimeout: 30_000,
      requestTimeout: longestUploadMs,
      connectionsCheckingInterval: 5_000,
      requireHostHeader: false,
      // For requests without a body, Node skips the events of one, which nobody waits for: 5 µs less for each.
      optimizeEmptyRequests: true,
    },
    (request, response) => {
      if (!request.url?.startsWith(uploadPath)) limitArrival(server, request);
      answer(request, response);
    },
  );
  return server.setTimeout(standstillMs);
}

/** A body has as much time to arrive as the headers had. Node knows only one time for all requests. */
function limitArrival(server: Server, request: IncomingMessage): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length === '0' && encoding === undefined) return;
  const refuse = () => {
    const late = Object.assign(new Error('request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', late, request.socket);
  };
  const timer = setTimeout(refuse, server.headersTimeout).unref();
  const arrived = () => clearTimeout(timer);
  request.once('end', arrived).once('close', arrived);
}

const brokenHttp: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers or the path are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
};

/** Input that is not HTTP gets the usual error body, then the connection is closed. */
export function refuseBrokenHttp(
  socket: Socket,
  code: string | undefined,
  transactionId: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (!socket.writable) return;
  if (isAnswering(socket) || isUnused(socket)) {
    socket.destroy();
    return;
  }
  const problem = new Problem('request_invalid', {
    complaints: [brokenHttp[code ?? ''] ?? 'The request is not valid HTTP'],
  });
  const body = JSON.stringify(errorBody(problem, transactionId));
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Transaction-Id: ${transactionId}`,
      `X-Burgee-Problem: ${problem.code}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    // A client that never closes its side would keep the socket open; others need a moment to read the response.
    () => setTimeout(() => socket.destroy(), 1_000).unref(),
  );
}

/**
 * A complete request is being handled, so the broken input came after it, and the error would be taken for its response.
 * Node has no public way to ask; its own handler of broken requests reads the same field.
 */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
  return response ? response.headersSent || response.req.complete : false;
}

/**
 * Browsers open connections in advance. One that is told why it is closed takes that for the response to the next
 * request, which it sends on this connection.
 */
const isUnused = (socket: Socket): boolean => socket.bytesRead === 0;
