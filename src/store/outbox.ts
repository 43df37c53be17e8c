/** Work to do after a commit: put in the transaction that causes it, taken up behind the commit. */
import sql from 'sql-template-tag';
import type { Reader, Tx } from './sql.ts';

/** What is needed to write the mail to someone invited. The link's token exists only here; elsewhere it is hashed. */
export interface InvitationMail {
  readonly email: string;
  readonly token: string;
  readonly invitedBy: string;
  readonly expiresAt: number;
}

export interface OutboxEntry {
  readonly id: string;
  readonly kind: 'invitation';
  readonly payload: InvitationMail;
  readonly createdAt: number;
}

interface OutboxRow {
  readonly id: string;
  readonly kind: 'invitation';
  readonly payload: string;
  readonly created_at: number;
}

const toEntry = (row: OutboxRow): OutboxEntry => ({
  id: row.id,
  kind: row.kind,
  payload: JSON.parse(row.payload) as InvitationMail,
  createdAt: row.created_at,
});

export async function putInvitationMail(tx: Tx, id: string, userId: string, mail: InvitationMail): Promise<void> {
  await tx.run(sql`
    insert into outbox (id, kind, payload, user_id, created_at)
    values (${id}, 'invitation', ${JSON.stringify(mail)}, ${userId}, ${tx.now})`);
  tx.announce('outbox');
}

/** Oldest first. */
export async function listOutbox(db: Reader): Promise<OutboxEntry[]> {
  const rows = await db.all<OutboxRow>(sql`select id, kind, payload, created_at from outbox order by created_at, id`);
  return rows.map(toEntry);
}

/** Takes the entries that nobody was told of yet, oldest first; whoever takes them tells of them. */
export async function takeUnannounced(tx: Tx): Promise<OutboxEntry[]> {
  const rows = await tx.all<OutboxRow>(sql`
    select id, kind, payload, created_at from outbox where announced_at is null order by created_at, id ${tx.lock}`);
  if (rows.length > 0) await tx.run(sql`update outbox set announced_at = ${tx.now} where announced_at is null`);
  return rows.map(toEntry);
}
