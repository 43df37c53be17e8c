/** The HTTP server below Fastify: timeouts, size limits, and replies to input that is not HTTP. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '#domain/problems.ts';
import { errorBody } from './problems.ts';

/** Idle time after which a connection is closed; twice that for a client that stopped reading its response. */
const standstillMs = 40_000;

export const createHttpServer = (answer: RequestListener): Server =>
  createServer(
    {
      // Titles and comments of maximum length fit into a query.
      maxHeaderSize: 65_536,
      headersTimeout: 30_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
      requireHostHeader: false,
    },
    answer,
  ).setTimeout(standstillMs);

const brokenHttp: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers or the path are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
};

/** Input that is not HTTP gets the usual error body, then the connection is closed. */
export function answerBrokenHttp(
  socket: Socket,
  code: string | undefined,
  transactionId: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (!socket.writable) return;
  if (isAnswering(socket)) {
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
