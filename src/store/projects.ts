import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { scopeFilter } from './scope-filter.ts';
import { likeLiteral, onRefused, type Reader, type Tx } from './sql.ts';

interface ProjectRow {
  readonly id: string;
  readonly name: string;
  readonly requires_title_and_comments: boolean | number;
}

const toProject = (row: ProjectRow): Project => ({
  name: row.name,
  type: 'workspace',
  id: row.id,
  requiresTitleAndComments: Boolean(row.requires_title_and_comments),
});

const columns = sql`id, name, requires_title_and_comments`;

/** By id, else by name, among the projects that the scope reaches. */
export async function findProject(db: Reader, nameOrId: string, scope: Scope): Promise<Project | undefined> {
  const row = await db.one<ProjectRow>(sql`
    select ${columns} from projects where (id = ${nameOrId} or name = ${nameOrId}) and ${scopeFilter(scope, sql`projects.id`)}
     order by case when id = ${nameOrId} then 0 else 1 end limit 1`);
  return row && toProject(row);
}

/** In any scope. One index lookup; `findProject` must also look for the name. */
export async function findProjectById(db: Reader, id: string): Promise<Project | undefined> {
  const row = await db.one<ProjectRow>(sql`select ${columns} from projects where id = ${id}`);
  return row && toProject(row);
}

/** The current project, locked until the commit. */
export async function lockProject(tx: Tx, id: string): Promise<Project> {
  const row = await tx.one<ProjectRow>(sql`select ${columns} from projects where id = ${id} ${tx.lock}`);
  if (!row) throw new Problem('project_not_found', { nameOrId: id });
  return toProject(row);
}

export interface ProjectFilter {
  readonly scope: Scope;
  readonly name: string | undefined;
  readonly nameOp: 'IS' | 'STARTS_WITH' | 'CONTAINS';
  /** Id or name to look for. */
  readonly nameOrId: string | undefined;
  /** A name that the project had before. */
  readonly formerName?: string | undefined;
}

export async function listProjects(
  db: Reader,
  filter: ProjectFilter & { offset: number; limit: number },
): Promise<Project[]> {
  const rows = await db.all<ProjectRow>(sql`
    select ${columns} from projects where ${matching(filter)}
     order by created_at, id limit ${filter.limit} offset ${filter.offset}`);
  return rows.map(toProject);
}

export async function countProjects(db: Reader, filter: ProjectFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from projects where ${matching(filter)}`);
  return row?.total ?? 0;
}

function matching({ scope, name, nameOp, nameOrId, formerName }: ProjectFilter): Sql {
  const reached = scopeFilter(scope, sql`projects.id`);
  const wanted = nameOrId === undefined ? empty : sql`and (id = ${nameOrId} or name = ${nameOrId})`;
  const renamed =
    formerName === undefined
      ? empty
      : // One that has it now may have been named by a node of the previous release, which does not know of this table.
        sql`and id = (select project_id from former_project_names where name = ${formerName})
            and not exists (select 1 from projects taker where taker.name = ${formerName})`;
  return sql`${reached} ${wanted} ${renamed} ${name === undefined ? empty : named(name, nameOp)}`;
}

function named(name: string, nameOp: ProjectFilter['nameOp']): Sql {
  if (nameOp === 'IS') return sql`and name = ${name}`;
  const pattern = `${nameOp === 'CONTAINS' ? '%' : ''}${likeLiteral(name)}%`;
  return sql`and lower(name) like ${pattern} escape '\\'`;
}

const nameTaken = (name: string) => onRefused({ projects_name_key: () => new Problem('project_name_taken', { name }) });

/** Its name no longer leads to another project that had it before. */
export async function insertProject(tx: Tx, project: Project): Promise<void> {
  await tx
    .run(sql`
      insert into projects (id, name, requires_title_and_comments, is_restricted, created_at)
      values (${project.id}, ${project.name}, ${project.requiresTitleAndComments}, false, ${tx.now})`)
    .catch(nameTaken(project.name));
  await releaseName(tx, project.name);
}

/** `former`: its name until now, which still leads to it if it has another one. */
export async function saveProject(tx: Tx, project: Project, former: string): Promise<void> {
  await tx
    .run(sql`
      update projects
         set name = ${project.name}, requires_title_and_comments = ${project.requiresTitleAndComments}
       where id = ${project.id}`)
    .catch(nameTaken(project.name));
  if (project.name === former) return;
  await releaseName(tx, project.name);
  await releaseName(tx, former);
  await tx.run(sql`
    insert into former_project_names (name, project_id, renamed_at) values (${former}, ${project.id}, ${tx.now})`);
  await tx.run(sql`
    delete from former_project_names where project_id = ${project.id} and name not in (
      select name from former_project_names where project_id = ${project.id}
       order by renamed_at desc, name limit ${maxFormerNames})`);
}

/** A project or an environment that is renamed more often forgets the oldest. */
export const maxFormerNames = 20;

const releaseName = (tx: Tx, name: string) => tx.run(sql`delete from former_project_names where name = ${name}`);

/** Whether the project has anything that must be deleted first. */
export async function isProjectInUse(tx: Tx, id: string): Promise<boolean> {
  const found = await tx.one(sql`
    select 1 from environments where project_id = ${id}
    union all select 1 from traffic_types where project_id = ${id} limit 1`);
  return found !== undefined;
}

/** Deleting more at once would hold up the event loop where the database is SQLite. */
const keysAtOnce = 500;

/** Also removes them from the lists of other projects. */
export async function deleteKeysOfProject(tx: Tx, id: string): Promise<void> {
  let last = { id: '', created_at: -1 };
  for (;;) {
    // From the last one on: PostgreSQL would pass over all that the transaction has deleted.
    const keys = await tx.all<typeof last>(sql`
      select id, created_at from api_keys
       where project_id = ${id} and (created_at, id) > (${last.created_at}, ${last.id})
       order by created_at, id limit ${keysAtOnce}`);
    if (keys.length === 0) break;
    last = keys.at(-1) ?? last;
    const ids = join(keys.map((key) => key.id));
    await tx.run(sql`delete from project_viewers where viewer_type = 'api_key' and viewer_id in (${ids})`);
    await tx.run(sql`delete from project_editors where editor_type = 'api_key' and editor_id in (${ids})`);
    await tx.run(sql`delete from environment_grants where grantee_type = 'api_key' and grantee_id in (${ids})`);
    await tx.run(sql`delete from api_keys where id in (${ids})`);
  }
  tx.announce({ kind: 'api-keys' });
}

/** Also deletes its rollout statuses and viewers. Its keys must be deleted. */
export const deleteProject = (tx: Tx, id: string) => tx.run(sql`delete from projects where id = ${id}`);
