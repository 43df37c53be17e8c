/** Deletes rows that nothing needs any more, in small steps that delay nobody. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { reportDays } from '#domain/code-references.ts';
import { dayMs, hourMs, minuteMs } from '#domain/durations.ts';
import { deleteOldCodeReport } from '#store/code-references.ts';
import { deleteSomeOfList, findUnusedList } from '#store/large-segments.ts';
import { deleteSomeKeys, findNextKeyEnvironment } from '#store/segment-keys.ts';
import { housekeep, type Store } from '#store/sql.ts';
import {
  counted,
  deleteCountedPlace,
  deleteOldestCounts,
  findUnmergedDay,
  hasCounts,
  listCountedPlaces,
  mergeDay,
} from '#store/traffic.ts';
import { deleteOldUploads } from '#store/uploads.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

/** Lets others write between two steps. */
const pauseMs = 20;

/** Yields after each deletion. Several nodes may do it at once: each step deletes what it finds. */
type Cleanup = (store: Store) => AsyncGenerator<void>;

export interface CleanupOptions {
  readonly store: Store;
  readonly log: Logger;
  /** How long counts of evaluations and events are kept. */
  readonly trafficDays: number;
}

export const startCleanup = (options: CleanupOptions): PeriodicJob => {
  const jobs = [
    start(options, { what: 'unused keys of large segments', cleanup: unusedLists, everyMs: minuteMs }),
    start(options, { what: 'keys of deleted environments', cleanup: keysOfDeletedEnvironments, everyMs: hourMs }),
    start(options, { what: 'old uploads', cleanup: oldUploads, everyMs: hourMs }),
    start(options, { what: 'old code references', cleanup: oldCodeReports, everyMs: hourMs }),
    start(options, { what: 'old counts', cleanup: (store) => oldCounts(store, options.trafficDays), everyMs: hourMs }),
  ];
  return { stop: async () => void (await Promise.all(jobs.map((job) => job.stop()))) };
};

function start(
  { store, log }: CleanupOptions,
  { what, cleanup, everyMs }: { what: string; cleanup: Cleanup; everyMs: number },
): PeriodicJob {
  const run = async (signal: AbortSignal) => {
    for await (const _ of cleanup(store)) {
      if (signal.aborted) return;
      await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  return startPeriodicJob(everyMs, (signal) =>
    run(signal).catch((error: unknown) => log.error({ err: error }, `deleting ${what} failed`)),
  );
}

/** About 200 kB. */
const blocksAtOnce = 100;

/** Lists that no large segment serves any more. */
async function* unusedLists(store: Store): AsyncGenerator<void> {
  for (let id = await findUnusedList(store); id !== undefined; id = await findUnusedList(store)) {
    const list = id;
    await housekeep(store, (tx) => deleteSomeOfList(tx, list, blocksAtOnce));
    yield;
  }
}

async function* keysOfDeletedEnvironments(store: Store): AsyncGenerator<void> {
  let next = await findNextKeyEnvironment(store, '');
  while (next) {
    const { id, isDeleted } = next;
    const removed = isDeleted ? await housekeep(store, (tx) => deleteSomeKeys(tx, id)) : 0;
    if (removed === 0) next = await findNextKeyEnvironment(store, id);
    else yield;
  }
}

const uploadDays = 30;

/** The audit log keeps what they changed. */
async function* oldUploads(store: Store): AsyncGenerator<void> {
  const before = store.clock() - uploadDays * dayMs;
  while ((await housekeep(store, (tx) => deleteOldUploads(tx, before))) > 0) yield;
}

/** Of branches that nobody scans any more. */
async function* oldCodeReports(store: Store): AsyncGenerator<void> {
  const before = store.clock() - reportDays * dayMs;
  while ((await housekeep(store, (tx) => deleteOldCodeReport(tx, before))) > 0) yield;
}

const placesAtOnce = 100;

/** Also adds hours to their days, and deletes the counts of deleted flags and environments. */
export async function* oldCounts(store: Store, days: number): AsyncGenerator<void> {
  const before = store.clock() - days * dayMs;
  for (const kind of [counted.flags, counted.events]) {
    let places = await listCountedPlaces(store, kind, undefined, placesAtOnce);
    while (places.length > 0) {
      for (const place of places) {
        const until = place.isDeleted ? Number.MAX_SAFE_INTEGER : before;
        while (await hasCounts(store, kind, place, until)) {
          yield void (await housekeep(store, (tx) => deleteOldestCounts(tx, kind, place, until)));
        }
        for (;;) {
          const day = await findUnmergedDay(store, kind, place, store.clock());
          if (day === undefined) break;
          yield void (await housekeep(store, (tx) => mergeDay(tx, kind, place, day)));
        }
        // When a flag was last evaluated stays known.
        const isOver = place.isDeleted || kind === counted.events;
        if (!isOver || (await hasCounts(store, kind, place))) continue;
        yield void (await housekeep(store, (tx) => deleteCountedPlace(tx, kind, place)));
      }
      // SQLite reads without waiting: others get their turn.
      yield;
      places = await listCountedPlaces(store, kind, places.at(-1), placesAtOnce);
    }
  }
}
