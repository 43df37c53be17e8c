/** Which flags people watch, and the changes (“news”) that have not been mailed to them yet. */
import sql, { bulk, join } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import type { ObjectType } from '#domain/changes.ts';
import type { Reference } from '#domain/schema.ts';
import {
  mailDueAt,
  maxWatchers,
  maxWatches,
  type WatchedFlag,
  type WatchMails,
  watchMailKind,
} from '#domain/watches.ts';
import type { NewChange } from './recording.ts';
import { isOpenTo, scopeFilter } from './scope-filter.ts';
import type { Reader, Tx } from './sql.ts';

interface WatchRow {
  readonly flag_id: string;
  readonly flag_name: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly archived_at: number | null;
  readonly created_at: number;
}

/** The watched flags in the scope, by project and name. Sorted here: there are few, and no index has both names. */
export async function listWatches(db: Reader, userId: string, scope: Scope): Promise<WatchedFlag[]> {
  const rows = await db.all<WatchRow>(sql`
    select f.id as flag_id, f.name as flag_name, projects.id as project_id, projects.name as project_name,
           f.archived_at, w.created_at
      from watches w join flags f on f.id = w.flag_id join projects on projects.id = f.project_id
     where w.user_id = ${userId} and ${scopeFilter(scope, sql`projects.id`)}`);
  const placeOf = (row: WatchRow) => `${row.project_name}\n${row.flag_name}`;
  const inOrder = rows.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  return inOrder.map((row) => ({
    flag: { id: row.flag_id, name: row.flag_name },
    project: { id: row.project_id, name: row.project_name },
    archived: row.archived_at !== null,
    since: row.created_at,
  }));
}

/** Undefined if the flag is not in the scope. Otherwise it stays until the commit. */
export const keepFlagInScope = (tx: Tx, flagId: string, scope: Scope) =>
  tx.one(sql`
    select flags.id from flags where flags.id = ${flagId} and ${scopeFilter(scope, sql`flags.project_id`)} ${tx.keep}`);

/** Does nothing if it exists. False if the limit is reached; concurrent calls can exceed it by a few. */
export async function insertWatch(tx: Tx, userId: string, flagId: string): Promise<boolean> {
  const row = await tx.one<{ mine: number; all: number }>(sql`
    select (select count(*) from watches where user_id = ${userId} and flag_id <> ${flagId}) as mine,
           (select count(*) from watches where flag_id = ${flagId} and user_id <> ${userId}) as "all"`);
  if (row && (row.mine >= maxWatches || row.all >= maxWatchers)) return false;
  await tx.run(sql`
    insert into watches (user_id, flag_id, created_at) values (${userId}, ${flagId}, ${tx.now})
    on conflict (user_id, flag_id) do nothing`);
  return true;
}

/** Deletes its news too. False if there is no such watch. */
export async function deleteWatch(tx: Tx, userId: string, flagId: string): Promise<boolean> {
  const deleted = await tx.run(sql`delete from watches where user_id = ${userId} and flag_id = ${flagId}`);
  await tx.run(sql`delete from watch_news where user_id = ${userId} and flag_id = ${flagId}`);
  return deleted > 0;
}

export async function findWatchMails(db: Reader, userId: string): Promise<WatchMails> {
  const row = await db.one<{ watch_mails: WatchMails }>(sql`select watch_mails from users where id = ${userId}`);
  return row?.watch_mails ?? 'never';
}

/** Reschedules pending news, unless the setting stays the same. */
export async function saveWatchMails(tx: Tx, userId: string, mails: WatchMails): Promise<void> {
  const changed = await tx.run(sql`
    update users set watch_mails = ${mails} where id = ${userId} and watch_mails <> ${mails}`);
  if (changed === 0) return;
  if (mails === 'never') await deleteNewsTo(tx, userId);
  else await tx.run(sql`update watch_news set due_at = ${mailDueAt(mails, tx.now)} where user_id = ${userId}`);
}

export async function deleteNewsTo(tx: Tx, userId: string): Promise<void> {
  await tx.run(sql`delete from watch_news where user_id = ${userId}`);
  await tx.run(sql`delete from outbox where user_id = ${userId} and kind = ${watchMailKind}`);
}

const watchable: readonly ObjectType[] = ['flag', 'definition'];

/** Adds news about changed flags for everyone who watches them, except the person who made the change. */
export async function insertNews(tx: Tx, changes: readonly NewChange[]): Promise<void> {
  const ofFlags = changes.filter(({ object }) => watchable.includes(object.type));
  if (ofFlags.length === 0) return;
  await tx.run(sql`
    with given (change_id, flag_id, project_id, actor_id) as (
      values ${bulk(ofFlags.map(({ id, object, projectId, actor }) => [id, object.id, projectId ?? '', actor.id]))})
    insert into watch_news (user_id, change_id, flag_id, project_id, due_at)
    select u.id, given.change_id, w.flag_id, given.project_id,
           case when u.watch_mails = 'daily' then cast(${mailDueAt('daily', tx.now)} as bigint)
                else cast(${mailDueAt('soon', tx.now)} as bigint) end
      from given join watches w on w.flag_id = given.flag_id join users u on u.id = w.user_id
     where u.id <> given.actor_id and u.status = 'ACTIVE' and u.watch_mails <> 'never'`);
}

