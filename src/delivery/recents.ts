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
  /** What an SDK sends is one report, about many flags. */
  reportOf(caller: Caller): Report;
  /** Impressions as SDKs send them. */
  add(place: FlagPlace, report: Report, impressions: readonly unknown[]): void;
  asked(place: FlagPlace, report: Report): void;
  keys(environmentId: string, keys: readonly unknown[]): void;
  /** Newest first. From now on, all that are reported are kept for a while. */
  impressionsOf(place: FlagPlace): readonly RecentImpression[];
  askersOf(place: FlagPlace): readonly Asker[];
  /** Last seen first. */
  keysOf(environmentId: string): readonly string[];
}

const maxImpressions = 200;
const maxKeys = 10_000;
/** Of a flag, in a second: keeping all of them would take as long as counting them. */
const maxWhileNobodyLooks = 20;
/** Longer than the interval at which pages ask. */
const lookMs = 15_000;
/** How exactly it is known what was last: moving a thing to the end costs more than all the rest of a short report. */
const precisionMs = 1_000;
const maxAskers = 20;
/** In all environments together. Flags that were not reported for longest are forgotten first. */
const maxAllImpressions = 50_000;
/** Whose keys are remembered: those that were reported last. */
const maxEnvironments = 50;
const maxFlags = 20_000;
/** Of one report: keys change often, and remembering all of them would take longer than counting. */
const maxKeysAtOnce = 100;
/** SDKs accept no longer keys. */
const maxText = 250;

/** Who reported, and when: found out once, since a report has up to thousands of flags. */
export interface Report {
  readonly facts: Pick<RecentImpression, 'receivedAt'> & Pick<Asker, 'sdk' | 'machine'>;
  /** The key of `askers`: the same for all reports of one SDK on one machine. */
  readonly asker: string;
}

/** One that was received; made into a RecentImpression when someone looks. */
interface Received {
  readonly key: string;
  readonly treatment: string;
  readonly label: string | undefined;
  readonly at: number;
  /** Shared by those of one report. */
  readonly report: Report['facts'];
}

/** Halves, so that none has to be removed from the beginning of a set, which takes the longer the more it was done. */
interface Keys {
  recent: Set<string>;
  older: Set<string>;
  movedAt: number;
}

interface Flag {
  /** Newest last. */
  impressions: Received[];
  lookedUntil: number;
  movedAt: number;
  /** How many impressions were kept since. */
  kept: number;
  /** Last seen last. */
  readonly askers: Map<string, Asker>;
}

export function createRecents(now: () => number): Recents {
  /** Last reported last. */
  const flags = new Map<string, Flag>();
  const keys = new Map<string, Keys>();
  let impressions = 0;

  const isFresh = (at: number | undefined, from: number): boolean => at !== undefined && from - at < precisionMs;

  const forget = (name: string): void => {
    impressions -= flags.get(name)?.impressions.length ?? 0;
    flags.delete(name);
  };

  const flagOf = (place: FlagPlace, at: number): Flag => {
    const name = nameOf(place);
    const flag = flags.get(name) ?? { impressions: [], lookedUntil: 0, movedAt: 0, kept: 0, askers: new Map() };
    if (isFresh(flag.movedAt, at)) return flag;
    flag.movedAt = at;
    flag.kept = 0;
    flags.delete(name);
    flags.set(name, flag);
    if (flags.size > maxFlags) forget(firstOf(flags));
    return flag;
  };

  /** The flag, with who asked for it. */
  const noted = (place: FlagPlace, { asker, facts }: Report): Flag => {
    const flag = flagOf(place, facts.receivedAt);
    const { askers } = flag;
    if (isFresh(askers.get(asker)?.lastAt, facts.receivedAt)) return flag;
    const { receivedAt: lastAt, ...sdk } = facts;
    askers.delete(asker);
    askers.set(asker, { ...sdk, lastAt });
    if (askers.size > maxAskers) askers.delete(firstOf(askers));
    return flag;
  };

  const remember = (environmentId: string, some: readonly unknown[]): void => {
    const at = now();
    const known = keys.get(environmentId) ?? { recent: new Set<string>(), older: new Set<string>(), movedAt: 0 };
    if (!isFresh(known.movedAt, at)) {
      known.movedAt = at;
      keys.delete(environmentId);
      keys.set(environmentId, known);
    }
    for (const key of some.slice(-maxKeysAtOnce)) {
      if (typeof key === 'string' && key.length <= maxText) known.recent.add(key);
    }
    if (known.recent.size >= maxKeys / 2) [known.older, known.recent] = [known.recent, new Set()];
    if (keys.size > maxEnvironments) keys.delete(firstOf(keys));
  };

  return {
    reportOf: ({ sdk = 'unknown', machine }) => ({
      facts: { receivedAt: now(), sdk: cut(sdk), ...(machine ? { machine: cut(machine) } : {}) },
      asker: `${sdk} ${machine}`.slice(0, 2 * maxText),
    }),
    add: (place, report, reported) => {
      const { receivedAt } = report.facts;
      const flag = noted(place, report);
      const most = flag.lookedUntil > receivedAt ? maxImpressions : maxWhileNobodyLooks - flag.kept;
      if (most <= 0) return;
      const received = reported.slice(-most).flatMap((one) => toReceived(one, report.facts) ?? []);
      flag.kept += received.length;
      const { length } = flag.impressions;
      flag.impressions.push(...received);
      // Seldom: what is dropped makes the others move.
      if (flag.impressions.length > 2 * maxImpressions) flag.impressions = flag.impressions.slice(-maxImpressions);
      impressions += flag.impressions.length - length;
      while (impressions > maxAllImpressions && flags.size > 1) forget(firstOf(flags));
      remember(
        place.environmentId,
        received.map(({ key }) => key),
      );
    },
    asked: noted,
    keys: remember,
    impressionsOf: (place) => {
      const at = now();
      const flag = flagOf(place, at);
      flag.lookedUntil = at + lookMs;
      return flag.impressions
        .slice(-maxImpressions)
        .reverse()
        .map(({ key, treatment, label, at, report }) => ({
          key,
          treatment,
          at,
          ...report,
          ...(label === undefined ? {} : { label }),
        }));
    },
    askersOf: (place) => [...(flags.get(nameOf(place))?.askers.values() ?? [])].reverse(),
    keysOf: (environmentId) => {
      const { recent = [], older = [] } = keys.get(environmentId) ?? {};
      return [...new Set([...[...recent].reverse(), ...[...older].reverse()])];
    },
  };
}

const nameOf = ({ environmentId, flagId }: FlagPlace): string => `${environmentId} ${flagId}`;

const firstOf = (items: Map<string, unknown>): string => items.keys().next().value ?? '';

const cut = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText)}…` : text);

function toReceived(reported: unknown, report: Received['report']): Received | undefined {
  const { k, t, m, r } = (reported ?? nothing) as { k?: unknown; t?: unknown; m?: unknown; r?: unknown };
  if (typeof k !== 'string' || typeof t !== 'string' || typeof m !== 'number' || !Number.isSafeInteger(m)) return;
  return { key: cut(k), treatment: cut(t), label: typeof r === 'string' ? cut(r) : undefined, at: m, report };
}
const nothing = {};
