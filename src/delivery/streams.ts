/**
 * The open streams of SDKs (server-sent events), and what is written to them.
 *
 * Invariants
 * 1. A number is written only after the snapshot that has it was published, so an SDK that polls at once finds it.
 * 2. The streams of an environment get its changes in order. A stream may miss those before it was opened: SDKs read
 *    everything when a stream opens.
 * 3. Nothing is buffered for a slow reader: its stream is closed, and it connects again and reads everything.
 * 4. Writing to many streams lets other work run in between.
 */
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type FeedChange, merge, type Pending } from './changes.ts';
import type { Feed } from './feed.ts';
import type { SdkKeys } from './keys.ts';
import { createMemberships, type Memberships } from './memberships.ts';
import {
  type Audience,
  audienceOf,
  definitionMessages,
  frameOf,
  greeting,
  isWhole,
  keepalive,
  type Message,
} from './messages.ts';
import type { Verified } from './tokens.ts';

export interface Streams {
  /**
   * Writes to the response, whose head was sent, until it ends. The caller has verified the token. `sdk` is its name and
   * version.
   */
  open(subscriber: Verified & { readonly sdk: string | undefined }, response: ServerResponse): void;
  /** How many are open, and how many were closed since the start because they read too slowly. */
  readonly figures: { readonly open: number; readonly dropped: number };
  /** Whether `end` was called: SDKs should connect to another node. */
  readonly isEnding: boolean;
  /** Ends all streams; SDKs connect again, to another node or after the restart. */
  end(): Promise<void>;
}

export interface StreamsOptions {
  readonly feed: Pick<Feed, 'subscribe'>;
  readonly keys: Pick<SdkKeys, 'onRevoked'>;
  readonly log: Logger;
  readonly now: () => number;
  /** Called when the streams of an environment were sent all flags up to a number, so that SDKs need not fetch them. */
  readonly streamed?: (environmentId: string, changeNumber: number) => void;
  readonly keepaliveMs?: number;
}

/** Below the 40 seconds after which the server closes idle connections, and the 60 of most proxies. */
export const usualKeepaliveMs = 25_000;

interface Stream {
  readonly response: ServerResponse;
  readonly keyId: string;
  readonly audience: Audience;
  readonly expiresAt: number;
}

interface Environment {
  readonly id: string;
  readonly streams: Set<Stream>;
  readonly memberships: Memberships;
  pending: Pending | undefined;
  isTelling: boolean;
}

/** The number of groups of streams. Groups get their keepalives one after the other. */
const groupCount = 100;
/** What may wait in memory for one reader, in bytes, besides what the kernel takes. */
const maxBehind = 512_000;
/** Then other work gets a turn. Node makes the system calls at the end of the turn, so a time limit would not work. */
const writesATurn = 100;

export function createStreams(options: StreamsOptions): Streams {
  const { feed, keys, log, now, streamed = () => undefined, keepaliveMs = usualKeepaliveMs } = options;
  const environments = new Map<string, Environment>();
  const groups = Array.from({ length: groupCount }, () => new Set<Stream>());
  const figures = { open: 0, dropped: 0 };
  let opened = 0;
  let turn = 0;
  let isEnding = false;

  const write = ({ response }: Stream, bytes: string | Buffer): void => {
    // Its close event is still to come.
    if (response.destroyed) return;
    if (response.writableLength <= maxBehind) {
      response.write(bytes);
      return;
    }
    figures.dropped += 1;
    response.destroy();
  };

  const announce = async ({ id, streams, memberships }: Environment, change: Pending): Promise<void> => {
    const clients = [...streams].filter(({ audience }) => audience.startsWith('client')).length;
    const messages = [
      ...(await definitionMessages(change)),
      ...(await memberships.messagesFor(change.segments, clients)),
    ];
    const bytesFor = bytesByAudience(messages, id, now());
    await slowly(streams, (stream) => {
      const bytes = bytesFor(stream.audience);
      if (bytes.length > 0) write(stream, bytes);
    });
    const last = change.flags.at(-1);
    if (last && messages.every(isWhole)) streamed(id, last.number);
  };

  const tellPending = async (environment: Environment): Promise<void> => {
    environment.isTelling = true;
    for (let change = environment.pending; change; change = environment.pending) {
      environment.pending = undefined;
      try {
        await announce(environment, change);
      } catch (error) {
        log.error({ err: error }, 'notifying streams of a change failed; they are closed');
        await slowly(environment.streams, ({ response }) => response.destroy());
      }
    }
    // Nothing is awaited after the last check, so no change is left behind.
    environment.isTelling = false;
  };

  const onChange = (change: FeedChange): void => {
    const environment = environments.get(change.environmentId);
    if (!environment || environment.streams.size === 0) return;
    // SDKs ignore lower numbers, but read everything when they connect again.
    if (change.isRestored) return void slowly(environment.streams, ({ response }) => response.end());
    environment.pending = merge(environment.pending, change);
    if (!environment.isTelling) void tellPending(environment);
  };

  const keepAlive = (): void => {
    turn = (turn + 1) % groupCount;
    void slowly(groups[turn] ?? [], (stream) => {
      if (stream.expiresAt <= now()) stream.response.end();
      else write(stream, keepalive);
    });
  };

  feed.subscribe(onChange);
  keys.onRevoked((id) => {
    for (const { streams } of environments.values()) {
      void slowly(streams, ({ keyId, response }) => keyId === id && response.end());
    }
  });
  const timer = setInterval(keepAlive, keepaliveMs / groupCount).unref();

  const environmentOf = (id: string): Environment => {
    const found = environments.get(id);
    if (found) return found;
    const made = {
      id,
      streams: new Set<Stream>(),
      memberships: createMemberships(now),
      pending: undefined,
      isTelling: false,
    };
    environments.set(id, made);
    return made;
  };

  return {
    figures,
    get isEnding() {
      return isEnding;
    },
    open: ({ keyId, type, environmentId, spec, expiresAt, sdk }, response) => {
      const environment = environmentOf(environmentId);
      const group = groups[opened % groupCount];
      opened += 1;
      const stream: Stream = { response, keyId, audience: audienceOf(type, spec, sdk), expiresAt };
      environment.streams.add(stream);
      group?.add(stream);
      figures.open += 1;
      // A client that goes away while something is written to it is no error.
      response.on('error', ignore).on('close', () => {
        environment.streams.delete(stream);
        group?.delete(stream);
        figures.open -= 1;
      });
      response.write(greeting(now()));
    },
    end: async () => {
      isEnding = true;
      clearInterval(timer);
      for (const { streams } of environments.values()) await slowly(streams, ({ response }) => response.end());
    },
  };
}

const ignore = (): void => undefined;

/** The frames of the messages for an audience, made once. */
function bytesByAudience(messages: readonly Message[], environmentId: string, now: number) {
  const made = new Map<Audience, Buffer>();
  return (audience: Audience): Buffer => {
    const found = made.get(audience);
    if (found) return found;
    const concerning = messages.filter(({ to }) => to.includes(audience));
    const bytes = Buffer.from(concerning.map((message) => frameOf(message, environmentId, now)).join(''));
    made.set(audience, bytes);
    return bytes;
  };
}

/** Calls `act` for each stream that is still open when its turn comes. */
async function slowly(streams: Iterable<Stream>, act: (stream: Stream) => void): Promise<void> {
  let acted = 0;
  for (const stream of streams) {
    act(stream);
    acted += 1;
    if (acted % writesATurn === 0) await nextTurn();
  }
}
