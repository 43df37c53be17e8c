/**
 * Paging of long lists and lists with large items. With paging by offset, each change to the list raises a change
 * number in the same transaction. It shows whether a counted total, and so the end of the list, is still valid.
 */

/** The number of items, and the change number at which they were counted. */
export interface Total {
  readonly total: number;
  readonly changes: number;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

interface Ways<Row> {
  readonly fromStart: (page: Page) => Promise<Row[]>;
  /** Offset counted from the end; returns rows in list order, or none if the change number is not that of the total. */
  readonly fromEnd: (page: Page) => Promise<Row[]>;
}

/** The first items: at least one, and more while they fit into `maxBytes`. */
export function fitting<Item>(items: readonly Item[], bytesOf: (item: Item) => number, maxBytes: number): Item[] {
  let total = 0;
  const tooMany = items.findIndex((item, index) => {
    total += bytesOf(item);
    return index > 0 && total > maxBytes;
  });
  return tooMany < 0 ? [...items] : items.slice(0, tooMany);
}

/** Skipped rows cost time, so pages of the second half are read from the end. */
export async function findPage<Row>(
  { offset, limit }: Page,
  { total }: Total,
  { fromStart, fromEnd }: Ways<Row>,
): Promise<Row[]> {
  if (offset >= total) return [];
  const behind = Math.max(total - offset - limit, 0);
  // Empty if the list changed since it was counted.
  const rows = behind < offset ? await fromEnd({ offset: behind, limit: Math.min(limit, total - offset) }) : [];
  return rows.length > 0 ? rows : fromStart({ offset, limit });
}

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
