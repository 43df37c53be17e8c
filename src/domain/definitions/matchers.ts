/** The table of matchers: what each type needs, and what its value must be. */
import { type Static, Type } from 'typebox';
import { OneOf, SafeInteger } from '../schema.ts';

export type MatcherMember = 'string' | 'strings' | 'number' | 'date' | 'between' | 'bool' | 'depends';

interface MatcherKind {
  /** Whether an attribute is required, optional or forbidden; without one, the key itself is matched. */
  readonly attribute: 'required' | 'optional' | 'none';
  /** The member that holds the value. */
  readonly member: MatcherMember;
  /** The complaint about the value, or undefined. Called only if the member is present. */
  readonly check: (matcher: Matcher) => string | undefined;
}

export const matcherTypes = [
  'IN_SEGMENT',
  'IN_LIST_STRING',
  'STARTS_WITH_STRING',
  'ENDS_WITH_STRING',
  'CONTAINS_STRING',
  'MATCHES_STRING',
  'EQUAL_SET',
  'ANY_OF_SET',
  'ALL_OF_SET',
  'PART_OF_SET',
  'ON_DATE',
  'ON_OR_AFTER_DATE',
  'ON_OR_BEFORE_DATE',
  'BETWEEN_DATE',
  'EQUAL_NUMBER',
  'LESS_THAN_OR_EQUAL_NUMBER',
  'GREATER_THAN_OR_EQUAL_NUMBER',
  'BETWEEN_NUMBER',
  'BOOLEAN',
  'IN_SPLIT',
  'EQUAL_TO_SEMVER',
  'GREATER_THAN_OR_EQUAL_TO_SEMVER',
  'LESS_THAN_OR_EQUAL_TO_SEMVER',
  'BETWEEN_SEMVER',
  'IN_LIST_SEMVER',
] as const;
export type MatcherType = (typeof matcherTypes)[number];

const IntegerOrText = Type.Unsafe<number | string>({ type: ['integer', 'string'] });

export const Matcher = Type.Object({
  negate: Type.Optional(Type.Boolean()),
  type: OneOf(matcherTypes),
  attribute: Type.Optional(Type.String({ maxLength: 255 })),
  string: Type.Optional(Type.String()),
  strings: Type.Optional(Type.Array(Type.String())),
  number: Type.Optional(SafeInteger),
  date: Type.Optional(SafeInteger),
  between: Type.Optional(Type.Object({ from: IntegerOrText, to: IntegerOrText })),
  bool: Type.Optional(Type.Boolean()),
  depends: Type.Optional(Type.Object({ splitName: Type.String(), treatments: Type.Array(Type.String()) })),
});
export type Matcher = Static<typeof Matcher>;

const fine = () => undefined;
const someText = ({ string }: Matcher) => (string ? undefined : 'string must not be empty');
const someTexts = ({ strings }: Matcher) => (strings?.length ? undefined : 'strings must not be empty');

const regularExpression = ({ string = '' }: Matcher) => {
  try {
    new RegExp(string);
    return undefined;
  } catch {
    return 'string must be a regular expression';
  }
};

const integers = ({ between }: Matcher) =>
  [between?.from, between?.to].every(Number.isSafeInteger) ? undefined : 'between/from and between/to must be integers';

const dependency = ({ depends }: Matcher) =>
  depends?.treatments.length ? undefined : 'depends/treatments must not be empty';

/** As lenient as SDKs, which drop leading zeros. */
const identifiers = '[-0-9A-Za-z]+(?:\\.[-0-9A-Za-z]+)*';
const semanticVersion = new RegExp(`^[0-9]+\\.[0-9]+\\.[0-9]+(?:-${identifiers})?(?:\\+${identifiers})?$`);
const isVersion = (value: unknown) => typeof value === 'string' && value.length <= 255 && semanticVersion.test(value);
const version = ({ string }: Matcher) => (isVersion(string) ? undefined : 'string must be a semantic version');
const versions = ({ strings }: Matcher) =>
  strings?.length && strings.every(isVersion) ? undefined : 'strings must be semantic versions, at least one';
