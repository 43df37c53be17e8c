import { hash } from 'node:crypto';
import sql, { bulk, empty, join, type Sql } from 'sql-template-tag';
import type { Algorithm, Bucketing } from '#domain/bucketing.ts';
import type { StoredDefinition, Targeting } from '#domain/definitions/definition.ts';
import { type StoredSummary, summarize } from '#domain/definitions/summary.ts';
import { Problem } from '#domain/problems.ts';
import { rolledOutShare } from '#domain/rollouts.ts';
import type { Reference } from '#domain/schema.ts';
import { archivedFlags, type FlagRange, listFlagParts } from './flag-parts.ts';
import { findPage, fitting, type Page, type Total } from './paging.ts';
import { partsOf, skipRows, totalInParts } from './parts.ts';
import { inChunks, onRefused, type Reader, type Tx } from './sql.ts';

/** In bytes. A definition can be a megabyte; lists read smaller ones together and larger ones one by one. */
const smallTargeting = 16_384;

/** A stored definition with what decides about buckets. */
export type SeededDefinition = StoredDefinition & Bucketing;

interface DefinitionRow {
  readonly flag_id: string;
  readonly flag_name: string;
  readonly traffic_type_id: string;
  readonly traffic_type_name: string;
  readonly targeting: string;
  readonly change_number: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly seed: number;
  readonly traffic_allocation_seed: number;
  readonly algo: Algorithm;
  readonly last_traffic_at: number | null;
  readonly open_request: string | null;
}

/** Rows of 0.1.0 lack `impressionsDisabled`. Nothing else inside a targeting can have a member of this name. */
const withImpressions = (targeting: string): string =>
  targeting.includes('"impressionsDisabled":') ? targeting : `${targeting.slice(0, -1)},"impressionsDisabled":false}`;

const toStored = (row: DefinitionRow, environment: Reference): SeededDefinition => ({
  id: row.flag_id,
  name: row.flag_name,
  environment: { id: environment.id, name: environment.name },
  trafficType: { id: row.traffic_type_id, name: row.traffic_type_name },
  targeting: withImpressions(row.targeting),
  creationTime: row.created_at,
  lastUpdateTime: row.updated_at,
  ...(row.last_traffic_at === null ? {} : { lastTrafficReceivedAt: row.last_traffic_at }),
  ...(row.open_request === null ? {} : { openChangeRequestId: row.open_request }),
  revision: row.change_number,
  seed: row.seed,
  trafficAllocationSeed: row.traffic_allocation_seed,
  algo: row.algo,
});

const columns = sql`
  d.flag_id, f.name as flag_name, f.traffic_type_id, t.name as traffic_type_name, d.targeting, d.change_number,
  d.created_at, d.updated_at, d.seed, d.traffic_allocation_seed, d.algo,
  (select last_at from flag_traffic s where s.environment_id = d.environment_id and s.flag_id = d.flag_id)
    as last_traffic_at,
  (select o.changeset_id from changeset_operations o
    where o.object_kind = 'definition' and o.object_id = d.flag_id and o.environment_id = d.environment_id
      and o.is_pending) as open_request`;
const definitionsWithFlags = sql`
  definitions d join flags f on f.id = d.flag_id join traffic_types t on t.id = f.traffic_type_id`;

export async function findStoredDefinition(
  db: Reader,
  environment: Reference,
  flagId: string,
): Promise<SeededDefinition | undefined> {
  const row = await db.one<DefinitionRow>(sql`
    select ${columns} from ${definitionsWithFlags} where d.environment_id = ${environment.id} and d.flag_id = ${flagId}`);
  return row && toStored(row, environment);
}

/** If the definition is too large for the list statement, only its place. */
type ListedRow = { readonly place_flag_id: string } & (DefinitionRow | { readonly targeting: null });

