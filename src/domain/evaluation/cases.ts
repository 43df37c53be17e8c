/**
 * What matchers can tell apart: for everything that they look at, one case for each combination of their results that a
 * value can have. Complete: whatever a client sends, its results are those of one of the cases. So what holds in no case
 * never holds. The reverse is not true: there may be cases that no value has, since different kinds of matchers on one
 * attribute, and what needs a regular expression or other objects, are treated as independent of each other.
 */
import type { Matcher } from '../definitions/matchers.ts';
import { testOf, type ValueMatcherType } from './match.ts';
import { parseVersion } from './semver.ts';

/** What matchers look at. */
export type Topic =
  | { readonly kind: 'key' }
  | { readonly kind: 'attribute' | 'segment' | 'flag'; readonly name: string }
  /** Without an attribute, of the key. */
  | { readonly kind: 'pattern'; readonly attribute: string | undefined; readonly pattern: string }
  /** A matcher with too many values to look at each. */
  | { readonly kind: 'large' };

export interface Case {
  /** By the number of the matcher, ignoring `negate`. */
  readonly holds: readonly boolean[];
  /** A value with these results; undefined: the attribute is missing. */
  readonly value?: unknown;
}

type Family = 'text' | 'set' | 'number' | 'date' | 'boolean' | 'version' | 'segment' | 'flag' | 'pattern';

export function familyOf({ type }: Matcher): Family {
  if (type === 'IN_SEGMENT') return 'segment';
  if (type === 'IN_SPLIT') return 'flag';
  if (type === 'MATCHES_STRING') return 'pattern';
  if (type === 'BOOLEAN') return 'boolean';
  if (type.endsWith('_SET')) return 'set';
  if (type.endsWith('_NUMBER')) return 'number';
  if (type.endsWith('_DATE')) return 'date';
  return type.endsWith('SEMVER') ? 'version' : 'text';
}

/** Results to find out, for all matchers of one topic together. */
const maxResults = 60_000;

/** What is known apart from the matchers. */
export interface Known {
  /** Those that the flag in question can give. */
  readonly treatments?: ReadonlySet<string> | undefined;
  /** No key is one of these. */
  readonly otherThan?: ReadonlySet<string>;
}

/** Undefined if there are too many. */
export function casesOf(
  topic: Topic,
  matchers: readonly Matcher[],
  { treatments, otherThan = new Set() }: Known = {},
): readonly Case[] | undefined {
  const [first] = matchers;
  if (!first || topic.kind === 'segment' || topic.kind === 'large') return eitherWay;
  // Every text starts with nothing, and a key is always a text.
  if (topic.kind === 'pattern') return isAnything(topic) ? [{ holds: [true] }] : eitherWay;
  if (topic.kind === 'flag') return flagCases(matchers, treatments);
  const values = valuesOf[familyOf(first) as keyof typeof valuesOf](matchers);
  if (!values || values.length * matchers.length > maxResults) return undefined;
  const tests = matchers.map((matcher) => testOf(matcher.type as ValueMatcherType, matcher));
  const missing = topic.kind === 'key' ? [] : [{ holds: matchers.map(() => false), value: undefined }];
  // Texts that stand for others are in no list, so nothing is lost with those in a list.
  const isNamed = (value: unknown) => typeof value === 'string' && matchers.some((one) => one.strings?.includes(value));
  const allowed = values.filter((value) => !otherThan.has(value as string) || !isNamed(value));
  const found = allowed.map((value) => ({ holds: tests.map((test) => test(value) ?? false), value }));
  return different([...missing, ...found]);
}

const eitherWay: readonly Case[] = [{ holds: [false] }, { holds: [true] }];

const isAnything = ({ attribute, pattern }: { readonly attribute: string | undefined; readonly pattern: string }) =>
  attribute === undefined && ['', '.*'].includes(pattern);

/** The first of each. */
function different(cases: readonly Case[]): Case[] {
  const found = new Map<string, Case>();
  for (const one of cases) {
    const text = one.holds.map(Number).join('');
    if (!found.has(text)) found.set(text, one);
  }
  return [...found.values()];
}

/** No flag can have a treatment of this name. */
const another = '';

function flagCases(matchers: readonly Matcher[], treatments: ReadonlySet<string> | undefined): Case[] {
  const wanted = matchers.map(({ depends }) => new Set(depends?.treatments));
  const possible = treatments ?? new Set([another, ...wanted.flatMap((names) => [...names])]);
  return different([...possible].map((value) => ({ holds: wanted.map((names) => names.has(value)), value })));
}

type Values = (matchers: readonly Matcher[]) => readonly unknown[] | undefined;

const maxTexts = 4_000;
const maxSetItems = 9;