const versionRange = ({ between }: Matcher) =>
  [between?.from, between?.to].every(isVersion) ? undefined : 'between/from and between/to must be semantic versions';

const matchers: Record<MatcherType, MatcherKind> = {
  IN_SEGMENT: { attribute: 'none', member: 'string', check: someText },
  IN_LIST_STRING: { attribute: 'optional', member: 'strings', check: someTexts },
  STARTS_WITH_STRING: { attribute: 'optional', member: 'strings', check: someTexts },
  ENDS_WITH_STRING: { attribute: 'optional', member: 'strings', check: someTexts },
  CONTAINS_STRING: { attribute: 'optional', member: 'strings', check: someTexts },
  MATCHES_STRING: { attribute: 'optional', member: 'string', check: regularExpression },
  EQUAL_SET: { attribute: 'required', member: 'strings', check: someTexts },
  ANY_OF_SET: { attribute: 'required', member: 'strings', check: someTexts },
  ALL_OF_SET: { attribute: 'required', member: 'strings', check: someTexts },
  PART_OF_SET: { attribute: 'required', member: 'strings', check: someTexts },
  ON_DATE: { attribute: 'required', member: 'date', check: fine },
  ON_OR_AFTER_DATE: { attribute: 'required', member: 'date', check: fine },
  ON_OR_BEFORE_DATE: { attribute: 'required', member: 'date', check: fine },
  BETWEEN_DATE: { attribute: 'required', member: 'between', check: integers },
  EQUAL_NUMBER: { attribute: 'required', member: 'number', check: fine },
  LESS_THAN_OR_EQUAL_NUMBER: { attribute: 'required', member: 'number', check: fine },
  GREATER_THAN_OR_EQUAL_NUMBER: { attribute: 'required', member: 'number', check: fine },
  BETWEEN_NUMBER: { attribute: 'required', member: 'between', check: integers },
  BOOLEAN: { attribute: 'required', member: 'bool', check: fine },
  IN_SPLIT: { attribute: 'none', member: 'depends', check: dependency },
  EQUAL_TO_SEMVER: { attribute: 'required', member: 'string', check: version },
  GREATER_THAN_OR_EQUAL_TO_SEMVER: { attribute: 'required', member: 'string', check: version },
  LESS_THAN_OR_EQUAL_TO_SEMVER: { attribute: 'required', member: 'string', check: version },
  BETWEEN_SEMVER: { attribute: 'required', member: 'between', check: versionRange },
  IN_LIST_SEMVER: { attribute: 'required', member: 'strings', check: versions },
};

/** Whether a type has an attribute, and which member holds its value. */
export const matcherKindOf = (type: MatcherType): Pick<MatcherKind, 'attribute' | 'member'> => matchers[type];

const members: readonly MatcherMember[] = ['string', 'strings', 'number', 'date', 'between', 'bool', 'depends'];

/** Some clients send every member that they know, with irrelevant ones empty; those are ignored. */
export function isEmptyForeign(type: unknown, name: string, value: unknown): boolean {
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
  if (!isEmpty || !(members as readonly string[]).includes(name)) return false;
  return (matchers as Record<string, MatcherKind>)[String(type)]?.member !== name;
}

/** All complaints about a matcher of the right shape. */
export function checkMatcher(matcher: Matcher): string[] {
  const { attribute, member, check } = matchers[matcher.type];
  const complaints = members
    .filter((other) => other !== member && matcher[other] !== undefined)
    .map((other) => `${other} does not belong to ${matcher.type}`);
  if (attribute === 'none' && matcher.attribute) complaints.push(`attribute does not belong to ${matcher.type}`);
  if (attribute === 'required' && !matcher.attribute) complaints.push(`attribute is required for ${matcher.type}`);
  if (matcher[member] === undefined) return [...complaints, `${member} is required for ${matcher.type}`];
  const complaint = check(matcher);
  return complaint ? [...complaints, complaint] : complaints;
}
