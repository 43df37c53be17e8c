/** Merges rules that two people changed: first each rule, then their order. */

import { equalJson } from '../json.ts';
import type { Rule } from './definition.ts';
import type { Conflict, Difference, PlacedRule } from './differences.ts';
import { movedItems, type Origins } from './list-steps.ts';
import { originsOfRules } from './same-items.ts';

/**
 * If both changed a rule in different ways, mine is kept. New rules stay after the rule that they were inserted after.
 */
export function mergeRules(
  base: readonly Rule[],
  theirs: readonly Rule[],
  mine: readonly Rule[],
): { readonly rules: Rule[]; readonly conflicts: Conflict[] } {
  const theirOrigins = originsOfRules(base, theirs);
  const myOrigins = originsOfRules(base, mine);
  const fates = base.map((rule, at) =>
    fateOf({ at, rule }, placedIn(theirs, theirOrigins, at), placedIn(mine, myOrigins, at)),
  );
  const ofBase = (origin: number | undefined, rule: Rule) => (origin === undefined ? rule : fates[origin]?.rule);
  const theirList = theirs.map((rule, at) => ({ origin: theirOrigins[at], rule: ofBase(theirOrigins[at], rule) }));
  const myList = mine.map((rule, at) => ({ origin: myOrigins[at], rule: ofBase(myOrigins[at], rule) }));
  const iMoved = movedItems(myOrigins).size > 0;
  const rules = iMoved ? interleave(myList, theirList) : interleave(theirList, myList);
  return { rules, conflicts: fates.flatMap(({ conflict }) => conflict ?? []) };
}

interface Fate {
  /** Undefined if the rule was removed. */
  readonly rule: Rule | undefined;
  readonly conflict?: Conflict;
}

function fateOf(base: PlacedRule, theirs: PlacedRule | undefined, mine: PlacedRule | undefined): Fate {
  if (theirs && equalJson(theirs.rule, base.rule)) return { rule: mine?.rule };
  if ((mine && equalJson(mine.rule, base.rule)) || equalJson(mine?.rule, theirs?.rule)) return { rule: theirs?.rule };
  const from = (after: PlacedRule | undefined): Difference => ({ kind: 'rule', before: base, after, isMoved: false });
  return { rule: mine?.rule, conflict: { theirs: from(theirs), mine: from(mine) } };
}

function placedIn(rules: readonly Rule[], origins: Origins, origin: number): PlacedRule | undefined {
  const at = origins.indexOf(origin);
  return at < 0 ? undefined : { at, rule: rules[at] as Rule };
}

interface Item {
  /** Its index in the common base, unless it is new. */
  readonly origin: number | undefined;
  /** The result; undefined if it is removed. */
  readonly rule: Rule | undefined;
}

/** The first list, with items that only the second has inserted after the items that they follow there. */
function interleave(first: readonly Item[], second: readonly Item[]): Rule[] {
  const result = first.filter(({ rule }) => rule !== undefined);
  const met = new Set<Item>();
  let at = 0;
  for (const item of second) {
    if (item.rule === undefined) continue;
    const same = result.find((other) => !met.has(other) && isSame(other, item));
    if (!same) result.splice(at, 0, item);
    met.add(same ?? item);
    at = result.indexOf(same ?? item) + 1;
  }
  return result.map(({ rule }) => rule as Rule);
}

/** New rules are the same if they are equal; a new rule that equals an old one is kept. */
const isSame = (one: Item, other: Item): boolean =>
  one.origin === other.origin && (one.origin !== undefined || equalJson(one.rule, other.rule));
