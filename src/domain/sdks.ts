/** SDKs that read an environment, and what they answered: what Getting started and the page of an environment show. */
import { type Static, Type } from 'typebox';
import type { Actor } from './access.ts';
import { Millis } from './schema.ts';

/** Processes on one machine with the same SDK and key count as one. */
export const ConnectedSdk = Type.Object({
  sdk: Type.String({ description: 'name and version as the SDK sends them, for example `nodejs-11.11.2`' }),
  machine: Type.Optional(Type.String({ description: 'name of the machine; browsers and apps send none' })),
  key: Type.Optional(
    Type.Object(
      { id: Type.String(), lastFour: Type.String() },
      { description: 'only for callers who can read API keys' },
    ),
  ),
  firstSeenAt: Millis,
  lastSeenAt: Millis,
  streams: Type.Integer({ description: 'open streams' }),
  streamingSince: Type.Optional(Millis),
  streamedUntil: Type.Optional(
    Type.Integer({
      description: 'when its last stream ended, in milliseconds since the Unix epoch; only if it was not seen since',
    }),
  ),
  fetch: Type.Optional(
    Type.Object(
      { at: Millis, flags: Type.Integer(), bytes: Type.Integer(), milliseconds: Type.Integer() },
      { description: 'the last time that it read all flags' },
    ),
  ),
  readyMilliseconds: Type.Optional(
    Type.Integer({ description: 'from its start until it was ready, as the SDK reports it' }),
  ),
});
export type ConnectedSdk = Static<typeof ConnectedSdk>;

/** An impression, or an evaluation over HTTP. */
export const SdkAnswer = Type.Object({
  flag: Type.String(),
  key: Type.String({ description: 'the key that the flag was evaluated for' }),
  treatment: Type.String(),
  label: Type.Optional(Type.String({ description: 'why: the rule, or `not ready`, `killed` and so on' })),
  at: Type.Integer({ description: 'milliseconds since the Unix epoch, by the clock of the application' }),
  receivedAt: Type.Integer({ description: 'the same by the clock of Burgee' }),
});
export type SdkAnswer = Static<typeof SdkAnswer>;

export const RefusedKey = Type.Object({
  lastFour: Type.String({ description: 'the last four characters of the key that was sent' }),
  sdk: Type.String(),
  at: Millis,
});
export type RefusedKey = Static<typeof RefusedKey>;

export const EnvironmentSdks = Type.Object({
  serverTime: Millis,
  connected: Type.Integer({
    description:
      'open streams, and SDKs without one that polled in the last three minutes, after their stream ended if they had one',
  }),
  sdks: Type.Array(ConnectedSdk, { description: 'up to 100, first those that stream, then last seen first' }),
  answers: Type.Array(SdkAnswer, { description: 'the last 100, newest first' }),
  refused: Type.Array(RefusedKey, {
    description:
      'keys that were refused in the last minutes, in any environment; only for callers who can read all API keys',
  }),
});
export type EnvironmentSdks = Static<typeof EnvironmentSdks>;

/** A node's part: what it has seen of an environment. */
export interface Sighting {
  readonly sdks: readonly (ConnectedSdk & { readonly key: { readonly id: string; readonly lastFour: string } })[];
  readonly answers: readonly SdkAnswer[];
  readonly refused: readonly RefusedKey[];
}

export const maxSdks = 100;
export const maxAnswers = 100;
/** Most SDKs poll once a minute. */
const recentMs = 180_000;

/** What the nodes have seen together, as the actor may see it. */
export function toEnvironmentSdks(
  sightings: readonly Sighting[],
  actor: Pick<Actor, 'permissions' | 'scope'>,
  now: number,
): EnvironmentSdks {
  const maySeeKeys = actor.permissions.has('apiKey.read') && actor.scope.kind !== 'environment';
  // A refused key belongs to no environment.
  const maySeeRefused = maySeeKeys && actor.scope.kind === 'account';
  const all = merged(sightings.flatMap(({ sdks }) => sdks));
  return {
    serverTime: now,
    connected: all.reduce((sum, sdk) => sum + Math.max(sdk.streams, isConnected(sdk, now) ? 1 : 0), 0),
    sdks: all
      .sort((a, b) => Math.sign(b.streams) - Math.sign(a.streams) || b.lastSeenAt - a.lastSeenAt)
      .slice(0, maxSdks)
      .map(({ key, ...sdk }) => (maySeeKeys ? { ...sdk, key } : sdk)),
    answers: sightings
      .flatMap(({ answers }) => answers)
      // The clocks of applications differ, and may be wrong.
      .sort((a, b) => b.receivedAt - a.receivedAt || b.at - a.at)
      .slice(0, maxAnswers),
    refused: maySeeRefused ? sightings.flatMap(({ refused }) => refused).sort((a, b) => b.at - a.at) : [],
  };
}

/** An application that ends closes its stream, and is not seen again. */
export const isConnected = ({ streams, streamedUntil, lastSeenAt }: ConnectedSdk, now: number): boolean =>
  streams > 0 || (now - lastSeenAt <= recentMs && streamedUntil === undefined);

type SeenSdk = Sighting['sdks'][number];

/** An SDK behind a load balancer talks to several nodes: it polls one and streams from another. */
function merged(sdks: readonly SeenSdk[]): SeenSdk[] {
  const same = Map.groupBy(sdks, ({ sdk, machine, key }) => JSON.stringify([key.id, sdk, machine]));
  return [...same.values()].map((parts) => parts.reduce(joined));
}

function joined(a: SeenSdk, b: SeenSdk): SeenSdk {
  const fetched = [a.fetch, b.fetch].filter((fetch) => fetch !== undefined).sort((x, y) => y.at - x.at)[0];
  const since = Math.min(a.streamingSince ?? Number.POSITIVE_INFINITY, b.streamingSince ?? Number.POSITIVE_INFINITY);
  const lastSeenAt = Math.max(a.lastSeenAt, b.lastSeenAt);
  const readyMilliseconds = a.readyMilliseconds ?? b.readyMilliseconds;
  const { streamedUntil: _, ...rest } = a;
  return {
    ...rest,
    firstSeenAt: Math.min(a.firstSeenAt, b.firstSeenAt),
    lastSeenAt,
    streams: a.streams + b.streams,
    ...(Number.isFinite(since) ? { streamingSince: since } : {}),
    ...([a.streamedUntil, b.streamedUntil].includes(lastSeenAt) ? { streamedUntil: lastSeenAt } : {}),
    ...(fetched ? { fetch: fetched } : {}),
    ...(readyMilliseconds === undefined ? {} : { readyMilliseconds }),
  };
}
