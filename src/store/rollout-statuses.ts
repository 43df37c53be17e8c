import sql, { bulk, empty, join, type Sql } from 'sql-template-tag';
import { Problem } from '#domain/problems.ts';
import type { OwnRolloutStatus, RolloutStatus } from '#domain/rollout-statuses.ts';
import { onRefused, type Position, type Reader, type Tx } from './sql.ts';

/** In the order of the project. */
export const listRolloutStatuses = (db: Reader, projectId: string) =>
  db.all<RolloutStatus>(sql`
    select id, name, description from rollout_statuses where project_id = ${projectId} order by position`);

/** Cleanup leaves flags with this status alone. Nodes of the previous release do not say so of those they create. */
export const isPermanent = sql`coalesce(s.is_permanent, s.name = 'Permanent')`;

/** The same, with what is not in the vendor's lists. */
export const listOwnRolloutStatuses = (db: Reader, projectId: string) =>
  listWith<OwnRolloutStatus>(db, projectId, empty);

/** Also with how many flags have each, archived ones included. */
export const listUsedRolloutStatuses = (db: Reader, projectId: string) =>
  listWith<OwnRolloutStatus & { readonly flagCount: number }>(
    db,
    projectId,
    sql`, (select count(*) from flags f where f.rollout_status_id = s.id) as "flagCount"`,
  );

async function listWith<Row extends OwnRolloutStatus>(db: Reader, projectId: string, more: Sql): Promise<Row[]> {
  const rows = await db.all<Row>(sql`
    select s.id, s.name, s.description, ${isPermanent} as permanent ${more}
      from rollout_statuses s where s.project_id = ${projectId} order by s.position`);
  return rows.map((row) => ({ ...row, permanent: Boolean(row.permanent) }));
}

/** Archived ones included. */
export async function countFlagsWithStatus(db: Reader, id: string): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from flags where rollout_status_id = ${id}`);
  return row?.total ?? 0;
}

/** By id, of all these projects. */
export async function listStatusNames(db: Reader, projectIds: readonly string[]): Promise<Map<string, string>> {
  if (projectIds.length === 0) return new Map();
  const rows = await db.all<{ id: string; name: string }>(sql`
    select id, name from rollout_statuses where project_id in (${join([...projectIds])})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** It is not deleted before the commit. */
export const keepRolloutStatus = (tx: Tx, projectId: string, id: string) =>
  tx.one<RolloutStatus>(sql`
    select id, name, description from rollout_statuses where project_id = ${projectId} and id = ${id} ${tx.keep}`);

/** The one that new flags get. It is not deleted before the commit. */
export const keepFirstRolloutStatus = (tx: Tx, projectId: string) =>
  tx.one<RolloutStatus>(sql`
    select id, name, description from rollout_statuses where project_id = ${projectId} order by position limit 1
     ${tx.keep}`);

/** In the given order; new flags get the first. */
export const insertRolloutStatuses = (tx: Tx, projectId: string, statuses: readonly OwnRolloutStatus[]) =>
  tx.run(sql`
    insert into rollout_statuses (id, project_id, position, name, description, is_permanent)
    values ${bulk(statuses.map(({ id, name, description, permanent }, position) => [id, projectId, position, name, description, permanent]))}`);

/** Becomes the last. */
export const insertRolloutStatus = (
  tx: Tx,
  projectId: string,
  { id, name, description, permanent }: OwnRolloutStatus,
) =>
  tx
    .run(sql`
      insert into rollout_statuses (id, project_id, position, name, description, is_permanent)
      values (${id}, ${projectId}, (select max(position) + 1 from rollout_statuses where project_id = ${projectId}),
              ${name}, ${description}, ${permanent})`)
    .catch(nameTaken(name));

export const saveRolloutStatus = (tx: Tx, { id, name, description, permanent }: OwnRolloutStatus) =>
  tx
    .run(sql`
      update rollout_statuses set name = ${name}, description = ${description}, is_permanent = ${permanent}
       where id = ${id}`)
    .catch(nameTaken(name));

const nameTaken = (name: string) =>
  onRefused({ rollout_statuses_name_key: () => new Problem('rollout_status_name_taken', { name }) });

/** All of the project, by id. Flags are sorted by the new positions. */
export async function saveRolloutStatusOrder(tx: Tx, projectId: string, ids: readonly string[]): Promise<void> {
  const stored = await tx.all<{ id: string; position: number }>(sql`
    select id, position from rollout_statuses where project_id = ${projectId}`);
  const positions = new Map(stored.map(({ id, position }) => [id, position]));
  const moved = ids
    .map((id, position) => ({ id, position }))
    .filter(({ id, position }) => positions.get(id) !== position);
  // Positions are unique at every moment.
  await tx.run(sql`
    update rollout_statuses set position = -1 - position where id in (${join(moved.map(({ id }) => id))})`);
  for (const { id, position } of moved) {
    await tx.run(sql`update rollout_statuses set position = ${position} where id = ${id}`);
    await saveStatusPosition(tx, id, position);
  }
}

/** Of all flags with the status, part by part. */
async function saveStatusPosition(tx: Tx, id: string, position: number): Promise<void> {
  let last: Position = { at: -1, id: '' };
  for (;;) {
    const flags = await tx.all<Position>(sql`
      select created_at as at, id from flags
       where rollout_status_id = ${id} and (created_at, id) > (${last.at}, ${last.id})
       order by created_at, id limit ${tx.rowsAtOnce}`);
    const end = flags.at(-1);
    if (!end) return;
    const ids = flags.map((flag) => flag.id);
    await tx.run(sql`update flags set status_position = ${position} where ${tx.isOneOf(sql`id`, ids)}`);
    last = end;
  }
}

/** Waits for changes that keep one. Their flags are visible when it returns. */
export const lockRolloutStatuses = (tx: Tx, projectId: string) =>
  tx.all(sql`select id from rollout_statuses where project_id = ${projectId} order by id ${tx.lock}`);

export const deleteRolloutStatus = (tx: Tx, id: string) => tx.run(sql`delete from rollout_statuses where id = ${id}`);
