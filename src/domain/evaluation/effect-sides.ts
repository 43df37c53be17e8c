/**
 * One side of an edit, as far as the definition determines it: the steps that a key may pass, in order, and what each
 * gives it.
 */

import { treatmentAt } from '../bucketing.ts';
import type { Bucket, Targeting } from '../definitions/definition.ts';
import type { Matcher } from '../definitions/matchers.ts';
import { canonicalText } from '../json.ts';
import { testOf } from './match.ts';

/** A flag in the same environment. Undefined: unknown. */
export type OtherFlag = (name: string) => Targeting | 'notDefined' | undefined;

/** `rest`: everyone else, or everyone if the flag is killed or not defined. */
export type Decider =
  | { readonly kind: 'rule'; readonly index: number }
  | { readonly kind: 'segment'; readonly segment: string; readonly treatment: string }
  | { readonly kind: 'rest' };

export type Question =
  | { readonly kind: 'attribute' | 'flag'; readonly name: string }
  /** `nobody`: why nobody is in it at the moment. */
  | { readonly kind: 'segment'; readonly name: string; readonly nobody?: string | undefined }
  /** The text of the key. */
  | { readonly kind: 'key' };

export interface Outcome {
  readonly decider: Decider;
  /** By bucket, starting with bucket 1. */
  readonly treatments: readonly string[];
  /** Whether it decides before the traffic allocation. */
  readonly isBeforeAllocation: boolean;
}

export interface Step extends Outcome {
  /** One text for each matcher with an unknown result. The step decides if all hold. */
  readonly condition: ReadonlySet<string>;
  readonly asksFor: readonly Question[];
}

export interface Side {
  /** No two steps have the same condition, since the second would never be reached. */
  readonly steps: readonly Step[];
  readonly rest: Outcome;
  readonly allocation: number;
  /** The treatment of keys outside the allocation. */
  readonly left: string;
}

/** Precomputes what depends only on the definition, so that many keys can be compared quickly. */
export interface PreparedSide {
  /** For an individually named key, or for all other keys. */
  readonly sideFor: (key?: string) => Side;
  /** Keys with equal signatures have equal sides. */
  readonly signatureOf: (key: string) => string;
  /** Keys named in its rules. A key may occur several times. */
  readonly namedKeys: readonly (readonly string[])[];
  /** How many texts a key is compared with. */
  readonly cost: number;
}

/** Rules and targeted segments. Definitions with more are not analysed, unless killed. */
const maxSteps = 100;

export const isTooLarge = (targeting: Targeting | undefined): boolean =>
  targeting !== undefined &&
  !targeting.killed &&
  targeting.rules.length + targeting.treatments.reduce((sum, one) => sum + (one.segments?.length ?? 0), 0) > maxSteps;

const control = 'control';
const buckets = Array.from({ length: 100 }, (_, index) => index + 1);

/** Other flags that rules depend on, each prepared once. */
export interface OtherFlags {
  readonly find: OtherFlag;
  /** Undefined while it is being prepared; reading it then means a cycle. */
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
  // Built when the first named key is examined: there can be 100,000 keys.
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

/** Without steps that never match or are never reached; ends at the first one that always matches. */
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

/** The index of the first step that takes every key that meets the condition; the length if there is none. */
export function firstCovering(steps: readonly Step[], condition: ReadonlySet<string>): number {
  const found = steps.findIndex((step) => isPartOf(step.condition, condition));
  return found < 0 ? steps.length : found;
}

function isPartOf(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const text of part) if (!whole.has(text)) return false;
  return true;
}

interface PreparedMatcher {
  /** Equal for matchers that always agree. */
  readonly text: string;
  readonly asksFor: Question;
  /** Undefined: unknown. Without a key: for all keys that are not named. */
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
  // Regular expressions may take forever, so none is run.
  if (!isSimple(type)) return { ...unknown, asksFor };
  const test = testOf(type, matcher);
  const isList = type === 'IN_LIST_STRING';
  // Keys in a list are named ones; every key starts with, ends with and contains the empty text.
  const generic = isList ? negate : strings.includes('') ? !negate : undefined;
  const verdictOf = (key: string | undefined) => (key === undefined ? generic : (test(key) ?? false) !== negate);
  return { text, asksFor, verdictOf, namedKeys: isList ? [strings] : [] };
}

const simple = ['IN_LIST_STRING', 'STARTS_WITH_STRING', 'ENDS_WITH_STRING', 'CONTAINS_STRING'] as const;
const isSimple = (type: string): type is (typeof simple)[number] => (simple as readonly string[]).includes(type);

/** Known if the other flag gives every key one of the treatments, or none of them. */
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
