/**
 * Writes what SDKs reported to the database, every few seconds, in short transactions: on SQLite, a flag change waits for
 * one of them at most. While the database is down, counts wait in memory.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Store } from '#store/sql.ts';
import {
  addCounts,
  addEvents,
  type CountRow,
  type EventRow,
  type FlagPlace,
  listEventTypes,
  listTrafficTypeNames,
  saveEventTypes,
  saveLastTraffic,
} from '#store/traffic.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

/** `delivery/traffic.ts`. */
interface Counted {
  take(rows: number): Batch;
  giveBack(batch: Batch): void;
  drop(why: 'unknown event type', count: number): void;
}

interface Batch {
  readonly counts: readonly CountRow[];
  readonly last: readonly (FlagPlace & { readonly lastAt: number })[];
  readonly events: readonly EventRow[];
}

export interface TrafficOptions {
  readonly store: Store;
  readonly log: Logger;
  readonly traffic: Counted;
  readonly everyMs?: number;
}

/** Of one transaction. */
const rowsAtOnce = 250;
/** Lets others write between two transactions. */
const pauseMs = 10;
const usualEveryMs = 5_000;

/** `stop` writes what is left; call it after the last request. */
export function startTraffic({ store, log, traffic, everyMs = usualEveryMs }: TrafficOptions): PeriodicJob {
  const acceptEvents = eventFilter(store, traffic);
  let isFailing = false;
  const flush = () =>
    flushTraffic(store, traffic, acceptEvents).then(
      () => {
        isFailing = false;
      },
      (error: unknown) => {
        // Once, not every few seconds: the database may be down for a while.
        if (!isFailing) log.warn({ err: error }, 'writing what SDKs reported failed; it is tried again');
        isFailing = true;
      },
    );
  const job = startPeriodicJob(everyMs, flush);
  return {
    stop: async () => {
      await job.stop();
      await flush();
    },
  };
}

async function flushTraffic(store: Store, traffic: Counted, acceptEvents: EventFilter): Promise<void> {
  for (;;) {
    const batch = traffic.take(rowsAtOnce);
    const { counts, last } = batch;
    if (counts.length + last.length + batch.events.length === 0) return;
    try {
      const events = await acceptEvents(batch.events);
      await store.write(async (tx) => {
        tx.touches('nothing');
        if (counts.length > 0) await addCounts(tx, counts);
        if (last.length > 0) await saveLastTraffic(tx, last);
        if (events.length === 0) return;
        await addEvents(tx, events);
        await saveEventTypes(tx, typesOf(events));
      });
    } catch (error) {
      traffic.giveBack(batch);
      throw error;
    }
    if (counts.length + batch.events.length < rowsAtOnce) return;
    await pause(pauseMs);
  }
}

/** In their order, none twice. */
const typesOf = (rows: readonly EventRow[]): EventRow[] =>
  rows.filter((row, index) => index === 0 || nameOf(row) !== nameOf(rows[index - 1] as EventRow));

const nameOf = ({ environmentId, trafficType, eventType }: EventRow): string =>
  `${environmentId} ${trafficType} ${eventType}`;

type EventFilter = (events: readonly EventRow[]) => Promise<readonly EventRow[]>;

/** A client-side key is public: anyone can send events of new types. */
const maxEventTypes = 1_000;
/** How long what is known of an environment is used. */
const knownMs = 60_000;

interface Known {
  readonly readAt: number;
  readonly trafficTypes: ReadonlySet<string>;
  /** Grows with those that this node writes. */
  readonly types: Set<string>;
}

/** Events of the project's traffic types, and of at most this many event types in an environment. */
function eventFilter(store: Store, traffic: Counted): EventFilter {
  const environments = new Map<string, Known>();
  const read = async (id: string): Promise<Known> => {
    const types = await listEventTypes(store, id, maxEventTypes);
    const trafficTypes = new Set(await listTrafficTypeNames(store, id));
    const names = types.map((type) => `${id} ${type.trafficType} ${type.eventType}`);
    const known = { readAt: store.clock(), trafficTypes, types: new Set(names) };
    environments.set(id, known);
    return known;
  };
  return async (events) => {
    const accepted: EventRow[] = [];
    for (const event of events) {
      let known = environments.get(event.environmentId);
      if (!known || store.clock() - known.readAt > knownMs) known = await read(event.environmentId);
      const isNew = !known.types.has(nameOf(event));
      if (!known.trafficTypes.has(event.trafficType) || (isNew && known.types.size >= maxEventTypes)) {
        traffic.drop('unknown event type', event.events);
        continue;
      }
      known.types.add(nameOf(event));
      accepted.push(event);
    }
    return accepted;
  };
}
