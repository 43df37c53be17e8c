/** What segments of all kinds share: what they are, and where they are active. */
import sql, { bulk, empty, join, raw, type Sql } from 'sql-template-tag';
import { Problem } from '#domain/problems.ts';
import type { Reference } from '#domain/schema.ts';
import type { Activation, Segment, SegmentKind, Usage } from '#domain/segments.ts';
import type { Page } from './paging.ts';
import { likeLiteral, onRefused, type Reader, type Tx } from './sql.ts';

interface SegmentRow {
  readonly id: string;
  readonly project_id: string;
  readonly kind: SegmentKind;
  readonly name: string;
  readonly description: string;
  readonly traffic_type_id: string;
  readonly traffic_type_name: string;
  readonly creator_type: string;
  readonly creator_id: string;
  readonly creator_name: string;
  readonly created_at: number;
}

const toSegment = (row: SegmentRow, tags: readonly string[]): Segment => ({
  id: row.id,
  projectId: row.project_id,
  kind: row.kind,
  name: row.name,
  description: row.description,
  trafficType: { id: row.traffic_type_id, name: row.traffic_type_name },
  creator: { type: row.creator_type, id: row.creator_id, name: row.creator_name },
  creationTime: row.created_at,
  tags: tags.length > 0 ? tags.map((name) => ({ name })) : null,
});

const columns = sql`
  s.id, s.project_id, s.kind, s.name, s.description, s.traffic_type_id, t.name as traffic_type_name, s.creator_type,
  s.creator_id, s.creator_name, s.created_at`;
const segmentsWithTypes = sql`segments s join traffic_types t on t.id = s.traffic_type_id`;

export interface SegmentPlace {
  readonly projectId: string;
  /** Absent: any. */
  readonly kind?: SegmentKind | undefined;
}

export async function findSegment(db: Reader, place: SegmentPlace, name: string): Promise<Segment | undefined> {
  const row = await db.one<SegmentRow>(sql`
    select ${columns} from ${segmentsWithTypes}
     where s.project_id = ${place.projectId} and s.name = ${name} ${ofKind(place)}`);
  return (await withTags(db, row ? [row] : []))[0];
}

const ofKind = ({ kind }: SegmentPlace): Sql => (kind === undefined ? empty : sql`and s.kind = ${kind}`);

/** The current segment, locked until the commit; undefined if it was deleted. */
export async function lockSegment(tx: Tx, id: string): Promise<Segment | undefined> {
  if (!(await tx.one(sql`select id from segments where id = ${id} ${tx.lock}`))) return undefined;
  const row = await tx.one<SegmentRow>(sql`select ${columns} from ${segmentsWithTypes} where s.id = ${id}`);
  return (await withTags(tx, row ? [row] : []))[0];
}

export interface SegmentFilter extends SegmentPlace {
  /** Segments with any of these tags. */
  readonly tags?: readonly string[];
  /** Part of the name, case-insensitive. */
  readonly name?: string | undefined;
  /** Whole names. */
  readonly names?: readonly string[];
  /** Only those that are active there. */
  readonly environmentId?: string | undefined;
  /** Only those that definitions of this flag name. */
  readonly usedBy?: string | undefined;
  /** Only those that nothing names. */
  readonly isUnused?: boolean;
}

/** In order of creation; those of all kinds, and of some names, by name: each order has its index. */
export async function listSegments(db: Reader, filter: SegmentFilter, { offset, limit }: Page): Promise<Segment[]> {
  const isByName = filter.kind === undefined || (filter.names?.length ?? 0) > 0;
  const order = isByName ? sql`s.name` : sql`s.created_at, s.id`;
  const rows = await db.all<SegmentRow>(sql`
    select ${columns} from ${segmentsWithTypes} where ${matching(filter)}
     order by ${order} limit ${limit} offset ${offset}`);
  return withTags(db, rows);
}

