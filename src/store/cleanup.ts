/** What is known about flags that may be finished. `domain/cleanup.ts` decides. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { bulk, join } from 'sql-template-tag';
import {
  type CleanupFlag,
  type CleanupPolicy,
  type DefinitionFacts,
  decisiveOf,
  defaultPolicy,
  type FlagFacts,
  factsOf,
  groupOf,
  type Keep,
  killedSince,
  oneTreatmentOf,
  pastDatesOf,
} from '#domain/cleanup.ts';
import type { Targeting } from '#domain/definitions/definition.ts';
import { dayMs } from '#domain/durations.ts';
import type { Environment } from '#domain/environments.ts';
import { listFlagParts } from './flag-parts.ts';
import { fitting } from './paging.ts';
import { isPermanent } from './rollout-statuses.ts';
import { housekeep, type Reader, type Store, type Tx } from './sql.ts';

interface PolicyRow {
  readonly one_treatment_days: number;
  readonly age_days: number;
  readonly quiet_days: number;
  readonly killed_days: number;
  readonly environment_ids: string;
}

export async function findPolicy(db: Reader, projectId: string): Promise<CleanupPolicy> {
  const row = await db.one<PolicyRow>(sql`
    select one_treatment_days, age_days, quiet_days, killed_days, environment_ids from cleanup_policies
     where project_id = ${projectId}`);
  if (!row) return defaultPolicy;
  return {
    oneTreatmentDays: row.one_treatment_days,
    ageDays: row.age_days,
    quietDays: row.quiet_days,
    killedDays: row.killed_days,
    environmentIds: JSON.parse(row.environment_ids) as string[],
  };
}

export const savePolicy = (tx: Tx, projectId: string, policy: CleanupPolicy) =>
  tx.run(sql`
    insert into cleanup_policies (project_id, one_treatment_days, age_days, quiet_days, killed_days, environment_ids)
    values (${projectId}, ${policy.oneTreatmentDays}, ${policy.ageDays}, ${policy.quietDays}, ${policy.killedDays},
            ${JSON.stringify(policy.environmentIds)})
        on conflict (project_id) do update
       set one_treatment_days = excluded.one_treatment_days, age_days = excluded.age_days,
           quiet_days = excluded.quiet_days, killed_days = excluded.killed_days,
           environment_ids = excluded.environment_ids`);

interface KeepRow {
  readonly until: number | null;
  readonly note: string;
  readonly kept_at: number;
  readonly kept_by: string;
}

const toKeep = ({ until, note, kept_at: keptAt, kept_by: keptBy }: KeepRow): Keep => ({
  ...(until === null ? {} : { until }),
  ...(note === '' ? {} : { note }),
  keptAt,
  keptBy,
});

export async function findKeep(db: Reader, flagId: string): Promise<Keep | undefined> {
  const row = await db.one<KeepRow>(
    sql`select until, note, kept_at, kept_by from flag_keeps where flag_id = ${flagId}`,
  );
  return row && toKeep(row);
}

export const saveKeep = (tx: Tx, flagId: string, { until, note, keptAt, keptBy }: Keep) =>
  tx.run(sql`
    insert into flag_keeps (flag_id, until, note, kept_at, kept_by)
    values (${flagId}, ${until ?? null}, ${note ?? ''}, ${keptAt}, ${keptBy})
        on conflict (flag_id) do update
       set until = excluded.until, note = excluded.note, kept_at = excluded.kept_at, kept_by = excluded.kept_by`);

export const deleteKeep = (tx: Tx, flagId: string) => tx.run(sql`delete from flag_keeps where flag_id = ${flagId}`);

export interface Cleanup {
  readonly policy: CleanupPolicy;
  /** Those that decide. */
  readonly environments: readonly Environment[];
  /**
   * All flags of the project that are not archived, in order of creation, some at a time: keep only what you need of
   * them, because collecting garbage takes long among 100,000 of them.
   */
  readonly flags: AsyncIterable<readonly CleanupFlag[]>;
}

/** How many flags a statement is about: with 12 environments, it takes about 3 ms on SQLite. */
const flagsAtOnce = 100;

/** What is known about all flags of a project. */
export async function readCleanup(db: Reader, projectId: string, all: readonly Environment[]): Promise<Cleanup> {
  const policy = await findPolicy(db, projectId);
  const environments = decisiveOf(all, policy);
  return { policy, environments, flags: cleanupFlags(db, { projectId, policy, environments, all }) };
}

interface Place {
  readonly projectId: string;
  readonly policy: CleanupPolicy;
  readonly environments: readonly Environment[];
  readonly all: readonly Environment[];
}

