/** SDKs that read an environment, and what they answered: what Getting started and the page of an environment show. */

import { type Static, Type } from 'typebox';
import type { Actor } from './access.ts';
import { hourMs } from './durations.ts';
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
  ip: Type.Optional(Type.String({ description: 'address of the machine, as the SDK sends it' })),
  isClientSide: Type.Optional(
    Type.Boolean({
      description: 'true with a client-side key: browsers or apps. All with the same SDK and key count as one',
    }),
  ),
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
  stoppedAt: Type.Optional(
    Type.Integer({
      description:
        'when it reported that it stops, in milliseconds since the Unix epoch; only if it did not ask for flags since',
    }),
  ),
  readyMilliseconds: Type.Optional(
    Type.Integer({ description: 'from its start until it was ready, as the SDK reports it' }),
  ),
  pollMilliseconds: Type.Optional(
    Type.Integer({ description: 'how often it polls flags while it does not stream, as the SDK reports it' }),
  ),
  spec: Type.Optional(Type.String({ description: 'the version of the protocol that it asks for, `1.0` to `1.3`' })),
  shortcomings: Type.Optional(
    Type.Array(Type.String(), { description: 'what an old SDK does not know: update it before you use these' }),
  ),
  advice: Type.Optional(
    Type.String({ description: 'what is wrong with this version or its protocol, and what to do' }),
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
      'instances with a server-side key that stream, or polled in the last three minutes and after their stream ended; evaluations over HTTP are none',
  }),
  clients: Type.Integer({ description: 'browsers and apps: open streams, and one for each SDK that polls' }),
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

const maxListed = 500;
export const maxAnswers = 100;
/** Most SDKs poll once a minute. */
const recentMs = 180_000;
/** It sends what is left just before and after it says that it stops. */
const stopMs = 10_000;
/** Then it is gone rather than silent. */
const silentMs = hourMs;

