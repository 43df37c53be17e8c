/** The JSON Patch from one targeting to another, as a person would write it. */

import { equalJson } from '../json.ts';
import { maxOperations, type Operation } from '../json-patch.ts';
import type { Rule, Targeting, Treatment } from './definition.ts';
import { listSteps, type Origins } from './list-steps.ts';
import type { Matcher } from './matchers.ts';
import { originsOfRules, originsOfTexts, originsOfTreatments } from './same-items.ts';

/** `patchTargeting` with the result turns a definition with the old targeting into one with the new. */
export function diffTargeting(before: Targeting, after: Targeting): Operation[] {
  const { treatments: oldTreatments, rules: oldRules, ...oldFields } = before;
  const { treatments, rules, ...fields } = after;
  const operations = [
    ...diffItems('/treatments', { before: oldTreatments, after: treatments, ...treatmentItems }),
    ...diffItems('/rules', { before: oldRules, after: rules, ...ruleItems }),
    ...diffMembers('', oldFields, fields),
  ];
  return operations.length <= maxOperations ? operations : diffMembers('', before, after);
}

interface Items<Item> {
  readonly before: readonly Item[];
  readonly after: readonly Item[];
  readonly originsOf: (before: readonly Item[], after: readonly Item[]) => Origins;
  /** The changes inside an item that is in both lists. */
  readonly diffItem: (path: string, before: Item, after: Item) => Operation[];
}

function diffItems<Item>(path: string, { before, after, originsOf, diffItem }: Items<Item>): Operation[] {
  const origins = originsOf(before, after);
  return [
    ...stepsAsOperations(path, { before, after, origins }),
    ...after.flatMap((item, index) => {
      const origin = origins[index];
      return origin === undefined ? [] : diffItem(`${path}/${index}`, before[origin] as Item, item);
    }),
  ];
}

interface Lists {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  readonly origins: Origins;
}

function stepsAsOperations(path: string, { before, after, origins }: Lists): Operation[] {
  let length = before.length;
  return listSteps(before.length, origins).map((step): Operation => {
    if (step.step === 'move') return { op: 'move', from: `${path}/${step.from}`, path: `${path}/${step.to}` };
    if (step.step === 'remove') {
      length -= 1;
      return { op: 'remove', path: `${path}/${step.at}` };
    }
    const place = step.at === length ? '-' : step.at;
    length += 1;
    return { op: 'add', path: `${path}/${place}`, value: after[step.item] };
  });
}

const treatmentItems = {
  originsOf: originsOfTreatments,
  diffItem: (path: string, before: Treatment, after: Treatment): Operation[] => {
    const { keys, segments, ...members } = before;
    const { keys: keysAfter, segments: segmentsAfter, ...membersAfter } = after;
    return [
      ...diffMembers(path, members, membersAfter),
      ...diffTexts(`${path}/keys`, keys, keysAfter),
      ...diffTexts(`${path}/segments`, segments, segmentsAfter),
    ];
  },
};

const ruleItems = {
  originsOf: originsOfRules,
  diffItem: (path: string, before: Rule, after: Rule): Operation[] => [
    ...diffMembers(path, { name: before.name, buckets: before.buckets }, { name: after.name, buckets: after.buckets }),
    ...diffMatchers(`${path}/condition/matchers`, before.condition.matchers, after.condition.matchers),
  ],
};

/** Matchers are short, except for their lists of texts. */
function diffMatchers(path: string, before: readonly Matcher[], after: readonly Matcher[]): Operation[] {
  if (before.length !== after.length) return [{ op: 'replace', path, value: after }];
  return after.flatMap((matcher, index) => {
    const { strings: stringsBefore, ...old } = before[index] as Matcher;
    const { strings, ...rest } = matcher;
    if (equalJson(old, rest)) return diffTexts(`${path}/${index}/strings`, stringsBefore, strings);
    return [{ op: 'replace', path: `${path}/${index}`, value: matcher }];
  });
}

/** Beyond this, the whole new list is easier to read. */
const maxSteps = 20;

function diffTexts(path: string, before: readonly string[] = [], after: readonly string[] = []): Operation[] {
  if (before.length === 0 || after.length === 0) return diffValue(path, emptyIsAbsent(before), emptyIsAbsent(after));
  const operations = stepsAsOperations(path, { before, after, origins: originsOfTexts(before, after) });
  if (operations.length <= maxSteps) return operations;
  return [{ op: 'replace', path, value: after }];
}

const emptyIsAbsent = (texts: readonly string[]) => (texts.length === 0 ? undefined : texts);

function diffMembers(path: string, before: object, after: object): Operation[] {
  const old = before as Record<string, unknown>;
  const fresh = after as Record<string, unknown>;
  return Object.keys({ ...old, ...fresh }).flatMap((name) => diffValue(`${path}/${name}`, old[name], fresh[name]));
}

function diffValue(path: string, before: unknown, after: unknown): Operation[] {
  if (equalJson(before, after)) return [];
  if (after === undefined) return [{ op: 'remove', path }];
  return [{ op: before === undefined ? 'add' : 'replace', path, value: after }];
}
