/** `/api/v2/auth`, which gives an SDK the token of its stream, and `/sse`, the stream. */
import type { Feed } from '#delivery/feed.ts';
import type { SdkKeys } from '#delivery/keys.ts';
import type { Sdks } from '#delivery/sdks.ts';
import type { Streams } from '#delivery/streams.ts';
import type { Tokens } from '#delivery/tokens.ts';
import { type Spec, specs } from '#domain/wire/flags.ts';
import { type Asked, callerOf, Refusal, type SdkEndpoint, unavailable } from './respond.ts';

export interface StreamServices {
  readonly feed: Pick<Feed, 'current'>;
  readonly keys: Pick<SdkKeys, 'has'>;
  readonly streams: Streams;
  readonly sdks: Pick<Sdks, 'streaming'>;
  readonly tokens: Tokens;
  readonly now: () => number;
}

const head = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'access-control-allow-origin': '*',
  // The body has no length, so its end is that of the connection; Node says `keep-alive` otherwise.
  connection: 'close',
  // Otherwise nginx collects what is written.
  'x-accel-buffering': 'no',
};

export function streamEndpoints({ feed, keys, streams, sdks, tokens, now }: StreamServices): SdkEndpoint[] {
  const delayOf = spreadConnections(now);
  const requireRunning = () => {
    if (streams.isEnding) throw new Refusal(503, 'This node is stopping');
  };

  const auth = async (asked: Asked) => {
    const { query } = asked;
    const { id, type, environmentId } = await asked.key();
    if (type === 'client_side' && !query.has('users')) throw new Refusal(400, 'no user specified');
    requireRunning();
    // An SDK whose stream is open does not poll: without flags it would never become ready.
    if (!(await feed.current(environmentId))) throw unavailable();
    const token = tokens.issue({ keyId: id, type, environmentId, spec: specOf(query.get('s')) }, now());
    return { body: JSON.stringify({ pushEnabled: true, token, connDelay: delayOf() }) };
  };

  const stream = async ({ request, query, response }: Asked) => {
    const subscriber = tokens.verify(query.get('accessToken') ?? '', now());
    const requireValid = () => {
      requireRunning();
      if (!subscriber || !keys.has(subscriber.keyId)) throw new Refusal(401, 'Invalid token');
      return subscriber;
    };
    const { environmentId, keyId: id, type } = requireValid();
    // A node announces changes only to what it has read, and the SDK may have asked other nodes so far.
    if (!(await feed.current(environmentId))) throw unavailable();
    if (response.destroyed) return 'sent' as const;
    // What happened meanwhile ended only the streams that were open.
    const stillValid = requireValid();
    // The connection ends with the stream: without chunks, a message is one piece of memory for all streams.
    response.removeHeader('transfer-encoding');
    response.writeHead(200, head);
    if (request.method === 'HEAD') response.end();
    else {
      const caller = callerOf(request, { id, environmentId, type }, query);
      streams.open({ ...stillValid, sdk: caller.sdk }, response);
      response.once('close', sdks.streaming(caller));
    }
    return 'sent' as const;
  };

  return [
    ...['/api/v2/auth', '/api/auth'].map((path) => ({ method: 'GET', path, answer: auth }) as const),
    ...['/sse', '/event-stream'].map((path) => ({ method: 'GET', path, answer: stream }) as const),
  ];
}

/**
 * SDKs that send no spec are old. One newer than ours falls back to 1.2 when it polls; a refusal here would end its
 * streaming for good.
 */
const specOf = (given: string | null): Spec => specs.find((spec) => spec === (given ?? '1.0')) ?? '1.2';

/** More SDKs in one second, as after a restart, are spread over the following ones. */
const connectionsASecond = 500;

/** How many seconds the next SDK should wait before it connects. */
function spreadConnections(now: () => number): () => number {
  let second = 0;
  let count = 0;
  return () => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      second = current;
      count = 0;
    }
    count += 1;
    return Math.floor(Math.random() * (count / connectionsASecond));
  };
}
