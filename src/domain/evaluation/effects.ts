/**
 * The effect of an edit on all keys: which share of them moves from which treatment to which, including traffic
 * allocation. No sampling and no regular expressions: shares follow from the definition, because keys are spread evenly
 * over the buckets.
 *
 * A definition does not say how many keys match a rule on an attribute, a segment or the text of the key. Such rules
 * divide the keys into groups of unknown size. Within a group every share is exact; over all keys it is a range from
 * the smallest to the largest share of a group. Individually named keys are compared one by one.
 *
 * Time is bounded: beyond the limits below the result is unknown.
 */

import type { Bucketing } from '../bucketing.ts';
import type { Targeting } from '../definitions/definition.ts';
import { equalJson } from '../json.ts';
import { cellsOf, cellsOfKey, type Flow, flowsOf, pairsOf, type Sides } from './effect-flows.ts';
import {
  type Decider,
  isTooLarge,
  type OtherFlag,
  type PreparedSide,
  prepareSide,
  type Question,
  type Step,
  targetsOf,
} from './effect-sides.ts';

export interface Edit {
  /** Undefined: the flag is not defined, so everyone gets `control`. */
  readonly before: Targeting | undefined;
  readonly after: Targeting | undefined;
  /** Undefined before the definition is saved: then no key's bucket is known. */
  readonly seeds: Bucketing | undefined;
  readonly otherFlag: OtherFlag;
}

export interface Effect {
  /** In the order of the treatments after the edit, then removed ones; `control` last. */
  readonly shares: readonly { readonly treatment: string; readonly before: Range; readonly after: Range }[];
  /**
   * A single group contains all keys; the sizes of several are unknown. Empty if there are too many rules to compare.
   */
  readonly groups: readonly Group[];
  /** Why there are several groups: the steps with unknown conditions. */
  readonly unknowns: readonly Unknown[];
  readonly named: NamedKeys;
}

/** Percent of all keys that are not named. Exact if both are equal. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Keys that the same two steps decide about. */
export interface Group {
  readonly before: Decider;
  readonly after: Decider;
  /** Percent of the group's keys, largest first, including those that do not move. They add up to 100. */
  readonly flows: readonly Flow[];
}

export interface Unknown {
  /** `after` if the step is on both sides. */
  readonly side: 'before' | 'after';
  readonly step: Decider;
  readonly asksFor: readonly Question[];
}

/** Keys that targets and rules name individually, on either side. */
export interface NamedKeys {
  readonly count: number;
  readonly moves: readonly { readonly from: string; readonly to: string; readonly keys: number }[];
  /** Their treatment depends on unknown conditions. */
  readonly unknown: number;
  /** Too many to compare. */
  readonly notCompared: number;
}

/** Measured: at these limits an effect takes up to 15 ms. */
const maxFlows = 400;
const maxNamedKeys = 5_000;
const maxLooks = 40_000;

/** No key gets another treatment, even with the unknowns. */
export const isHarmless = ({ groups, named }: Effect): boolean =>
  groups.length > 0 &&
  groups.every(({ flows }) => movesIn(flows).length === 0) &&
  named.moves.length + named.unknown + named.notCompared === 0;

export const movesIn = (flows: readonly Flow[]): Flow[] => flows.filter(({ from, to }) => from !== to);

/**
 * The flows that can be drawn: of all keys if there is one group, otherwise of the keys that no rule with an unknown
 * condition takes, which is the last group.
 */
export const drawnFlows = ({ groups }: Effect): readonly Flow[] => groups.at(-1)?.flows ?? [];

export function effectOf(edit: Edit): Effect {
  if (isTooLarge(edit.before) || isTooLarge(edit.after)) return notKnown(edit);
  const others = { find: edit.otherFlag, prepared: new Map(), namedKeys: new Set<string>() };
  const prepared = { before: prepareSide(edit.before, others), after: prepareSide(edit.after, others) };
  const sides = { before: prepared.before.sideFor(), after: prepared.after.sideFor() };
  const groups = groupsOf(sides, edit.seeds);
  return {
    shares: namesIn(edit, groups).map((treatment) => ({
      treatment,
      before: rangeOf(groups, ({ from }) => from === treatment),
      after: rangeOf(groups, ({ to }) => to === treatment),
    })),
    groups,
    unknowns: groups.length === 0 ? [] : unknownsOf(sides),
    named: compareNamedKeys(edit, prepared, others.namedKeys),
  };
}

const anything = { min: 0, max: 100 };

const notKnown = (edit: Edit): Effect => ({
  shares: namesIn(edit, []).map((treatment) => ({ treatment, before: anything, after: anything })),
  groups: [],
  unknowns: [],
  named: { count: 0, moves: [], unknown: 0, notCompared: 0 },
});

function namesIn({ before, after }: Edit, groups: readonly Group[]): string[] {
  const defined = [after, before].flatMap((targeting) => targeting?.treatments.map(({ name }) => name) ?? []);
  const found = differentFlows(groups).flatMap((flows) => flows.flatMap(({ from, to }) => [from, to]));
  return [...new Set([...defined, ...found])];
}

