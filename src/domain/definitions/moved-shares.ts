/** How many keys get another treatment when shares change. Exact: keys are spread over a hundred buckets. */
import { treatmentAt } from '../bucketing.ts';
import type { Bucket } from './definition.ts';

export interface Move {
  readonly from: string;
  readonly to: string;
  /** Percent of the keys that the shares are for. */
  readonly share: number;
}

/** The largest move first. Empty when nobody gets anything else, also where the lists differ. */
export function movedShares(before: readonly Bucket[], after: readonly Bucket[]): Move[] {
  const moves = new Map<string, Move>();
  for (let bucket = 1; bucket <= 100; bucket += 1) {
    const from = treatmentAt(before, bucket);
    const to = treatmentAt(after, bucket);
    if (from === undefined || to === undefined || from === to) continue;
    const way = `${from} ${to}`;
    moves.set(way, { from, to, share: (moves.get(way)?.share ?? 0) + 1 });
  }
  return [...moves.values()].sort((one, other) => other.share - one.share);
}
