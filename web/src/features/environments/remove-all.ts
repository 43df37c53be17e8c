interface Work<Item> {
  /** The first of those that are left. */
  readonly list: () => Promise<readonly Item[]>;
  readonly remove: (item: Item) => Promise<unknown>;
  readonly onRemoved: (count: number) => void;
  readonly isStopped: () => boolean;
}

/** How many requests are under way at a time. */
const atOnce = 4;

/** Removes page by page until nothing is left, somebody stops it, or something fails. Answers how many are removed. */
export async function removeAll<Item>({ list, remove, onRemoved, isStopped }: Work<Item>): Promise<number> {
  let count = 0;
  let hasFailed = false;
  const removeEach = async (items: Iterable<Item>) => {
    for (const item of items) {
      if (hasFailed || isStopped()) return;
      await remove(item).catch((problem: unknown) => {
        hasFailed = true;
        throw problem;
      });
      count += 1;
      onRemoved(count);
    }
  };
  for (;;) {
    const items = await list();
    if (items.length === 0 || isStopped()) return count;
    // All take from the same list, one item after the other.
    const queue = items.values();
    await Promise.all(Array.from({ length: atOnce }, () => removeEach(queue)));
  }
}
