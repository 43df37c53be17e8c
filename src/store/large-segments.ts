/**
 * The keys of large segments, in lists that uploads (`uploads.ts`) write.
 *
 * Invariants
 * 1. A segment refers only to complete lists. An upload writes a list of its own and then changes the reference, so
 *    readers see the old keys or the new ones.
 * 2. Only the upload that holds a list's lease adds to it. A list that no segment refers to is deleted after its lease;
 *    while a change request waits for an approval, its list has one.
 */
import sql, { bulk, empty, type Sql } from 'sql-template-tag';
import type { Reference } from '#domain/schema.ts';
import type { Block } from './key-lists/sort.ts';
import type { Reader, Tx } from './sql.ts';

/** A large segment where it is active. */
export interface ActiveLargeSegment {
  readonly id: string;
  readonly name: string;
  readonly trafficType: Reference;
  readonly keyCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** In order of creation; with a name, only that one. */
export async function listActiveLargeSegments(
  db: Reader,
  environmentId: string,
  name?: string,
): Promise<ActiveLargeSegment[]> {
  const rows = await db.all<Omit<ActiveLargeSegment, 'trafficType'> & Record<'type_id' | 'type_name', string>>(sql`
    select s.id, s.name, t.id as type_id, t.name as type_name, a.key_count as "keyCount", a.created_at as "createdAt",
           a.updated_at as "updatedAt"
      from segment_environments a join segments s on s.id = a.segment_id join traffic_types t on t.id = s.traffic_type_id
     where a.environment_id = ${environmentId} and s.kind = 'large'
           ${name === undefined ? empty : sql`and s.name = ${name}`}
     order by s.created_at, s.id`);
  return rows.map(({ type_id, type_name, ...row }) => ({ ...row, trafficType: { id: type_id, name: type_name } }));
}

/** How long an upload may stand still. */
export const leaseMs = 60_000;

/** False if the lease has ended: then the list may be gone already. */
export const extendLease = async (tx: Tx, listId: number): Promise<boolean> =>
  (await tx.run(sql`
    update key_lists set lease_until = ${tx.now + leaseMs} where id = ${listId} and lease_until > ${tx.now}`)) > 0;

/** The list is deleted soon, unless a segment serves it. */
export const endLease = (tx: Tx, listId: number) =>
  tx.run(sql`update key_lists set lease_until = ${tx.now} where id = ${listId}`);

/** Also extends the lease. False if it has ended. */
export async function insertBlocks(tx: Tx, listId: number, blocks: readonly Block[]): Promise<boolean> {
  if (!(await extendLease(tx, listId))) return false;
  await tx.run(sql`
    insert into key_list_blocks (list_id, first_key, keys)
    values ${bulk(blocks.map(({ firstKey, text }) => [listId, firstKey, text]))}`);
  return true;
}

/** A complete list. */
export interface KeyList {
  readonly id: number;
  readonly digest: string;
  readonly keyCount: number;
}

/** The digest of the list that the segment serves. */
export async function findDigest(db: Reader, environmentId: string, segmentId: string): Promise<string | undefined> {
  const row = await db.one<{ digest: string }>(sql`
    select l.digest from segment_environments s join key_lists l on l.id = s.list_id
     where s.environment_id = ${environmentId} and s.segment_id = ${segmentId}`);
  return row?.digest;
}

/** Serves another list, or none, with this change. False if the list's lease has ended. */
export async function saveList(
  tx: Tx,
  { environmentId, segmentId, changeNumber }: { environmentId: string; segmentId: string; changeNumber: number },
  list: KeyList | undefined,
): Promise<boolean> {
  if (list) {
    const isComplete = await tx.run(sql`
      update key_lists set digest = ${list.digest} where id = ${list.id} and lease_until > ${tx.now}`);
    if (isComplete === 0) return false;
  }
  await tx.run(sql`
    update segment_environments
       set list_id = ${list?.id ?? null}, key_count = ${list?.keyCount ?? 0}, change_number = ${changeNumber},
           updated_at = ${tx.now}
     where environment_id = ${environmentId} and segment_id = ${segmentId}`);
  return true;
}

/** The first key of the only block of the list that can have the key. */
const blockFor = (listId: Sql, key: string): Sql => sql`
  (select max(first_key) from key_list_blocks where list_id = ${listId} and first_key <= ${key})`;

/** The large segments that have the key, in no order, with when their keys were replaced: one lookup for each active one. */
export async function listLargeSegmentsOf(
  db: Reader,
  environmentId: string,
  key: string,
): Promise<{ name: string; since: number }[]> {
  const rows = await db.all<{ name: string; since: number; keys: string }>(sql`
    select g.name, s.change_number as since, b.keys
      from segment_environments s join segments g on g.id = s.segment_id
      join key_list_blocks b on b.list_id = s.list_id and b.first_key = ${blockFor(sql`s.list_id`, key)}
     where s.environment_id = ${environmentId} and s.list_id is not null`);
  return rows.filter(({ keys }) => keys.split('\n').includes(key)).map(({ name, since }) => ({ name, since }));
}

/** Of about the length of a UUID. A block has fewer if they are longer. */
const keysPerBlock = 50;

/** Sorted by bytes, from the first key that is not smaller than `from`. Reads little more than it returns. */
export async function listLargeKeys(
  db: Reader,
  { environmentId, segmentId }: { environmentId: string; segmentId: string },
  { from, limit }: { from: string; limit: number },
): Promise<string[]> {
  // With a join instead, PostgreSQL would sort the whole list for each page.
  const served = sql`
    (select list_id from segment_environments where environment_id = ${environmentId} and segment_id = ${segmentId})`;
  const keys: string[] = [];
  for (let last: string | undefined; ; last = keys.at(-1)) {
    const start = last ?? from;
    // Perhaps nothing of the first block.
    const most = Math.ceil((limit - keys.length) / keysPerBlock) + 1;
    const rows = await db.all<{ keys: string }>(sql`
      select keys from key_list_blocks
       where list_id = ${served} and first_key >= coalesce(${blockFor(served, start)}, '')
       order by first_key limit ${most}`);
    const [first, ...others] = rows.map((row) => row.keys.split('\n'));
    const smallest = last === undefined ? 0 : 1;
    const isLater = (key: string) => Buffer.compare(Buffer.from(key), Buffer.from(start)) >= smallest;
    keys.push(...(first?.filter(isLater) ?? []), ...others.flat());
    if (rows.length < most || keys.length >= limit) return keys.slice(0, limit);
  }
}

/** A list that is no longer needed. */
export async function findUnusedList(db: Reader): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    select l.id from key_lists l
     where l.lease_until <= ${db.clock()}
       and not exists (select 1 from segment_environments s where s.list_id = l.id)
     order by l.lease_until, l.id limit 1`);
  return row?.id;
}

/** Deletes some keys of an unused list, and the list after its last keys. */
export async function deleteSomeOfList(tx: Tx, id: number, limit: number): Promise<void> {
  const deleted = await tx.run(sql`
    delete from key_list_blocks
     where list_id = ${id}
       and first_key in (select first_key from key_list_blocks where list_id = ${id} order by first_key limit ${limit})`);
  if (deleted < limit) await tx.run(sql`delete from key_lists where id = ${id}`);
}
