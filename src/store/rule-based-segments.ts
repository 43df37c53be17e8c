/** Definitions of rule-based segments. `segments.ts` has what they share with other segments. */
import sql from 'sql-template-tag';
import type { StoredRules } from '#domain/rule-based-segments.ts';
import type { Reference } from '#domain/schema.ts';
import type { Page } from './paging.ts';
import { findActivation } from './segments.ts';
import type { Reader, Tx } from './sql.ts';

interface ListedRow {
  readonly id: string;
  readonly name: string;
  readonly traffic_type_id: string;
  readonly traffic_type_name: string;
  readonly rules: string | null;
  readonly is_large: number | boolean;
  readonly created_at: number;
  readonly updated_at: number;
  readonly change_number: number;
}

/** In bytes. Larger ones are read one by one while the reply is sent. */
const smallRules = 16_384;

/** Rule-based segments that are active in the environment, in order of creation. */
export async function* listStoredRules(
  db: Reader,
  projectId: string,
  environment: Reference,
  { offset, limit }: Page,
): AsyncGenerator<StoredRules> {
  const rows = await db.all<ListedRow>(sql`
    select s.id, s.name, s.traffic_type_id, t.name as traffic_type_name, e.created_at, e.updated_at, e.change_number,
           case when octet_length(e.rules) > ${smallRules} then null else e.rules end as rules,
           case when octet_length(e.rules) > ${smallRules} then 1 else 0 end as is_large
      from segments s join segment_environments e on e.environment_id = ${environment.id} and e.segment_id = s.id
           join traffic_types t on t.id = s.traffic_type_id
     where s.project_id = ${projectId} and s.kind = 'rule_based'
     order by s.created_at, s.id limit ${limit} offset ${offset}`);
  for (const row of rows) {
    const segment = {
      id: row.id,
      name: row.name,
      trafficType: { id: row.traffic_type_id, name: row.traffic_type_name },
    };
    const small = {
      rules: row.rules ?? undefined,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      changeNumber: row.change_number,
    };
    // Absent if it was deactivated meanwhile.
    const activation = row.is_large ? await findActivation(db, environment.id, row.id) : small;
    if (activation) yield { segment, environment, activation };
  }
}

/** The environment must be locked. */
export const saveRules = (tx: Tx, { segment, environment, activation }: StoredRules) =>
  tx.run(sql`
    update segment_environments
       set rules = ${activation.rules}, change_number = ${activation.changeNumber}, updated_at = ${activation.updatedAt}
     where environment_id = ${environment.id} and segment_id = ${segment.id}`);
