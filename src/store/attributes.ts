import sql, { bulk, empty, type Sql } from 'sql-template-tag';
import type { Attribute } from '#domain/attributes.ts';
import { inChunks, likeLiteral, type Reader, type Tx } from './sql.ts';

interface AttributeRow {
  readonly id: string;
  readonly traffic_type_id: string;
  readonly display_name: string;
  readonly description: string;
  readonly data_type: Attribute['dataType'];
  readonly is_searchable: boolean | number;
  readonly suggested_values: string;
}

const toAttribute = (row: AttributeRow): Attribute => ({
  id: row.id,
  trafficTypeId: row.traffic_type_id,
  displayName: row.display_name,
  description: row.description,
  dataType: row.data_type,
  isSearchable: Boolean(row.is_searchable),
  suggestedValues: JSON.parse(row.suggested_values) as string[],
});

const columns = sql`id, traffic_type_id, display_name, description, data_type, is_searchable, suggested_values`;

export async function findAttribute(db: Reader, trafficTypeId: string, id: string): Promise<Attribute | undefined> {
  const row = await db.one<AttributeRow>(
    sql`select ${columns} from attributes where traffic_type_id = ${trafficTypeId} and id = ${id}`,
  );
  return row && toAttribute(row);
}

/** All of the traffic type, by id. */
export async function listAttributes(db: Reader, trafficTypeId: string): Promise<Attribute[]> {
  const rows = await db.all<AttributeRow>(
    sql`select ${columns} from attributes where traffic_type_id = ${trafficTypeId} order by id`,
  );
  return rows.map(toAttribute);
}

/** Between two attributes of a list: before or after the one with this id, whether or not it still exists. */
export interface Gap {
  readonly id: string;
  readonly side: 'before' | 'after';
}

export interface AttributeFilter {
  readonly trafficTypeId: string;
  /** Of the id or the display name, ignoring case. */
  readonly prefix: string | undefined;
}

export const listAttributesAfter = async (db: Reader, filter: AttributeFilter, gap: Gap | undefined, limit: number) =>
  listSome(db, filter, sql`${gap ? fromGap(gap) : empty} order by id limit ${limit}`);

/** Those directly before the gap, by id. */
export const listAttributesBefore = async (db: Reader, filter: AttributeFilter, gap: Gap, limit: number) =>
  (await listSome(db, filter, sql`${untilGap(gap)} order by id desc limit ${limit}`)).reverse();

const fromGap = ({ id, side }: Gap): Sql => (side === 'before' ? sql`and id >= ${id}` : sql`and id > ${id}`);
const untilGap = ({ id, side }: Gap): Sql => (side === 'before' ? sql`and id < ${id}` : sql`and id <= ${id}`);

async function listSome(db: Reader, { trafficTypeId, prefix }: AttributeFilter, rest: Sql): Promise<Attribute[]> {
  const pattern = `${likeLiteral(prefix ?? '')}%`;
  const found =
    prefix === undefined
      ? empty
      : sql`and (lower(id) like ${pattern} escape '\\' or lower(display_name) like ${pattern} escape '\\')`;
  const rows = await db.all<AttributeRow>(
    sql`select ${columns} from attributes where traffic_type_id = ${trafficTypeId} ${found} ${rest}`,
  );
  return rows.map(toAttribute);
}

/** Creates or overwrites. The traffic type must be locked. */
export async function saveAttributes(tx: Tx, attributes: readonly Attribute[]): Promise<void> {
  for (const some of inChunks(attributes, 100)) {
    await tx.run(sql`
      insert into attributes (id, traffic_type_id, display_name, description, data_type, is_searchable, suggested_values)
      values ${bulk(
        some.map((one) => [
          one.id,
          one.trafficTypeId,
          one.displayName,
          one.description,
          one.dataType,
          one.isSearchable,
          JSON.stringify(one.suggestedValues),
        ]),
      )}
      on conflict (traffic_type_id, id) do update
         set display_name = excluded.display_name, description = excluded.description, data_type = excluded.data_type,
             is_searchable = excluded.is_searchable, suggested_values = excluded.suggested_values`);
  }
}

export const deleteAttribute = (tx: Tx, { trafficTypeId, id }: Attribute) =>
  tx.run(sql`delete from attributes where traffic_type_id = ${trafficTypeId} and id = ${id}`);
