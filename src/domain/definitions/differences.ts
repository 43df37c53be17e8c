/** The differences between two targetings, by step: for reviews, comparisons, the audit log and merges. */

import type { FlagSetLink } from '../flag-sets.ts';
import { equalJson } from '../json.ts';
import type { Bucket, Rule, Targeting, Treatment } from './definition.ts';
import { movedItems, type Origins } from './list-steps.ts';
import { originsOfRules, originsOfTreatments } from './same-items.ts';

export interface PlacedRule {
  readonly at: number;
  readonly rule: Rule;
}

/** `before` is absent for additions, `after` for removals. */
export type Difference =
  | { readonly kind: 'killed' | 'impressionsDisabled'; readonly before: boolean; readonly after: boolean }
  | {
      readonly kind: 'keys' | 'segments';
      readonly treatment: string;
      readonly before: readonly string[];
      readonly after: readonly string[];
    }
  | { readonly kind: 'trafficAllocation'; readonly before: number; readonly after: number }
  | {
      readonly kind: 'rule';
      readonly before: PlacedRule | undefined;
      readonly after: PlacedRule | undefined;
      /** Whether its position among the existing rules changed too. */
      readonly isMoved: boolean;
    }
  | { readonly kind: 'defaultRule'; readonly before: readonly Bucket[]; readonly after: readonly Bucket[] }
  | { readonly kind: 'treatment'; readonly before: Treatment | undefined; readonly after: Treatment | undefined }
  | { readonly kind: 'treatmentOrder'; readonly before: readonly string[]; readonly after: readonly string[] }
  | { readonly kind: 'defaultTreatment' | 'baselineTreatment'; readonly before: string; readonly after: string }
  | { readonly kind: 'flagSets'; readonly before: readonly FlagSetLink[]; readonly after: readonly FlagSetLink[] }
  /** For members not listed here, so that no difference is overlooked. */
  | { readonly kind: 'other'; readonly member: string; readonly before: unknown; readonly after: unknown };

/** Both sides changed the same step in different ways. */
export interface Conflict {
  readonly theirs: Difference;
  readonly mine: Difference;
}

/**
 * In reading order. Empty if and only if both are equal. `origins` says which treatments are the same; without it, a
 * treatment with another name but equal otherwise counts as renamed.
 */
export function differencesBetween(
  before: Targeting,
  after: Targeting,
  origins: Origins = originsOfTreatments(before.treatments, after.treatments),
): Difference[] {
  const renamed = renameTreatments(before, renamesBetween(before, after, origins));
  return [
    ...plain('killed', before, after),
    ...targetDifferences(renamed, after),
    ...plain('trafficAllocation', before, after),
    ...ruleDifferences(renamed.rules, after.rules),
    ...plain('defaultRule', renamed, after),
    ...treatmentDifferences(before, after, origins),
    ...plain('defaultTreatment', renamed, after),
    ...plain('baselineTreatment', renamed, after),
    ...plain('impressionsDisabled', before, after),
    ...flagSetDifferences(before, after),
    ...otherDifferences(before, after),
  ];
}

/** Old name → new name, for treatments that were renamed. */
export function renamesBetween(
  before: Targeting,
  after: Targeting,
  origins: Origins = originsOfTreatments(before.treatments, after.treatments),
): ReadonlyMap<string, string> {
  return new Map(
    after.treatments.flatMap(({ name }, index) => {
      const old = before.treatments[origins[index] ?? -1]?.name ?? name;
      return old === name ? [] : [[old, name] as const];
    }),
  );
}

/** Renames treatments wherever a definition names them. */
export function renameTreatments(targeting: Targeting, names: ReadonlyMap<string, string>): Targeting {
  if (names.size === 0) return targeting;
  const newName = (name: string) => names.get(name) ?? name;
  const rename = (buckets: readonly Bucket[]) =>
    buckets.map((bucket) => ({ ...bucket, treatment: newName(bucket.treatment) }));
  return {
    ...targeting,
    treatments: targeting.treatments.map((treatment) => ({ ...treatment, name: newName(treatment.name) })),
    defaultTreatment: newName(targeting.defaultTreatment),
    baselineTreatment: newName(targeting.baselineTreatment),
    rules: targeting.rules.map((rule) => ({ ...rule, buckets: rename(rule.buckets) })),
    defaultRule: rename(targeting.defaultRule),
  };
}