/** One value for each combination of results. Undefined if they are unknown, or finding them takes too long. */
const valuesOf: Readonly<Record<'text' | 'set' | 'number' | 'date' | 'boolean' | 'version', Values>> = {
  boolean: () => [true, false],

  /** The bounds, and something between each two of them. */
  number: (matchers) => {
    const bounds = sorted(matchers.flatMap(({ number, between }) => [number, between?.from, between?.to].map(Number)));
    const [first = 0, last = 0] = [bounds[0], bounds.at(-1)];
    const between = bounds.slice(1).map((bound, index) => (bound + (bounds[index] ?? bound)) / 2);
    return [...bounds, ...between, first - 1, last + 1, -Number.MAX_VALUE, Number.MAX_VALUE];
  },

  /** Minutes and days begin at these times; nothing changes between two of them. */
  date: (matchers) => {
    const times = matchers.flatMap(({ date, between }) => [date, between?.from, between?.to].map(Number));
    const starts = sorted(
      times.flatMap((time) => {
        const [inMinute, inDay] = [startOf(minute, time), startOf(day, time)];
        return [inMinute, inMinute + minute, inDay, inDay + day];
      }),
    );
    return [...starts, (starts[0] ?? 0) - minute, -lastDate, lastDate, lastDate + 1];
  },

  /**
   * Without what comes before a release, versions are ordered by their numbers; just below each there is its
   * pre-release, and build metadata make a version another one of the same rank.
   */
  version: (matchers) => {
    const texts = matchers.flatMap(({ string, strings = [], between }) =>
      [string, ...strings, between?.from, between?.to].flatMap((text) => (typeof text === 'string' ? [text] : [])),
    );
    const versions = texts.map(parseVersion);
    if (versions.some((version) => !version || version.preRelease.length > 0 || version.text.includes('+'))) return;
    const numbers = [...new Set(versions.map((version) => version?.text ?? ''))];
    const after = `9${numbers.map((text) => text.split('.')[0] ?? '').reduce(longer, '')}.0.0`;
    return [...numbers, ...numbers.map((text) => `${text}-0`), ...numbers.map((text) => `${text}+0`), after];
  },

  /** Which of the items are in it, and whether others are. */
  set: (matchers) => {
    if (matchers.some(({ strings = [] }) => new Set(strings).size < strings.length)) return;
    const items = [...new Set(matchers.flatMap(({ strings = [] }) => strings))];
    if (items.length > maxSetItems) return;
    return subsetsOf([...items, `other-${items.join('')}`]).filter((set) => set.length > 0);
  },

  /**
   * A text that no list names has the same results as one that is put together from its longest start, from what it
   * contains and from its longest end, with a letter between them that occurs in none of these.
   */
  text: (matchers) => {
    const stringsOf = (type: string) => [
      ...new Set(matchers.flatMap((one) => (one.type === `${type}_STRING` ? (one.strings ?? []) : []))),
    ];
    const [starts, ends, parts] = ['STARTS_WITH', 'ENDS_WITH', 'CONTAINS'].map(stringsOf) as [
      string[],
      string[],
      string[],
    ];
    if ((starts.length + 1) * (ends.length + 1) * 2 ** parts.length > maxTexts) return;
    const gap = letterOutside(matchers.flatMap(({ strings = [] }) => strings));
    const made = ['', ...starts].flatMap((start) =>
      ['', ...ends].flatMap((end) => subsetsOf(parts).map((some) => [start, ...some, end].join(gap))),
    );
    return [...made, ...stringsOf('IN_LIST')].filter((text) => text !== '');
  },
};

const minute = 60_000;
const day = 86_400_000;
/** In milliseconds from 1970. */
const lastDate = 8.64e15;

/** Exact, unlike a division, even for the last dates. */
const startOf = (length: number, time: number): number => time - (((time % length) + length) % length);

const sorted = (numbers: readonly number[]): number[] =>
  [...new Set(numbers.filter((number) => !Number.isNaN(number)))].sort((one, other) => one - other);

const longer = (one: string, other: string): string => (other.length > one.length ? other : one);

/** The empty one first. */
function subsetsOf(items: readonly string[]): string[][] {
  const subsets: string[][] = [[]];
  for (const item of items) subsets.push(...subsets.map((subset) => [...subset, item]));
  return subsets;
}

function letterOutside(texts: readonly string[]): string {
  const used = new Set(texts.flatMap((text) => text.split('')));
  const plain = ['-', '_', 'x', 'z', '~', '.'].find((letter) => !used.has(letter));
  if (plain) return plain;
  let code = 0x100;
  while (used.has(String.fromCharCode(code))) code += 1;
  return String.fromCharCode(code);
}
