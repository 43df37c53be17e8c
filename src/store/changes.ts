/**
 * The audit log. `recording.ts` writes it.
 *
 * Invariants
 * 1. A state is stored once: the `before` of a change is the `after_body` of the entry named by `previous_id`.
 *    `before_body` is used only if no entry has that state: it was a side effect of another change, was created by the
 *    first start, or is older than `previous_id`.
 * 2. Entries that hold states of one object have increasing times, because recording requires the object's lock.
 */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import type { Day } from '#domain/calendar.ts';
import type { Change, ObjectType } from '#domain/changes.ts';
import { fitting } from './paging.ts';
import { environmentScopeFilter, scopeFilter } from './scope-filter.ts';
import type { Position, Reader } from './sql.ts';

interface ChangeRow {
  readonly id: string;
  readonly at: number;
  readonly transaction_id: string;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly action: string;
  readonly object_type: ObjectType;
  readonly object_id: string;
  readonly object_name: string;
  readonly project_id: string | null;
  readonly environment_id: string | null;
  readonly title: string | null;
  readonly comment: string | null;
  readonly before_body: string | null;
  readonly after_body: string | null;
  readonly repeats: number;
  readonly changeset_id: string | null;
  readonly without_approval: Change['withoutApproval'] | null;
}

const toChange = (row: ChangeRow): Change => ({
  id: row.id,
  type: 'audit_log',
  auditLogType: row.action,
  object: { type: row.object_type, id: row.object_id, name: row.object_name },
  ...(row.project_id === null ? {} : { workspaceId: row.project_id }),
  ...(row.environment_id === null ? {} : { environmentId: row.environment_id }),
  editor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  createdAt: row.at,
  ...(row.title === null ? {} : { title: row.title }),
  ...(row.comment === null ? {} : { comment: row.comment }),
  ...(row.before_body === null ? {} : { before: JSON.parse(row.before_body) as unknown }),
  ...(row.after_body === null ? {} : { after: JSON.parse(row.after_body) as unknown }),
  ...(row.repeats === 0 ? {} : { repeats: row.repeats }),
  transactionId: row.transaction_id,
  ...(row.changeset_id === null ? {} : { changesetId: row.changeset_id }),
  ...(row.without_approval ? { withoutApproval: row.without_approval } : {}),
});

/** Which entries. */
export interface ChangeSelection {
  readonly scope: Scope;
  readonly projectId: string | undefined;
  readonly environmentId: string | undefined;
  readonly objectType: ObjectType | undefined;
  readonly objectId: string | undefined;
  readonly actorId: string | undefined;
  /** Of the changeset that made them. */
  readonly changesetId?: string | undefined;
  /** In the title, the comment or the name of the object. */
  readonly search: string | undefined;
}

