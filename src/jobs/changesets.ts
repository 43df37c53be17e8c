/** Ends requests for approval whose time is over. Every node looks; ending one twice has no effect. */
import type { Logger } from 'pino';
import { listExpiredChangesets } from '#store/changesets.ts';
import type { Store } from '#store/sql.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

const usualCheckMs = 60_000;
const atOnce = 20;

export interface ExpiryOptions {
  readonly store: Store;
  readonly log: Logger;
  /** Ends one, unless that has been done. */
  readonly expire: (id: string) => Promise<void>;
  readonly checkMs?: number;
}

export const startExpiry = ({ store, log, expire, checkMs = usualCheckMs }: ExpiryOptions): PeriodicJob =>
  startPeriodicJob(checkMs, async (signal) => {
    try {
      for (const id of await listExpiredChangesets(store, atOnce)) {
        if (signal.aborted) return;
        await expire(id);
      }
    } catch (error) {
      log.error({ err: error }, 'ending requests for approval failed');
    }
  });
