/** How many flags pass a filter: counted again only when flags of the project have changed. */
import { countFlags, type FlagFilter, type FlagTotal, findFlagChanges } from '#store/flags.ts';
import type { Reader } from '#store/sql.ts';

/** A node of 0.1.0 beside us, in the middle of an upgrade, changes flags without saying so. */
const lifeMs = 10_000;
/** Bounds for the memory; when it is full, counting starts anew. */
const mostKept = 1_000;
const longestName = 1_000;

export function flagTotals(db: Reader): (filter: FlagFilter) => Promise<FlagTotal> {
  const kept = new Map<string, FlagTotal & { until: number }>();
  return async (filter) => {
    const name = JSON.stringify(filter);
    const known = kept.get(name);
    const isFresh = known && performance.now() < known.until;
    if (isFresh && known.changes === (await findFlagChanges(db, filter.projectId))) return known;
    const counted = await countFlags(db, filter);
    if (kept.size >= mostKept) kept.clear();
    if (name.length <= longestName) kept.set(name, { ...counted, until: performance.now() + lifeMs });
    return counted;
  };
}
