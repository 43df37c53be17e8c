/** Statistics: medians, and ratios within a round. */

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
};

/** The least value that the given share of the values does not exceed. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

export interface Ratio {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Of what `pick` takes from the samples, round by round. */
export function ratioOf<Sample>(
  samples: readonly Sample[],
  base: readonly Sample[],
  pick: (sample: Sample) => number,
): Ratio {
  return spreadOf(samples.map((sample, round) => pick(sample) / pick(base[round] as Sample)));
}

export const spreadOf = (values: readonly number[]): Ratio => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});

/** Of what is measured once. */
export const exactly = (value: number): Ratio => ({ median: value, min: value, max: value });
