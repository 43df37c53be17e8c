/** The order of the API key list. */
import type { ApiKeyAnswer } from '../../administration/whole-lists.ts';

type SortedKey = Pick<ApiKeyAnswer, 'name' | 'createdAt' | 'lastUsedAt'>;

const orders = {
  name: (one: SortedKey, other: SortedKey) => one.name.localeCompare(other.name, 'en', { numeric: true }),
  created: (one: SortedKey, other: SortedKey) => one.createdAt - other.createdAt,
  /** Keys that were never used come before all others. */
  used: (one: SortedKey, other: SortedKey) => (one.lastUsedAt ?? 0) - (other.lastUsedAt ?? 0),
};
export type KeySort = keyof typeof orders;

export interface KeyOrder {
  readonly by: KeySort;
  readonly isDescending: boolean;
}

/** As the address says it: `name`, or `-name` for descending. */
export function orderOf(text = ''): KeyOrder {
  const by = (Object.keys(orders) as KeySort[]).find((name) => name === text.replace(/^-/, ''));
  return by ? { by, isDescending: text.startsWith('-') } : { by: 'created', isDescending: false };
}

/** The address after a click on the head of a column: the other direction if it is sorted by it already. */
export function nextOrder({ by, isDescending }: KeyOrder, clicked: KeySort): string {
  return by === clicked && !isDescending ? `-${clicked}` : clicked;
}

export function inOrder<Key extends SortedKey>(keys: readonly Key[], { by, isDescending }: KeyOrder): Key[] {
  const sorted = keys.toSorted(orders[by]);
  return isDescending ? sorted.reverse() : sorted;
}
