import sql, { bulk, empty, join } from 'sql-template-tag';
import type { Identity } from '#domain/identities.ts';
import type { Position, Reader, Tx } from './sql.ts';

interface IdentityRow {
  readonly traffic_type_id: string;
  readonly environment_id: string;
  readonly key: string;
  readonly attribute_values: string;
}

const toIdentity = (row: IdentityRow): Identity => ({
  key: row.key,
  trafficTypeId: row.traffic_type_id,
  environmentId: row.environment_id,
  values: JSON.parse(row.attribute_values) as Identity['values'],
});

const columns = sql`traffic_type_id, environment_id, key, attribute_values`;

/** Where identities belong. */
export type IdentityPlace = Pick<Identity, 'trafficTypeId' | 'environmentId'>;

const at = ({ trafficTypeId, environmentId }: IdentityPlace) =>
  sql`traffic_type_id = ${trafficTypeId} and environment_id = ${environmentId}`;

/** Those with these keys. */
export async function findIdentities(db: Reader, place: IdentityPlace, keys: readonly string[]): Promise<Identity[]> {
  if (keys.length === 0) return [];
  const rows = await db.all<IdentityRow>(
    sql`select ${columns} from identities where ${at(place)} and key in (${join([...keys])})`,
  );
  return rows.map(toIdentity);
}

export interface IdentityFilter extends IdentityPlace {
  readonly prefix: string | undefined;
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** By key. With `before`: those directly before it, in the same order. */
export async function listIdentities(db: Reader, filter: IdentityFilter): Promise<Identity[]> {
  const { prefix, after, before, limit, offset } = filter;
  // The last code point: a range is found by the index, `like` is not.
  const prefixed = prefix === undefined ? empty : sql`and key >= ${prefix} and key < ${`${prefix}\u{10ffff}`}`;
  const place = after ? sql`and key > ${after.id}` : before ? sql`and key < ${before.id}` : empty;
  const rows = await db.all<IdentityRow>(sql`
    select ${columns} from identities where ${at(filter)} ${prefixed} ${place}
     ${before ? sql`order by key desc` : sql`order by key`} limit ${limit} offset ${offset}`);
  return (before ? rows.reverse() : rows).map(toIdentity);
}

/** Creates or overwrites. The traffic type must be locked. */
export const saveIdentities = (tx: Tx, identities: readonly Identity[]) =>
  tx.run(sql`
    insert into identities (traffic_type_id, environment_id, key, attribute_values)
    values ${bulk(identities.map((one) => [one.trafficTypeId, one.environmentId, one.key, JSON.stringify(one.values)]))}
    on conflict (traffic_type_id, environment_id, key) do update set attribute_values = excluded.attribute_values`);

export const deleteIdentity = (tx: Tx, { key, ...place }: Identity) =>
  tx.run(sql`delete from identities where ${at(place)} and key = ${key}`);

const partLength = 1_000;

/** In parts, because SQLite blocks the process during a statement. Returns how many there were. */
export async function deleteIdentitiesOf(
  tx: Tx,
  owner: { readonly environmentId: string } | { readonly trafficTypeId: string },
): Promise<number> {
  const owned =
    'environmentId' in owner
      ? sql`environment_id = ${owner.environmentId}`
      : sql`traffic_type_id = ${owner.trafficTypeId}`;
  let total = 0;
  for (;;) {
    const deleted = await tx.run(sql`
      delete from identities where (traffic_type_id, environment_id, key) in (
        select traffic_type_id, environment_id, key from identities where ${owned} limit ${partLength})`);
    total += deleted;
    if (deleted < partLength) return total;
  }
}