/** Bounds the read. The rows of one person are mostly adjacent. */
const dueRows = 1_000;

/** People with something due, the longest due first. */
export async function listDueWatchers(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    select user_id as id from watch_news where due_at <= ${db.clock()} order by due_at limit ${dueRows}`);
  return [...new Set(rows.map(({ id }) => id))].slice(0, limit);
}

export interface News {
  readonly userId: string;
  readonly changeId: string;
  readonly projectId: string;
}

const newsColumns = sql`user_id as "userId", change_id as "changeId", project_id as "projectId"`;

/** The first news of these people, due or not: once a mail is due, it has everything. */
export const listNews = (db: Reader, userIds: readonly string[], limit: number): Promise<News[]> =>
  db.all<News>(sql`
    select ${newsColumns} from watch_news
     where user_id in (${join([...userIds])}) order by user_id, change_id limit ${limit}`);

export interface NewsChange {
  readonly id: string;
  readonly at: number;
  readonly by: string;
  readonly action: string;
  readonly type: ObjectType;
  readonly flag: Reference;
  readonly project: Reference;
  readonly environment: string | undefined;
  readonly note: string;
  /** JSON; absent if there is none, or if it is long. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

interface NewsRow {
  readonly id: string;
  readonly at: number;
  readonly actor_name: string;
  readonly action: string;
  readonly object_type: ObjectType;
  readonly object_id: string;
  readonly object_name: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly environment_name: string | null;
  readonly title: string | null;
  readonly comment: string | null;
  readonly before_body: string | null;
  readonly after_body: string | null;
}

/** Longer states are mailed without details: comparing them would block the event loop. */
const maxStateLength = 20_000;

/** The audit entries, in any order. */
export async function listNewsChanges(db: Reader, ids: readonly string[]): Promise<NewsChange[]> {
  if (ids.length === 0) return [];
  const before = sql`coalesce(c.before_body, p.after_body)`;
  const isShort = sql`octet_length(c.after_body) <= ${maxStateLength} and octet_length(${before}) <= ${maxStateLength}`;
  const rows = await db.all<NewsRow>(sql`
    select c.id, c.at, c.actor_name, c.action, c.object_type, c.object_id, c.object_name, c.project_id,
           w.name as project_name, e.name as environment_name, c.title, c.comment,
           case when ${isShort} then ${before} end as before_body, case when ${isShort} then c.after_body end as after_body
      from changes c join projects w on w.id = c.project_id left join changes p on p.id = c.previous_id
      left join environments e on e.id = c.environment_id
     where c.id in (${join([...ids])})`);
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    by: row.actor_name,
    action: row.action,
    type: row.object_type,
    flag: { id: row.object_id, name: row.object_name },
    project: { id: row.project_id, name: row.project_name },
    environment: row.environment_name ?? undefined,
    note: [row.title, row.comment].filter((words) => words !== null && words !== '').join('\n'),
    before: row.before_body ?? undefined,
    after: row.after_body ?? undefined,
  }));
}

/** Deletes the rows, so that no other node mails them, and returns those that existed. */
export const takeNews = (tx: Tx, userIds: readonly string[], changeIds: readonly string[]): Promise<News[]> =>
  tx.all<News>(sql`
    delete from watch_news where user_id in (${join([...userIds])}) and ${tx.isOneOf(sql`change_id`, changeIds)}
    returning ${newsColumns}`);

/** Pairs of ids: which of these people want mails and may see which of these projects now. */
export const listReached = (
  db: Reader,
  {
    userIds,
    projectIds,
    administratorsId,
  }: { userIds: readonly string[]; projectIds: readonly string[]; administratorsId: string },
): Promise<{ userId: string; projectId: string }[]> =>
  db.all(sql`
    select u.id as "userId", p.id as "projectId" from users u cross join projects p
     where u.id in (${join([...userIds])}) and p.id in (${join([...projectIds])}) and u.watch_mails <> 'never'
       and (${isOpenTo({ type: 'user', id: sql`u.id` })}
            or exists (select 1 from memberships a where a.user_id = u.id and a.group_id = ${administratorsId}))`);

export const hasNews = async (db: Reader): Promise<boolean> =>
  (await db.one(sql`select 1 from watch_news limit 1`)) !== undefined;

export const deleteAllNews = (tx: Tx) => tx.run(sql`delete from watch_news`);
