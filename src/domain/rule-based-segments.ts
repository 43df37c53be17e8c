/** The definition of a rule-based segment in an environment: its shape and its rules. `definitions/parse.ts` parses it. */
import { type Static, Type } from 'typebox';
import { Condition, checkMatchers, checkRepeats, complaintsOf, flagsIn, segmentsIn } from './definitions/conditions.ts';
import type { ObjectReference } from './definitions/references.ts';
import { joinObjects } from './json.ts';
import { extend, Millis, NullableArray, OneOf, Reference } from './schema.ts';
import type { Activation, Segment, SegmentKind } from './segments.ts';

/** As the vendor names the kinds here. */
const excludedTypes = ['standard_segment', 'rule_based_segment', 'large_segment'] as const;
export type ExcludedType = (typeof excludedTypes)[number];
export const excludedTypeOf: Record<SegmentKind, ExcludedType> = {
  standard: 'standard_segment',
  rule_based: 'rule_based_segment',
  large: 'large_segment',
};

const ExcludedSegment = Type.Object({ name: Type.String({ minLength: 1 }), type: OneOf(excludedTypes) });

/** A key is in the segment if it is not excluded and one of the rules matches. Names are unique over all kinds. */
export const SegmentRules = Type.Object({
  rules: Type.Array(Type.Object({ condition: Condition })),
  excludedKeys: Type.Array(Type.String({ minLength: 1 })),
  excludedSegments: Type.Array(ExcludedSegment),
});
export type SegmentRules = Static<typeof SegmentRules>;

/** The members in a fixed order: replies consist of this text. */
export const toRulesText = ({ rules, excludedKeys, excludedSegments }: SegmentRules): string =>
  JSON.stringify({ rules, excludedKeys, excludedSegments });

/** The stored text. A segment that was just activated has none: nobody is in it. */
export const rulesTextOf = ({ rules }: Pick<Activation, 'rules'>): string =>
  rules ?? toRulesText({ rules: [], excludedKeys: [], excludedSegments: [] });

/** A rule-based segment in its project. `trafficTypeURN` is null as in the vendor's lists: a client expects text. */
export const RuleBasedSegment = Type.Object({
  id: Type.String(),
  orgId: Type.String(),
  workspaceIds: Type.Array(Type.String()),
  name: Type.String(),
  description: Type.String(),
  status: Type.Literal('ACTIVE'),
  trafficType: Reference,
  trafficTypeId: Type.String(),
  trafficTypeURN: Type.Null(),
  creator: Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }),
  creationTime: Millis,
  tags: NullableArray(Type.Object({ name: Type.String() })),
});

export const toRuleBasedSegment = (segment: Segment, accountId: string): Static<typeof RuleBasedSegment> => ({
  id: segment.id,
  orgId: accountId,
  workspaceIds: [segment.projectId],
  name: segment.name,
  description: segment.description,
  status: 'ACTIVE',
  trafficType: segment.trafficType,
  trafficTypeId: segment.trafficType.id,
  trafficTypeURN: null,
  creator: segment.creator,
  creationTime: segment.creationTime,
  tags: segment.tags,
});

/** A rule-based segment in an environment. */
export const RuleBasedDefinition = extend(
  extend(Type.Object({ name: Type.String(), environment: Reference, trafficType: Reference }), SegmentRules),
  Type.Object({ creationTime: Millis, lastUpdateTime: Millis }),
);

/** A definition whose rules are still the stored JSON text. */
export interface StoredRules {
  readonly segment: Pick<Segment, 'id' | 'name' | 'trafficType'>;
  readonly environment: Reference;
  readonly activation: Pick<Activation, 'rules' | 'createdAt' | 'updatedAt' | 'changeNumber'>;
}

/** The definition as JSON, without parsing its rules. */
export const toRuleBasedText = ({ segment, environment, activation }: StoredRules): string =>
  joinObjects(
    JSON.stringify({
      name: segment.name,
      environment: { id: environment.id, name: environment.name },
      trafficType: segment.trafficType,
    }),
    rulesTextOf(activation),
    JSON.stringify({ creationTime: activation.createdAt, lastUpdateTime: activation.updatedAt }),
  );

const { properties: fields } = SegmentRules;
/** A body as documented for callers. Other members are ignored; `parseSegmentRules` reads it. */
export const RuleBasedBody = Type.Object({
  rules: Type.Optional(fields.rules),
  excludedKeys: Type.Optional(fields.excludedKeys),
  excludedSegments: Type.Optional(fields.excludedSegments),
  title: Type.Optional(Type.String()),
  comment: Type.Optional(Type.String()),
});

/** A segment's type follows from its name, so `type` is corrected where it is known. */
export const withTypes = (definition: SegmentRules, types: ReadonlyMap<string, ExcludedType>): SegmentRules => ({
  ...definition,
  excludedSegments: definition.excludedSegments.map(({ name, type }) => ({ name, type: types.get(name) ?? type })),
});

export const maxFlags = 100;
export const maxSegments = 1_000;

/**
 * All complaints about a definition of the right shape, in the order of its members, except about cycles.
 * `existingFlags`: those of the flags in its rules that exist in the project.
 */
export const checkSegmentRules = (definition: SegmentRules, existingFlags: ReadonlySet<string>): string[] =>
  complaintsOf((complain) => {
    const { rules, excludedKeys, excludedSegments } = definition;
    const complaintAbout = ({ depends }: { depends?: { splitName: string } }) =>
      depends && !existingFlags.has(depends.splitName)
        ? `depends/splitName ${depends.splitName} is not a flag of the project`
        : undefined;
    for (const [index, { condition }] of rules.entries()) {
      checkMatchers(`rules/${index}/condition/matchers`, { ...condition, complaintAbout }, complain);
    }
    if (flagsNamedIn(definition).length > maxFlags)
      complain(() => `rules must not depend on more than ${maxFlags} flags`);
    checkRepeats('excludedKeys', { values: excludedKeys, seen: new Set() }, complain);
    checkRepeats('excludedSegments', { values: excludedSegments.map(({ name }) => name), seen: new Set() }, complain);
    if (segmentsNamedIn(definition).length > maxSegments) {
      complain(() => `rules and excludedSegments must not name more than ${maxSegments} segments`);
    }
  });

export const flagsNamedIn = ({ rules }: SegmentRules): string[] => [...new Set(flagsIn(rules))];

export const segmentsNamedIn = ({ rules, excludedSegments }: SegmentRules): string[] => [
  ...new Set([...segmentsIn(rules), ...excludedSegments.map(({ name }) => name)]),
];

/** What the definition refers to. Stored beside it, so that uses of an object are found without reading definitions. */
export const referencesOf = (definition: SegmentRules): ObjectReference[] => [
  ...flagsNamedIn(definition).map((name) => ({ kind: 'flag' as const, name })),
  ...segmentsNamedIn(definition).map((name) => ({ kind: 'segment' as const, name })),
];

/** Where the definition names the object first. */
export function placeOf({ rules, excludedSegments }: SegmentRules, { kind, name }: ObjectReference): string {
  for (const [at, { condition }] of rules.entries()) {
    const found = condition.matchers.findIndex(({ type, string, depends }) =>
      kind === 'flag' ? depends?.splitName === name : type === 'IN_SEGMENT' && string === name,
    );
    if (found >= 0) return `rules/${at}/condition/matchers/${found}`;
  }
  return `excludedSegments/${excludedSegments.findIndex((segment) => segment.name === name)}`;
}
