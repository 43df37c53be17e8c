import { checkMatcher, type Matcher, matcherKindOf } from '#domain/definitions/matchers.ts';

/** What is missing in a matcher, as an instruction. */
export function matcherComplaint(matcher: Matcher): string[] {
  const [first] = checkMatcher(matcher);
  if (first === undefined) return [];
  const { member } = matcherKindOf(matcher.type);
  if (first.startsWith('attribute')) return ['Enter an attribute.'];
  if (matcher.type === 'MATCHES_STRING' && matcher.string) return ['Not a valid regular expression.'];
  return [/SEMVER/.test(matcher.type) ? 'Enter versions like 1.2.3.' : requests[member]];
}

const requests = {
  string: 'Enter a name.',
  strings: 'Add at least one value.',
  number: 'Enter a whole number.',
  date: 'Choose a date.',
  between: 'Enter both values.',
  bool: 'Choose one.',
  depends: 'Choose at least one treatment.',
} as const;
