/** Definitions of flags and rule-based segments as the official SDKs read them. */

import type { Matcher, MatcherType } from '#domain/definitions/matchers.ts';
import type { Evaluable } from '#domain/evaluation/evaluate.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';

/** SDKs look for each kind in another place; the Admin API names all of them the same way. */
export type SegmentKind = 'standard' | 'large' | 'rule-based';
type KindOf = (segment: string) => SegmentKind;

/** The part of the SDKs' JSON that an evaluation looks at. */
export interface SdkDefinition {
  readonly name: string;
  readonly status: 'ACTIVE';
  readonly killed: boolean;
  readonly defaultTreatment: string;
  readonly trafficAllocation: number;
  readonly trafficAllocationSeed: number;
  readonly seed: number;
  readonly algo: 2;
  readonly changeNumber: number;
  readonly configurations: Readonly<Record<string, string>>;
  readonly conditions: readonly object[];
}

export function toSdkDefinition(definition: Evaluable, kindOf: KindOf): SdkDefinition {
  const { name, killed, defaultTreatment, treatments, rules, defaultRule } = definition;
  const { trafficAllocation, trafficAllocationSeed, seed } = definition;
  const all = (treatment: string) => [{ treatment, size: 100 }];
  const conditions = [
    ...treatments.flatMap(({ name: treatment, keys = [] }) =>
      keys.length > 0
        ? condition(
            'WHITELIST',
            'whitelisted',
            [keyed('WHITELIST', { whitelistMatcherData: { whitelist: keys } })],
            all(treatment),
          )
        : [],
    ),
    ...treatments.flatMap(({ name: treatment, segments = [] }) =>
      segments.map((segment) =>
        condition('WHITELIST', 'whitelisted segment', [keyed(...inSegment(segment, kindOf))], all(treatment)),
      ),
    ),
    ...rules.map(({ condition: { matchers }, buckets }, index) =>
      condition('ROLLOUT', `rule ${index}`, matchers.map(toSdkMatcher(kindOf)), buckets),
    ),
    condition('ROLLOUT', 'default rule', [keyed('ALL_KEYS', {})], defaultRule),
  ];
  const configurations = Object.fromEntries(
    treatments.flatMap(({ name: treatment, configurations: text }) => (text ? [[treatment, text]] : [])),
  );
  return {
    name,
    status: 'ACTIVE',
    killed,
    defaultTreatment,
    trafficAllocation,
    trafficAllocationSeed,
    seed,
    algo: 2,
    changeNumber: 1,
    configurations,
    conditions,
  };
}

export interface SdkRuleBasedSegment {
  readonly name: string;
  readonly status: 'ACTIVE';
  readonly changeNumber: number;
  readonly excluded: { keys: readonly string[]; segments: readonly { name: string; type: SegmentKind }[] };
  readonly conditions: readonly object[];
}

export const toSdkRuleBasedSegment = (
  name: string,
  { rules, excludedKeys, excludedSegments }: SegmentRules,
  kindOf: KindOf,
): SdkRuleBasedSegment => ({
  name,
  status: 'ACTIVE',
  changeNumber: 1,
  excluded: {
    keys: excludedKeys,
    segments: excludedSegments.map(({ name: segment }) => ({ name: segment, type: kindOf(segment) })),
  },
  conditions: rules.map(({ condition: { matchers } }) => ({
    conditionType: 'ROLLOUT',
    matcherGroup: { combiner: 'AND', matchers: matchers.map(toSdkMatcher(kindOf)) },
  })),
});

const condition = (conditionType: string, label: string, matchers: object[], partitions: readonly object[]) => ({
  conditionType,
  label,
  matcherGroup: { combiner: 'AND', matchers },
  partitions,
});
const keyed = (matcherType: string, data: object) => ({ keySelector: null, matcherType, negate: false, ...data });

function inSegment(name: string, kindOf: KindOf): [matcherType: string, data: object] {
  const kind = kindOf(name);
  if (kind === 'large') {
    return ['IN_LARGE_SEGMENT', { userDefinedLargeSegmentMatcherData: { largeSegmentName: name } }];
  }
  const matcherType = kind === 'standard' ? 'IN_SEGMENT' : 'IN_RULE_BASED_SEGMENT';
  return [matcherType, { userDefinedSegmentMatcherData: { segmentName: name } }];
}

