/**
 * The last impressions, the keys in them, and who asked for a flag: in memory only, bounded, for people who look at it
 * now. It is the only place where keys of users are kept.
 */
import type { Asker, RecentImpression } from '#domain/traffic.ts';
import type { Caller } from './sdks.ts';

export interface FlagPlace {
  readonly environmentId: string;
  readonly flagId: string;
}

export interface Recents {
  /** Impressions as SDKs send them. */
  add(place: FlagPlace, caller: Caller, impressions: readonly unknown[]): void;
  asked(place: FlagPlace, caller: Caller): void;
  keys(environmentId: string, keys: readonly unknown[]): void;
  /** Newest first. */
  impressionsOf(place: FlagPlace): readonly RecentImpression[];
  askersOf(place: FlagPlace): readonly Asker[];
  /** Last seen first. */
  keysOf(environmentId: string): readonly string[];
}

export const maxImpressions = 200;
export const maxKeys = 10_000;
const maxAskers = 20;
/** In all environments together. Flags and environments that were not reported for longest are forgotten first. */
const maxAllImpressions = 50_000;
const maxAllKeys = 100_000;
const maxFlags = 20_000;
/** Of one report: keys change often, and remembering all of them would take longer than counting. */
const maxKeysAtOnce = 100;
/** SDKs accept no longer keys. */
const maxText = 250;

interface Flag {
  /** Newest last. */
  impressions: RecentImpression[];
  /** Last seen last. */
  readonly askers: Map<string, Asker>;
}

export function createRecents(now: () => number): Recents {
  /** Last reported last. */
  const flags = new Map<string, Flag>();
  const keys = new Map<string, Set<string>>();
  let impressions = 0;
  let allKeys = 0;

  const forget = (name: string): void => {
    impressions -= flags.get(name)?.impressions.length ?? 0;
    flags.delete(name);
  };

  const flagOf = (place: FlagPlace): Flag => {
    const name = nameOf(place);
    const flag = flags.get(name) ?? { impressions: [], askers: new Map() };
    flags.delete(name);
    flags.set(name, flag);
    if (flags.size > maxFlags) forget(firstOf(flags));
    return flag;
  };

  const asked = (flag: Flag, { sdk = 'unknown', machine }: Caller): void => {
    const name = `${sdk} ${machine}`.slice(0, 2 * maxText);
    flag.askers.delete(name);
    const asker = { sdk: cut(sdk), ...(machine === undefined ? {} : { machine: cut(machine) }), lastAt: now() };
    flag.askers.set(name, asker);
    if (flag.askers.size > maxAskers) flag.askers.delete(firstOf(flag.askers));
  };

  const remember = (environmentId: string, some: readonly unknown[]): void => {
    const known = keys.get(environmentId) ?? new Set<string>();
    keys.delete(environmentId);
    keys.set(environmentId, known);
    const before = known.size;
    for (const key of some.slice(-maxKeysAtOnce)) {
      if (typeof key !== 'string' || key.length > maxText) continue;
      known.delete(key);
      known.add(key);
      if (known.size > maxKeys) known.delete(firstOf(known));
    }
    allKeys += known.size - before;
    while (allKeys > maxAllKeys && keys.size > 1) {
      const oldest = firstOf(keys);
      allKeys -= keys.get(oldest)?.size ?? 0;
      keys.delete(oldest);
    }
  };

  return {
    add: (place, caller, reported) => {
      const flag = flagOf(place);
      asked(flag, caller);
      const who = { sdk: cut(caller.sdk ?? 'unknown'), ...(caller.machine ? { machine: cut(caller.machine) } : {}) };
      const receivedAt = now();
      const some = reported.slice(-maxImpressions).flatMap((one) => toRecent(one, { receivedAt, ...who }));
      const all = [...flag.impressions, ...some].slice(-maxImpressions);
      impressions += all.length - flag.impressions.length;
      flag.impressions = all;
      while (impressions > maxAllImpressions && flags.size > 1) forget(firstOf(flags));
      remember(
        place.environmentId,
        some.slice(-maxKeysAtOnce).map(({ key }) => key),
      );
    },
    asked: (place, caller) => asked(flagOf(place), caller),
    keys: remember,
    impressionsOf: (place) => flags.get(nameOf(place))?.impressions.toReversed() ?? [],
    askersOf: (place) => [...(flags.get(nameOf(place))?.askers.values() ?? [])].reverse(),
    keysOf: (environmentId) => [...(keys.get(environmentId) ?? [])].reverse(),
  };
}

const nameOf = ({ environmentId, flagId }: FlagPlace): string => `${environmentId} ${flagId}`;

const firstOf = (items: Map<string, unknown> | Set<string>): string => items.keys().next().value ?? '';

const cut = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText)}…` : text);

function toRecent(
  reported: unknown,
  received: Pick<RecentImpression, 'receivedAt' | 'sdk' | 'machine'>,
): RecentImpression[] {
  const { k, t, m, r } = (reported ?? {}) as { k?: unknown; t?: unknown; m?: unknown; r?: unknown };
  if (typeof k !== 'string' || typeof t !== 'string' || !Number.isSafeInteger(m)) return [];
  const label = typeof r === 'string' ? { label: cut(r) } : {};
  return [{ key: cut(k), treatment: cut(t), ...label, at: m as number, ...received }];
}
