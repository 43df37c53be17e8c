/** What SDKs report about evaluations and events, as people are shown it. */

import { type Static, Type } from 'typebox';
import type { Bucket } from './definitions/definition.ts';
import { dayMs, hourMs } from './durations.ts';
import { Millis, OneOf } from './schema.ts';
import type { WireFlag } from './wire/flags.ts';

/** Older hours are added to their days. */
export const hourlyDays = 35;

const ranges = ['24h', '7d', '30d', '400d'] as const;
export const Range = OneOf(ranges, { description: 'the time before now, in steps of an hour, or of a day from `30d`' });
export type Range = Static<typeof Range>;

const lengths: Readonly<Record<Range, { readonly steps: number; readonly step: number }>> = {
  '24h': { steps: 24, step: hourMs },
  '7d': { steps: 168, step: hourMs },
  '30d': { steps: 30, step: dayMs },
  '400d': { steps: 400, step: dayMs },
};

/** Steps of equal length in UTC; the last one has only begun. */
export interface Steps {
  readonly from: number;
  readonly step: number;
  readonly steps: number;
}

export function stepsOf(range: Range, now: number): Steps {
  const { steps, step } = lengths[range];
  return { from: now - (now % step) - (steps - 1) * step, step, steps };
}

const Counts = (what: string) => Type.Array(Type.Integer(), { description: `${what} in each step, oldest first` });

const Series = Type.Object({
  treatment: Type.Optional(
    Type.String({ description: 'absent: evaluations that SDKs reported as a number, without treatments' }),
  ),
  label: Type.Optional(Type.String({ description: 'the rule, as SDKs name it; absent if it is not known' })),
  counts: Counts('evaluations'),
});

const MeasuredShare = Type.Object({
  label: Type.String({ description: 'the rule, as SDKs name it' }),
  evaluations: Type.Integer({ description: 'of those with a treatment' }),
  treatments: Type.Array(
    Type.Object({
      treatment: Type.String(),
      evaluations: Type.Integer(),
      measured: Type.Number({ description: 'percent of the evaluations of the rule' }),
      expected: Type.Optional(
        Type.Number({ description: 'percent by the definition as it is now; absent if the rule is not in it' }),
      ),
    }),
  ),
});

const Asker = Type.Object({ sdk: Type.String(), machine: Type.Optional(Type.String()), lastAt: Millis });
export type Asker = Static<typeof Asker>;

export const FlagTraffic = Type.Object({
  from: Type.Integer({ description: 'when the first step begins, in milliseconds since the Unix epoch' }),
  stepMilliseconds: Type.Integer(),
  lastTrafficReceivedAt: Type.Optional(Millis),
  evaluations: Type.Integer({ description: 'in the whole time' }),
  series: Type.Array(Series),
  rules: Type.Array(MeasuredShare, {
    description: 'what share of the evaluations of each rule got each treatment, and what the definition says',
  }),
  askers: Type.Array(Asker, {
    description: 'the last SDKs that reported evaluations of the flag to the node that answers; up to 20',
  }),
});
export type FlagTraffic = Static<typeof FlagTraffic>;

export interface HourCount {
  readonly hour: number;
  readonly treatment: string;
  readonly label: string;
  readonly evaluations: number;
}

/** The sums of each step. SDKs report some evaluations twice, see `delivery/traffic.ts`: what is left is never negative. */
export function inSteps<Row extends { readonly hour: number }>(
  rows: readonly Row[],
  { from, step, steps }: Steps,
  countOf: (row: Row) => number,
): number[] {
  const sums = Array.from({ length: steps }, () => 0);
  for (const row of rows) {
    const index = Math.floor((row.hour - from) / step);
    sums[index] = (sums[index] ?? 0) + countOf(row);
  }
  return sums.map((count) => Math.max(0, count));
}

export const toSeries = (rows: readonly HourCount[], steps: Steps): FlagTraffic['series'] =>
  [...Map.groupBy(rows, ({ treatment, label }) => `${treatment}\n${label}`)].map(([name, own]) => {
    const [treatment, label] = name.split('\n');
    const counts = inSteps(own, steps, ({ evaluations }) => evaluations);
    return { ...(treatment ? { treatment } : {}), ...(label ? { label } : {}), counts };
  });

