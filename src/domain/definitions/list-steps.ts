/** Computes the steps that turn one list into another, given which items are the same. */

/** Removals come first, from the end. Every index is the one at the time of its step. */
export type ListStep =
  | { readonly step: 'remove'; readonly at: number }
  | { readonly step: 'add'; readonly at: number; readonly item: number }
  | { readonly step: 'move'; readonly from: number; readonly to: number; readonly item: number };

/** For each item of the new list, its index in the old one; undefined if it is new. */
export type Origins = readonly (number | undefined)[];

/** The fewest steps; `item` is an index in the new list. */
export function listSteps(oldLength: number, origins: Origins): ListStep[] {
  const kept = new Set(origins);
  const places = Array.from({ length: oldLength }, (_, place) => place);
  const steps: ListStep[] = places
    .filter((place) => !kept.has(place))
    .toReversed()
    .map((at) => ({ step: 'remove', at }));
  const current: (number | undefined)[] = places.filter((place) => kept.has(place));
  const moved = movedItems(origins);
  // Everything before `at` is in its final order, possibly with items in between that still have to move.
  let at = 0;
  origins.forEach((origin, item) => {
    if (origin === undefined) {
      steps.push({ step: 'add', at, item });
      current.splice(at, 0, undefined);
    } else if (moved.has(item)) {
      const from = current.indexOf(origin);
      if (from < at) at -= 1;
      current.splice(from, 1);
      current.splice(at, 0, origin);
      steps.push({ step: 'move', from, to: at, item });
    } else {
      at = current.indexOf(origin, at);
    }
    at += 1;
  });
  return steps;
}

/** The smallest set of items that must move: all except a longest increasing run. */
export function movedItems(origins: Origins): ReadonlySet<number> {
  const staying = longestRun(origins);
  return new Set(origins.flatMap((origin, item) => (origin === undefined || staying.has(item) ? [] : [item])));
}

/** Patience sorting: `ends[n]` is the item with the smallest origin that can end an increasing run of n + 1 items. */
function longestRun(origins: Origins): ReadonlySet<number> {
  const ends: number[] = [];
  const before = new Map<number, number | undefined>();
  origins.forEach((origin, item) => {
    if (origin === undefined) return;
    const length = firstNotBelow(ends, (end) => (origins[end] as number) < origin);
    before.set(item, ends[length - 1]);
    ends[length] = item;
  });
  const run = new Set<number>();
  for (let item = ends.at(-1); item !== undefined; item = before.get(item)) run.add(item);
  return run;
}

/** The number of leading items that are smaller, by binary search. */
function firstNotBelow(items: readonly number[], isBelow: (item: number) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(items[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}
