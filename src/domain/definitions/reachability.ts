/** Finds rules that can never apply, and why. */

import { canonicalText } from '../json.ts';
import type { Rule, Targeting } from './definition.ts';
import type { Matcher } from './matchers.ts';

/** For each rule, and finally for everyone else: why it is never reached; undefined if it can be. */
export function whyNeverReached({ rules, trafficAllocation }: Targeting): (string | undefined)[] {
  const steps = [...rules.map(conditionOf), new Set<string>()];
  return steps.map((condition, index) => {
    if (trafficAllocation === 0) return 'the traffic allocation lets nobody through';
    const earlier = steps.slice(0, index);
    if (isContradiction(condition)) return 'its conditions contradict each other';
    const covering = earlier.findIndex(
      (other) => !isContradiction(other) && [...other].every((text) => condition.has(text)),
    );
    if (covering >= 0) {
      const everyone = index === rules.length || steps[covering]?.size === 0;
      return `rule ${covering + 1} already takes ${everyone ? 'everyone' : 'all of these'}`;
    }
    return earlier.some((other) => isOppositeOfOne(other, earlier))
      ? 'the rules before it already take everyone'
      : undefined;
  });
}

/** The condition, one text for each matcher, without matchers that always match. */
const conditionOf = ({ condition }: Rule): ReadonlySet<string> =>
  new Set(condition.matchers.filter((matcher) => !isAlwaysTrue(matcher)).map(canonicalText));

/** Every key starts with, ends with and contains the empty text. */
const isAlwaysTrue = ({ type, attribute, strings, string, negate }: Matcher): boolean =>
  !attribute &&
  !negate &&
  ((/^(STARTS_WITH|ENDS_WITH|CONTAINS)_STRING$/.test(type) && strings?.includes('') === true) ||
    (type === 'MATCHES_STRING' && ['.*', '^.*$', ''].includes(string ?? '.')));

const negated = (text: string): string => {
  const { negate, ...matcher } = JSON.parse(text) as Matcher;
  return canonicalText(negate ? matcher : { ...matcher, negate: true });
};

const isContradiction = (condition: ReadonlySet<string>): boolean =>
  [...condition].some((text) => condition.has(negated(text)));

/** A rule with one matcher and a rule with its opposite: together they match everyone. */
function isOppositeOfOne(condition: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): boolean {
  const [only] = condition;
  if (only === undefined || condition.size > 1) return false;
  return others.some((other) => other.size === 1 && other.has(negated(only)));
}
