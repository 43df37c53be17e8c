import sql, { bulk, empty, join, raw, type Sql } from 'sql-template-tag';
import type { DefinedFlag, Flag } from '#domain/flags.ts';
import { Problem } from '#domain/problems.ts';
import type { Reference } from '#domain/schema.ts';
import { findPage, type Page, type Total } from './paging.ts';
import { inEachPart, partsOf, skipRows } from './parts.ts';
import { likeLiteral, onRefused, type Reader, type Store, type Tx } from './sql.ts';

interface FlagRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly traffic_type_id: string;
  readonly traffic_type_name: string;
  readonly rollout_status_id: string;
  readonly rollout_status_name: string;
  readonly rollout_status_at: number;
  readonly owners: string;
  readonly revision: number;
  readonly created_at: number;
  readonly changed_at: number;
  readonly archived_at: number | null;
}

/** A flag in a list. */
export interface ChangedFlag extends Flag {
  /** When it or one of its definitions last changed. */
  readonly lastUpdateTime: number;
}

const toFlag = (row: FlagRow, tags: readonly { name: string }[]): Flag => ({
  id: row.id,
  name: row.name,
  description: row.description,
  trafficType: { id: row.traffic_type_id, name: row.traffic_type_name },
  creationTime: row.created_at,
  rolloutStatus: { id: row.rollout_status_id, name: row.rollout_status_name },
  rolloutStatusTimestamp: row.rollout_status_at,
  tags: tags.length > 0 ? tags.map(({ name }) => ({ name })) : null,
  owners: JSON.parse(row.owners) as Flag['owners'],
  revision: row.revision,
  ...(row.archived_at === null ? {} : { archivedAt: row.archived_at }),
});

const flagColumns = sql`
  f.id, f.name, f.description, f.traffic_type_id, t.name as traffic_type_name, f.rollout_status_id,
  s.name as rollout_status_name, f.rollout_status_at, f.owners, f.revision, f.created_at, f.changed_at,
  f.archived_at`;
const flagsWithReferences = sql`
  flags f
  join traffic_types t on t.id = f.traffic_type_id
  join rollout_statuses s on s.id = f.rollout_status_id`;

/** By name, else by id, within the project. */
export const findFlag = (db: Reader, projectId: string, nameOrId: string): Promise<Flag | undefined> =>
  findWithTags(db, idOf(projectId, nameOrId));

/** The same, for requests about its definition. */
export async function findDefinedFlag(
  db: Reader,
  projectId: string,
  nameOrId: string,
): Promise<DefinedFlag | undefined> {
  const row = await db.one<Pick<FlagRow, 'id' | 'name' | 'traffic_type_id' | 'traffic_type_name'>>(sql`
    select f.id, f.name, f.traffic_type_id, t.name as traffic_type_name
      from flags f join traffic_types t on t.id = f.traffic_type_id
     where f.id = ${idOf(projectId, nameOrId)}`);
  return row && { id: row.id, name: row.name, trafficType: { id: row.traffic_type_id, name: row.traffic_type_name } };
}

/** By the ids of flags. */
export async function listTrafficTypesOf(db: Reader, flagIds: readonly string[]): Promise<Map<string, Reference>> {
  if (flagIds.length === 0) return new Map();
  const rows = await db.all<{ flag_id: string; id: string; name: string }>(sql`
    select f.id as flag_id, t.id, t.name from flags f join traffic_types t on t.id = f.traffic_type_id
     where f.id in (${join([...flagIds])})`);
  return new Map(rows.map(({ flag_id, id, name }) => [flag_id, { id, name }]));
}

/**
 * Two lookups instead of one with `or`: for that, PostgreSQL scans the whole table while it is small, and keeps the
 * plan when the table grows.
 */
const idOf = (projectId: string, nameOrId: string) => sql`coalesce(
  (select id from flags where project_id = ${projectId} and name = ${nameOrId}),
  (select id from flags where project_id = ${projectId} and id = ${nameOrId}))`;

/** The current flag, locked until the commit; undefined if it was deleted. */
export async function lockFlag(tx: Tx, id: string): Promise<Flag | undefined> {
  const locked = await tx.one(sql`select id from flags where id = ${id} ${tx.lock}`);
  return locked === undefined ? undefined : findWithTags(tx, sql`${id}`);
}

