/** The access lists of projects and their environments. */
import sql, { bulk, join, type Sql } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import { inOrder, type StoredPermissions } from '#domain/environments.ts';
import { administrators } from '#domain/groups.ts';
import type { Openness } from '#domain/restrictions.ts';
import type { EnvironmentAccess, GrantedRight, Grantee, NamedGrantee, ProjectAccess } from '#domain/rights.ts';
import { scopeFilter } from './scope-filter.ts';
import type { Reader, Tx } from './sql.ts';

/** The access lists of a project, as stored. */
export interface StoredAccess extends Omit<ProjectAccess, 'environments'> {
  readonly revision: number;
  readonly environments: (EnvironmentAccess & StoredPermissions)[];
}

interface AccessRow {
  readonly kind: 'project' | 'environment' | 'approvals' | 'view' | 'edit' | 'kill' | 'approve' | 'skip';
  readonly project_id: string;
  readonly environment_id: string | null;
  readonly id: string;
  /** Null for a grantee that was deleted. */
  readonly name: string | null;
  /** Of a project: the order of its environments. */
  readonly type: Grantee['type'];
  readonly first: boolean | number;
  readonly second: boolean | number;
  readonly third: boolean | number;
  readonly position: number;
}

/** The access lists of the projects, in the order of the ids. One statement, so all lists are of the same moment. */
export async function listProjectAccess(db: Reader, projectIds: readonly string[]): Promise<StoredAccess[]> {
  if (projectIds.length === 0) return [];
  const ids = join([...projectIds]);
  const named = (type: Sql, id: Sql) => sql`
    left join users u on ${type} = 'user' and u.id = ${id}
    left join groups o on ${type} = 'group' and o.id = ${id}
    left join api_keys k on ${type} = 'api_key' and k.id = ${id}`;
  const rows = await db.all<AccessRow>(sql`
    select 'project' as kind, p.id as project_id, cast(null as text) as environment_id, p.id as id, p.name as name,
           coalesce(p.environment_order, '[]') as type, p.is_restricted as first, p.is_edit_restricted as second, p.owners_can_edit as third,
           p.access_revision as position
      from projects p where p.id in (${ids})
    union all
    select 'environment', e.project_id, e.id, e.id, e.name, '', e.are_editors_restricted, e.production, e.allow_kills,
           e.created_at
      from environments e where e.project_id in (${ids})
    union all
    select 'approvals', e.project_id, e.id, e.id, e.name, '', e.are_approvals_required, e.are_approvers_restricted,
           false, e.created_at
      from environments e where e.project_id in (${ids})
    union all
    select 'view', v.project_id, null, v.viewer_id, coalesce(u.name, o.name, k.name), v.viewer_type, false, false, false,
           v.position
      from project_viewers v ${named(sql`v.viewer_type`, sql`v.viewer_id`)} where v.project_id in (${ids})
    union all
    select 'edit', t.project_id, null, t.editor_id, coalesce(u.name, o.name, k.name), t.editor_type, false, false, false,
           t.position
      from project_editors t ${named(sql`t.editor_type`, sql`t.editor_id`)} where t.project_id in (${ids})
    union all
    select g.operation, e.project_id, g.environment_id, g.grantee_id, coalesce(u.name, o.name, k.name), g.grantee_type,
           false, false, false, g.position
      from environments e
      join environment_grants g on g.environment_id = e.id ${named(sql`g.grantee_type`, sql`g.grantee_id`)}
     where e.project_id in (${ids})
     order by position, id`);
  const byProject = Map.groupBy(rows, (row) => row.project_id);
  return projectIds.flatMap((id) => toProjectAccess(byProject.get(id) ?? []));
}

function toProjectAccess(rows: readonly AccessRow[]): StoredAccess[] {
  const lists = Map.groupBy(rows, ({ kind, environment_id }) => `${kind} ${environment_id ?? ''}`);
  const grantees = (kind: AccessRow['kind'], environmentId = '') =>
    // Nodes of the previous release delete a group without removing it from the newer lists.
    (lists.get(`${kind} ${environmentId}`) ?? []).flatMap(({ id, name, type }) =>
      name === null ? [] : { id, name, type },
    );
  return rows
    .filter(({ kind }) => kind === 'project')
    .map((project) => ({
      id: project.id,
      name: project.name ?? '',
      revision: project.position,
      view: { restricted: Boolean(project.first), grantees: grantees('view') },
      edit: { restricted: Boolean(project.second), grantees: grantees('edit') },
      ownersEdit: Boolean(project.third),
      environments: inOrder(
        rows
          .filter(({ kind }) => kind === 'environment')
          .map((environment) =>
            toEnvironmentAccess(environment, lists.get(`approvals ${environment.id}`)?.[0], grantees),
          ),
        JSON.parse(project.type) as string[],
      ),
    }));
}

