/** How an actor stands to the lists of who may do what, as `rightsFrom` takes it. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Actor } from '#domain/access.ts';
import { administrators } from '#domain/groups.ts';
import type { Standings } from '#domain/rights.ts';
import type { Reader } from './sql.ts';

/** The project, and for each of the environments named, or for none of them, one row of `listStandings`. */
export interface Place {
  readonly projectId: string;
  readonly environmentIds: readonly string[];
  readonly flagId?: string | undefined;
}

interface StandingsRow {
  readonly is_restricted: boolean | number;
  readonly is_edit_restricted: boolean | number;
  readonly are_editors_restricted: boolean | number;
  readonly is_viewer: boolean | number;
  readonly is_editor: boolean | number;
  readonly is_definer: boolean | number;
  readonly is_killer: boolean | number;
  readonly is_owner: boolean | number;
  readonly environment_id: string | null;
}

export type PlacedStandings = Standings & { readonly environmentId: string | undefined };

/** How the actor stands to the lists of the place now. Empty when the project is gone. One statement, whatever they hold. */
export async function listStandings(db: Reader, actor: Actor, place: Place): Promise<PlacedStandings[]> {
  const { projectId, environmentIds, flagId = '' } = place;
  const listedHere = (operation: 'edit' | 'kill') => sql`
    exists (select 1 from environment_grants g
             where g.environment_id = e.id and g.operation = ${operation}
               and ${names(actor, sql`g.grantee_type`, sql`g.grantee_id`)})`;
  const ids = environmentIds.length > 0 ? [...environmentIds] : [''];
  const rows = await db.all<StandingsRow>(sql`
    select e.id as environment_id, p.is_restricted, p.is_edit_restricted,
           coalesce(e.are_editors_restricted, false) as are_editors_restricted,
           exists (select 1 from project_viewers v
                    where v.project_id = p.id and ${names(actor, sql`v.viewer_type`, sql`v.viewer_id`)}) as is_viewer,
           exists (select 1 from project_editors t
                    where t.project_id = p.id and ${names(actor, sql`t.editor_type`, sql`t.editor_id`)}) as is_editor,
           ${listedHere('edit')} as is_definer, ${listedHere('kill')} as is_killer,
           (p.owners_can_edit and ${owns(actor, flagId)}) as is_owner
      from projects p left join environments e on e.project_id = p.id and e.id in (${join(ids)})
     where p.id = ${projectId}`);
  return rows.map((row) => toStandings(actor, projectId, row));
}

function toStandings({ scope }: Actor, projectId: string, row: StandingsRow): PlacedStandings {
  const standing = (isRestricted: boolean | number, isListed: boolean | number) =>
    !isRestricted ? 'open' : isListed ? 'listed' : 'unlisted';
  // A key that is made for the project, or for some of its environments, sees it.
  const isOfProject = scope.kind === 'project' || scope.kind === 'environment';
  const sees = isOfProject ? (scope.projectId === projectId ? 'open' : 'unlisted') : undefined;
  return {
    environmentId: row.environment_id ?? undefined,
    mayGrant: false,
    view: sees ?? standing(row.is_restricted, row.is_viewer),
    edit: standing(row.is_edit_restricted, row.is_editor),
    define: standing(row.are_editors_restricted, row.is_definer),
    kill: row.is_killer ? 'listed' : 'unlisted',
    owns: Boolean(row.is_owner),
  };
}

/** The two columns name the actor or one of its groups. */
const names = ({ type, id }: Actor, typeColumn: Sql, idColumn: Sql): Sql =>
  type === 'api_key'
    ? sql`(${typeColumn} = 'api_key' and ${idColumn} = ${id})`
    : sql`(${typeColumn} = 'user' and ${idColumn} = ${id}
           or ${typeColumn} = 'group' and ${idColumn} in (select m.group_id from memberships m where m.user_id = ${id}))`;

/** Owners are kept as JSON. Ids are ours, so none of them is part of another or has a wildcard in it. */
const owns = ({ type, id }: Actor, flagId: string): Sql =>
  type === 'user'
    ? sql`exists (select 1 from flags f
                   where f.id = ${flagId}
                     and (f.owners like ${`%"${id}"%`}
                          or exists (select 1 from memberships m
                                      where m.user_id = ${id} and f.owners like '%"' || m.group_id || '"%')))`
    : sql`1 = 0`;

/** A few active administrators, to name somebody who can grant access. */
export async function listAdministratorNames(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`
    select u.name from users u
      join memberships m on m.user_id = u.id
      join groups g on g.id = m.group_id
     where g.name = ${administrators.name} and u.status = 'ACTIVE'
     order by u.created_at, u.id limit ${limit}`);
  return rows.map(({ name }) => name);
}
