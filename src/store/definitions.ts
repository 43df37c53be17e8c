import sql, { bulk, join } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import type { Seeds } from '#domain/bucketing.ts';
import type { Definition, Targeting } from '#domain/definitions.ts';
import { Problem } from '#domain/problems.ts';
import type { Reference } from '#domain/schema.ts';
import { withinEnvironments } from './scopes.ts';
import { onRefused, type Reader, type Tx } from './sql.ts';

interface DefinitionRow {
  readonly flag_id: string;
  readonly flag_name: string;
  readonly traffic_type_id: string;
  readonly traffic_type_name: string;
  readonly targeting: string;
  readonly change_number: number;
  readonly created_at: number;
  readonly updated_at: number;
}

const toDefinition = (row: DefinitionRow, environment: Reference): Definition => ({
  id: row.flag_id,
  name: row.flag_name,
  environment: { id: environment.id, name: environment.name },
  trafficType: { id: row.traffic_type_id, name: row.traffic_type_name },
  ...(JSON.parse(row.targeting) as Targeting),
  creationTime: row.created_at,
  lastUpdateTime: row.updated_at,
  revision: row.change_number,
});

interface PlacedRow extends DefinitionRow {
  readonly environment_id: string;
  readonly environment_name: string;
}

const toPlacedDefinition = (row: PlacedRow): Definition =>
  toDefinition(row, { id: row.environment_id, name: row.environment_name });

const columns = sql`
  d.flag_id, f.name as flag_name, f.traffic_type_id, t.name as traffic_type_name, d.targeting, d.change_number,
  d.created_at, d.updated_at`;
const definitionsWithFlags = sql`
  definitions d join flags f on f.id = d.flag_id join traffic_types t on t.id = f.traffic_type_id`;
const selectDefinition = sql`select ${columns} from ${definitionsWithFlags}`;

export async function findDefinition(
  db: Reader,
  environment: Reference,
  flagId: string,
): Promise<Definition | undefined> {
  const row = await db.one<DefinitionRow>(sql`
    ${selectDefinition} where d.environment_id = ${environment.id} and d.flag_id = ${flagId}`);
  return row && toDefinition(row, environment);
}

/** In order of creation. The targeting is read for the page alone, not for what is passed over. */
export async function listDefinitions(
  db: Reader,
  environment: Reference,
  { offset, limit }: { offset: number; limit: number },
): Promise<Definition[]> {
  const rows = await db.all<DefinitionRow>(sql`
    ${selectDefinition}
     join (select environment_id, flag_id from definitions where environment_id = ${environment.id}
            order by created_at, flag_id limit ${limit} offset ${offset}) page
       on page.flag_id = d.flag_id and page.environment_id = d.environment_id
    order by d.created_at, d.flag_id`);
  return rows.map((row) => toDefinition(row, environment));
}