const toEnvironmentAccess = (
  { id, name, first, second, third }: AccessRow,
  approvals: AccessRow | undefined,
  grantees: (kind: AccessRow['kind'], environmentId: string) => Grantee[],
) => ({
  id,
  name: name ?? '',
  production: Boolean(second),
  editors: { restricted: Boolean(first), grantees: grantees('edit', id) },
  killers: grantees('kill', id),
  approvers: { restricted: Boolean(approvals?.second), grantees: grantees('approve', id) },
  skippers: grantees('skip', id),
  areApprovalsRequired: Boolean(approvals?.first),
  allowKills: Boolean(third),
});

/** The same for one project; undefined if it was deleted. */
export const findProjectAccess = async (db: Reader, projectId: string): Promise<StoredAccess | undefined> =>
  (await listProjectAccess(db, [projectId]))[0];

/** Saves who can view and edit the project itself. */
export async function saveProjectAccess(tx: Tx, access: Openness & { readonly id: string }): Promise<void> {
  const { id, view, edit, ownersEdit } = access;
  await tx.run(sql`
    update projects
       set is_restricted = ${view.restricted}, is_edit_restricted = ${edit.restricted}, owners_can_edit = ${ownersEdit},
           access_revision = access_revision + 1
     where id = ${id}`);
  await tx.run(sql`delete from project_viewers where project_id = ${id}`);
  if (view.grantees.length > 0) {
    await tx.run(sql`
      insert into project_viewers (project_id, viewer_type, viewer_id, position)
      values ${bulk(rowsOf([id], view.grantees))}`);
  }
  await tx.run(sql`delete from project_editors where project_id = ${id}`);
  if (edit.grantees.length > 0) {
    await tx.run(sql`
      insert into project_editors (project_id, editor_type, editor_id, position)
      values ${bulk(rowsOf([id], edit.grantees))}`);
  }
}

const rowsOf = (place: readonly string[], grantees: readonly NamedGrantee[]) =>
  grantees.map(({ type, id }, position) => [...place, type, id, position]);

/** Saves who can edit definitions, kill and approve in the environment. */
export async function saveEnvironmentAccess(
  tx: Tx,
  projectId: string,
  { id: environmentId, ...access }: StoredPermissions & { readonly id: string },
): Promise<void> {
  const { editors, killers, approvers, skippers } = access;
  await tx.run(sql`
    update environments
       set are_editors_restricted = ${editors.restricted}, allow_kills = ${access.allowKills},
           are_approvals_required = ${access.areApprovalsRequired}, are_approvers_restricted = ${approvers.restricted}
     where id = ${environmentId}`);
  await tx.run(sql`update projects set access_revision = access_revision + 1 where id = ${projectId}`);
  await tx.run(sql`delete from environment_grants where environment_id = ${environmentId}`);
  const rows = [
    ...rowsOf([environmentId, 'edit'], editors.grantees),
    ...rowsOf([environmentId, 'kill'], killers),
    ...rowsOf([environmentId, 'approve'], approvers.grantees),
    ...rowsOf([environmentId, 'skip'], skippers),
  ];
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into environment_grants (environment_id, operation, grantee_type, grantee_id, position) values ${bulk(rows)}`);
}

/** The total number of entries in the lists of the project's environments. */
export async function countEnvironmentGrants(db: Reader, projectId: string): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from environments e join environment_grants g on g.environment_id = e.id
     where e.project_id = ${projectId}`);
  return row?.total ?? 0;
}

/** Every project that lists the grantee, for itself or in an environment. */
export async function listProjectIdsListing(db: Reader, grantee: NamedGrantee): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    sql`select id from projects where id in (${idsListing(grantee)}) order by id`,
  );
  return rows.map(({ id }) => id);
}

