/** Keeps what definitions say about cleaning up. A definition that changed is studied within a minute. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { listEnvironmentIds, studySomeDefinitions } from '#store/cleanup.ts';
import type { Store } from '#store/sql.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

const everyMs = 60_000;
/** Lets others write between two transactions. */
const pauseMs = 10;
const environmentsAtOnce = 100;

export const startDefinitionFacts = ({ store, log }: { store: Store; log: Logger }): PeriodicJob =>
  startPeriodicJob(everyMs, (signal) =>
    studyDefinitions(store, signal).catch((error: unknown) =>
      log.error({ err: error }, 'studying definitions for the cleanup page failed'),
    ),
  );

export async function studyDefinitions(store: Store, signal?: AbortSignal): Promise<void> {
  for (let after = ''; ; ) {
    const environments = await listEnvironmentIds(store, after, environmentsAtOnce);
    for (const { id } of environments) {
      while (!signal?.aborted && (await studySomeDefinitions(store, id))) await pause(pauseMs);
    }
    after = environments.at(-1)?.id ?? after;
    if (signal?.aborted || environments.length < environmentsAtOnce) return;
  }
}
