/** How a flag differs between two environments, as far as the summaries of its definitions tell. */
import { type Static, Type } from 'typebox';
import { DefinitionSummary } from './definitions/summary.ts';
import { rolloutOf } from './rollouts.ts';
import { Millis, OneOf, Reference } from './schema.ts';

export const driftKinds = ['killed', 'defined', 'targeting', 'share'] as const;
export type DriftKind = (typeof driftKinds)[number];
export const driftSorts = ['severity', 'name', 'changed'] as const;

/** `Type.Number` would add to the interface's bundle just for this. */
const Percent = (description: string) => Type.Unsafe<number>({ type: 'number', description });

export const DriftingFlag = Type.Object({
  id: Type.String(),
  name: Type.String(),
  lastUpdateTime: Millis,
  kinds: Type.Array(
    OneOf(driftKinds, {
      description:
        '`killed` or `defined` in only one of two; `targeting`: rules, targets, treatments or the default treatment; ' +
        '`share`: the traffic allocation or the default rule',
    }),
  ),
  share: Percent(
    'the percentage of keys that get another treatment at least, without rules and targets; the largest of all ' +
      'compared environments',
  ),
  definitions: Type.Array(DefinitionSummary, { description: 'in all environments within the caller’s scope' }),
});
export type DriftingFlag = Static<typeof DriftingFlag>;

export const DriftSummary = Type.Object({
  base: Reference,
  flagCount: Type.Integer({ description: 'how many flags were compared' }),
  counts: Type.Object(
    { killed: Type.Integer(), defined: Type.Integer(), targeting: Type.Integer(), share: Type.Integer() },
    { description: 'how many flags differ in each kind, whatever `kind` says' },
  ),
});

export interface Drift {
  readonly kinds: readonly DriftKind[];
  readonly share: number;
}

type Compared = Omit<DefinitionSummary, 'environment' | 'lastUpdateTime'>;

/** Undefined if nothing differs. Everyone gets `control` where a flag is not defined. */
export function driftBetween(base: Compared | undefined, other: Compared | undefined): Drift | undefined {
  if (!base || !other) return base === other ? undefined : { kinds: ['defined'], share: 100 };
  const kinds: DriftKind[] = [];
  if (base.killed !== other.killed) kinds.push('killed');
  if (base.digest !== other.digest) kinds.push('targeting');
  const [mine, theirs] = [base, other].map((one) => sharesOf({ ...one, killed: false })) as [Shares, Shares];
  if (base.trafficAllocation !== other.trafficAllocation || movedShare(mine, theirs) > 0) kinds.push('share');
  return kinds.length > 0 ? { kinds, share: movedShare(sharesOf(base), sharesOf(other)) } : undefined;
}

type Shares = ReadonlyMap<string, number>;

const sharesOf = (definition: Compared): Shares =>
  new Map(rolloutOf(definition).map(({ treatment, size }) => [treatment, size]));

/** Seeds differ between environments, so more keys can differ than the shares say; never fewer. */
function movedShare(from: Shares, to: Shares): number {
  const treatments = new Set([...from.keys(), ...to.keys()]);
  const moved = [...treatments].reduce((sum, one) => sum + Math.abs((from.get(one) ?? 0) - (to.get(one) ?? 0)), 0);
  return Math.round(moved * 50) / 100;
}

/** Of several environments: everything that differs in any of them. */
export function joinDrifts(drifts: readonly Drift[]): Drift | undefined {
  if (drifts.length === 0) return undefined;
  const found = new Set(drifts.flatMap(({ kinds }) => kinds));
  return {
    kinds: driftKinds.filter((kind) => found.has(kind)),
    share: Math.max(...drifts.map(({ share }) => share)),
  };
}

export interface FlagDrift extends Drift {
  readonly id: string;
  readonly name: string;
  readonly changedAt: number;
}

/** Killed in one before defined in one, then by share. */
const severity = ({ kinds, share }: Drift): number =>
  (kinds.includes('killed') ? 1_000 : 0) + (kinds.includes('defined') ? 500 : 0) + share;

const byName = (one: FlagDrift, other: FlagDrift) => (one.name < other.name ? -1 : 1);

/** The most severe, or the last changed, come first. */
export const driftOrders: Readonly<Record<(typeof driftSorts)[number], (one: FlagDrift, other: FlagDrift) => number>> =
  {
    name: byName,
    severity: (one, other) => severity(other) - severity(one) || byName(one, other),
    changed: (one, other) => other.changedAt - one.changedAt || byName(one, other),
  };
