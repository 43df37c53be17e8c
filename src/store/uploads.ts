/** Uploads that replace the keys of large segments, and their progress. Those of change requests have their ids. */
import sql, { join, type Sql } from 'sql-template-tag';
import { expired, interrupted, type Upload, uploadWaitMs } from '#domain/large-segments.ts';
import type { Note } from '#domain/projects.ts';
import type { Reference } from '#domain/schema.ts';
import { endLease, extendLease, leaseMs } from './large-segments.ts';
import type { Reader, Tx } from './sql.ts';

/** An upload with what it belongs to. */
export interface StoredUpload extends Upload {
  readonly operation: 'UPLOAD' | 'ARCHIVE';
  readonly project: Reference;
  readonly environment: Reference;
  readonly segment: Reference;
  readonly sessionId: string | undefined;
}

type Outcome = Upload['status'] | 'expired' | 'interrupted';

interface UploadRow {
  readonly id: string;
  readonly operation: StoredUpload['operation'];
  readonly outcome: Outcome;
  readonly received_bytes: number;
  readonly total_bytes: number | null;
  readonly key_count: number | null;
  readonly failure: string | null;
  readonly title: string;
  readonly comment: string;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly session_id: string | null;
  readonly created_at: number;
  readonly project_id: string;
  readonly project_name: string;
  readonly environment_id: string;
  readonly environment_name: string;
  readonly segment_id: string;
  readonly segment_name: string;
}

/** A node that dies leaves its upload unfinished, so time decides what became of it. */
const outcomeAt = (now: number): Sql => sql`
  case when u.status = 'awaiting' and u.expires_at <= ${now} then 'expired'
       when u.status = 'receiving' and coalesce(l.lease_until, 0) <= ${now} then 'interrupted'
       when u.status <> 'received' then u.status
       when c.state = 'PUBLISHED' then 'published'
       when c.state in ('REQUESTED', 'APPROVED') then 'waiting'
       when c.state is not null then 'failed'
       else u.status end`;

const columnsAt = (now: number): Sql => sql`
  u.id, u.operation, ${outcomeAt(now)} as outcome, u.received_bytes, u.total_bytes, u.key_count,
  coalesce(u.failure, c.reason) as failure, u.title,
  u.comment, u.actor_type, u.actor_id, u.actor_name, u.session_id, u.created_at, p.id as project_id,
  p.name as project_name, e.id as environment_id, e.name as environment_name, s.id as segment_id,
  s.name as segment_name`;
const uploads = sql`
  segment_uploads u join environments e on e.id = u.environment_id join projects p on p.id = e.project_id
    join segments s on s.id = u.segment_id left join key_lists l on l.id = u.list_id
    left join changesets c on c.id = u.id`;

function outcomeOf({ outcome, failure }: UploadRow) {
  if (outcome === 'expired') return { status: 'failed', failure: expired } as const;
  if (outcome === 'interrupted') return { status: 'failed', failure: interrupted } as const;
  return { status: outcome, ...(failure === null ? {} : { failure }) };
}

const toUpload = (row: UploadRow): StoredUpload => ({
  id: row.id,
  operation: row.operation,
  ...outcomeOf(row),
  receivedBytes: row.received_bytes,
  ...(row.total_bytes === null ? {} : { totalBytes: row.total_bytes }),
  ...(row.key_count === null ? {} : { count: row.key_count }),
  title: row.title,
  comment: row.comment,
  editor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  createdAt: row.created_at,
  project: { id: row.project_id, name: row.project_name },
  environment: { id: row.environment_id, name: row.environment_name },
  segment: { id: row.segment_id, name: row.segment_name },
  sessionId: row.session_id ?? undefined,
});

export interface NewUpload {
  readonly id: string;
  readonly environmentId: string;
  readonly segmentId: string;
  readonly operation: StoredUpload['operation'];
  /** Absent if there is nothing to send: then it is published already. */
  readonly tokenHash?: string;
  readonly note: Note;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly sessionId: string | undefined;
}

export async function insertUpload(tx: Tx, { note, actor, tokenHash, ...upload }: NewUpload): Promise<StoredUpload> {
  await tx.run(sql`
    insert into segment_uploads (id, environment_id, segment_id, operation, token_hash, expires_at, status,
                                 received_bytes, title, comment, actor_type, actor_id, actor_name, session_id,
                                 created_at)
    values (${upload.id}, ${upload.environmentId}, ${upload.segmentId}, ${upload.operation}, ${tokenHash ?? null},
            ${tx.now + uploadWaitMs}, ${tokenHash === undefined ? 'published' : 'awaiting'}, 0, ${note.title ?? ''},
            ${note.comment ?? ''}, ${actor.type}, ${actor.id}, ${actor.name}, ${upload.sessionId ?? null}, ${tx.now})`);
  return requireUpload(tx, upload.id);
}

