/** One side of an edit, as far as a definition tells: which steps a key may pass, in order, and what each would give it. */

import { treatmentAt } from '../bucketing.ts';
import type { Bucket, Targeting } from '../definitions/definition.ts';
import type { Matcher } from '../definitions/matchers.ts';
import { canonicalText } from '../json.ts';
import { testOf } from './match.ts';

/** A flag in the same environment. Undefined: not known. */
export type OtherFlag = (name: string) => Targeting | 'notDefined' | undefined;

/** `rest`: everyone else, or everyone where the flag is killed or not defined. */
export type Decider =
  | { readonly kind: 'rule'; readonly index: number }
  | { readonly kind: 'segment'; readonly segment: string; readonly treatment: string }
  | { readonly kind: 'rest' };

export type Question =
  | { readonly kind: 'attribute' | 'segment' | 'flag'; readonly name: string }
  /** What the key looks like. */
  | { readonly kind: 'key' };

export interface Outcome {
  readonly decider: Decider;
  /** By bucket: the first is that of bucket 1. */
  readonly treatments: readonly string[];
  /** Decides before the traffic allocation does. */
  readonly isBeforeAllocation: boolean;
}

export interface Step extends Outcome {
  /** One text for each matcher whose verdict is not known. The step decides where all hold. */
  readonly condition: ReadonlySet<string>;
  readonly asksFor: readonly Question[];
}

export interface Side {
  /** Whoever meets the condition of one never reaches another with the same condition: there is none. */
  readonly steps: readonly Step[];
  readonly rest: Outcome;
  readonly allocation: number;
  /** What those get who are outside of the allocation. */
  readonly left: string;
}

/** What follows from the definition alone is done once, so that many keys can be compared quickly. */
export interface PreparedSide {
  /** For a key that is named one by one, or for all keys that are not. */
  readonly sideFor: (key?: string) => Side;
  /** Keys with equal texts have equal sides. */
  readonly signatureOf: (key: string) => string;
  /** In its rules. A key may come several times. */
  readonly namedKeys: readonly (readonly string[])[];
  /** How many texts a key is held against. */
  readonly cost: number;
}

/** Rules and targeted segments. Of a definition with more of them nothing is told, unless it is killed. */
const maxSteps = 100;

export const isTooLarge = (targeting: Targeting | undefined): boolean =>
  targeting !== undefined &&
  !targeting.killed &&
  targeting.rules.length + targeting.treatments.reduce((sum, one) => sum + (one.segments?.length ?? 0), 0) > maxSteps;

const control = 'control';
const buckets = Array.from({ length: 100 }, (_, index) => index + 1);

/** The other flags that rules ask for, each prepared once. */
export interface OtherFlags {
  readonly find: OtherFlag;
  /** Undefined: it is being prepared. Asking for it is asking in a circle. */
  readonly prepared: Map<string, PreparedSide | undefined>;
  /** The keys that they name. */
  readonly namedKeys: Set<string>;
}

const maxOtherFlags = 200;

export function prepareSide(targeting: Targeting | undefined, others: OtherFlags): PreparedSide {
  if (!targeting || targeting.killed) {
    const side = sure(targeting?.defaultTreatment ?? control);
    return { sideFor: () => side, signatureOf: () => '', namedKeys: [], cost: 0 };
  }
  const { treatments, rules, defaultTreatment: left, trafficAllocation: allocation, defaultRule } = targeting;
  // Made when the first named key is looked at: it can be a hundred thousand keys.
  let byKey: ReadonlyMap<string, string> | undefined;
  const targetOf = (key: string) => {
    byKey ??= new Map(treatments.flatMap(({ name, keys = [] }) => keys.map((one) => [one, name])));
    return byKey.get(key);
  };
  const shared = (shares: readonly Bucket[], decider: Decider): Outcome => ({
    decider,
    treatments: buckets.map((bucket) => treatmentAt(shares, bucket) ?? left),
    isBeforeAllocation: false,
  });
  const segments = treatments.flatMap(({ name: treatment, segments: own = [] }) =>
    own.map((segment) => ({
      ...always(treatment, { kind: 'segment', segment, treatment }),
      matchers: [prepareMatcher({ type: 'IN_SEGMENT', string: segment }, others)],
    })),
  );
  const steps = [
    ...segments,
    ...rules.map((rule, index) => ({
      ...shared(rule.buckets, { kind: 'rule', index }),
      matchers: rule.condition.matchers.map((matcher) => prepareMatcher(matcher, others)),
    })),
  ];
  const rest = shared(defaultRule, { kind: 'rest' });
  return {
    sideFor: (key) => {
      const target = key === undefined ? undefined : targetOf(key);
      return target === undefined ? { ...openSteps(steps, rest, key), allocation, left } : sure(target);
    },
    signatureOf: (key) =>
      targetOf(key) ?? ` ${steps.flatMap(({ matchers }) => matchers.map((one) => one.verdictOf(key) ?? '?')).join()}`,
    namedKeys: steps.flatMap(({ matchers }) => matchers.flatMap((one) => one.namedKeys)),
    cost: rules.reduce(
      (sum, { condition }) => sum + condition.matchers.reduce((texts, one) => texts + costOf(one), 0),
      0,
    ),
  };
}

const costOf = ({ strings = [] }: Matcher): number => 1 + strings.length;

/** Its individual targets. */
export const targetsOf = (targeting: Targeting | undefined): readonly (readonly string[])[] =>
  targeting?.treatments.map(({ keys = [] }) => keys) ?? [];

