/** What samples say: medians, and ratios within a round. */
import type { Sample } from './rounds.ts';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

export interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** How many times as many requests a second, round by round. */
export function ratioOf(samples: readonly Sample[], base: readonly Sample[]): Ratio {
  const ratios = samples.map(({ perSecond }, round) => perSecond / (base[round]?.perSecond ?? Number.NaN));
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

export const ratioText = ({ median, least, most }: Ratio): string =>
  `${median.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;

/** Undefined where the system does not tell. */
export function medianProcessorUs(samples: readonly Sample[]): number | undefined {
  const known = samples.map(({ processorUs }) => processorUs).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}
