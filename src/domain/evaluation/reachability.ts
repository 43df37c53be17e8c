/**
 * Finds rules that no key can ever reach, and why. What it says is proven for every key, every attribute, any content of
 * segments and any regular expression; see `cases.ts`. Time is bounded: what takes too long counts as reachable.
 */
import type { Targeting } from '../definitions/definition.ts';
import type { Matcher } from '../definitions/matchers.ts';
import { canonicalText } from '../json.ts';
import { type Case, casesOf, familyOf, type Topic } from './cases.ts';

/** The treatments that another flag can give. Undefined: unknown. */
export type TreatmentsOf = (flag: string) => ReadonlySet<string> | undefined;

/** Something that matchers look at, and the cases that are still possible. */
export interface Possible {
  readonly topic: Topic;
  readonly cases: readonly Case[];
}

/** Keys that meet some conditions and not others. */
export type Region = readonly Possible[];

/** A matcher, by where its result is. */
interface Literal {
  readonly place: number;
  readonly number: number;
  readonly negate: boolean;
}
type Conjunction = readonly Literal[];

/** A step that takes keys, in order: segments that are targeted, rules, and everyone else. */
export interface ReachStep {
  /** Undefined: a targeted segment. The number of rules: everyone else. */
  readonly rule: number | undefined;
  readonly condition: Conjunction;
}

export interface Steps {
  readonly everyone: Region;
  /** Of all keys, or only of those that are not targeted individually. */
  readonly untargeted: Region;
  readonly steps: readonly ReachStep[];
  /** The conditions of the matchers of others, in the same region. */
  readonly conditionOf: (matchers: readonly Matcher[]) => Conjunction;
  readonly budget: Budget;
}

/** How many more cases may be looked at. */
export interface Budget {
  left: number;
}

/** Measured: 10 ms. */
export const newBudget = (): Budget => ({ left: 250_000 });

/** Of one definition. With more, nothing is looked at. */
const maxMatchers = 400;

/** For each rule, and finally for everyone else: why it is never reached; undefined if it may be. */
export function whyNeverReached(targeting: Targeting): readonly (string | undefined)[] {
  const known = reasons.get(targeting) ?? reasonsOf(targeting, stepsOf([targeting]));
  reasons.set(targeting, known);
  return known;
}

/** Pages ask at every rendering. */
const reasons = new WeakMap<Targeting, readonly (string | undefined)[]>();

export function reasonsOf({ rules, trafficAllocation }: Targeting, all: Steps): readonly (string | undefined)[] {
  const own = all.steps.slice(0, all.steps.findIndex(({ rule }) => rule === rules.length) + 1);
  return own.flatMap((step, index) => {
    if (step.rule === undefined) return [];
    if (trafficAllocation === 0) return ['the traffic allocation lets nobody through'];
    if (all.budget.left < 0) return [undefined];
    return [whyNever(all, step, own.slice(0, index), rules.length)];
  });
}

function whyNever(all: Steps, step: ReachStep, earlier: readonly ReachStep[], last: number): string | undefined {
  const found = (region: Region, without: readonly ReachStep[]) =>
    regionOf(all, region, { within: [step.condition], without: without.map(({ condition }) => condition) });
  if (found(all.untargeted, earlier) !== 'none') return undefined;
  if (found(all.everyone, []) === 'none') return contradictionIn(all, step);
  if (found(all.untargeted, []) === 'none') return 'all of these keys are targeted individually';
  const covering = earlier.find((other) => found(all.untargeted, [other]) === 'none');
  const takeAll = (some: readonly ReachStep[]) =>
    step.rule === last ||
    regionOf(all, all.untargeted, { within: [], without: some.map(({ condition }) => condition) }) === 'none';
  if (!covering) return `the rules before it already take ${takeAll(earlier) ? 'everyone' : 'all of these'}`;
  if (covering.rule !== undefined)
    return `rule ${covering.rule + 1} already takes ${takeAll([covering]) ? 'everyone' : 'all of these'}`;
  return 'everyone in its segment is targeted individually';
}

/** One condition that never holds, or several that never hold together. */
function contradictionIn({ everyone }: Steps, { condition }: ReachStep): string {
  const alone = condition.find(
    ({ place, number, negate }) => !everyone[place]?.cases.some(({ holds }) => holds[number] !== negate),
  );
  const topic = alone && everyone[alone.place]?.topic;
  if (topic?.kind === 'flag') return `its condition on the flag ${topic.name} never holds`;
  if (topic?.kind === 'attribute') return `its condition on ${topic.name} never holds`;
  return 'its conditions contradict each other';
}