async function requireUpload(tx: Tx, id: string): Promise<StoredUpload> {
  const row = await tx.one<UploadRow>(sql`select ${columnsAt(tx.now)} from ${uploads} where u.id = ${id}`);
  if (!row) throw new Error(`the upload ${id} is gone`);
  return toUpload(row);
}

/** The change request `c` still waits for its file. */
export const isAwaitingFile = (now: number): Sql => sql`
  exists (select 1 from segment_uploads u left join key_lists l on l.id = u.list_id
           where u.id = c.id and (u.status = 'awaiting' and u.expires_at > ${now}
                                  or u.status = 'receiving' and coalesce(l.lease_until, 0) > ${now}))`;

/** Of these change requests, those that still wait for their file. */
export async function listAwaitingFile(db: Reader, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.all<{ id: string }>(sql`
    select c.id from changesets c where c.id in (${join([...ids])}) and ${isAwaitingFile(db.clock())}`);
  return new Set(rows.map(({ id }) => id));
}

/** The newest first. */
export async function listUploads(
  db: Reader,
  { environmentId, segmentId }: { environmentId: string; segmentId: string },
  limit: number,
): Promise<StoredUpload[]> {
  const rows = await db.all<UploadRow>(sql`
    select ${columnsAt(db.clock())} from ${uploads} where u.segment_id = ${segmentId} and u.environment_id = ${environmentId}
     order by u.created_at desc, u.id desc limit ${limit}`);
  return rows.map(toUpload);
}

/** Whether a file can be sent with this token. */
export async function isAwaited(db: Reader, tokenHash: string): Promise<boolean> {
  const row = await db.one(sql`
    select 1 from segment_uploads
     where token_hash = ${tokenHash} and status = 'awaiting' and expires_at > ${db.clock()}`);
  return row !== undefined;
}

/** Uses up the token and begins the list. Undefined if the token is unknown, was used or has expired. */
export async function claimUpload(
  tx: Tx,
  tokenHash: string,
  { listId, totalBytes }: { listId: number; totalBytes: number | undefined },
): Promise<StoredUpload | undefined> {
  const claimed = await tx.one<{ id: string }>(sql`
    update segment_uploads
       set status = 'receiving', token_hash = null, list_id = ${listId}, total_bytes = ${totalBytes ?? null}
     where token_hash = ${tokenHash} and status = 'awaiting' and expires_at > ${tx.now} returning id`);
  if (!claimed) return undefined;
  await tx.run(sql`insert into key_lists (id, lease_until) values (${listId}, ${tx.now + leaseMs})`);
  return requireUpload(tx, claimed.id);
}

/** Also extends the lease. False if it has ended: then the list may be gone already. */
export async function saveReceived(
  tx: Tx,
  { id, listId, receivedBytes }: { id: string; listId: number; receivedBytes: number },
): Promise<boolean> {
  await tx.run(sql`update segment_uploads set received_bytes = ${receivedBytes} where id = ${id}`);
  return extendLease(tx, listId);
}

/** Ends the upload. The lease ends too, so that a list that is not served is deleted soon. */
export async function saveUploadEnd(
  tx: Tx,
  { id, listId }: { id: string; listId: number },
  end: { readonly keyCount: number } | { readonly failure: string },
): Promise<void> {
  const [status, keyCount, failure] =
    'failure' in end ? ['failed', null, end.failure] : ['published', end.keyCount, null];
  await tx.run(sql`
    update segment_uploads set status = ${status}, key_count = ${keyCount}, failure = ${failure} where id = ${id}`);
  await endLease(tx, listId);
}

/** The file has arrived; its change request says what becomes of the list, which is kept until then. */
export async function saveReceivedList(
  tx: Tx,
  { id, listId }: { id: string; listId: number },
  { keyCount, until }: { keyCount: number; until: number },
): Promise<void> {
  await tx.run(sql`update segment_uploads set status = 'received', key_count = ${keyCount} where id = ${id}`);
  await tx.run(sql`update key_lists set lease_until = ${until} where id = ${listId}`);
}

/** As many of them are listed. */
export const listedUploads = 10;

/** Deletes some that were requested before, except the newest of each segment in an environment. Returns how many. */
export const deleteOldUploads = (tx: Tx, before: number) =>
  tx.run(sql`
    delete from segment_uploads
     where id in (select u.id from segment_uploads u
                   where u.created_at < ${before}
                     and exists (select 1 from segment_uploads n
                                  where n.segment_id = u.segment_id and n.environment_id = u.environment_id
                                    and (n.created_at, n.id) > (u.created_at, u.id)
                                  order by n.created_at, n.id limit 1 offset ${listedUploads - 1})
                   order by u.created_at, u.id limit 100)`);
