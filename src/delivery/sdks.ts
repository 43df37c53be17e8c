/**
 * Which SDKs read the environments, what they answered last, and which keys were refused: in memory, bounded, for people
 * who look at it now. Nothing here is needed to serve SDKs.
 *
 * While nobody looks at an environment, the answers of at most one body of impressions a second are kept.
 */
import { dayMs } from '#domain/durations.ts';
import {
  type ConnectedSdk,
  isConnected,
  maxAnswers,
  type RefusedKey,
  type SdkAnswer,
  type SdkErrors,
  type Sighting,
} from '#domain/sdks.ts';
import type { SdkKey } from './keys.ts';
import { audienceOf, takesPayloads } from './messages.ts';

/** An SDK as a request describes it. */
export interface Caller {
  readonly key: Pick<SdkKey, 'id' | 'environmentId' | 'type'> & { readonly lastFour?: string };
  /** Name and version. */
  readonly sdk: string | undefined;
  readonly machine?: string | undefined;
  readonly ip?: string | undefined;
  /** Names the instance: processes on one machine with the same SDK and key are one. */
  readonly id: string;
}

export function toCaller(of: Omit<Caller, 'id'>): Caller {
  const { key, sdk, machine, ip } = of;
  const id = `${key.id} ${sdk ?? 'unknown'} ${key.type === 'client_side' ? '' : machine}`;
  return { key, sdk, machine, ip, id };
}

export interface Sdks {
  /** Any request with a valid key. */
  seen(caller: Caller): void;
  /** It read all flags. */
  fetched(caller: Caller, facts: Omit<NonNullable<ConnectedSdk['fetch']>, 'at'>): void;
  /** What it says about itself at its start. */
  ready(caller: Caller, facts: Pick<ConnectedSdk, 'readyMilliseconds' | 'pollMilliseconds'>): void;
  /** It has the flags up to this number: it asks for what is newer. */
  has(caller: Caller, changeNumber: number, spec: string): void;
  /** It was sent what is newer than `since`, up to this number; -1: everything. */
  sent(caller: Caller, facts: { readonly since: number; readonly changeNumber: number; readonly spec: string }): void;
  /** All its streams were sent the flags up to this number, except those that only tell their SDKs to fetch. */
  streamed(environmentId: string, changeNumber: number): void;
  reported(caller: Caller, errors: Omit<SdkErrors, 'at'>): void;
  /** Its application ends. */
  stopped(caller: Caller): void;
  /** Returns what to call when the stream ends. */
  streaming(caller: Caller): () => void;
  /** Whether impressions of the environment are wanted now. */
  wantsAnswers(environmentId: string): boolean;
  answered(environmentId: string, answers: readonly Omit<SdkAnswer, 'receivedAt'>[]): void;
  refused(keyText: string, sdk: string | undefined): void;
  /** For someone who looks at the environment now: what this node and the others have seen. */
  look(environmentId: string): readonly Sighting[];
  /** For sharing between nodes, below. The environments that someone looks at on this node. */
  lookedAt(): string[];
  /** Someone looks at the environment on another node. */
  watch(environmentId: string): void;
  /** What this node has seen; the version changes whenever that does. */
  sighting(environmentId: string): Sighting & { readonly version: number };
  /** What the other nodes have seen. */
  adopt(environmentId: string, sightings: readonly Sighting[]): void;
  /** For metrics: what this node sees, and a call for each change that reaches an SDK. */
  figures(latestOf: (environmentId: string) => number | undefined): {
    readonly connected: number;
    readonly behind: number;
  };
  onArrival(listener: (milliseconds: number) => void): void;
}

const maxEnvironments = 200;
/** Of an environment. */
const maxInstances = 2_500;
const maxClients = 100;
const maxRefused = 20;
const refusedMs = 10 * 60_000;
/** Longer than the interval at which pages ask. */
const watchMs = 15_000;
/** Long keys are cut: this is to be looked at. */
const maxText = 250;
const idleParseMs = 1_000;
/** An SDK that was away for longer did not wait for the change. */
const maxLagMs = dayMs;

type Seen = { -readonly [Name in keyof ConnectedSdk]: ConnectedSdk[Name] } & {
  readonly key: { readonly id: string; readonly lastFour: string };
};

interface Environment {
  /** In the order in which they were last seen. */
  readonly sdks: Map<string, Seen>;
  /** Those with a client-side key: it is public, so they have room of their own. */
  readonly clients: Map<string, Seen>;
  /** Newest last. */
  answers: SdkAnswer[];
  version: number;
  lookedUntil: number;
  watchedUntil: number;
  parsedAt: number;
  others: readonly Sighting[];
}

