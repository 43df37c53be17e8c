/** Changesets that were submitted as change requests. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { ChangesetState, PlacedOperation } from '#domain/changesets.ts';
import { type ChangesetHead, isVisible, listChangesetHeads, type Viewer } from './changesets.ts';
import type { Position, Reader } from './sql.ts';
import { isAwaitingFile } from './uploads.ts';

export const isChangeRequest = async (db: Reader, id: string): Promise<boolean> =>
  (await db.one(sql`select 1 from changesets where id = ${id} and operation_type is not null`)) !== undefined;

/** The change request about the object in the environment that is not over. */
export async function findPending(
  db: Reader,
  { kind, object, environment }: Pick<PlacedOperation, 'kind' | 'object' | 'environment'>,
): Promise<string | undefined> {
  const row = await db.one<{ changeset_id: string }>(sql`
    select changeset_id from changeset_operations
     where object_kind = ${kind} and object_id = ${object.id} and environment_id = ${environment?.id ?? ''}
       and is_pending`);
  return row?.changeset_id;
}

export interface RequestFilter {
  readonly viewer: Viewer;
  /** Those in one of these states. */
  readonly states: readonly ChangesetState[];
  /** Of those that have no file yet: whether one can still arrive. They are drafts. */
  readonly uploads: 'open' | 'failed' | undefined;
  readonly environmentId: string | undefined;
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Changesets that were submitted as change requests, in order of creation. With `before`: those directly before it, in
 * the same order. Each state has its part of the index, so there is a statement for each.
 */
export async function listRequests(db: Reader, filter: RequestFilter): Promise<ChangesetHead[]> {
  const { states, uploads, before, offset, limit } = filter;
  const found: RequestPlace[] = [];
  for (const state of states) found.push(...(await listPlaces(db, filter, sql`c.state = ${state}`)));
  if (uploads) {
    const isAwaiting = isAwaitingFile(db.clock());
    const is = uploads === 'open' ? isAwaiting : sql`not ${isAwaiting}`;
    found.push(...(await listPlaces(db, filter, sql`c.state = 'DRAFT' and ${is}`)));
  }
  const inOrder = found.sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
  const start = before ? Math.max(0, inOrder.length - offset - limit) : offset;
  const page = inOrder.slice(start, before ? inOrder.length - offset : offset + limit);
  return listChangesetHeads(
    db,
    page.map(({ id }) => id),
  );
}

interface RequestPlace {
  readonly id: string;
  readonly created_at: number;
}

function listPlaces(db: Reader, filter: RequestFilter, of: Sql): Promise<RequestPlace[]> {
  const { viewer, environmentId, after, before, offset, limit } = filter;
  const conditions = [
    of,
    sql`c.operation_type is not null`,
    isVisible(viewer),
    ...(environmentId === undefined ? [] : [sql`c.environment_id = ${environmentId}`]),
    ...(after ? [sql`(c.created_at, c.id) > (${after.at}, ${after.id})`] : []),
    ...(before ? [sql`(c.created_at, c.id) < (${before.at}, ${before.id})`] : []),
  ];
  const order = before ? sql`order by c.created_at desc, c.id desc` : sql`order by c.created_at, c.id`;
  return db.all<RequestPlace>(sql`
    select c.id, c.created_at from changesets c where ${join(conditions, ' and ')} ${order} limit ${offset + limit}`);
}
