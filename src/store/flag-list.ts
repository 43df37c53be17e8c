/** The flag list with several values per filter and a choice of orders. Each order has an index. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { dayMs } from '#domain/durations.ts';
import { type FlagSort, type FlagState, type FlagTrafficState, quietDays } from '#domain/flag-list.ts';
import { flagsOf, listFlagParts } from './flag-parts.ts';
import { type ChangedFlag, countFlags, findFlagChanges, readFlags } from './flags.ts';
import { findPage, firstOf, type Page, type Total } from './paging.ts';
import { inEachPart, partsOf, totalInParts } from './parts.ts';
import { likeLiteral, type Reader } from './sql.ts';

/** An empty list does not filter. */
export interface FlagQuery {
  readonly projectId: string;
  /** Only these. */
  readonly ids: readonly string[];
  /** Only those that this user watches. */
  readonly watcherId: string | undefined;
  /** Part of the name, case-insensitive. */
  readonly name: string | undefined;
  /** Part of the name or the description. */
  readonly search: string | undefined;
  readonly tags: readonly string[];
  readonly rolloutStatusIds: readonly string[];
  readonly trafficTypeIds: readonly string[];
  readonly ownerIds: readonly string[];
  readonly states: readonly FlagState[];
  readonly traffic: readonly FlagTrafficState[];
  /** Archived flags only; otherwise they are left out. */
  readonly isArchived: boolean;
}

/** In any environment, or in one; null if it never was. */
const lastTraffic = (environmentId?: string): Sql => sql`
  (select max(t.last_at) from flag_traffic t
    where t.flag_id = f.id ${environmentId === undefined ? empty : sql`and t.environment_id = ${environmentId}`})`;

/**
 * The last column makes the order total, so no flag is on two pages. Traffic has no index that begins with the project:
 * counting must not lock flags. It is one look for each flag of the project, and a sort that keeps the flags up to the end of the page.
 */
const columnsOf: Record<FlagSort['sort'], readonly Sql[]> = {
  created: [sql`f.created_at`, sql`f.id`],
  name: [sql`f.name`],
  changed: [sql`f.changed_at`, sql`f.id`],
  status: [sql`f.status_position`, sql`f.id`],
  since: [sql`f.rollout_status_at`, sql`f.id`],
  share: [sql`f.production_share`, sql`f.id`],
  traffic: [sql`coalesce(${lastTraffic()}, 0)`, sql`f.id`],
};

export async function listSortedFlags(db: Reader, query: FlagQuery, page: FlagSort & Page): Promise<ChangedFlag[]> {
  const by = join(columnsOf[page.sort].map((column) => sql`${column} ${raw(page.order)}`));
  const conditions = join([flagsOf(query), ...filters(query, db.clock())], ' and ');
  if (isShort(db, query, page)) {
    const ids = sql`select f.id from flags f where ${conditions} order by ${by} limit ${page.limit} offset ${page.offset}`;
    return readFlags(db, ids, by);
  }
  const ids = await (page.sort === 'traffic'
    ? idsByTraffic(db, query, page)
    : idsAlong(db, { conditions, by }, query, page));
  if (ids.length === 0) return [];
  // Some may have been archived or deleted since.
  return readFlags(db, sql`select f.id from flags f where f.id in (${join(ids)}) and ${flagsOf(query)}`, by);
}

/** In order of creation, from the nearer end, and no further than to the last that was counted. */
export const listCountedFlags = (db: Reader, query: FlagQuery, page: Page, counted: Total): Promise<ChangedFlag[]> =>
  findPage(page, counted, {
    fromStart: ({ offset, limit }) => {
      const left = Math.min(limit, counted.total - offset);
      return listSortedFlags(db, query, { sort: 'created', order: 'asc', offset, limit: left });
    },
    fromEnd: async (some) => {
      const flags = await listSortedFlags(db, query, { sort: 'created', order: 'desc', ...some });
      const isUnchanged = (await findFlagChanges(db, query.projectId)) === counted.changes;
      return isUnchanged ? flags.reverse() : [];
    },
  });

