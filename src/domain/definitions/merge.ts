/** Merges two people's changes to one definition, and finds the conflicts that a person must decide. */

import { equalJson } from '../json.ts';
import { applyDifferences } from './apply.ts';
import type { Bucket, Rule, Targeting, Treatment } from './definition.ts';
import {
  type Conflict,
  type Difference,
  differencesBetween,
  type PlacedRule,
  renamesBetween,
  renameTreatments,
} from './differences.ts';
import { mergeRules } from './merge-rules.ts';
import { withMissing } from './missing-treatments.ts';
import { originsOfRules, originsOfTexts } from './same-items.ts';

export interface Versions {
  /** The version that both started from. */
  readonly base: Targeting;
  readonly theirs: Targeting;
  readonly mine: Targeting;
}

export interface Merged {
  /** In a conflict, mine is kept until someone chooses: `takeTheirs` or `keepMine`. */
  readonly targeting: Targeting;
  readonly conflicts: readonly Conflict[];
}

export function mergeTargetings(versions: Versions): Merged {
  const { base, theirs, mine } = withSameNames(versions);
  const theirDifferences = differencesByName(base, theirs);
  const myDifferences = differencesByName(base, mine);
  const onlyTheyUse = removedButUsed(myDifferences, theirDifferences);
  const onlyIUse = removedButUsed(theirDifferences, myDifferences);
  const conflicts = myDifferences.filter(isNoRule).flatMap((difference) => {
    const other = theirDifferences.find((candidate) => isSameStep(candidate, difference));
    return other && !equalJson(other.after, difference.after) ? [{ theirs: other, mine: difference }] : [];
  });
  const treatmentConflicts = [...onlyTheyUse, ...onlyIUse].map((treatment) => ({
    theirs: treatmentDifference(treatment, theirs),
    mine: treatmentDifference(treatment, mine),
  }));
  const { rules, conflicts: ruleConflicts } = mergeRules(base.rules, theirs.rules, mine.rules);
  const applied = myDifferences.filter((difference) => isNoRule(difference) && !isRemovalOf(difference, onlyTheyUse));
  return {
    targeting: { ...applyDifferences(withTreatments(theirs, onlyIUse, base), applied), rules },
    conflicts: [
      ...conflicts,
      ...ruleConflicts,
      ...treatmentConflicts.filter(({ theirs: gone }) => isNew(gone, conflicts)),
    ],
  };
}

/** The draft now starts from what they saved. A treatment that theirs needs and nobody has any more is restored. */
export function takeTheirs(targeting: Targeting, { theirs, mine }: Conflict, saved: Targeting): Targeting {
  const before = (mine.kind === 'rule' && mine.after && ruleNow(mine.after, targeting, saved)) || mine.after;
  return withMissing(applyDifferences(targeting, [{ ...theirs, before, isMoved: false } as Difference]));
}

/** My rule, which may have been edited since: the most similar one among those that differ from the saved ones. */
function ruleNow({ rule }: PlacedRule, { rules }: Targeting, saved: Targeting): PlacedRule | undefined {
  const isSaved = (one: Rule) => saved.rules.some((other) => equalJson(other, one));
  const edited = rules.flatMap((one, at) => (isSaved(one) ? [] : [{ at, rule: one }]));
  const origins = originsOfRules(
    [rule],
    edited.map((placed) => placed.rule),
  );
  return edited[origins.indexOf(0)];
}

/** Mine is already in place, except for a treatment that they need and I removed. */
export const keepMine = (targeting: Targeting, { mine }: Conflict): Targeting =>
  mine.kind === 'treatment' && !mine.after ? applyDifferences(targeting, [mine]) : targeting;

const isNoRule = ({ kind }: Difference): boolean => kind !== 'rule';

