import sql, { bulk, empty, join, type Sql } from 'sql-template-tag';
import type { Actor } from '#domain/access.ts';
import {
  type Changeset,
  type ChangesetState,
  type Edit,
  type ObjectKind,
  type PlacedOperation,
  requestedStates,
  scheduledStates,
} from '#domain/changesets.ts';
import { Problem } from '#domain/problems.ts';
import type { Reference } from '#domain/schema.ts';
import { isApprover, isAwaitedEditor } from './approvals.ts';
import { endSchedule, findSchedule } from './schedules.ts';
import { environmentScopeFilter, scopeFilter } from './scope-filter.ts';
import { likeLiteral, onRefused, type Position, type Reader, type Tx } from './sql.ts';

/** A changeset without its operations; in lists without its schedule, too. */
export type ChangesetHead = Omit<Changeset, 'operations' | 'type' | 'reviews'>;

/** Who asks, and what they may read. */
export type Viewer = Pick<Actor, 'scope' | 'permissions'>;

interface ChangesetRow {
  readonly id: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly state: ChangesetState;
  readonly title: string;
  readonly comment: string;
  readonly author_type: string;
  readonly author_id: string;
  readonly author_name: string;
  readonly reverts: string | null;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly published_at: number | null;
  readonly approvers: string;
  readonly reason: string | null;
  readonly expires_at: number | null;
  readonly operation_type: string | null;
  readonly due_at: number | null;
}

const toHead = (row: ChangesetRow): ChangesetHead => ({
  id: row.id,
  status: row.state,
  title: row.title,
  comment: row.comment,
  workspace: { id: row.project_id, name: row.project_name },
  author: { type: row.author_type, id: row.author_id, name: row.author_name },
  ...(row.reverts === null ? {} : { reverts: row.reverts }),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  ...(row.published_at === null ? {} : { publishedAt: row.published_at }),
  approvers: JSON.parse(row.approvers) as string[],
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
  ...(row.operation_type === null ? {} : { operationType: row.operation_type }),
  ...(row.due_at === null ? {} : { dueAt: row.due_at }),
  revision: row.revision,
});

const columns = sql`
  c.id, c.project_id, p.name as project_name, c.state, c.title, c.comment, c.author_type, c.author_id, c.author_name,
  c.reverts, c.revision, c.created_at, c.updated_at, c.published_at, c.approvers, c.reason, c.expires_at,
  c.operation_type, s.due_at`;
const changesets = sql`
  changesets c join projects p on p.id = c.project_id left join changeset_schedules s on s.changeset_id = c.id`;

/** A key of some environments sees what is in these alone; one that reads no segments sees none that change segments. */
export const isVisible = ({ scope, permissions }: Viewer) => sql`
  ${scopeFilter(scope, sql`c.project_id`)}
  and not exists (select 1 from changeset_operations o
                   where o.changeset_id = c.id and not (${environmentScopeFilter(scope, sql`o.environment_id`)}
                                                        and ${isReadable(permissions)}))`;

const isReadable = (permissions: Viewer['permissions']): Sql => {
  const [flags, segments] = [permissions.has('definition.read'), permissions.has('segment.read')];
  if (flags && segments) return sql`1 = 1`;
  if (flags) return sql`o.object_kind <> 'segment'`;
  return segments ? sql`o.object_kind = 'segment'` : sql`1 = 0`;
};

export async function findChangeset(db: Reader, id: string, viewer: Viewer): Promise<ChangesetHead | undefined> {
  const row = await db.one<ChangesetRow>(sql`
    select ${columns} from ${changesets} where c.id = ${id} and ${isVisible(viewer)}`);
  const schedule = row && (await findSchedule(db, id));
  return row && { ...toHead(row), ...(schedule ? { schedule } : {}) };
}

/** In the order of the ids. Whether the reader may see them must be checked before. */
export async function listChangesetHeads(db: Reader, ids: readonly string[]): Promise<ChangesetHead[]> {
  if (ids.length === 0) return [];
  const rows = await db.all<ChangesetRow>(sql`select ${columns} from ${changesets} where c.id in (${join([...ids])})`);
  const heads = new Map(rows.map((row) => [row.id, toHead(row)]));
  return ids.flatMap((id) => heads.get(id) ?? []);
}

/** Locks the changeset until the commit. */
export const lockChangeset = (tx: Tx, id: string) => tx.one(sql`select id from changesets where id = ${id} ${tx.lock}`);

