interface Work<Item> {
  /** The next of those left; none at the end. */
  readonly list: () => Promise<readonly Item[]>;
  readonly remove: (item: Item) => Promise<unknown>;
  readonly onRemoved: (count: number) => void;
  readonly isStopped: () => boolean;
}

/** Concurrent requests. */
const atOnce = 4;

/** Removes page by page until nothing is left, the user stops it, or a request fails. Returns the number removed. */
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
    // The workers share one list.
    const queue = items.values();
    await Promise.all(Array.from({ length: atOnce }, () => removeEach(queue)));
  }
}
