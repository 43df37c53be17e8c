/** The claim on the nightly backup, in the account row: one of several nodes makes it. */
import sql from 'sql-template-tag';
import type { Reader, Tx } from './sql.ts';

/** Whether a claim is worth trying; a read is cheaper than a write. */
export async function isBackupDue(db: Reader, dueAt: number): Promise<boolean> {
  const found = await db.one(sql`
    select 1 from account where backup_made_for < ${dueAt} and backup_claimed_until <= ${db.clock()}`);
  return found !== undefined;
}

/** True for one process only, until the lease expires or the claim is released. */
export async function claimBackup(tx: Tx, { dueAt, leaseMs }: { dueAt: number; leaseMs: number }): Promise<boolean> {
  const claimed = await tx.run(sql`
    update account set backup_claimed_until = ${tx.now + leaseMs}
     where backup_made_for < ${dueAt} and backup_claimed_until <= ${tx.now}`);
  return claimed > 0;
}

/** Extends the lease of a backup that takes longer. */
export const extendBackupClaim = (tx: Tx, leaseMs: number) =>
  tx.run(sql`update account set backup_claimed_until = ${tx.now + leaseMs}`);

export const saveBackupMade = (tx: Tx, dueAt: number) =>
  tx.run(sql`
    update account set backup_made_for = ${dueAt}, backup_claimed_until = 0, backup_failed_at = null, backup_error = null`);

/** The claim stays until its lease ends: that is the pause before the next try. */
export const saveBackupFailed = (tx: Tx, error: string) =>
  tx.run(sql`update account set backup_failed_at = ${tx.now}, backup_error = ${error}`);

/** Why the last try failed; undefined after one that did not. */
export async function findBackupFailure(db: Reader): Promise<{ at: number; error: string } | undefined> {
  return await db.one<{ at: number; error: string }>(sql`
    select backup_failed_at as at, backup_error as error from account where backup_failed_at is not null`);
}

/** When the last backup was due; undefined if there is none. */
export async function findLastBackup(db: Reader): Promise<number | undefined> {
  const row = await db.one<{ madeFor: number }>(sql`
    select backup_made_for as "madeFor" from account where backup_made_for > 0`);
  return row?.madeFor;
}