export async function countSegments(db: Reader, filter: SegmentFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from segments s where ${matching(filter)}`);
  return row?.total ?? 0;
}

/** How many tags a reply counts, the most frequent first. */
const maxTags = 200;

/** The tags of the project's segments, and how many have each. */
export const countSegmentTags = (db: Reader, projectId: string) =>
  db.all<{ name: string; count: number }>(sql`
    select t.name, count(*) as count from segments s join segment_tags t on t.segment_id = s.id
     where s.project_id = ${projectId} group by t.name order by count(*) desc, t.name limit ${maxTags}`);

function matching({
  tags = [],
  name,
  names = [],
  environmentId,
  usedBy,
  isUnused = false,
  ...place
}: SegmentFilter): Sql {
  const conditions = [sql`s.project_id = ${place.projectId} ${ofKind(place)}`];
  if (name !== undefined) conditions.push(sql`lower(s.name) like ${`%${likeLiteral(name)}%`} escape '\\'`);
  if (names.length > 0) conditions.push(sql`s.name in (${join([...names])})`);
  if (tags.length > 0) {
    conditions.push(sql`exists (
      select 1 from segment_tags tag where tag.segment_id = s.id and tag.name in (${join([...tags])}))`);
  }
  if (environmentId !== undefined) {
    conditions.push(sql`exists (
      select 1 from segment_environments e where e.environment_id = ${environmentId} and e.segment_id = s.id)`);
  }
  if (usedBy !== undefined) {
    conditions.push(sql`s.name in (
      select r.name from environments p cross join object_references r
       where p.project_id = ${place.projectId} and r.environment_id = p.id and r.from_kind = 'flag'
         and r.from_name = ${usedBy} and r.kind = 'segment')`);
  }
  if (isUnused) {
    conditions.push(sql`not exists (
      select 1 from environments p cross join object_references r
       where p.project_id = ${place.projectId} and r.environment_id = p.id and r.kind = 'segment' and r.name = s.name)`);
  }
  return join(conditions, ' and ');
}

async function withTags(db: Reader, rows: readonly SegmentRow[]): Promise<Segment[]> {
  if (rows.length === 0) return [];
  const tags = await db.all<{ segment_id: string; name: string }>(sql`
    select segment_id, name from segment_tags where segment_id in (${join(rows.map(({ id }) => id))})
     order by segment_id, position`);
  const bySegment = Map.groupBy(tags, (tag) => tag.segment_id);
  return rows.map((row) =>
    toSegment(
      row,
      (bySegment.get(row.id) ?? []).map(({ name }) => name),
    ),
  );
}

export async function insertSegment(tx: Tx, segment: Segment): Promise<void> {
  const taken = () => new Problem('segment_name_taken', { name: segment.name });
  await tx
    .run(sql`
      insert into segments (id, project_id, traffic_type_id, kind, name, description, creator_type, creator_id,
                            creator_name, created_at)
      values (${segment.id}, ${segment.projectId}, ${segment.trafficType.id}, ${segment.kind}, ${segment.name},
              ${segment.description}, ${segment.creator.type}, ${segment.creator.id}, ${segment.creator.name},
              ${segment.creationTime})`)
    // Somebody else may restore the same segment at once.
    .catch(onRefused({ segments_name_key: taken, segments_pkey: taken }));
}

export const saveSegmentDescription = (tx: Tx, id: string, description: string) =>
  tx.run(sql`update segments set description = ${description} where id = ${id}`);

export async function saveSegmentTags(tx: Tx, id: string, tags: readonly string[]): Promise<void> {
  await tx.run(sql`delete from segment_tags where segment_id = ${id}`);
  if (tags.length === 0) return;
  await tx.run(sql`
    insert into segment_tags (segment_id, position, name)
    values ${bulk(tags.map((name, position) => [id, position, name]))}`);
}

/** Also deletes its tags. Deactivate it everywhere first. */
export const deleteSegment = (tx: Tx, id: string) => tx.run(sql`delete from segments where id = ${id}`);

/** For a project that is deleted: they are active nowhere any more. */
export const deleteSegments = (tx: Tx, segments: readonly Segment[]) =>
  tx.run(sql`delete from segments where id in (${join(segments.map(({ id }) => id))})`);

/** For a project that is deleted: nobody needs tombstones. */
export const deleteActivations = (tx: Tx, environmentId: string, segments: readonly Segment[]) =>
  tx.run(sql`
    delete from segment_environments
     where environment_id = ${environmentId} and segment_id in (${join(segments.map(({ id }) => id))})`);

interface ActivationRow extends Omit<Activation, 'rules'> {
  readonly rules: string | null;
}

export async function findActivation(
  db: Reader,
  environmentId: string,
  segmentId: string,
): Promise<Activation | undefined> {
  const row = await db.one<ActivationRow>(sql`
    select change_number as "changeNumber", key_count as "keyCount", rules, created_at as "createdAt",
           updated_at as "updatedAt"
      from segment_environments where environment_id = ${environmentId} and segment_id = ${segmentId}`);
  return row && { ...row, rules: row.rules ?? undefined };
}

export interface ActiveSegment {
  readonly segment: Segment;
  readonly activation: Activation;
}

/** Some segments that are active in the environment. */
export async function listActiveSegments(db: Reader, environmentId: string, limit: number): Promise<ActiveSegment[]> {
  const rows = await db.all<SegmentRow & ActivationRow>(sql`
    select ${columns}, e.change_number as "changeNumber", e.key_count as "keyCount", e.rules,
           e.created_at as "createdAt", e.updated_at as "updatedAt"
      from (select * from segment_environments where environment_id = ${environmentId}
             order by segment_id limit ${limit}) e
      join segments s on s.id = e.segment_id join traffic_types t on t.id = s.traffic_type_id
     order by e.segment_id`);
  const segments = await withTags(db, rows);
  return rows.flatMap(({ changeNumber, keyCount, rules, createdAt, updatedAt }, index) => {
    const segment = segments[index];
    const activation = { changeNumber, keyCount, rules: rules ?? undefined, createdAt, updatedAt };
    return segment ? [{ segment, activation }] : [];
  });
}

/** The number of segments of a project, and of the environments where they are active. */
export async function countSegmentsAndActivations(db: Reader, projectId: string): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select (select count(*) from segments where project_id = ${projectId})
         + (select count(*) from environments p join segment_environments e on e.environment_id = p.id
             where p.project_id = ${projectId}) as total`);
  return Number(row?.total ?? 0);
}

