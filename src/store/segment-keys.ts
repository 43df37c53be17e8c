/** Keys of standard segments, and the calls that changed them. Removed keys stay, marked with the number of the change. */
import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { KeyChange, ListedKey } from '#domain/segments.ts';
import { findPage, type Page, type Total } from './paging.ts';
import { inChunks, type Reader, type Tx } from './sql.ts';

/** The keys of a segment in an environment, by name: rows outlive the segment. */
export interface KeyPlace {
  readonly environmentId: string;
  readonly segment: string;
}

export const placed = ({ environmentId, segment }: KeyPlace): Sql =>
  sql`environment_id = ${environmentId} and segment = ${segment}`;
const isCurrent = sql`is_removed = false`;

/**
 * Keys behind this place in the order of changes. The condition on all positive numbers lets PostgreSQL use the index, see
 * the migrations. SQLite searches by the first of the two, so the place comes first: otherwise it reads all keys.
 */
export const changedAfter = ({ number, key }: { number: number; key: string }): Sql =>
  sql`(change_number, key) > (${number}, ${key}) and change_number > 0`;

/** Returns how many were not there before. Sorted keys are added faster: each part is a small range of the index. */
export async function addKeys(tx: Tx, place: KeyPlace, keys: readonly string[], changeNumber: number): Promise<number> {
  let added = 0;
  for (const some of inChunks(keys, tx.rowsAtOnce)) {
    added += await tx.run(sql`
      insert into segment_keys (environment_id, segment, key, change_number, is_removed)
      select ${place.environmentId}, ${place.segment}, given.value, ${changeNumber}, false
        from ${tx.rowsOf(some)} given where true
          on conflict (environment_id, segment, key) do update
         set change_number = excluded.change_number, is_removed = false
       where segment_keys.is_removed = true`);
  }
  return added;
}

/** Returns how many were there. Sorted keys are removed faster. */
export async function removeKeys(
  tx: Tx,
  place: KeyPlace,
  keys: readonly string[],
  changeNumber: number,
): Promise<number> {
  let removed = 0;
  for (const some of inChunks(keys, tx.rowsAtOnce)) {
    const [first, last] = boundsOf(some);
    // The range bounds what PostgreSQL reads, whichever plan it made while the table was empty.
    removed += await tx.run(sql`
      update segment_keys set change_number = ${changeNumber}, is_removed = true
       where ${placed(place)} and ${isCurrent} and key >= ${first} and key <= ${last}
         and ${tx.isOneOf(sql`key`, some)}`);
  }
  return removed;
}

/** The first and the last key as both databases order text: by bytes, unlike JavaScript beyond U+FFFF. */
function boundsOf(keys: readonly string[]): [first: string | undefined, last: string | undefined] {
  const bytes = keys.map((key) => Buffer.from(key));
  const extreme = (sign: 1 | -1) => bytes.reduce((one, other) => (Buffer.compare(one, other) === sign ? other : one));
  return bytes.length === 0 ? [undefined, undefined] : [extreme(1).toString(), extreme(-1).toString()];
}

/** How many keys one statement reads, in some milliseconds. */
const keysAtOnce = 2_000;

/** All current keys, in parts. */
export async function* listAllKeys(db: Reader, place: KeyPlace): AsyncGenerator<string[]> {
  for (let last = ''; ; ) {
    const rows = await db.all<{ key: string }>(sql`
      select key from segment_keys where ${placed(place)} and ${isCurrent} and key > ${last}
       order by key limit ${keysAtOnce}`);
    if (rows.length === 0) return;
    yield rows.map(({ key }) => key);
    last = rows.at(-1)?.key ?? last;
  }
}

/** Removes all keys, range by range. */
export async function removeAllKeys(tx: Tx, place: KeyPlace, changeNumber: number): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const rest: Sql = sql`${placed(place)} and ${isCurrent} and key > ${last}`;
    const end: { key: string } | undefined = await tx.one(sql`
      select key from segment_keys where ${rest} order by key limit 1 offset ${tx.rowsAtOnce - 1}`);
    await tx.run(sql`
      update segment_keys set change_number = ${changeNumber}, is_removed = true
       where ${rest} ${end ? sql`and key <= ${end.key}` : empty}`);
    last = end?.key;
  }
}

export interface KeyFilter extends KeyPlace {
  readonly prefix?: string | undefined;
}

/** No character sorts after it. */
const lastCharacter = '\u{10ffff}';

const matching = ({ prefix, ...place }: KeyFilter): Sql =>
  prefix === undefined
    ? sql`${placed(place)} and ${isCurrent}`
    : sql`${placed(place)} and ${isCurrent} and key >= ${prefix} and key < ${prefix + lastCharacter}`;

