/** An environment at one moment. Immutable: a change makes a new snapshot. */
import type { Bucketing } from '#domain/bucketing.ts';
import { type Definition, parseStored } from '#domain/definitions/definition.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import { type Bodies, createBodies } from './bodies.ts';
import type { Content, FlagEntry, RuleBasedEntry } from './environment.ts';
import { inOrder, lastNumber } from './in-order.ts';
import { hasHash, hash53, type LargeKeys, type SegmentKeys, type StandardKeys } from './segments.ts';

export interface Snapshot {
  readonly environmentId: string;
  /** The number of the last change of a flag; `ff.t` of a poll. */
  readonly flagsNumber: number;
  /** The number of the last change of a rule-based segment; -1 if there never was one. */
  readonly ruleBasedNumber: number;
  /** Flags with a definition here, sorted by name. */
  readonly flagNames: readonly string[];
  readonly flagCount: number;
  /** In order of their numbers; also those that are gone. */
  readonly flagsInOrder: readonly FlagEntry[];
  readonly ruleBasedInOrder: readonly RuleBasedEntry[];
  /** Replies to SDKs that ask for flags. */
  readonly bodies: Bodies;
  /** The flag of this name as SDKs read it; also one that is gone. */
  entryOf(flag: string): FlagEntry | undefined;
  /** What `domain/evaluation` asks for. Parsed when it is first asked for. */
  definitionOf(flag: string): (Definition & Bucketing) | undefined;
  /** Undefined if the name is not that of a rule-based segment that is active here. */
  segmentRulesOf(name: string): SegmentRules | undefined;
  /** Whether a standard or large segment, which something here names, has the key. */
  listsKey(segment: string, key: string): boolean;
  /** The standard and the large segments that have the key, sorted by name. */
  membershipsOf(key: string): { readonly standard: readonly string[]; readonly large: readonly string[] };
}

/** What a snapshot is made of. */
export interface State {
  readonly content: Content;
  /** Those that something here names, and those that were asked for. */
  readonly keys: ReadonlyMap<string, SegmentKeys>;
}

export interface Published {
  readonly state: State;
  readonly snapshot: Snapshot;
}

/** Unchanged parts are taken from the previous snapshot. */
export function createSnapshot(state: State, before?: Published): Snapshot {
  const { content, keys } = state;
  const same = before && isSame(before, content) ? before.snapshot : flagsOf(content);
  const standard = sorted([...keys.values()].filter((one): one is StandardKeys => one.kind === 'standard'));
  const large = sorted([...keys.values()].filter((one): one is LargeKeys => one.kind === 'large'));
  return {
    environmentId: content.environment.id,
    flagsNumber: same.flagsNumber,
    ruleBasedNumber: same.ruleBasedNumber,
    get flagNames() {
      return same.flagNames;
    },
    flagCount: same.flagCount,
    flagsInOrder: same.flagsInOrder,
    ruleBasedInOrder: same.ruleBasedInOrder,
    bodies: same.bodies,
    entryOf: same.entryOf,
    definitionOf: same.definitionOf,
    segmentRulesOf: same.segmentRulesOf,
    listsKey: (segment, key) => {
      const found = keys.get(segment);
      return found !== undefined && hasHash(found, hash53(key));
    },
    membershipsOf: (key) => {
      const hash = hash53(key);
      const having = (all: readonly SegmentKeys[]) => all.filter((one) => hasHash(one, hash)).map(({ name }) => name);
      return { standard: having(standard), large: having(large) };
    },
  };
}

const sorted = <Named extends { readonly name: string }>(all: readonly Named[]): Named[] =>
  all.toSorted((one, other) => (one.name < other.name ? -1 : 1));

type OfFlags = Pick<
  Snapshot,
  | 'flagsNumber'
  | 'ruleBasedNumber'
  | 'flagNames'
  | 'flagCount'
  | 'flagsInOrder'
  | 'ruleBasedInOrder'
  | 'bodies'
  | 'entryOf'
  | 'definitionOf'
  | 'segmentRulesOf'
>;

/** Whether SDKs that ask for flags get the same. */
function isSame({ state, snapshot }: Published, content: Content): boolean {
  if (state.content.flags !== content.flags || state.content.ruleBased !== content.ruleBased) return false;
  const numbers = numbersOf(content, snapshot);
  return snapshot.flagsNumber === numbers.flagsNumber && snapshot.ruleBasedNumber === numbers.ruleBasedNumber;
}

type Entries = Pick<Snapshot, 'flagsInOrder' | 'ruleBasedInOrder'>;

/** What is newer than the environment's number may be incomplete, so it is not announced yet. */
function numbersOf({ environment }: Content, { flagsInOrder, ruleBasedInOrder }: Entries) {
  const { createdAt, changeNumber } = environment;
  return {
    // An import that creates an environment gives it numbers from before its creation.
    flagsNumber: lastNumber(flagsInOrder, changeNumber, Math.min(createdAt, changeNumber)),
    ruleBasedNumber: lastNumber(ruleBasedInOrder, changeNumber, -1),
  };
}

function flagsOf(content: Content): OfFlags {
  const { flags, ruleBased } = content;
  const entries = { flagsInOrder: inOrder(flags), ruleBasedInOrder: inOrder(ruleBased) };
  const numbers = numbersOf(content, entries);
  let names: readonly string[] | undefined;
  return {
    ...numbers,
    ...entries,
    // Few ask for it, and sorting ten thousand takes some milliseconds.
    get flagNames() {
      names ??= entries.flagsInOrder.flatMap(({ name, isArchived }) => (isArchived ? [] : [name])).sort();
      return names;
    },
    flagCount: entries.flagsInOrder.reduce((count, { isArchived }) => (isArchived ? count : count + 1), 0),
    bodies: createBodies({ ...numbers, flags: entries.flagsInOrder, ruleBased: entries.ruleBasedInOrder }),
    entryOf: (name) => flags.get(name),
    definitionOf: parsedOnce((name) => {
      const stored = flags.get(name)?.definition;
      return stored && parseStored(stored);
    }),
    segmentRulesOf: parsedOnce((name) => {
      const rules = ruleBased.get(name)?.rules;
      return rules === undefined ? undefined : (JSON.parse(rules) as SegmentRules);
    }),
  };
}

function parsedOnce<Parsed>(parse: (name: string) => Parsed | undefined): (name: string) => Parsed | undefined {
  const parsed = new Map<string, Parsed>();
  return (name) => {
    const found = parsed.get(name) ?? parse(name);
    if (found) parsed.set(name, found);
    return found;
  };
}
