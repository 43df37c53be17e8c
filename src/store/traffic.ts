/**
 * Counts of evaluations and events.
 *
 * Invariants
 * 1. No flag change waits for counting: these tables refer to no others, and no row of another table is locked.
 * 2. Counts are added, so many nodes can write the same rows. Each statement has its rows in the order of their key, and
 *    each transaction its statements in the same order, so that no two of them wait for each other.
 * 3. Hours are added to their day while the row of their flag or event type is locked: once.
 */

import sql, { bulk, empty, join, type Sql } from 'sql-template-tag';
import { dayMs } from '#domain/durations.ts';
import { type EventCount, type HourCount, hourlyDays, type KnownEventType } from '#domain/traffic.ts';
import { definitionTag, inChunks, type Reader, type RootTx, type Tx } from './sql.ts';

export interface FlagPlace {
  readonly environmentId: string;
  readonly flagId: string;
}

export interface CountRow extends FlagPlace {
  readonly hour: number;
  readonly treatment: string;
  readonly label: string;
  readonly evaluations: number;
}

export interface EventRow {
  readonly environmentId: string;
  readonly trafficType: string;
  readonly eventType: string;
  readonly hour: number;
  readonly events: number;
  readonly valued: number;
  readonly sum: number;
  readonly squares: number;
}

/** How many rows one statement writes: a flag can have thousands, if the database was down. */
const rowsAtOnce = 250;

/** Rows in the order of their key, none twice. */
export async function addCounts(tx: Tx, rows: readonly CountRow[]): Promise<void> {
  for (const some of inChunks(rows, rowsAtOnce)) {
    await tx.run(sql`
      insert into traffic_counts (environment_id, flag_id, hour, treatment, label, evaluations)
      values ${bulk(
        some.map((row) => [row.environmentId, row.flagId, row.hour, row.treatment, row.label, row.evaluations]),
      )}
          on conflict (environment_id, flag_id, hour, treatment, label) do update
         set evaluations = traffic_counts.evaluations + excluded.evaluations`);
  }
}

/** Rows in the order of their key, none twice. Cached definitions show it. */
export async function saveLastTraffic(tx: RootTx, rows: readonly (FlagPlace & { readonly lastAt: number })[]) {
  for (const { environmentId, flagId } of rows) tx.touches(definitionTag(environmentId, flagId));
  await tx.run(sql`
    insert into flag_traffic (environment_id, flag_id, last_at)
    values ${bulk(rows.map((row) => [row.environmentId, row.flagId, row.lastAt]))}
        on conflict (environment_id, flag_id) do update
       set last_at = case when excluded.last_at > flag_traffic.last_at then excluded.last_at else flag_traffic.last_at end`);
}

/** Rows in the order of their key, none twice. */
export async function addEvents(tx: Tx, rows: readonly EventRow[]): Promise<void> {
  await tx.run(sql`
    insert into event_counts (environment_id, traffic_type, event_type, hour, events, valued, value_sum, value_squares)
    values ${bulk(
      rows.map((row) => [
        ...[row.environmentId, row.trafficType, row.eventType, row.hour, row.events, row.valued, row.sum, row.squares],
      ]),
    )}
        on conflict (environment_id, traffic_type, event_type, hour) do update
       set events = event_counts.events + excluded.events, valued = event_counts.valued + excluded.valued,
           value_sum = event_counts.value_sum + excluded.value_sum,
           value_squares = event_counts.value_squares + excluded.value_squares`);
}

/** Rows in the order of their key, none twice. */
export const saveEventTypes = (tx: Tx, rows: readonly (Omit<KnownEventType, 'lastAt'> & { environmentId: string })[]) =>
  tx.run(sql`
    insert into event_types (environment_id, traffic_type, event_type, last_at)
    values ${bulk(rows.map((row) => [row.environmentId, row.trafficType, row.eventType, tx.now]))}
        on conflict (environment_id, traffic_type, event_type) do update set last_at = excluded.last_at`);

/** By traffic type and name. */
export const listEventTypes = (db: Reader, environmentId: string, limit: number): Promise<KnownEventType[]> =>
  db.all<KnownEventType>(sql`
    select traffic_type as "trafficType", event_type as "eventType", last_at as "lastAt" from event_types
     where environment_id = ${environmentId} order by traffic_type, event_type limit ${limit}`);

