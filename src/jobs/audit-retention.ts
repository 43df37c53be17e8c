/**
 * Deletes audit entries older than AUDIT_DAYS: once an hour, on one node at a time, in small steps that delay nobody.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { dayMs, hourMs } from '#domain/durations.ts';
import {
  claimRetention,
  deleteChanges,
  extendRetentionClaim,
  isRetentionDue,
  listOldChanges,
  saveRetentionDone,
} from '#store/audit-retention.ts';
import { fitting } from '#store/paging.ts';
import { housekeep, type Position, type Store } from '#store/sql.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

const everyMs = hourMs;
const leaseMs = 5 * 60 * 1000;
const usualCheckMs = 60_000;
/** Deleting an entry updates a dozen indexes. */
const maxEntries = 50;
/** A state that moves to the next entry is written again. */
const maxBytes = 262_144;
/** Lets others write between two steps. */
const usualPauseMs = 50;

export interface RetentionOptions {
  readonly store: Store;
  readonly log: Logger;
  /** How long entries are kept. */
  readonly days: number;
  /** How often to check whether it is due. */
  readonly checkMs?: number;
  readonly pauseMs?: number;
}

/** Once stopped, it starts no further step. */
export const startAuditRetention = ({ checkMs = usualCheckMs, ...options }: RetentionOptions): PeriodicJob =>
  startPeriodicJob(checkMs, (signal) =>
    removeIfDue(options, signal).catch((error: unknown) =>
      options.log.error({ err: error }, 'deleting old audit entries failed'),
    ),
  );

async function removeIfDue(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { store, log } = options;
  const before = store.clock() - everyMs;
  if (!(await isRetentionDue(store, before))) return;
  if (!(await housekeep(store, (tx) => claimRetention(tx, { before, leaseMs })))) return;
  const removed = await removeOld(options, signal);
  if (removed > 0) log.info({ removed, days: options.days }, 'old audit entries removed');
  // If it stops halfway, the next pass continues.
  await housekeep(store, (tx) => (signal.aborted ? extendRetentionClaim(tx, 0) : saveRetentionDone(tx)));
}

/** Processes all entries that are old enough. */
async function removeOld({ store, days, pauseMs = usualPauseMs }: RetentionOptions, signal: AbortSignal) {
  const before = store.clock() - days * dayMs;
  let [removed, claimedAt] = [0, store.clock()];
  let position: Position = { at: Number.MIN_SAFE_INTEGER, id: '' };
  while (!signal.aborted) {
    const old = await listOldChanges(store, position, { before, limit: maxEntries });
    const step = fitting(old, ({ bytes }) => bytes, maxBytes);
    const last = step.at(-1);
    if (!last) break;
    const ids = step.filter(({ stays }) => !stays).map(({ id }) => id);
    if (ids.length > 0) removed += await housekeep(store, (tx) => deleteChanges(tx, ids, before));
    if (store.clock() - claimedAt > leaseMs / 3) {
      await housekeep(store, (tx) => extendRetentionClaim(tx, leaseMs));
      claimedAt = store.clock();
    }
    position = { at: last.at, id: last.id };
    await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return removed;
}
