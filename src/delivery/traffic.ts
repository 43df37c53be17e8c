/**
 * Counts what SDKs report, in memory, until a job writes it to the database.
 *
 * Invariants
 * 1. Counts are exact where SDKs say enough. In DEBUG mode they report every evaluation. In OPTIMIZED mode they report the
 *    first one of a key in an hour, and a number for all that they had seen before: those include the ones that they report
 *    with a time of the one before (`pt`). So these are subtracted from what has no treatment. In NONE mode they report
 *    only numbers.
 * 2. Memory is bounded whatever arrives. Only flags of the environment are counted, under treatments and labels of their
 *    definitions: others count without. While the database is down, further rows lose their label and treatment, and above
 *    a second limit they are dropped and counted as such.
 * 3. Keys of users are not in what is written.
 */
import { hourMs } from '#domain/durations.ts';
import { control } from '#domain/evaluation/evaluate.ts';
import { isObject, objectsOf } from '#domain/json.ts';
import { fixedLabels } from '#domain/traffic.ts';
import type { WireFlag } from '#domain/wire/flags.ts';
import type { FlagEntry } from './environment.ts';
import { createEventCounts, type EventRow } from './event-counts.ts';
import type { Recents } from './recents.ts';
import type { Caller } from './sdks.ts';
import type { Snapshot } from './snapshot.ts';

export type ImpressionsMode = 'OPTIMIZED' | 'DEBUG' | 'NONE';

/** What is written to the database, in the order of its keys. */
export interface TrafficBatch {
  readonly counts: readonly CountRow[];
  readonly last: readonly { readonly environmentId: string; readonly flagId: string; readonly lastAt: number }[];
  readonly events: readonly EventRow[];
}

interface CountRow {
  readonly environmentId: string;
  readonly flagId: string;
  readonly hour: number;
  readonly treatment: string;
  readonly label: string;
  readonly evaluations: number;
}

export type Dropped = 'malformed' | 'unknown flag' | 'unknown event type' | 'too much';

export interface Traffic {
  /** `[{f: flag, i: [{k: key, t: treatment, m: milliseconds, r: label, pt: milliseconds}]}]` */
  impressions(snapshot: Snapshot, caller: Caller, groups: unknown, mode: ImpressionsMode | undefined): void;
  /** `{pf: [{f: flag, m: milliseconds, rc: number}]}` */
  counts(snapshot: Snapshot, caller: Caller, body: unknown): void;
  /** `{keys: [{f: flag, ks: [key]}]}` of servers, `{keys: [{k: key, fs: [flag]}]}` of browsers. */
  keys(snapshot: Snapshot, caller: Caller, body: unknown): void;
  /** `[{eventTypeId, trafficTypeName, value, timestamp}]` */
  events(environmentId: string, body: unknown): void;
  /** One evaluation by Burgee itself. */
  evaluated(
    snapshot: Snapshot,
    caller: Caller,
    one: { flag: string; key: string; treatment: string; label: string },
  ): void;
  /** Reports dropped without being parsed. */
  drop(why: Dropped, count?: number): void;
  /** The counts since the last call, in about this many rows. The caller gives back what it cannot write. */
  take(rows: number): TrafficBatch;
  giveBack(batch: TrafficBatch): void;
  /** Since the start. */
  readonly figures: TrafficFigures;
}

export interface TrafficFigures {
  evaluations: number;
  events: number;
  readonly dropped: Record<Dropped, number>;
  /** Rows that wait to be written. */
  waiting: number;
}

/** Reports of SDKs whose clock is wrong, or that were offline for longer, count for the hour of their arrival. */
const maxAgeMs = 48 * hourMs;
const maxAheadMs = hourMs;

const maxRows = 200_000;
/** What fits into the number of a row, below. */
const maxNames = 4_096;
/** Once a minute, the last times of all flags are written together: they invalidate cached lists. */
const minuteOf = (at: number): number => Math.floor(at / 60_000);