/** Whether one statement may find the page. The first flags of the project are at the beginning of an index. */
const isShort = (db: Reader, query: FlagQuery, { sort, offset, limit }: FlagSort & Page): boolean =>
  !Number.isFinite(db.rowsPerTurn) ||
  query.ids.length > 0 ||
  (sort !== 'traffic' && offset + limit <= db.rowsPerTurn && isUnfiltered(db, query));

const isUnfiltered = (db: Reader, query: FlagQuery): boolean =>
  !query.isArchived && filters(query, db.clock()).length === 0;

interface Sorted {
  readonly conditions: Sql;
  readonly by: Sql;
}

/** Part by part along the index of the order, until the page is full. */
async function idsAlong(
  db: Reader,
  { conditions, by }: Sorted,
  { projectId }: FlagQuery,
  { sort, order, offset, limit }: FlagSort & Page,
): Promise<string[]> {
  const flags = { from: sql`flags f`, where: sql`f.project_id = ${projectId}`, columns: columnsOf[sort], order };
  const ids: string[] = [];
  let skipped = 0;
  for await (const part of partsOf(db, flags)) {
    const matching = sql`from flags f where ${part} and ${conditions}`;
    const found = await db.all<{ id: string }>(sql`
      select f.id ${matching} order by ${by} limit ${limit - ids.length} offset ${offset - skipped}`);
    ids.push(...found.map(({ id }) => id));
    if (ids.length === limit) break;
    if (found.length > 0) skipped = offset;
    else if (skipped < offset)
      skipped += (await db.one<{ total: number }>(sql`select count(*) as total ${matching}`))?.total ?? 0;
  }
  return ids;
}

/** Looks at all flags, part by part, and keeps as many as come first. */
async function idsByTraffic(
  db: Reader,
  query: FlagQuery,
  { order, offset, limit }: FlagSort & Page,
): Promise<string[]> {
  const direction = order === 'asc' ? 1 : -1;
  const first = firstOf<{ id: string; at: number }>(
    offset + limit,
    (one, other) => direction * (one.at - other.at || compare(one.id, other.id)),
  );
  const [at, id] = columnsOf.traffic;
  for (const part of await listFlagParts(db, query)) {
    const conditions = join([part, ...filters(query, db.clock())], ' and ');
    first.add(
      await db.all(sql`
        select f.id, ${at} as at from flags f where ${conditions}
         order by ${at} ${raw(order)}, ${id} ${raw(order)} limit ${offset + limit}`),
    );
    await nextTurn();
  }
  return first
    .inOrder()
    .slice(offset)
    .map((flag) => flag.id);
}

/** The number of all flags of a project that are not archived is stored. */
export async function countSortedFlags(db: Reader, query: FlagQuery): Promise<number> {
  if (!isUnfiltered(db, query)) return countMatching({ db, parts: await partsFor(db, query), query });
  const all = { projectId: query.projectId, tags: [], name: undefined, rolloutStatusId: undefined, isArchived: false };
  return (await countFlags(db, all)).total;
}

/** Those that are asked for by their ids are few. */
const partsFor = async (db: Reader, query: FlagQuery): Promise<readonly Sql[]> =>
  query.ids.length > 0 ? [flagsOf(query)] : listFlagParts(db, query);

function filters(query: FlagQuery, now: number): Sql[] {
  const { ids, watcherId, name, search, tags, rolloutStatusIds, trafficTypeIds, ownerIds, states } = query;
  return [
    anyOf(sql`f.id`, ids),
    watcherId === undefined
      ? empty
      : sql`exists (select 1 from watches w where w.user_id = ${watcherId} and w.flag_id = f.id)`,
    name === undefined ? empty : contains(sql`f.name`, name),
    search === undefined ? empty : sql`(${contains(sql`f.name`, search)} or ${contains(sql`f.description`, search)})`,
    anyOf(sql`f.rollout_status_id`, rolloutStatusIds),
    anyOf(sql`f.traffic_type_id`, trafficTypeIds),
    tags.length === 0
      ? empty
      : sql`exists (select 1 from flag_tags t where t.flag_id = f.id and ${anyOf(sql`t.name`, tags)})`,
    // Owners are JSON; ids need no escaping there.
    eitherOf(ownerIds.map((id) => contains(sql`f.owners`, JSON.stringify(id)))),
    eitherOf(states.map(inState)),
    eitherOf(query.traffic.map((traffic) => withTraffic(traffic, now))),
  ].filter((condition) => condition !== empty);
}