/** SQLite reads without waiting, so others get a turn after each statement. */
async function* cleanupFlags(
  db: Reader,
  { projectId, policy, environments, all }: Place,
): AsyncGenerator<readonly CleanupFlag[]> {
  const at = db.clock();
  const unknown = await unknownSegments(db, projectId, environments);
  const isReporting = await hasTraffic(db, projectId, at - policy.quietDays * dayMs);
  const now = { at, policy, isReporting };
  for (let last: FlagRow | undefined; ; ) {
    const rows = await listCleanupFlags(db, projectId, last, flagsAtOnce);
    await nextTurn();
    const ids = rows.map(({ id }) => id);
    const byFlag = Map.groupBy(ids.length > 0 ? await listFacts(db, ids) : [], ({ flag_id }) => flag_id);
    await nextTurn();
    yield rows.map((row) => {
      const facts = flagFacts(row, byFlag.get(row.id) ?? [], environments, { at, unknown });
      return toCleanupFlag(row, facts, { now, all });
    });
    last = rows.at(-1);
    if (!last || rows.length < flagsAtOnce) return;
  }
}

/** Whether SDKs evaluated a flag of the project after that time, other than archived ones. */
async function hasTraffic(db: Reader, projectId: string, since: number): Promise<boolean> {
  for (const part of await listFlagParts(db, { projectId, isArchived: false })) {
    const found = await db.one(sql`
      select 1 from flags f where ${part}
         and exists (select 1 from flag_traffic t where t.flag_id = f.id and t.last_at > ${since}) limit 1`);
    if (found) return true;
    await nextTurn();
  }
  return false;
}

interface FlagRow extends Omit<KeepRow, 'note' | 'kept_at' | 'kept_by'> {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly owners: string;
  readonly status_id: string;
  readonly status: string;
  readonly permanent: boolean | number;
  readonly note: string | null;
  readonly kept_at: number | null;
  readonly kept_by: string | null;
  readonly last_at: number | null;
  readonly code_references: number;
}

/** Flags that are not archived, after one, in order of creation. */
export const listCleanupFlags = (
  db: Reader,
  projectId: string,
  after: Pick<FlagRow, 'created_at' | 'id'> | undefined,
  limit: number,
) =>
  db.all<FlagRow>(sql`
    select f.id, f.name, f.created_at, f.owners, s.id as status_id, s.name as status,
           ${isPermanent} as permanent, k.until, k.note, k.kept_at, k.kept_by,
           (select max(t.last_at) from flag_traffic t where t.flag_id = f.id) as last_at,
           (select count(*) from code_references r where r.flag_id = f.id) as code_references
      from flags f join rollout_statuses s on s.id = f.rollout_status_id left join flag_keeps k on k.flag_id = f.id
     where f.project_id = ${projectId} and f.archived_at is null
       and (f.created_at, f.id) > (${after?.created_at ?? -1}, ${after?.id ?? ''})
     order by f.created_at, f.id limit ${limit}`);

interface FactsRow {
  readonly flag_id: string;
  readonly environment_id: string;
  readonly treatment: string | null;
  readonly killed: boolean | number | null;
  readonly since: number | null;
  readonly silent: boolean | number | null;
  readonly dates: string | null;
}

/** Of a definition that just changed, nothing is known yet. */
export const listFacts = (db: Reader, flagIds: readonly string[]) =>
  db.all<FactsRow>(sql`
    select d.flag_id, d.environment_id, f.treatment, f.killed, f.since, f.silent, f.dates
      from definitions d left join definition_facts f on f.environment_id = d.environment_id and f.flag_id = d.flag_id
        and f.change_number = d.change_number
     where d.flag_id in (${join([...flagIds])})`);

function flagFacts(
  row: FlagRow,
  rows: readonly FactsRow[],
  environments: readonly Environment[],
  { at, unknown }: { at: number; unknown: ReadonlyMap<string, readonly string[]> },
): FlagFacts {
  const definitions = rows.map(
    (one): DefinitionFacts => ({
      environmentId: one.environment_id,
      treatment: one.treatment ?? undefined,
      isKilled: Boolean(one.killed),
      since: one.since ?? at,
      isSilent: Boolean(one.silent),
      dates: JSON.parse(one.dates ?? '[]') as DefinitionFacts['dates'],
    }),
  );
  return {
    creationTime: row.created_at,
    isPermanent: Boolean(row.permanent),
    definitions: definitions.filter(({ environmentId }) => environments.some(({ id }) => id === environmentId)),
    everywhere: definitions,
    lastTrafficAt: row.last_at ?? undefined,
    unknownSegments: unknown.get(row.id) ?? [],
    codeReferences: row.code_references,
    keep:
      row.kept_at === null
        ? undefined
        : toKeep({ ...row, note: row.note ?? '', kept_at: row.kept_at, kept_by: row.kept_by ?? '' }),
  };
}

