/** The flag list with several values per filter and a choice of orders. Each order has an index. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { FlagSort, FlagState } from '#domain/flag-list.ts';
import { type ChangedFlag, readFlags } from './flags.ts';
import type { Page } from './paging.ts';
import { likeLiteral, type Reader } from './sql.ts';

/** An empty list does not filter. */
export interface FlagQuery {
  readonly projectId: string;
  /** Part of the name, case-insensitive. */
  readonly name: string | undefined;
  /** Part of the name or the description. */
  readonly search: string | undefined;
  readonly tags: readonly string[];
  readonly rolloutStatusIds: readonly string[];
  readonly trafficTypeIds: readonly string[];
  readonly ownerIds: readonly string[];
  readonly states: readonly FlagState[];
  /** Archived flags only; otherwise they are left out. */
  readonly isArchived: boolean;
}

/** The last column makes the order total, so no flag is on two pages. */
const columnsOf: Record<FlagSort['sort'], readonly string[]> = {
  created: ['created_at', 'id'],
  name: ['name'],
  changed: ['changed_at', 'id'],
  status: ['status_position', 'id'],
  share: ['production_share', 'id'],
};

export function listSortedFlags(
  db: Reader,
  query: FlagQuery,
  { sort, order, offset, limit }: FlagSort & Page,
): Promise<ChangedFlag[]> {
  const by = raw(columnsOf[sort].map((column) => `f.${column} ${order}`).join(', '));
  return readFlags(
    db,
    sql`select f.id from flags f where ${conditions(query)} order by ${by} limit ${limit} offset ${offset}`,
    by,
  );
}

export async function countSortedFlags(db: Reader, query: FlagQuery): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from flags f where ${conditions(query)}`);
  return row?.total ?? 0;
}

function conditions({
  projectId,
  name,
  search,
  tags,
  rolloutStatusIds,
  trafficTypeIds,
  ownerIds,
  states,
  isArchived,
}: FlagQuery): Sql {
  return join(
    [
      sql`f.project_id = ${projectId}`,
      isArchived ? sql`f.archived_at is not null` : sql`f.archived_at is null`,
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
       where ${conditions({ ...query, ...without })} group by f.${raw(column)}`);
  };
  return {
    total: await countSortedFlags(db, query),
    rolloutStatuses: await by('rollout_status_id', { rolloutStatusIds: [] }),
    trafficTypes: await by('traffic_type_id', { trafficTypeIds: [] }),
    owners: await by('owners', { ownerIds: [] }),
    tags: await countTags(db, { ...query, tags: [] }),
    states: await countStates(db, { ...query, states: [] }),
    production: await countInEnvironments(db, { ...query, states: [] }, productionIds),
  };
}

async function countTags(db: Reader, query: FlagQuery): Promise<Count[]> {
  await nextTurn();
  return db.all<Count>(sql`
    select t.name as value, count(*) as count from flags f join flag_tags t on t.flag_id = f.id
     where ${conditions(query)} group by t.name order by count(*) desc, t.name limit ${maxTags}`);
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
      from flags f where ${conditions(query)}`);
  return row ?? { total: 0, defined: 0, killed: 0, different: 0 };
}

async function countInEnvironments(db: Reader, query: FlagQuery, ids: readonly string[]) {
  if (ids.length === 0) return [];
  await nextTurn();
  return db.all<{ id: string; defined: number; killed: number }>(sql`
    select s.environment_id as id, count(*) as defined, sum(case when s.killed then 1 else 0 end) as killed
      from flags f join definition_summaries s on s.flag_id = f.id and ${anyOf(sql`s.environment_id`, ids)}
     where ${conditions(query)} group by s.environment_id`);
}