const always = (treatment: string, decider: Decider): Outcome => ({
  decider,
  treatments: buckets.map(() => treatment),
  isBeforeAllocation: true,
});

const sure = (treatment: string): Side => ({
  steps: [],
  rest: always(treatment, { kind: 'rest' }),
  allocation: 100,
  left: treatment,
});

interface PreparedStep extends Outcome {
  readonly matchers: readonly PreparedMatcher[];
}

/** Without what never matches and what is never reached; what matches surely is the end. */
function openSteps(
  steps: readonly PreparedStep[],
  rest: Outcome,
  key: string | undefined,
): Pick<Side, 'steps' | 'rest'> {
  const open: Step[] = [];
  for (const { matchers, ...outcome } of steps) {
    const verdicts = matchers.map(({ verdictOf }) => verdictOf(key));
    if (verdicts.includes(false)) continue;
    const unknown = matchers.filter((_, index) => verdicts[index] === undefined);
    if (unknown.length === 0) return { steps: open, rest: outcome };
    const condition = new Set(unknown.map(({ text }) => text));
    if (firstCovering(open, condition) < open.length) continue;
    open.push({ ...outcome, condition, asksFor: unknown.map(({ asksFor }) => asksFor) });
  }
  return { steps: open, rest };
}

/** The place of the first step that takes whoever meets the condition; behind the last if there is none. */
export function firstCovering(steps: readonly Step[], condition: ReadonlySet<string>): number {
  const found = steps.findIndex((step) => isPartOf(step.condition, condition));
  return found < 0 ? steps.length : found;
}

function isPartOf(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const text of part) if (!whole.has(text)) return false;
  return true;
}

interface PreparedMatcher {
  /** The same for matchers that always agree. */
  readonly text: string;
  readonly asksFor: Question;
  /** Undefined: not known. Without a key: of all keys that are not named. */
  readonly verdictOf: (key: string | undefined) => boolean | undefined;
  readonly namedKeys: readonly (readonly string[])[];
}

function prepareMatcher(matcher: Matcher, others: OtherFlags): PreparedMatcher {
  const { type, negate = false, attribute, string = '', strings = [], depends } = matcher;
  const text = canonicalText({ ...matcher, negate });
  const unknown = { text, verdictOf: () => undefined, namedKeys: [] };
  if (type === 'IN_SEGMENT') return { ...unknown, asksFor: { kind: 'segment', name: string } };
  if (depends) return { ...unknown, ...prepareDependency(depends, negate, others) };
  if (attribute !== undefined) return { ...unknown, asksFor: { kind: 'attribute', name: attribute } };
  const asksFor = { kind: 'key' } as const;
  // Expressions may take forever: none is run.
  if (!isSimple(type)) return { ...unknown, asksFor };
  const test = testOf(type, matcher);
  const isList = type === 'IN_LIST_STRING';
  // Whoever is in a list is named; every key starts with nothing, ends with it and contains it.
  const generic = isList ? negate : strings.includes('') ? !negate : undefined;
  const verdictOf = (key: string | undefined) => (key === undefined ? generic : (test(key) ?? false) !== negate);
  return { text, asksFor, verdictOf, namedKeys: isList ? [strings] : [] };
}

const simple = ['IN_LIST_STRING', 'STARTS_WITH_STRING', 'ENDS_WITH_STRING', 'CONTAINS_STRING'] as const;
const isSimple = (type: string): type is (typeof simple)[number] => (simple as readonly string[]).includes(type);

/** Known where the other flag gives every key one of the treatments, or none of them. */
function prepareDependency(
  { splitName: name, treatments }: NonNullable<Matcher['depends']>,
  negate: boolean,
  others: OtherFlags,
): Pick<PreparedMatcher, 'asksFor' | 'verdictOf'> {
  const asksFor = { kind: 'flag', name } as const;
  const other = prepareOther(name, others);
  if (!other) return { asksFor, verdictOf: () => undefined };
  const wanted = [...possibleIn(other.sideFor())].map((treatment) => treatments.includes(treatment));
  const generic = wanted.every(Boolean) ? !negate : wanted.some(Boolean) ? undefined : negate;
  const verdictOf = (key: string | undefined) => (key !== undefined && others.namedKeys.has(key) ? undefined : generic);
  return { asksFor, verdictOf };
}

function prepareOther(name: string, others: OtherFlags): PreparedSide | undefined {
  if (others.prepared.has(name) || others.prepared.size >= maxOtherFlags) return others.prepared.get(name);
  const found = others.find(name);
  if (found === undefined || (found !== 'notDefined' && isTooLarge(found))) return undefined;
  others.prepared.set(name, undefined);
  const targeting = found === 'notDefined' ? undefined : found;
  const side = prepareSide(targeting, others);
  for (const key of [...targetsOf(targeting), ...side.namedKeys].flat()) others.namedKeys.add(key);
  others.prepared.set(name, side);
  return side;
}

function possibleIn({ steps, rest, allocation, left }: Side): ReadonlySet<string> {
  const outcomes = [...steps, rest];
  const inside = outcomes.filter(({ isBeforeAllocation }) => isBeforeAllocation || allocation > 0);
  const isAnyLeft = allocation < 100 && !rest.isBeforeAllocation;
  return new Set([...inside.flatMap(({ treatments }) => treatments), ...(isAnyLeft ? [left] : [])]);
}
