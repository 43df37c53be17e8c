/** Matchers as sentences: "plan is one of pro, team", "user is not in segment staff". */
import { type Matcher, type MatcherType, matcherKindOf } from '#domain/definitions/matchers.ts';
import { dayWords, minuteWords } from './dates.ts';

/** A word of the sentence, or a literal: a value, a flag name. */
export type Piece = { readonly word: string } | { readonly token: string; readonly isNameOf?: 'flag' | 'segment' };

interface Verb {
  readonly is: string;
  readonly isNot: string;
  /** Before the last value. */
  readonly joint?: 'or' | 'and';
}

const verbs: Record<MatcherType, Verb> = {
  IN_SEGMENT: { is: 'is in segment', isNot: 'is not in segment' },
  IN_LIST_STRING: { is: 'is one of', isNot: 'is none of', joint: 'or' },
  STARTS_WITH_STRING: { is: 'starts with', isNot: 'does not start with', joint: 'or' },
  ENDS_WITH_STRING: { is: 'ends with', isNot: 'does not end with', joint: 'or' },
  CONTAINS_STRING: { is: 'contains', isNot: 'does not contain', joint: 'or' },
  MATCHES_STRING: { is: 'matches', isNot: 'does not match' },
  EQUAL_SET: { is: 'has exactly', isNot: 'does not have exactly', joint: 'and' },
  ANY_OF_SET: { is: 'has any of', isNot: 'has none of', joint: 'or' },
  ALL_OF_SET: { is: 'has all of', isNot: 'does not have all of', joint: 'and' },
  PART_OF_SET: { is: 'has only', isNot: 'has values other than', joint: 'or' },
  ON_DATE: { is: 'is on', isNot: 'is not on' },
  ON_OR_AFTER_DATE: { is: 'is on or after', isNot: 'is before' },
  ON_OR_BEFORE_DATE: { is: 'is on or before', isNot: 'is after' },
  BETWEEN_DATE: { is: 'is between', isNot: 'is not between', joint: 'and' },
  EQUAL_NUMBER: { is: 'equals', isNot: 'does not equal' },
  LESS_THAN_OR_EQUAL_NUMBER: { is: 'is at most', isNot: 'is more than' },
  GREATER_THAN_OR_EQUAL_NUMBER: { is: 'is at least', isNot: 'is less than' },
  BETWEEN_NUMBER: { is: 'is between', isNot: 'is not between', joint: 'and' },
  BOOLEAN: { is: 'is', isNot: 'is not' },
  IN_SPLIT: { is: 'serves', isNot: 'does not serve', joint: 'or' },
  EQUAL_TO_SEMVER: { is: 'is version', isNot: 'is not version' },
  GREATER_THAN_OR_EQUAL_TO_SEMVER: { is: 'is at least version', isNot: 'is below version' },
  LESS_THAN_OR_EQUAL_TO_SEMVER: { is: 'is at most version', isNot: 'is above version' },
  BETWEEN_SEMVER: { is: 'is between version', isNot: 'is not between version', joint: 'and' },
  IN_LIST_SEMVER: { is: 'is one of the versions', isNot: 'is none of the versions', joint: 'or' },
};

/** The comparison without its value; booleans include it. */
export const verbWords = ({ type, negate, bool }: Matcher): string =>
  (negate ? verbs[type].isNot : verbs[type].is) + (type === 'BOOLEAN' && bool !== undefined ? ` ${bool}` : '');

/** Values named before "and N more". */
const maxNamed = 3;

/** The sentence in pieces, for rendering. `user` stands for the traffic type. */
export function matcherPieces(matcher: Matcher, trafficType: string): Piece[] {
  const { is, isNot } = verbs[matcher.type];
  const joint = jointOf(matcher.type);
  const named = valuesOf(matcher);
  const ofSegment = matcher.type === 'IN_SEGMENT' ? { isNameOf: 'segment' as const } : {};
  const shown = named.slice(0, named.length > maxNamed + 1 ? maxNamed : named.length);
  const more = named.length - shown.length;
  const values = shown.flatMap((token, index): Piece[] => {
    if (index === 0) return [{ token, ...ofSegment }];
    return [{ word: index === shown.length - 1 && more === 0 ? joint : ',' }, { token }];
  });
  return [
    ...subjectOf(matcher, trafficType),
    { word: matcher.negate ? isNot : is },
    ...(values.length === 0 ? [{ word: '…' }] : values),
    ...(more > 0 ? [{ word: `${joint} ${more} more` }] : []),
  ];
}

/** The same as plain text. */
export const matcherSentence = (matcher: Matcher, trafficType: string): string =>
  matcherPieces(matcher, trafficType)
    .map((piece) => ('token' in piece ? piece.token : piece.word))
    .reduce((said, text) => (text === ',' ? `${said},` : `${said} ${text}`));

/** What stands before the last of several values: "or", or "and" if all of them count. */
export const jointOf = (type: MatcherType): 'or' | 'and' => verbs[type].joint ?? 'or';

function subjectOf({ type, attribute, depends }: Matcher, trafficType: string): Piece[] {
  if (attribute) return [{ token: attribute }];
  if (depends) return [{ word: 'flag' }, { token: depends.splitName || '…', isNameOf: 'flag' }];
  if (matcherKindOf(type).attribute === 'required') return [{ word: 'an attribute' }];
  return [{ word: matcherKindOf(type).attribute === 'none' ? trafficType : `${trafficType} key` }];
}

/** The values as displayed. */
function valuesOf({ type, string, strings, number, date, between, bool, depends }: Matcher): string[] {
  const dateWords = type === 'ON_DATE' ? dayWords : minuteWords;
  if (strings) return strings;
  if (string !== undefined) return string === '' ? [] : [string];
  if (number !== undefined) return [String(number)];
  if (date !== undefined) return [dateWords(date)];
  if (bool !== undefined) return [String(bool)];
  if (depends) return depends.treatments;
  const bounds = between ? [between.from, between.to] : [];
  return bounds
    .filter((bound) => bound !== '')
    .map((bound) => (type === 'BETWEEN_DATE' ? dateWords(Number(bound)) : String(bound)));
}
