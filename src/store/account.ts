/** The installation itself: one row, made at the first start. */
import sql from 'sql-template-tag';
import type { Reader, Tx } from './sql.ts';

export interface Account {
  readonly id: string;
  /** Signs the markers of lists, so that a marker of our making can be told from any other. */
  readonly markerSecret: string;
}

/** Undefined before the first start. */
export const findAccount = (db: Reader) =>
  db.one<Account>(sql`select id, marker_secret as "markerSecret" from account`);

/** UniqueViolation by `account_single_key` when another process was first. */
export const insertAccount = (tx: Tx, account: Account) =>
  tx.run(sql`
    insert into account (id, single, marker_secret, created_at)
    values (${account.id}, true, ${account.markerSecret}, ${tx.now})`);

/** The hash of the link for the first administrator; null once it was used. */
export const saveSetupToken = (tx: Tx, tokenHash: string) =>
  tx.run(sql`update account set setup_token_hash = ${tokenHash}`);

/** Whether the link is open. */
export async function isSetupToken(db: Reader, tokenHash: string): Promise<boolean> {
  return (await db.one(sql`select 1 from account where setup_token_hash = ${tokenHash}`)) !== undefined;
}

/** Uses the link up; false when the token is another. */
export async function takeSetupToken(tx: Tx, tokenHash: string): Promise<boolean> {
  return (await tx.run(sql`update account set setup_token_hash = null where setup_token_hash = ${tokenHash}`)) > 0;
}