/** The definition `d` of each place. Large ones are not read at all. */
const smallDefinitionsOf = (place: Sql): Sql => sql`
  left join definitions d on d.environment_id = ${place}.environment_id and d.flag_id = ${place}.flag_id
    and octet_length(d.targeting) <= ${smallTargeting}
  left join flags f on f.id = d.flag_id left join traffic_types t on t.id = f.traffic_type_id`;

/** The definitions of archived flags in an environment of the project, or those of all others. */
export interface DefinitionFilter extends FlagRange {
  readonly environmentId: string;
}

/** Archived flags are usually few. */
const matching = ({ projectId, environmentId, isArchived }: DefinitionFilter) => sql`
  environment_id = ${environmentId} and flag_id ${isArchived ? empty : sql`not`} in
    (${archivedFlags(projectId)})`;

/** In order of creation. Targetings are read only for the page. */
export async function* listStoredDefinitions(
  db: Reader,
  environment: Reference,
  { filter, page, counted }: { filter: DefinitionFilter; page: Page; counted: Total },
): AsyncGenerator<StoredDefinition> {
  const places = { from: sql`definitions`, where: matching(filter), columns: [sql`created_at`, sql`flag_id`] };
  const rows = await findPage(page, counted, {
    fromStart: async ({ offset, limit }) => {
      const { rest, left } = await skipRows(db, places, offset);
      return readPage(db, sql`${rest} order by created_at, flag_id limit ${limit} offset ${left}`);
    },
    fromEnd: async ({ offset, limit }) => {
      const { rest, left } = await skipRows(db, { ...places, order: 'desc' }, offset);
      const isUnchanged = sql`(${changesOf(filter.environmentId)}) = ${counted.changes}`;
      return readPage(
        db,
        sql`${rest} and ${isUnchanged} order by created_at desc, flag_id desc limit ${limit} offset ${left}`,
      );
    },
  });
  for (const row of rows) yield* readListed(db, environment, row);
}

const readPage = (db: Reader, page: Sql) =>
  db.all<ListedRow>(sql`
    select ${columns}, page.flag_id as place_flag_id
      from (select environment_id, flag_id, created_at from definitions where ${page}) page
      ${smallDefinitionsOf(sql`page`)}
     order by page.created_at, page.flag_id`);

export async function countDefinitions(db: Reader, filter: DefinitionFilter): Promise<Total> {
  const { projectId, environmentId, isArchived } = filter;
  const changes = (await findDefinitionChanges(db, environmentId)) ?? 0;
  const archivedParts = await listFlagParts(db, { projectId, isArchived: true });
  const ofArchived = await totalInParts(
    db,
    archivedParts,
    (part) => sql`
    flags f join definitions d on d.flag_id = f.id and d.environment_id = ${environmentId} where ${part}`,
  );
  if (isArchived) return { total: ofArchived, changes };
  const every = {
    from: sql`definitions`,
    where: sql`environment_id = ${environmentId}`,
    columns: [sql`change_number`],
  };
  const all = await totalInParts(db, partsOf(db, every), (part) => sql`definitions where ${part}`);
  return { total: all - ofArchived, changes };
}

/** The number of the last change to the environment's definitions. */
export const findDefinitionChanges = async (db: Reader, environmentId: string): Promise<number | undefined> =>
  (await db.one<{ change_number: number }>(changesOf(environmentId)))?.change_number;

const changesOf = (environmentId: string) => sql`select change_number from environments where id = ${environmentId}`;

/** How many definitions one statement reads, at most three megabytes. */
const definitionsAtOnce = 200;

/** Those of the environment that changed after this number, in order of their numbers, without archived flags. */
export const listDefinitionsAfter = (db: Reader, environment: Reference, changeNumber: number) =>
  listAfter(db, environment, changeNumber, ({ is_archived }) => !is_archived);

/** All of the environment, also those of archived flags. */
export const listEveryDefinition = (db: Reader, environment: Reference) => listAfter(db, environment, -1, () => true);

type NumberedRow = ListedRow & { readonly place_number: number; readonly is_archived: boolean | number };

