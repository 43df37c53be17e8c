import sql, { join } from 'sql-template-tag';
import type { Targeting } from '#domain/definitions/definition.ts';
import { type DefinitionState, isFirst, slots, slotsBetween } from '#domain/rollouts.ts';
import type { Position, Reader } from './sql.ts';

/** Of longer histories, only the newest part is shown. */
const maxChanges = 2_000;
/** Definitions can be a megabyte each, and parsing blocks other requests. */
const maxStateBytes = 1_048_576;

interface Row extends Position {
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly title: string | null;
  readonly bytes: number;
}

/**
 * Newest first, back to the state at `from` or the creation of the definition. Ends earlier if there are too many or
 * older entries were deleted. If there are many, only some have their targeting.
 */
export async function listDefinitionStates(
  db: Reader,
  { environmentId, flagId, from }: { environmentId: string; flagId: string; from: number },
): Promise<DefinitionState[]> {
  const rows = await db.all<Row>(sql`
    select id, at, action, actor_type, actor_id, actor_name, title, octet_length(after_body) as bytes
      from changes
     where object_type = 'definition' and object_id = ${flagId} and coalesce(environment_id, '') = ${environmentId}
       and after_body is not null
     order by at desc, id desc limit ${maxChanges}`);
  const last = rows.findIndex((row) => row.at <= from || isFirst(row));
  const wanted = last < 0 ? rows : rows.slice(0, last + 1);
  const places = thinned(wanted, from);
  if (places.length === 0) return [];
  const bodies = await db.all<{ id: string; after_body: string }>(sql`
    select id, after_body from changes where id in (${join(places.map(({ id }) => id))})`);
  const byId = new Map(bodies.map((row) => [row.id, row.after_body]));
  return wanted.map((row) => {
    const body = byId.get(row.id);
    return {
      id: row.id,
      at: row.at,
      action: row.action,
      editor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
      title: row.title ?? undefined,
      targeting: body === undefined ? undefined : (JSON.parse(body) as Targeting),
    };
  });
}

/** All, if they are few; else the newest of each slot and the oldest of all, in slots wide enough that they fit. */
function thinned(rows: readonly Row[], from: number): Row[] {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return [];
  const fit = (some: readonly Row[]) => some.reduce((sum, { bytes }) => sum + bytes, 0) <= maxStateBytes;
  if (rows.length <= slots && fit(rows)) return [...rows];
  for (let count = slots; count >= 1; count = Math.floor(count / 2)) {
    const slotOf = slotsBetween(Math.max(from, oldest.at), newest.at, count);
    const chosen = rows.filter(
      (row, index) => row === oldest || index === 0 || slotOf(row.at) !== slotOf(rows[index - 1]?.at ?? 0),
    );
    if (fit(chosen)) return chosen;
  }
  return [newest];
}
