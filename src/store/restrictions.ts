import sql, { bulk } from 'sql-template-tag';
import type { Viewer } from '#domain/restrictions.ts';
import type { Reader, Tx } from './sql.ts';

export async function isProjectRestricted(db: Reader, projectId: string): Promise<boolean> {
  const row = await db.one<{ is_restricted: boolean | number }>(sql`
    select is_restricted from projects where id = ${projectId}`);
  return Boolean(row?.is_restricted);
}

/** Who may see the project when it is restricted, in the order given. */
export const listViewers = (db: Reader, projectId: string) =>
  db.all<Viewer>(sql`
    select v.viewer_id as id, coalesce(u.name, g.name) as name, v.viewer_type as type
      from project_viewers v
      left join users u on v.viewer_type = 'user' and u.id = v.viewer_id
      left join groups g on v.viewer_type = 'group' and g.id = v.viewer_id
     where v.project_id = ${projectId}
     order by v.position`);

export async function saveRestriction(
  tx: Tx,
  { projectId, restricted, viewers }: { projectId: string; restricted: boolean; viewers: readonly Viewer[] },
): Promise<void> {
  await tx.run(sql`update projects set is_restricted = ${restricted} where id = ${projectId}`);
  await tx.run(sql`delete from project_viewers where project_id = ${projectId}`);
  if (viewers.length === 0) return;
  await tx.run(sql`
    insert into project_viewers (project_id, viewer_type, viewer_id, position)
    values ${bulk(viewers.map((viewer, position) => [projectId, viewer.type, viewer.id, position]))}`);
}
