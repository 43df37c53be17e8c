/** Says every 20 seconds that this node is there, so that an administrator sees all of them, with their versions. */
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
      log.warn({ err: error }, 'the list of nodes could not be updated'),
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
