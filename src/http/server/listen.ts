/** The server below the framework: how long it waits, how much it takes, and what it says to what is not HTTP. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '#domain/problems.ts';
import { errorBody } from './problems.ts';

/** Nothing moved for so long, or for twice as long while an answer is on its way: the client has stopped to read. */
const standstillMs = 40_000;

export const createHttpServer = (answer: RequestListener): Server =>
  createServer(
    {
      // Titles and comments of the longest kind fit into a query.
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

/** What is not HTTP has no request and no reply; it still gets the error body, then the connection ends. */
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
    // Who does not close the connection in turn would keep it for ever; who does needs a moment to read the answer.
    () => setTimeout(() => socket.destroy(), 1_000).unref(),
  );
}

/**
 * A request that has come whole is being worked on, so what is broken came behind it, and would be taken for its answer.
 * Node has no other way to ask; its own handler of broken requests looks there, too.
 */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
  return response ? response.headersSent || response.req.complete : false;
}
