/** How many keys get another treatment if a definition gets new seeds. */
import type { Bucket, Targeting } from '../definitions/definition.ts';

/**
 * The largest share, 0 to 1, among the keys of each rule and of the default rule. New seeds put a key into a bucket that
 * has nothing to do with the old one, so a key keeps its treatment with the probability Σp². Individual targets stay.
 */
export function rebucketedShare({ killed, rules, defaultRule, ...rest }: Targeting): number {
  if (killed) return 0;
  return Math.max(changedShare(defaultRule, rest), ...rules.map(({ buckets }) => changedShare(buckets, rest)));
}

type Outside = Pick<Targeting, 'trafficAllocation' | 'defaultTreatment'>;

function changedShare(buckets: readonly Bucket[], { trafficAllocation, defaultTreatment }: Outside): number {
  const shares = new Map([[defaultTreatment, 100 * (100 - trafficAllocation)]]);
  for (const { treatment, size } of buckets) {
    shares.set(treatment, (shares.get(treatment) ?? 0) + trafficAllocation * size);
  }
  // In ten-thousandths, so that a share of all keys is exactly 1.
  return 1 - [...shares.values()].reduce((sum, share) => sum + share * share, 0) / 100_000_000;
}
