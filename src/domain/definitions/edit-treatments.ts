/** Edits of treatments. Each returns a new targeting without references to missing treatments. */
import type { Bucket, Targeting, Treatment } from './definition.ts';
import { renameTreatments } from './differences.ts';
import { withoutTreatment } from './shares.ts';

/** A new treatment comes last and has no share yet. */
export const addTreatment = (targeting: Targeting, name: string): Targeting => ({
  ...targeting,
  treatments: [...targeting.treatments, { name }],
});

/** A name that no treatment has. */
export function freeTreatmentName({ treatments }: Targeting): string {
  const taken = new Set(treatments.map(({ name }) => name));
  const names = ['on', 'off', ...Array.from({ length: taken.size + 1 }, (_, index) => `treatment_${index + 1}`)];
  return names.find((name) => !taken.has(name)) ?? '';
}

/**
 * Its shares go to the last treatment of each list. If it was the default or baseline treatment, the first takes its
 * place.
 */
export function removeTreatment(targeting: Targeting, name: string): Targeting {
  const treatments = targeting.treatments.filter((treatment) => treatment.name !== name);
  const heir = treatments[0]?.name;
  if (heir === undefined || treatments.length === targeting.treatments.length) return targeting;
  const inherit = (role: string) => (role === name ? heir : role);
  const defaultTreatment = inherit(targeting.defaultTreatment);
  const hand = (buckets: readonly Bucket[]) => withoutTreatment(buckets, name, defaultTreatment);
  return {
    ...targeting,
    treatments,
    defaultTreatment,
    baselineTreatment: inherit(targeting.baselineTreatment),
    rules: targeting.rules.map((rule) => ({ ...rule, buckets: hand(rule.buckets) })),
    defaultRule: hand(targeting.defaultRule),
  };
}

/** Renames everywhere. A name that is taken is not changed. */
export const renameTreatment = (targeting: Targeting, name: string, newName: string): Targeting =>
  targeting.treatments.some((treatment) => treatment.name === newName)
    ? targeting
    : renameTreatments(targeting, new Map([[name, newName]]));

/** Texts that are empty are none. */
export function changeTreatment(
  targeting: Targeting,
  name: string,
  changes: Partial<Pick<Treatment, 'description' | 'configurations'>>,
): Targeting {
  const apply = (treatment: Treatment): Treatment =>
    Object.fromEntries(
      Object.entries({ ...treatment, ...changes }).filter(([member, value]) => member === 'name' || value !== ''),
    ) as Treatment;
  return withTreatment(targeting, name, apply);
}

/** The individual targets of a treatment; none is an absent list. */
export const setKeys = (targeting: Targeting, name: string, keys: readonly string[]): Targeting =>
  withTreatment(targeting, name, ({ keys: _, ...treatment }) =>
    keys.length === 0 ? treatment : { ...treatment, keys: [...keys] },
  );

export const setSegments = (targeting: Targeting, name: string, segments: readonly string[]): Targeting =>
  withTreatment(targeting, name, ({ segments: _, ...treatment }) =>
    segments.length === 0 ? treatment : { ...treatment, segments: [...segments] },
  );

const withTreatment = (targeting: Targeting, name: string, change: (treatment: Treatment) => Treatment): Targeting => ({
  ...targeting,
  treatments: targeting.treatments.map((treatment) => (treatment.name === name ? change(treatment) : treatment)),
});

/** Where a treatment is used, in words; empty when removing it changes nothing for anybody. */
export function usesOfTreatment(targeting: Targeting, name: string): string[] {
  const share = (buckets: readonly Bucket[]) => buckets.find(({ treatment }) => treatment === name)?.size ?? 0;
  const keys = targeting.treatments.find((treatment) => treatment.name === name)?.keys?.length ?? 0;
  return [
    ...(keys > 0 ? [`${keys} individual ${keys === 1 ? 'target' : 'targets'}`] : []),
    ...targeting.rules.flatMap(({ buckets }, index) =>
      share(buckets) > 0 ? [`${share(buckets)}% of rule ${index + 1}`] : [],
    ),
    ...(share(targeting.defaultRule) > 0 ? [`${share(targeting.defaultRule)}% of everyone else`] : []),
    ...(targeting.defaultTreatment === name ? ['served when killed'] : []),
    ...(targeting.baselineTreatment === name ? ['baseline'] : []),
  ];
}
