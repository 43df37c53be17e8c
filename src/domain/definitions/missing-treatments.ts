/** Copied parts may name treatments that a targeting does not have. */
import type { Targeting, Treatment } from './definition.ts';

/** Appends missing treatments: as they are in `known`, or new. */
export function withMissing(targeting: Targeting, known: readonly Treatment[] = []): Targeting {
  const added = missingNames(targeting).map((name) => known.find((one) => one.name === name) ?? { name });
  return added.length === 0 ? targeting : { ...targeting, treatments: [...targeting.treatments, ...added] };
}

function missingNames({ treatments, defaultTreatment, baselineTreatment, rules, defaultRule }: Targeting): string[] {
  const buckets = [defaultRule, ...rules.map((rule) => rule.buckets)].flat();
  const used = new Set([defaultTreatment, baselineTreatment, ...buckets.map(({ treatment }) => treatment)]);
  return [...used].filter((name) => !treatments.some((treatment) => treatment.name === name));
}