function toCleanupFlag(
  row: FlagRow,
  facts: FlagFacts,
  { now, all }: { now: Parameters<typeof groupOf>[1]; all: readonly Environment[] },
): CleanupFlag {
  const { definitions, keep, lastTrafficAt } = facts;
  const one = oneTreatmentOf(definitions);
  const killed = killedSince(definitions);
  const named = (some: readonly DefinitionFacts[]) =>
    all.flatMap(({ id, name }) => (some.some(({ environmentId }) => environmentId === id) ? [{ id, name }] : []));
  return {
    id: row.id,
    name: row.name,
    group: groupOf(facts, now),
    creationTime: row.created_at,
    rolloutStatus: { id: row.status_id, name: row.status },
    owners: JSON.parse(row.owners) as CleanupFlag['owners'],
    ...(one ? { treatment: one.treatment, treatmentSince: one.since } : {}),
    ...(killed === undefined ? {} : { killedSince: killed }),
    killedIn: named(definitions.filter(({ isKilled }) => isKilled)),
    definedIn: named(facts.everywhere),
    ...(lastTrafficAt === undefined ? {} : { lastTrafficReceivedAt: lastTrafficAt }),
    isSilent: facts.everywhere.some(({ isSilent }) => isSilent),
    unknownSegments: [...facts.unknownSegments],
    pastDates: pastDatesOf(definitions, now),
    codeReferences: facts.codeReferences,
    ...(keep ? { keep } : {}),
  };
}

/** By flag. */
async function unknownSegments(db: Reader, projectId: string, environments: readonly Environment[]) {
  const names = new Map<string, Set<string>>();
  for (const { id } of environments) {
    for (const { flagId, name } of await listUnknownSegments(db, projectId, id)) {
      names.set(flagId, (names.get(flagId) ?? new Set()).add(name));
    }
    await nextTurn();
  }
  return new Map([...names].map(([flagId, some]) => [flagId, [...some].sort()]));
}

const maxUnknown = 1_000;

/** What definitions name as a segment although the project has none of that name. */
export const listUnknownSegments = (db: Reader, projectId: string, environmentId: string) =>
  db.all<{ flagId: string; name: string }>(sql`
    select r.flag_id as "flagId", r.name from object_references r
     where r.environment_id = ${environmentId} and r.kind = 'segment' and r.flag_id is not null
       and not exists (select 1 from segments s where s.project_id = ${projectId} and s.name = r.name)
     limit ${maxUnknown}`);

interface PlaceRow {
  readonly environment_id: string;
  readonly flag_id: string;
  readonly change_number: number;
  readonly bytes: number;
}

/** Environments after one, in order of their ids. */
export const listEnvironmentIds = (db: Reader, after: string, limit: number) =>
  db.all<{ id: string }>(sql`select id from environments where id > ${after} order by id limit ${limit}`);

/** Definitions whose facts are not known yet, in order of their change. */
export const listUnstudied = (db: Reader, environmentId: string, limit: number) =>
  db.all<PlaceRow>(sql`
    select d.environment_id, d.flag_id, d.change_number, octet_length(d.targeting) as bytes from definitions d
     where d.environment_id = ${environmentId}
       and d.change_number > coalesce((select max(f.change_number) from definition_facts f
                                        where f.environment_id = ${environmentId}), -1)
     order by d.change_number limit ${limit}`);

interface StudiedRow {
  readonly flag_id: string;
  readonly change_number: number;
  readonly updated_at: number;
  readonly targeting: string;
}

/** Compare change numbers afterwards: asked to, SQLite reads all definitions with smaller ones, not these by their ids. */
export const listToStudy = (db: Reader, environmentId: string, flagIds: readonly string[]) =>
  db.all<StudiedRow>(sql`
    select flag_id, change_number, updated_at, targeting from definitions
     where environment_id = ${environmentId} and flag_id in (${join([...flagIds])}) order by flag_id`);

/** How much one transaction reads. */
const maxBytes = 262_144;

/**
 * Finds out the facts of definitions that changed, in the order of their changes: those after the greatest known number
 * are left, so one that changes meanwhile waits for its turn. Several nodes may do the same at once. Returns whether
 * there may be more.
 */
export async function studySomeDefinitions(store: Store, environmentId: string): Promise<boolean> {
  const found = await listUnstudied(store, environmentId, 50);
  const places = fitting(found, ({ bytes }) => bytes, maxBytes);
  if (places.length === 0) return false;
  await housekeep(store, async (tx) => {
    const flagIds = places.map(({ flag_id }) => flag_id);
    const last = places.at(-1)?.change_number ?? 0;
    const rows = (await listToStudy(tx, environmentId, flagIds)).filter((row) => row.change_number <= last);
    if (rows.length === 0) return;
    const values = rows.map(({ flag_id, change_number, updated_at, targeting }) => {
      const { treatment, isKilled, isSilent, dates } = factsOf(JSON.parse(targeting) as Targeting);
      return [
        environmentId,
        flag_id,
        change_number,
        treatment ?? null,
        isKilled,
        updated_at,
        isSilent,
        JSON.stringify(dates),
      ];
    });
    await tx.run(sql`
      insert into definition_facts (environment_id, flag_id, change_number, treatment, killed, since, silent, dates)
      values ${bulk(values)}
          on conflict (environment_id, flag_id) do update
         set change_number = excluded.change_number, treatment = excluded.treatment, killed = excluded.killed,
             since = case when definition_facts.killed = excluded.killed
                           and coalesce(definition_facts.treatment, '') = coalesce(excluded.treatment, '')
                          then definition_facts.since else excluded.since end,
             silent = excluded.silent, dates = excluded.dates
       where definition_facts.change_number < excluded.change_number`);
  });
  return true;
}