/** Each statement goes through as many definitions as it reads, however many flags are archived. */
async function* listAfter(
  db: Reader,
  environment: Reference,
  changeNumber: number,
  isWanted: (row: NumberedRow) => boolean,
): AsyncGenerator<SeededDefinition> {
  for (let last = changeNumber; ; ) {
    const rows = await db.all<NumberedRow>(sql`
      select ${columns}, page.flag_id as place_flag_id, page.change_number as place_number,
             exists (select 1 from flags a where a.id = page.flag_id and a.archived_at is not null) as is_archived
        from (select environment_id, flag_id, change_number from definitions
               where environment_id = ${environment.id} and change_number > ${last}
               order by change_number limit ${definitionsAtOnce}) page ${smallDefinitionsOf(sql`page`)}
       order by page.change_number`);
    for (const row of rows.filter(isWanted)) yield* readListed(db, environment, row);
    if (rows.length < definitionsAtOnce) return;
    last = rows.at(-1)?.place_number ?? last;
  }
}

/** Yields nothing if it was deleted meanwhile. */
async function* readListed(db: Reader, environment: Reference, row: ListedRow): AsyncGenerator<SeededDefinition> {
  if (row.targeting !== null) return yield toStored(row, environment);
  const large = await findStoredDefinition(db, environment, row.place_flag_id);
  if (large) yield large;
}

export const hasDefinitions = async (db: Reader, environmentId: string): Promise<boolean> =>
  (await db.one(sql`select 1 from definitions where environment_id = ${environmentId} limit 1`)) !== undefined;

export const isDefined = async (db: Reader, environmentId: string, flagId: string): Promise<boolean> =>
  (await db.one(sql`select 1 from definitions where environment_id = ${environmentId} and flag_id = ${flagId}`)) !==
  undefined;

/** Where the flag is defined, by environment id: the order in which change numbers must be taken. */
export const listEnvironmentsOfFlag = (db: Reader, flagId: string) =>
  db.all<Reference>(sql`
    select e.id, e.name from definitions d join environments e on e.id = d.environment_id
     where d.flag_id = ${flagId} order by d.environment_id`);

/** The flag's definitions in the environments, in their order. */
export async function* listStoredDefinitionsOfFlag(
  db: Reader,
  flagId: string,
  environments: readonly Reference[],
): AsyncGenerator<SeededDefinition> {
  for (const some of inChunks(environments, 50)) {
    const rows = await db.all<ListedRow & { environment_id: string }>(sql`
      select ${columns}, place.environment_id, place.flag_id as place_flag_id
        from definitions place ${smallDefinitionsOf(sql`place`)}
       where place.flag_id = ${flagId} and place.environment_id in (${join(some.map(({ id }) => id))})`);
    const byEnvironment = new Map(rows.map((row) => [row.environment_id, row]));
    for (const environment of some) {
      const row = byEnvironment.get(environment.id);
      if (row) yield* readListed(db, environment, row);
    }
  }
}

/** A flag, and the size of its definition in an environment. */
export interface SizedFlag extends Reference {
  readonly bytes: number;
}

/** How many definitions, and bytes of them, one statement reads or writes: on SQLite, everyone waits for it. */
const changedAtOnce = 50;
const maxChangedBytes = 262_144;

/** Parts that one statement can read and another one write. */
export function inReadableParts(flags: readonly SizedFlag[]): SizedFlag[][] {
  const parts: SizedFlag[][] = [];
  for (let start = 0; start < flags.length; start += parts.at(-1)?.length ?? 1) {
    parts.push(fitting(flags.slice(start, start + changedAtOnce), ({ bytes }) => bytes, maxChangedBytes));
  }
  return parts;
}

/** The definitions of these flags in the environment. */
export async function listStoredDefinitionsOfFlags(
  db: Reader,
  environment: Reference,
  flags: readonly Reference[],
): Promise<SeededDefinition[]> {
  const rows = await db.all<DefinitionRow>(sql`
    select ${columns} from ${definitionsWithFlags}
     where d.environment_id = ${environment.id} and d.flag_id in (${join(flags.map(({ id }) => id))})`);
  return rows.map((row) => toStored(row, environment));
}

