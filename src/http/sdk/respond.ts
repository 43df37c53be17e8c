/**
 * The endpoints of SDKs, on bare node:http below Fastify: polls are many, and a node whose database is down answers
 * nothing else. They speak the SDKs' own protocol, so they are not part of the contract.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import type { Logger } from 'pino';
import { statusOf } from '#contract/parts.ts';
import type { SdkKey, SdkKeys } from '#delivery/keys.ts';
import { type Caller, type Sdks, toCaller } from '#delivery/sdks.ts';
import { Problem } from '#domain/problems.ts';
import { keyOf } from '#security/secrets.ts';
import type { Answered } from '#telemetry/requests.ts';
import type { Span, Traces } from '#telemetry/traces.ts';
import type { Throttles } from '../limits/throttle.ts';
import { isProxy, proxiesOf } from '../server/connections.ts';
import { boundUnsent } from './unsent.ts';

export interface SdkEndpoint {
  readonly method: 'GET' | 'POST';
  /** A `*` at the end stands for the rest of the path. Logs and metrics name the endpoint by it. */
  readonly path: string;
  /** Refuses by throwing a Refusal. */
  readonly answer: (asked: Asked) => Reply | Promise<Reply>;
}

/** A request to an endpoint. */
export interface Asked {
  readonly request: IncomingMessage;
  /** For endpoints that send their reply themselves and return `sent`. */
  readonly response: ServerResponse;
  /** What `*` stands for, decoded. */
  readonly rest: string;
  /** What is after the `?`. */
  readonly search: string;
  readonly query: URLSearchParams;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** The key of the request. Refuses a request without one. */
  key(): SdkKey | Promise<SdkKey>;
  /** What the request says of its SDK, once its key is known. Undefined if it is not an SDK, but for example curl. */
  sdk(): Caller | undefined;
  /** The key with this text. Refuses an unknown one, and an address that sends too many of those. */
  keyWith(text: string | undefined): SdkKey | Promise<SdkKey>;
}

export type Reply = Body | 'sent';

export interface Body {
  readonly status?: number;
  readonly body: string | Buffer;
  readonly encoding?: string | undefined;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
  /** Called once the system has taken all of it. */
  readonly sent?: () => void;
}

/** A reply other than 2xx, with the vendor's body. */
export class Refusal extends Error {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];

  constructor(status: number, message: string, headers: readonly string[] = []) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** SDKs keep what they have and try again. An empty reply would remove their flags. */
export const unavailable = () => new Refusal(503, 'The environment cannot be read at the moment');

export interface SdkOptions {
  readonly keys: SdkKeys;
  readonly sdks: Sdks;
  /** Saves that the key was used. */
  readonly keyUsed: (id: string) => void;
  readonly endpoints: readonly SdkEndpoint[];
  readonly throttles: Throttles;
  readonly log: Logger;
  readonly answered: Answered;
  readonly traces: Traces | undefined;
  readonly trustProxy: string | undefined;
  readonly publicUrl: string | undefined;
  /** Of every reply; names and values in turn. */
  readonly headers?: readonly string[];
  readonly nextTransactionId: () => string;
}

