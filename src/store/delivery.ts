/**
 * What the feed reads. Numbers of an environment follow the order of commits, so a reader that knows all changes up to a
 * number asks for those after it. Every list is read in pages: no statement holds up the event loop.
 */
import sql from 'sql-template-tag';
import type { SegmentKind } from '#domain/segments.ts';
import { changedAfter, type KeyPlace, placed } from './segment-keys.ts';
import { findActivation } from './segments.ts';
import type { Reader } from './sql.ts';

const rowsAtOnce = 1_000;

export interface DeliveredEnvironment {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly createdAt: number;
  /** All changes up to this number can be read. */
  readonly changeNumber: number;
}

export const findDeliveredEnvironment = (db: Reader, id: string) =>
  db.one<DeliveredEnvironment>(sql`
    select id, name, project_id as "projectId", created_at as "createdAt", change_number as "changeNumber"
      from environments where id = ${id}`);

/** A flag without a definition, or a segment that is not active: it was removed with this change. */
export interface Tombstone {
  readonly name: string;
  readonly number: number;
}

/** In order of number. */
export const listTombstonesAfter = (db: Reader, environmentId: string, changeNumber: number) =>
  inPages(changeNumber, (last) =>
    db.all<Tombstone>(sql`
      select flag_name as name, change_number as number from tombstones
       where environment_id = ${environmentId} and change_number > ${last}
       order by change_number limit ${rowsAtOnce}`),
  );

export interface SegmentTombstone extends Tombstone {
  /** `rule_based` if there ever was one of this name. */
  readonly kind: SegmentKind;
}

/** In order of number. */
export const listSegmentTombstonesAfter = (db: Reader, environmentId: string, changeNumber: number) =>
  inPages(changeNumber, (last) =>
    db.all<SegmentTombstone>(sql`
      select name, kind, change_number as number from segment_tombstones
       where environment_id = ${environmentId} and change_number > ${last}
       order by change_number limit ${rowsAtOnce}`),
  );

/** Change numbers are unique in an environment, so each page begins after the last number. */
async function* inPages<Row extends { readonly number: number }>(
  after: number,
  read: (last: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let last = after; ; ) {
    const rows = await read(last);
    yield* rows;
    if (rows.length < rowsAtOnce) return;
    last = rows.at(-1)?.number ?? last;
  }
}

/** A segment of any kind that is active in the environment. */
export interface ActiveSegment {
  readonly name: string;
  readonly kind: SegmentKind;
  readonly number: number;
  readonly trafficType: string;
  /** Of a rule-based segment, as JSON; undefined if it has none yet. */
  readonly rules: string | undefined;
}

interface ActiveRow extends Omit<ActiveSegment, 'rules'> {
  readonly segment_id: string;
  readonly rules: string | null;
  readonly is_large: number | boolean;
}

/** In bytes. Larger rules are read one by one. */
const smallRules = 16_384;
const segmentsAtOnce = 200;

/** Those that were activated or changed after this number, in order of number. */
export async function* listSegmentsAfter(
  db: Reader,
  environmentId: string,
  changeNumber: number,
): AsyncGenerator<ActiveSegment> {
  for (let last = changeNumber; ; ) {
    const rows = await db.all<ActiveRow>(sql`
      select e.segment_id, s.name, s.kind, e.change_number as number, t.name as "trafficType",
             case when octet_length(e.rules) > ${smallRules} then null else e.rules end as rules,
             case when octet_length(e.rules) > ${smallRules} then 1 else 0 end as is_large
        from segment_environments e join segments s on s.id = e.segment_id
             join traffic_types t on t.id = s.traffic_type_id
       where e.environment_id = ${environmentId} and e.change_number > ${last}
       order by e.change_number limit ${segmentsAtOnce}`);
    for (const { segment_id, is_large, rules, ...row } of rows) {
      const large = is_large ? await findActivation(db, environmentId, segment_id) : undefined;
      // A large one that was deactivated meanwhile has a tombstone with a later number.
      yield {
        ...row,
        number: large?.changeNumber ?? row.number,
        rules: large?.rules ?? rules ?? undefined,
      };
    }
    if (rows.length < segmentsAtOnce) return;
    last = rows.at(-1)?.number ?? last;
  }
}

