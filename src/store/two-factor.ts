/** A user's second factor: the secret, the last time step used, and the recovery codes. */
import sql, { bulk } from 'sql-template-tag';
import type { Reader, Tx } from './sql.ts';

export interface TwoFactor {
  readonly secret: string | undefined;
  /** The time step of the last code used; a code works once. */
  readonly lastStep: number;
  /** Shown to the user, but not confirmed yet. */
  readonly offered: string | undefined;
}

export async function findTwoFactor(db: Reader, userId: string): Promise<TwoFactor> {
  const row = await db.one<{ totp_secret: string | null; totp_step: number | null; totp_offered: string | null }>(sql`
    select totp_secret, totp_step, totp_offered from users where id = ${userId}`);
  return {
    secret: row?.totp_secret ?? undefined,
    lastStep: row?.totp_step ?? 0,
    offered: row?.totp_offered ?? undefined,
  };
}

export const saveOfferedSecret = (tx: Tx, userId: string, secret: string) =>
  tx.run(sql`update users set totp_offered = ${secret} where id = ${userId}`);

export const saveUsedStep = (tx: Tx, userId: string, step: number) =>
  tx.run(sql`update users set totp_step = ${step} where id = ${userId}`);

/** Activates the offered secret and replaces all recovery codes. */
export async function saveTwoFactor(
  tx: Tx,
  userId: string,
  { secret, step, codeHashes }: { secret: string; step: number; codeHashes: readonly string[] },
): Promise<void> {
  await tx.run(sql`
    update users set two_factor = true, totp_secret = ${secret}, totp_step = ${step}, totp_offered = null
     where id = ${userId}`);
  await tx.run(sql`delete from recovery_codes where user_id = ${userId}`);
  await tx.run(sql`
    insert into recovery_codes (user_id, code_hash) values ${bulk(codeHashes.map((hash) => [userId, hash]))}`);
}

export async function deleteTwoFactor(tx: Tx, userId: string): Promise<void> {
  await tx.run(sql`
    update users set two_factor = false, totp_secret = null, totp_step = null, totp_offered = null
     where id = ${userId}`);
  await tx.run(sql`delete from recovery_codes where user_id = ${userId}`);
}

/** Consumes a recovery code. False if there is none such. */
export async function takeRecoveryCode(tx: Tx, userId: string, codeHash: string): Promise<boolean> {
  const taken = await tx.run(sql`delete from recovery_codes where user_id = ${userId} and code_hash = ${codeHash}`);
  return taken > 0;
}