export interface ChangeFilter extends ChangeSelection {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** The position of an entry in the log, and its size. */
export interface ChangePlace extends Position {
  /** Size of `before` and `after`; the rest of an entry is small. */
  readonly bytes: number;
}

/**
 * The entries found. `end`: where the search gave up before it found enough. There may be more after it; the first
 * `skip` of them belong to the offset.
 */
export interface FoundChanges {
  readonly items: ChangePlace[];
  readonly end?: Position & { readonly skip: number };
}

/** How many rows a search reads. A filter without an index must not scan a log of millions. */
const maxRowsRead = 5_000;

/**
 * Newest first. With `before`: those directly before it, still newest first. Without the states, which can be megabytes
 * each; the databases know their lengths without reading them.
 */
export async function listChanges(db: Reader, filter: ChangeFilter): Promise<FoundChanges> {
  const { before, limit, offset } = filter;
  const { indexed, rest, sorted } = conditionsOf(filter);
  const ordered = (columns: readonly Sql[]) =>
    sql`order by ${join(columns.map((column) => (before ? column : sql`${column} desc`)))}`;
  const place = [sql`at`, sql`id`];
  const order = ordered(place);
  const read = sql`from changes where ${indexed} ${ordered([...sorted, ...place])}`;
  const bytes = sql`coalesce(octet_length(before_body), 0) + coalesce(octet_length(after_body), 0) as bytes`;
  const passing = sql`from (select id, at, ${filtered}, ${bytes} ${read} limit ${maxRowsRead}) changes
                      where ${rest ?? sql`1 = 1`}`;
  const rows = await db.all<ChangePlace>(
    rest
      ? sql`select id, at, bytes ${passing} ${order} limit ${limit} offset ${offset}`
      : sql`select id, at, ${bytes} ${read} limit ${limit} offset ${offset}`,
  );
  const stopped =
    rest && rows.length < limit
      ? await db.one<Position>(sql`select at, id ${read} limit 1 offset ${maxRowsRead - 1}`)
      : undefined;
  const items = await withBytesBefore(db, rows);
  if (before) items.reverse();
  if (!stopped) return { items };
  const isWithinOffset = offset > 0 && rows.length === 0;
  const skipped = isWithinOffset
    ? await db.one<{ count: number }>(sql`select count(*) as count ${passing}`)
    : undefined;
  return { items, end: { ...stopped, skip: skipped ? offset - skipped.count : 0 } };
}

/** The columns that conditions read. */
const filtered = sql`
  project_id, environment_id, object_type, object_id, actor_id, changeset_id, object_name, title, comment`;

/**
 * The conditions that an index serves, and the rest. Between two times, SQLite takes an index of one filter for as good
 * as one of two, and may read the whole span. So there, filters and time are compared as one row, which only the longer
 * index can serve; `sorted`: the columns that come before time and id in its order.
 */
function conditionsOf(filter: ChangeFilter): { indexed: Sql; rest: Sql | undefined; sorted: Sql[] } {
  const { scope } = filter;
  const ofScope = scope.kind === 'project' || scope.kind === 'environment' ? scope.projectId : undefined;
  const wanted: Wanted = { ...filter, projectId: filter.projectId ?? ofScope };
  const served = indexes.find((names) => names.every((name) => wanted[name] !== undefined)) ?? [];
  const equal = (name: Filtered) => (wanted[name] === undefined ? [] : [sql`${raw(columnOf[name])} = ${wanted[name]}`]);
  const others = [
    ...(Object.keys(columnOf) as Filtered[]).filter((name) => !served.includes(name)).flatMap(equal),
    ...(filter.search === undefined ? [] : [mentions(filter.search)]),
  ];
  const seesAll = scope.kind === 'account' && scope.viewerKeyId === undefined;
  const visible = seesAll ? [] : [visibleTo(scope)];
  const bounds = boundsOf(filter);
  const inRow = bounds.length === 2 && served.length === 2 ? served : [];
  const sorted = inRow.map((name) => raw(columnOf[name]));
  const values = inRow.map((name) => wanted[name]);
  const indexed = [
    ...(inRow.length > 0 ? [] : served.flatMap(equal)),
    ...bounds.map(({ than, at, id }) => {
      const columns = [...sorted, sql`at`, ...(id === undefined ? [] : [sql`id`])];
      return sql`(${join(columns)}) ${than} (${join([...values, at, ...(id === undefined ? [] : [id])])})`;
    }),
  ];
  const all = (conditions: Sql[]) => join(conditions, ' and ');
  return {
    indexed: indexed.length > 0 ? all(indexed) : sql`1 = 1`,
    rest: visible.length + others.length > 0 ? all([...visible, ...others]) : undefined,
    sorted,
  };
}

/** Both databases ignore the case of ASCII letters only, so that they find the same. */
function mentions(text: string): Sql {
  const escaped = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll(/[!%_]/g, '!$&');
  const pattern = `%${escaped}%`;
  const has = (column: Sql) => sql`lower(${column}) like ${pattern} escape '!'`;
  return sql`(${has(sql`object_name`)} or ${has(sql`title`)} or ${has(sql`comment`)})`;
}

interface Bound {
  readonly than: Sql;
  readonly at: number;
  readonly id?: string;
}

/** At most one on each side, the narrower one: an index is searched by one, and a marker lies within the span. */
function boundsOf({ from, to, after, before }: ChangeFilter): Bound[] {
  const bounds: Bound[] = [];
  if (before && before.at >= (from ?? before.at)) bounds.push({ than: sql`>`, at: before.at, id: before.id });
  else if (from !== undefined) bounds.push({ than: sql`>=`, at: from });
  if (after && after.at <= (to ?? after.at)) bounds.push({ than: sql`<`, at: after.at, id: after.id });
  else if (to !== undefined) bounds.push({ than: sql`<=`, at: to });
  return bounds;
}

type Filtered = 'projectId' | 'environmentId' | 'objectType' | 'objectId' | 'actorId' | 'changesetId';
type Wanted = { readonly [Name in Filtered]?: string | undefined };
const columnOf: Record<Filtered, string> = {
  projectId: 'project_id',
  environmentId: 'environment_id',
  objectType: 'object_type',
  objectId: 'object_id',
  actorId: 'actor_id',
  changesetId: 'changeset_id',
};

/** The filters with an index before time and id, most selective first. */
const indexes: readonly (readonly Filtered[])[] = [
  ['changesetId'],
  ['projectId', 'objectId'],
  ['objectId'],
  ['actorId', 'projectId'],
  ['actorId'],
  ['environmentId', 'objectType'],
  ['environmentId'],
  ['projectId', 'objectType'],
  ['projectId'],
  ['objectType'],
];

/** No page is larger, so sizes beyond this do not matter. */
export const maxPageBytes = 2_097_152;

/**
 * Adds the size of states stored with the previous entry, only for as many entries as fit on a page: `previous_id`
 * comes after the bodies in a row, so SQLite reads through them to find it.
 */
async function withBytesBefore(db: Reader, rows: readonly ChangePlace[]): Promise<ChangePlace[]> {
  const looked = fitting(rows, ({ bytes }) => bytes, maxPageBytes);
  if (looked.length === 0) return [...rows];
  const found = await db.all<{ id: string; bytes: number }>(sql`
    select c.id, octet_length(p.after_body) as bytes
      from changes c join changes p on p.id = c.previous_id
     where c.id in (${join(looked.map(({ id }) => id))})`);
  const before = new Map(found.map(({ id, bytes }) => [id, bytes]));
  return rows.map((row) => ({ ...row, bytes: row.bytes + (before.get(row.id) ?? 0) }));
}

export interface DayOfChanges {
  readonly count: number;
  readonly production: number;
  /** There were more than `most`, and the others were not read. */
  readonly isPartial: boolean;
}

/** How many days one statement counts, so that none takes long. */
const daysAtOnce = 14;

/** The number of entries on each day, of the first `most` of it. */
export async function countChangesByDay(
  db: Reader,
  selection: ChangeSelection,
  days: readonly Day[],
  most: number,
): Promise<DayOfChanges[]> {
  const counted: DayOfChanges[] = [];
  for (let first = 0; first < days.length; first += daysAtOnce) {
    const some = days.slice(first, first + daysAtOnce).map((day, index) => countOf(selection, day, { index, most }));
    const rows = await db.all<{ day: number; read: number; count: number | null; production: number | null }>(
      sql`${join(some, ' union all ')} order by day`,
    );
    counted.push(
      ...rows.map(({ read, count, production }) => ({
        count: count ?? 0,
        production: production ?? 0,
        isPartial: read > most,
      })),
    );
  }
  return counted;
}

function countOf(
  selection: ChangeSelection,
  { start, end }: Day,
  { index, most }: { index: number; most: number },
): Sql {
  const span = { from: start, to: end - 1, after: undefined, before: undefined, offset: 0, limit: 0 };
  const { indexed, rest, sorted } = conditionsOf({ ...selection, ...span });
  const passes = rest ?? sql`1 = 1`;
  const order = join([...sorted, sql`at`].map((column) => sql`${column} desc`));
  return sql`
    select ${raw(String(index))} as day, count(*) as read, sum(case when ${passes} then 1 else 0 end) as count,
           sum(case when ${passes} and exists (select 1 from environments e
                                                where e.id = changes.environment_id and e.production = true)
                    then 1 else 0 end) as production
      from (select ${filtered} from changes where ${indexed} order by ${order} limit ${most + 1}) changes`;
}

/** When something was killed, newest first. At most 5,000 kills of all projects are read. */
export async function listKillTimes(
  db: Reader,
  selection: ChangeSelection,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const span = { from: undefined, to: undefined, after: undefined, before: undefined, offset: 0, limit: 0 };
  const { indexed, rest } = conditionsOf({ ...selection, ...span });
  const rows = await db.all<{ at: number }>(sql`
    select at from (select at, ${filtered} from changes
                     where action = 'definition.killed' and at >= ${from} and at <= ${to}
                     order by at desc limit ${maxRowsRead}) changes
     where ${indexed} and ${rest ?? sql`1 = 1`} order by at desc`);
  return rows.map(({ at }) => at);
}

/** The entries with these ids, newest first, with the states that the scope may see. */
export async function findChanges(db: Reader, ids: readonly string[], scope: Scope): Promise<Change[]> {
  const changes = await findWith(db, ids, sql`coalesce(c.before_body, p.after_body) as before_body, c.after_body`);
  return scope.kind === 'member' ? changes.map(withoutKeys) : changes;
}

/** The same without states. */
export const findBareChanges = (db: Reader, ids: readonly string[]): Promise<Change[]> =>
  findWith(db, ids, sql`null as before_body, null as after_body`);

async function findWith(db: Reader, ids: readonly string[], states: Sql): Promise<Change[]> {
  if (ids.length === 0) return [];
  const rows = await db.all<ChangeRow>(sql`
    select c.id, c.at, c.transaction_id, c.actor_type, c.actor_id, c.actor_name, c.action, c.object_type, c.object_id,
           c.object_name, c.project_id, c.environment_id, c.title, c.comment, ${states}, c.repeats,
           c.changeset_id, c.without_approval
      from changes c left join changes p on p.id = c.previous_id
     where c.id in (${join([...ids])})
     order by c.at desc, c.id desc`);
  return rows.map(toChange);
}

/** What a changeset changed, in order, without the entries about itself. */
export async function listChangesOfChangeset(db: Reader, changesetId: string): Promise<Change[]> {
  const rows = await db.all<{ id: string }>(sql`
    select id from changes where changeset_id = ${changesetId} and object_type <> 'changeset'`);
  return (
    await findChanges(
      db,
      rows.map(({ id }) => id),
      { kind: 'account' },
    )
  ).reverse();
}

/** The number of entries, of the first `most`. */
export async function countChanges(db: Reader, selection: ChangeSelection, most: number): Promise<number> {
  const span = { from: undefined, to: undefined, after: undefined, before: undefined, offset: 0, limit: 0 };
  const { indexed, rest } = conditionsOf({ ...selection, ...span });
  const row = await db.one<{ count: number }>(sql`
    select count(*) as count
      from (select id, ${filtered} from changes where ${indexed} order by at desc, id desc limit ${most}) changes
     where ${rest ?? sql`1 = 1`}`);
  return row?.count ?? 0;
}

/** The entry of a new environment contains its keys, which members may not see. */
function withoutKeys(change: Change): Change {
  const { before, after } = change;
  return {
    ...change,
    ...(before === undefined ? {} : { before: withoutApiKeys(before) }),
    ...(after === undefined ? {} : { after: withoutApiKeys(after) }),
  };
}

function withoutApiKeys(body: unknown): unknown {
  const { apiKeys: _, ...rest } = body as Record<string, unknown>;
  return rest;
}

/** The entry `steps` after the position, oldest first, unless it is newer than `until`. */
export const findChangeBehind = (db: Reader, { at, id }: Position, steps: number, until: number) =>
  db.one<Position>(sql`
    select at, id from changes where (at, id) > (${at}, ${id}) and at <= ${until}
     order by at, id limit 1 offset ${steps - 1}`);

/** How many entries follow the position and are not newer than `until`. Reads each of them, so use it for few. */
export async function countChangesBehind(db: Reader, { at, id }: Position, until: number): Promise<number> {
  const row = await db.one<{ count: number }>(
    sql`select count(*) as count from changes where (at, id) > (${at}, ${id}) and at <= ${until}`,
  );
  return row?.count ?? 0;
}

/**
 * An actor who reaches only some environments sees only their entries, since others may mention other environments.
 * People do not see changes to keys.
 */
function visibleTo(scope: Scope): Sql {
  const inProjects = scopeFilter(scope, sql`changes.project_id`);
  if (scope.kind === 'member') return sql`${inProjects} and object_type <> 'api_key'`;
  return sql`${inProjects} and ${environmentScopeFilter(scope, sql`environment_id`)}`;
}
