import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import type { Change, ObjectType } from '#domain/changes.ts';
import { within, withinEnvironments } from './scopes.ts';
import type { Position, Reader, Tx } from './sql.ts';

interface ChangeRow {
  readonly id: string;
  readonly at: number;
  readonly transaction_id: string;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly action: string;
  readonly object_type: ObjectType;
  readonly object_id: string;
  readonly object_name: string;
  readonly project_id: string | null;
  readonly environment_id: string | null;
  readonly title: string | null;
  readonly comment: string | null;
  readonly before_body: string | null;
  readonly after_body: string | null;
}

const toChange = (row: ChangeRow): Change => ({
  id: row.id,
  type: 'audit_log',
  auditLogType: row.action,
  object: { type: row.object_type, id: row.object_id, name: row.object_name },
  ...(row.project_id === null ? {} : { workspaceId: row.project_id }),
  ...(row.environment_id === null ? {} : { environmentId: row.environment_id }),
  editor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  createdAt: row.at,
  ...(row.title === null ? {} : { title: row.title }),
  ...(row.comment === null ? {} : { comment: row.comment }),
  ...(row.before_body === null ? {} : { before: JSON.parse(row.before_body) as unknown }),
  ...(row.after_body === null ? {} : { after: JSON.parse(row.after_body) as unknown }),
  transactionId: row.transaction_id,
});

export interface ChangeFilter {
  readonly scope: Scope;
  readonly projectId: string | undefined;
  readonly environmentId: string | undefined;
  readonly objectType: ObjectType | undefined;
  readonly objectId: string | undefined;
  readonly actorId: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Where an entry stands in the log, and how large it is. */
export interface ChangePlace extends Position {
  /** Of what was before and after; the rest of an entry is small. */
  readonly bytes: number;
}

/**
 * Newest first. With `before`: those nearest before it in the list, still newest first. Without what is in the entries,
 * which can be megabytes each: the databases know their lengths without reading them.
 */
export async function listChanges(db: Reader, filter: ChangeFilter): Promise<ChangePlace[]> {
  const { after, before } = filter;
  const rows = await db.all<ChangePlace>(sql`
    select id, at, coalesce(octet_length(before_body), 0) + coalesce(octet_length(after_body), 0) as bytes
      from changes
     where ${visibleTo(filter.scope)}
       ${filter.projectId === undefined ? empty : sql`and project_id = ${filter.projectId}`}
       ${filter.environmentId === undefined ? empty : sql`and environment_id = ${filter.environmentId}`}
       ${filter.objectType === undefined ? empty : sql`and object_type = ${filter.objectType}`}
       ${filter.objectId === undefined ? empty : sql`and object_id = ${filter.objectId}`}
       ${filter.actorId === undefined ? empty : sql`and actor_id = ${filter.actorId}`}
       ${filter.from === undefined ? empty : sql`and at >= ${filter.from}`}
       ${filter.to === undefined ? empty : sql`and at <= ${filter.to}`}
       ${after ? sql`and (at, id) < (${after.at}, ${after.id})` : empty}
       ${before ? sql`and (at, id) > (${before.at}, ${before.id})` : empty}
     ${before ? sql`order by at, id` : sql`order by at desc, id desc`}
     limit ${filter.limit} offset ${filter.offset}`);
  if (before) rows.reverse();
  return rows;
}

/** The entries with these ids, newest first. */
export async function findChanges(db: Reader, ids: readonly string[]): Promise<Change[]> {
  if (ids.length === 0) return [];
  const rows = await db.all<ChangeRow>(sql`
    select id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id, object_name,
           project_id, environment_id, title, comment, before_body, after_body
      from changes
     where id in (${join([...ids])})
     order by at desc, id desc`);
  return rows.map(toChange);
}

/** The entry that comes `steps` behind the position, if there is one that is not newer than `until`; oldest first. */
export const findChangeBehind = (db: Reader, { at, id }: Position, steps: number, until: number) =>
  db.one<Position>(sql`
    select at, id from changes where (at, id) > (${at}, ${id}) and at <= ${until}
     order by at, id limit 1 offset ${steps - 1}`);

/** Those behind the position that are not newer than `until`. Reads each of them: ask for few. */
export async function countChangesBehind(db: Reader, { at, id }: Position, until: number): Promise<number> {
  const row = await db.one<{ count: number }>(
    sql`select count(*) as count from changes where (at, id) > (${at}, ${id}) and at <= ${until}`,
  );
  return row?.count ?? 0;
}

/**
 * Who reaches only some environments sees what is of them; the rest of the project may speak of the others. People do
 * not see what was done to keys.
 */
function visibleTo(scope: Scope): Sql {
  const inProjects = within(scope, sql`changes.project_id`);
  if (scope.kind === 'member') return sql`${inProjects} and object_type <> 'api_key'`;
  return sql`${inProjects} and ${withinEnvironments(scope, sql`environment_id`)}`;
}

export interface NewChange {
  readonly id: string;
  readonly at: number;
  readonly transactionId: string;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly action: string;
  readonly object: { readonly type: ObjectType; readonly id: string; readonly name: string };
  readonly projectId: string | undefined;
  readonly environmentId: string | undefined;
  readonly title: string | undefined;
  readonly comment: string | undefined;
  readonly before: unknown;
  readonly after: unknown;
}

export const insertChange = (tx: Tx, change: NewChange) =>
  tx.run(sql`
    insert into changes (id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id,
                         object_name, project_id, environment_id, title, comment, before_body, after_body)
    values (${change.id}, ${change.at}, ${change.transactionId}, ${change.actor.type}, ${change.actor.id},
            ${change.actor.name}, ${change.action}, ${change.object.type}, ${change.object.id}, ${change.object.name},
            ${change.projectId ?? null}, ${change.environmentId ?? null}, ${change.title ?? null},
            ${change.comment ?? null}, ${jsonOrNull(change.before)}, ${jsonOrNull(change.after)})`);

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
