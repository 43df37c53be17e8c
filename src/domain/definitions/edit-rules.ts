/** Edits of rules. Each returns a new targeting; indexes that do not exist change nothing. */
import type { Bucket, Rule, Targeting } from './definition.ts';
import { newMatcher } from './edit-matchers.ts';
import type { Matcher } from './matchers.ts';

/** Adds a rule after the existing ones. It starts with the shares of everyone else. */
export function addRule(targeting: Targeting): Targeting {
  const rule: Rule = {
    buckets: targeting.defaultRule.map((bucket) => ({ ...bucket })),
    condition: { combiner: 'AND', matchers: [newMatcher('IN_LIST_STRING')] },
  };
  return { ...targeting, rules: [...targeting.rules, rule] };
}

export const removeRule = (targeting: Targeting, at: number): Targeting => ({
  ...targeting,
  rules: targeting.rules.filter((_, index) => index !== at),
});

/** The copy comes right after, where it has no effect until one of the two changes. */
export const duplicateRule = (targeting: Targeting, at: number): Targeting => ({
  ...targeting,
  rules: targeting.rules.flatMap((rule, index) => (index === at ? [rule, rule] : [rule])),
});

export function moveRule(targeting: Targeting, from: number, to: number): Targeting {
  const rule = targeting.rules[from];
  if (!rule || to < 0 || to >= targeting.rules.length) return targeting;
  return { ...targeting, rules: targeting.rules.toSpliced(from, 1).toSpliced(to, 0, rule) };
}

export const setRuleBuckets = (targeting: Targeting, at: number, buckets: readonly Bucket[]): Targeting =>
  withRule(targeting, at, (rule) => ({ ...rule, buckets: [...buckets] }));

/** An empty name removes it. */
export const setRuleName = (targeting: Targeting, at: number, name: string): Targeting =>
  withRule(targeting, at, ({ name: _, ...rule }) => (name === '' ? rule : { name, ...rule }));

export const addMatcher = (targeting: Targeting, at: number): Targeting =>
  withMatchers(targeting, at, (matchers) => [...matchers, newMatcher('IN_LIST_STRING')]);

/** A matcher of a rule. */
export interface MatcherPlace {
  readonly rule: number;
  readonly matcher: number;
}

export const setMatcher = (targeting: Targeting, { rule, matcher: place }: MatcherPlace, matcher: Matcher): Targeting =>
  withMatchers(targeting, rule, (matchers) => matchers.map((old, index) => (index === place ? matcher : old)));

/** A condition keeps its last matcher. */
export const removeMatcher = (targeting: Targeting, { rule, matcher }: MatcherPlace): Targeting =>
  withMatchers(targeting, rule, (matchers) =>
    matchers.length === 1 ? [...matchers] : matchers.filter((_, index) => index !== matcher),
  );

/** Something that a rule names and that does not exist. */
export type Missing = { readonly flag: string } | { readonly segment: string };

/** Removes the matchers that name it, and the rule if it has no others. */
export function removeMatchersOf(targeting: Targeting, at: number, missing: Missing): Targeting {
  const isMissing = ({ type, string, depends }: Matcher) =>
    'flag' in missing ? depends?.splitName === missing.flag : type === 'IN_SEGMENT' && string === missing.segment;
  const left = targeting.rules[at]?.condition.matchers.filter((matcher) => !isMissing(matcher)) ?? [];
  return left.length === 0 ? removeRule(targeting, at) : withMatchers(targeting, at, () => left);
}

const withMatchers = (
  targeting: Targeting,
  at: number,
  change: (matchers: readonly Matcher[]) => Matcher[],
): Targeting =>
  withRule(targeting, at, (rule) => ({
    ...rule,
    condition: { ...rule.condition, matchers: change(rule.condition.matchers) },
  }));

const withRule = (targeting: Targeting, at: number, change: (rule: Rule) => Rule): Targeting => ({
  ...targeting,
  rules: targeting.rules.map((rule, index) => (index === at ? change(rule) : rule)),
});
