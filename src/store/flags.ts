import sql, { bulk, empty, join, type Sql } from 'sql-template-tag';
import type { Flag } from '#domain/flags.ts';
import { Problem } from '#domain/problems.ts';
import { likeLiteral, onRefused, type Reader, type Tx } from './sql.ts';

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
});

const selectFlag = sql`
  select f.id, f.name, f.description, f.traffic_type_id, t.name as traffic_type_name, f.rollout_status_id,
         s.name as rollout_status_name, f.rollout_status_at, f.owners, f.revision, f.created_at
    from flags f
    join traffic_types t on t.id = f.traffic_type_id
    join rollout_statuses s on s.id = f.rollout_status_id`;

/** By name, else by id, within the project. */
export async function findFlag(db: Reader, projectId: string, word: string): Promise<Flag | undefined> {
  const row = await db.one<FlagRow>(sql`
    ${selectFlag} where f.project_id = ${projectId} and (f.name = ${word} or f.id = ${word})
     order by case when f.name = ${word} then 0 else 1 end limit 1`);
  return row && toFlag(row, await listTags(db, [row.id]));
}

/** The flag as it is now, kept so until the commit; undefined when it is gone. */
export async function lockFlag(tx: Tx, id: string): Promise<Flag | undefined> {
  const locked = await tx.one(sql`select id from flags where id = ${id} ${tx.lock}`);
  if (!locked) return undefined;
  const row = await tx.one<FlagRow>(sql`${selectFlag} where f.id = ${id}`);
  return row && toFlag(row, await listTags(tx, [id]));
}

export interface FlagFilter {
  readonly projectId: string;
  /** Flags with any of these. */
  readonly tags: readonly string[];
  /** Contained in the name, without case. */
  readonly name: string | undefined;
  readonly rolloutStatusId: string | undefined;
}

export async function listFlags(db: Reader, filter: FlagFilter & { offset: number; limit: number }): Promise<Flag[]> {
  const rows = await db.all<FlagRow>(sql`
    ${selectFlag} where ${matching(filter)}
     order by f.created_at, f.id limit ${filter.limit} offset ${filter.offset}`);
  const tags = await listTags(
    db,
    rows.map((row) => row.id),
  );
  return rows.map((row) =>
    toFlag(
      row,
      tags.filter((tag) => tag.flag_id === row.id),
    ),
  );
}

export async function countFlags(db: Reader, filter: FlagFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from flags f where ${matching(filter)}`);
  return row?.total ?? 0;
}

function matching({ projectId, tags, name, rolloutStatusId }: FlagFilter): Sql {
  return sql`f.project_id = ${projectId}
    ${rolloutStatusId === undefined ? empty : sql`and f.rollout_status_id = ${rolloutStatusId}`}
    ${name === undefined ? empty : sql`and lower(f.name) like ${`%${likeLiteral(name)}%`} escape '\\'`}
    ${tags.length === 0 ? empty : sql`and f.id in (select flag_id from flag_tags where name in (${join([...tags])}))`}`;
}

/** Those of the names that are flags of the project. */
export async function listFlagNames(db: Reader, projectId: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await db.all<{ name: string }>(sql`
    select name from flags where project_id = ${projectId} and name in (${join([...names])})`);
  return new Set(rows.map((row) => row.name));
}

export const insertFlag = (tx: Tx, projectId: string, flag: Flag) =>
  tx
    .run(sql`
      insert into flags (id, project_id, traffic_type_id, rollout_status_id, name, description, rollout_status_at,
                         owners, revision, created_at)
      values (${flag.id}, ${projectId}, ${flag.trafficType.id}, ${flag.rolloutStatus.id}, ${flag.name},
              ${flag.description}, ${flag.rolloutStatusTimestamp}, ${JSON.stringify(flag.owners)}, ${flag.revision},
              ${flag.creationTime})`)
    .catch(onRefused({ flags_name_key: () => new Problem('flag_name_taken', { name: flag.name }) }));

export async function saveFlag(tx: Tx, flag: Flag): Promise<void> {
  await tx.run(sql`
    update flags
       set description = ${flag.description}, rollout_status_id = ${flag.rolloutStatus.id},
           rollout_status_at = ${flag.rolloutStatusTimestamp}, revision = ${flag.revision}
     where id = ${flag.id}`);
  await tx.run(sql`delete from flag_tags where flag_id = ${flag.id}`);
  if (!flag.tags) return;
  await tx.run(sql`
    insert into flag_tags (flag_id, position, name)
    values ${bulk(flag.tags.map((tag, position) => [flag.id, position, tag.name]))}`);
}

/** Its tags, definitions and dependencies go along. */
export const deleteFlag = (tx: Tx, id: string) => tx.run(sql`delete from flags where id = ${id}`);

async function listTags(db: Reader, flagIds: readonly string[]): Promise<{ flag_id: string; name: string }[]> {
  if (flagIds.length === 0) return [];
  return db.all(
    sql`select flag_id, name from flag_tags where flag_id in (${join([...flagIds])}) order by flag_id, position`,
  );
}
