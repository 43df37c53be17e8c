/** Of several nodes one makes the backup of a night: who has claimed it, in the row of the account. */
import sql from 'sql-template-tag';
import type { Reader, Tx } from './sql.ts';

/** Whether it is worth trying to claim it: looking costs less than a write. */
export async function isBackupDue(db: Reader, dueAt: number): Promise<boolean> {
  const found = await db.one(sql`
    select 1 from account where backup_made_for < ${dueAt} and backup_claimed_until <= ${db.clock()}`);
  return found !== undefined;
}

/** True for one process only, until the lease is over or the claim is given back. */
export async function claimBackup(tx: Tx, { dueAt, leaseMs }: { dueAt: number; leaseMs: number }): Promise<boolean> {
  const claimed = await tx.run(sql`
    update account set backup_claimed_until = ${tx.now + leaseMs}
     where backup_made_for < ${dueAt} and backup_claimed_until <= ${tx.now}`);
  return claimed > 0;
}

/** It takes longer than the lease: it stays ours. */
export const extendBackupClaim = (tx: Tx, leaseMs: number) =>
  tx.run(sql`update account set backup_claimed_until = ${tx.now + leaseMs}`);

export const saveBackupMade = (tx: Tx, dueAt: number) =>
  tx.run(sql`update account set backup_made_for = ${dueAt}, backup_claimed_until = 0`);

/** When the backup that was made last was due; undefined when there was none yet. */
export async function findLastBackup(db: Reader): Promise<number | undefined> {
  const row = await db.one<{ madeFor: number }>(sql`
    select backup_made_for as "madeFor" from account where backup_made_for > 0`);
  return row?.madeFor;
}
