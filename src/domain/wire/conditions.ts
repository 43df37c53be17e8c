/** Conditions of flags and rule-based segments as SDKs read them, and the labels that SDKs report for them. */
import type { Matcher, MatcherType } from '../definitions/matchers.ts';
import type { SegmentKind } from '../segments.ts';

/** Every member that all SDKs need is present: some fail without `negate` or `combiner`. */
export interface WireMatcher {
  /** Null, or a null attribute: the key is matched. */
  readonly keySelector: { readonly trafficType: string; readonly attribute: string | null } | null;
  readonly matcherType: string;
  readonly negate: boolean;
  readonly userDefinedSegmentMatcherData?: { readonly segmentName: string };
  readonly userDefinedLargeSegmentMatcherData?: { readonly largeSegmentName: string };
  readonly whitelistMatcherData?: { readonly whitelist: readonly string[] };
  readonly unaryNumericMatcherData?: { readonly dataType: DataType; readonly value: number };
  readonly betweenMatcherData?: { readonly dataType: DataType; readonly start: number; readonly end: number };
  readonly betweenStringMatcherData?: { readonly start: string; readonly end: string };
  readonly booleanMatcherData?: boolean;
  readonly dependencyMatcherData?: { readonly split: string; readonly treatments: readonly string[] };
  readonly stringMatcherData?: string;
}
type DataType = 'NUMBER' | 'DATETIME';
type Data = Omit<WireMatcher, 'keySelector' | 'matcherType' | 'negate'>;

export interface MatcherGroup {
  readonly combiner: 'AND';
  readonly matchers: readonly WireMatcher[];
}

export interface Surroundings {
  /** The kind of the segment of this name that is active in the environment. */
  readonly kindOf: (segment: string) => SegmentKind | undefined;
}

export const groupOf = (matchers: readonly WireMatcher[]): MatcherGroup => ({ combiner: 'AND', matchers });

export const toWireMatchers = (
  matchers: readonly Matcher[],
  trafficType: string,
  surroundings: Surroundings,
): WireMatcher[] =>
  matchers.map((matcher) => {
    const { type, negate = false, attribute = null, string = '' } = matcher;
    const selected = { keySelector: { trafficType, attribute }, negate };
    if (type === 'IN_SEGMENT') return { ...selected, ...segmentMatcher(string, surroundings) };
    const { matcherType, data } = translations[type];
    return { ...selected, matcherType, ...data(matcher) };
  });

/** Rules name segments of all kinds in the same way; SDKs look for each kind in another place. */
export function segmentMatcher(name: string, { kindOf }: Surroundings): Data & Pick<WireMatcher, 'matcherType'> {
  const { matcherType } = segmentMatchers[kindOf(name) ?? 'standard'];
  return matcherType === 'IN_LARGE_SEGMENT'
    ? { matcherType, userDefinedLargeSegmentMatcherData: { largeSegmentName: name } }
    : { matcherType, userDefinedSegmentMatcherData: { segmentName: name } };
}

const segmentMatchers = {
  standard: { matcherType: 'IN_SEGMENT', label: 'segment' },
  large: { matcherType: 'IN_LARGE_SEGMENT', label: 'large segment' },
  rule_based: { matcherType: 'IN_RULE_BASED_SEGMENT', label: 'rule based segment' },
} as const;

/** As in labels. */
export const kindLabelOf = (segment: string, { kindOf }: Surroundings): string =>
  segmentMatchers[kindOf(segment) ?? 'standard'].label;

/** What SDKs report as the reason if the rule decides, in the words of the vendor. Never empty. */
export const labelOf = (matchers: readonly Matcher[], surroundings: Surroundings): string =>
  // A label has no room for more.
  cut(
    matchers
      .slice(0, 50)
      .map((matcher) => `${matcher.negate ? 'not ' : ''}${phraseOf(matcher, surroundings)}`)
      .join(' and '),
  );

/** Some SDKs cannot send half of a surrogate pair. */
const cut = (text: string): string => (text.length <= 250 ? text : `${text.slice(0, 247)}...`).toWellFormed();

function phraseOf(matcher: Matcher, surroundings: Surroundings): string {
  const { type, attribute = 'key', string = '' } = matcher;
  if (type === 'IN_SEGMENT') return `in ${kindLabelOf(string, surroundings)} ${string}`;
  const phrase = translations[type].says(matcher);
  return type === 'IN_SPLIT' ? phrase : `${attribute} ${phrase}`;
}

interface Translation {
  readonly matcherType: string;
  readonly data: (matcher: Matcher) => Data;
  readonly says: (matcher: Matcher) => string;
}

