import { checkMatcher, type Matcher, matcherKindOf } from '#domain/definitions/matchers.ts';

/** What is missing in a matcher, as an instruction, and the field that it belongs to. */
export interface MatcherComplaint {
  readonly field: 'subject' | 'value';
  readonly words: string;
}

/** The first one; undefined if it is complete. */
export function matcherComplaint(matcher: Matcher): MatcherComplaint | undefined {
  const [first] = checkMatcher(matcher);
  const { member } = matcherKindOf(matcher.type);
  if (matcher.depends?.splitName === '') return { field: 'subject', words: 'Choose a flag.' };
  if (first === undefined) return undefined;
  if (first.startsWith('attribute')) return { field: 'subject', words: 'Enter an attribute.' };
  return { field: 'value', words: valueComplaint(matcher, member) };
}

function valueComplaint({ type, string }: Matcher, member: keyof typeof requests): string {
  if (type === 'MATCHES_STRING' && string) return 'Not a valid regular expression.';
  if (type === 'IN_SEGMENT') return 'Choose a segment.';
  return /SEMVER/.test(type) ? 'Enter all three numbers, for example 1.2.3.' : requests[member];
}

const requests = {
  string: 'Enter a value.',
  strings: 'Add at least one value.',
  number: 'Enter a whole number.',
  date: 'Enter a date.',
  between: 'Enter both values.',
  bool: 'Choose one.',
  depends: 'Choose at least one treatment.',
} as const;