/** Key lists are sets, and the order of treatments has no effect, so both changes can be applied. */
export function isSameStep(one: Difference, other: Difference): boolean {
  if (one.kind !== other.kind || ['keys', 'segments', 'treatmentOrder'].includes(one.kind)) return false;
  if (one.kind === 'treatment' && other.kind === 'treatment') return nameIn(one) === nameIn(other);
  return one.kind !== 'other' || other.kind !== 'other' || one.member === other.member;
}

const nameIn = ({ before, after }: Extract<Difference, { kind: 'treatment' }>) => before?.name ?? after?.name;

/**
 * A treatment renamed by one side gets the new name in all three versions, so that the rest can be compared, unless the
 * other side gave that name to another treatment.
 */
function withSameNames({ base, theirs, mine }: Versions): Versions {
  const theirNames = renamesBetween(base, theirs);
  const myNames = renamesBetween(base, mine);
  const isFree = (old: string, name: string) =>
    (theirNames.get(old) === name || !namesOf(theirs).includes(name)) &&
    (myNames.get(old) === name || !namesOf(mine).includes(name));
  const agreed = new Map([...theirNames, ...myNames].filter(([old, name]) => isFree(old, name)));
  const fromTheirs = new Map([...agreed].map(([old, name]) => [theirNames.get(old) ?? old, name]));
  const fromMine = new Map([...agreed].map(([old, name]) => [myNames.get(old) ?? old, name]));
  return {
    base: renameTreatments(base, agreed),
    theirs: renameTreatments(theirs, fromTheirs),
    mine: renameTreatments(mine, fromMine),
  };
}

/** After that, a different name means a different treatment. */
const differencesByName = (before: Targeting, after: Targeting): Difference[] =>
  differencesBetween(before, after, originsOfTexts(namesOf(before), namesOf(after)));

const namesOf = ({ treatments }: Targeting): string[] => treatments.map(({ name }) => name);

/** Treatments that one side removed while the other used them: they stay, as a conflict. */
const removedButUsed = (differences: readonly Difference[], others: readonly Difference[]): Treatment[] =>
  differences.flatMap((difference) => {
    const gone = difference.kind === 'treatment' && !difference.after ? difference.before : undefined;
    return gone && others.some((other) => isUseOf(other, gone.name)) ? [gone] : [];
  });

function isUseOf(difference: Difference, name: string): boolean {
  const has = (buckets: readonly Bucket[] = []) => buckets.some(({ treatment }) => treatment === name);
  if (difference.kind === 'keys' || difference.kind === 'segments') return difference.treatment === name;
  if (difference.kind === 'treatment') return difference.after?.name === name;
  if (difference.kind === 'defaultRule') return has(difference.after);
  if (difference.kind === 'rule') {
    return has(difference.after?.rule.buckets) && !equalJson(difference.before?.rule, difference.after?.rule);
  }
  return (
    (difference.kind === 'defaultTreatment' || difference.kind === 'baselineTreatment') && difference.after === name
  );
}

const treatmentDifference = (before: Treatment, { treatments }: Targeting): Difference => ({
  kind: 'treatment',
  before,
  after: treatments.find(({ name }) => name === before.name),
});

const isRemovalOf = (difference: Difference, treatments: readonly Treatment[]): boolean =>
  difference.kind === 'treatment' && !difference.after && treatments.some((one) => equalJson(one, difference.before));

/** In their old places, without keys that another treatment has by now. */
function withTreatments(targeting: Targeting, added: readonly Treatment[], { treatments }: Targeting): Targeting {
  const taken = new Set(targeting.treatments.flatMap(({ keys = [] }) => keys));
  const next = [...targeting.treatments];
  for (const { keys = [], ...treatment } of added) {
    const left = keys.filter((key) => !taken.has(key));
    const at = treatments.findIndex(({ name }) => name === treatment.name);
    next.splice(at, 0, left.length === 0 ? treatment : { ...treatment, keys: left });
  }
  return { ...targeting, treatments: next };
}

const isNew = (difference: Difference, conflicts: readonly Conflict[]): boolean =>
  !conflicts.some(({ theirs }) => isSameStep(theirs, difference));
