/** The definition of a rule-based segment in an environment: its shape and its rules. `definitions/parse.ts` parses it. */
import { type Static, Type } from 'typebox';
import { Condition, checkMatchers, checkRepeats, complaintsOf, flagsIn, segmentsIn } from './definitions/conditions.ts';
import type { ObjectReference } from './definitions/references.ts';
import { OneOf } from './schema.ts';

/** As the vendor names the kinds here. */
export const excludedTypes = ['standard_segment', 'rule_based_segment', 'large_segment'] as const;
export type ExcludedType = (typeof excludedTypes)[number];

const ExcludedSegment = Type.Object({ name: Type.String({ minLength: 1 }), type: OneOf(excludedTypes) });

/** A key is in the segment if it is not excluded and one of the rules matches. Names are unique over all kinds. */
export const SegmentRules = Type.Object({
  rules: Type.Array(Type.Object({ condition: Condition })),
  excludedKeys: Type.Array(Type.String({ minLength: 1 })),
  excludedSegments: Type.Array(ExcludedSegment),
});
export type SegmentRules = Static<typeof SegmentRules>;

/** The definition of a segment that was just activated: nobody is in it. */
export const noRules: SegmentRules = { rules: [], excludedKeys: [], excludedSegments: [] };

/** The members in a fixed order, so that equal definitions have equal text. */
export const toSegmentRules = ({ rules, excludedKeys, excludedSegments }: SegmentRules): SegmentRules => ({
  rules,
  excludedKeys,
  excludedSegments,
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
