/** What definitions refer to, extracted from their targetings: for cycle checks and "used by" lists. */
import sql, { bulk, empty, join } from 'sql-template-tag';
import type { DefinitionReference } from '#domain/definitions/references.ts';
import type { Dependent } from '#domain/flags.ts';
import type { Reference } from '#domain/schema.ts';
import type { Reader, Store, Tx } from './sql.ts';

/** Replaces the references of a definition. Nodes of the previous release read `dependencies`. */
export async function saveReferences(
  tx: Tx,
  environmentId: string,
  flag: Reference,
  references: readonly DefinitionReference[],
): Promise<void> {
  const isOfDefinition = sql`environment_id = ${environmentId} and flag_id = ${flag.id}`;
  await tx.run(sql`delete from definition_references where ${isOfDefinition}`);
  await tx.run(sql`delete from dependencies where ${isOfDefinition}`);
  if (references.length === 0) return;
  await tx.run(sql`
    insert into definition_references (environment_id, flag_id, flag_name, kind, name)
    values ${bulk(references.map(({ kind, name }) => [environmentId, flag.id, flag.name, kind, name]))}`);
  const flags = references.filter(({ kind }) => kind === 'flag');
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
      insert into definition_references (environment_id, flag_id, flag_name, kind, name)
      select d.environment_id, d.flag_id, d.flag_name, 'flag', d.needed_flag_name from dependencies d
       where not exists (select 1 from definition_references r
                          where r.environment_id = d.environment_id and r.flag_id = d.flag_id and r.kind = 'flag'
                            and r.name = d.needed_flag_name)
          on conflict do nothing`);
    await tx.run(sql`
      delete from definition_references
       where kind = 'flag'
         and not exists (select 1 from dependencies d
                          where d.environment_id = definition_references.environment_id
                            and d.flag_id = definition_references.flag_id
                            and d.needed_flag_name = definition_references.name)`);
  });

/** How many dependencies the environment's other definitions have in total; counting stops at `max`. */
export async function countOtherDependencies(
  db: Reader,
  environmentId: string,
  flagId: string,
  max: number,
): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total
      from (select 1 from definition_references
             where environment_id = ${environmentId} and kind = 'flag' and flag_id <> ${flagId} limit ${max}) p`);
  return row?.total ?? 0;
}

/**
 * Those of the given flags whose definitions in the environment depend on the flag, directly or indirectly. Visits
 * every dependency that leads to the flag, so limit their number first. The `cross join` keeps SQLite from scanning all
 * dependencies of the environment for each dependent.
 */
export async function listDependents(
  db: Reader,
  environmentId: string,
  flag: string,
  candidates: readonly string[],
): Promise<Set<string>> {
  if (candidates.length === 0) return new Set();
  const rows = await db.all<{ name: string }>(sql`
    with recursive dependent (name) as (
      select flag_name from definition_references
       where environment_id = ${environmentId} and kind = 'flag' and name = ${flag}
      union
      select r.flag_name from dependent cross join definition_references r
       where r.environment_id = ${environmentId} and r.kind = 'flag' and r.name = dependent.name
    )
    select name from dependent where name in (${join([...candidates])})`);
  return new Set(rows.map((row) => row.name));
}

/** The project's environments come first, so that each is one lookup in the index by name. */
const dependentsIn = ({ projectId, flag, environmentId }: DependentsFilter) => sql`
  environments e cross join definition_references r
   where e.project_id = ${projectId} and r.environment_id = e.id and r.kind = 'flag' and r.name = ${flag}
         ${environmentId === undefined ? empty : sql`and e.id = ${environmentId}`}`;

interface DependentsFilter {
  readonly projectId: string;
  readonly flag: string;
  readonly environmentId?: string | undefined;
}

/** Flags that depend on the flag directly, by creation of the environment, then by name. */
export async function listDirectDependents(
  db: Reader,
  filter: DependentsFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<Dependent[]> {
  const rows = await db.all<Record<'flag_id' | 'flag_name' | 'environment_id' | 'environment_name', string>>(sql`
    select r.flag_id, r.flag_name, e.id as environment_id, e.name as environment_name
      from ${dependentsIn(filter)}
     order by e.created_at, e.id, r.flag_name limit ${limit} offset ${offset}`);
  return rows.map((row) => ({
    flag: { id: row.flag_id, name: row.flag_name },
    environment: { id: row.environment_id, name: row.environment_name },
  }));
}

export async function countDirectDependents(db: Reader, filter: DependentsFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from ${dependentsIn(filter)}`);
  return row?.total ?? 0;
}
