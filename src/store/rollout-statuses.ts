import sql, { bulk, join } from 'sql-template-tag';
import type { RolloutStatus } from '#domain/rollout-statuses.ts';
import type { Reader, Tx } from './sql.ts';

export const listRolloutStatuses = (db: Reader, projectId: string) =>
  db.all<RolloutStatus>(sql`
    select id, name, description from rollout_statuses where project_id = ${projectId} order by position`);

/** By id, of all these projects. */
export async function listStatusNames(db: Reader, projectIds: readonly string[]): Promise<Map<string, string>> {
  if (projectIds.length === 0) return new Map();
  const rows = await db.all<{ id: string; name: string }>(sql`
    select id, name from rollout_statuses where project_id in (${join([...projectIds])})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export const findRolloutStatus = (db: Reader, projectId: string, id: string) =>
  db.one<RolloutStatus>(sql`
    select id, name, description from rollout_statuses where project_id = ${projectId} and id = ${id}`);

/** In the given order; new flags get the first. */
export const insertRolloutStatuses = (tx: Tx, projectId: string, statuses: readonly RolloutStatus[]) =>
  tx.run(sql`
    insert into rollout_statuses (id, project_id, position, name, description)
    values ${bulk(statuses.map(({ id, name, description }, position) => [id, projectId, position, name, description]))}`);

export const findFirstRolloutStatus = (db: Reader, projectId: string) =>
  db.one<RolloutStatus>(sql`
    select id, name, description from rollout_statuses where project_id = ${projectId} order by position limit 1`);
