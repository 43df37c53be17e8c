/** Work to do after a commit: put in the transaction that causes it, taken up behind the commit. */
import sql from 'sql-template-tag';
import { administrators } from '#domain/groups.ts';
import type { Reader, Tx } from './sql.ts';

/** What is needed to write a mail. The link's token exists only here; elsewhere it is hashed. */
export interface Mail {
  readonly kind: 'invitation' | 'password-reset';
  readonly email: string;
  readonly name: string;
  readonly token: string;
  readonly expiresAt: number;
  /** Who invites; absent for a password reset. */
  readonly invitedBy?: string;
}

const folders = { invitation: 'invitations', 'password-reset': 'reset' } as const;

/** Where the mail's link leads, below the address of the server. */
export const pathOf = ({ kind, token }: Mail): string => `/${folders[kind]}/${token}`;

export interface OutboxEntry {
  readonly id: string;
  readonly mail: Mail;
  readonly createdAt: number;
  readonly attempts: number;
  readonly lastError: string | undefined;
  readonly givenUpAt: number | undefined;
}

interface OutboxRow {
  readonly id: string;
  readonly payload: string;
  readonly created_at: number;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly given_up_at: number | null;
}

const toEntry = (row: OutboxRow): OutboxEntry => ({
  id: row.id,
  mail: JSON.parse(row.payload) as Mail,
  createdAt: row.created_at,
  attempts: row.attempts,
  lastError: row.last_error ?? undefined,
  givenUpAt: row.given_up_at ?? undefined,
});

const columns = sql`id, payload, created_at, attempts, last_error, given_up_at`;

/** A mail to a user replaces an earlier one of the same kind that still waits: its link is dead. */
export async function putMail(tx: Tx, id: string, userId: string, mail: Mail): Promise<void> {
  await deleteMail(tx, userId, mail.kind);
  await tx.run(sql`
    insert into outbox (id, kind, payload, user_id, created_at, due_at)
    values (${id}, ${mail.kind}, ${JSON.stringify(mail)}, ${userId}, ${tx.now}, ${tx.now})`);
  tx.announce({ kind: 'outbox' });
}

/** The mail is of no use any more: its link was used. */
export const deleteMail = (tx: Tx, userId: string, kind: Mail['kind']) =>
  tx.run(sql`delete from outbox where user_id = ${userId} and kind = ${kind}`);

/** Everything that is not sent, oldest first. */
export async function listOutbox(db: Reader): Promise<OutboxEntry[]> {
  const rows = await db.all<OutboxRow>(sql`select ${columns} from outbox order by created_at, id`);
  return rows.map(toEntry);
}

/** Only the invitations, and not those of administrators: no link that makes its reader one, or opens an account. */
export async function listOutboxOfMembers(db: Reader): Promise<OutboxEntry[]> {
  const rows = await db.all<OutboxRow>(sql`
    select ${columns} from outbox o
     where kind = 'invitation'
       and not exists (select 1 from memberships m join groups g on g.id = m.group_id
                        where m.user_id = o.user_id and g.name = ${administrators.name})
     order by created_at, id`);
  return rows.map(toEntry);
}

export interface OutboxDepth {
  /** Not sent and not given up. */
  readonly waiting: number;
  readonly givenUp: number;
  /** When the oldest of those that wait was put in. */
  readonly waitingSince: number | null;
}

export const measureOutbox = (db: Reader) =>
  db.one<OutboxDepth>(sql`
    select count(case when given_up_at is null then 1 end) as waiting, count(given_up_at) as "givenUp",
           min(case when given_up_at is null then created_at end) as "waitingSince"
      from outbox`);

export async function hasUnannounced(db: Reader): Promise<boolean> {
  return (await db.one(sql`select 1 from outbox where announced_at is null limit 1`)) !== undefined;
}

/** Takes the entries that nobody was told of yet, oldest first; whoever takes them tells of them. */
export async function takeUnannounced(tx: Tx): Promise<OutboxEntry[]> {
  const rows = await tx.all<OutboxRow>(sql`
    update outbox set announced_at = ${tx.now} where announced_at is null returning ${columns}`);
  return rows.map(toEntry).sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}

/**
 * Takes what is due, for so long that nobody else takes it meanwhile. Who dies with it in hand gives it back when that
 * time is over; so every mail is sent at least once, and twice only if the death fell between sending and noting it.
 */
export async function claimDue(tx: Tx, { limit, leaseMs }: { limit: number; leaseMs: number }): Promise<OutboxEntry[]> {
  const rows = await tx.all<OutboxRow>(sql`
    update outbox set claimed_until = ${tx.now + leaseMs}, attempts = attempts + 1
     where id in (select id from outbox
                   where given_up_at is null and due_at <= ${tx.now} and claimed_until <= ${tx.now}
                   order by due_at, id limit ${limit} ${tx.skipLocked})
    returning ${columns}`);
  return rows.map(toEntry);
}

/** Sending takes longer than the lease: it stays ours. */
export const extendClaim = (tx: Tx, id: string, leaseMs: number) =>
  tx.run(sql`update outbox set claimed_until = ${tx.now + leaseMs} where id = ${id}`);

/** When the next entry can be claimed; undefined when none waits. */
export async function findNextDue(db: Reader): Promise<number | undefined> {
  const row = await db.one<{ at: number | null }>(sql`
    select min(case when claimed_until > due_at then claimed_until else due_at end) as at
      from outbox where given_up_at is null`);
  return row?.at ?? undefined;
}

/** It was sent, and with it goes the token. */
export const deleteEntry = (tx: Tx, id: string) => tx.run(sql`delete from outbox where id = ${id}`);

export const saveFailure = (tx: Tx, id: string, { error, dueAt }: { error: string; dueAt: number }) =>
  tx.run(sql`update outbox set last_error = ${error}, due_at = ${dueAt}, claimed_until = 0 where id = ${id}`);

/** It stays visible, but nobody tries again. */
export const saveGivenUp = (tx: Tx, id: string, error: string) =>
  tx.run(sql`update outbox set last_error = ${error}, given_up_at = ${tx.now}, claimed_until = 0 where id = ${id}`);
