/**
 * With several nodes, the one that answers a page is often not the one that an SDK talks to. While someone looks at an
 * environment, each node writes what it sees there into a table, at most once a second and only if it changed. While
 * nobody looks, this costs one read a second.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sighting } from '#domain/sdks.ts';
import {
  deleteOldSdkSightings,
  hasOldSdkSightings,
  listSdkSightings,
  listWatchedEnvironments,
  saveSdkSighting,
  saveSdkWatch,
} from '#store/sdks.ts';
import { housekeep, type Store } from '#store/sql.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

/** What this node knows; `delivery/sdks.ts`. */
interface SharedSdks {
  lookedAt(): string[];
  watch(environmentId: string): void;
  sighting(environmentId: string): Sighting & { readonly version: number };
  adopt(environmentId: string, sightings: readonly Sighting[]): void;
}

export interface SdkSharingOptions {
  readonly store: Store;
  readonly log: Logger;
  readonly sdks: SharedSdks;
  readonly everyMs?: number;
}

/** How long others write after the last look. Saved again after half of it. */
const watchMs = 20_000;
/** Unchanged rows are written again as a heartbeat. */
const rewriteMs = 20_000;
const goneMs = 60_000;

export function startSdkSharing({ store, log, sdks, everyMs = 1_000 }: SdkSharingOptions): PeriodicJob {
  const node = randomUUID();
  const watchSavedAt = new Map<string, number>();
  const written = new Map<string, { readonly version: number; readonly at: number }>();
  let cleanedAt = 0;

  const saveWatches = async (environmentIds: readonly string[]): Promise<void> => {
    const now = store.clock();
    for (const id of watchSavedAt.keys()) if (!environmentIds.includes(id)) watchSavedAt.delete(id);
    for (const id of environmentIds) {
      if (now - (watchSavedAt.get(id) ?? 0) < watchMs / 2) continue;
      await housekeep(store, (tx) => saveSdkWatch(tx, id, now + watchMs));
      watchSavedAt.set(id, now);
    }
  };
  const writeSightings = async (environmentIds: readonly string[]): Promise<void> => {
    for (const id of written.keys()) if (!environmentIds.includes(id)) written.delete(id);
    for (const environmentId of environmentIds) {
      sdks.watch(environmentId);
      const { version, ...sighting } = sdks.sighting(environmentId);
      const last = written.get(environmentId);
      const now = store.clock();
      if (last?.version === version && now - last.at < rewriteMs) continue;
      const content = JSON.stringify(sighting satisfies Sighting);
      await housekeep(store, (tx) => saveSdkSighting(tx, { environmentId, node, content }));
      written.set(environmentId, { version, at: now });
    }
  };
  const readOthers = async (environmentIds: readonly string[]): Promise<void> => {
    const since = store.clock() - goneMs;
    for (const environmentId of environmentIds) {
      const contents = await listSdkSightings(store, { environmentId, exceptNode: node, since });
      const sightings: Sighting[] = [];
      for (const content of contents) {
        // A megabyte if a node serves thousands of SDKs.
        await nextTurn();
        sightings.push(JSON.parse(content) as Sighting);
      }
      sdks.adopt(environmentId, sightings);
    }
  };
  const clean = async (): Promise<void> => {
    const before = store.clock() - goneMs;
    if (cleanedAt > before) return;
    if (await hasOldSdkSightings(store, before)) await housekeep(store, (tx) => deleteOldSdkSightings(tx, before));
    cleanedAt = store.clock();
  };

  let isFailing = false;
  return startPeriodicJob(everyMs, async () => {
    try {
      const looked = sdks.lookedAt();
      await saveWatches(looked);
      await writeSightings(await listWatchedEnvironments(store));
      await readOthers(looked);
      await clean();
      isFailing = false;
    } catch (error) {
      // Once, not every second: the database may be down for a while.
      if (!isFailing) log.warn({ err: error }, 'sharing what is known about connected SDKs failed');
      isFailing = true;
    }
  });
}