/** `flag`: as SDKs read it now; undefined if it is not known. */
export function toShares(series: FlagTraffic['series'], flag: WireFlag | undefined): FlagTraffic['rules'] {
  const expected = flag ? expectedOf(flag) : new Map<string, Shares>();
  const byLabel = Map.groupBy(series, ({ treatment, label }) => (treatment === undefined ? undefined : label));
  return [...byLabel].flatMap(([label, ofLabel]) => {
    if (label === undefined) return [];
    const sums = ofLabel.map(({ treatment = '', counts }) => [treatment, sum(counts)] as const);
    const evaluations = sum(sums.map(([, count]) => count));
    if (evaluations === 0) return [];
    const shares = expected.get(label);
    const named = new Map([...(shares?.keys() ?? [])].map((treatment) => [treatment, 0]));
    for (const [treatment, count] of sums) named.set(treatment, count);
    const treatments = [...named].map(([treatment, count]) => ({
      treatment,
      evaluations: count,
      measured: (count / evaluations) * 100,
      ...(shares ? { expected: shares.get(treatment) ?? 0 } : {}),
    }));
    return [{ label, evaluations, treatments }];
  });
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

type Shares = ReadonlyMap<string, number>;

/** In percent, by label. Rules with the same label count only if they say the same. */
function expectedOf({ conditions, defaultTreatment, killed, trafficAllocation }: WireFlag): Map<string, Shares> {
  const all: (readonly [label: string, shares: readonly Bucket[]])[] = killed
    ? [['killed', [{ treatment: defaultTreatment, size: 100 }]]]
    : conditions.map(({ label, partitions }) => [label, partitions.filter(({ size }) => size > 0)]);
  if (!killed && trafficAllocation < 100) all.push(['not in split', [{ treatment: defaultTreatment, size: 100 }]]);
  const found = new Map<string, Shares | undefined>();
  for (const [label, buckets] of all) {
    const shares = new Map(buckets.map(({ treatment, size }) => [treatment, size]));
    const before = found.get(label);
    const isSame = !found.has(label) || (before !== undefined && isEqual(before, shares));
    found.set(label, isSame ? shares : undefined);
  }
  return new Map([...found].flatMap(([label, shares]) => (shares ? [[label, shares]] : [])));
}

const isEqual = (one: Shares, other: Shares): boolean =>
  one.size === other.size && [...one].every(([treatment, size]) => other.get(treatment) === size);

/** What SDKs report as a reason besides the labels of rules. */
export const fixedLabels = [
  'default rule',
  'killed',
  'not in split',
  'whitelisted',
  'definition not found',
  'exception',
  'not ready',
  'control',
  'targeting rule type unsupported by sdk',
  'prerequisites not met',
  'fallback - definition not found',
  'fallback - exception',
  'fallback - not ready',
];

/** One flag in one environment, in lists. */
const ListedTraffic = Type.Object({
  flagId: Type.String(),
  environmentId: Type.String(),
  lastTrafficReceivedAt: Millis,
  counts: Counts('evaluations'),
});
export type ListedTraffic = Static<typeof ListedTraffic>;

export const ProjectTraffic = Type.Object({
  from: Type.Integer({ description: 'when the first step begins, in milliseconds since the Unix epoch' }),
  stepMilliseconds: Type.Integer(),
  traffic: Type.Array(ListedTraffic, { description: 'flags and environments that never had traffic are left out' }),
});

export const RecentImpression = Type.Object({
  key: Type.String({ description: 'the key that the flag was evaluated for' }),
  treatment: Type.String(),
  label: Type.Optional(Type.String()),
  at: Type.Integer({ description: 'milliseconds since the Unix epoch, by the clock of the application' }),
  receivedAt: Type.Integer({ description: 'the same by the clock of Burgee' }),
  sdk: Type.Optional(Type.String()),
  machine: Type.Optional(Type.String()),
});
export type RecentImpression = Static<typeof RecentImpression>;

export const EventTraffic = Type.Object({
  from: Type.Integer({ description: 'when the first step begins, in milliseconds since the Unix epoch' }),
  stepMilliseconds: Type.Integer(),
  eventTypes: Type.Array(
    Type.Object({
      trafficType: Type.String(),
      eventType: Type.String(),
      lastReceivedAt: Millis,
      events: Type.Integer(),
      counts: Counts('events'),
      values: Type.Optional(
        Type.Object(
          { count: Type.Integer(), mean: Type.Number(), standardDeviation: Type.Number() },
          { description: 'of the events that have a value' },
        ),
      ),
    }),
    { description: 'up to 1,000, by traffic type and name' },
  ),
});
export type EventTraffic = Static<typeof EventTraffic>;

export interface EventCount {
  readonly trafficType: string;
  readonly eventType: string;
  readonly hour: number;
  readonly events: number;
  readonly valued: number;
  readonly sum: number;
  readonly squares: number;
}

export interface KnownEventType {
  readonly trafficType: string;
  readonly eventType: string;
  readonly lastAt: number;
}

export function toEventTraffic(
  types: readonly KnownEventType[],
  rows: readonly EventCount[],
  steps: Steps,
): EventTraffic['eventTypes'] {
  const nameOf = (one: Pick<KnownEventType, 'trafficType' | 'eventType'>) => `${one.trafficType}\n${one.eventType}`;
  const byType = Map.groupBy(rows, nameOf);
  return types.map((type) => {
    const own = byType.get(nameOf(type)) ?? [];
    const counts = inSteps(own, steps, ({ events }) => events);
    const count = sum(own.map(({ valued }) => valued));
    const mean = count === 0 ? 0 : sum(own.map((row) => row.sum)) / count;
    const variance = count === 0 ? 0 : Math.max(0, sum(own.map((row) => row.squares)) / count - mean * mean);
    const values = { count, mean, standardDeviation: Math.sqrt(variance) };
    const { trafficType, eventType, lastAt: lastReceivedAt } = type;
    const events = sum(counts);
    return { trafficType, eventType, lastReceivedAt, events, counts, ...(count === 0 ? {} : { values }) };
  });
}
