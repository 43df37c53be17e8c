/** Rollout history: how the shares of a definition changed. */
import { type Static, Type } from 'typebox';
import type { Share } from './bucketing.ts';
import type { Targeting } from './definitions/definition.ts';
import { Millis } from './schema.ts';

/** `Type.Number` would add to the interface's bundle just for this. */
const Percent = Type.Unsafe<number>({ type: 'number' });

export const RolloutHistory = Type.Object({
  since: Type.Integer({ description: 'start of the history: `from`, or later if there were too many changes' }),
  points: Type.Array(
    Type.Object({
      at: Millis,
      shares: Type.Array(Type.Object({ treatment: Type.String(), size: Percent }), {
        description: 'percent of the keys that match no rule, after traffic allocation; empty: not defined',
      }),
    }),
    { description: 'oldest first; the first is at `since`' },
  ),
});
export type RolloutHistory = Static<typeof RolloutHistory>;

/** The state after a change. */
interface State {
  readonly at: number;
  /** The change created the definition. */
  readonly isFirst: boolean;
  readonly targeting: Rollout;
}

/**
 * `states` are newest first and end with the state at `from`, or with the first one. If they end earlier, nothing is
 * known of the time before the oldest.
 */
export function rolloutHistoryOf(states: readonly State[], from: number): RolloutHistory {
  const oldest = states.at(-1);
  const isLate = oldest !== undefined && oldest.at > from;
  const since = isLate && !oldest.isFirst ? oldest.at : from;
  const isUndefinedAtFirst = !oldest || (isLate && oldest.isFirst);
  const points = [
    ...(isUndefinedAtFirst ? [{ at: from, shares: [] }] : []),
    ...states.toReversed().map(({ at, targeting }) => ({ at: Math.max(at, since), shares: rolloutOf(targeting) })),
  ];
  const isStep = (index: number) =>
    index === 0 || JSON.stringify(points[index]?.shares) !== JSON.stringify(points[index - 1]?.shares);
  return { since, points: points.filter((_, index) => isStep(index)) };
}

type Rollout = Pick<Targeting, 'killed' | 'defaultTreatment' | 'trafficAllocation' | 'defaultRule'>;

/** The share of keys that get another treatment than the default one, in percent, as `rolloutOf` counts them. */
export const rolledOutShare = (rollout: Rollout): number =>
  rolloutOf(rollout)
    .filter(({ treatment }) => treatment !== rollout.defaultTreatment)
    .reduce((sum, { size }) => sum + size, 0);

/**
 * The share of each treatment among keys that match no target and no rule, in percent to two decimals, after traffic
 * allocation. In the order of the default rule; the default treatment comes last if the rule does not have it.
 */
export function rolloutOf({ killed, defaultTreatment, trafficAllocation, defaultRule }: Rollout): Share[] {
  const allocated = killed ? 0 : trafficAllocation;
  const left = { treatment: defaultTreatment, size: 100 - allocated };
  const shares = defaultRule.map(({ treatment, size }) => ({ treatment, size: (size * allocated) / 100 }));
  const at = shares.findIndex(({ treatment }) => treatment === defaultTreatment);
  if (at < 0) return left.size > 0 ? [...shares, left] : shares;
  return shares.with(at, { treatment: defaultTreatment, size: (shares[at]?.size ?? 0) + left.size });
}