/** Some flags with this status, archived or not, locked until the commit. */
export async function lockFlagsInStatus(tx: Tx, rolloutStatusId: string, limit: number): Promise<Flag[]> {
  const locked = await tx.all<{ id: string }>(sql`
    select id from flags where rollout_status_id = ${rolloutStatusId} order by created_at, id limit ${limit} ${tx.lock}`);
  if (locked.length === 0) return [];
  const flags = await readFlags(tx, sql`select id from flags where id in (${join(locked.map(({ id }) => id))})`);
  return flags.map(({ lastUpdateTime: _, ...flag }) => flag);
}

/** One statement, because tags and ETag must be from the same moment. */
async function findWithTags(db: Reader, id: Sql): Promise<Flag | undefined> {
  const rows = await db.all<FlagRow & { readonly tag: string | null }>(sql`
    select ${flagColumns}, tag.name as tag from ${flagsWithReferences}
      left join flag_tags tag on tag.flag_id = f.id
     where f.id = ${id}
     order by tag.position`);
  const [row] = rows;
  const tags = rows.flatMap(({ tag }) => (tag === null ? [] : [{ name: tag }]));
  return row && toFlag(row, tags);
}

export interface FlagFilter {
  readonly projectId: string;
  /** Flags with any of these tags. */
  readonly tags: readonly string[];
  /** Part of the name, case-insensitive. */
  readonly name: string | undefined;
  readonly rolloutStatusId: string | undefined;
  /** Archived flags only; otherwise they are left out. */
  readonly isArchived: boolean;
}

/** In order of creation. */
export async function listFlags(db: Reader, filter: FlagFilter, page: Page, counted: Total): Promise<ChangedFlag[]> {
  const isUnchanged = sql`(${changesOf(filter.projectId)}) = ${counted.changes}`;
  return findPage(page, counted, {
    fromStart: async (some) => readFlags(db, await idsOfPage(db, filter, { ...some, order: 'asc' })),
    fromEnd: async (some) => readFlags(db, await idsOfPage(db, filter, { ...some, order: 'desc' }, isUnchanged)),
  });
}

async function idsOfPage(
  db: Reader,
  filter: FlagFilter,
  { order, offset, limit }: Page & { readonly order: 'asc' | 'desc' },
  condition: Sql = sql`1 = 1`,
): Promise<Sql> {
  const { from, where, columns } = reachedBy(filter);
  const rows = { from, where: sql`${where} and ${matching(filter)}`, columns, order };
  const { rest, left } = await skipRows(db, rows, offset);
  const [at, id] = columns;
  return sql`
    select ${id} as id from ${from} where ${rest} and ${condition}
     order by ${at} ${raw(order)}, ${id} ${raw(order)} limit ${limit} offset ${left}`;
}

/** The flags whose ids the page has, in this order. Other columns are read only for them, not for skipped rows. */
export async function readFlags(db: Reader, page: Sql, order: Sql = sql`f.created_at, f.id`): Promise<ChangedFlag[]> {
  const rows = await db.all<FlagRow>(sql`
    select ${flagColumns} from ${flagsWithReferences} join (${page}) page on page.id = f.id
     order by ${order}`);
  const found = await listTags(
    db,
    rows.map((row) => row.id),
  );
  const tags = Map.groupBy(found, (tag) => tag.flag_id);
  return rows.map((row) => ({ ...toFlag(row, tags.get(row.id) ?? []), lastUpdateTime: row.changed_at }));
}

/** The first flags of a project, archived or not. */
export const listStoredFlags = (db: Reader, projectId: string, limit: number): Promise<Flag[]> =>
  readFlags(db, sql`select id from flags where project_id = ${projectId} order by created_at, id limit ${limit}`);

