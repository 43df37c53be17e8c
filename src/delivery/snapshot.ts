/** An environment at one moment. Immutable: a change makes a new snapshot. */
import type { Seeds } from '#domain/bucketing.ts';
import type { Definition } from '#domain/definitions/definition.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';

export interface Snapshot {
  readonly environmentId: string;
  /** The number of the last change of a flag; `ff.t` of a poll. */
  readonly flagsNumber: number;
  /** The number of the last change of a rule-based segment; -1 if there never was one. */
  readonly ruleBasedNumber: number;
  /** The largest number of a standard segment that the snapshot has; -1 if it has none. The same for large ones. */
  readonly membershipsNumber: number;
  readonly largeMembershipsNumber: number;
  /** Flags with a definition here, sorted by name. */
  readonly flagNames: readonly string[];
  /** What `domain/evaluation` asks for. Parsed when it is first asked for. */
  definitionOf(flag: string): (Definition & Seeds) | undefined;
  /** Undefined if the name is not that of a rule-based segment that is active here. */
  segmentRulesOf(name: string): SegmentRules | undefined;
  /** Whether a standard or large segment, which something here names, has the key. */
  listsKey(segment: string, key: string): boolean;
  /** The standard and the large segments that have the key, sorted by name. */
  membershipsOf(key: string): { readonly standard: readonly string[]; readonly large: readonly string[] };
}
