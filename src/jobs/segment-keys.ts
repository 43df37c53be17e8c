/** Deletes the keys of segments of deleted environments: once an hour, in small steps that delay nobody. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { deleteSomeKeys, findNextKeyEnvironment } from '#store/segment-keys.ts';
import { housekeep, type Store } from '#store/sql.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

const everyMs = 60 * 60 * 1000;
/** Lets others write between two steps. */
const pauseMs = 20;

export interface KeyCleanupOptions {
  readonly store: Store;
  readonly log: Logger;
}

/** Several nodes may do it at once: each step deletes what it finds. */
export const startKeyCleanup = ({ store, log }: KeyCleanupOptions): PeriodicJob =>
  startPeriodicJob(everyMs, (signal) =>
    removeKeys(store, signal).catch((error: unknown) =>
      log.error({ err: error }, 'deleting keys of deleted environments failed'),
    ),
  );

async function removeKeys(store: Store, signal: AbortSignal): Promise<void> {
  let next = await findNextKeyEnvironment(store, '');
  while (next && !signal.aborted) {
    const { id, isDeleted } = next;
    const removed = isDeleted ? await housekeep(store, (tx) => deleteSomeKeys(tx, id)) : 0;
    if (removed === 0) next = await findNextKeyEnvironment(store, id);
    else await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
