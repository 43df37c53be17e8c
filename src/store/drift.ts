/** Compares all flags of a project between environments. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { empty } from 'sql-template-tag';
import type { DefinitionSummary } from '#domain/definitions/summary.ts';
import { type Drift, driftBetween, type FlagDrift, joinDrifts } from '#domain/drift.ts';
import type { Reference } from '#domain/schema.ts';
import { listSummaries } from './definition-summaries.ts';
import { likeLiteral, type Reader } from './sql.ts';

export interface DriftQuery {
  readonly projectId: string;
  readonly base: Reference;
  /** What is compared with the base. */
  readonly others: readonly Reference[];
  /** Part of the name, case-insensitive. */
  readonly name: string | undefined;
}

/** How many definitions are compared before other requests get a turn: a few ms on SQLite. */
const maxPlaces = 200;

/**
 * All flags that differ, by name, and how many were compared. It reads every summary of these environments, because
 * what differs depends on the environments that people choose; only what a page needs is kept.
 */
export async function listDrift(
  db: Reader,
  { projectId, base, others, name }: DriftQuery,
): Promise<{ flagCount: number; flags: FlagDrift[] }> {
  const named = name === undefined ? empty : sql`and lower(f.name) like ${`%${likeLiteral(name)}%`} escape '\\'`;
  const limit = Math.max(1, Math.floor(maxPlaces / (others.length + 1)));
  const flags: FlagDrift[] = [];
  let flagCount = 0;
  let last = '';
  for (;;) {
    const some = await db.all<Pick<FlagDrift, 'id' | 'name' | 'changedAt'>>(sql`
      select f.id, f.name, f.changed_at as "changedAt" from flags f
       where f.project_id = ${projectId} and f.name > ${last} and f.archived_at is null ${named}
       order by f.name limit ${limit}`);
    flagCount += some.length;
    const byId = new Map(some.map((flag) => [flag.id, flag]));
    for await (const { flagId, summaries } of listSummaries(db, [...byId.keys()], [base, ...others])) {
      const flag = byId.get(flagId);
      const drift = joinDrifts(await driftsOf(summaries, base, others));
      if (flag && drift) flags.push({ ...flag, ...drift });
    }
    if (some.length < limit) return { flagCount, flags };
    last = some.at(-1)?.name ?? last;
    await nextTurn();
  }
}

async function driftsOf(
  summaries: AsyncIterable<{ readonly environment: Reference; readonly summary: string }>,
  base: Reference,
  others: readonly Reference[],
): Promise<Drift[]> {
  const texts = new Map<string, string>();
  for await (const { environment, summary } of summaries) texts.set(environment.id, summary);
  const baseText = texts.get(base.id);
  return others.flatMap(({ id }) => {
    const text = texts.get(id);
    return text === baseText ? [] : (driftBetween(parsed(baseText), parsed(text)) ?? []);
  });
}

const parsed = (text: string | undefined) => (text === undefined ? undefined : (JSON.parse(text) as DefinitionSummary));
