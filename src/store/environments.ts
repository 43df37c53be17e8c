import sql, { empty } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import type { Environment } from '#domain/environments.ts';
import { Problem } from '#domain/problems.ts';
import type { Reference } from '#domain/schema.ts';
import type { SegmentKind } from '#domain/segments.ts';
import type { Changed } from './notices.ts';
import { maxFormerNames } from './projects.ts';
import { environmentScopeFilter, scopeFilter } from './scope-filter.ts';
import { onRefused, type Reader, type Tx } from './sql.ts';

interface EnvironmentRow {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly production: boolean | number;
  readonly created_at: number;
}

const toEnvironment = (row: EnvironmentRow): Environment => ({
  id: row.id,
  projectId: row.project_id,
  name: row.name,
  production: Boolean(row.production),
  createdAt: row.created_at,
});

const columns = sql`id, project_id, name, production, created_at`;

/** By id, else by name, among the project's environments that the scope reaches. */
export async function findEnvironment(
  db: Reader,
  projectId: string,
  nameOrId: string,
  scope: Scope,
): Promise<Environment | undefined> {
  const row = await db.one<EnvironmentRow>(sql`
    select ${columns} from environments
     where project_id = ${projectId} and (id = ${nameOrId} or name = ${nameOrId}) and ${environmentScopeFilter(scope, sql`id`)}
     order by case when id = ${nameOrId} then 0 else 1 end limit 1`);
  return row && toEnvironment(row);
}

/** By id in any project that the scope reaches, for paths that name no project. */
export async function findEnvironmentById(db: Reader, id: string, scope: Scope): Promise<Environment | undefined> {
  const row = await db.one<EnvironmentRow>(sql`
    select ${columns} from environments where id = ${id} and ${inScope(scope)}`);
  return row && toEnvironment(row);
}

/**
 * Two of the environments of this name in all projects that the scope reaches: enough to know whether there is exactly
 * one. With `segment`: of projects that have this segment.
 */
export async function listEnvironmentsNamed(
  db: Reader,
  name: string,
  scope: Scope,
  segment?: { readonly kind: SegmentKind | undefined; readonly name: string },
): Promise<Environment[]> {
  const havingSegment = segment
    ? sql`and exists (select 1 from segments s where s.project_id = environments.project_id
                         and s.name = ${segment.name} ${segment.kind ? sql`and s.kind = ${segment.kind}` : empty})`
    : empty;
  const rows = await db.all<EnvironmentRow>(sql`
    select ${columns} from environments where name = ${name} and ${inScope(scope)} ${havingSegment} limit 2`);
  return rows.map(toEnvironment);
}

const inScope = (scope: Scope) =>
  sql`${scopeFilter(scope, sql`environments.project_id`)} and ${environmentScopeFilter(scope, sql`environments.id`)}`;

/** The project's environments that the scope reaches, in order of creation. */
export async function listEnvironments(db: Reader, projectId: string, scope: Scope): Promise<Environment[]> {
  const rows = await db.all<EnvironmentRow>(sql`
    select ${columns} from environments
     where project_id = ${projectId} and ${environmentScopeFilter(scope, sql`id`)} order by created_at, id`);
  return rows.map(toEnvironment);
}

/** The ids in the order that people chose for the project. It may name deleted environments and lack new ones. */
export async function findEnvironmentOrder(db: Reader, projectId: string): Promise<string[]> {
  const row = await db.one<{ environment_order: string | null }>(sql`
    select environment_order from projects where id = ${projectId}`);
  return JSON.parse(row?.environment_order ?? '[]') as string[];
}

export const saveEnvironmentOrder = (tx: Tx, projectId: string, ids: readonly string[]) =>
  tx.run(sql`update projects set environment_order = ${JSON.stringify(ids)} where id = ${projectId}`);

/** The current environment, locked until the commit. */
export async function lockEnvironment(tx: Tx, id: string): Promise<Environment> {
  const row = await tx.one<EnvironmentRow>(sql`select ${columns} from environments where id = ${id} ${tx.lock}`);
  if (!row) throw new Problem('environment_not_found', { nameOrId: id });
  return toEnvironment(row);
}

const nameTaken = (name: string) =>
  onRefused({ environments_name_key: () => new Problem('environment_name_taken', { name }) });

/**
 * Its name no longer leads to another environment that had it before. `changeNumber`: what its change numbers are
 * greater than.
 */
