/** Deletes lists of keys that no large segment serves any more, in small steps that delay nobody. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { deleteSomeOfList, findUnusedList } from '#store/large-segments.ts';
import { housekeep, type Store } from '#store/sql.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

const everyMs = 60_000;
/** About 200 kB. */
const blocksAtOnce = 100;
/** Lets others write between two steps. */
const pauseMs = 20;

export const startListRemoval = ({ store, log }: { readonly store: Store; readonly log: Logger }): PeriodicJob =>
  startPeriodicJob(everyMs, (signal) =>
    removeUnused(store, signal).catch((error: unknown) =>
      log.error({ err: error }, 'deleting unused keys of large segments failed'),
    ),
  );

/** Several nodes may do it at once: each step deletes what is still there. */
async function removeUnused(store: Store, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const id = await findUnusedList(store);
    if (id === undefined) return;
    await housekeep(store, (tx) => deleteSomeOfList(tx, id, blocksAtOnce));
    await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