interface FlagCounts {
  readonly flagId: string;
  revision: number;
  /** By name, the place in the list of names; 0 is what is not known. */
  treatments: Names;
  labels: Names;
  /** By hour, label and treatment, see `rowOf`. */
  rows: Map<number, number>;
  lastAt: number;
  lastWritten: number;
}

interface Names {
  readonly list: readonly string[];
  readonly places: ReadonlyMap<string, number>;
}

export function createTraffic(now: () => number, recents: Recents): Traffic {
  const environments = new Map<string, Map<string, FlagCounts>>();
  const figures: TrafficFigures = {
    evaluations: 0,
    events: 0,
    waiting: 0,
    dropped: { malformed: 0, 'unknown flag': 0, 'unknown event type': 0, 'too much': 0 },
  };

  const drop = (why: Dropped, count = 1): void => {
    figures.dropped[why] += count;
  };

  const flagOf = (snapshot: Snapshot, name: unknown): FlagCounts | undefined => {
    const entry = typeof name === 'string' ? snapshot.entryOf(name) : undefined;
    if (!entry?.definition) return undefined;
    const { id: flagId } = entry.definition;
    const flags = environments.get(snapshot.environmentId) ?? new Map<string, FlagCounts>();
    const flag = flags.get(flagId) ?? { flagId, ...unknownNames, rows: new Map(), lastAt: 0, lastWritten: 0 };
    if (Number.isNaN(flag.revision)) environments.set(snapshot.environmentId, flags.set(flagId, flag));
    if (flag.revision !== entry.number) learn(flag, entry);
    return flag;
  };

  const hourOf = (at: unknown): number => {
    const received = now();
    const isUsable = typeof at === 'number' && at > received - maxAgeMs && at < received + maxAheadMs;
    return Math.floor((isUsable ? at : received) / hourMs);
  };

  const events = createEventCounts(hourOf, drop);

  const add = (flag: FlagCounts, row: number, count: number): void => {
    const before = flag.rows.get(row);
    if (before !== undefined) return void flag.rows.set(row, before + count);
    if (figures.waiting < maxRows) {
      figures.waiting += 1;
      return void flag.rows.set(row, count);
    }
    const merged = rowOf(hourIn(row), 0, 0);
    const known = flag.rows.get(merged);
    if (known === undefined && figures.waiting >= 2 * maxRows) return void drop('too much', Math.abs(count));
    if (known === undefined) figures.waiting += 1;
    flag.rows.set(merged, (known ?? 0) + count);
  };

  const seen = (flag: FlagCounts, evaluations: number): void => {
    flag.lastAt = now();
    figures.evaluations += evaluations;
  };

  /** Few treatments and labels follow each other in a group: comparing them is quicker than looking each up. */
  const countImpressions = (flag: FlagCounts, impressions: readonly unknown[], isOptimized: boolean): void => {
    let [malformed, repeated, hour] = [0, 0, 0];
    let [hourStart, hourEnd] = [Number.NaN, Number.NaN];
    let kinds: Kind[] = [];
    const addKinds = () => {
      for (const { treatment, label, count } of kinds) {
        add(flag, rowOf(hour, flag.labels.places.get(label) ?? 0, flag.treatments.places.get(treatment) ?? 0), count);
      }
      if (repeated > 0) add(flag, rowOf(hour, 0, 0), -repeated);
      seen(
        flag,
        kinds.reduce((sum, { count }) => sum + count, -repeated),
      );
      [kinds, repeated] = [[], 0];
    };
    for (const one of impressions) {
      const { k, t, m, r, pt } = (one ?? nothing) as Impression;
      if (typeof t !== 'string' || typeof k !== 'string') {
        malformed += 1;
        continue;
      }
      if (!(typeof m === 'number' && m >= hourStart && m < hourEnd)) {
        const next = hourOf(m);
        if (next !== hour) addKinds();
        hour = next;
        [hourStart, hourEnd] = [hour * hourMs, (hour + 1) * hourMs];
      }
      const label = typeof r === 'string' ? r : '';
      const kind = kinds.find((known) => known.treatment === t && known.label === label);
      if (kind) kind.count += 1;
      else {
        if (kinds.length >= maxKinds) addKinds();
        kinds.push({ treatment: t, label, count: 1 });
      }
      if (isOptimized && pt) repeated += 1;
    }
    addKinds();
    if (malformed > 0) drop('malformed', malformed);
  };

  return {
    figures,
    drop,
    impressions: (snapshot, caller, groups, mode) => {
      const report = recents.reportOf(caller);
      for (const { f: name, i: impressions } of objectsOf(groups)) {
        if (!Array.isArray(impressions) || impressions.length === 0) continue;
        const flag = flagOf(snapshot, name);
        if (!flag) {
          drop('unknown flag', impressions.length);
          continue;
        }
        countImpressions(flag, impressions, mode === 'OPTIMIZED');
        recents.add({ environmentId: snapshot.environmentId, flagId: flag.flagId }, report, impressions);
      }
    },
    counts: (snapshot, caller, body) => {
      const report = recents.reportOf(caller);
      for (const { f: name, m, rc } of objectsOf(isObject(body) ? body.pf : undefined)) {
        if (typeof rc !== 'number' || !Number.isSafeInteger(rc) || rc <= 0 || rc > maxCount) {
          drop('malformed');
          continue;
        }
        const flag = flagOf(snapshot, name);
        if (!flag) {
          drop('unknown flag', rc);
          continue;
        }
        add(flag, rowOf(hourOf(m), 0, 0), rc);
        seen(flag, rc);
        recents.asked({ environmentId: snapshot.environmentId, flagId: flag.flagId }, report);
      }
    },
    keys: (snapshot, caller, body) => {
      const { environmentId } = snapshot;
      const report = recents.reportOf(caller);
      const entries = objectsOf(isObject(body) ? body.keys : undefined).slice(-maxKeyEntries);
      for (const { f: flag, ks, k: key } of entries) {
        recents.keys(environmentId, Array.isArray(ks) ? ks : [key]);
        const definition = typeof flag === 'string' ? snapshot.entryOf(flag)?.definition : undefined;
        if (definition) recents.asked({ environmentId, flagId: definition.id }, report);
      }
    },
    events: (environmentId, body) => {
      figures.events += events.add(environmentId, body);
    },
    evaluated: (snapshot, caller, { flag: name, key, treatment, label }) => {
      const flag = flagOf(snapshot, name);
      if (!flag) return;
      const impression = { k: key, t: treatment, m: now(), r: label };
      countImpressions(flag, [impression], false);
      recents.add({ environmentId: snapshot.environmentId, flagId: flag.flagId }, recents.reportOf(caller), [
        impression,
      ]);
    },
    take: (most) => {
      const counts: CountRow[] = [];
      const last: TrafficBatch['last'][number][] = [];
      const at = now();
      for (const [environmentId, flags] of environments) {
        for (const flag of flags.values()) {
          if (counts.length + last.length >= most) break;
          const { flagId, rows } = flag;
          if (flag.lastAt > flag.lastWritten && minuteOf(at) > minuteOf(flag.lastWritten)) {
            flag.lastWritten = at;
            last.push({ environmentId, flagId, lastAt: flag.lastAt });
          } else if (rows.size === 0 && flag.lastAt < at - maxAgeMs) flags.delete(flagId);
          if (rows.size === 0) continue;
          flag.rows = new Map();
          figures.waiting -= rows.size;
          for (const [row, evaluations] of rows) {
            if (evaluations !== 0) counts.push({ environmentId, flagId, ...partsOf(flag, row), evaluations });
          }
        }
      }
      const ofEvents = events.take(Math.max(0, most - counts.length));
      return { counts: counts.sort(byKey), last: last.sort(byKey), events: ofEvents.sort(byKey) };
    },
    giveBack: ({ counts, last, events: failedEvents }) => {
      for (const { environmentId, flagId, hour, treatment, label, evaluations } of counts) {
        const flag = environments.get(environmentId)?.get(flagId);
        if (!flag) continue;
        const { labels, treatments } = flag;
        const row = rowOf(hour / hourMs, labels.places.get(label) ?? 0, treatments.places.get(treatment) ?? 0);
        add(flag, row, evaluations);
      }
      for (const { environmentId, flagId } of last) {
        const flag = environments.get(environmentId)?.get(flagId);
        if (flag) flag.lastWritten = 0;
      }
      events.giveBack(failedEvents);
    },
  };
}

