/** The flag list with several values per filter and a choice of orders. Each order has an index. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { dayMs } from '#domain/durations.ts';
import { type FlagSort, type FlagState, type FlagTrafficState, quietDays } from '#domain/flag-list.ts';
import { type ChangedFlag, readFlags } from './flags.ts';
import type { Page } from './paging.ts';
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
 * counting must not lock flags. It is one look for each flag of the project, and a sort that keeps one page.
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

export function listSortedFlags(
  db: Reader,
  query: FlagQuery,
  { sort, order, offset, limit }: FlagSort & Page,
): Promise<ChangedFlag[]> {
  const by = join(columnsOf[sort].map((column) => sql`${column} ${raw(order)}`));
  return readFlags(
    db,
    sql`select f.id from flags f where ${conditions(query, db.clock())} order by ${by} limit ${limit} offset ${offset}`,
    by,
  );
}

export async function countSortedFlags(db: Reader, query: FlagQuery): Promise<number> {
  const row = await db.one<{ total: number }>(
    sql`select count(*) as total from flags f where ${conditions(query, db.clock())}`,
  );
  return row?.total ?? 0;
}

function conditions(query: FlagQuery, now: number): Sql {
  const { watcherId } = query;
  const { projectId, ids, name, search, tags, rolloutStatusIds, trafficTypeIds, ownerIds, states, isArchived } = query;
  return join(
    [
      sql`f.project_id = ${projectId}`,
      isArchived ? sql`f.archived_at is not null` : sql`f.archived_at is null`,
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
    ].filter((condition) => condition !== empty),
    ' and ',
  );
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

/**
 * How many flags each value of a filter would show, given the other filters. Each statement reads all flags that match,
 * and SQLite blocks the process meanwhile, so other requests get a turn in between.
 */
export async function countFlagFacets(db: Reader, query: FlagQuery, productionIds: readonly string[]) {
  const by = async (column: string, without: Partial<FlagQuery>) => {
    await nextTurn();
    return db.all<Count>(sql`
      select f.${raw(column)} as value, count(*) as count from flags f
       where ${conditions({ ...query, ...without }, db.clock())} group by f.${raw(column)}`);
  };
  return {
    total: await countSortedFlags(db, query),
    rolloutStatuses: await by('rollout_status_id', { rolloutStatusIds: [] }),
    trafficTypes: await by('traffic_type_id', { trafficTypeIds: [] }),
    owners: await by('owners', { ownerIds: [] }),
    tags: await countTags(db, { ...query, tags: [] }),
    states: await countStates(db, { ...query, states: [] }),
    production: await countInEnvironments(db, { ...query, states: [] }, productionIds),
    traffic: await countTraffic(db, { ...query, traffic: [] }),
    productionTraffic: await countTrafficIn(db, { ...query, traffic: [] }, productionIds),
  };
}

async function countTags(db: Reader, query: FlagQuery): Promise<Count[]> {
  await nextTurn();
  return db.all<Count>(sql`
    select t.name as value, count(*) as count from flags f join flag_tags t on t.flag_id = f.id
     where ${conditions(query, db.clock())} group by t.name order by count(*) desc, t.name limit ${maxTags}`);
}

interface StateCounts {
  readonly total: number;
  readonly defined: number;
  readonly killed: number;
  readonly different: number;
}

async function countStates(db: Reader, query: FlagQuery): Promise<StateCounts> {
  await nextTurn();
  const counted = (state: Sql) => sql`coalesce(sum(case when ${state} then 1 else 0 end), 0)`;
  const row = await db.one<StateCounts>(sql`
    select count(*) as total, ${counted(anywhere.defined)} as defined, ${counted(anywhere.killed)} as killed,
           ${counted(anywhere.different)} as different
      from flags f where ${conditions(query, db.clock())}`);
  return row ?? { total: 0, defined: 0, killed: 0, different: 0 };
}

async function countInEnvironments(db: Reader, query: FlagQuery, ids: readonly string[]) {
  if (ids.length === 0) return [];
  await nextTurn();
  return db.all<{ id: string; defined: number; killed: number }>(sql`
    select s.environment_id as id, count(*) as defined, sum(case when s.killed then 1 else 0 end) as killed
      from flags f join definition_summaries s on s.flag_id = f.id and ${anyOf(sql`s.environment_id`, ids)}
     where ${conditions(query, db.clock())} group by s.environment_id`);
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

async function countTraffic(db: Reader, query: FlagQuery): Promise<TrafficCounts> {
  await nextTurn();
  const now = db.clock();
  const row = await db.one<TrafficCounts>(sql`
    select count(*) as total, ${countedTraffic(now)}
      from (select ${lastTraffic()} as last_at from flags f where ${conditions(query, now)}) p`);
  return row ?? { total: 0, seen: 0, 'quiet-7d': 0, 'quiet-30d': 0 };
}

async function countTrafficIn(db: Reader, query: FlagQuery, ids: readonly string[]) {
  if (ids.length === 0) return [];
  await nextTurn();
  const now = db.clock();
  return db.all<Omit<TrafficCounts, 'total'> & { id: string }>(sql`
    select l.environment_id as id, ${countedTraffic(now)}
      from flags f join flag_traffic l on l.flag_id = f.id and ${anyOf(sql`l.environment_id`, ids)}
     where ${conditions(query, now)} group by l.environment_id`);
}