const idsListing = ({ type, id }: NamedGrantee): Sql => sql`
  select v.project_id from project_viewers v where v.viewer_type = ${type} and v.viewer_id = ${id}
  union all
  select t.project_id from project_editors t where t.editor_type = ${type} and t.editor_id = ${id}
  union all
  select e.project_id from environment_grants g join environments e on e.id = g.environment_id
   where g.grantee_type = ${type} and g.grantee_id = ${id}`;

interface GrantedRow {
  readonly project_id: string;
  readonly project_name: string;
  readonly environment_id: string | null;
  readonly environment_name: string | null;
  readonly granted: GrantedRight['right'];
  readonly is_alone: boolean | number;
}

interface GrantedFilter {
  readonly scope: Scope;
  readonly grantee: NamedGrantee;
}

/** Which lists give the grantee a right in the scope's projects, by project name. Lists that are not in use are left out. */
export async function listGrantedRights(
  db: Reader,
  { offset, limit, ...filter }: GrantedFilter & { readonly offset: number; readonly limit: number },
): Promise<GrantedRight[]> {
  const rows = await db.all<GrantedRow>(sql`
    select project_id, project_name, environment_id, environment_name, granted, is_alone from (${grantedRights(filter)}) r
     order by project_name, project_id, coalesce(environment_name, ''), granted limit ${limit} offset ${offset}`);
  return rows.map((row) => ({
    project: { id: row.project_id, name: row.project_name },
    ...(row.environment_id === null
      ? {}
      : { environment: { id: row.environment_id, name: row.environment_name ?? '' } }),
    right: row.granted,
    alone: Boolean(row.is_alone),
  }));
}

export async function countGrantedRights(db: Reader, filter: GrantedFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from (${grantedRights(filter)}) r`);
  return row?.total ?? 0;
}

function grantedRights({ scope, grantee: { type, id } }: GrantedFilter): Sql {
  const inScope = scopeFilter(scope, sql`j.id`);
  const isOther = (otherType: Sql, otherId: Sql) => sql`
    not (${otherType} = ${type} and ${otherId} = ${id})
    and not (${otherType} = 'group'
             and ${otherId} in (select a.id from groups a where a.name = ${administrators.name}))`;
  return sql`
    select j.id as project_id, j.name as project_name, cast(null as text) as environment_id,
           cast(null as text) as environment_name, 'view' as granted,
           not exists (select 1 from project_viewers o
                        where o.project_id = j.id and ${isOther(sql`o.viewer_type`, sql`o.viewer_id`)}) as is_alone
      from project_viewers v join projects j on j.id = v.project_id
     where v.viewer_type = ${type} and v.viewer_id = ${id} and j.is_restricted and ${inScope}
    union all
    select j.id, j.name, null, null, 'edit',
           not exists (select 1 from project_editors o
                        where o.project_id = j.id and ${isOther(sql`o.editor_type`, sql`o.editor_id`)})
      from project_editors t join projects j on j.id = t.project_id
     where t.editor_type = ${type} and t.editor_id = ${id} and j.is_edit_restricted and ${inScope}
    union all
    select j.id, j.name, e.id, e.name, case when g.operation = 'edit' then 'define' else 'kill' end,
           not exists (select 1 from environment_grants o
                        where o.environment_id = e.id and o.operation = g.operation
                          and ${isOther(sql`o.grantee_type`, sql`o.grantee_id`)})
      from environment_grants g
      join environments e on e.id = g.environment_id
      join projects j on j.id = e.project_id
     where g.grantee_type = ${type} and g.grantee_id = ${id}
       and (g.operation = 'kill' or g.operation = 'edit' and e.are_editors_restricted)
       and ${inScope}`;
}

/** Removes the grantee from every list. */
export async function deleteGrantee(tx: Tx, grantee: NamedGrantee): Promise<void> {
  const { type, id } = grantee;
  await tx.run(sql`
    update projects set access_revision = access_revision + 1 where id in (${idsListing(grantee)})`);
  await tx.run(sql`delete from project_viewers where viewer_type = ${type} and viewer_id = ${id}`);
  await tx.run(sql`delete from project_editors where editor_type = ${type} and editor_id = ${id}`);
  await tx.run(sql`delete from environment_grants where grantee_type = ${type} and grantee_id = ${id}`);
}
