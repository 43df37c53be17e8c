/** Entries in order of their change numbers, so that what changed last is found without going through all. */
interface Numbered {
  readonly number: number;
}

export const inOrder = <Entry extends Numbered>(entries: ReadonlyMap<string, Entry>): Entry[] =>
  [...entries.values()].sort((one, other) => one.number - other.number);

/** The number of the last entry up to a number, but at least `least`. */
export const lastNumber = (entries: readonly Numbered[], upTo: number, least: number): number =>
  Math.max(least, entries.findLast(({ number }) => number <= upTo)?.number ?? least);

/** The entries with greater numbers. */
export const entriesAfter = <Entry extends Numbered>(entries: readonly Entry[], number: number): Entry[] =>
  entries.slice(entries.findLastIndex((entry) => entry.number <= number) + 1);
