/** Rule-based segments as SDKs read them: part of spec 1.3. */
import type { SegmentRules } from '../rule-based-segments.ts';
import type { SegmentKind } from '../segments.ts';
import { groupOf, type MatcherGroup, type Surroundings, toWireMatchers } from './conditions.ts';

export interface WireSegment {
  readonly name: string;
  readonly trafficTypeName: string;
  readonly changeNumber: number;
  readonly status: 'ACTIVE' | 'ARCHIVED';
  readonly excluded: {
    readonly keys: readonly string[];
    readonly segments: readonly { readonly type: ExcludedKind; readonly name: string }[];
  };
  readonly conditions: readonly { readonly conditionType: 'ROLLOUT'; readonly matcherGroup: MatcherGroup }[];
}

type ExcludedKind = 'standard' | 'large' | 'rule-based';
const excludedKinds: Record<SegmentKind, ExcludedKind> = {
  standard: 'standard',
  large: 'large',
  rule_based: 'rule-based',
};

/** What is sent of a rule-based segment that is active in the environment. */
interface Source extends SegmentRules {
  readonly name: string;
  /** The name of the traffic type. */
  readonly trafficType: string;
  readonly changeNumber: number;
}

export const toWireSegment = (segment: Source, surroundings: Surroundings): WireSegment => ({
  name: segment.name,
  trafficTypeName: segment.trafficType,
  changeNumber: segment.changeNumber,
  status: 'ACTIVE',
  excluded: {
    keys: segment.excludedKeys,
    // The name decides, as in `evaluation/evaluate.ts`, whatever the stored type says.
    segments: segment.excludedSegments.map(({ name }) => ({
      type: excludedKinds[surroundings.kindOf(name) ?? 'standard'],
      name,
    })),
  },
  conditions: segment.rules.map(({ condition: { matchers } }) => ({
    conditionType: 'ROLLOUT',
    matcherGroup: groupOf(toWireMatchers(matchers, segment.trafficType, surroundings)),
  })),
});

/** A rule-based segment that SDKs must forget: deleted, or no longer active in the environment. */
export const archivedSegment = (name: string, changeNumber: number): WireSegment => ({
  name,
  trafficTypeName: '',
  changeNumber,
  status: 'ARCHIVED',
  excluded: { keys: [], segments: [] },
  conditions: [],
});
