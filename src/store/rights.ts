/** Whether a project's access lists name an actor: what `rightsFrom` needs to know. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Actor } from '#domain/access.ts';
import { administrators } from '#domain/groups.ts';
import type { Standings } from '#domain/rights.ts';
import { isOnList, isViewer, type Listed } from './scope-filter.ts';
import type { Reader } from './sql.ts';

/** Where an actor wants to act. `listStandings` returns one row per environment, or one for the project if there is none. */
export interface Place {
  readonly projectId: string;
  readonly environmentIds: readonly string[];
  readonly flagId?: string | undefined;
}

interface StandingsRow {
  /** Its place among the actors. */
  readonly actor: number;
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

/** What the lists say about the actor now; empty if the project was deleted. One statement, however long the lists are. */
export const listStandings = async (db: Reader, actor: Actor, place: Place): Promise<PlacedStandings[]> =>
  (await listStandingsOf(db, [actor], place))[0] ?? [];

/** The same for several actors, in their order, in one statement. */
export async function listStandingsOf(
  db: Reader,
  actors: readonly Actor[],
  place: Place,
): Promise<PlacedStandings[][]> {
  const about = (actor: Actor, index: number) => standingsOf(actor, index, place);
  const rows = await db.all<StandingsRow>(join(actors.map(about), ' union all '));
  return actors.map((actor, index) =>
    rows.filter((row) => row.actor === index).map((row) => toStandings(actor, place.projectId, row)),
  );
}

function standingsOf(actor: Actor, index: number, { projectId, environmentIds, flagId = '' }: Place): Sql {
  const who: Listed = { type: actor.type === 'api_key' ? 'api_key' : 'user', id: sql`${actor.id}` };
  const editors = sql`select t.editor_type as type, t.editor_id as id from project_editors t where t.project_id = p.id`;
  const granted = (operation: 'edit' | 'kill') => sql`
    select g.grantee_type as type, g.grantee_id as id from environment_grants g
     where g.environment_id = e.id and g.operation = ${operation}`;
  const ids = environmentIds.length > 0 ? [...environmentIds] : [''];
  return sql`
    select ${raw(String(index))} as actor, e.id as environment_id, p.is_restricted, p.is_edit_restricted,
           coalesce(e.are_editors_restricted, false) as are_editors_restricted,
           ${isViewer(who)} as is_viewer, ${isOnList(editors, who)} as is_editor,
           ${isOnList(granted('edit'), who)} as is_definer, ${isOnList(granted('kill'), who)} as is_killer,
           (p.owners_can_edit and ${owns(who, sql`${flagId}`)}) as is_owner
      from projects p left join environments e on e.project_id = p.id and e.id in (${join(ids)})
     where p.id = ${projectId}`;
}

function toStandings({ scope }: Actor, projectId: string, row: StandingsRow): PlacedStandings {
  const standing = (isRestricted: boolean | number, isListed: boolean | number) =>
    !isRestricted ? 'open' : isListed ? 'listed' : 'unlisted';
  // A key limited to the project, or to environments in it, sees it without being listed.
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

/** Owners are stored as JSON. We make the ids, so no id is part of another or contains a wildcard. */
export const owns = ({ type, id }: Listed, flagId: Sql): Sql =>
  type === 'user'
    ? sql`exists (select 1 from flags f
                   where f.id = ${flagId}
                     and (f.owners like '%"' || ${id} || '"%'
                          or exists (select 1 from memberships m
                                      where m.user_id = ${id} and f.owners like '%"' || m.group_id || '"%')))`
    : sql`1 = 0`;

/** Names of active administrators: people who can grant access. */
export async function listAdministratorNames(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`
    select u.name from users u
      join memberships m on m.user_id = u.id
      join groups g on g.id = m.group_id
     where g.name = ${administrators.name} and u.status = 'ACTIVE'
     order by u.created_at, u.id limit ${limit}`);
  return rows.map(({ name }) => name);
}
