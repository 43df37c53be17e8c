/** What definitions and rule-based segments name, extracted from them: for cycle checks and "used by" lists. */
import sql, { bulk, empty, join } from 'sql-template-tag';
import type { ObjectReference } from '#domain/definitions/references.ts';
import type { FlagSet } from '#domain/flag-sets.ts';
import type { Dependent } from '#domain/flags.ts';
import type { Reference } from '#domain/schema.ts';
import type { SegmentUser } from '#domain/segments.ts';
import type { SizedFlag } from './definitions.ts';
import type { Page } from './paging.ts';
import type { Reader, Store, Tx } from './sql.ts';

/** What names other objects: a definition, by its flag, or the definition of a rule-based segment. */
export interface Referrer extends Reference {
  readonly kind: 'flag' | 'segment';
}

/** Replaces the references of a definition. Nodes of the previous release read `dependencies`. */
export async function saveReferences(
  tx: Tx,
  environmentId: string,
  from: Referrer,
  references: readonly ObjectReference[],
): Promise<void> {
  const [flagId, segmentId] = from.kind === 'flag' ? [from.id, null] : [null, from.id];
  await tx.run(sql`
    delete from object_references
     where environment_id = ${environmentId} and from_kind = ${from.kind} and from_name = ${from.name}`);
  if (references.length > 0) {
    await tx.run(sql`
      insert into object_references (environment_id, from_kind, from_name, kind, name, flag_id, segment_id)
      values ${bulk(references.map(({ kind, name }) => [environmentId, from.kind, from.name, kind, name, flagId, segmentId]))}`);
  }
  if (from.kind === 'flag') await saveDependencies(tx, environmentId, from, references);
}

async function saveDependencies(tx: Tx, environmentId: string, flag: Reference, all: readonly ObjectReference[]) {
  await tx.run(sql`delete from dependencies where environment_id = ${environmentId} and flag_id = ${flag.id}`);
  const flags = all.filter(({ kind }) => kind === 'flag');
  if (flags.length === 0) return;
  await tx.run(sql`
    insert into dependencies (environment_id, flag_id, flag_name, needed_flag_name)
    values ${bulk(flags.map(({ name }) => [environmentId, flag.id, flag.name, name]))}`);
}

/**
 * Runs at each start: adds references for rows written by nodes of the previous release, which know only
 * `dependencies`.
 */
export const completeReferences = (store: Store): Promise<void> =>
  store.write(async (tx) => {
    await tx.run(sql`
      insert into object_references (environment_id, from_kind, from_name, kind, name, flag_id)
      select d.environment_id, 'flag', d.flag_name, 'flag', d.needed_flag_name, d.flag_id from dependencies d
       where not exists (select 1 from object_references r
                          where r.environment_id = d.environment_id and r.from_kind = 'flag'
                            and r.from_name = d.flag_name and r.kind = 'flag' and r.name = d.needed_flag_name)
          on conflict do nothing`);
    await tx.run(sql`
      delete from object_references
       where kind = 'flag' and from_kind = 'flag'
         and not exists (select 1 from dependencies d
                          where d.environment_id = object_references.environment_id
                            and d.flag_id = object_references.flag_id
                            and d.needed_flag_name = object_references.name)`);
  });

/**
 * How many references from objects of this kind to others of the same kind the environment has besides those of one
 * object; counting stops at `max`.
 */
export async function countOtherDependencies(
  db: Reader,
  environmentId: string,
  from: Pick<Referrer, 'kind' | 'name'>,
  max: number,
): Promise<number> {
  const { kind, name } = from;
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total
      from (select 1 from object_references
             where environment_id = ${environmentId} and kind = ${kind} and from_kind = ${kind}
               and from_name <> ${name} limit ${max}) p`);
  return row?.total ?? 0;
}

/**
 * Those of the candidates, of the same kind, that depend on the object in the environment, directly or indirectly.
 * Visits every reference that leads to it, so limit their number first. The `cross join` keeps SQLite from scanning all
 * references of the environment for each dependent.
 */
export async function listDependents(
  db: Reader,
  environmentId: string,
  { kind, name }: Pick<Referrer, 'kind' | 'name'>,
  candidates: readonly string[],
): Promise<Set<string>> {
  if (candidates.length === 0) return new Set();
  const rows = await db.all<{ name: string }>(sql`
    with recursive dependent (name) as (
      select from_name from object_references
       where environment_id = ${environmentId} and kind = ${kind} and name = ${name} and from_kind = ${kind}
      union
      select r.from_name from dependent cross join object_references r
       where r.environment_id = ${environmentId} and r.kind = ${kind} and r.name = dependent.name
         and r.from_kind = ${kind}
    )
    select name from dependent where name in (${join([...candidates])})`);
  return new Set(rows.map((row) => row.name));
}

/** The project's environments come first, so that each is one lookup in the index by name. */
const dependentsIn = ({ projectId, kind, name, environmentId }: DependentsFilter) => sql`
  environments e cross join object_references r
   where e.project_id = ${projectId} and r.environment_id = e.id and r.kind = ${kind} and r.name = ${name}
         and r.from_kind = 'flag' ${environmentId === undefined ? empty : sql`and e.id = ${environmentId}`}`;

/** Of a flag, by its name, or of a flag set, by its id. */
interface DependentsFilter extends ObjectReference {
  readonly projectId: string;
  readonly environmentId?: string | undefined;
}

/** Flags that depend on the flag directly, or are in the flag set: by creation of the environment, then by name. */
export async function listDirectDependents(
  db: Reader,
  filter: DependentsFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<Dependent[]> {
  const rows = await db.all<Record<'flag_id' | 'flag_name' | 'environment_id' | 'environment_name', string>>(sql`
    select r.flag_id, r.from_name as flag_name, e.id as environment_id, e.name as environment_name
      from ${dependentsIn(filter)}
     order by e.created_at, e.id, r.from_name limit ${limit} offset ${offset}`);
  return rows.map((row) => ({
    flag: { id: row.flag_id, name: row.flag_name },
    environment: { id: row.environment_id, name: row.environment_name },
  }));
}

export async function countDirectDependents(db: Reader, filter: DependentsFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from ${dependentsIn(filter)}`);
  return row?.total ?? 0;
}