/** Of one definition, or of several that are compared with each other. The first one's come first. */
export function stepsOf(
  targetings: readonly Targeting[],
  treatmentsOf: TreatmentsOf = () => undefined,
  budget: Budget = newBudget(),
): Steps {
  const matchers = targetings.flatMap(({ treatments, rules }) => [
    ...treatments.flatMap(({ segments = [] }) => segments.map(inSegment)),
    ...rules.flatMap(({ condition }) => condition.matchers),
  ]);
  if (matchers.length > maxMatchers) {
    budget.left = -1;
    const steps = targetings.flatMap(({ rules }) => [...rules, undefined].map((_, rule) => ({ rule, condition: [] })));
    return { everyone: [], untargeted: [], steps, conditionOf: () => [], budget };
  }
  const otherThan = new Set(targetings.flatMap(({ treatments }) => treatments.flatMap(({ keys = [] }) => keys)));
  const { topics, literalOf, keyMatchers } = topicsOf(matchers, treatmentsOf);
  const conditionOf = (some: readonly Matcher[]) => some.map(literalOf);
  return {
    everyone: topics,
    untargeted: topics.map(({ topic, cases }) => ({
      topic,
      cases: topic.kind === 'key' ? (casesOf(topic, keyMatchers, { otherThan }) ?? cases) : cases,
    })),
    steps: targetings.flatMap(({ treatments, rules }) => [
      ...treatments.flatMap(({ segments = [] }) =>
        segments.map((segment) => ({ rule: undefined, condition: conditionOf([inSegment(segment)]) })),
      ),
      ...rules.map(({ condition }, rule) => ({ rule, condition: conditionOf(condition.matchers) })),
      { rule: rules.length, condition: [] },
    ]),
    conditionOf,
    budget,
  };
}

const inSegment = (segment: string): Matcher => ({ type: 'IN_SEGMENT', string: segment });

function topicsOf(matchers: readonly Matcher[], treatmentsOf: TreatmentsOf) {
  const grouped = new Map<string, { topic: Topic; matchers: Map<string, Matcher> }>();
  for (const matcher of matchers) {
    const { name, topic } = topicOf(matcher);
    const group = grouped.get(name) ?? { topic, matchers: new Map<string, Matcher>() };
    grouped.set(name, group);
    group.matchers.set(textOf(matcher), matcher);
  }
  const topics: Possible[] = [];
  const places = new Map<string, Omit<Literal, 'negate'>>();
  for (const { topic, matchers: own } of grouped.values()) {
    const treatments = topic.kind === 'flag' ? treatmentsOf(topic.name) : undefined;
    const cases = casesOf(topic, [...own.values()], { treatments });
    for (const [number, text] of [...own.keys()].entries()) {
      if (!cases) places.set(text, { place: topics.push(either) - 1, number: 0 });
      else places.set(text, { place: topics.length, number });
    }
    if (cases) topics.push({ topic, cases });
  }
  const literalOf = (matcher: Matcher): Literal => {
    const found = places.get(textOf(matcher));
    if (!found) throw new Error('a matcher of another definition');
    return { ...found, negate: matcher.negate ?? false };
  };
  return { topics, literalOf, keyMatchers: [...(grouped.get('key')?.matchers.values() ?? [])] };
}

const either: Possible = { topic: { kind: 'large' }, cases: casesOf({ kind: 'large' }, []) ?? [] };

/** Equal for matchers that always agree, or never. */
function textOf(one: Matcher): string {
  const { negate: _, ...matcher } = one;
  const text = texts.get(one) ?? canonicalText(matcher);
  texts.set(one, text);
  return text;
}
const texts = new WeakMap<Matcher, string>();

function topicOf(matcher: Matcher): { name: string; topic: Topic } {
  const { attribute, string = '', depends } = matcher;
  const family = familyOf(matcher);
  switch (family) {
    case 'segment':
      return { name: `segment ${string}`, topic: { kind: 'segment', name: string } };
    case 'flag':
      return { name: `flag ${depends?.splitName}`, topic: { kind: 'flag', name: depends?.splitName ?? '' } };
    case 'pattern':
      return { name: textOf(matcher), topic: { kind: 'pattern', attribute, pattern: string } };
    default:
      return attribute === undefined
        ? { name: 'key', topic: { kind: 'key' } }
        : { name: `${family} ${attribute}`, topic: { kind: 'attribute', name: attribute } };
  }
}

interface Bounds {
  readonly within: readonly Conjunction[];
  readonly without: readonly Conjunction[];
}

/** Those of a region that meet some conditions and not others; one possible way to do so. */
export function regionOf(
  { budget }: Steps,
  region: Region,
  { within, without }: Bounds,
): Region | 'none' | 'not known' {
  budget.left -= within.length + without.length + region.length;
  if (budget.left < 0) return 'not known';
  // Narrowed step by step, and taken back where that leads nowhere.
  const left = region.map(({ cases }) => cases);
  if (!within.flat().every(narrow)) return 'none';
  // Those with fewer ways to fail come first.
  const conditions = without.toSorted((one, other) => one.length - other.length);
  const isFound = avoidFrom(0);
  if (budget.left < 0) return 'not known';
  return isFound ? region.map((one, place) => ({ topic: one.topic, cases: left[place] ?? one.cases })) : 'none';

  function avoidFrom(index: number): boolean {
    const condition = conditions[index];
    if (!condition || budget.left < 0) return true;
    for (const literal of condition) {
      const before = left[literal.place] ?? [];
      if (narrow({ ...literal, negate: !literal.negate }) && avoidFrom(index + 1)) return true;
      left[literal.place] = before;
    }
    return false;
  }

  function narrow(literal: Literal): boolean {
    const cases = left[literal.place] ?? [];
    budget.left -= cases.length + 1;
    const rest = cases.filter(({ holds }) => holds[literal.number] !== literal.negate);
    left[literal.place] = rest;
    return rest.length > 0;
  }
}
