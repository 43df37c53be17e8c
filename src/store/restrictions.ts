import sql, { bulk } from 'sql-template-tag';
import type { Viewer } from '#domain/restrictions.ts';
import type { Reader, Tx } from './sql.ts';

interface RestrictionRow {
  readonly is_restricted: boolean | number;
  readonly viewer_id: string | null;
  readonly viewer_name: string;
  readonly viewer_type: Viewer['type'];
}

/** Whether the project is restricted, and who may see it then, in the order given. One statement, so of one moment. */
export async function findRestriction(
  db: Reader,
  projectId: string,
): Promise<{ restricted: boolean; viewers: Viewer[] }> {
  const rows = await db.all<RestrictionRow>(sql`
    select p.is_restricted, v.viewer_id, coalesce(u.name, g.name, k.name) as viewer_name, v.viewer_type
      from projects p
      left join project_viewers v on v.project_id = p.id
      left join users u on v.viewer_type = 'user' and u.id = v.viewer_id
      left join groups g on v.viewer_type = 'group' and g.id = v.viewer_id
      left join api_keys k on v.viewer_type = 'api_key' and k.id = v.viewer_id
     where p.id = ${projectId}
     order by v.position`);
  return {
    restricted: Boolean(rows[0]?.is_restricted),
    viewers: rows.flatMap(({ viewer_id: id, viewer_name: name, viewer_type: type }) =>
      id === null ? [] : [{ id, name, type }],
    ),
  };
}

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
