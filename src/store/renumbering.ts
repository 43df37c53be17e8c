/**
 * Gives what names a segment new change numbers, so that SDKs receive it again: they must look for the segment in
 * another place. Nothing else of it changes, so it keeps its time of update and has no audit entry.
 */
import sql, { type Sql } from 'sql-template-tag';
import { fitting } from './paging.ts';
import type { Tx } from './sql.ts';

/** How many definitions, and bytes of them, one statement rewrites: on SQLite, everyone waits for it. */
const pageSize = 50;
const maxBytes = 262_144;

interface NamedSegment {
  readonly environmentId: string;
  readonly name: string;
}

/** The environment must be locked; `last` is its change number. Returns the new one. */
export async function renumberUsersOf(tx: Tx, segment: NamedSegment, last: number): Promise<number> {
  const afterFlags = await renumberEach(tx, { ...segment, ...flags }, last);
  const changeNumber = await renumberEach(tx, { ...segment, ...ruleBasedSegments }, afterFlags);
  if (changeNumber === last) return last;
  const { environmentId } = segment;
  await tx.run(sql`update environments set change_number = ${changeNumber} where id = ${environmentId}`);
  tx.announce({ kind: 'definitions', environmentId, changeNumber });
  return changeNumber;
}

/** The definitions of one kind of object that may name a segment. */
interface Definitions {
  readonly kind: 'flag' | 'segment';
  /** With the columns `id`, `change_number` and `bytes`. */
  readonly rowsIn: (environmentId: string) => Sql;
  readonly renumber: (tx: Tx, environmentId: string, numbered: Sql) => Promise<number>;
}

async function renumberEach(tx: Tx, of: NamedSegment & Definitions, last: number): Promise<number> {
  let changeNumber = last;
  for (let name = ''; ; ) {
    const found = await tx.all<{ name: string; bytes: number }>(sql`
      select r.from_name as name, d.bytes from ${usersOf(of)} and r.from_name > ${name}
       order by r.from_name limit ${pageSize}`);
    const end = fitting(found, ({ bytes }) => bytes, maxBytes).at(-1)?.name;
    if (end === undefined) return changeNumber;
    const numbered = sql`
      select d.id, d.change_number, ${changeNumber} + row_number() over (order by r.from_name) as next_number
        from ${usersOf(of)} and r.from_name > ${name} and r.from_name <= ${end}`;
    changeNumber += await of.renumber(tx, of.environmentId, numbered);
    name = end;
  }
}

/** The `cross join` makes SQLite start with the references. */
const usersOf = ({ environmentId, name, kind, rowsIn }: NamedSegment & Definitions): Sql => sql`
  object_references r cross join (${rowsIn(environmentId)}) d
   where r.environment_id = ${environmentId} and r.kind = 'segment' and r.name = ${name} and r.from_kind = ${kind}
     and d.id = coalesce(r.flag_id, r.segment_id)`;

const flags: Definitions = {
  kind: 'flag',
  rowsIn: (environmentId) => sql`
    select flag_id as id, change_number, octet_length(targeting) as bytes from definitions
     where environment_id = ${environmentId}`,
  renumber: async (tx, environmentId, numbered) => {
    // A summary with another number is outdated, and stays so.
    await tx.run(sql`
      update definition_summaries set change_number = n.next_number from (${numbered}) n
       where definition_summaries.environment_id = ${environmentId} and definition_summaries.flag_id = n.id
         and definition_summaries.change_number = n.change_number`);
    return tx.run(sql`
      update definitions set change_number = n.next_number from (${numbered}) n
       where definitions.environment_id = ${environmentId} and definitions.flag_id = n.id`);
  },
};

const ruleBasedSegments: Definitions = {
  kind: 'segment',
  rowsIn: (environmentId) => sql`
    select segment_id as id, change_number, octet_length(coalesce(rules, '')) as bytes from segment_environments
     where environment_id = ${environmentId}`,
  renumber: (tx, environmentId, numbered) =>
    tx.run(sql`
      update segment_environments set change_number = n.next_number from (${numbered}) n
       where segment_environments.environment_id = ${environmentId} and segment_environments.segment_id = n.id`),
};
