/** Edits of one matcher. A value may be missing while the user types; `checkMatcher` reports it. */
import { type Matcher, type MatcherMember, type MatcherType, matcherKindOf } from './matchers.ts';

/** A matcher of the type without a value. */
export const newMatcher = (type: MatcherType): Matcher => ({ type, ...emptyValues[matcherKindOf(type).member] });

/** Changes the type, not negated, and keeps values that still have a meaning. */
export function changeMatcherType(matcher: Matcher, type: MatcherType): Matcher {
  const { attribute, member } = matcherKindOf(type);
  const before = matcherKindOf(matcher.type).member;
  return {
    type,
    ...(attribute === 'none' || matcher.attribute === undefined ? {} : { attribute: matcher.attribute }),
    ...(isSameSort(matcher.type, type) ? carried(matcher, before, member) : emptyValues[member]),
  };
}

/** An empty attribute means the key itself. */
export function changeAttribute({ attribute: _, ...matcher }: Matcher, attribute: string): Matcher {
  return attribute === '' ? matcher : { ...matcher, attribute };
}

/**
 * A matcher's verb as an option value: its type, prefixed with `not ` if negated. For booleans the value is part of the
 * verb: "is true" is one choice, not two.
 */
export const verbOf = ({ type, negate, bool = true }: Matcher): string =>
  `${negate ? 'not ' : ''}${type}${type === 'BOOLEAN' ? ` ${bool}` : ''}`;

export function changeVerb(matcher: Matcher, verb: string): Matcher {
  const isNegated = verb.startsWith('not ');
  const [type, bool] = (isNegated ? verb.slice(4) : verb).split(' ');
  return {
    ...(isNegated ? { negate: true } : {}),
    ...changeMatcherType(matcher, type as MatcherType),
    ...(bool === undefined ? {} : { bool: bool === 'true' }),
  };
}

/** Sets the member that holds the value; undefined removes it. */
export function changeValue<Member extends MatcherMember>(
  matcher: Matcher,
  member: Member,
  value: Matcher[Member],
): Matcher {
  const { [member]: _, ...rest } = matcher;
  return (value === undefined ? rest : { ...rest, [member]: value }) as Matcher;
}

/** Initial values. Numbers, dates and ranges start empty: any number would be a guess. */
const emptyValues: Record<MatcherMember, Partial<Matcher>> = {
  string: { string: '' },
  strings: { strings: [] },
  number: {},
  date: {},
  between: { between: { from: '', to: '' } },
  bool: { bool: true },
  depends: { depends: { splitName: '', treatments: [] } },
};

/** Types whose values have the same meaning: an age is not a date, and a segment is not a version. */
const sortOf = (type: MatcherType): string =>
  /(SEMVER|DATE|NUMBER|SEGMENT|SPLIT|BOOLEAN)/.exec(type)?.[0] ?? (type === 'MATCHES_STRING' ? 'PATTERN' : 'TEXTS');
const isSameSort = (one: MatcherType, other: MatcherType): boolean => sortOf(one) === sortOf(other);

function carried(matcher: Matcher, from: MatcherMember, to: MatcherMember): Partial<Matcher> {
  if (from === to) return { [to]: matcher[to] };
  const [first, last = first] = valuesOf(matcher, from);
  if (first === undefined) return emptyValues[to];
  if (to === 'between') return { between: { from: first, to: last ?? first } };
  if (to === 'strings') return { strings: [String(first)] };
  return { [to]: first };
}

function valuesOf(matcher: Matcher, member: MatcherMember): (string | number)[] {
  if (member === 'between') return matcher.between ? [matcher.between.from, matcher.between.to].filter(isGiven) : [];
  if (member === 'strings') return matcher.strings ?? [];
  return [matcher[member]].filter((value) => typeof value === 'string' || typeof value === 'number').filter(isGiven);
}

const isGiven = (value: string | number): boolean => value !== '';
