import sql from 'sql-template-tag';
import { Problem } from '#domain/problems.ts';
import type { TrafficType } from '#domain/traffic-types.ts';
import { onRefused, type Reader, type Tx } from './sql.ts';

const columns = sql`id, project_id as "projectId", name, display_attribute_id as "displayAttributeId"`;

/** By id, else by name, within the project. */
export const findTrafficType = (db: Reader, projectId: string, nameOrId: string) =>
  db.one<TrafficType>(sql`
    select ${columns} from traffic_types where project_id = ${projectId} and (id = ${nameOrId} or name = ${nameOrId})
     order by case when id = ${nameOrId} then 0 else 1 end limit 1`);

export const findTrafficTypeById = (db: Reader, id: string) =>
  db.one<TrafficType>(sql`select ${columns} from traffic_types where id = ${id}`);

export const listTrafficTypes = (db: Reader, projectId: string) =>
  db.all<TrafficType>(
    sql`select ${columns} from traffic_types where project_id = ${projectId} order by created_at, id`,
  );

export const insertTrafficType = (tx: Tx, { id, projectId, name, displayAttributeId }: TrafficType) =>
  tx
    .run(sql`
      insert into traffic_types (id, project_id, name, display_attribute_id, created_at)
      values (${id}, ${projectId}, ${name}, ${displayAttributeId}, ${tx.now})`)
    .catch(onRefused({ traffic_types_name_key: () => new Problem('traffic_type_name_taken', { name }) }));

export async function isTrafficTypeInUse(tx: Tx, id: string): Promise<boolean> {
  const found = await tx.one(sql`
    select 1 from flags where traffic_type_id = ${id}
    union all select 1 from segments where traffic_type_id = ${id} limit 1`);
  return found !== undefined;
}

/** Held until the commit: it is the lock of the traffic type's attributes and identities. */
export async function lockTrafficType(tx: Tx, { id, name }: TrafficType): Promise<void> {
  const row = await tx.one(sql`select id from traffic_types where id = ${id} ${tx.lock}`);
  if (!row) throw new Problem('traffic_type_not_found', { nameOrId: name });
}

/** With its attributes. */
export const deleteTrafficType = (tx: Tx, id: string) => tx.run(sql`delete from traffic_types where id = ${id}`);
