/** The share of one treatment over time, from the definition's audit entries. */
import type { Targeting } from '#domain/definitions/definition.ts';
import type { RolloutHistory } from '#domain/rollouts.ts';
import { rolloutOf } from '#domain/rollouts.ts';

export interface Point {
  readonly at: number;
  /** Percent of keys that match no rule; 0 while the flag is not defined. */
  readonly share: number;
}

interface Now {
  readonly treatment: string;
  /** The current share, which may be newer than the loaded history. */
  readonly targeting: Targeting;
  readonly at: number;
}

/** The steps of the line, oldest first. */
export function rolloutLine({ points }: RolloutHistory, { treatment, targeting, at }: Now): Point[] {
  const line = [...points, { at, shares: rolloutOf(targeting) }].map((point) => ({
    at: point.at,
    share: shareIn(point.shares, treatment),
  }));
  return line.filter(({ share }, index) => index === 0 || share !== line[index - 1]?.share);
}

export const shareIn = (shares: RolloutHistory['points'][number]['shares'], treatment: string): number =>
  shares.find((share) => share.treatment === treatment)?.size ?? 0;
