/**
 * Work to do after a commit, written in the transaction that causes it.
 *
 * Invariants
 * 1. `due_at` says when an entry can be claimed. A claim moves it to the end of the lease.
 * 2. Of the entries with one ordering key only the first is due; the others wait until it is settled.
 * 3. Each claim raises `attempts`. A node that lost an entry to another node settles nothing, because its number no
 *    longer matches.
 */
import sql, { bulk, empty, join, type Sql } from 'sql-template-tag';
import { administrators } from '#domain/groups.ts';
import { type WatchMail, watchMailKind } from '#domain/watches.ts';
import type { Reader, Tx } from './sql.ts';

export interface NewEntry {
  readonly id: string;
  readonly kind: string;
  /** Destination. Entries for one target share its concurrency. */
  readonly target: string;
  /**
   * Entries with one key are delivered one at a time, in the order they were written. The transaction must hold a lock
   * that the key stands for, such as the environment's; otherwise two concurrent first entries have no order.
   */
  readonly orderingKey?: string;
  readonly payload: unknown;
  /** The user it concerns: deleting the user deletes the entry. Not together with an ordering key. */
  readonly userId?: string;
}

export interface OutboxEntry {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  readonly orderingKey: string | undefined;
  readonly payload: unknown;
  readonly createdAt: number;
  readonly attempts: number;
  readonly lastError: string | undefined;
  readonly givenUpAt: number | undefined;
}

interface OutboxRow {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  readonly ordering_key: string | null;
  readonly payload: string;
  readonly created_at: number;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly given_up_at: number | null;
}

const toEntry = (row: OutboxRow): OutboxEntry => ({
  id: row.id,
  kind: row.kind,
  target: row.target,
  orderingKey: row.ordering_key ?? undefined,
  payload: JSON.parse(row.payload),
  createdAt: row.created_at,
  attempts: row.attempts,
  lastError: row.last_error ?? undefined,
  givenUpAt: row.given_up_at ?? undefined,
});

const columns = sql`id, kind, target, ordering_key, payload, created_at, attempts, last_error, given_up_at`;

/** The `due_at` of an entry that waits for an earlier one with the same key. */
const behindAnother = Number.MAX_SAFE_INTEGER;

export async function putEntry(tx: Tx, entry: NewEntry): Promise<void> {
  const { id, kind, target, orderingKey, payload, userId } = entry;
  const last = orderingKey === undefined ? undefined : await lockLastOf(tx, orderingKey);
  const [position, dueAt] = last ? [last.position + 1, behindAnother] : [0, tx.now];
  await tx.run(sql`
    insert into outbox (id, kind, target, ordering_key, position, payload, user_id, created_at, due_at)
    values (${id}, ${kind}, ${target}, ${orderingKey ?? null}, ${position}, ${JSON.stringify(payload)},
            ${userId ?? null}, ${tx.now}, ${dueAt})`);
  tx.announce({ kind: 'outbox' });
}

/** Locked, so that it is not settled before ours is written: settling makes the next one due. */
const lockLastOf = (tx: Tx, orderingKey: string) =>
  tx.one<{ position: number }>(sql`
    select position from outbox where ordering_key = ${orderingKey} and given_up_at is null
     order by position desc, id desc limit 1 ${tx.lock}`);

/** Everything undelivered, oldest first. */
export async function listOutbox(db: Reader): Promise<OutboxEntry[]> {
  const rows = await db.all<OutboxRow>(sql`select ${columns} from outbox order by created_at, id`);
  return rows.map(toEntry);
}

export interface OutboxDepth {
  /** Neither sent nor given up. */
  readonly waiting: number;
  readonly givenUp: number;
  /** When the oldest waiting entry was written. */
  readonly waitingSince: number | null;
}

export const measureOutbox = (db: Reader) =>
  db.one<OutboxDepth>(sql`
    select count(case when given_up_at is null then 1 end) as waiting, count(given_up_at) as "givenUp",
           min(case when given_up_at is null then created_at end) as "waitingSince"
      from outbox`);

/** The next entry of a target. */
export interface Head {
  readonly target: string;
  readonly kind: string;
  readonly dueAt: number;
}

/** One for each target with entries, the one due first at the front. Skips from target to target in the index. */
export const listHeads = (db: Reader): Promise<Head[]> =>
  db.all<Head>(sql`
    with recursive targets (target) as (
      select min(target) from outbox where given_up_at is null
      union all
      select (select min(o.target) from outbox o where o.given_up_at is null and o.target > targets.target)
        from targets where targets.target is not null
    )
    select h.target, h.kind, h.due_at as "dueAt"
      from targets
      join outbox h on h.id = (select o.id from outbox o where o.given_up_at is null and o.target = targets.target
                                order by o.due_at, o.id limit 1)
     order by h.due_at, h.id`);