/** Returns false, and sends nothing, if the path is not one of an SDK endpoint. */
export type RespondToSdk = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createSdkResponder(options: SdkOptions): RespondToSdk {
  const { keys, sdks, keyUsed, log, answered, traces, throttles, nextTransactionId } = options;
  const find = finderOf(options.endpoints);
  const keyCheck = { keys, sdks, throttles, proxies: proxiesOf(options.trustProxy) };
  const headers = [...headersFor(options.publicUrl), ...(options.headers ?? [])];
  const isVerbose = log.isLevelEnabled('debug');
  const holdUnsent = boundUnsent();

  const refuse = ({ request, response }: Exchange, error: unknown, transactionId: string) => {
    const { status, message, headers: more } = toRefusal(error);
    if (status === 500) log.error({ err: error, transactionId }, 'internal error');
    // What was not read of the body is discarded, so that the connection can be used again.
    request.resume();
    if (response.headersSent) return void response.destroy();
    const body = JSON.stringify({ code: status, message });
    send(response, { status, body }, [...headers, 'x-transaction-id', transactionId, ...more]);
  };
  const ended = (exchange: Exchange, transactionId?: string) => {
    const { startedAt, route, span, foundKey, request, response } = exchange;
    const { method = '' } = request;
    const { statusCode: status } = response;
    const elapsedMs = performance.now() - startedAt;
    answered(route, method, status, elapsedMs / 1_000);
    // SDKs ask and post all the time: only what failed is worth a line.
    if (status < 400 && !isVerbose && !span) return;
    const fields = { transactionId: transactionId ?? nextTransactionId(), method, route, status };
    const logged = { ...fields, milliseconds: Math.round(elapsedMs), actor: foundKey?.id, traceId: span?.traceId };
    log[status < 400 ? 'debug' : 'info'](logged, 'request');
    if (span) traces?.end(span, { ...fields, problem: undefined });
  };
  const fail = (exchange: Exchange, error: unknown) => {
    const transactionId = nextTransactionId();
    refuse(exchange, error, transactionId);
    ended(exchange, transactionId);
  };
  const succeed = (exchange: Exchange, reply: Reply) => {
    const { foundKey, response } = exchange;
    if (reply !== 'sent') send(response, reply, headers);
    if (foundKey) {
      keyUsed(foundKey.id);
      const caller = exchange.sdk();
      if (caller) sdks.seen(caller);
    }
    if (reply !== 'sent') {
      const { body, sent } = reply;
      if (response.writableLength > 0) {
        holdUnsent(response, body);
        if (sent) response.once('finish', sent);
        // What is written after the client has gone is discarded.
      } else if (!response.destroyed) sent?.();
    }
    ended(exchange);
  };

  return (request, response) => {
    const startedAt = performance.now();
    const { url = '', method = '' } = request;
    const queryAt = url.indexOf('?');
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    const found = find(path);
    if (!found) return false;
    const span = traces?.begin(request.headers.traceparent, startedAt);
    const search = queryAt < 0 ? '' : url.slice(queryAt + 1);
    const exchange = new Exchange({ request, response, search, startedAt, route: found.path, span, keyCheck });
    if (method === 'OPTIONS') {
      response.writeHead(204, [...headers, ...preflightHeaders]).end();
      ended(exchange);
      return true;
    }
    try {
      const endpoint = found.methods.get(method);
      if (!endpoint) throw new Refusal(405, `Method not allowed: ${method}`);
      if (found.isOpen) exchange.rest = decoded(path.slice(found.path.length - 1));
      const reply = endpoint.answer(exchange);
      if (reply instanceof Promise) {
        reply.then((body) => succeed(exchange, body)).catch((error: unknown) => fail(exchange, error));
      } else succeed(exchange, reply);
    } catch (error) {
      fail(exchange, error);
    }
    return true;
  };
}

interface KeyCheck {
  readonly keys: SdkKeys;
  readonly sdks: Sdks;
  readonly throttles: Throttles;
  readonly proxies: BlockList;
}

/** One object for each request: polls are many. */
class Exchange implements Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly search: string;
  rest = '';
  readonly startedAt: number;
  readonly route: string;
  readonly span: Span | undefined;
  /** Once it is known. */
  foundKey: SdkKey | undefined;
  #sdk: Caller | undefined;
  readonly #keyCheck: KeyCheck;

  constructor(
    from: Pick<Exchange, 'request' | 'response' | 'search' | 'startedAt' | 'route' | 'span'> & {
      readonly keyCheck: KeyCheck;
    },
  ) {
    this.request = from.request;
    this.response = from.response;
    this.search = from.search;
    this.startedAt = from.startedAt;
    this.route = from.route;
    this.span = from.span;
    this.#keyCheck = from.keyCheck;
  }

  /** Most polls are found by their text and need no parsing. */
  get query(): URLSearchParams {
    return new URLSearchParams(this.search);
  }

  key(): SdkKey | Promise<SdkKey> {
    return this.keyWith(keyOf(this.request.headers));
  }

  keyWith(text: string | undefined): SdkKey | Promise<SdkKey> {
    const found = text === undefined ? undefined : this.#keyCheck.keys.find(text);
    return found instanceof Promise ? found.then((key) => this.#require(key, text)) : this.#require(found, text);
  }

  sdk(): Caller | undefined {
    if (!this.#sdk && this.foundKey && this.request.headers.splitsdkversion !== undefined) {
      this.#sdk = callerOf(this.request, this.foundKey);
    }
    return this.#sdk;
  }

  #require(key: SdkKey | undefined, text: string | undefined): SdkKey {
    if (!key) {
      const { sdks, throttles, proxies } = this.#keyCheck;
      if (text !== undefined) sdks.refused(text, this.request.headers.splitsdkversion?.toString());
      throttles.failedKey(addressOf(this.request, proxies));
      throw new Refusal(401, 'Invalid credentials');
    }
    this.foundKey = key;
    return key;
  }
}

