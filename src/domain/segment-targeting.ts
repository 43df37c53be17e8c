/**
 * The rules of a segment in the form of a flag's targeting, so that edits, differences and merges are the same for both.
 * Its rules have no shares. A treatment without a name has what is excluded as its targets.
 */
import type { Targeting } from './definitions/definition.ts';
import type { SegmentRules } from './rule-based-segments.ts';

/** No treatment of a flag has this name. */
export const excluded = '';

/** Written out, so that not everything that shows differences loads the edits of treatments. */
export const toSegmentTargeting = ({ rules, excludedKeys, excludedSegments }: SegmentRules): Targeting => ({
  killed: false,
  treatments: [
    {
      name: excluded,
      ...(excludedKeys.length === 0 ? {} : { keys: excludedKeys }),
      ...(excludedSegments.length === 0 ? {} : { segments: excludedSegments.map(({ name }) => name) }),
    },
  ],
  defaultTreatment: excluded,
  baselineTreatment: excluded,
  trafficAllocation: 100,
  rules: rules.map(({ condition }) => ({ buckets: [], condition })),
  defaultRule: [],
  impressionsDisabled: false,
});

/** `known` has the types of excluded segments. The server corrects those of segments that exist. */
export function toSegmentRules({ rules, treatments }: Targeting, known: SegmentRules): SegmentRules {
  const [{ keys = [], segments = [] } = {}] = treatments;
  const types = new Map(known.excludedSegments.map(({ name, type }) => [name, type]));
  return {
    rules: rules.map(({ condition }) => ({ condition })),
    excludedKeys: [...keys],
    excludedSegments: segments.map((name) => ({ name, type: types.get(name) ?? 'standard_segment' })),
  };
}