/** Of the project of the environment. */
export async function listTrafficTypeNames(db: Reader, environmentId: string): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`
    select t.name from environments e join traffic_types t on t.project_id = e.project_id
     where e.id = ${environmentId} limit 1000`);
  return rows.map(({ name }) => name);
}

/** In order of time. */
export const listCounts = (db: Reader, { environmentId, flagId }: FlagPlace, from: number): Promise<HourCount[]> =>
  db.all<HourCount>(sql`
    select hour, treatment, label, evaluations from traffic_counts
     where environment_id = ${environmentId} and flag_id = ${flagId} and hour >= ${from} order by hour`);

/** Of several flags: the sum of each hour. */
export const listCountsOfFlags = (db: Reader, environmentId: string, flagIds: readonly string[], from: number) =>
  db.all<Pick<HourCount, 'hour' | 'evaluations'> & { readonly flagId: string }>(sql`
    select flag_id as "flagId", hour, cast(sum(evaluations) as bigint) as evaluations from traffic_counts
     where environment_id = ${environmentId} and flag_id in (${join([...flagIds])}) and hour >= ${from}
     group by flag_id, hour`);

/** Of the types from one to another, in order of traffic type and name. */
export const listEventCounts = (
  db: Reader,
  environmentId: string,
  [first, last]: readonly [KnownEventType, KnownEventType],
  from: number,
) =>
  db.all<EventCount>(sql`
    select traffic_type as "trafficType", event_type as "eventType", hour, events, valued, value_sum as sum,
           value_squares as squares
      from event_counts
     where environment_id = ${environmentId} and hour >= ${from}
       and (traffic_type, event_type) >= (${first.trafficType}, ${first.eventType})
       and (traffic_type, event_type) <= (${last.trafficType}, ${last.eventType})`);

export async function findLastTraffic(db: Reader, { environmentId, flagId }: FlagPlace): Promise<number | undefined> {
  const row = await db.one<{ last_at: number }>(sql`
    select last_at from flag_traffic where environment_id = ${environmentId} and flag_id = ${flagId}`);
  return row?.last_at;
}

/** In any environment, of those flags that had traffic. */
export async function listLastTrafficOfFlags(db: Reader, flagIds: readonly string[]): Promise<Map<string, number>> {
  if (flagIds.length === 0) return new Map();
  const rows = await db.all<{ flag_id: string; last_at: number }>(sql`
    select flag_id, max(last_at) as last_at from flag_traffic
     where flag_id in (${join([...flagIds])}) group by flag_id`);
  return new Map(rows.map((row) => [row.flag_id, row.last_at]));
}

interface Listed {
  /** Of these flags, or else of all. */
  readonly flagIds: readonly string[] | undefined;
  readonly after: string;
  readonly limit: number;
}

/** Flags with traffic in the environment, after one, in order of their ids. */
export const listLastTraffic = (db: Reader, environmentId: string, { flagIds, after, limit }: Listed) =>
  db.all<{ flagId: string; lastAt: number }>(sql`
    select t.flag_id as "flagId", t.last_at as "lastAt" from flag_traffic t join flags f on f.id = t.flag_id
     where t.environment_id = ${environmentId} and t.flag_id > ${after}
           ${flagIds ? sql`and t.flag_id in (${join([...flagIds])})` : empty}
     order by t.flag_id limit ${limit}`);

/** What counts belong to, and whether it was deleted. */
export interface CountedPlace {
  readonly environmentId: string;
  /** The id of a flag, or traffic type and event type. */
  readonly first: string;
  readonly second: string;
  readonly isDeleted: boolean | number;
}

/** The tables of one kind of counts. */
interface Counted {
  readonly list: (after: CountedPlace | undefined, limit: number) => Sql;
  readonly counts: Sql;
  readonly owners: Sql;
  readonly is: (place: CountedPlace) => Sql;
  readonly columns: Sql;
  readonly sums: Sql;
  readonly key: Sql;
  readonly add: Sql;
}