/** The same, of flags with these names. */
export async function listStoredDefinitionsNamed(
  db: Reader,
  environment: Reference,
  names: readonly string[],
): Promise<SeededDefinition[]> {
  const rows = await db.all<DefinitionRow>(sql`
    select ${columns} from ${definitionsWithFlags}
     where d.environment_id = ${environment.id}
       and f.project_id = (select project_id from environments where id = ${environment.id})
       and f.name in (${join([...names])})`);
  return rows.map((row) => toStored(row, environment));
}

/** Also removes the tombstone of an earlier definition. */
export async function insertDefinition(tx: Tx, definition: SeededDefinition, summary: StoredSummary): Promise<void> {
  const { id: flagId, name: flag, environment } = definition;
  await tx
    .run(sql`
      insert into definitions (environment_id, flag_id, targeting, seed, traffic_allocation_seed, algo,
                               change_number, created_at, updated_at)
      values (${environment.id}, ${flagId}, ${definition.targeting}, ${definition.seed},
              ${definition.trafficAllocationSeed}, ${definition.algo}, ${definition.revision},
              ${definition.creationTime}, ${definition.lastUpdateTime})`)
    .catch(
      onRefused({
        definitions_flag_key: () => new Problem('definition_exists', { flag, environment: environment.name }),
      }),
    );
  await saveSummaries(tx, [{ definition, summary }]);
  await tx.run(sql`delete from tombstones where environment_id = ${environment.id} and flag_name = ${flag}`);
}

/** Definitions in an environment that never had any of these flags. */
export async function insertFirstDefinitions(
  tx: Tx,
  created: readonly { definition: SeededDefinition; summary: StoredSummary }[],
): Promise<void> {
  const rows = created.map(({ definition: one }) => [
    ...[one.environment.id, one.id, one.targeting, one.seed, one.trafficAllocationSeed, one.algo],
    ...[one.revision, one.creationTime, one.lastUpdateTime],
  ]);
  await tx.run(sql`
    insert into definitions (environment_id, flag_id, targeting, seed, traffic_allocation_seed, algo,
                             change_number, created_at, updated_at)
    values ${bulk(rows)}`);
  await saveSummaries(tx, created);
}

/** A definition with its summary, which `definition-summaries.ts` reads. */
export interface SummarizedChange {
  readonly definition: StoredDefinition;
  readonly summary: StoredSummary;
}

/** Definitions of different flags or environments. */
export async function saveDefinitions(tx: Tx, changed: readonly SummarizedChange[]): Promise<void> {
  const rows = changed.map(({ definition: { environment, id, targeting, revision, lastUpdateTime } }) => [
    ...[environment.id, id, targeting, revision, lastUpdateTime],
  ]);
  // PostgreSQL takes given values for text.
  await tx.run(sql`
    with given (environment_id, flag_id, targeting, change_number, updated_at) as (values ${bulk(rows)})
    update definitions
       set targeting = given.targeting, change_number = cast(given.change_number as bigint),
           updated_at = cast(given.updated_at as bigint)
      from given
     where definitions.environment_id = given.environment_id and definitions.flag_id = given.flag_id`);
  await saveSummaries(tx, changed);
}

/** The summary to store beside a targeting. */
export const summaryOf = (targeting: Targeting): StoredSummary =>
  summarize(targeting, (text) => hash('sha256', text, 'base64url').slice(0, 16));