const contains = (column: Sql, text: string) => sql`lower(${column}) like ${`%${likeLiteral(text)}%`} escape '\\'`;
const anyOf = (column: Sql, values: readonly string[]) =>
  values.length === 0 ? empty : sql`${column} in (${join([...values])})`;
const eitherOf = (conditions: readonly Sql[]) =>
  conditions.length === 0 ? empty : sql`(${join([...conditions], ' or ')})`;

/** Of any environment, the flag itself knows; of one, its summary there: every definition has one. */
function inState({ kind, environmentId }: FlagState): Sql {
  if (environmentId === undefined) return anywhere[kind];
  const there = sql`select 1 from definition_summaries s where s.flag_id = f.id and s.environment_id = ${environmentId}`;
  if (kind === 'killed') return sql`exists (${there} and s.killed)`;
  return kind === 'undefined' ? sql`not exists (${there})` : sql`exists (${there})`;
}

const anywhere: Record<FlagState['kind'], Sql> = {
  killed: sql`f.killed_count > 0`,
  defined: sql`f.definition_count > 0`,
  undefined: sql`f.definition_count = 0`,
  different: sql`f.differs`,
};

const withTraffic = ({ kind, environmentId }: FlagTrafficState, now: number): Sql =>
  kind === 'never'
    ? sql`${lastTraffic(environmentId)} is null`
    : sql`${lastTraffic(environmentId)} < ${now - quietDays[kind] * dayMs}`;

export interface Count {
  /** An id, a tag, or an owner list as stored. */
  readonly value: string;
  readonly count: number;
}

/** How many tags a reply counts, the most frequent first. */
const maxTags = 200;

/** How many flags each value of a filter would show, given the other filters. */
export async function countFlagFacets(db: Reader, query: FlagQuery, productionIds: readonly string[]) {
  const parts = await partsFor(db, query);
  const matching = (without: Partial<FlagQuery>): Matching => ({ db, parts, query: { ...query, ...without } });
  return {
    total: await countMatching(matching({})),
    rolloutStatuses: await countBy('rollout_status_id', matching({ rolloutStatusIds: [] })),
    trafficTypes: await countBy('traffic_type_id', matching({ trafficTypeIds: [] })),
    owners: await countBy('owners', matching({ ownerIds: [] })),
    tags: await countTags(matching({ tags: [] })),
    states: await countStates(matching({ states: [] })),
    production: await countInEnvironments(matching({ states: [] }), productionIds),
    traffic: await countTraffic(matching({ traffic: [] })),
    productionTraffic: await countTrafficIn(matching({ traffic: [] }), productionIds),
  };
}

/** The flags that a query shows. Each is in one of the parts. */
interface Matching {
  readonly db: Reader;
  readonly parts: readonly Sql[];
  readonly query: FlagQuery;
}

/** The rows that a statement about the flags of a part finds, for all parts. */
async function rowsOf<Row>({ db, parts, query }: Matching, statement: (flags: Sql) => Sql): Promise<Row[]> {
  const conditions = filters(query, db.clock());
  const found = await inEachPart(parts, (part) => db.all<Row>(statement(join([part, ...conditions], ' and '))));
  return found.flat();
}

const countMatching = ({ db, parts, query }: Matching): Promise<number> =>
  totalInParts(db, parts, (part) => sql`flags f where ${join([part, ...filters(query, db.clock())], ' and ')}`);

const sumOf = <Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number =>
  rows.reduce((sum, row) => sum + row[name], 0);

/** In order of the values. */
async function countBy(column: string, matching: Matching): Promise<Count[]> {
  const rows = await rowsOf<Count>(
    matching,
    (flags) => sql`
      select f.${raw(column)} as value, count(*) as count from flags f where ${flags} group by f.${raw(column)}`,
  );
  return addUp(rows).sort((one, other) => compare(one.value, other.value));
}