/** Of a report of keys: only recent ones are remembered. */
const maxKeyEntries = 1_000;
/** More in one report is not believed: totals stay exact numbers. */
const maxCount = 1_000_000_000;

interface Impression {
  readonly k?: unknown;
  readonly t?: unknown;
  readonly m?: unknown;
  readonly r?: unknown;
  readonly pt?: unknown;
}
const nothing: Impression = {};

/** Impressions of one hour with the same treatment and label. */
interface Kind {
  readonly treatment: string;
  readonly label: string;
  count: number;
}
const maxKinds = 16;

const noNames: Names = { list: [''], places: new Map() };
const unknownNames = { treatments: noNames, labels: noNames, revision: Number.NaN };
/** Then those of former definitions are forgotten. */
const manyNames = 200;

/** The names of its definition, and those that were known before: SDKs report the former definition for a while. */
function learn(flag: FlagCounts, { text, number, definition }: FlagEntry): void {
  const { conditions } = JSON.parse(text.toString()) as WireFlag;
  const { treatments } = JSON.parse(definition?.targeting ?? '{"treatments":[]}') as { treatments: { name: string }[] };
  const labels = conditions.map(({ label }) => label);
  if (flag.rows.size === 0 && flag.labels.list.length > manyNames) Object.assign(flag, unknownNames);
  const isFirst = Number.isNaN(flag.revision);
  flag.treatments = extended(flag.treatments, [...treatments.map(({ name }) => name), ...(isFirst ? [control] : [])]);
  flag.labels = extended(flag.labels, [...(isFirst ? fixedLabels : []), ...labels]);
  flag.revision = number;
}