/** Where the segment is active, by environment id: the order in which change numbers must be taken. */
export const listEnvironmentsOfSegment = (db: Reader, segmentId: string) =>
  db.all<Reference>(sql`
    select e.id, e.name from segment_environments s join environments e on e.id = s.environment_id
     where s.segment_id = ${segmentId} order by s.environment_id`);

export interface NamedSegment extends Pick<Segment, 'name' | 'kind'> {
  readonly isActive: boolean;
  /** It has neither keys nor rules there. */
  readonly isEmpty: boolean;
}

/** Those of the names that segments of the project have, and whether these are active in the environment. */
export async function listNamedSegments(
  db: Reader,
  { projectId, environmentId }: { projectId: string; environmentId: string },
  names: readonly string[],
): Promise<NamedSegment[]> {
  if (names.length === 0) return [];
  const rows = await db.all<{ name: string; kind: SegmentKind; environment_id: string | null; is_empty: number }>(sql`
    select s.name, s.kind, e.environment_id,
           case when coalesce(e.key_count, 0) = 0 and coalesce(e.rules, ${noRules}) like ${`${noRules}%`}
                then 1 else 0 end as is_empty
      from segments s left join segment_environments e on e.environment_id = ${environmentId} and e.segment_id = s.id
     where s.project_id = ${projectId} and s.name in (${join([...names])})`);
  return rows.map(({ name, kind, environment_id, is_empty }) => ({
    name,
    kind,
    isActive: environment_id !== null,
    isEmpty: Number(is_empty) === 1,
  }));
}

/** How the stored text begins if there are none: its members have a fixed order. */
const noRules = '{"rules":[]';

/** Whether a segment is active in the environment. */
export const hasSegments = async (db: Reader, environmentId: string): Promise<boolean> =>
  (await db.one(sql`select 1 from segment_environments where environment_id = ${environmentId} limit 1`)) !== undefined;

/** Also removes the tombstone of an earlier activation, unless SDKs still need it: see `deleteActivation`. */
export async function insertActivation(
  tx: Tx,
  environmentId: string,
  segment: Segment,
  changeNumber: number,
): Promise<void> {
  await tx.run(sql`
    insert into segment_environments (environment_id, segment_id, change_number, key_count, created_at, updated_at)
    values (${environmentId}, ${segment.id}, ${changeNumber}, 0, ${tx.now}, ${tx.now})`);
  await tx.run(sql`
    delete from segment_tombstones
     where environment_id = ${environmentId} and name = ${segment.name} and kind in (${segment.kind}, 'standard', 'large')`);
}