export const counted = {
  flags: {
    list: (after, limit) => sql`
      select t.environment_id as "environmentId", t.flag_id as first, '' as second,
             f.id is null or e.id is null as "isDeleted"
        from flag_traffic t left join flags f on f.id = t.flag_id left join environments e on e.id = t.environment_id
       where (t.environment_id, t.flag_id) > (${after?.environmentId ?? ''}, ${after?.first ?? ''})
       order by t.environment_id, t.flag_id limit ${limit}`,
    counts: sql`traffic_counts`,
    owners: sql`flag_traffic`,
    is: ({ environmentId, first }) => sql`environment_id = ${environmentId} and flag_id = ${first}`,
    columns: sql`environment_id, flag_id, treatment, label`,
    sums: sql`sum(evaluations)`,
    key: sql`evaluations`,
    add: sql`evaluations = traffic_counts.evaluations + excluded.evaluations`,
  },
  events: {
    list: (after, limit) => sql`
      select t.environment_id as "environmentId", t.traffic_type as first, t.event_type as second,
             e.id is null as "isDeleted"
        from event_types t left join environments e on e.id = t.environment_id
       where (t.environment_id, t.traffic_type, t.event_type)
             > (${after?.environmentId ?? ''}, ${after?.first ?? ''}, ${after?.second ?? ''})
       order by t.environment_id, t.traffic_type, t.event_type limit ${limit}`,
    counts: sql`event_counts`,
    owners: sql`event_types`,
    is: ({ environmentId, first, second }) =>
      sql`environment_id = ${environmentId} and traffic_type = ${first} and event_type = ${second}`,
    columns: sql`environment_id, traffic_type, event_type`,
    sums: sql`sum(events), sum(valued), sum(value_sum), sum(value_squares)`,
    key: sql`events, valued, value_sum, value_squares`,
    add: sql`events = event_counts.events + excluded.events, valued = event_counts.valued + excluded.valued,
             value_sum = event_counts.value_sum + excluded.value_sum,
             value_squares = event_counts.value_squares + excluded.value_squares`,
  },
} satisfies Record<string, Counted>;

export const listCountedPlaces = (db: Reader, { list }: Counted, after: CountedPlace | undefined, limit: number) =>
  db.all<CountedPlace>(list(after, limit));

/** How far back hours are looked for that were not added to their day, for example because no server ran. */
const lookBackDays = 60;

/** The oldest day whose hours are to be added together. */
export async function findUnmergedDay(db: Reader, { counts, is }: Counted, place: CountedPlace, now: number) {
  const before = now - (now % dayMs) - hourlyDays * dayMs;
  const row = await db.one<{ day: number | null }>(sql`
    select min(hour - hour % ${dayMs}) as day from ${counts}
     where ${is(place)} and hour >= ${before - lookBackDays * dayMs} and hour < ${before} and hour % ${dayMs} <> 0`);
  return row?.day ?? undefined;
}

export async function mergeDay(
  tx: Tx,
  { counts, owners, is, columns, sums, key, add }: Counted,
  place: CountedPlace,
  day: number,
) {
  if (!(await tx.one(sql`select 1 from ${owners} where ${is(place)} ${tx.lock}`))) return;
  const hours = sql`${is(place)} and hour > ${day} and hour < ${day + dayMs}`;
  await tx.run(sql`
    insert into ${counts} (${columns}, hour, ${key})
    select ${columns}, cast(${day} as bigint), ${sums} from ${counts} where ${hours} group by ${columns}
        on conflict (${columns}, hour) do update set ${add}`);
  await tx.run(sql`delete from ${counts} where ${hours}`);
}

/** How many days of counts one statement deletes. */
const daysAtOnce = 7;

/** Deletes the oldest counts before an instant; returns whether there may be more. */
export async function deleteOldestCounts(tx: Tx, { counts, is }: Counted, place: CountedPlace, before: number) {
  const oldest = (
    await tx.one<{ hour: number | null }>(sql`select min(hour) as hour from ${counts} where ${is(place)}`)
  )?.hour;
  if (oldest === undefined || oldest === null || oldest >= before) return false;
  const until = Math.min(before, oldest + daysAtOnce * dayMs);
  await tx.run(sql`delete from ${counts} where ${is(place)} and hour < ${until}`);
  return true;
}

export const hasCounts = async (db: Reader, { counts, is }: Counted, place: CountedPlace, before?: number) =>
  (await db.one(sql`
    select 1 from ${counts} where ${is(place)} and hour < ${before ?? Number.MAX_SAFE_INTEGER} limit 1`)) !== undefined;

export const deleteCountedPlace = (tx: Tx, { owners, is }: Counted, place: CountedPlace) =>
  tx.run(sql`delete from ${owners} where ${is(place)}`);
