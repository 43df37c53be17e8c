/** Seeded randomness: the same seed gives the same choices. Faster than fast-check, without shrinking. */
export interface Chance {
  /** From 0 to below 1. */
  number(): number;
  /** A whole number, both ends included. */
  integer(from: number, to: number): number;
  /** True with this probability. */
  odds(probability: number): boolean;
  oneOf<Item>(items: readonly Item[]): Item;
  /** At most `max` of them, in random order, none twice. */
  someOf<Item>(items: readonly Item[], max: number): Item[];
  listOf<Item>(from: number, to: number, make: () => Item): Item[];
}

/** Mulberry32: 32 bits of state are enough for test values. */
export function chanceOf(seed: number): Chance {
  let state = seed | 0;
  const number = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (from: number, to: number) => from + Math.floor(number() * (to - from + 1));
  const oneOf = <Item>(items: readonly Item[]) => items[integer(0, items.length - 1)] as Item;
  return {
    number,
    integer,
    odds: (probability) => number() < probability,
    oneOf,
    someOf: (items, max) => {
      const rest = [...items];
      const count = Math.min(integer(0, max), rest.length);
      return Array.from({ length: count }, () => rest.splice(integer(0, rest.length - 1), 1)).flat();
    },
    listOf: (from, to, make) => Array.from({ length: integer(from, to) }, make),
  };
}
