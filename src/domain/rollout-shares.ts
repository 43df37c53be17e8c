/** What the keys get that no target and no rule takes, traffic allocation counted. */

import type { Share } from './bucketing.ts';
import type { Targeting } from './definitions/definition.ts';

export type Rollout = Pick<Targeting, 'killed' | 'defaultTreatment' | 'trafficAllocation' | 'defaultRule'>;

/**
 * Percent of those keys, to two decimals. In the order of the default rule; the default treatment is behind it where the
 * rule does not have it. What nobody gets has a share of 0.
 */
export function rolloutOf({ killed, defaultTreatment, trafficAllocation, defaultRule }: Rollout): Share[] {
  const allocated = killed ? 0 : trafficAllocation;
  const left = { treatment: defaultTreatment, size: 100 - allocated };
  const shares = defaultRule.map(({ treatment, size }) => ({ treatment, size: (size * allocated) / 100 }));
  const at = shares.findIndex(({ treatment }) => treatment === defaultTreatment);
  if (at < 0) return left.size > 0 ? [...shares, left] : shares;
  return shares.with(at, { treatment: defaultTreatment, size: (shares[at]?.size ?? 0) + left.size });
}
