/** Caches the length of lists. A list is counted again only when it has changed. */
import type { Total } from '#store/paging.ts';

/** During an upgrade, nodes of 0.1.0 change lists without raising the change number. */
const lifeMs = 10_000;
/** Bounds memory. When it is full, the cache is emptied. */
const maxKept = 1_000;
/** Longer filters are not cached. */
const maxKeyLength = 1_000;

interface Counting<Filter> {
  readonly count: (filter: Filter) => Promise<Total>;
  /** The change number of the filtered items. */
  readonly findChanges: (filter: Filter) => Promise<number | undefined>;
}

export function cachedTotals<Filter extends object>({ count, findChanges }: Counting<Filter>) {
  const kept = new Map<string, Total & { until: number }>();
  return async (filter: Filter): Promise<Total> => {
    const key = JSON.stringify(filter);
    const known = kept.get(key);
    const isFresh = known && performance.now() < known.until;
    if (isFresh && known.changes === (await findChanges(filter))) return known;
    const counted = await count(filter);
    if (kept.size >= maxKept) kept.clear();
    if (key.length <= maxKeyLength) kept.set(key, { ...counted, until: performance.now() + lifeMs });
    return counted;
  };
}