/** Reads the body to its end. By events: an async iterator takes as long as a short evaluation. */
export const readBody = (request: IncomingMessage, maxBytes: number, take: (part: Buffer) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    // Without a body there are no events, see `listen.ts`.
    if (request.readableEnded) return resolve();
    let bytes = 0;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= maxBytes) take(part);
    });
    request.on('end', () => {
      if (bytes <= maxBytes) resolve();
      else reject(new Refusal(413, `The body must not have more than ${maxBytes} bytes`));
    });
    request.on('error', () => reject(new Refusal(400, 'The connection was closed before the end of the body')));
  });

/** The whole body as text. */
export function textOf(request: IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  return readBody(request, maxBytes, (part) => parts.push(part)).then(() =>
    // Short bodies arrive in one part.
    (parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)).toString(),
  );
}

/** Undefined if it is not JSON. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** SDKs say who they are in headers, and browsers in the query of a stream. */
export function callerOf({ headers }: IncomingMessage, key: Caller['key'], query?: URLSearchParams): Caller {
  const { splitsdkversion: sdk = query?.get('SplitSDKVersion') ?? undefined } = headers;
  const { splitsdkmachinename: machine, splitsdkmachineip: ip } = headers;
  return toCaller({ key, sdk: sdk?.toString(), machine: said(machine), ip: said(ip) });
}

/** SDKs that may not say send one of these. */
const said = (header: string | string[] | undefined): string | undefined =>
  header === '' || header === 'NA' || header === 'unknown' ? undefined : header?.toString();

/** What browsers ask for before each request, as measured with the vendor's SDKs; the last two are for OFREP. */
const preflightHeaders = [
  ...['access-control-allow-methods', 'GET, POST, OPTIONS'],
  'access-control-allow-headers',
  'Authorization, Content-Type, SplitSDKVersion, SplitSDKImpressionsMode, Cache-Control, SplitSDKMachineIP, SplitSDKMachineName, If-None-Match, X-API-Key',
  ...['access-control-max-age', '86400'],
];

const headersFor = (publicUrl: string | undefined): string[] => [
  // SDKs send no cookies.
  ...['access-control-allow-origin', '*', 'cache-control', 'no-store', 'x-content-type-options', 'nosniff'],
  ...(publicUrl?.startsWith('https:') ? ['strict-transport-security', 'max-age=31536000'] : []),
];

function send(response: ServerResponse, reply: Body, common: readonly string[]): void {
  const { status = 200, body, encoding, headers } = reply;
  const all = headers ? [...common, ...headers] : [...common];
  if (status !== 204 && status !== 304) {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    all.push('content-type', 'application/json; charset=utf-8', 'content-length', String(length));
  }
  if (encoding) all.push('content-encoding', encoding);
  response.writeHead(status, all);
  response.end(body);
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (!(error instanceof Problem)) return new Refusal(500, 'Internal error');
  const { kind, message, retryAfterSeconds } = error;
  const headers = retryAfterSeconds === undefined ? [] : ['retry-after', String(retryAfterSeconds)];
  return new Refusal(statusOf[kind], message, headers);
}

interface Place {
  readonly path: string;
  readonly isOpen: boolean;
  readonly methods: ReadonlyMap<string, SdkEndpoint>;
}

function finderOf(endpoints: readonly SdkEndpoint[]): (path: string) => Place | undefined {
  const places = new Map<string, Place>();
  for (const [path, ofPath] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const methods = new Map(ofPath.map((endpoint) => [endpoint.method as string, endpoint]));
    const get = methods.get('GET');
    places.set(path, { path, isOpen: path.endsWith('*'), methods: get ? methods.set('HEAD', get) : methods });
  }
  const open = [...places.values()].filter(({ isOpen }) => isOpen);
  return (path) => places.get(path) ?? open.find((place) => path.startsWith(place.path.slice(0, -1)));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal(400, 'The path is not a valid URL');
  }
}

/** The address of the client: the last one that is not a trusted proxy's. */
function addressOf({ socket, headers }: IncomingMessage, proxies: BlockList): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  const addresses = [...forwarded.map((address) => address.trim()), socket.remoteAddress ?? ''].filter(Boolean);
  return addresses.findLast((address) => !isProxy(proxies, address)) ?? addresses[0] ?? '';
}