/** A key of a standard segment, and whether it was added or removed by its last change. */
export interface ChangedKey {
  readonly key: string;
  readonly number: number;
  readonly isRemoved: boolean;
}

/** Pages of the keys that changed after this number, by number. Keys of one change may be in several pages. */
export async function* listKeysAfter(db: Reader, place: KeyPlace, changeNumber: number): AsyncGenerator<ChangedKey[]> {
  // No key is empty.
  for (let last = { number: changeNumber + 1, key: '' }; ; ) {
    const rows = await db.all<{ key: string; number: number; is_removed: number | boolean }>(sql`
      select key, change_number as number, is_removed from segment_keys
       where ${placed(place)} and ${changedAfter(last)} order by change_number, key limit ${rowsAtOnce}`);
    yield rows.map(({ key, number, is_removed }) => ({ key, number, isRemoved: Boolean(is_removed) }));
    if (rows.length < rowsAtOnce) return;
    last = rows.at(-1) ?? last;
  }
}

/** What a large segment serves; without an id if nothing was uploaded. Undefined if it is not active. */
export async function findServedList(db: Reader, { environmentId, name }: { environmentId: string; name: string }) {
  const row = await db.one<{ id: number | null; number: number; keyCount: number }>(sql`
    select e.list_id as id, e.change_number as number, e.key_count as "keyCount"
      from environments p join segments s on s.project_id = p.project_id and s.name = ${name} and s.kind = 'large'
      join segment_environments e on e.environment_id = p.id and e.segment_id = s.id
     where p.id = ${environmentId}`);
  return row && { ...row, id: row.id ?? undefined };
}

const blocksAtOnce = 500;

/** Pages of the keys of a list, a megabyte each. Each text has some keys, one per line. */
export async function* listBlocksOf(db: Reader, listId: number): AsyncGenerator<string[]> {
  for (let last = ''; ; ) {
    const rows = await db.all<{ keys: string; first_key: string }>(sql`
      select first_key, keys from key_list_blocks where list_id = ${listId} and first_key > ${last}
       order by first_key limit ${blocksAtOnce}`);
    yield rows.map(({ keys }) => keys);
    if (rows.length < blocksAtOnce) return;
    last = rows.at(-1)?.first_key ?? last;
  }
}

/** The names of the project's flag sets by their ids. */
export async function listFlagSetNames(db: Reader, projectId: string): Promise<Map<string, string>> {
  const rows = await db.all<{ id: string; name: string }>(sql`
    select id, name from flag_sets where project_id = ${projectId}`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** An SDK key with the hash of its text and the environment that it reads. */
export interface StoredSdkKey {
  readonly id: string;
  readonly hash: string;
  readonly type: 'server_side' | 'client_side';
  readonly lastFour: string;
  readonly environmentId: string;
  /** Null, or absent in a copy of an earlier version: until it is revoked. */
  readonly expiresAt?: number | null;
}

/** All of them, by id. */
export async function listSdkKeys(db: Reader): Promise<StoredSdkKey[]> {
  const keys: StoredSdkKey[] = [];
  for (let last = ''; ; ) {
    const rows = await db.all<StoredSdkKey>(sql`
      select k.id, k.hash, k.type, k.last_four as "lastFour", e.environment_id as "environmentId",
             k.expires_at as "expiresAt"
        from api_keys k join api_key_environments e on e.api_key_id = k.id
       where k.type <> 'admin' and k.id > ${last} order by k.id limit ${rowsAtOnce}`);
    keys.push(...rows);
    if (rows.length < rowsAtOnce) return keys;
    last = rows.at(-1)?.id ?? last;
  }
}

/** Changes whenever a key is created or revoked: ids grow with time. Of other changes, notices tell. */
export async function findKeysVersion(db: Reader): Promise<string> {
  const row = await db.one<{ total: number; newest: string | null }>(sql`
    select count(*) as total, max(id) as newest from api_keys`);
  return `${row?.total} ${row?.newest}`;
}
