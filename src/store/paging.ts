/**
 * Lists that may be long, or have large items. Where they are paged by offset, a number in a row is raised by each change of what is listed, in the same
 * transaction: it tells whether a total that was counted still holds, and so where the end of the list is.
 */

/** How many things there are, and the number of their last change, up to which that is so. */
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
  /** Counts from the end, answers in the order of the list; nothing when the number is not that of the total any more. */
  readonly fromEnd: (page: Page) => Promise<Row[]>;
}

/** The first of the items: at least one, and more as long as they are together no larger than `maxBytes`. */
export function fitting<Item>(items: readonly Item[], bytesOf: (item: Item) => number, maxBytes: number): Item[] {
  let total = 0;
  const tooMany = items.findIndex((item, index) => {
    total += bytesOf(item);
    return index > 0 && total > maxBytes;
  });
  return tooMany < 0 ? [...items] : items.slice(0, tooMany);
}

/** Rows that are passed over cost time: a page of the second half is reached from the end. */
export async function findPage<Row>(
  { offset, limit }: Page,
  { total }: Total,
  { fromStart, fromEnd }: Ways<Row>,
): Promise<Row[]> {
  if (offset >= total) return [];
  const behind = Math.max(total - offset - limit, 0);
  // Empty when something has changed since it was counted: then the end is elsewhere.
  const rows = behind < offset ? await fromEnd({ offset: behind, limit: Math.min(limit, total - offset) }) : [];
  return rows.length > 0 ? rows : fromStart({ offset, limit });
}
