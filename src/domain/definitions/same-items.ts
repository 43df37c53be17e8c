/** Matches keys, treatments and rules of two definitions, even if they changed or moved. */

import { canonicalText, equalJson } from '../json.ts';
import type { Rule, Treatment } from './definition.ts';
import type { Origins } from './list-steps.ts';

/** Texts match if they are equal. */
export const originsOfTexts = (before: readonly string[], after: readonly string[]): Origins =>
  takeEqual(before, after);

/** Treatments match by name; one with another name but equal otherwise was renamed. */
export function originsOfTreatments(before: readonly Treatment[], after: readonly Treatment[]): Origins {
  const byName = takeEqual(
    before.map(({ name }) => name),
    after.map(({ name }) => name),
  );
  const score = (old: Treatment, fresh: Treatment) => (equalJson({ ...old, name: '' }, { ...fresh, name: '' }) ? 1 : 0);
  return pairRest(byName, { before, after, score });
}

/** Rules have no name: equal ones match first, then the most similar ones. */
export function originsOfRules(before: readonly Rule[], after: readonly Rule[]): Origins {
  const equal = takeEqual(before.map(canonicalText), after.map(canonicalText));
  return pairRest(equal, { before, after, score: likeness });
}

/** How similar two rules are; 0 if they have nothing in common except their place. */
function likeness(old: Rule, fresh: Rule): number {
  const matchers = new Set(old.condition.matchers.map(canonicalText));
  const shared = fresh.condition.matchers.filter((matcher) => matchers.has(canonicalText(matcher))).length;
  const asked = new Set(old.condition.matchers.map(({ type, attribute = '' }) => `${type} ${attribute}`));
  const related = fresh.condition.matchers.filter(({ type, attribute = '' }) => asked.has(`${type} ${attribute}`));
  // Rules of segments have no shares.
  const hasSameShares = old.buckets.length > 0 && equalJson(old.buckets, fresh.buckets);
  return 4 * shared + 2 * related.length + (hasSameShares ? 1 : 0);
}

/** Each item of the new list takes the first equal, unused one of the old list. */
function takeEqual(before: readonly string[], after: readonly string[]): Origins {
  const places = Map.groupBy(
    before.map((_, place) => place),
    (place) => before[place] as string,
  );
  return after.map((text) => places.get(text)?.shift());
}

interface Lists<Item> {
  readonly before: readonly Item[];
  readonly after: readonly Item[];
  readonly score: (old: Item, fresh: Item) => number;
}

/** Beyond this many comparisons, which no manual edit needs, unequal items count as new. */
const maxComparisons = 40_000;

/** Pairs the remaining items: best score first, then nearest; a score of 0 does not pair. */
function pairRest<Item>(origins: Origins, { before, after, score }: Lists<Item>): Origins {
  const taken = new Set(origins);
  const leftOver = before.flatMap((old, place) => (taken.has(place) ? [] : [{ old, place }]));
  const fresh = origins.filter((origin) => origin === undefined).length;
  if (fresh * leftOver.length > maxComparisons) return origins;
  const candidates = after
    .flatMap((now, item) =>
      origins[item] === undefined
        ? leftOver.map(({ old, place }) => ({ item, place, score: score(old, now), way: Math.abs(item - place) }))
        : [],
    )
    .filter((candidate) => candidate.score > 0)
    .sort((one, other) => other.score - one.score || one.way - other.way);
  const found = new Map<number, number>();
  for (const { item, place } of candidates) {
    if (found.has(item) || taken.has(place)) continue;
    found.set(item, place);
    taken.add(place);
  }
  return origins.map((origin, item) => origin ?? found.get(item));
}