export async function countDefinitions(db: Reader, environmentId: string): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from definitions where environment_id = ${environmentId}`);
  return row?.total ?? 0;
}

export const hasDefinitions = async (db: Reader, environmentId: string): Promise<boolean> =>
  (await db.one(sql`select 1 from definitions where environment_id = ${environmentId} limit 1`)) !== undefined;

/** Where the flag is defined, by id: the order in which the environments' numbers must be taken. */
export const listEnvironmentsOfFlag = (db: Reader, flagId: string) =>
  db.all<Reference>(sql`
    select e.id, e.name from definitions d join environments e on e.id = d.environment_id
     where d.flag_id = ${flagId} order by d.environment_id`);

/** The flag's definitions in all environments, by environment id. */
export async function listDefinitionsOfFlag(db: Reader, flagId: string): Promise<Definition[]> {
  const rows = await db.all<PlacedRow>(sql`
    select ${columns}, d.environment_id, e.name as environment_name
      from ${definitionsWithFlags} join environments e on e.id = d.environment_id
     where d.flag_id = ${flagId}
     order by d.environment_id`);
  return rows.map(toPlacedDefinition);
}

/** What the flags do in the environments that the scope reaches, in the order of the environments' creation. */
export async function listDefinitionsOfFlags(
  db: Reader,
  flagIds: readonly string[],
  scope: Scope,
): Promise<(Definition & Seeds)[]> {
  if (flagIds.length === 0) return [];
  const rows = await db.all<PlacedRow & { seed: number; traffic_allocation_seed: number }>(sql`
    select ${columns}, d.environment_id, e.name as environment_name, d.seed, d.traffic_allocation_seed
      from ${definitionsWithFlags} join environments e on e.id = d.environment_id
     where d.flag_id in (${join([...flagIds])}) and ${withinEnvironments(scope, sql`d.environment_id`)}
     order by e.created_at, e.id`);
  return rows.map((row) => ({
    ...toPlacedDefinition(row),
    seed: row.seed,
    trafficAllocationSeed: row.traffic_allocation_seed,
  }));
}

/** Also ends the tombstone of an earlier definition. */
export async function insertDefinition(tx: Tx, definition: Definition, targeting: string, seeds: Seeds): Promise<void> {
  const { id: flagId, name: flag, environment } = definition;
  await tx
    .run(sql`
      insert into definitions (environment_id, flag_id, targeting, seed, traffic_allocation_seed, change_number,
                               created_at, updated_at)
      values (${environment.id}, ${flagId}, ${targeting}, ${seeds.seed}, ${seeds.trafficAllocationSeed},
              ${definition.revision}, ${definition.creationTime}, ${definition.lastUpdateTime})`)
    .catch(
      onRefused({
        definitions_flag_key: () => new Problem('definition_exists', { flag, environment: environment.name }),
      }),
    );
  await tx.run(sql`delete from tombstones where environment_id = ${environment.id} and flag_name = ${flag}`);
}

export const saveDefinition = (tx: Tx, definition: Definition, targeting: string) =>
  tx.run(sql`
    update definitions
       set targeting = ${targeting}, change_number = ${definition.revision},
           updated_at = ${definition.lastUpdateTime}
     where environment_id = ${definition.environment.id} and flag_id = ${definition.id}`);

export const deleteDefinition = (tx: Tx, environmentId: string, flagId: string) =>
  tx.run(sql`delete from definitions where environment_id = ${environmentId} and flag_id = ${flagId}`);

/** Remembers for the SDKs that the flag is gone from the environment since that change. */
export const insertTombstone = (tx: Tx, environmentId: string, flag: string, changeNumber: number) =>
  tx.run(sql`
    insert into tombstones (environment_id, flag_name, change_number) values (${environmentId}, ${flag}, ${changeNumber})
        on conflict (environment_id, flag_name) do update set change_number = excluded.change_number`);

/** Which flags the definition needs, anew. */
export async function saveDependencies(
  tx: Tx,
  environmentId: string,
  flag: Reference,
  neededFlags: readonly string[],
): Promise<void> {
  await tx.run(sql`delete from dependencies where environment_id = ${environmentId} and flag_id = ${flag.id}`);
  if (neededFlags.length === 0) return;
  await tx.run(sql`
    insert into dependencies (environment_id, flag_id, flag_name, needed_flag_name)
    values ${bulk(neededFlags.map((needed) => [environmentId, flag.id, flag.name, needed]))}`);
}

/** How many dependencies the environment's other definitions have together; counting stops at `most`. */
export async function countOtherDependencies(
  db: Reader,
  environmentId: string,
  flagId: string,
  most: number,
): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total
      from (select 1 from dependencies where environment_id = ${environmentId} and flag_id <> ${flagId}
             limit ${most}) counted`);
  return row?.total ?? 0;
}

/**
 * Of the given flags: those whose definitions in the environment need the flag, directly or through others.
 * Visits every dependency that leads to the flag, so bound their number before you ask. The `cross join` keeps SQLite
 * from scanning all dependencies of the environment for each dependent that it found.
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
      select flag_name from dependencies where environment_id = ${environmentId} and needed_flag_name = ${flag}
      union
      select d.flag_name from dependent cross join dependencies d
       where d.environment_id = ${environmentId} and d.needed_flag_name = dependent.name
    )
    select name from dependent where name in (${join([...candidates])})`);
  return new Set(rows.map((row) => row.name));
}