export interface Claim {
  readonly target: string;
  /** Maximum number of entries. */
  readonly limit: number;
}

/**
 * Claims the due entries of each target until the end of the lease. If a process dies, its entries become due again
 * then: each is delivered at least once, and twice only if the process died between delivery and `deleteEntry`. Kinds
 * that only a newer release knows are left alone. `except`: entries that the caller is delivering, since a clock that
 * jumps ahead would end their lease.
 */
export async function claimDue(
  tx: Tx,
  claims: readonly Claim[],
  { kinds, except, leaseMs }: { kinds: readonly string[]; except: readonly string[]; leaseMs: number },
): Promise<OutboxEntry[]> {
  const others = except.length > 0 ? sql`and o.id not in (${join([...except])})` : empty;
  const due = ({ target, limit }: Claim): Sql => sql`
    select id from (
      select o.id from outbox o
       where o.given_up_at is null and o.target = ${target} and o.due_at <= ${tx.now} and o.claimed_until <= ${tx.now}
         and o.kind in (${join([...kinds])}) ${others}
         and not exists (select 1 from outbox e
                          where e.ordering_key = o.ordering_key and e.given_up_at is null
                            and (e.position, e.id) < (o.position, o.id))
       order by o.due_at, o.id limit ${limit} ${tx.skipLocked}) as claimed`;
  const rows = await tx.all<OutboxRow>(sql`
    update outbox set attempts = attempts + 1, due_at = ${tx.now + leaseMs}, claimed_until = ${tx.now + leaseMs}
     where id in (${join(claims.map(due), ' union all ')})
    returning ${columns}`);
  return rows.map(toEntry);
}

/** Extends the lease while deliveries take longer. */
export const extendClaims = (tx: Tx, entries: readonly OutboxEntry[], leaseMs: number) =>
  tx.run(sql`
    update outbox set due_at = ${tx.now + leaseMs}, claimed_until = ${tx.now + leaseMs}
     where (id, attempts) in (values ${join(entries.map(({ id, attempts }) => sql`(${id}, cast(${attempts} as bigint))`))})`);

const isStillOurs = ({ id, attempts }: OutboxEntry) => sql`id = ${id} and attempts = ${attempts}`;

/** After delivery. This also deletes a mail's token. */
export async function deleteEntry(tx: Tx, entry: OutboxEntry): Promise<void> {
  await tx.run(sql`delete from outbox where ${isStillOurs(entry)}`);
  await makeNextDue(tx, entry);
}

/** Later entries with the same key keep waiting. */
export const saveFailure = (tx: Tx, entry: OutboxEntry, { error, dueAt }: { error: string; dueAt: number }) =>
  tx.run(sql`
    update outbox set last_error = ${error}, due_at = ${dueAt}, claimed_until = 0 where ${isStillOurs(entry)}`);

/** The entry stays visible, but is not tried again. */
export async function saveGivenUp(tx: Tx, entry: OutboxEntry, error: string): Promise<void> {
  await tx.run(sql`
    update outbox set last_error = ${error}, given_up_at = ${tx.now}, claimed_until = 0 where ${isStillOurs(entry)}`);
  await makeNextDue(tx, entry);
}

/** A separate statement after the entry is gone: only then does it see an entry that was written meanwhile. */
async function makeNextDue(tx: Tx, { orderingKey }: OutboxEntry): Promise<void> {
  if (orderingKey === undefined) return;
  await tx.run(sql`
    update outbox set due_at = ${tx.now}
     where due_at = ${behindAnother}
       and id = (select id from outbox where ordering_key = ${orderingKey} and given_up_at is null
                  order by position, id limit 1)`);
}

/** What is needed to compose a mail. The link's token exists only here; elsewhere it is hashed. */
export interface Mail {
  readonly kind: 'invitation' | 'password-reset';
  readonly email: string;
  readonly name: string;
  readonly token: string;
  readonly expiresAt: number;
  /** Name and address of the inviter; absent if a key invited, and for a password reset. */
  readonly invitedBy?: string;
}

/** What happened to a changeset. */
export type ChangesetNews =
  | 'requested'
  | 'ready'
  | 'approved'
  | 'asked'
  | 'published'
  | 'rejected'
  | 'withdrawn'
  | 'aborted'
  | 'expired'
  | 'failed';

/** Mails that ask people to do something, unlike those that report what was done. */
export const isAsking = (news: ChangesetNews): news is 'requested' | 'ready' =>
  news === 'requested' || news === 'ready';

