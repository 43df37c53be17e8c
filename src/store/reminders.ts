/** Who wants to be reminded of flags that can go, and when. */
import sql, { join } from 'sql-template-tag';
import { type CleanupReminder, reminderKind } from '#domain/reminders.ts';
import { putEntry } from './outbox.ts';
import type { Reader, Tx } from './sql.ts';

export const isReminded = async (db: Reader, userId: string): Promise<boolean> =>
  (await db.one(sql`select 1 from reminders where user_id = ${userId}`)) !== undefined;

export const saveReminder = (tx: Tx, userId: string, nextAt: number) =>
  tx.run(sql`
    insert into reminders (user_id, next_at) values (${userId}, ${nextAt}) on conflict (user_id) do nothing`);

/** With a mail that waits. */
export async function deleteReminder(tx: Tx, userId: string): Promise<void> {
  await tx.run(sql`delete from reminders where user_id = ${userId}`);
  await deleteWaiting(tx, userId);
}

const deleteWaiting = (tx: Tx, userId: string) =>
  tx.run(sql`delete from outbox where user_id = ${userId} and kind = ${reminderKind}`);

export interface DuePerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** Active people whose reminder is due, the longest due first. */
export const listDuePeople = (db: Reader, limit: number): Promise<DuePerson[]> =>
  db.all<DuePerson>(sql`
    select u.id, u.email, u.name from reminders r join users u on u.id = r.user_id
     where r.next_at <= ${db.clock()} and u.status = 'ACTIVE' order by r.next_at limit ${limit}`);

/** The groups of these people. */
export const listMembershipsOf = (db: Reader, userIds: readonly string[]) =>
  db.all<{ userId: string; groupId: string }>(sql`
    select user_id as "userId", group_id as "groupId" from memberships where user_id in (${join([...userIds])})`);

/**
 * Moves the reminder to its next time and queues the mail, in place of one that was not sent since the last time. False
 * if another node was quicker, or the person wants none any more.
 */
export async function takeReminder(
  tx: Tx,
  { userId, nextAt, id }: { userId: string; nextAt: number; id: string },
  mail: CleanupReminder | undefined,
): Promise<boolean> {
  const moved = await tx.run(sql`
    update reminders set next_at = ${nextAt} where user_id = ${userId} and next_at <= ${tx.now}`);
  if (moved === 0) return false;
  await deleteWaiting(tx, userId);
  if (mail) await putEntry(tx, { id, kind: reminderKind, target: 'mail', payload: mail, userId });
  return true;
}