export async function insertEnvironment(
  tx: Tx,
  environment: Environment,
  changeNumber = environment.createdAt,
): Promise<void> {
  await tx
    .run(sql`
      insert into environments (id, project_id, name, production, change_number, created_at)
      values (${environment.id}, ${environment.projectId}, ${environment.name}, ${environment.production},
              ${changeNumber}, ${environment.createdAt})`)
    .catch(nameTaken(environment.name));
  await releaseName(tx, environment.projectId, environment.name);
}

/** `former`: its name until now, which still leads to it if it has another one. */
export async function saveEnvironment(tx: Tx, environment: Environment, former: string): Promise<void> {
  const { id, projectId, name, production } = environment;
  await tx
    .run(sql`update environments set name = ${name}, production = ${production} where id = ${id}`)
    .catch(nameTaken(name));
  if (name === former) return;
  await releaseName(tx, projectId, name);
  await releaseName(tx, projectId, former);
  await tx.run(sql`
    insert into former_environment_names (project_id, name, environment_id, renamed_at)
    values (${projectId}, ${former}, ${id}, ${tx.now})`);
  await tx.run(sql`
    delete from former_environment_names where environment_id = ${id} and name not in (
      select name from former_environment_names where environment_id = ${id}
       order by renamed_at desc, name limit ${maxFormerNames})`);
}

const releaseName = (tx: Tx, projectId: string, name: string) =>
  tx.run(sql`delete from former_environment_names where project_id = ${projectId} and name = ${name}`);

/**
 * The names that the project's environments had before, by their ids, without those that one has now: a node of the
 * previous release gives names away and does not know of this table.
 */
export async function findFormerEnvironmentNames(db: Reader, projectId: string): Promise<Map<string, string[]>> {
  const rows = await db.all<{ environment_id: string; name: string }>(sql`
    select environment_id, name from former_environment_names f
     where project_id = ${projectId}
       and not exists (select 1 from environments e where e.project_id = f.project_id and e.name = f.name)
     order by name`);
  const names = new Map<string, string[]>();
  for (const { environment_id: id, name } of rows) names.set(id, [...(names.get(id) ?? []), name]);
  return names;
}

export const deleteEnvironment = (tx: Tx, id: string) => tx.run(sql`delete from environments where id = ${id}`);

/** An environment and the number of its last change. */
export interface ChangedEnvironment {
  readonly id: string;
  readonly changeNumber: number;
}

export const listChangeNumbers = (db: Reader) =>
  db.all<ChangedEnvironment>(sql`select id, change_number as "changeNumber" from environments`);

/**
 * The environment's next change number: the clock's milliseconds, but always greater than the last. Taking it locks the
 * environment's definitions and segments: writers queue on this row, so numbers follow commit order and no patch
 * overwrites another. Returns the environment's current name; refuses if it was deleted. `atLeast` stands for the clock
 * if an import knows the number at the source: it is kept if it is greater than the last.
 */
export const nextChangeNumber = (
  tx: Tx,
  environment: Reference,
  changed: Changed = { kind: 'definitions' },
  atLeast = tx.now,
) => advance(tx, environment, { count: 1, changed, atLeast });

/** The same for several definitions at once. Returns the last of their numbers. */
export const takeChangeNumbers = (tx: Tx, environment: Reference, count: number) =>
  advance(tx, environment, { count, changed: { kind: 'definitions' }, atLeast: tx.now });

/** Whether changes in an environment need an approval. */
export interface Approvals {
  readonly areRequired: boolean;
  readonly allowKills: boolean;
}

interface Advance {
  readonly count: number;
  readonly changed: Changed;
  readonly atLeast: number;
}

async function advance(tx: Tx, { id, name }: Reference, { count, changed, atLeast }: Advance) {
  const row = await tx.one<{ change_number: number; name: string } & ApprovalsRow>(sql`
    update environments
       set change_number = case when change_number < ${atLeast} then ${atLeast} else change_number + 1 end + ${count - 1}
     where id = ${id} returning change_number, name, are_approvals_required, allow_kills`);
  if (!row) throw new Problem('environment_not_found', { nameOrId: name });
  tx.announce({ ...changed, environmentId: id, changeNumber: row.change_number });
  const { are_approvals_required, allow_kills } = row;
  const approvals = { areRequired: Boolean(are_approvals_required), allowKills: Boolean(allow_kills) };
  return { changeNumber: row.change_number, environment: { id, name: row.name }, approvals };
}

interface ApprovalsRow {
  readonly are_approvals_required: boolean | number;
  readonly allow_kills: boolean | number;
}
