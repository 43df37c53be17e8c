/**
 * Reads a source over HTTP. It can only GET, and it follows no redirect: another host must not get the key. A request
 * that is refused for its rate waits as long as the source says, and all others wait with it. One that fails is
 * repeated, with growing pauses.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import { parseJson } from '#concurrency/json.ts';
import { OperatorError } from '#domain/operator.ts';

export interface RetryPolicy {
  /** Of one request, until its last byte. */
  readonly deadlineMs: number;
  /** How often a request is repeated that failed. */
  readonly retries: number;
  /** Before the first repetition; each pause is twice as long as the one before, plus a random part. */
  readonly firstPauseMs: number;
}

export const defaultRetryPolicy: RetryPolicy = { deadlineMs: 60_000, retries: 6, firstPauseMs: 500 };

/** What reading has cost so far. */
export interface Traffic {
  requests: number;
  /** How long requests waited because the source limits their rate. */
  waitedMs: number;
  /** While they wait: the instant of the next request. */
  waitsUntil?: number;
}

export interface ClientOptions {
  /** Paths are appended to it. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly retryPolicy: RetryPolicy;
  /** Counted on. */
  readonly traffic: Traffic;
  /** Throws if the address must not be asked. */
  readonly check?: ((url: URL) => Promise<void>) | undefined;
}

export interface Reply {
  readonly body: unknown;
  readonly headers: Headers;
}

export type Query = Readonly<Record<string, string | number>>;

export interface Client {
  get(path: string, query?: Query): Promise<Reply>;
}

/** The source does not give this, and asking again would not help. */
export class SourceRefusal extends OperatorError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Worth a repetition. */
class Failure extends OperatorError {}
class RateLimited extends Error {}

const requestsAtOnce = 4;
/** Decoded. The largest bodies are all flags of an environment, and all keys of a segment. */
const maxBytes = 64 * 1024 * 1024;
const longestPauseMs = 30_000;
/** What a source may ask for, and how often for the same request. */
const longestResetSeconds = 3_600;
const maxRateLimits = 100;

export function createClient(options: ClientOptions): Client {
  const { base, signal, retryPolicy, traffic } = options;
  const limit = pLimit(requestsAtOnce);
  let freeAt = 0;

  const attempt = async (url: URL): Promise<Reply> => {
    const waitMs = freeAt - performance.now();
    if (waitMs > 0) {
      traffic.waitsUntil = Math.round(Date.now() + waitMs);
      await pause(waitMs, undefined, { signal });
      traffic.waitedMs += waitMs;
      delete traffic.waitsUntil;
    }
    await options.check?.(url);
    traffic.requests += 1;
    const { response, text } = await fetched(url, options);
    if (response.status === 429) {
      freeAt = Math.max(freeAt, performance.now() + resetMs(response.headers, retryPolicy));
      throw new RateLimited();
    }
    return { body: await bodyOf(response, text, url), headers: response.headers };
  };

  return {
    get: (path, query = {}) =>
      limit(async () => {
        const url = urlOf(base + path, query);
        let rateLimits = 0;
        try {
          return await pRetry(() => attempt(url), {
            signal,
            retries: retryPolicy.retries,
            minTimeout: retryPolicy.firstPauseMs,
            maxTimeout: longestPauseMs,
            randomize: true,
            shouldRetry: ({ error }) =>
              error instanceof Failure || (error instanceof RateLimited && ++rateLimits < maxRateLimits),
            // It has waited already, in `attempt`.
            shouldConsumeRetry: ({ error }) => !(error instanceof RateLimited),
          });
        } catch (error) {
          if (error instanceof RateLimited)
            throw new OperatorError(`${sayUrl(url)}: too many requests, again and again`);
          if (error instanceof Failure)
            throw new OperatorError(`${error.message} (${retryPolicy.retries + 1} attempts)`);
          throw error;
        }
      }),
  };
}

function urlOf(address: string, query: Query): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}

const sayUrl = (url: URL): string => `GET ${url.origin}${url.pathname}`;

async function fetched(url: URL, { headers, signal, retryPolicy }: ClientOptions) {
  const deadline = AbortSignal.timeout(retryPolicy.deadlineMs);
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    });
    return { response, text: await textOf(response, url) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceRefusal) throw error;
    if (deadline.aborted) throw new Failure(`${sayUrl(url)}: no response within ${retryPolicy.deadlineMs / 1000} s`);
    throw new Failure(`${sayUrl(url)}: ${causeOf(error)}`);
  }
}

/** `fetch failed` says nothing; its cause does. */
function causeOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || message : message;
}

async function textOf({ body }: Response, url: URL): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new SourceRefusal(200, `${sayUrl(url)}: the answer has more than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

async function bodyOf({ status, headers }: Response, text: string, url: URL): Promise<unknown> {
  if (status >= 500) throw new Failure(`${sayUrl(url)}: status ${status}`);
  if (status >= 300 && status < 400) {
    throw new SourceRefusal(status, `${sayUrl(url)} redirects to ${headers.get('location')}. Use that address instead`);
  }
  if (status >= 400) throw new SourceRefusal(status, `status ${status}${messageIn(text)}`);
  try {
    return await parseJson(text);
  } catch {
    throw new SourceRefusal(status, `${sayUrl(url)}: the answer is not JSON`);
  }
}

/** Of an error body of the Admin API. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? `: ${message.slice(0, 200)}` : '';
  } catch {
    return '';
  }
}

/** The vendor says it for the organization and for the address; the later one counts. */
function resetMs(headers: Headers, { firstPauseMs }: RetryPolicy): number {
  const seconds = ['x-ratelimit-reset-seconds-org', 'x-ratelimit-reset-seconds-ip', 'retry-after']
    .map((name) => Number(headers.get(name) ?? 0))
    .filter((value) => value > 0);
  const saidMs = Math.min(Math.max(0, ...seconds), longestResetSeconds) * 1000;
  // Not all at the same instant, and not at once even if the source says so.
  return saidMs + firstPauseMs * (1 + Math.random());
}
