/** Rollout history: how the shares of a definition changed. */
import { type Static, Type } from 'typebox';
import type { Share } from './bucketing.ts';
import type { Targeting } from './definitions/definition.ts';
import { Millis } from './schema.ts';

/** `Type.Number` would add to the interface's bundle just for this. */
const Percent = Type.Unsafe<number>({ type: 'number' });

const RolloutPoint = Type.Object({
  at: Millis,
  shares: Type.Array(Type.Object({ treatment: Type.String(), size: Percent }), {
    description: 'percent of the keys that match no rule, after traffic allocation; empty: not defined',
  }),
  killed: Type.Boolean(),
  allocation: Type.Integer({ description: 'percent of keys inside the traffic allocation' }),
  defaultTreatment: Type.String({ description: 'for keys outside the allocation, and for all while killed' }),
});
export type RolloutPoint = Static<typeof RolloutPoint>;

const RolloutChange = Type.Object({
  id: Type.String({ description: 'of the audit entry' }),
  at: Millis,
  action: Type.String({ description: 'as `auditLogType`, for example `definition.killed`' }),
  editor: Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }),
  title: Type.Optional(Type.String()),
  count: Type.Integer({ description: 'how many changes this stands for: itself and others shortly before it' }),
});
export type RolloutChange = Static<typeof RolloutChange>;

export const RolloutHistory = Type.Object({
  since: Type.Integer({ description: 'start of the history: `from`, or later if there were too many changes' }),
  points: Type.Array(RolloutPoint, { description: 'oldest first; the first is at `since`' }),
  changes: Type.Array(RolloutChange, { description: 'oldest first; kills and restores are never merged' }),
  leftOut: Type.Integer({ description: 'changes without a point because there are too many; never kills' }),
});
export type RolloutHistory = Static<typeof RolloutHistory>;

/** The state after a change. */
export interface DefinitionState {
  readonly id: string;
  readonly at: number;
  readonly action: string;
  readonly editor: RolloutChange['editor'];
  readonly title: string | undefined;
  /** Absent if it was not read, because there are too many. */
  readonly targeting: Rollout | undefined;
}

/** How finely a history is drawn: if there are more changes, only the newest within each slot is read. */
export const slots = 200;

export const isFirst = ({ action }: Pick<DefinitionState, 'action'>): boolean => action === 'definition.created';

/**
 * `states` are newest first and end with the state at `from`, or with the first one. If they end earlier, nothing is
 * known of the time before the oldest.
 */
export function rolloutHistoryOf(states: readonly DefinitionState[], from: number): RolloutHistory {
  const known = states.slice(0, states.findLastIndex(({ targeting }) => targeting !== undefined) + 1);
  const oldest = known.at(-1);
  const isLate = oldest !== undefined && oldest.at > from;
  const since = isLate && !isFirst(oldest) ? oldest.at : from;
  const points: RolloutPoint[] = !oldest || (isLate && isFirst(oldest)) ? [{ at: from, ...pointOf(undefined) }] : [];
  let current: Rollout | undefined;
  for (const { at, action, targeting } of known.toReversed()) {
    current = targeting ?? (current && { ...current, killed: killedBy[action] ?? current.killed });
    points.push({ at: Math.max(at, since), ...pointOf(current) });
  }
  const isStep = (point: RolloutPoint, index: number) =>
    index === 0 || JSON.stringify({ ...points[index - 1], at: 0 }) !== JSON.stringify({ ...point, at: 0 });
  return {
    since,
    points: points.filter(isStep),
    changes: merged(
      states.filter(({ at }) => at >= since),
      since,
    ),
    leftOut: known.filter(({ action, targeting }) => targeting === undefined && !(action in killedBy)).length,
  };
}

const killedBy: Readonly<Record<string, boolean | undefined>> = {
  'definition.killed': true,
  'definition.restored': false,
};

const pointOf = (rollout: Rollout | undefined): Omit<RolloutPoint, 'at'> => ({
  shares: rollout ? rolloutOf(rollout) : [],
  killed: rollout?.killed ?? false,
  allocation: rollout?.trafficAllocation ?? 0,
  defaultTreatment: rollout?.defaultTreatment ?? '',
});

/**
 * If there are many, changes of one slot become one, except kills and restores. `states` are newest first, the result
 * oldest first.
 */
function merged(states: readonly DefinitionState[], since: number): RolloutChange[] {
  const isMany = states.length > slots;
  const slotOf = slotsBetween(since, states[0]?.at ?? since, slots);
  const found: (RolloutChange & { readonly slot: number | undefined })[] = [];
  for (const { id, at, action, editor, title } of states) {
    const slot = isMany && !(action in killedBy) ? slotOf(at) : undefined;
    const last = found.at(-1);
    if (last && slot !== undefined && last.slot === slot) found.splice(-1, 1, { ...last, count: last.count + 1 });
    else found.push({ id, at, action, editor, ...(title === undefined ? {} : { title }), count: 1, slot });
  }
  return found.reverse().map(({ slot: _, ...change }) => change);
}

/** Divides the time between two instants. */
export const slotsBetween =
  (from: number, to: number, count: number) =>
  (at: number): number =>
    Math.min(Math.floor(((at - from) / Math.max(to - from, 1)) * count), count - 1);

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
