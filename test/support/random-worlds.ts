/** Random flags, segments and a subject, such that matchers match about half of the time. */

import { type Matcher, type MatcherType, matcherTypes } from '#domain/definitions/matchers.ts';
import type { Evaluable, Subject, World } from '#domain/evaluation/evaluate.ts';
import { matchesPattern } from '#domain/evaluation/match.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import type { SegmentKind } from '#domain/segments.ts';
import { type Chance, chanceOf } from './chance.ts';
import {
  alphabets,
  anything,
  attributes,
  configs,
  day,
  keys,
  largeSegments,
  minute,
  numbers,
  oddVersions,
  patterns,
  ruleBasedSegments,
  standardSegments,
  times,
  treatments,
  versions,
  words,
} from './random-values.ts';

export interface RandomWorld extends World {
  /** Each may ask for those behind it. The last one names no rule-based segment. */
  readonly flags: readonly Evaluable[];
  readonly subject: Subject;
  /** A segment that is not active counts as a standard one. */
  readonly kindOf: (segment: string) => SegmentKind;
}

const listing = [...standardSegments, ...largeSegments];

/** The world of that number: always the same. */
export function worldOf(number: number): RandomWorld {
  const chance = chanceOf(number);
  const names = ['first', 'second', 'third'].slice(0, chance.odds(0.4) ? 3 : 1);
  const flags = [
    ...names.map((name, index) =>
      flagOf(chance, name, {
        flags: [...names.slice(index + 1), 'base', 'elsewhere'],
        segments: [...listing, ...ruleBasedSegments, ...ruleBasedSegments],
      }),
    ),
    flagOf(chance, 'base', { flags: ['elsewhere'], segments: listing }),
  ];
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const members = new Set(listing.flatMap((segment) => chance.someOf(keys, 14).map((key) => `${segment} ${key}`)));
  // The last name is that of a segment that is not active.
  const rules = new Map(
    ruleBasedSegments.slice(0, -1).map((name, index) => [name, segmentOf(chance, ruleBasedSegments.slice(index + 1))]),
  );
  return {
    flags,
    subject: subjectOf(chance, rulesIn(flags, [...rules.values()])),
    kindOf: (name) => (rules.has(name) ? 'rule_based' : largeSegments.includes(name) ? 'large' : 'standard'),
    definitionOf: (name) => byName.get(name),
    listsKey: (segment, key) => members.has(`${segment} ${key}`),
    segmentRulesOf: (name) => rules.get(name),
    matches: matchesPattern,
  };
}

export const rulesIn = (flags: readonly Evaluable[], segments: readonly SegmentRules[]): SegmentRules['rules'] =>
  [...flags, ...segments].flatMap(({ rules }) => rules);

/** What matchers may name. */
interface Names {
  readonly flags: readonly string[];
  readonly segments: readonly string[];
}

function segmentOf(chance: Chance, later: readonly string[]): SegmentRules {
  const segments = [...listing, ...later, ...later];
  return {
    rules: chance.listOf(0, 3, () => ({ condition: conditionOf(chance, { flags: ['base', 'elsewhere'], segments }) })),
    excludedKeys: chance.someOf(keys, 8),
    // The type is sometimes wrong: the name decides.
    excludedSegments: chance.odds(0.6)
      ? [...new Set(chance.someOf(segments, 2))].map((name) => ({ name, type: 'standard_segment' }))
      : [],
  };
}

const conditionOf = (chance: Chance, names: Names) => ({
  combiner: 'AND' as const,
  matchers: chance.listOf(1, chance.oneOf([1, 1, 2, 3]), () => matcherOf(chance, names)),
});

function flagOf(chance: Chance, name: string, names: Names): Evaluable {
  const own = [chance.oneOf(treatments), ...chance.someOf(treatments, 4)];
  const chosen = [...new Set(own)];
  const pool = chance.someOf(keys, 5);
  const seedOf = () =>
    chance.odds(0.1) ? chance.oneOf([0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]) : chance.integer(-(2 ** 31), 2 ** 31 - 1);
  return {
    name,
    killed: chance.odds(0.06),
    treatments: chosen.map((treatment) => {
      const configurations = chance.oneOf(configs);
      return {
        name: treatment,
        ...(configurations === undefined ? {} : { configurations }),
        ...(chance.odds(0.4) ? { keys: pool.splice(0, chance.integer(0, 2)) } : {}),
        ...(chance.odds(0.08) ? { segments: [...new Set(chance.someOf(names.segments, 2))] } : {}),
      };
    }),
    defaultTreatment: chance.oneOf(chosen),
    baselineTreatment: chance.oneOf(chosen),
    trafficAllocation: chance.odds(0.6) ? 100 : chance.oneOf([0, 1, 50, 99, 100, chance.integer(0, 100)]),
    rules: chance.listOf(0, 4, () => ({
      buckets: sharesOf(chance, chosen),
      condition: conditionOf(chance, names),
    })),
    defaultRule: sharesOf(chance, chosen),
    impressionsDisabled: false,
    seed: seedOf(),
    trafficAllocationSeed: seedOf(),
    algo: chance.odds(0.3) ? 1 : 2,
  };
}

export function sharesOf(chance: Chance, names: readonly string[]) {
  const cuts = names.slice(1).map(() => (chance.odds(0.3) ? chance.oneOf([0, 100]) : chance.integer(0, 100)));
  const ends = [...cuts.sort((a, b) => a - b), 100];
  return names.map((treatment, index) => ({ treatment, size: (ends[index] ?? 100) - (ends[index - 1] ?? 0) }));
}