/** News about a changeset for somebody whom it concerns. It has no secret. */
export interface ChangesetMail {
  readonly kind: 'changeset';
  readonly email: string;
  readonly name: string;
  readonly news: ChangesetNews;
  readonly changesetId: string;
  readonly title: string;
  readonly project: { readonly id: string; readonly name: string };
  /** Who did it. */
  readonly by: string;
  /** What they said about it, or why it ended. */
  readonly comment: string;
  /** Of a request: when it is given up. */
  readonly expiresAt?: number;
  /** They scheduled it; somebody else made it. */
  readonly isScheduler?: true;
}

/** Older news about the same changeset that nobody began to send are replaced. */
export async function putChangesetMails(tx: Tx, mails: readonly NewMail<ChangesetMail>[]): Promise<void> {
  const [first] = mails;
  if (!first) return;
  const userIds = mails.map(({ userId }) => userId);
  await tx.run(sql`
    delete from outbox
     where user_id in (${join(userIds)}) and kind = 'changeset' and attempts = 0
       and payload like ${`%"changesetId":"${first.mail.changesetId}"%`}`);
  await putMails(tx, mails);
}

interface NewMail<M> {
  readonly id: string;
  readonly userId: string;
  readonly mail: M;
}

/** At least one. They have no order. */
export async function putMails(tx: Tx, mails: readonly NewMail<ChangesetMail | WatchMail>[]): Promise<void> {
  const rows = mails.map(({ id, userId, mail }) => {
    return [id, mail.kind, 'mail', 0, JSON.stringify(mail), userId, tx.now, tx.now];
  });
  await tx.run(sql`
    insert into outbox (id, kind, target, position, payload, user_id, created_at, due_at) values ${bulk(rows)}`);
  tx.announce({ kind: 'outbox' });
}

export const deleteChangesetMailsTo = (tx: Tx, userId: string) =>
  tx.run(sql`delete from outbox where user_id = ${userId} and kind = 'changeset'`);

/** About changesets and watched flags. */
const isNews = sql`kind in ('changeset', ${watchMailKind})`;

export const hasNewsMail = async (db: Reader): Promise<boolean> =>
  (await db.one(sql`select 1 from outbox where announced_at is null and ${isNews} limit 1`)) !== undefined;

export const deleteNewsMails = (tx: Tx) => tx.run(sql`delete from outbox where ${isNews}`);

const folders = { invitation: 'invitations', 'password-reset': 'reset' } as const;
const mailKinds = sql`'invitation', 'password-reset'`;

/** The path of the mail's link. */
export const pathOf = ({ kind, token }: Mail): string => `/${folders[kind]}/${token}`;

export type MailEntry = OutboxEntry & { readonly payload: Mail };
export const isMail = (entry: OutboxEntry): entry is MailEntry => Object.hasOwn(folders, entry.kind);

const toMails = (rows: readonly OutboxRow[]): MailEntry[] => rows.map(toEntry).filter(isMail);

/** Replaces a waiting mail of the same kind to the user, whose link no longer works. */
export async function putMail(tx: Tx, id: string, userId: string, mail: Mail): Promise<void> {
  await deleteMail(tx, userId, mail.kind);
  await putEntry(tx, { id, kind: mail.kind, target: 'mail', payload: mail, userId });
}

/** After the link was used. */
export const deleteMail = (tx: Tx, userId: string, kind: Mail['kind']) =>
  tx.run(sql`delete from outbox where user_id = ${userId} and kind = ${kind}`);

/** All unsent mails, oldest first. */
export const listMails = async (db: Reader): Promise<MailEntry[]> =>
  toMails(await db.all(sql`select ${columns} from outbox where kind in (${mailKinds}) order by created_at, id`));

/** Only invitations of non-administrators. Other links would make the reader an administrator or open an account. */
export const listMailsToMembers = async (db: Reader): Promise<MailEntry[]> =>
  toMails(
    await db.all(sql`
      select ${columns} from outbox o
       where kind = 'invitation'
         and not exists (select 1 from memberships m join groups g on g.id = m.group_id
                          where m.user_id = o.user_id and g.name = ${administrators.name})
       order by created_at, id`),
  );

export async function hasUnannouncedMail(db: Reader): Promise<boolean> {
  const query = sql`select 1 from outbox where announced_at is null and kind in (${mailKinds}) limit 1`;
  return (await db.one(query)) !== undefined;
}

/** Returns the mails whose links were not announced yet, oldest first, and marks them. The caller announces them. */
export async function takeUnannouncedMails(tx: Tx): Promise<MailEntry[]> {
  const rows = await tx.all<OutboxRow>(sql`
    update outbox set announced_at = ${tx.now} where announced_at is null and kind in (${mailKinds})
    returning ${columns}`);
  return toMails(rows).sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}