function rangeOf(groups: readonly Group[], isCounted: (flow: Flow) => boolean): Range {
  if (groups.length === 0) return anything;
  const shares = differentFlows(groups).map((flows) => sum(flows.filter(isCounted).map(({ share }) => share)));
  return { min: Math.min(...shares), max: Math.max(...shares) };
}

/** Many groups have the same flows. */
const differentFlows = (groups: readonly Group[]) => [...new Set(groups.map(({ flows }) => flows))];

/** Shares are multiples of 0.01 percent, and so is their sum. */
const sum = (shares: readonly number[]): number =>
  Math.round(shares.reduce((total, share) => total + share, 0) * 100) / 100;

function unknownsOf({ before, after }: Sides): Unknown[] {
  const isAfter = (step: Step) => after.steps.some(({ condition }) => equalSets(condition, step.condition));
  const asUnknown = (side: 'before' | 'after') => (step: Step) => ({ side, step: step.decider, asksFor: step.asksFor });
  return [
    ...before.steps.filter((step) => !isAfter(step)).map(asUnknown('before')),
    ...after.steps.map(asUnknown('after')),
  ];
}

const equalSets = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((text) => other.has(text));

/** Empty if there are too many different ones. */
function groupsOf(sides: Sides, seeds: Bucketing | undefined): Group[] {
  const cells = cellsOf(sides, seeds);
  const outcomes = [sides.before, sides.after].flatMap(({ steps, rest }) => [...steps, rest]);
  const texts = outcomes.map(({ isBeforeAllocation, treatments }) => `${isBeforeAllocation} ${treatments}`);
  const numbers = new Map(outcomes.map((outcome, index) => [outcome, texts.indexOf(texts[index] ?? '')]));
  const known = new Map<string, Flow[]>();
  const groups: Group[] = [];
  for (const { before, after } of pairsOf(sides)) {
    const shares = `${numbers.get(before)} ${numbers.get(after)}`;
    const flows = known.get(shares) ?? flowsOf(sides, { before, after }, cells);
    known.set(shares, flows);
    if (known.size > maxFlows) return [];
    groups.push({ before: before.decider, after: after.decider, flows });
  }
  return groups;
}

type Prepared = Readonly<Record<'before' | 'after', PreparedSide>>;

function compareNamedKeys(edit: Edit, { before, after }: Prepared, elsewhere: ReadonlySet<string>): NamedKeys {
  const lists = {
    before: [...targetsOf(edit.before), ...before.namedKeys],
    after: [...targetsOf(edit.after), ...after.namedKeys],
  };
  const count = Math.max(sizeOf(lists.before), sizeOf(lists.after)) + elsewhere.size;
  const nothing = { count, moves: [], unknown: 0, notCompared: 0 };
  const areInRules = before.namedKeys.length + after.namedKeys.length + elsewhere.size > 0;
  if (!areInRules && areTargetsUnchanged(edit)) return nothing;
  if (count > maxNamedKeys) return { ...nothing, notCompared: count };
  const keys = new Set([...lists.before.flat(), ...lists.after.flat(), ...elsewhere]);
  return compareKeys(keys, { before, after }, edit.seeds);
}

const sizeOf = (lists: readonly (readonly string[])[]): number => lists.reduce((sum, keys) => sum + keys.length, 0);

/** Targets come before everything except a kill. */
const areTargetsUnchanged = ({ before, after }: Edit): boolean =>
  before !== undefined &&
  after !== undefined &&
  before.killed === after.killed &&
  (before.killed
    ? before.defaultTreatment === after.defaultTreatment
    : equalJson(
        before.treatments.map(({ name, keys = [] }) => ({ name, keys })),
        after.treatments.map(({ name, keys = [] }) => ({ name, keys })),
      ));

function compareKeys(keys: ReadonlySet<string>, { before, after }: Prepared, seeds: Bucketing | undefined): NamedKeys {
  const known = new Map<string, ReturnType<typeof decisionsOf>>();
  const moves = new Map<string, { from: string; to: string; keys: number }>();
  let [unknown, notCompared, looks] = [0, 0, 0];
  const flowsFor = (key: string): Flow[] => {
    looks += before.cost + after.cost;
    if (looks > maxLooks) return [];
    const signature = `${before.signatureOf(key)}\n${after.signatureOf(key)}`;
    const { sides, pairs } =
      known.get(signature) ?? decisionsOf({ before: before.sideFor(key), after: after.sideFor(key) });
    known.set(signature, { sides, pairs });
    const cells = cellsOfKey(key, sides, seeds);
    looks += pairs.length * cells.length;
    return looks > maxLooks ? [] : pairs.flatMap((pair) => flowsOf(sides, pair, cells));
  };
  for (const key of keys) {
    const flows = flowsFor(key);
    const [first] = flows;
    if (!first) notCompared += 1;
    else if (movesIn(flows).length === 0) continue;
    else if (flows.some(({ from, to }) => from !== first.from || to !== first.to)) unknown += 1;
    else {
      const way = `${first.from} ${first.to}`;
      moves.set(way, { from: first.from, to: first.to, keys: (moves.get(way)?.keys ?? 0) + 1 });
    }
  }
  const sorted = [...moves.values()].sort((one, other) => other.keys - one.keys);
  return { count: keys.size, moves: sorted, unknown, notCompared };
}

const decisionsOf = (sides: Sides) => ({ sides, pairs: pairsOf(sides) });
