/** How many items are sorted at once: about a millisecond. */
const sortedAtOnce = 1_000;

/**
 * Keeps the first of many items in an order, while others get their turns between the additions. Equal items stay in the
 * order in which they were added.
 */
export function firstOf<Item>(count: number, compare: (one: Item, other: Item) => number) {
  let first: Item[] = [];
  let added: Item[] = [];
  const sort = () => {
    first = [...first, ...added].sort(compare).slice(0, count);
    added = [];
  };
  return {
    add: (items: readonly Item[]): void => {
      added.push(...items);
      if (added.length >= sortedAtOnce) sort();
    },
    inOrder: (): readonly Item[] => {
      sort();
      return first;
    },
  };
}
