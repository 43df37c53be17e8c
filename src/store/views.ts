import sql from 'sql-template-tag';
import type { View } from '#domain/views.ts';
import type { Reader, Tx } from './sql.ts';

/** The owner of views; shared ones have none. */
export interface ViewPlace {
  readonly projectId: string;
  readonly ownerId: string;
}

export const everyone = '';

interface ViewRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly query: string;
  readonly columns: string;
}

const toView = ({ id, owner_id, name, query, columns }: ViewRow): View => ({
  id,
  name,
  query,
  shared: owner_id === everyone,
  columns: JSON.parse(columns) as string[],
});

/** By name. */
export async function listViews(db: Reader, { projectId, ownerId }: ViewPlace): Promise<View[]> {
  const rows = await db.all<ViewRow>(sql`
    select id, owner_id, name, query, columns from views
     where project_id = ${projectId} and owner_id = ${ownerId} order by name`);
  return rows.map(toView);
}

export const insertView = (tx: Tx, { projectId, ownerId }: ViewPlace, { id, name, query, columns }: View) =>
  tx.run(sql`
    insert into views (id, project_id, owner_id, name, query, columns)
    values (${id}, ${projectId}, ${ownerId}, ${name}, ${query}, ${JSON.stringify(columns)})`);

export const saveView = (tx: Tx, { id, query, columns }: View) =>
  tx.run(sql`update views set query = ${query}, columns = ${JSON.stringify(columns)} where id = ${id}`);

export const deleteView = (tx: Tx, id: string) => tx.run(sql`delete from views where id = ${id}`);

export const deleteViewsOf = (tx: Tx, ownerId: string) => tx.run(sql`delete from views where owner_id = ${ownerId}`);