/** Also moves the flags in the list. */
export async function saveSummaries(tx: Tx, changed: readonly SummarizedChange[]): Promise<void> {
  const rows = changed.map(({ definition: { environment, id, revision, lastUpdateTime }, summary }) => [
    ...[environment.id, id, revision, lastUpdateTime, JSON.stringify(summary)],
    ...[revision, summary.killed, Math.round(rolledOutShare(summary) * 100), summary.digest],
  ]);
  await tx.run(sql`
    insert into definition_summaries (environment_id, flag_id, change_number, updated_at, summary, listed_change, killed,
                                      share, digest)
    values ${bulk(rows)}
        on conflict (environment_id, flag_id) do update
       set change_number = excluded.change_number, updated_at = excluded.updated_at, summary = excluded.summary,
           listed_change = excluded.listed_change, killed = excluded.killed, share = excluded.share,
           digest = excluded.digest`);
  const flagIds = changed.map(({ definition }) => definition.id);
  await moveFlags(tx, flagIds, Math.max(...changed.map(({ definition }) => definition.lastUpdateTime)));
}

/** Of several production environments, the largest counts. */
const productionShare = sql`coalesce(
  (select max(s.share) from definition_summaries s join environments e on e.id = s.environment_id
    where s.flag_id = flags.id and e.production), -1)`;
const ofFlag = sql`from definition_summaries s where s.flag_id = flags.id`;

/** Updates their places and states in the list after a change to their definitions. */
const moveFlags = (tx: Tx, flagIds: readonly string[], at: number) =>
  tx.run(sql`
    update flags
       set changed_at = case when changed_at < ${at} then ${at} else changed_at end, production_share = ${productionShare},
           definition_count = (select count(*) ${ofFlag}), killed_count = (select count(*) ${ofFlag} and s.killed),
           differs = coalesce((select min(s.digest) <> max(s.digest) ${ofFlag}), false)
     where id in (${join([...flagIds])})`);

/** After an environment became one for production, or ceased to be. */
export const moveFlagsOf = (tx: Tx, environmentId: string) =>
  tx.run(sql`
    update flags set production_share = ${productionShare}
     where id in (select flag_id from definitions where environment_id = ${environmentId})`);

export async function deleteDefinition(tx: Tx, environmentId: string, flagId: string): Promise<void> {
  await tx.run(sql`delete from definitions where environment_id = ${environmentId} and flag_id = ${flagId}`);
  await moveFlags(tx, [flagId], tx.now);
}

/** The first flags that are defined in the environment, with the size of their definitions. */
export const listDefinedFlags = (db: Reader, environmentId: string, limit: number) =>
  db.all<SizedFlag>(sql`
    select f.id, f.name, octet_length(d.targeting) as bytes
      from definitions d join flags f on f.id = d.flag_id
     where d.environment_id = ${environmentId} order by d.created_at, d.flag_id limit ${limit}`);

/** For an environment that is deleted: its flags keep no count of them. */
export const deleteDefinitions = (tx: Tx, environmentId: string, flags: readonly Reference[]) =>
  tx.run(sql`
    delete from definitions
     where environment_id = ${environmentId} and flag_id in (${join(flags.map(({ id }) => id))})`);

/** Gives the definition a new change number, with which SDKs receive it again. */
export async function renumberDefinition(tx: Tx, environmentId: string, flag: Reference, changeNumber: number) {
  const place = sql`environment_id = ${environmentId} and flag_id = ${flag.id}`;
  // A summary with another number is outdated, and stays so.
  await tx.run(sql`
    update definition_summaries
       set change_number = ${changeNumber},
           listed_change = case when listed_change = change_number then ${changeNumber} else listed_change end
     where ${place} and change_number = (select change_number from definitions where ${place})`);
  await tx.run(sql`update definitions set change_number = ${changeNumber} where ${place}`);
  await tx.run(sql`delete from tombstones where environment_id = ${environmentId} and flag_name = ${flag.name}`);
}

/** Tells SDKs that the flag was removed from the environment with this change. */
export const insertTombstone = (tx: Tx, environmentId: string, flag: string, changeNumber: number) =>
  tx.run(sql`
    insert into tombstones (environment_id, flag_name, change_number) values (${environmentId}, ${flag}, ${changeNumber})
        on conflict (environment_id, flag_name) do update set change_number = excluded.change_number`);
