/**
 * Applies differences to a targeting. Applied to the targeting that they start from, all of them together give the
 * other; applied to a third one, each is placed as well as possible.
 */

import { equalJson } from '../json.ts';
import { type Rule, type Targeting, type Treatment, withFlagSets } from './definition.ts';
import { type Difference, type PlacedRule, renameTreatments } from './differences.ts';
import { removeTreatment, setKeys, setSegments } from './edit-treatments.ts';

type Of<Kind extends Difference['kind']> = Extract<Difference, { kind: Kind }>;

/** Treatments are added first, since other parts refer to them, and removed last. */
const order: readonly Difference['kind'][] = ['treatment', 'treatmentOrder', 'keys', 'segments'];
const placeInOrder = ({ kind }: Difference): number => (order.includes(kind) ? order.indexOf(kind) : order.length);
const isRemoval = (difference: Difference): boolean => difference.kind === 'treatment' && !difference.after;

export function applyDifferences(targeting: Targeting, differences: readonly Difference[]): Targeting {
  const others = differences.filter((difference) => difference.kind !== 'rule' && !isRemoval(difference));
  const rules = differences.filter((difference) => difference.kind === 'rule');
  const sorted = others.toSorted((one, other) => placeInOrder(one) - placeInOrder(other));
  const changed = applyRules(sorted.reduce(applyOne, targeting), rules);
  return differences.filter(isRemoval).reduce(applyOne, changed);
}

function applyOne(targeting: Targeting, difference: Difference): Targeting {
  if (difference.kind === 'treatment') return applyTreatment(targeting, difference);
  if (difference.kind === 'treatmentOrder') return { ...targeting, treatments: inOrder(targeting, difference.after) };
  if (difference.kind === 'keys') return applyKeys(targeting, difference);
  if (difference.kind === 'segments') return applySegments(targeting, difference);
  if (difference.kind === 'flagSets') return withFlagSets(targeting, difference.after);
  const member = difference.kind === 'other' ? difference.member : difference.kind;
  return { ...targeting, [member]: difference.after };
}

function applyTreatment(targeting: Targeting, { before, after }: Of<'treatment'>): Targeting {
  if (!after) return before ? removeTreatment(targeting, before.name) : targeting;
  const isThere = (name: string) => targeting.treatments.some((treatment) => treatment.name === name);
  const old = before && isThere(before.name) ? before.name : after.name;
  if (!isThere(old)) {
    const others = withoutKeys(targeting, after.keys ?? []);
    return { ...others, treatments: [...others.treatments, after] };
  }
  const renamed = isThere(after.name) ? targeting : renameTreatments(targeting, new Map([[old, after.name]]));
  return {
    ...renamed,
    treatments: renamed.treatments.map((treatment) =>
      treatment.name === after.name ? withTargetsOf(after, treatment) : treatment,
    ),
  };
}

function withTargetsOf({ keys: _, segments: __, ...text }: Treatment, { keys, segments }: Treatment): Treatment {
  return { ...text, ...(keys ? { keys } : {}), ...(segments ? { segments } : {}) };
}

const inOrder = ({ treatments }: Targeting, names: readonly string[]): Treatment[] => {
  const place = ({ name }: Treatment) => (names.includes(name) ? names.indexOf(name) : names.length);
  return treatments.toSorted((one, other) => place(one) - place(other));
};

/** A key has only one treatment; the last one wins. */
function applyKeys(targeting: Targeting, difference: Of<'keys' | 'segments'>): Targeting {
  const keys = applyList(treatmentOf(targeting, difference)?.keys ?? [], difference);
  const added = difference.after.filter((key) => !difference.before.includes(key));
  return setKeys(withoutKeys(targeting, added), difference.treatment, keys);
}

function withoutKeys(targeting: Targeting, keys: readonly string[]): Targeting {
  const gone = new Set(keys);
  return targeting.treatments.reduce((next, { name, keys: before = [] }) => {
    const left = before.filter((key) => !gone.has(key));
    return left.length === before.length ? next : setKeys(next, name, left);
  }, targeting);
}

const applySegments = (targeting: Targeting, difference: Of<'keys' | 'segments'>): Targeting =>
  setSegments(
    targeting,
    difference.treatment,
    applyList(treatmentOf(targeting, difference)?.segments ?? [], difference),
  );

const treatmentOf = ({ treatments }: Targeting, { treatment }: Of<'keys' | 'segments'>) =>
  treatments.find(({ name }) => name === treatment);

/** Applies additions and removals, keeping others' changes to the list; uses the new order if there are none. */
function applyList(list: readonly string[], { before, after }: Of<'keys' | 'segments'>): readonly string[] {
  const old = new Set(before);
  const fresh = new Set(after);
  const stays = new Set(list.filter((text) => fresh.has(text) || !old.has(text)));
  const next = [...stays, ...after.filter((text) => !old.has(text) && !stays.has(text))];
  return next.length === fresh.size && next.every((text) => fresh.has(text)) ? after : next;
}

/** Rules that neither move nor disappear keep their order; the others are inserted from the top. */
function applyRules(targeting: Targeting, differences: readonly Of<'rule'>[]): Targeting {
  const rules: (Rule | undefined)[] = [...targeting.rules];
  const placed: PlacedRule[] = [];
  for (const { before, after, isMoved } of differences) {
    const at = before ? placeOf(before, rules) : -1;
    if (at >= 0) rules[at] = after && !isMoved ? after.rule : undefined;
    if (after && (at < 0 || isMoved)) placed.push(after);
  }
  const result = rules.filter((rule) => rule !== undefined);
  for (const { at, rule } of placed.sort((one, other) => one.at - other.at)) result.splice(at, 0, rule);
  return differences.length === 0 ? targeting : { ...targeting, rules: result };
}

/** The equal rule nearest to its old place. */
function placeOf({ at, rule }: PlacedRule, rules: readonly (Rule | undefined)[]): number {
  const places = rules.flatMap((other, place) => (other && equalJson(other, rule) ? [place] : []));
  return places.sort((one, other) => Math.abs(one - at) - Math.abs(other - at))[0] ?? -1;
}
