/** The installation: one row, created at the first start. */
import sql from 'sql-template-tag';
import type { Reader, Tx } from './sql.ts';

export interface Account {
  readonly id: string;
  /** Signs the paging markers, so that forged ones are recognised. */
  readonly markerSecret: string;
}

/** Undefined before the first start. */
export const findAccount = (db: Reader) =>
  db.one<Account>(sql`select id, marker_secret as "markerSecret" from account`);

/** Throws UniqueViolation by `account_single_key` if another process was faster. */
export const insertAccount = (tx: Tx, account: Account) =>
  tx.run(sql`
    insert into account (id, single, marker_secret, created_at)
    values (${account.id}, true, ${account.markerSecret}, ${tx.now})`);

/** The hash of the setup link for the first administrator; null once it was used. */
export const saveSetupToken = (tx: Tx, tokenHash: string) =>
  tx.run(sql`update account set setup_token_hash = ${tokenHash}`);

/** Whether the setup link is open. */
export async function isSetupToken(db: Reader, tokenHash: string): Promise<boolean> {
  return (await db.one(sql`select 1 from account where setup_token_hash = ${tokenHash}`)) !== undefined;
}

/** Consumes the setup link. False if the token does not match. */
export async function takeSetupToken(tx: Tx, tokenHash: string): Promise<boolean> {
  return (await tx.run(sql`update account set setup_token_hash = null where setup_token_hash = ${tokenHash}`)) > 0;
}