type PlainKind =
  | 'killed'
  | 'trafficAllocation'
  | 'defaultRule'
  | 'defaultTreatment'
  | 'baselineTreatment'
  | 'impressionsDisabled';

const plain = (kind: PlainKind, before: Targeting, after: Targeting): Difference[] =>
  equalJson(before[kind], after[kind]) ? [] : [{ kind, before: before[kind], after: after[kind] } as Difference];

/** For treatments on both sides; targets of added and removed ones are part of that difference. */
function targetDifferences(before: Targeting, after: Targeting): Difference[] {
  const old = new Map(before.treatments.map((treatment) => [treatment.name, treatment]));
  return after.treatments.flatMap((treatment) => {
    const same = old.get(treatment.name);
    if (!same) return [];
    return (['keys', 'segments'] as const)
      .map((kind): Difference & { kind: typeof kind } => ({
        kind,
        treatment: treatment.name,
        before: same[kind] ?? [],
        after: treatment[kind] ?? [],
      }))
      .filter((difference) => !equalJson(difference.before, difference.after));
  });
}

function ruleDifferences(before: readonly Rule[], after: readonly Rule[]): Difference[] {
  const origins = originsOfRules(before, after);
  const kept = new Set(origins);
  const moved = movedItems(origins);
  const gone = before.flatMap((rule, at): Difference[] =>
    kept.has(at) ? [] : [{ kind: 'rule', before: { at, rule }, after: undefined, isMoved: false }],
  );
  const others = after.flatMap((rule, at): Difference[] => {
    const origin = origins[at];
    const old = origin === undefined ? undefined : { at: origin, rule: before[origin] as Rule };
    if (old && !moved.has(at) && equalJson(old.rule, rule)) return [];
    return [{ kind: 'rule', before: old, after: { at, rule }, isMoved: moved.has(at) }];
  });
  return [...gone, ...others];
}

function treatmentDifferences(before: Targeting, after: Targeting, origins: Origins): Difference[] {
  const kept = new Set(origins);
  const gone = before.treatments.filter((_, at) => !kept.has(at));
  const changed = after.treatments.flatMap((treatment, index): Difference[] => {
    const old = before.treatments[origins[index] ?? -1];
    const isSame = old && equalJson(withoutTargets(old), withoutTargets(treatment));
    return isSame ? [] : [{ kind: 'treatment', before: old, after: treatment }];
  });
  return [
    ...gone.map((treatment): Difference => ({ kind: 'treatment', before: treatment, after: undefined })),
    ...changed,
    ...orderDifferences(before, after, origins),
  ];
}

/** New treatments come last, unless someone moved them. */
function orderDifferences(before: Targeting, after: Targeting, origins: Origins): Difference[] {
  const names = after.treatments.map(({ name }) => name);
  const expected = names.toSorted((one, other) => place(names.indexOf(one)) - place(names.indexOf(other)));
  function place(index: number): number {
    return origins[index] ?? before.treatments.length + index;
  }
  return equalJson(expected, names) ? [] : [{ kind: 'treatmentOrder', before: expected, after: names }];
}

const withoutTargets = ({ keys: _, segments: __, ...treatment }: Treatment) => treatment;

const flagSetDifferences = ({ flagSets: before = [] }: Targeting, { flagSets: after = [] }: Targeting): Difference[] =>
  equalJson(before, after) ? [] : [{ kind: 'flagSets', before, after }];

const spokenOf = {
  killed: true,
  treatments: true,
  defaultTreatment: true,
  baselineTreatment: true,
  trafficAllocation: true,
  rules: true,
  defaultRule: true,
  impressionsDisabled: true,
  flagSets: true,
} satisfies Record<keyof Targeting, true>;

function otherDifferences(before: object, after: object): Difference[] {
  const old = before as Record<string, unknown>;
  const fresh = after as Record<string, unknown>;
  return Object.keys({ ...old, ...fresh })
    .filter((member) => !(member in spokenOf) && !equalJson(old[member], fresh[member]))
    .map((member) => ({ kind: 'other', member, before: old[member], after: fresh[member] }));
}
