/**
 * Makes a backup each night.
 *
 * Invariants
 * 1. Each night's backup is made once, by the node that claims it first. If that node dies, the lease expires and
 *    another node makes it.
 * 2. A missed or failed backup is made as soon as possible.
 * 3. Old backups are deleted only after a new one exists.
 */

import { join } from 'node:path';
import type { Logger } from 'pino';
import { dayMs } from '#domain/durations.ts';
import { backupName, pruneBackups, removeBrokenOff } from '#operations/backup/folder.ts';
import { claimBackup, extendBackupClaim, isBackupDue, saveBackupFailed, saveBackupMade } from '#store/backup-claims.ts';
import { makeFolder } from '#store/folders.ts';
import { housekeep, type Store } from '#store/sql.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

/** Also the pause after a failure. */
const leaseMs = 10 * 60 * 1000;
const usualCheckMs = 30_000;

const brokenOff = 'the nightly backup was interrupted by the stop; it will be made after the next start';

export interface BackupSettings {
  readonly folder: string;
  /** When it is due each day: milliseconds after midnight UTC. */
  readonly at: number;
  /** How many are kept. */
  readonly keep: number;
}

export interface BackupOptions {
  readonly store: Store;
  readonly log: Logger;
  readonly settings: BackupSettings;
  /** Resolves when the file is a verified backup; stops when the signal is aborted. */
  readonly make: (file: string, signal: AbortSignal) => Promise<unknown>;
  /** How often to check whether one is due. */
  readonly checkMs?: number;
}

/** Stopping aborts a backup in progress. */
export const startBackups = ({ checkMs = usualCheckMs, ...options }: BackupOptions): PeriodicJob =>
  startPeriodicJob(checkMs, (signal) =>
    makeIfDue(options, signal).catch((error: unknown) =>
      options.log.error({ err: error }, 'checking for a due backup failed'),
    ),
  );

async function makeIfDue(options: BackupOptions, signal: AbortSignal): Promise<void> {
  const { store, settings } = options;
  const dueAt = lastDueAt(store.clock(), settings.at);
  if (!(await isBackupDue(store, dueAt))) return;
  if (await housekeep(store, (tx) => claimBackup(tx, { dueAt, leaseMs })))
    await makeClaimed(options, { dueAt, signal });
}

async function makeClaimed(
  { store, log, settings, make }: BackupOptions,
  { dueAt, signal }: { dueAt: number; signal: AbortSignal },
): Promise<void> {
  const { folder, keep } = settings;
  const file = join(folder, backupName(store.clock()));
  const heartbeat = setInterval(() => {
    housekeep(store, (tx) => extendBackupClaim(tx, leaseMs)).catch((error: unknown) =>
      log.warn({ err: error }, 'the claim on the nightly backup could not be extended'),
    );
  }, leaseMs / 3).unref();
  try {
    makeFolder(folder);
    removeBrokenOff(folder);
    await make(file, signal);
    await housekeep(store, (tx) => saveBackupMade(tx, dueAt));
    const removed = pruneBackups(folder, keep);
    log.info({ file, removed }, 'backup made');
  } catch (error) {
    if (signal.aborted) log.info({ file }, brokenOff);
    else {
      log.error({ err: error, file }, `the nightly backup failed; tried again in ${leaseMs / 60_000} minutes`);
      // The backup runs in a separate process, whose last output says why it failed.
      const { stderr, message } = error as Error & { readonly stderr?: string };
      const why = (stderr || message).trim().slice(-500);
      await housekeep(store, (tx) => saveBackupFailed(tx, why)).catch((cause: unknown) =>
        log.warn({ err: cause }, 'the failure of the nightly backup could not be saved'),
      );
    }
  } finally {
    clearInterval(heartbeat);
  }
}

/** The last time of day `at` before now. */
function lastDueAt(now: number, at: number): number {
  return Math.floor((now - at) / dayMs) * dayMs + at;
}
