/** How keys move between treatments: by the steps that decide, and by bucket. */
import { type Bucketing, bucketOf } from '../bucketing.ts';
import { firstCovering, type Outcome, type Side } from './effect-sides.ts';

export interface Sides {
  readonly before: Side;
  readonly after: Side;
}

/** The steps that decide about a key, before and after. */
export interface Pair {
  readonly before: Outcome;
  readonly after: Outcome;
}

export interface Flow {
  readonly from: string;
  readonly to: string;
  /** Percent. */
  readonly share: number;
}

/** All possible pairs: not those where an earlier step would take every key that meets the condition. */
export function pairsOf({ before, after }: Sides): Pair[] {
  const firstAfter = before.steps.map(({ condition }) => firstCovering(after.steps, condition));
  const firstBefore = after.steps.map(({ condition }) => firstCovering(before.steps, condition));
  const [lastBefore, lastAfter] = [before.steps.length, after.steps.length];
  const pairs: Pair[] = [];
  for (let i = 0; i <= lastBefore; i += 1) {
    for (let j = 0; j <= (firstAfter[i] ?? lastAfter); j += 1) {
      if (i > (firstBefore[j] ?? lastBefore)) continue;
      pairs.push({ before: before.steps[i] ?? before.rest, after: after.steps[j] ?? after.rest });
    }
  }
  return pairs;
}

/** Keys that a pair of steps treats alike: inside or outside the allocations, in one bucket. */
export interface Cell {
  readonly isInBefore: boolean;
  readonly isInAfter: boolean;
  /** Starts at 0. */
  readonly bucket: number;
  /** In ten-thousandths of all keys. */
  readonly weight: number;
}

/** A key's two buckets are independent, unless both use the same seed. */
export function cellsOf({ before, after }: Sides, seeds: Bucketing | undefined): Cell[] {
  const isSameSeed = seeds !== undefined && seeds.seed === seeds.trafficAllocationSeed;
  const cells: Cell[] = [];
  let start = 0;
  for (const end of [before.allocation, after.allocation, 100].sort((one, other) => one - other)) {
    for (let bucket = 0; end > start && bucket < 100; bucket += 1) {
      const weight = isSameSeed ? 100 : end - start;
      if (isSameSeed && (bucket < start || bucket >= end)) continue;
      cells.push({ isInBefore: end <= before.allocation, isInAfter: end <= after.allocation, bucket, weight });
    }
    start = end;
  }
  return cells;
}

/** For one key: a single cell if the seeds are known. */
export function cellsOfKey(key: string, sides: Sides, seeds: Bucketing | undefined): Cell[] {
  if (!seeds) return cellsOf(sides, seeds);
  const place = bucketOf(key, seeds.trafficAllocationSeed, seeds.algo);
  return [
    {
      isInBefore: place <= sides.before.allocation,
      isInAfter: place <= sides.after.allocation,
      bucket: bucketOf(key, seeds.seed, seeds.algo) - 1,
      weight: 10_000,
    },
  ];
}

/** Largest first, including keys that do not move. They add up to 100. */
export function flowsOf(sides: Sides, { before, after }: Pair, cells: readonly Cell[]): Flow[] {
  const weights = new Map<string, { from: string; to: string; weight: number }>();
  for (const { isInBefore, isInAfter, bucket, weight } of cells) {
    const from = treatmentIn(sides.before, before, isInBefore, bucket);
    const to = treatmentIn(sides.after, after, isInAfter, bucket);
    const way = `${from} ${to}`;
    const flow = weights.get(way) ?? { from, to, weight: 0 };
    flow.weight += weight;
    weights.set(way, flow);
  }
  return [...weights.values()]
    .sort((one, other) => other.weight - one.weight)
    .map(({ from, to, weight }) => ({ from, to, share: weight / 100 }));
}

function treatmentIn({ left }: Side, outcome: Outcome, isIn: boolean, bucket: number): string {
  return isIn || outcome.isBeforeAllocation ? (outcome.treatments[bucket] ?? left) : left;
}
