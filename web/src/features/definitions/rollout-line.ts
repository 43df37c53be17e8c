/** The share of one treatment of everyone else over time, out of what was done to the definition. */
import type { Change } from '#domain/changes.ts';
import type { Targeting } from '#domain/definitions.ts';
import { targetingOf } from '../../targeting/targeting-of.ts';

export interface Point {
  readonly at: number;
  /** Percent; nobody gets it where the flag is killed or not defined. */
  readonly share: number;
}

interface Span {
  readonly treatment: string;
  readonly from: number;
  readonly to: number;
}

/** Where the line steps, the oldest first. `changes` are the newest first; what is `now` may be newer than they are. */
export function rolloutLine(changes: readonly Change[], now: Targeting, { treatment, from, to }: Span): Point[] {
  const inTime = changes.filter(({ createdAt }) => createdAt > from).toReversed();
  const [first] = inTime;
  const start = first
    ? shareOf(first.before ? targetingOf(first.before) : undefined, treatment)
    : shareOf(now, treatment);
  const points = [
    { at: from, share: start },
    ...inTime.map(({ createdAt, after }) => ({
      at: createdAt,
      share: shareOf(after ? targetingOf(after) : undefined, treatment),
    })),
    { at: to, share: shareOf(now, treatment) },
  ];
  return points.filter(({ share }, index) => index === 0 || share !== points[index - 1]?.share);
}

function shareOf(targeting: Targeting | undefined, treatment: string): number {
  if (!targeting) return 0;
  if (targeting.killed) return targeting.defaultTreatment === treatment ? 100 : 0;
  return targeting.defaultRule.find((bucket) => bucket.treatment === treatment)?.size ?? 0;
}