const inList = (matcherType: string, words: string): Translation => ({
  matcherType,
  data: ({ strings = [] }) => ({ whitelistMatcherData: { whitelist: strings } }),
  says: ({ strings = [] }) => `${words} [${strings.slice(0, 2).join(', ')}${strings.length > 2 ? ', ...' : ''}]`,
});

const byText = (matcherType: string, words: string): Translation => ({
  matcherType,
  data: ({ string = '' }) => ({ stringMatcherData: string }),
  says: ({ string }) => `${words} ${string}`,
});

const byNumber = (matcherType: string, sign: string): Translation => ({
  matcherType,
  data: ({ number }) => ({ unaryNumericMatcherData: { dataType: 'NUMBER', value: Number(number) } }),
  says: ({ number }) => `${sign} ${number}`,
});

const byDate = (matcherType: string, words: string): Translation => ({
  matcherType,
  data: ({ date }) => ({ unaryNumericMatcherData: { dataType: 'DATETIME', value: Number(date) } }),
  says: ({ date }) => `${words} ${writtenDate(date)}`,
});

const byRange = (dataType: DataType, written: (value: unknown) => string): Translation => ({
  matcherType: 'BETWEEN',
  data: ({ between }) => ({
    betweenMatcherData: { dataType, start: Number(between?.from), end: Number(between?.to) },
  }),
  says: ({ between }) => `between ${written(between?.from)} and ${written(between?.to)}`,
});

/** To the minute in UTC: SDKs compare nothing finer. Rules may have numbers that are no dates. */
function writtenDate(value: unknown): string {
  const date = new Date(Number(value));
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString().replace(/:\d\d\.\d\d\dZ$/, 'Z');
}

const translations: Record<Exclude<MatcherType, 'IN_SEGMENT'>, Translation> = {
  IN_LIST_STRING: inList('WHITELIST', 'in list'),
  STARTS_WITH_STRING: inList('STARTS_WITH', 'starts with'),
  ENDS_WITH_STRING: inList('ENDS_WITH', 'ends with'),
  CONTAINS_STRING: inList('CONTAINS_STRING', 'contains'),
  MATCHES_STRING: byText('MATCHES_STRING', 'matches'),
  EQUAL_SET: inList('EQUAL_TO_SET', 'is equal to'),
  ANY_OF_SET: inList('CONTAINS_ANY_OF_SET', 'contains any of'),
  ALL_OF_SET: inList('CONTAINS_ALL_OF_SET', 'contains all of'),
  PART_OF_SET: inList('PART_OF_SET', 'part of'),
  ON_DATE: byDate('EQUAL_TO', 'on'),
  ON_OR_AFTER_DATE: byDate('GREATER_THAN_OR_EQUAL_TO', 'on or after'),
  ON_OR_BEFORE_DATE: byDate('LESS_THAN_OR_EQUAL_TO', 'on or before'),
  BETWEEN_DATE: byRange('DATETIME', writtenDate),
  EQUAL_NUMBER: byNumber('EQUAL_TO', '='),
  LESS_THAN_OR_EQUAL_NUMBER: byNumber('LESS_THAN_OR_EQUAL_TO', '<='),
  GREATER_THAN_OR_EQUAL_NUMBER: byNumber('GREATER_THAN_OR_EQUAL_TO', '>='),
  BETWEEN_NUMBER: byRange('NUMBER', String),
  BOOLEAN: {
    matcherType: 'EQUAL_TO_BOOLEAN',
    data: ({ bool = false }) => ({ booleanMatcherData: bool }),
    says: ({ bool }) => `is ${bool}`,
  },
  IN_SPLIT: {
    matcherType: 'IN_SPLIT_TREATMENT',
    data: ({ depends }) => ({
      dependencyMatcherData: { split: depends?.splitName ?? '', treatments: depends?.treatments ?? [] },
    }),
    says: ({ depends }) => `in split ${depends?.splitName} treatment [${depends?.treatments.join(', ')}]`,
  },
  EQUAL_TO_SEMVER: byText('EQUAL_TO_SEMVER', 'equal to semver'),
  GREATER_THAN_OR_EQUAL_TO_SEMVER: byText('GREATER_THAN_OR_EQUAL_TO_SEMVER', 'greater than or equal to semver'),
  LESS_THAN_OR_EQUAL_TO_SEMVER: byText('LESS_THAN_OR_EQUAL_TO_SEMVER', 'less than or equal to semver'),
  BETWEEN_SEMVER: {
    matcherType: 'BETWEEN_SEMVER',
    data: ({ between }) => ({
      betweenStringMatcherData: { start: String(between?.from), end: String(between?.to) },
    }),
    says: ({ between }) => `between semver ${between?.from} and ${between?.to}`,
  },
  IN_LIST_SEMVER: inList('IN_LIST_SEMVER', 'in list semver'),
};
