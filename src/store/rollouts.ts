import sql, { join } from 'sql-template-tag';
import type { Targeting } from '#domain/definitions/definition.ts';
import { fitting } from './paging.ts';
import type { Position, Reader } from './sql.ts';

/** The state of a definition after a change. */
export interface DefinitionState {
  readonly at: number;
  /** The change created the definition. */
  readonly isFirst: boolean;
  readonly targeting: Targeting;
}

/** Definitions can be a megabyte each, and parsing blocks other requests. */
const maxStates = 300;
const maxStateBytes = 1_048_576;

/**
 * Newest first, back to the state at `from` or the creation of the definition. Ends earlier if there are too many or
 * older entries were deleted.
 */
export async function listDefinitionStates(
  db: Reader,
  { environmentId, flagId, from }: { environmentId: string; flagId: string; from: number },
): Promise<DefinitionState[]> {
  const rows = await db.all<Position & { action: string; bytes: number }>(sql`
    select id, at, action, octet_length(after_body) as bytes
      from changes
     where object_type = 'definition' and object_id = ${flagId} and coalesce(environment_id, '') = ${environmentId}
       and after_body is not null
     order by at desc, id desc limit ${maxStates}`);
  const isFirst = ({ action }: { action: string }) => action === 'definition.created';
  const last = rows.findIndex((row) => row.at <= from || isFirst(row));
  const wanted = last < 0 ? rows : rows.slice(0, last + 1);
  const places = fitting(wanted, ({ bytes }) => bytes, maxStateBytes);
  if (places.length === 0) return [];
  const bodies = await db.all<{ id: string; after_body: string }>(sql`
    select id, after_body from changes where id in (${join(places.map(({ id }) => id))})`);
  const byId = new Map(bodies.map((row) => [row.id, row.after_body]));
  return places.flatMap((row) => {
    const body = byId.get(row.id);
    return body === undefined ? [] : [{ at: row.at, isFirst: isFirst(row), targeting: JSON.parse(body) as Targeting }];
  });
}