/** Places stay what they are: rows that wait refer to them. */
function extended({ list, places }: Names, names: readonly string[]): Names {
  const added = [...new Set(names)].filter((name) => name !== '' && !places.has(name));
  if (added.length === 0) return { list, places };
  const all = [...list, ...added].slice(0, maxNames);
  return { list: all, places: new Map(all.slice(1).map((name, index) => [name, index + 1])) };
}

/** A number for hour, label and treatment: finding it is most of what counting costs. */
const rowOf = (hour: number, label: number, treatment: number): number =>
  (hour * maxNames + label) * maxNames + treatment;

const hourIn = (row: number): number => Math.floor(row / maxNames / maxNames);

function partsOf({ labels, treatments }: FlagCounts, row: number): Pick<CountRow, 'hour' | 'treatment' | 'label'> {
  return {
    hour: hourIn(row) * hourMs,
    label: labels.list[Math.floor(row / maxNames) % maxNames] ?? '',
    treatment: treatments.list[row % maxNames] ?? '',
  };
}

type Keyed = Partial<CountRow & EventRow>;

/** As the databases compare: by environment, then by what has been counted, then by hour. */
function byKey(one: Keyed, other: Keyed): number {
  for (const name of ['environmentId', 'flagId', 'trafficType', 'eventType', 'hour', 'treatment', 'label'] as const) {
    const [a = '', b = ''] = [one[name], other[name]];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
