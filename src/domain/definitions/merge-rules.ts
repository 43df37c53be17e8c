/** Rules that two people changed: each rule for itself, then their order. */

import { equalJson } from '../json.ts';
import type { Rule } from './definition.ts';
import type { Conflict, Difference, PlacedRule } from './differences.ts';
import { movedItems, type Origins } from './list-steps.ts';
import { originsOfRules } from './same-items.ts';

/** Where both changed a rule in different ways, mine stands. New rules stay behind the rule that they were put behind. */
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
  /** Undefined when the rule is gone. */
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
  /** Its place in the list that both started from, if it is not new. */
  readonly origin: number | undefined;
  /** What becomes of it; undefined when it goes. */
  readonly rule: Rule | undefined;
}

/** The first list as it is, with what only the second has, each behind the one that it follows there. */
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

/** New rules are the same when they are equal; to an old one a new rule may be equal, and comes all the same. */
const isSame = (one: Item, other: Item): boolean =>
  one.origin === other.origin && (one.origin !== undefined || equalJson(one.rule, other.rule));
