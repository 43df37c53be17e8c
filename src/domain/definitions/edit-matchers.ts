/** Edits of one matcher. While somebody still types, a value may be missing: `checkMatcher` says so. */
import { type Matcher, type MatcherMember, type MatcherType, matcherKindOf } from './matchers.ts';

/** A matcher of the type without a value. */
export const newMatcher = (type: MatcherType): Matcher => ({ type, ...emptyValues[matcherKindOf(type).member] });

/** The matcher asks something else, not negated: what still has a meaning stays. */
export function changeMatcherType(matcher: Matcher, type: MatcherType): Matcher {
  const { attribute, member } = matcherKindOf(type);
  const before = matcherKindOf(matcher.type).member;
  return {
    type,
    ...(attribute === 'none' || matcher.attribute === undefined ? {} : { attribute: matcher.attribute }),
    ...(isSameSort(matcher.type, type) ? carried(matcher, before, member) : emptyValues[member]),
  };
}

/** An empty attribute is none: then the key itself is matched. */
export function changeAttribute({ attribute: _, ...matcher }: Matcher, attribute: string): Matcher {
  return attribute === '' ? matcher : { ...matcher, attribute };
}

/**
 * The verb of a matcher as the value of an option: its type, after `not ` where it is negated. Of booleans the value
 * belongs to the verb: "is true" is one choice, not two.
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

/** Sets the one member that carries the value; undefined leaves it out. */
export function changeValue<Member extends MatcherMember>(
  matcher: Matcher,
  member: Member,
  value: Matcher[Member],
): Matcher {
  const { [member]: _, ...rest } = matcher;
  return (value === undefined ? rest : { ...rest, [member]: value }) as Matcher;
}

/** What a value starts as. Numbers, dates and their ranges start as nothing: any number would be a guess. */
const emptyValues: Record<MatcherMember, Partial<Matcher>> = {
  string: { string: '' },
  strings: { strings: [] },
  number: {},
  date: {},
  between: { between: { from: '', to: '' } },
  bool: { bool: true },
  depends: { depends: { splitName: '', treatments: [] } },
};

/** Types whose values mean the same: 18 is an age and no day, and a segment is no version. */
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