function matcherOf(chance: Chance, names: Names): Matcher {
  // Those that lead on to other objects are what can differ most.
  const type = chance.oneOf(chance.odds(0.3) ? (['IN_SEGMENT', 'IN_SEGMENT', 'IN_SPLIT'] as const) : matcherTypes);
  return matcherOfType(chance, type, names);
}

export function matcherOfType(chance: Chance, type: MatcherType, names: Names): Matcher {
  return { type, ...(chance.odds(0.25) ? { negate: true } : {}), ...membersOf[type](chance, names) };
}

type Members = (chance: Chance, names: Names) => Omit<Matcher, 'type' | 'negate'>;
const named = (chance: Chance) => ({ attribute: chance.oneOf(attributes) });
const maybeNamed = (chance: Chance) => (chance.odds(0.5) ? named(chance) : {});
const texts: Members = (chance) => ({
  ...maybeNamed(chance),
  strings: chance.listOf(1, 4, () => chance.oneOf(chance.odds(0.5) ? words : keys)),
});
const set: Members = (chance) => ({ ...named(chance), strings: chance.listOf(1, 3, () => chance.oneOf(words)) });
const date: Members = (chance) => ({ ...named(chance), date: chance.oneOf(times) });
const number: Members = (chance) => ({ ...named(chance), number: chance.oneOf(numbers) });
const version: Members = (chance) => ({ ...named(chance), string: chance.oneOf(versions) });
const between =
  (pool: readonly (number | string)[]): Members =>
  (chance) => ({ ...named(chance), between: { from: chance.oneOf(pool), to: chance.oneOf(pool) } });

const membersOf: Record<MatcherType, Members> = {
  IN_SEGMENT: (chance, { segments }) => ({ string: chance.oneOf(segments) }),
  IN_LIST_STRING: texts,
  STARTS_WITH_STRING: texts,
  ENDS_WITH_STRING: texts,
  CONTAINS_STRING: texts,
  MATCHES_STRING: (chance) => ({ ...maybeNamed(chance), string: chance.oneOf(patterns) }),
  EQUAL_SET: set,
  ANY_OF_SET: set,
  ALL_OF_SET: set,
  PART_OF_SET: set,
  ON_DATE: date,
  ON_OR_AFTER_DATE: date,
  ON_OR_BEFORE_DATE: date,
  BETWEEN_DATE: between(times),
  EQUAL_NUMBER: number,
  LESS_THAN_OR_EQUAL_NUMBER: number,
  GREATER_THAN_OR_EQUAL_NUMBER: number,
  BETWEEN_NUMBER: between(numbers),
  BOOLEAN: (chance) => ({ ...named(chance), bool: chance.odds(0.5) }),
  IN_SPLIT: (chance, { flags }) => ({
    depends: {
      splitName: chance.oneOf(flags),
      treatments: chance.listOf(1, 3, () => chance.oneOf([...treatments, 'control'])),
    },
  }),
  EQUAL_TO_SEMVER: version,
  GREATER_THAN_OR_EQUAL_TO_SEMVER: version,
  LESS_THAN_OR_EQUAL_TO_SEMVER: version,
  BETWEEN_SEMVER: between(versions),
  IN_LIST_SEMVER: (chance) => ({ ...named(chance), strings: chance.listOf(1, 3, () => chance.oneOf(versions)) }),
};

/** Half of the attributes that rules ask for are near what the rules want; the rest is missing or anything at all. */
export function subjectOf(chance: Chance, rules: SegmentRules['rules']): Subject {
  const members: Record<string, unknown> = {};
  for (const matcher of rules.flatMap((rule) => rule.condition.matchers)) {
    if (matcher.attribute === undefined || matcher.attribute in members || chance.odds(0.15)) continue;
    members[matcher.attribute] = chance.odds(0.65) ? valueNear(chance, matcher) : chance.oneOf(anything);
  }
  return { key: chance.odds(0.7) ? chance.oneOf(keys) : randomKey(chance), attributes: members };
}

const randomKey = (chance: Chance) => {
  const letters = chance.oneOf(alphabets);
  return chance.listOf(1, 40, () => chance.oneOf(letters)).join('');
};

/** Something that the matcher may be meant for. */
function valueNear(
  chance: Chance,
  { type, string, strings = [], number: wanted, date: at, between: range, bool }: Matcher,
): unknown {
  if (type.endsWith('_SET'))
    return chance.odds(0.5) ? [...strings] : [...chance.someOf(strings, 3), ...chance.someOf(words, 2)];
  if (type.endsWith('SEMVER'))
    return chance.oneOf([
      string,
      ...strings,
      range?.from,
      range?.to,
      chance.oneOf(versions),
      chance.oneOf(oddVersions),
    ]);
  if (type === 'BOOLEAN') return chance.oneOf([bool, !bool, String(bool), String(bool).toUpperCase()]);
  const middle = wanted ?? at ?? chance.oneOf([range?.from, range?.to]);
  if (typeof middle === 'number') {
    const value = middle + chance.oneOf([0, 0, 0, 1, -1, 1000, 1 - minute, minute, day, -day]);
    return chance.odds(0.2) ? String(value) : value;
  }
  const text = chance.oneOf(strings.length > 0 ? strings : words);
  return chance.oneOf([text, `${text}x`, `x${text}`, `x${text}x`, [text, text], 12, true]);
}
