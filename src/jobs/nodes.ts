/** A heartbeat every 20 seconds, so that administrators see every node and its version. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { deleteNode, saveNode } from '#store/server.ts';
import { housekeep, type Store } from '#store/sql.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

const everyMs = 20_000;

export function startNode({ store, log, version }: { store: Store; log: Logger; version: string }): PeriodicJob {
  const id = randomUUID();
  const node = { host: hostname(), version, startedAt: store.clock() };
  const job = startPeriodicJob(everyMs, () =>
    housekeep(store, (tx) => saveNode(tx, id, node)).catch((error: unknown) =>
      log.warn({ err: error }, 'could not update the list of nodes'),
    ),
  );
  return {
    ...job,
    stop: async () => {
      await job.stop();
      await housekeep(store, (tx) => deleteNode(tx, id)).catch(() => undefined);
    },
  };
}
