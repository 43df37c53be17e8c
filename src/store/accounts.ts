/** Passwords, invitations and password resets. Tokens are stored as hashes only. */
import sql from 'sql-template-tag';
import type { UserStatus } from '#domain/users.ts';
import type { Reader, Tx } from './sql.ts';

export interface Credentials {
  readonly userId: string;
  readonly status: UserStatus;
  readonly passwordHash: string | undefined;
}

interface CredentialsRow {
  readonly id: string;
  readonly status: UserStatus;
  readonly password_hash: string | null;
}

const toCredentials = (row: CredentialsRow): Credentials => ({
  userId: row.id,
  status: row.status,
  passwordHash: row.password_hash ?? undefined,
});

export async function findCredentialsByEmail(db: Reader, emailKey: string): Promise<Credentials | undefined> {
  const row = await db.one<CredentialsRow>(sql`
    select id, status, password_hash from users where email_key = ${emailKey}`);
  return row && toCredentials(row);
}

export async function findCredentials(db: Reader, userId: string): Promise<Credentials | undefined> {
  const row = await db.one<CredentialsRow>(sql`select id, status, password_hash from users where id = ${userId}`);
  return row && toCredentials(row);
}

export const savePassword = (tx: Tx, userId: string, passwordHash: string) =>
  tx.run(sql`update users set password_hash = ${passwordHash} where id = ${userId}`);

/** Replaces an earlier invitation of the user, whose link then stops working. */
export const saveInvitation = (tx: Tx, { userId, tokenHash, expiresAt, invitedBy = null }: NewInvitation) =>
  tx.run(sql`
    insert into invitations (user_id, token_hash, expires_at, invited_by)
    values (${userId}, ${tokenHash}, ${expiresAt}, ${invitedBy})
        on conflict (user_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at,
                                            invited_by = excluded.invited_by`);

interface NewInvitation {
  readonly userId: string;
  readonly tokenHash: string;
  readonly expiresAt: number;
  readonly invitedBy: string | null | undefined;
}

export interface OpenInvitation {
  readonly userId: string;
  readonly invitedBy: string | null;
}

export const findInvitation = (db: Reader, tokenHash: string) =>
  db.one<OpenInvitation>(sql`
    select user_id as "userId", invited_by as "invitedBy" from invitations
     where token_hash = ${tokenHash} and expires_at > ${db.clock()}`);

/** Consumes the invitation. False if another request was faster or a newer invitation replaced it. */
export async function takeInvitation(tx: Tx, tokenHash: string): Promise<boolean> {
  return (await tx.run(sql`delete from invitations where token_hash = ${tokenHash}`)) > 0;
}

/** Replaces an earlier reset of the user. */
export const savePasswordReset = (tx: Tx, userId: string, tokenHash: string, expiresAt: number) =>
  tx.run(sql`
    insert into password_resets (user_id, token_hash, expires_at) values (${userId}, ${tokenHash}, ${expiresAt})
        on conflict (user_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at`);

/** The user of an open reset. */
export async function findResettingUserId(db: Reader, tokenHash: string): Promise<string | undefined> {
  const row = await db.one<{ user_id: string }>(sql`
    select user_id from password_resets where token_hash = ${tokenHash} and expires_at > ${db.clock()}`);
  return row?.user_id;
}

/** Consumes the reset. False if another request was faster or a newer reset replaced it. */
export async function takePasswordReset(tx: Tx, tokenHash: string): Promise<boolean> {
  return (await tx.run(sql`delete from password_resets where token_hash = ${tokenHash}`)) > 0;
}

/** When the user's open reset expires. */
export async function findResetEnd(db: Reader, userId: string): Promise<number | undefined> {
  const row = await db.one<{ expires_at: number }>(
    sql`select expires_at from password_resets where user_id = ${userId} and expires_at > ${db.clock()}`,
  );
  return row?.expires_at;
}

/** How many reset mails the user got since then. */
export async function countResetMails(db: Reader, userId: string, since: number): Promise<number> {
  const row = await db.one<{ total: number }>(
    sql`select count(*) as total from reset_mails where user_id = ${userId} and sent_at > ${since}`,
  );
  return row?.total ?? 0;
}

/** Also deletes rows that `countResetMails` no longer counts. */
export async function saveResetMail(tx: Tx, userId: string, since: number): Promise<void> {
  await tx.run(sql`delete from reset_mails where user_id = ${userId} and sent_at <= ${since}`);
  await tx.run(sql`
    insert into reset_mails (user_id, sent_at) values (${userId}, ${tx.now}) on conflict (user_id, sent_at) do nothing`);
}

export const deletePasswordReset = (tx: Tx, userId: string) =>
  tx.run(sql`delete from password_resets where user_id = ${userId}`);