export function createSdks(now: () => number): Sdks {
  /** In the order in which they were last used. */
  const environments = new Map<string, Environment>();
  let refused: RefusedKey[] = [];
  let refusals = 0;
  let arrived = (_milliseconds: number): void => undefined;

  const of = (id: string): Environment => {
    const found = environments.get(id) ?? {
      sdks: new Map<string, Seen>(),
      clients: new Map<string, Seen>(),
      answers: [],
      version: 0,
      others: [],
      lookedUntil: 0,
      watchedUntil: 0,
      parsedAt: 0,
    };
    environments.delete(id);
    environments.set(id, found);
    if (environments.size > maxEnvironments) dropOldest(environments, (one) => hasStreams(one));
    return found;
  };

  /** Within the last second: polls are many, and looking at this is all that most of them cost. */
  const isFresh = (lastAt: number | undefined): boolean => lastAt !== undefined && now() - lastAt < 1_000;

  const known = (caller: Caller): Seen | undefined => {
    const environment = environments.get(caller.key.environmentId);
    return environment && placeOf(environment, caller).get(caller.id);
  };

  const find = (caller: Caller): { seen: Seen; environment: Environment } => {
    const { key, sdk = 'unknown', ip, id } = caller;
    const environment = of(key.environmentId);
    const place = placeOf(environment, caller);
    const at = now();
    const isClientSide = key.type === 'client_side';
    const machine = isClientSide ? undefined : caller.machine;
    const seen: Seen = place.get(id) ?? {
      sdk: cut(sdk),
      ...(machine ? { machine: cut(machine) } : {}),
      ...(isClientSide ? { isClientSide } : {}),
      key: { id: key.id, lastFour: key.lastFour ?? '' },
      firstSeenAt: at,
      lastSeenAt: at,
      streams: 0,
    };
    seen.lastSeenAt = at;
    if (ip && !isClientSide) seen.ip = cut(ip);
    delete seen.streamedUntil;
    place.delete(id);
    place.set(id, seen);
    if (place.size > (isClientSide ? maxClients : maxInstances)) dropOldest(place, ({ streams }) => streams > 0);
    environment.version += 1;
    return { seen, environment };
  };

  /** Numbers are the time of the change in milliseconds, unless an import brought them. */
  const learn = (
    seen: Seen,
    changeNumber: number,
    // If it polls another node, this one knows only its stream.
    had = seen.changeNumber ?? seen.streamingSince ?? changeNumber,
  ): void => {
    const at = now();
    const lag = at - changeNumber;
    const isArrival = changeNumber > had && lag < maxLagMs;
    delete seen.lagMilliseconds;
    if (isArrival) {
      seen.lagMilliseconds = Math.max(0, lag);
      arrived(seen.lagMilliseconds);
    }
    seen.changeNumber = changeNumber;
    seen.changeNumberSince = at;
  };

  const sighting = (environmentId: string) => {
    const environment = environments.get(environmentId);
    return {
      sdks: environment ? allOf(environment) : [],
      answers: environment?.answers ?? [],
      refused: refused.filter(({ at }) => now() - at < refusedMs),
      version: (environment?.version ?? 0) + refusals,
    };
  };

  return {
    seen: (caller) => {
      const one = known(caller);
      if (!isFresh(one?.lastSeenAt) || one?.streamedUntil !== undefined) find(caller);
    },
    fetched: (caller, facts) => {
      if (isFresh(known(caller)?.fetch?.at)) return;
      const { seen } = find(caller);
      delete seen.stoppedAt;
      seen.fetch = { at: now(), ...facts };
    },
    ready: (caller, facts) => {
      Object.assign(find(caller).seen, facts);
    },
    has: (caller, changeNumber, spec) => {
      const one = known(caller);
      if (one?.changeNumber === changeNumber && one.spec === spec && one.stoppedAt === undefined) return;
      const { seen } = find(caller);
      delete seen.stoppedAt;
      seen.spec = spec;
      if (seen.changeNumber !== changeNumber) learn(seen, changeNumber);
    },
    sent: (caller, { since, changeNumber, spec }) => {
      const seen = known(caller);
      // It may have been sent a newer one by its stream meanwhile.
      if (!seen || changeNumber <= (seen.changeNumber ?? -1)) return;
      seen.spec = spec;
      // One that has just started did not wait for the change.
      learn(seen, changeNumber, since === -1 ? changeNumber : since);
      of(caller.key.environmentId).version += 1;
    },
    streamed: (environmentId, changeNumber) => {
      const environment = environments.get(environmentId);
      if (!environment) return;
      for (const seen of allOf(environment)) {
        const isNew = seen.streams > 0 && changeNumber > (seen.changeNumber ?? 0);
        if (isNew && takesPayloads(audienceFor(seen))) learn(seen, changeNumber);
      }
      environment.version += 1;
    },
    reported: (caller, errors) => {
      find(caller).seen.reported = { at: now(), ...errors };
    },
    stopped: (caller) => {
      find(caller).seen.stoppedAt = now();
    },
    streaming: (caller) => {
      const { seen, environment } = find(caller);
      delete seen.stoppedAt;
      seen.streams += 1;
      if (seen.streams === 1) seen.streamingSince = now();
      return () => {
        seen.streams -= 1;
        seen.lastSeenAt = now();
        if (seen.streams === 0) {
          delete seen.streamingSince;
          seen.streamedUntil = seen.lastSeenAt;
        }
        environment.version += 1;
      };
    },
    wantsAnswers: (environmentId) => {
      const environment = environments.get(environmentId) ?? of(environmentId);
      const at = now();
      if (environment.watchedUntil <= at && at - environment.parsedAt < idleParseMs) return false;
      environment.parsedAt = at;
      return true;
    },
    answered: (environmentId, answers) => {
      if (answers.length === 0) return;
      const environment = of(environmentId);
      const receivedAt = now();
      const made = answers
        .toSorted((a, b) => a.at - b.at)
        .slice(-maxAnswers)
        .map(({ flag, key, treatment, label, at }) => ({
          flag: cut(flag),
          key: cut(key),
          treatment: cut(treatment),
          at,
          receivedAt,
          ...(label === undefined ? {} : { label: cut(label) }),
        }));
      environment.answers = [...environment.answers, ...made].slice(-maxAnswers);
      environment.version += 1;
    },
    refused: (keyText, sdk = 'unknown') => {
      const lastFour = keyText.slice(-4);
      const at = now();
      const others = refused.filter((one) => one.lastFour !== lastFour && at - one.at < refusedMs);
      refused = [...others, { lastFour, sdk: cut(sdk), at }].slice(-maxRefused);
      refusals += 1;
    },
    look: (environmentId) => {
      const environment = of(environmentId);
      environment.lookedUntil = now() + watchMs;
      environment.watchedUntil = environment.lookedUntil;
      return [sighting(environmentId), ...environment.others];
    },
    lookedAt: () => [...environments].flatMap(([id, { lookedUntil }]) => (lookedUntil > now() ? [id] : [])),
    watch: (environmentId) => {
      of(environmentId).watchedUntil = now() + watchMs;
    },
    sighting,
    adopt: (environmentId, sightings) => {
      of(environmentId).others = sightings;
    },
    figures: (latestOf) => {
      const at = now();
      let [connected, behind] = [0, 0];
      for (const [id, { sdks }] of environments) {
        const latest = latestOf(id) ?? 0;
        for (const seen of sdks.values()) {
          if (seen.changeNumber === undefined || !isConnected(seen, at)) continue;
          connected += 1;
          if (seen.changeNumber < latest) behind += 1;
        }
      }
      return { connected, behind };
    },
    onArrival: (listener) => {
      arrived = listener;
    },
  };
}

/** One that polls another node has an unknown spec here. */
const audienceFor = ({ isClientSide, spec = '1.3', sdk }: Seen) =>
  audienceOf(isClientSide ? 'client_side' : 'server_side', spec, sdk);

const cut = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText)}…` : text);

const placeOf = ({ sdks, clients }: Environment, { key }: Caller): Map<string, Seen> =>
  key.type === 'client_side' ? clients : sdks;

const allOf = ({ sdks, clients }: Environment): Seen[] => [...sdks.values(), ...clients.values()];

const hasStreams = (environment: Environment): boolean => allOf(environment).some(({ streams }) => streams > 0);

/** Of those that are not in use, or else of all. */
function dropOldest<Item>(items: Map<string, Item>, isInUse: (item: Item) => boolean): void {
  let oldest: string | undefined;
  for (const [id, item] of items) {
    oldest ??= id;
    if (isInUse(item)) continue;
    oldest = id;
    break;
  }
  if (oldest !== undefined) items.delete(oldest);
}