/** By key. `counted`: how many match, and the change number that the segment had before they were counted. */
export function listKeys(db: Reader, filter: KeyFilter, page: Page, counted: Total): Promise<{ key: string }[]> {
  // No key is empty.
  const hasChanged = sql`exists (
    select 1 from segment_keys where ${placed(filter)} and ${changedAfter({ number: counted.changes + 1, key: '' })})`;
  return findPage(page, counted, {
    fromStart: ({ offset, limit }) =>
      db.all(sql`
        select key from segment_keys where ${matching(filter)} order by key limit ${limit} offset ${offset}`),
    fromEnd: async ({ offset, limit }) => {
      const rows = await db.all<{ key: string }>(sql`
        select key from segment_keys where ${matching(filter)} and not ${hasChanged}
         order by key desc limit ${limit} offset ${offset}`);
      return rows.reverse();
    },
  });
}

/** Those of the keys that are in the segment. */
export async function listPresentKeys(tx: Tx, place: KeyPlace, keys: readonly string[]): Promise<Set<string>> {
  const rows = await tx.all<{ key: string }>(sql`
    select key from segment_keys where ${placed(place)} and ${tx.isOneOf(sql`key`, keys)}`);
  return new Set(rows.map(({ key }) => key));
}

/** Who added these keys, when and from where; those of a call that is not known any more are left out. */
export async function listKeyOrigins(db: Reader, place: KeyPlace, keys: readonly string[]): Promise<ListedKey[]> {
  if (keys.length === 0) return [];
  const rows = await db.all<{ key: string } & KeyChangeRow>(sql`
    select k.key, c.change_number, c.actor_type, c.actor_id, c.actor_name, c.source, c.added, c.removed, c.key_count
      from segment_keys k
      join segment_key_changes c on c.environment_id = k.environment_id and c.segment = k.segment
       and c.change_number = k.change_number
     where k.environment_id = ${place.environmentId} and k.segment = ${place.segment} and k.key in (${join([...keys])})`);
  return rows.map((row) => {
    const { at, editor, source } = toKeyChange(row);
    return { key: row.key, addedAt: at, addedBy: editor, source };
  });
}

export async function countKeys(db: Reader, filter: KeyFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from segment_keys where ${matching(filter)}`);
  return row?.total ?? 0;
}

/** The standard segments that contain the key in the environment, by name. */
export const listMemberships = (db: Reader, environmentId: string, key: string) =>
  db.all<{ name: string; since: number }>(sql`
    select segment as name, change_number as since from segment_keys
     where environment_id = ${environmentId} and key = ${key} and ${isCurrent} order by segment`);

interface KeyChangeRow {
  readonly change_number: number;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly source: string;
  readonly added: number;
  readonly removed: number;
  readonly key_count: number;
}

const toKeyChange = (row: KeyChangeRow): KeyChange => ({
  at: row.change_number,
  editor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  source: row.source,
  added: row.added,
  removed: row.removed,
  keyCount: row.key_count,
});

/** Newest first. */
export async function listKeyChanges(db: Reader, place: KeyPlace, { offset, limit }: Page): Promise<KeyChange[]> {
  const rows = await db.all<KeyChangeRow>(sql`
    select change_number, actor_type, actor_id, actor_name, source, added, removed, key_count from segment_key_changes
     where ${placed(place)} order by change_number desc limit ${limit} offset ${offset}`);
  return rows.map(toKeyChange);
}

export async function countKeyChanges(db: Reader, place: KeyPlace): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from segment_key_changes where ${placed(place)}`);
  return row?.total ?? 0;
}

/** Also sets the number of keys of the active segment. */
export async function insertKeyChange(
  tx: Tx,
  { environmentId, segment }: KeyPlace,
  segmentId: string,
  change: KeyChange,
): Promise<void> {
  const { at, editor, source, added, removed, keyCount } = change;
  await tx.run(sql`
    insert into segment_key_changes (environment_id, segment, change_number, actor_type, actor_id, actor_name, source,
                                     added, removed, key_count)
    values (${environmentId}, ${segment}, ${at}, ${editor.type}, ${editor.id}, ${editor.name}, ${source}, ${added},
            ${removed}, ${keyCount})`);
  await tx.run(sql`
    update segment_environments set change_number = ${at}, key_count = ${keyCount}, updated_at = ${tx.now}
     where environment_id = ${environmentId} and segment_id = ${segmentId}`);
}

/** The first environment after this one, by id, that has rows here, and whether it was deleted. One index lookup. */
export async function findNextKeyEnvironment(db: Reader, afterId: string) {
  const row = await db.one<{ id: string; exists_id: string | null }>(sql`
    select next.environment_id as id, e.id as exists_id
      from (select environment_id from segment_keys where environment_id > ${afterId}
             order by environment_id limit 1) next
      left join environments e on e.id = next.environment_id`);
  return row && { id: row.id, isDeleted: row.exists_id === null };
}

/** Deletes some of the rows of a deleted environment. Returns how many. */
export const deleteSomeKeys = (tx: Tx, environmentId: string) =>
  tx.run(sql`
    delete from segment_keys
     where environment_id = ${environmentId}
       and (segment, key) in (select segment, key from segment_keys where environment_id = ${environmentId}
                               order by segment, key limit ${tx.rowsAtOnce})`);
