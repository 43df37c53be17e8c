/** Counts events that applications track, in memory, until a job writes them to the database. */

import { hourMs } from '#domain/durations.ts';
import { objectsOf } from '#domain/json.ts';

export interface EventRow extends Sums {
  readonly environmentId: string;
  readonly trafficType: string;
  readonly eventType: string;
  readonly hour: number;
}

interface Sums {
  readonly events: number;
  /** Those with a value. */
  readonly valued: number;
  readonly sum: number;
  readonly squares: number;
}

export interface EventCounts {
  /** `[{eventTypeId, trafficTypeName, value, timestamp}]`. Returns how many were counted. */
  add(environmentId: string, events: unknown): number;
  /** At most this many rows, in key order. */
  take(most: number): EventRow[];
  giveBack(rows: readonly EventRow[]): void;
}

/** Of all environments. A job limits how many types are written. */
const maxRows = 50_000;

/** SDKs accept no others. */
const eventTypes = /^[a-zA-Z0-9][-_.:a-zA-Z0-9]{0,79}$/;
const trafficTypes = /^[a-zA-Z][-_.a-zA-Z0-9]{0,79}$/;

export function createEventCounts(
  hourOf: (at: unknown) => number,
  drop: (why: 'malformed' | 'too much', count: number) => void,
): EventCounts {
  /** By environment, traffic type, event type and hour. */
  const rows = new Map<string, Sums>();

  const count = (environmentId: string, { eventTypeId, trafficTypeName, value, timestamp }: Sent): Outcome => {
    if (typeof eventTypeId !== 'string' || !eventTypes.test(eventTypeId)) return 'malformed';
    if (typeof trafficTypeName !== 'string' || !trafficTypes.test(trafficTypeName)) return 'malformed';
    const name = [environmentId, trafficTypeName.toLowerCase(), eventTypeId, hourOf(timestamp)].join('\n');
    const before = rows.get(name);
    if (!before && rows.size >= maxRows) return 'too much';
    rows.set(name, added(before, sumsOf(value)));
    return 'counted';
  };

  return {
    add: (environmentId, events) => {
      const outcomes = { counted: 0, malformed: 0, 'too much': 0 };
      for (const event of objectsOf(events)) outcomes[count(environmentId, event)] += 1;
      drop('malformed', outcomes.malformed);
      drop('too much', outcomes['too much']);
      return outcomes.counted;
    },
    take: (most) => {
      const taken: EventRow[] = [];
      for (const [name, sums] of rows) {
        if (taken.length >= most) break;
        rows.delete(name);
        const [environmentId = '', trafficType = '', eventType = '', hour] = name.split('\n');
        taken.push({ environmentId, trafficType, eventType, hour: Number(hour) * hourMs, ...sums });
      }
      return taken;
    },
    giveBack: (taken) => {
      for (const { environmentId, trafficType, eventType, hour, ...sums } of taken) {
        const name = [environmentId, trafficType, eventType, hour / hourMs].join('\n');
        rows.set(name, added(rows.get(name), sums));
      }
    },
  };
}

type Sent = Readonly<Record<string, unknown>>;
type Outcome = 'counted' | 'malformed' | 'too much';

/** Larger numbers would not stay numbers. */
const maxValue = 1e100;

const sumsOf = (value: unknown): Sums =>
  typeof value === 'number' && Math.abs(value) < maxValue
    ? { events: 1, valued: 1, sum: value, squares: value * value }
    : { events: 1, valued: 0, sum: 0, squares: 0 };

const added = (one: Sums | undefined, other: Sums): Sums =>
  one
    ? {
        events: one.events + other.events,
        valued: one.valued + other.valued,
        sum: one.sum + other.sum,
        squares: one.squares + other.squares,
      }
    : other;