const addUp = (rows: readonly Count[]): Count[] =>
  [...Map.groupBy(rows, ({ value }) => value)].map(([value, some]) => ({ value, count: sumOf(some, 'count') }));

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

async function countTags(matching: Matching): Promise<Count[]> {
  const rows = await rowsOf<Count>(
    matching,
    (flags) => sql`
      select t.name as value, count(*) as count from flags f join flag_tags t on t.flag_id = f.id
       where ${flags} group by t.name`,
  );
  return addUp(rows)
    .sort((one, other) => other.count - one.count || compare(one.value, other.value))
    .slice(0, maxTags);
}

async function countStates(matching: Matching) {
  const counted = (state: Sql) => sql`coalesce(sum(case when ${state} then 1 else 0 end), 0)`;
  const rows = await rowsOf<Record<'total' | 'defined' | 'killed' | 'different', number>>(
    matching,
    (flags) => sql`
      select count(*) as total, ${counted(anywhere.defined)} as defined, ${counted(anywhere.killed)} as killed,
             ${counted(anywhere.different)} as different
        from flags f where ${flags}`,
  );
  return {
    total: sumOf(rows, 'total'),
    defined: sumOf(rows, 'defined'),
    killed: sumOf(rows, 'killed'),
    different: sumOf(rows, 'different'),
  };
}

/** Also of environments in between: for single ones, SQLite looks up each summary instead of counting in an index. */
async function countInEnvironments(matching: Matching, ids: readonly string[]) {
  const [first, last] = [ids.toSorted().at(0), ids.toSorted().at(-1)];
  if (first === undefined) return [];
  const rows = await rowsOf<{ id: string; defined: number; killed: number }>(
    matching,
    (flags) => sql`
      select s.environment_id as id, count(*) as defined, sum(case when s.killed then 1 else 0 end) as killed
        from flags f join definition_summaries s on s.flag_id = f.id and s.environment_id between ${first} and ${last}
       where ${flags} group by s.environment_id`,
  );
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, some]) => ({
    id,
    defined: sumOf(some, 'defined'),
    killed: sumOf(some, 'killed'),
  }));
}

export interface TrafficCounts {
  readonly total: number;
  /** Evaluated at least once. */
  readonly seen: number;
  readonly 'quiet-7d': number;
  readonly 'quiet-30d': number;
}

const countedTraffic = (now: number): Sql => {
  const quiet = (days: number) => sql`coalesce(sum(case when last_at < ${now - days * dayMs} then 1 else 0 end), 0)`;
  return sql`count(last_at) as seen, ${quiet(quietDays['quiet-7d'])} as "quiet-7d",
             ${quiet(quietDays['quiet-30d'])} as "quiet-30d"`;
};

type SeenCounts = Omit<TrafficCounts, 'total'>;

const addTraffic = (rows: readonly SeenCounts[]): SeenCounts => ({
  seen: sumOf(rows, 'seen'),
  'quiet-7d': sumOf(rows, 'quiet-7d'),
  'quiet-30d': sumOf(rows, 'quiet-30d'),
});

async function countTraffic(matching: Matching): Promise<TrafficCounts> {
  const now = matching.db.clock();
  const rows = await rowsOf<TrafficCounts>(
    matching,
    (flags) => sql`
      select count(*) as total, ${countedTraffic(now)}
        from (select ${lastTraffic()} as last_at from flags f where ${flags}) p`,
  );
  return { total: sumOf(rows, 'total'), ...addTraffic(rows) };
}

async function countTrafficIn(matching: Matching, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const now = matching.db.clock();
  const rows = await rowsOf<SeenCounts & { id: string }>(
    matching,
    (flags) => sql`
      select l.environment_id as id, ${countedTraffic(now)}
        from flags f join flag_traffic l on l.flag_id = f.id and ${anyOf(sql`l.environment_id`, ids)}
       where ${flags} group by l.environment_id`,
  );
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, some]) => ({ id, ...addTraffic(some) }));
}
