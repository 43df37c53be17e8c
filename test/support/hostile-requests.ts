/** A request that must be refused, and what every refusal must look like. */
import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { NamedEndpoint } from './every-endpoint.ts';

export interface Hostile {
  /** What is wrong with it, for the report. */
  readonly kind: string;
  readonly endpoint: NamedEndpoint;
  /** In the place of the endpoint's own. */
  readonly method?: string;
  /** In the place of the params that name things. */
  readonly params?: Record<string, string>;
  /** Without the question mark. */
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Sender {
  /** Sends it as it is: no path is normalised, no body is repaired. */
  send(
    method: string,
    path: string,
    options: { headers: Record<string, string>; body?: string | Buffer | undefined },
  ): Promise<Reply>;
  close(): void;
}

export function sendingTo(url: string): Sender {
  const { hostname: host, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  return {
    send: (method, path, { headers, body }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        const outgoing = request({ host, port, method, path, agent, headers: { ...length, ...headers } }, (reply) => {
          buffer(reply).then(
            (text) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text: text.toString() }),
            reject,
          );
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** Words of our sources, of what they are built with, and of the places where errors come about. */
const insides =
  /node_modules|node:internal|\.[jt]s\b|\bat \w+ \(|\/src\/|FST_|SQLITE|sqlite|postgres|pg_|\bselect \b|TypeError|stack/i;

/** The error body of the specification, exactly, and nothing of what is inside. `quoted` may come back, as it was sent. */
export function requireRefusal({ status, headers, text }: Reply, quoted = ''): void {
  assert.ok(status >= 400 && status < 500, `answered ${status}: ${text.slice(0, 500)}`);
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  const body = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual(Object.keys(body), ['code', 'message', 'details', 'transactionId']);
  assert.deepEqual(
    [body.code, typeof body.message, typeof body.details, body.transactionId],
    [status, 'string', 'string', headers['x-transaction-id']],
  );
  assert.notEqual(body.message, '');
  assert.ok(text.length < 200_000, `an answer of ${text.length} characters`);
  const told = `${body.message}\n${body.details}`;
  assert.doesNotMatch(quoted === '' ? told : told.replaceAll(quoted, ''), insides);
}