/** The number of flags of a project, archived or not, and of their definitions. */
export async function countFlagsAndDefinitions(db: Reader, projectId: string): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) + coalesce(sum(definition_count), 0) as total from flags where project_id = ${projectId}`);
  return Number(row?.total ?? 0);
}

/** The number of all flags of a project that are not archived is stored; with a filter, flags are counted. */
export async function countFlags(db: Reader, filter: FlagFilter): Promise<Total> {
  const { projectId, tags, name, rolloutStatusId, isArchived } = filter;
  const isOfAll = tags.length === 0 && name === undefined && rolloutStatusId === undefined && !isArchived;
  const stored = sql`select flag_count as total, flag_changes as changes from projects where id = ${projectId}`;
  if (isOfAll) return (await db.one<Total>(stored)) ?? { total: 0, changes: 0 };
  const reached = reachedBy(filter);
  const counted = await inEachPart(partsOf(db, reached), (part) =>
    db.one<Total>(sql`
      select count(*) as total, (${changesOf(projectId)}) as changes from ${reached.from}
       where ${part} and ${matching(filter)}`),
  );
  // If flags change meanwhile, the first number is outdated, and so the total is counted again.
  return { total: counted.reduce((sum, part) => sum + (part?.total ?? 0), 0), changes: counted[0]?.changes ?? 0 };
}

/** The number of the last change to the project's flags. */
export async function findFlagChanges(db: Reader, projectId: string): Promise<number | undefined> {
  return (await db.one<{ flag_changes: number }>(changesOf(projectId)))?.flag_changes;
}

const changesOf = (projectId: string) => sql`select flag_changes from projects where id = ${projectId}`;

interface Reached {
  readonly from: Sql;
  readonly where: Sql;
  readonly columns: readonly [at: Sql, id: Sql];
}

/** What the index that has the flags in order finds: by one tag, status or project. */
function reachedBy({ projectId, tags, rolloutStatusId }: FlagFilter): Reached {
  if (tags.length === 1) {
    return {
      from: sql`flag_tags t`,
      where: sql`t.project_id = ${projectId} and t.name = ${tags[0]}`,
      columns: [sql`t.flag_created_at`, sql`t.flag_id`],
    };
  }
  return {
    from: sql`flags f`,
    // A status belongs to one project, so no project condition is needed.
    where:
      rolloutStatusId === undefined
        ? sql`f.project_id = ${projectId}`
        : sql`f.rollout_status_id = (select id from rollout_statuses where id = ${rolloutStatusId} and project_id = ${projectId})`,
    columns: [sql`f.created_at`, sql`f.id`],
  };
}

/** What the index does not know. */
function matching({ tags, name, rolloutStatusId, isArchived }: FlagFilter): Sql {
  const live = isArchived ? sql`f.archived_at is not null` : sql`f.archived_at is null`;
  const withName = name === undefined ? empty : sql`and lower(f.name) like ${`%${likeLiteral(name)}%`} escape '\\'`;
  if (tags.length === 0) return sql`${live} ${withName}`;
  if (tags.length > 1) {
    const tagged = sql`select 1 from flag_tags t where t.flag_id = f.id and t.name in (${join([...tags])})`;
    return sql`${live} ${withName} and exists (${tagged})`;
  }
  const inStatus = rolloutStatusId === undefined ? empty : sql`and f.rollout_status_id = ${rolloutStatusId}`;
  return sql`exists (select 1 from flags f where f.id = t.flag_id and ${live} ${inStatus} ${withName})`;
}

/** Those of the names that are flags of the project and not archived. */
export async function listFlagNames(db: Reader, projectId: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await db.all<{ name: string }>(sql`
    select name from flags
     where project_id = ${projectId} and name in (${join([...names])}) and archived_at is null`);
  return new Set(rows.map((row) => row.name));
}

/** Some flags that a user or a group owns, of all projects. Goes through every flag: only deletions ask for it. */
export async function listOwnedFlagIds(tx: Tx, ownerId: string, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let last = ''; ; ) {
    const end = Number.isFinite(tx.rowsPerTurn) ? await findFlagAfter(tx, last, tx.rowsPerTurn) : undefined;
    const rows = await tx.all<{ id: string }>(sql`
      select id from flags where id > ${last} ${end ? sql`and id <= ${end.id}` : empty}
         and owners like ${`%${JSON.stringify(ownerId)}%`} limit ${limit - found.length}`);
    found.push(...rows.map((row) => row.id));
    if (!end || found.length >= limit) return found;
    last = end.id;
  }
}

const findFlagAfter = (tx: Tx, id: string, steps: number) =>
  tx.one<{ id: string }>(sql`select id from flags where id > ${id} order by id limit 1 offset ${steps - 1}`);

export interface PlacedFlag extends Flag {
  readonly projectId: string;
}

/** Those of the flags that were not deleted, locked until the commit. */
export async function lockFlags(tx: Tx, ids: readonly string[]): Promise<PlacedFlag[]> {
  const rows = await tx.all<{ id: string; project_id: string }>(sql`
    select id, project_id from flags where id in (${join([...ids])}) order by id ${tx.lock}`);
  const projectIds = new Map(rows.map((row) => [row.id, row.project_id]));
  const flags = await readFlags(tx, sql`select id from flags where id in (${join([...ids])})`);
  return flags.map(({ lastUpdateTime: _, ...flag }) => ({ ...flag, projectId: projectIds.get(flag.id) ?? '' }));
}

export async function insertFlag(tx: Tx, projectId: string, flag: Flag): Promise<void> {
  const taken = () => new Problem('flag_name_taken', { name: flag.name });
  await tx
    .run(sql`
      insert into flags (id, project_id, traffic_type_id, rollout_status_id, name, description, rollout_status_at,
                         owners, revision, created_at, changed_at, status_position)
      values (${flag.id}, ${projectId}, ${flag.trafficType.id}, ${flag.rolloutStatus.id}, ${flag.name},
              ${flag.description}, ${flag.rolloutStatusTimestamp}, ${JSON.stringify(flag.owners)}, ${flag.revision},
              ${flag.creationTime}, ${flag.revision}, ${positionOf(flag.rolloutStatus.id)})`)
    // Somebody else may restore the same flag at once.
    .catch(onRefused({ flags_name_key: taken, flags_pkey: taken }));
  await nextFlagChange(tx, flag.id, 1);
}

export async function saveFlag(tx: Tx, flag: Flag): Promise<void> {
  await tx.run(sql`
    update flags
       set description = ${flag.description}, rollout_status_id = ${flag.rolloutStatus.id},
           rollout_status_at = ${flag.rolloutStatusTimestamp}, owners = ${JSON.stringify(flag.owners)},
           revision = ${flag.revision}, status_position = ${positionOf(flag.rolloutStatus.id)},
           changed_at = case when changed_at < ${flag.revision} then ${flag.revision} else changed_at end
     where id = ${flag.id}`);
  const projectId = await nextFlagChange(tx, flag.id, 0);
  await tx.run(sql`delete from flag_tags where flag_id = ${flag.id}`);
  if (!flag.tags) return;
  await tx.run(sql`
    insert into flag_tags (flag_id, position, name, project_id, flag_created_at)
    values ${bulk(flag.tags.map((tag, position) => [flag.id, position, tag.name, projectId, flag.creationTime]))}`);
}

/** Of several flags of a project. */
export async function saveRolloutStatusOf(
  tx: Tx,
  flags: readonly Flag[],
  {
    rolloutStatus,
    rolloutStatusTimestamp,
    revision,
  }: Pick<Flag, 'rolloutStatus' | 'rolloutStatusTimestamp' | 'revision'>,
): Promise<void> {
  const [first] = flags;
  if (!first) return;
  await tx.run(sql`
    update flags
       set rollout_status_id = ${rolloutStatus.id}, rollout_status_at = ${rolloutStatusTimestamp},
           revision = ${revision}, status_position = ${positionOf(rolloutStatus.id)},
           changed_at = case when changed_at < ${revision} then ${revision} else changed_at end
     where id in (${join(flags.map(({ id }) => id))})`);
  await nextFlagChange(tx, first.id, 0);
}

/** Saves only their owners and revisions. */
export async function saveOwners(tx: Tx, flags: readonly PlacedFlag[]): Promise<void> {
  const rows = flags.map(({ id, owners, revision }) => [id, JSON.stringify(owners), revision]);
  const revision = sql`cast(given.revision as bigint)`;
  await tx.run(sql`
    with given (id, owners, revision) as (values ${bulk(rows)})
    update flags
       set owners = given.owners, revision = ${revision},
           changed_at = case when changed_at < ${revision} then ${revision} else changed_at end
      from given
     where flags.id = given.id`);
  const projectIds = new Set(flags.map(({ projectId }) => projectId));
  await tx.run(sql`
    update projects set flag_changes = ${nextChange(tx)} where id in (${join([...projectIds])})`);
}

const positionOf = (rolloutStatusId: string) =>
  sql`(select position from rollout_statuses where id = ${rolloutStatusId})`;

/** Archives the flag at its `archivedAt`, or unarchives it. */
export async function saveArchived(tx: Tx, { id, archivedAt, revision }: Flag): Promise<void> {
  await tx.run(sql`
    update flags set archived_at = ${archivedAt ?? null}, revision = ${revision},
           changed_at = case when changed_at < ${revision} then ${revision} else changed_at end
     where id = ${id}`);
  await nextFlagChange(tx, id, archivedAt === undefined ? 1 : -1);
}

export const isArchived = async (db: Reader, id: string): Promise<boolean> =>
  (await db.one(sql`select 1 from flags where id = ${id} and archived_at is not null`)) !== undefined;

/**
 * Runs at each start: sets the list position of tags that lack it, because a node of 0.1.0 wrote them during an
 * upgrade.
 */
export async function completeFlagTags(store: Store): Promise<void> {
  if (!(await store.one(sql`select 1 from flag_tags where project_id = '' limit 1`))) return;
  await store.write((tx) =>
    tx.run(sql`
      update flag_tags
         set project_id = (select f.project_id from flags f where f.id = flag_tags.flag_id),
             flag_created_at = (select f.created_at from flags f where f.id = flag_tags.flag_id)
       where project_id = ''`),
  );
}

/**
 * Runs at each start, for the same reason: corrects the number of flags of each project. Locks out writers first; they
 * add their uncommitted flags themselves.
 */
export async function completeFlagCounts(store: Store): Promise<void> {
  const counted = sql`(select count(*) from flags f where f.project_id = projects.id and f.archived_at is null)`;
  if (!(await store.one(sql`select 1 from projects where flag_count <> ${counted} limit 1`))) return;
  await store.write(async (tx) => {
    await tx.all(sql`select id from projects order by id ${tx.lock}`);
    await tx.run(sql`update projects set flag_count = ${counted} where flag_count <> ${counted}`);
  });
}

/** Runs at each start, for the same reason: corrects the places of flags that a node of the previous release changed. */
export async function completeFlagPlaces(store: Store): Promise<void> {
  const position = sql`(select s.position from rollout_statuses s where s.id = flags.rollout_status_id)`;
  const isWrong = sql`changed_at < revision or status_position <> ${position}`;
  if (!(await store.one(sql`select 1 from flags where ${isWrong} limit 1`))) return;
  await store.write((tx) =>
    tx.run(sql`
      update flags
         set changed_at = case when changed_at < revision then revision else changed_at end, status_position = ${position}
       where ${isWrong}`),
  );
}

/** Also deletes its tags, definitions and dependencies. */
export async function deleteFlag(tx: Tx, { id, archivedAt }: Flag): Promise<void> {
  await nextFlagChange(tx, id, archivedAt === undefined ? -1 : 0);
  await tx.run(sql`delete from flags where id = ${id}`);
}

/** For a project that is deleted: it keeps no count of them. */
export const deleteFlags = (tx: Tx, flags: readonly Reference[]) =>
  tx.run(sql`delete from flags where id in (${join(flags.map(({ id }) => id))})`);

/**
 * Raises the change number of the flag's project, which invalidates counted totals, and adjusts its number of flags.
 * Writers of a project's flags queue on its row. Returns the project's id.
 */
async function nextFlagChange(tx: Tx, id: string, more: -1 | 0 | 1): Promise<string> {
  const row = await tx.one<{ id: string }>(sql`
    update projects
       set flag_changes = ${nextChange(tx)},
           flag_count = flag_count + ${more}
     where id = (select project_id from flags where id = ${id}) returning id`);
  return row?.id ?? '';
}

const nextChange = ({ now }: Tx) => sql`case when flag_changes < ${now} then ${now} else flag_changes + 1 end`;

async function listTags(db: Reader, flagIds: readonly string[]): Promise<{ flag_id: string; name: string }[]> {
  if (flagIds.length === 0) return [];
  return db.all(
    sql`select flag_id, name from flag_tags where flag_id in (${join([...flagIds])}) order by flag_id, position`,
  );
}
