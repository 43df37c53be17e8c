/** SDKs that read an environment, and what they answered: what Getting started and the page of an environment show. */
import { type Static, Type } from 'typebox';
import type { Actor } from './access.ts';
import { Millis } from './schema.ts';

const SdkErrors = Type.Object(
  {
    at: Millis,
    http: Type.Array(Type.Object({ resource: Type.String(), status: Type.String(), count: Type.Integer() }), {
      description: 'requests that failed, by what was asked for; up to 20',
    }),
    exceptions: Type.Integer({ description: 'calls of the SDK that failed' }),
    droppedImpressions: Type.Integer(),
    droppedEvents: Type.Integer(),
  },
  { description: 'errors in its last report about its use; SDKs send one an hour and one when they stop' },
);
export type SdkErrors = Static<typeof SdkErrors>;

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
  spec: Type.Optional(Type.String({ description: 'the version of the protocol that it asks for, `1.0` to `1.3`' })),
  shortcomings: Type.Optional(
    Type.Array(Type.String(), { description: 'what an old SDK does not know: update it before you use these' }),
  ),
  changeNumber: Type.Optional(
    Type.Integer({ description: 'the number of the last flag change that it has; absent if it never asked for flags' }),
  ),
  changeNumberSince: Type.Optional(Millis),
  lagMilliseconds: Type.Optional(
    Type.Integer({ description: 'how long after the change it had it; absent if it started after the change' }),
  ),
  reported: Type.Optional(SdkErrors),
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
  sdks: Type.Array(ConnectedSdk, { description: 'up to 500, first those that stream, then last seen first' }),
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

export const maxSdks = 500;
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
      .map(({ key, ...sdk }) => ({ ...sdk, ...shortcomingsOf(sdk), ...(maySeeKeys ? { key } : {}) })),
    answers: sightings
      .flatMap(({ answers }) => answers)
      // The clocks of applications differ, and may be wrong.
      .sort((a, b) => b.receivedAt - a.receivedAt || b.at - a.at)
      .slice(0, maxAnswers),
    refused: maySeeRefused ? sightings.flatMap(({ refused }) => refused).sort((a, b) => b.at - a.at) : [],
  };
}

/** The first version of the protocol that has it. */
const since = { '1.1': 'semantic versions', '1.2': 'large segments', '1.3': 'rule-based segments' } as const;

function shortcomingsOf({ spec }: Pick<ConnectedSdk, 'spec'>): Pick<ConnectedSdk, 'shortcomings'> {
  const lacking =
    spec === undefined ? [] : Object.entries(since).flatMap(([first, what]) => (first > spec ? [what] : []));
  return lacking.length > 0 ? { shortcomings: lacking } : {};
}

/** How many of the connected SDKs have a change. */
export const Convergence = Type.Object({
  serverTime: Millis,
  changeNumber: Type.Integer(),
  instances: Type.Integer({
    description: 'connected SDKs that ask for flags; processes on one machine with the same SDK and key count as one',
  }),
  converged: Type.Integer({ description: 'those that have the change' }),
  percent: Type.Number({ description: '100 if none is connected' }),
  isReached: Type.Boolean({ description: 'whether `percent` is at least `min`' }),
  stragglers: Type.Array(
    Type.Object({
      sdk: Type.String(),
      machine: Type.Optional(Type.String()),
      changeNumber: Type.Integer(),
      lastSeenAt: Millis,
      streams: Type.Integer(),
    }),
    { description: 'those that do not have it yet; up to 100' },
  ),
});
export type Convergence = Static<typeof Convergence>;

const maxStragglers = 100;

export function toConvergence(
  sightings: readonly Sighting[],
  { changeNumber, min }: { readonly changeNumber: number; readonly min: number },
  now: number,
): Convergence {
  const instances = merged(sightings.flatMap(({ sdks }) => sdks)).filter((sdk) => isConnected(sdk, now));
  const asking = instances.flatMap((sdk) =>
    sdk.changeNumber === undefined ? [] : [{ ...sdk, has: sdk.changeNumber }],
  );
  const behind = asking.filter(({ has }) => has < changeNumber);
  const converged = asking.length - behind.length;
  const percent = asking.length === 0 ? 100 : (converged / asking.length) * 100;
  return {
    serverTime: now,
    ...{ changeNumber, instances: asking.length, converged, percent, isReached: percent >= min },
    stragglers: behind.slice(0, maxStragglers).map(({ sdk, machine, has, lastSeenAt, streams }) => ({
      ...{ sdk, changeNumber: has, lastSeenAt, streams },
      ...(machine === undefined ? {} : { machine }),
    })),
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
  // What was learned last.
  const [older, newer] = (a.changeNumberSince ?? 0) > (b.changeNumberSince ?? 0) ? [b, a] : [a, b];
  const { streamedUntil: _, ...rest } = { ...older, ...newer };
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
