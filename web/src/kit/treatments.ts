/** Treatment colours, by the order of the definition's treatments. */

const slots = 6;
/** Slot 2 is grey, for treatments that mean "nothing". */
const quiet = new Set(['off', 'control', 'disabled']);

export interface Colour {
  /** 1 to 6: `--t-1` to `--t-6`. */
  readonly slot: number;
  /** From the seventh treatment on, colours repeat with a hatch. */
  readonly isRepeated: boolean;
}

/** A treatment missing from the order (it was removed) counts as the last. */
export function colourOf(treatment: string, order: readonly string[]): Colour {
  if (quiet.has(treatment)) return { slot: 2, isRepeated: false };
  const hasQuiet = order.some((name) => quiet.has(name));
  const free = hasQuiet ? [1, 3, 4, 5, 6] : Array.from({ length: slots }, (_, slot) => slot + 1);
  const loud = order.filter((name) => !quiet.has(name));
  const at = loud.includes(treatment) ? loud.indexOf(treatment) : loud.length;
  return { slot: free[at % free.length] ?? 1, isRepeated: at >= free.length };
}

/** The order with treatments that are still to come. Those of the definition keep their colours. */
export const withComing = (order: readonly string[], coming: readonly string[]): string[] => [
  ...new Set([...order, ...coming.filter((name) => !quiet.has(name))]),
];

export interface Share {
  readonly treatment: string;
  readonly size: number;
}

export const sharesInWords = (buckets: readonly Share[]): string =>
  buckets
    .filter(({ size }) => size > 0)
    .map(({ treatment, size }) => `${treatment} ${size}%`)
    .join(', ');
