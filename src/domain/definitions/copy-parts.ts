/** Copies parts of a definition to another environment, with everything that they need. */
import { type Targeting, type Treatment, withFlagSets } from './definition.ts';
import { withMissing } from './missing-treatments.ts';

export const parts = [
  'treatments',
  'targets',
  'trafficAllocation',
  'rules',
  'defaultRule',
  'impressionsDisabled',
  'flagSets',
  'killed',
] as const;
export type Part = (typeof parts)[number];

/** What is promoted unless someone chooses: never a kill, and individual targets not to production. */
export const promotedParts = (to: { readonly production: boolean }): ReadonlySet<Part> =>
  new Set(parts.filter((part) => part !== 'killed' && (part !== 'targets' || !to.production)));

/** If there is no definition yet, everything except individual targets and the killed state is copied. */
export function copyParts(from: Targeting, to: Targeting | undefined, wanted: ReadonlySet<Part>): Targeting {
  const start = to ?? { ...from, killed: false, treatments: from.treatments.map(withoutTargets) };
  const copied: Targeting = {
    ...start,
    ...(wanted.has('trafficAllocation') ? { trafficAllocation: from.trafficAllocation } : {}),
    ...(wanted.has('rules') ? { rules: from.rules } : {}),
    ...(wanted.has('defaultRule') ? { defaultRule: from.defaultRule } : {}),
    ...(wanted.has('impressionsDisabled') ? { impressionsDisabled: from.impressionsDisabled } : {}),
    ...(wanted.has('killed') ? { killed: from.killed } : {}),
    ...(wanted.has('treatments')
      ? { defaultTreatment: from.defaultTreatment, baselineTreatment: from.baselineTreatment }
      : {}),
  };
  const treatments = wanted.has('treatments') ? textsFrom(from, start) : start.treatments;
  const complete = withMissing({ ...copied, treatments }, [
    ...start.treatments,
    ...from.treatments.map(withoutTargets),
  ]);
  const inSets = wanted.has('flagSets') ? withFlagSets(complete, from.flagSets ?? []) : complete;
  return wanted.has('targets') ? withTargetsFrom(inSets, from) : inSets;
}

const withoutTargets = ({ keys: _, segments: __, ...treatment }: Treatment): Treatment => treatment;

/** The target's treatments, with the individual targets of the source. */
function textsFrom(from: Targeting, to: Targeting): Treatment[] {
  const here = new Map(to.treatments.map((treatment) => [treatment.name, treatment]));
  return from.treatments.map((treatment) => {
    const { keys, segments } = here.get(treatment.name) ?? {};
    return { ...withoutTargets(treatment), ...(keys ? { keys } : {}), ...(segments ? { segments } : {}) };
  });
}

/** Only the source's individual targets: a key may have only one treatment. */
function withTargetsFrom(targeting: Targeting, from: Targeting): Targeting {
  const there = new Map(from.treatments.map((treatment) => [treatment.name, treatment]));
  const names = new Set(targeting.treatments.map(({ name }) => name));
  const added = from.treatments.filter(({ name, keys, segments }) => !names.has(name) && (keys || segments));
  const replaced = targeting.treatments.map((treatment) => {
    const { keys, segments } = there.get(treatment.name) ?? {};
    return { ...withoutTargets(treatment), ...(keys ? { keys } : {}), ...(segments ? { segments } : {}) };
  });
  return { ...targeting, treatments: [...replaced, ...added] };
}