interface SegmentUsersFilter {
  readonly projectId: string;
  readonly segment: string;
  readonly environmentId?: string | undefined;
}

const segmentUsersIn = ({ projectId, segment, environmentId }: SegmentUsersFilter) => sql`
  environments e cross join object_references r
   where e.project_id = ${projectId} and r.environment_id = e.id and r.kind = 'segment' and r.name = ${segment}
         ${environmentId === undefined ? empty : sql`and e.id = ${environmentId}`}`;

/** What names a segment, once for each environment: by creation of the environment, then flags, then by name. */
export async function listSegmentUsers(
  db: Reader,
  filter: SegmentUsersFilter,
  { offset, limit }: Page,
): Promise<SegmentUser[]> {
  const rows = await db.all<SegmentUser & { environment_id: string; environment_name: string }>(sql`
    select r.from_kind as kind, r.from_name as name, e.id as environment_id, e.name as environment_name
      from ${segmentUsersIn(filter)}
     order by e.created_at, e.id, r.from_kind, r.from_name limit ${limit} offset ${offset}`);
  return rows.map(({ kind, name, environment_id: id, environment_name }) => ({
    kind,
    name,
    environment: { id, name: environment_name },
  }));
}

export async function countSegmentUsers(db: Reader, filter: SegmentUsersFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from ${segmentUsersIn(filter)}`);
  return row?.total ?? 0;
}

/** The environments where definitions name a flag set, by id, and how many do. */
export const listFlagSetEnvironments = (db: Reader, { id, projectId }: Pick<FlagSet, 'id' | 'projectId'>) =>
  db.all<Reference & { readonly count: number }>(sql`
    select e.id, e.name, count(*) as count from environments e cross join object_references r
     where e.project_id = ${projectId} and r.environment_id = e.id and r.kind = 'flag_set' and r.name = ${id}
     group by e.id, e.name order by e.id`);

/** The flags whose definitions in the environment name a flag set, with the size of these. */
export const listFlagsInSet = (db: Reader, environmentId: string, flagSetId: string) =>
  db.all<SizedFlag>(sql`
    select r.flag_id as id, r.from_name as name, octet_length(d.targeting) as bytes
      from object_references r cross join definitions d
     where r.environment_id = ${environmentId} and r.kind = 'flag_set' and r.name = ${flagSetId}
       and r.from_kind = 'flag' and d.environment_id = ${environmentId} and d.flag_id = r.flag_id
     order by r.from_name`);

/** For an object that nothing names any more. */
export const deleteReferencesTo = (tx: Tx, environmentId: string, { kind, name }: ObjectReference) =>
  tx.run(sql`
    delete from object_references where environment_id = ${environmentId} and kind = ${kind} and name = ${name}`);

/** An edge of the graph of flags and rule-based segments, in either direction. */
export interface Edge extends Pick<Referrer, 'kind' | 'name'> {
  readonly from: string;
}

/** What objects of one kind name, flags and segments. At most `limit`. */
export const listReferencesOf = (
  db: Reader,
  environmentId: string,
  { kind, names }: { kind: Referrer['kind']; names: readonly string[] },
  limit: number,
): Promise<Edge[]> =>
  db.all<Edge>(sql`
    select from_name as "from", kind, name from object_references
     where environment_id = ${environmentId} and from_kind = ${kind} and from_name in (${join([...names])})
       and kind in ('flag', 'segment') limit ${limit}`);

/**
 * What names objects of one kind: rule-based segments, and flags that are named themselves. Other flags end a chain, and
 * there may be thousands. At most `limit`.
 */
export const listChainedReferrers = (
  db: Reader,
  environmentId: string,
  { kind, names }: { kind: Referrer['kind']; names: readonly string[] },
  limit: number,
): Promise<Edge[]> =>
  db.all<Edge>(sql`
    select r.name as "from", r.from_kind as kind, r.from_name as name from object_references r
     where r.environment_id = ${environmentId} and r.kind = ${kind} and r.name in (${join([...names])})
       and (r.from_kind = 'segment'
            or exists (select 1 from object_references u
                        where u.environment_id = ${environmentId} and u.kind = 'flag' and u.name = r.from_name))
     limit ${limit}`);

/** Whether a rule-based segment of the environment depends on a flag. */
export const haveSegmentsFlags = async (db: Reader, environmentId: string): Promise<boolean> =>
  (await db.one(sql`
    select 1 from object_references
     where environment_id = ${environmentId} and from_kind = 'segment' and kind = 'flag' limit 1`)) !== undefined;