export interface ChangesetFilter {
  readonly viewer: Viewer;
  readonly projectId: string;
  readonly state: ChangesetState | undefined;
  /** Only those that change this flag or segment: anywhere, or in this environment. */
  readonly objectId?: string | undefined;
  readonly environmentId?: string | undefined;
  /** Only those that take back this changeset. */
  readonly reverts?: string | undefined;
  /** Only those that this actor made, or that wait for it. */
  readonly concerning?: { readonly actor: Actor; readonly how: 'mine' | 'waiting' } | undefined;
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** The newest first. With `before`: those directly before it, in the same order. */
export async function listChangesets(db: Reader, filter: ChangesetFilter): Promise<ChangesetHead[]> {
  const { viewer, projectId, state, objectId, environmentId, reverts, concerning, after, before, offset, limit } =
    filter;
  const isWaitingOnly = concerning?.how === 'waiting';
  const conditions = [
    sql`c.project_id = ${projectId}`,
    isVisible(viewer),
    ...(isWaitingOnly ? [isAwaited] : state ? [sql`c.state = ${state}`] : []),
    ...(objectId === undefined ? [] : [changesObject(objectId, environmentId)]),
    ...(reverts === undefined ? [] : [sql`c.reverts = ${reverts}`]),
    ...(concerning ? [concerns[concerning.how](concerning.actor)] : []),
    ...(after ? [sql`(c.created_at, c.id) < (${after.at}, ${after.id})`] : []),
    ...(before ? [sql`(c.created_at, c.id) > (${before.at}, ${before.id})`] : []),
  ];
  const order = before ? sql`order by c.created_at, c.id` : sql`order by c.created_at desc, c.id desc`;
  const rows = await db.all<ChangesetRow>(sql`
    select ${columns} from ${changesets} where ${join(conditions, ' and ')} ${order} limit ${limit} offset ${offset}`);
  if (before) rows.reverse();
  return rows.map(toHead);
}

const changesObject = (objectId: string, environmentId: string | undefined) => sql`
  c.id in (select o.changeset_id from changeset_operations o
            where o.object_id = ${objectId}
                  ${environmentId === undefined ? empty : sql`and o.environment_id = ${environmentId}`})`;

/** As the indexes have it. */
const isAwaited = sql`(c.state in ('REQUESTED', 'SCHEDULE_REQUESTED') or c.awaits_editor)`;

/** So many requests, the newest, are looked at. */
const maxRequestsRead = 1_000;

/** In which projects changesets wait for the actor, and how many. */
export async function countWaitingChangesets(db: Reader, actor: Actor) {
  const rows = await db.all<Reference>(sql`
    select p.id, p.name
      from (select c.id, c.project_id, c.state, c.approvers, c.author_type, c.author_id, c.awaits_editor from changesets c
             where ${isAwaited} order by c.created_at desc, c.id desc limit ${maxRequestsRead}) c
      join projects p on p.id = c.project_id
     where ${isVisible(actor)} and ${concerns.waiting(actor)}`);
  const counts = new Map<string, Reference & { count: number }>();
  for (const { id, name } of rows) counts.set(id, { id, name, count: (counts.get(id)?.count ?? 0) + 1 });
  return [...counts.values()];
}

const concerns = {
  mine: ({ type, id }: Actor): Sql => sql`c.author_type = ${type} and c.author_id = ${id}`,
  /** For an approval that the actor can give or, if it has what it needs, for somebody who can apply it. */
  waiting: (actor: Actor): Sql => sql`
    not (c.author_type = ${actor.type} and c.author_id = ${actor.id})
    and case when c.awaits_editor then ${isAwaitedEditor(actor)} else ${isAwaitedApprover(actor)} end`,
};

/** A value instead of `not exists`, for which PostgreSQL would read the reviews of all changesets here. */
const isAwaitedApprover = (actor: Actor): Sql => sql`
    (select 1 from changeset_reviews r
      where r.changeset_id = c.id and r.actor_type = ${actor.type} and r.actor_id = ${actor.id}
        and (r.kind = 'edit' or r.kind = 'approve' and r.voided_at is null) limit 1) is null
    and (c.approvers = '[]' or lower(c.approvers) like ${`%"${likeLiteral(actor.name)}"%`} escape '\\')
    and exists (select 1 from changeset_operations o join environments e on e.id = o.environment_id
                 where o.changeset_id = c.id and (e.are_approvals_required or c.approvers <> '[]')
                   and ${isApprover(actor)})`;

interface OperationRow {
  readonly changeset_id: string;
  readonly object_kind: ObjectKind;
  readonly object_id: string;
  readonly object_name: string;
  readonly environment_id: string;
  readonly environment_name: string;
  readonly edit: string;
  readonly base: string | null;
}

const toPlaced = (row: OperationRow): PlacedOperation => ({
  kind: row.object_kind,
  object: { id: row.object_id, name: row.object_name },
  environment: row.environment_id === '' ? undefined : { id: row.environment_id, name: row.environment_name },
  edit: JSON.parse(row.edit) as Edit,
  base: row.base ?? undefined,
});

/** In their order, by changeset. */
export async function listOperations(db: Reader, ids: readonly string[]): Promise<Map<string, PlacedOperation[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all<OperationRow>(sql`
    select changeset_id, object_kind, object_id, object_name, environment_id, environment_name, edit, base
      from changeset_operations where changeset_id in (${join([...ids])}) order by changeset_id, position`);
  const all = new Map<string, PlacedOperation[]>(ids.map((id) => [id, []]));
  for (const row of rows) all.get(row.changeset_id)?.push(toPlaced(row));
  return all;
}

export async function insertChangeset(
  tx: Tx,
  head: ChangesetHead,
  operations: readonly PlacedOperation[],
): Promise<void> {
  await tx.run(sql`
    insert into changesets (id, project_id, state, title, comment, author_type, author_id, author_name, reverts,
                            revision, created_at, updated_at, approvers, expires_at, operation_type, environment_id)
    values (${head.id}, ${head.workspace.id}, ${head.status}, ${head.title}, ${head.comment}, ${head.author.type},
            ${head.author.id}, ${head.author.name}, ${head.reverts ?? null}, ${head.revision}, ${head.createdAt},
            ${head.updatedAt}, ${JSON.stringify(head.approvers)}, ${head.expiresAt ?? null},
            ${head.operationType ?? null}, ${head.operationType ? (operations[0]?.environment?.id ?? null) : null})`);
  await insertOperations(tx, head.id, operations);
}

async function insertOperations(tx: Tx, id: string, operations: readonly PlacedOperation[]): Promise<void> {
  const rows = operations.map(({ kind, object, environment, edit, base }, position) => [
    id,
    position,
    kind,
    object.id,
    object.name,
    environment?.id ?? '',
    environment?.name ?? '',
    JSON.stringify(edit),
    base ?? null,
  ]);
  await tx.run(sql`
    insert into changeset_operations (changeset_id, position, object_kind, object_id, object_name, environment_id,
                                      environment_name, edit, base)
    values ${bulk(rows)}`);
}

/** Ends its schedule, if the state does. */
export async function saveChangeset(tx: Tx, head: ChangesetHead, awaitsEditor = false): Promise<void> {
  if (head.schedule && !scheduledStates.includes(head.status)) await endSchedule(tx, head.id);
  await tx.run(sql`
    update changesets
       set state = ${head.status}, title = ${head.title}, comment = ${head.comment}, revision = ${head.revision},
           updated_at = ${head.updatedAt}, published_at = ${head.publishedAt ?? null},
           approvers = ${JSON.stringify(head.approvers)}, reason = ${head.reason ?? null},
           expires_at = ${head.expiresAt ?? null}, awaits_editor = ${awaitsEditor}
     where id = ${head.id}`);
  if (head.operationType === undefined) return;
  await tx
    .run(sql`
      update changeset_operations set is_pending = ${requestedStates.includes(head.status)}
       where changeset_id = ${head.id} and position = 0`)
    .catch(onRefused({ changeset_operations_pending: () => new Problem('change_request_pending', { id: 'unknown' }) }));
}

export async function replaceOperations(tx: Tx, id: string, operations: readonly PlacedOperation[]): Promise<void> {
  await tx.run(sql`delete from changeset_operations where changeset_id = ${id}`);
  await insertOperations(tx, id, operations);
}

/** Some whose time is over. */
export async function listExpiredChangesets(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    select id from changesets where expires_at is not null and expires_at <= ${db.clock()}
     order by expires_at limit ${limit}`);
  return rows.map(({ id }) => id);
}
