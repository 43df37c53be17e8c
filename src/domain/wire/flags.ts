/**
 * Flags as SDKs read them. An SDK that evaluates this gives the treatment that `evaluation/evaluate.ts` gives; a test
 * compares them. Client-side SDKs publish it: only what an evaluation needs may be in it.
 */
import type { Algorithm, Bucketing } from '../bucketing.ts';
import type { Bucket, Definition, Targeting } from '../definitions/definition.ts';
import * as wire from './conditions.ts';

export const specs = ['1.0', '1.1', '1.2', '1.3'] as const;
/** The version of the SDKs' format. Each adds matchers. */
export type Spec = (typeof specs)[number];

export interface WireFlag {
  readonly name: string;
  readonly trafficTypeName: string;
  readonly changeNumber: number;
  readonly status: 'ACTIVE' | 'ARCHIVED';
  readonly killed: boolean;
  readonly defaultTreatment: string;
  readonly trafficAllocation: number;
  readonly trafficAllocationSeed: number;
  readonly seed: number;
  /** Some SDKs use the legacy hash without it. */
  readonly algo: Algorithm;
  /** JSON texts by treatment, except empty ones. */
  readonly configurations: Readonly<Record<string, string>>;
  readonly sets: readonly string[];
  readonly impressionsDisabled: boolean;
  /** A concept of the vendor that Burgee does not have. */
  readonly prerequisites: readonly [];
  readonly conditions: readonly WireCondition[];
}

interface WireCondition {
  /** The traffic allocation limits ROLLOUT only. */
  readonly conditionType: 'WHITELIST' | 'ROLLOUT';
  readonly matcherGroup: wire.MatcherGroup;
  readonly partitions: readonly Bucket[];
  readonly label: string;
}

export interface Surroundings extends wire.Surroundings {
  readonly setNameOf: (id: string) => string | undefined;
}

/** What is sent of a definition. */
type Source = Targeting & Bucketing & Pick<Definition, 'name' | 'trafficType' | 'revision'>;

export function toWireFlag(definition: Source, surroundings: Surroundings): WireFlag {
  const { name, trafficType, revision, treatments, flagSets = [] } = definition;
  return {
    name,
    trafficTypeName: trafficType.name,
    changeNumber: revision,
    status: 'ACTIVE',
    killed: definition.killed,
    defaultTreatment: definition.defaultTreatment,
    trafficAllocation: definition.trafficAllocation,
    trafficAllocationSeed: definition.trafficAllocationSeed,
    seed: definition.seed,
    algo: definition.algo,
    configurations: Object.fromEntries(
      treatments.flatMap(({ name: treatment, configurations }) =>
        configurations ? [[treatment, configurations]] : [],
      ),
    ),
    sets: flagSets.flatMap(({ id }) => surroundings.setNameOf(id) ?? []),
    impressionsDisabled: definition.impressionsDisabled,
    prerequisites: [],
    conditions: [
      ...keyConditions(definition),
      ...segmentConditions(definition, surroundings),
      ...ruleConditions(definition, surroundings),
      allKeys(definition),
    ],
  };
}

/** A flag that SDKs must forget: deleted, or no longer defined in the environment. */
export const archivedFlag = (name: string, changeNumber: number): WireFlag => ({
  name,
  trafficTypeName: '',
  changeNumber,
  status: 'ARCHIVED',
  killed: false,
  defaultTreatment: 'off',
  trafficAllocation: 100,
  trafficAllocationSeed: 0,
  seed: 0,
  algo: 2,
  configurations: {},
  sets: [],
  impressionsDisabled: false,
  prerequisites: [],
  conditions: [],
});

/** The first spec that has the matcher. Matchers that are not here are in all of them. */
const since: Readonly<Record<string, Spec>> = {
  EQUAL_TO_SEMVER: '1.1',
  GREATER_THAN_OR_EQUAL_TO_SEMVER: '1.1',
  LESS_THAN_OR_EQUAL_TO_SEMVER: '1.1',
  BETWEEN_SEMVER: '1.1',
  IN_LIST_SEMVER: '1.1',
  IN_LARGE_SEGMENT: '1.2',
  IN_RULE_BASED_SEGMENT: '1.3',
};

/** The same flag, unless it has a matcher that the spec does not know: then all get `control`, like the vendor's. */
export const forSpec = (flag: WireFlag, spec: Spec): WireFlag =>
  flag.conditions.some(({ matcherGroup }) =>
    matcherGroup.matchers.some(({ matcherType }) => (since[matcherType] ?? spec) > spec),
  )
    ? { ...flag, conditions: [unsupported] }
    : flag;

const unsupported: WireCondition = {
  conditionType: 'WHITELIST',
  matcherGroup: wire.groupOf([{ keySelector: null, matcherType: 'ALL_KEYS', negate: false }]),
  partitions: [{ treatment: 'control', size: 100 }],
  label: 'targeting rule type unsupported by sdk',
};

const keyConditions = ({ treatments }: Source): WireCondition[] =>
  treatments.flatMap(({ name: treatment, keys = [] }) =>
    keys.length === 0
      ? []
      : {
          conditionType: 'WHITELIST',
          matcherGroup: wire.groupOf([
            { keySelector: null, matcherType: 'WHITELIST', negate: false, whitelistMatcherData: { whitelist: keys } },
          ]),
          partitions: [{ treatment, size: 100 }],
          label: 'whitelisted',
        },
  );

const segmentConditions = ({ treatments, trafficType }: Source, surroundings: Surroundings): WireCondition[] =>
  treatments.flatMap(({ name: treatment, segments = [] }) =>
    segments.map((segment) => ({
      conditionType: 'WHITELIST',
      matcherGroup: wire.groupOf([
        {
          keySelector: { trafficType: trafficType.name, attribute: null },
          negate: false,
          ...wire.segmentMatcher(segment, surroundings),
        },
      ]),
      partitions: [{ treatment, size: 100 }],
      label: `whitelisted ${wire.kindLabelOf(segment, surroundings)}`,
    })),
  );

const ruleConditions = (definition: Source, surroundings: Surroundings): WireCondition[] =>
  definition.rules.map(({ condition: { matchers }, buckets }) => ({
    conditionType: 'ROLLOUT',
    matcherGroup: wire.groupOf(wire.toWireMatchers(matchers, definition.trafficType.name, surroundings)),
    partitions: partitionsOf(buckets, definition),
    label: wire.labelOf(matchers, surroundings),
  }));

const allKeys = (definition: Source): WireCondition => ({
  conditionType: 'ROLLOUT',
  matcherGroup: wire.groupOf([
    {
      keySelector: { trafficType: definition.trafficType.name, attribute: null },
      matcherType: 'ALL_KEYS',
      negate: false,
    },
  ]),
  partitions: partitionsOf(definition.defaultRule, definition),
  label: 'default rule',
});

/** The order of the shares decides which keys get which. SDKs list the treatments of a flag from its first rule. */
function partitionsOf(buckets: readonly Bucket[], { treatments }: Source): Bucket[] {
  const listed = new Set(buckets.map(({ treatment }) => treatment));
  const others = treatments.filter(({ name }) => !listed.has(name));
  return [
    ...buckets.map(({ treatment, size }) => ({ treatment, size })),
    ...others.map(({ name }) => ({ treatment: name, size: 0 })),
  ];
}