const toSdkMatcher =
  (kindOf: KindOf) =>
  (matcher: Matcher): object => {
    const [matcherType, data] =
      matcher.type === 'IN_SEGMENT' ? inSegment(matcher.string ?? '', kindOf) : valueMatcher(matcher, matcher.type);
    return {
      keySelector: { trafficType: 'user', attribute: matcher.attribute ?? null },
      matcherType,
      negate: matcher.negate ?? false,
      ...data,
    };
  };

function valueMatcher(matcher: Matcher, type: Exclude<MatcherType, 'IN_SEGMENT'>): [matcherType: string, data: object] {
  const [matcherType, data] = types[type];
  return [matcherType, data(matcher)];
}

const list = ({ strings }: Matcher) => ({ whitelistMatcherData: { whitelist: strings } });
const text = ({ string }: Matcher) => ({ stringMatcherData: string });
const unary = (dataType: 'NUMBER' | 'DATETIME') => (matcher: Matcher) => ({
  unaryNumericMatcherData: { dataType, value: dataType === 'NUMBER' ? matcher.number : matcher.date },
});
const range = (dataType: 'NUMBER' | 'DATETIME') => (matcher: Matcher) => ({
  betweenMatcherData: { dataType, start: matcher.between?.from, end: matcher.between?.to },
});

const types: Record<Exclude<MatcherType, 'IN_SEGMENT'>, [matcherType: string, data: (matcher: Matcher) => object]> = {
  IN_LIST_STRING: ['WHITELIST', list],
  STARTS_WITH_STRING: ['STARTS_WITH', list],
  ENDS_WITH_STRING: ['ENDS_WITH', list],
  CONTAINS_STRING: ['CONTAINS_STRING', list],
  MATCHES_STRING: ['MATCHES_STRING', text],
  EQUAL_SET: ['EQUAL_TO_SET', list],
  ANY_OF_SET: ['CONTAINS_ANY_OF_SET', list],
  ALL_OF_SET: ['CONTAINS_ALL_OF_SET', list],
  PART_OF_SET: ['PART_OF_SET', list],
  ON_DATE: ['EQUAL_TO', unary('DATETIME')],
  ON_OR_AFTER_DATE: ['GREATER_THAN_OR_EQUAL_TO', unary('DATETIME')],
  ON_OR_BEFORE_DATE: ['LESS_THAN_OR_EQUAL_TO', unary('DATETIME')],
  BETWEEN_DATE: ['BETWEEN', range('DATETIME')],
  EQUAL_NUMBER: ['EQUAL_TO', unary('NUMBER')],
  LESS_THAN_OR_EQUAL_NUMBER: ['LESS_THAN_OR_EQUAL_TO', unary('NUMBER')],
  GREATER_THAN_OR_EQUAL_NUMBER: ['GREATER_THAN_OR_EQUAL_TO', unary('NUMBER')],
  BETWEEN_NUMBER: ['BETWEEN', range('NUMBER')],
  BOOLEAN: ['EQUAL_TO_BOOLEAN', ({ bool }) => ({ booleanMatcherData: bool })],
  IN_SPLIT: [
    'IN_SPLIT_TREATMENT',
    ({ depends }) => ({ dependencyMatcherData: { split: depends?.splitName, treatments: depends?.treatments } }),
  ],
  EQUAL_TO_SEMVER: ['EQUAL_TO_SEMVER', text],
  GREATER_THAN_OR_EQUAL_TO_SEMVER: ['GREATER_THAN_OR_EQUAL_TO_SEMVER', text],
  LESS_THAN_OR_EQUAL_TO_SEMVER: ['LESS_THAN_OR_EQUAL_TO_SEMVER', text],
  BETWEEN_SEMVER: [
    'BETWEEN_SEMVER',
    ({ between }) => ({ betweenStringMatcherData: { start: between?.from, end: between?.to } }),
  ],
  IN_LIST_SEMVER: ['IN_LIST_SEMVER', list],
};
