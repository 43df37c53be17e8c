/** Tests values with matchers, exactly like the official SDKs. `matchers.ts` has the other table of matchers. */
import type { Matcher, MatcherType } from '../definitions/matchers.ts';
import { compareVersions, parseVersion, type SemanticVersion } from './semver.ts';

/** Whether the value matches, ignoring `negate`; undefined if it has the wrong type for the matcher. */
export type Test = (value: unknown) => boolean | undefined;

/** Matchers that need only a value. `evaluate.ts` handles the others. */
export type ValueMatcherType = Exclude<MatcherType, 'IN_SEGMENT' | 'IN_SPLIT' | 'MATCHES_STRING'>;

/** Precomputes what depends only on the matcher, so that many values can be tested quickly. */
export const testOf = (type: ValueMatcherType, matcher: Matcher): Test => tests[type](matcher);

const tests: Record<ValueMatcherType, (matcher: Matcher) => Test> = {
  IN_LIST_STRING: ({ strings }) => {
    const list = new Set(strings);
    return onText((text) => list.has(text));
  },
  STARTS_WITH_STRING: ({ strings = [] }) => onText((text) => strings.some((start) => text.startsWith(start))),
  ENDS_WITH_STRING: ({ strings = [] }) => onText((text) => strings.some((end) => text.endsWith(end))),
  CONTAINS_STRING: ({ strings = [] }) => onText((text) => strings.some((part) => text.includes(part))),
  // Compares the raw lengths: a list with duplicates equals no set.
  EQUAL_SET: ({ strings = [] }) => onSet((set) => set.size === strings.length && isPartOf(set, strings)),
  ANY_OF_SET: ({ strings = [] }) => onSet((set) => strings.some((item) => set.has(item))),
  ALL_OF_SET: ({ strings = [] }) =>
    onSet((set) => set.size >= strings.length && strings.every((item) => set.has(item))),
  PART_OF_SET: ({ strings = [] }) => onSet((set) => isPartOf(set, strings)),
  ON_DATE: ({ date }) => onTime(startOfDay, (day) => day === startOfDay(Number(date))),
  ON_OR_AFTER_DATE: ({ date }) => onTime(startOfMinute, (time) => time >= startOfMinute(Number(date))),
  ON_OR_BEFORE_DATE: ({ date }) => onTime(startOfMinute, (time) => time <= startOfMinute(Number(date))),
  BETWEEN_DATE: ({ between }) => {
    const [from, to] = [startOfMinute(Number(between?.from)), startOfMinute(Number(between?.to))];
    return onTime(startOfMinute, (time) => from <= time && time <= to);
  },
  EQUAL_NUMBER: ({ number }) => onNumber((value) => value === number),
  LESS_THAN_OR_EQUAL_NUMBER: ({ number }) => onNumber((value) => value <= Number(number)),
  GREATER_THAN_OR_EQUAL_NUMBER: ({ number }) => onNumber((value) => value >= Number(number)),
  BETWEEN_NUMBER: ({ between }) => onNumber((value) => Number(between?.from) <= value && value <= Number(between?.to)),
  BOOLEAN: ({ bool }) => read(toBoolean, (value) => value === bool),
  EQUAL_TO_SEMVER: ({ string }) => onVersion([string], (version, [other]) => version.text === other?.text),
  GREATER_THAN_OR_EQUAL_TO_SEMVER: ({ string }) =>
    onVersion([string], (version, [min]) => min !== undefined && compareVersions(version, min) >= 0),
  LESS_THAN_OR_EQUAL_TO_SEMVER: ({ string }) =>
    onVersion([string], (version, [max]) => max !== undefined && compareVersions(version, max) <= 0),
  BETWEEN_SEMVER: ({ between }) =>
    onVersion([between?.from, between?.to], (version, [from, to]) =>
      from && to ? compareVersions(from, version) <= 0 && compareVersions(version, to) <= 0 : false,
    ),
  IN_LIST_SEMVER: ({ strings = [] }) =>
    onVersion(strings, (version, list) => list.some((one) => one?.text === version.text)),
};

const read =
  <Value>(reader: (value: unknown) => Value | undefined, test: (value: Value) => boolean): Test =>
  (raw) => {
    const value = reader(raw);
    return value === undefined ? undefined : test(value);
  };
const onText = (test: (text: string) => boolean) => read(toText, test);
const onSet = (test: (set: ReadonlySet<string>) => boolean) => read(toSet, test);
const onNumber = (test: (value: number) => boolean) => read(toNumber, test);
const onTime = (round: (time: number) => number, test: (time: number) => boolean) =>
  onNumber((time) => test(round(time)));

function onVersion(
  texts: readonly unknown[],
  test: (version: SemanticVersion, others: readonly (SemanticVersion | undefined)[]) => boolean,
): Test {
  const others = texts.map(toVersion);
  return read(toVersion, (version) => test(version, others));
}

/** Only the texts of a list count; null, an empty text and an object are not text. */
export function toText(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? item : '')).join() || undefined;
  if (value === null || value === undefined || typeof value === 'object') return undefined;
  return Object.is(value, -0) ? '-0' : String(value) || undefined;
}

/** Like JavaScript: an empty text and null are 0, true is 1. */
function toNumber(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}

const toSet = (value: unknown): ReadonlySet<string> | undefined =>
  Array.isArray(value) && value.length > 0 ? new Set(value.map(String)) : undefined;

function toBoolean(value: unknown): boolean | undefined {
  const text = typeof value === 'boolean' ? String(value) : typeof value === 'string' ? value.toLowerCase() : '';
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

function toVersion(value: unknown): SemanticVersion | undefined {
  const text = toText(value);
  return text === undefined ? undefined : parseVersion(text);
}

/**
 * Runs a user's regular expression, which may take forever: never call it where others wait. Patterns that this engine
 * does not support match nothing.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return false;
  }
}

const isPartOf = (set: ReadonlySet<string>, list: readonly string[]): boolean =>
  [...set].every((item) => list.includes(item));

/** Days and minutes in UTC. NaN if it is not a date, which equals nothing. */
const startOfDay = (time: number): number => new Date(time).setUTCHours(0, 0, 0, 0);
const startOfMinute = (time: number): number => new Date(time).setUTCSeconds(0, 0);
