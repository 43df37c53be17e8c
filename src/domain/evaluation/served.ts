/** Which treatments a definition can give to anyone at all. Those that it leaves out are never served. */
import type { Targeting } from '../definitions/definition.ts';
import { control } from './evaluate.ts';
import { type Budget, reasonsOf, stepsOf, type TreatmentsOf } from './reachability.ts';

/** Bounds the time: further flags count as unknown. */
const maxFlags = 50;

/** Of all flags of an environment, each found out once. In a circle of flags, everything is possible. */
export function treatmentsIn(
  find: (flag: string) => Targeting | 'notDefined' | undefined,
  budget: Budget,
): TreatmentsOf {
  const known = new Map<string, ReadonlySet<string> | undefined>();
  const treatmentsOf: TreatmentsOf = (flag) => {
    if (known.has(flag) || known.size >= maxFlags) return known.get(flag);
    known.set(flag, undefined);
    const found = find(flag);
    const treatments = found === 'notDefined' ? new Set([control]) : found && servedIn(found);
    known.set(flag, treatments);
    return treatments;
  };
  const servedIn = (targeting: Targeting) =>
    servedBy(targeting, reasonsOf(targeting, stepsOf([targeting], treatmentsOf, budget)));
  return treatmentsOf;
}

/** `reasons`: why rules, and everyone else, are never reached. */
export function servedBy(targeting: Targeting, reasons: readonly (string | undefined)[]): ReadonlySet<string> {
  const { killed, treatments, defaultTreatment, trafficAllocation, rules, defaultRule } = targeting;
  if (killed) return new Set([defaultTreatment]);
  const shares = [...rules.map(({ buckets }) => buckets), defaultRule].filter((_, index) => !reasons[index]);
  return new Set([
    ...treatments.filter(({ keys = [], segments = [] }) => keys.length + segments.length > 0).map(({ name }) => name),
    ...(trafficAllocation < 100 ? [defaultTreatment] : []),
    ...shares.flatMap((buckets) => buckets.filter(({ size }) => size > 0).map(({ treatment }) => treatment)),
  ]);
}