/**
 * Leaves a tombstone, which tells SDKs that the segment was deactivated with this change. If a rule-based segment of
 * this name was here before, it stays the tombstone of one: SDKs that were away since then still have that one.
 */
export async function deleteActivation(
  tx: Tx,
  environmentId: string,
  { id, name, kind }: Segment,
  changeNumber: number,
): Promise<void> {
  await tx.run(sql`
    delete from segment_environments where environment_id = ${environmentId} and segment_id = ${id}`);
  await tx.run(sql`
    insert into segment_tombstones (environment_id, name, kind, change_number)
    values (${environmentId}, ${name}, ${kind}, ${changeNumber})
        on conflict (environment_id, name) do update
       set kind = case when segment_tombstones.kind = 'rule_based' then 'rule_based' else excluded.kind end,
           change_number = excluded.change_number`);
}

interface UsageRow {
  readonly name: string;
  readonly environment_id: string;
  readonly environment_name: string;
  readonly is_active: number;
  readonly key_count: number;
  readonly rule_count: number | null;
  readonly updated_at: number | null;
  readonly used_by: number;
}

/**
 * How many rules the text of a definition has, without parsing it: no other text in it contains this, because quotes
 * within JSON strings are escaped.
 */
const ruleStart = '{"condition":';
const ruleCount = sql`
  case when s.kind = 'rule_based'
       then (length(coalesce(a.rules, '')) - length(replace(coalesce(a.rules, ''), ${ruleStart}, ''))) / ${raw(String(ruleStart.length))}
  end`;

/** Where these segments of a project are active or named, in one statement; environments by creation. */
export async function listUsage(
  db: Reader,
  projectId: string,
  segments: readonly Segment[],
): Promise<Map<string, Usage[]>> {
  if (segments.length === 0) return new Map();
  const names = join(segments.map(({ name }) => name));
  const rows = await db.all<UsageRow>(sql`
    select u.name, e.id as environment_id, e.name as environment_name, max(u.is_active) as is_active,
           max(u.key_count) as key_count, max(u.rule_count) as rule_count, max(u.updated_at) as updated_at,
           sum(u.used_by) as used_by
      from (select a.environment_id, s.name, 1 as is_active, a.key_count, ${ruleCount} as rule_count, a.updated_at,
                   0 as used_by
              from segment_environments a join segments s on s.id = a.segment_id
             where a.segment_id in (${join(segments.map(({ id }) => id))})
            union all
            select r.environment_id, r.name, 0, 0, null, null, 1
              from environments p cross join object_references r
             where p.project_id = ${projectId} and r.environment_id = p.id and r.kind = 'segment'
               and r.name in (${names})) u
      join environments e on e.id = u.environment_id
     group by u.name, e.id, e.name, e.created_at order by e.created_at, e.id`);
  const usage = rows.map((row) => ({
    segment: row.name,
    environment: { id: row.environment_id, name: row.environment_name },
    active: Number(row.is_active) === 1,
    keyCount: Number(row.key_count),
    ...(row.rule_count === null ? {} : { ruleCount: Number(row.rule_count) }),
    ...(row.updated_at === null ? {} : { lastUpdateTime: Number(row.updated_at) }),
    usedBy: Number(row.used_by),
  }));
  return Map.groupBy(usage, ({ segment }) => segment);
}

/** How many flags and rule-based segments name these segments, by name; each counts once over all environments. */
export async function countSegmentUses(db: Reader, projectId: string, segments: readonly Segment[]) {
  if (segments.length === 0) return new Map<string, { flags: number; segments: number }>();
  const rows = await db.all<{ name: string; flags: number; segments: number }>(sql`
    select r.name, count(distinct r.flag_id) as flags, count(distinct r.segment_id) as segments
      from environments p cross join object_references r
     where p.project_id = ${projectId} and r.environment_id = p.id and r.kind = 'segment'
       and r.name in (${join(segments.map(({ name }) => name))})
     group by r.name`);
  return new Map(rows.map(({ name, ...counts }) => [name, counts]));
}
