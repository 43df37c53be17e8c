import sql, { empty, join } from 'sql-template-tag';
import type { FlagSet } from '#domain/flag-sets.ts';
import { Problem } from '#domain/problems.ts';
import type { Reference } from '#domain/schema.ts';
import { onRefused, type Position, type Reader, type Tx } from './sql.ts';

const columns = sql`id, project_id as "projectId", name, description, created_at as "createdAt"`;

export const findFlagSet = (db: Reader, id: string) =>
  db.one<FlagSet>(sql`select ${columns} from flag_sets where id = ${id}`);

export interface FlagSetFilter {
  readonly projectId: string;
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** In order of creation. With `before`: those directly before it, in the same order. */
export async function listFlagSets(
  db: Reader,
  { projectId, after, before, ...page }: FlagSetFilter,
): Promise<FlagSet[]> {
  const place = after
    ? sql`and (created_at, id) > (${after.at}, ${after.id})`
    : before
      ? sql`and (created_at, id) < (${before.at}, ${before.id})`
      : empty;
  const rows = await db.all<FlagSet>(sql`
    select ${columns} from flag_sets where project_id = ${projectId} ${place}
     ${before ? sql`order by created_at desc, id desc` : sql`order by created_at, id`}
     limit ${page.limit} offset ${page.offset}`);
  return before ? rows.reverse() : rows;
}

/** Those of the project whose id or name is among the words. They are not deleted before the commit. */
export async function keepFlagSets(tx: Tx, projectId: string, words: readonly string[]): Promise<Reference[]> {
  if (words.length === 0) return [];
  const among = join([...words]);
  return tx.all<Reference>(sql`
    select id, name from flag_sets where project_id = ${projectId} and (id in (${among}) or name in (${among}))
     order by id ${tx.keep}`);
}

export const insertFlagSet = (tx: Tx, { id, projectId, name, description, createdAt }: FlagSet) =>
  tx
    .run(sql`
      insert into flag_sets (id, project_id, name, description, created_at)
      values (${id}, ${projectId}, ${name}, ${description}, ${createdAt})`)
    .catch(onRefused({ flag_sets_name_key: () => new Problem('flag_set_name_taken', { name }) }));

/** Returns how many existed: none or one. Waits for changes that keep it. */
export const deleteFlagSet = (tx: Tx, id: string) => tx.run(sql`delete from flag_sets where id = ${id}`);