/** What the nodes have seen together, as the actor may see it. */
export function toEnvironmentSdks(
  sightings: readonly Sighting[],
  actor: Pick<Actor, 'permissions' | 'scope'>,
  now: number,
): EnvironmentSdks {
  const maySeeKeys = actor.permissions.has('apiKey.read') && actor.scope.kind !== 'environment';
  // A refused key belongs to no environment.
  const maySeeRefused = maySeeKeys && actor.scope.kind === 'account';
  const all = merged(sightings);
  return {
    serverTime: now,
    connected: all.filter((sdk) => !sdk.isClientSide && readsFlags(sdk) && isConnected(sdk, now)).length,
    clients: clientsOf(all, now),
    sdks: all
      .sort((a, b) => Math.sign(b.streams) - Math.sign(a.streams) || b.lastSeenAt - a.lastSeenAt)
      .slice(0, maxListed)
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

function shortcomingsOf({ sdk, spec }: Pick<ConnectedSdk, 'sdk' | 'spec'>) {
  const shortcomings =
    spec === undefined ? [] : Object.entries(since).flatMap(([first, what]) => (first > spec ? [what] : []));
  if (shortcomings.length === 0) return {};
  return { shortcomings, advice: adviceOf(sdk, shortcomings) };
}

/**
 * JavaScript SDKs know spec 1.3 from these versions on. After a request that failed without a status, they ask for 1.2
 * for up to a day, but understand what they are sent of 1.3.
 */
const firstVersions = new Map([
  ['nodejs', [11, 4]],
  ['javascript', [11, 4]],
  ['browserjs', [1, 3]],
  ['react', [2, 3]],
]);

function firstVersionFor(sdk: string) {
  const [, name = '', ...version] = /^([a-z]+)-(\d+)\.(\d+)/.exec(sdk) ?? [];
  const [major = 0, minor = 0] = version.map(Number);
  const [firstMajor = 0, firstMinor = 0] = firstVersions.get(name) ?? [];
  if (firstMajor === 0) return undefined;
  const isReached = major > firstMajor || (major === firstMajor && minor >= firstMinor);
  return { text: `${firstMajor}.${firstMinor}`, isReached };
}

/** Whether it takes what spec 1.3 has, although it may ask for 1.2. */
export const fallsBack = (sdk: string): boolean => firstVersionFor(sdk)?.isReached === true;

function adviceOf(sdk: string, shortcomings: readonly string[]): string {
  const what = new Intl.ListFormat('en', { type: 'disjunction' }).format(shortcomings);
  const first = firstVersionFor(sdk);
  if (!first) return `Flags that use ${what} answer control. Update the SDK.`;
  if (first.isReached) {
    return `Changes of ${what} may not reach it: a request failed, and it fell back to an older protocol for up to 24 hours. Restart it, and check the network or proxy.`;
  }
  return `Flags that use ${what} answer control. Update the SDK to ${first.text} or later.`;
}

const Straggler = Type.Object({
  sdk: Type.String(),
  machine: Type.Optional(Type.String()),
  changeNumber: Type.Integer(),
  lastSeenAt: Millis,
  streams: Type.Integer(),
  pollMilliseconds: Type.Optional(Type.Integer({ description: 'how often it polls, as the SDK reports it' })),
});

/** How many of the connected SDKs have a change. */
export const Convergence = Type.Object({
  serverTime: Millis,
  changeNumber: Type.Integer(),
  instances: Type.Integer({
    description:
      'connected SDKs with a server-side key that ask for flags; processes on one machine with the same SDK and key count as one',
  }),
  converged: Type.Integer({ description: 'those that have the change' }),
  percent: Type.Number({ description: '0 if none is connected, as for some seconds after a start of the server' }),
  isReached: Type.Boolean({ description: 'whether `percent` is at least `min`' }),
  arrivals: Type.Array(Type.Integer(), {
    description:
      'after how many milliseconds the change reached each of those that waited for it, in order; those that started later have it, and are not here',
  }),
  stragglers: Type.Array(Straggler, { description: 'those that do not have it yet; up to 100' }),
  silent: Type.Integer({
    description:
      'SDKs without the change that polled in the last hour, but not in the last three minutes; not among `instances`',
  }),
  silentSdks: Type.Array(Straggler, { description: 'those, last seen first; up to 100' }),
  clients: Type.Integer({ description: 'browsers and apps: open streams, and one for each SDK that polls' }),
});
export type Convergence = Static<typeof Convergence>;

const maxStragglers = 100;

export function toConvergence(
  sdks: readonly SeenSdk[],
  { changeNumber, min }: { readonly changeNumber: number; readonly min: number },
  now: number,
): Convergence {
  const asking = sdks.flatMap((sdk) =>
    sdk.changeNumber === undefined || sdk.isClientSide ? [] : [{ ...sdk, has: sdk.changeNumber }],
  );
  const instances = asking.filter((sdk) => isConnected(sdk, now));
  const behind = instances.filter(({ has }) => has < changeNumber);
  const silent = asking.filter((sdk) => sdk.has < changeNumber && isSilent(sdk, now));
  const converged = instances.length - behind.length;
  const percent = instances.length === 0 ? 0 : (converged / instances.length) * 100;
  return {
    serverTime: now,
    changeNumber,
    instances: instances.length,
    converged,
    percent,
    isReached: percent >= min,
    arrivals: instances
      .flatMap(({ has, lagMilliseconds }) =>
        has === changeNumber && lagMilliseconds !== undefined ? [lagMilliseconds] : [],
      )
      .sort((a, b) => a - b),
    stragglers: toStragglers(behind),
    silent: silent.length,
    silentSdks: toStragglers(silent),
    clients: clientsOf(sdks, now),
  };
}

const toStragglers = (sdks: readonly (SeenSdk & { readonly has: number })[]): Convergence['stragglers'] =>
  sdks
    .toSorted((a, b) => b.lastSeenAt - a.lastSeenAt)
    .slice(0, maxStragglers)
    .map(({ sdk, machine, has, lastSeenAt, streams, pollMilliseconds }) => ({
      sdk,
      changeNumber: has,
      lastSeenAt,
      streams,
      ...(machine === undefined ? {} : { machine }),
      ...(pollMilliseconds === undefined ? {} : { pollMilliseconds }),
    }));

type Presence = Pick<ConnectedSdk, 'streams' | 'streamedUntil' | 'stoppedAt' | 'lastSeenAt'>;

/** An application that ends closes its stream and is not seen again, or says so. */
const hasEnded = ({ streamedUntil, stoppedAt }: Presence): boolean =>
  streamedUntil !== undefined || stoppedAt !== undefined;

export const isConnected = (sdk: Presence, now: number): boolean =>
  sdk.streams > 0 || (now - sdk.lastSeenAt <= recentMs && !hasEnded(sdk));

/** It polled, and stopped doing so without a word. */
export const isSilent = (sdk: Presence, now: number): boolean =>
  !isConnected(sdk, now) && !hasEnded(sdk) && now - sdk.lastSeenAt <= silentMs;

/** Evaluations over HTTP, and reports alone, connect nothing. */
const readsFlags = ({ streams, changeNumber }: SeenSdk): boolean => streams > 0 || changeNumber !== undefined;

const clientsOf = (sdks: readonly SeenSdk[], now: number): number =>
  sdks
    .filter((sdk) => sdk.isClientSide && readsFlags(sdk) && isConnected(sdk, now))
    .reduce((sum, { streams }) => sum + Math.max(1, streams), 0);

type SeenSdk = Sighting['sdks'][number];

/** What the nodes have seen together. An SDK behind a load balancer polls one node and streams from another. */
export function merged(sightings: readonly Sighting[]): SeenSdk[] {
  const all = sightings.flatMap(({ sdks }) => sdks);
  if (sightings.length === 1) return all;
  const same = Map.groupBy(all, ({ sdk, machine, key }) => JSON.stringify([key.id, sdk, machine]));
  return [...same.values()].map((parts) => parts.reduce(joined));
}

function joined(a: SeenSdk, b: SeenSdk): SeenSdk {
  const fetched = [a.fetch, b.fetch].filter((fetch) => fetch !== undefined).sort((x, y) => y.at - x.at)[0];
  const since = Math.min(a.streamingSince ?? Number.POSITIVE_INFINITY, b.streamingSince ?? Number.POSITIVE_INFINITY);
  const lastSeenAt = Math.max(a.lastSeenAt, b.lastSeenAt);
  // What was learned last.
  const [older, newer] = (a.changeNumberSince ?? 0) > (b.changeNumberSince ?? 0) ? [b, a] : [a, b];
  const { streamedUntil: _, stoppedAt: __, lagMilliseconds: ___, ...rest } = { ...older, ...newer };
  const lags = [newer, ...(older.changeNumber === newer.changeNumber ? [older] : [])].flatMap(
    ({ lagMilliseconds }) => lagMilliseconds ?? [],
  );
  const stoppedAt = Math.max(a.stoppedAt ?? 0, b.stoppedAt ?? 0);
  return {
    ...rest,
    firstSeenAt: Math.min(a.firstSeenAt, b.firstSeenAt),
    lastSeenAt,
    streams: a.streams + b.streams,
    ...(Number.isFinite(since) ? { streamingSince: since } : {}),
    ...([a.streamedUntil, b.streamedUntil].includes(lastSeenAt) ? { streamedUntil: lastSeenAt } : {}),
    ...(fetched ? { fetch: fetched } : {}),
    ...(lags.length > 0 ? { lagMilliseconds: Math.min(...lags) } : {}),
    // Unless it started again and asks another node.
    ...(stoppedAt > 0 && stoppedAt >= lastSeenAt - stopMs ? { stoppedAt } : {}),
  };
}
