/** Conditions, which rules of flags and of rule-based segments share: matchers that must all hold. */
import { Type } from 'typebox';
import { maxComplaints } from '../problems.ts';
import { OneOf } from '../schema.ts';
import { checkMatcher, Matcher } from './matchers.ts';

export const Condition = Type.Object({ combiner: OneOf(['AND']), matchers: Type.Array(Matcher) });

interface HasCondition {
  readonly condition: { readonly matchers: readonly Matcher[] };
}

/** The names of the flags that rules depend on. */
export const flagsIn = (rules: readonly HasCondition[]): string[] =>
  rules.flatMap(({ condition }) => condition.matchers.flatMap(({ depends }) => depends?.splitName ?? []));

/** The names of the segments in rules. */
export const segmentsIn = (rules: readonly HasCondition[]): string[] =>
  rules.flatMap(({ condition }) =>
    condition.matchers.flatMap(({ type, string }) => (type === 'IN_SEGMENT' && string ? [string] : [])),
  );

/** What a rule asks of another flag. */
export interface Need {
  /** Its index. */
  readonly rule: number;
  readonly negate: boolean;
  readonly treatments: readonly string[];
}

/** The rules that depend on a flag. */
export const needsIn = (rules: readonly HasCondition[], flag: string): Need[] =>
  rules.flatMap(({ condition }, rule) =>
    condition.matchers.flatMap(({ depends, negate = false }) =>
      depends?.splitName === flag ? [{ rule, negate, treatments: depends.treatments }] : [],
    ),
  );

export type Complain = (write: () => string) => void;

/** An object can have 100,000 errors: complaints that nobody will read are counted, not written. */
export function complaintsOf(check: (complain: Complain) => void): string[] {
  const complaints: string[] = [];
  check((write) => void complaints.push(complaints.length < maxComplaints ? write() : ''));
  return complaints;
}

/** Complains about each value that occurred before, here or in an earlier list that shares `seen`. */
export function checkRepeats(
  place: string,
  { values, seen }: { values: readonly string[]; seen: Set<string> },
  complain: Complain,
): void {
  for (const [at, value] of values.entries()) {
    if (seen.has(value)) complain(() => `${place}/${at} ${value} is used twice`);
    seen.add(value);
  }
}

/** `complaintAbout` adds what depends on the object that has the condition. */
export function checkMatchers(
  place: string,
  { matchers, complaintAbout }: { matchers: readonly Matcher[]; complaintAbout: (one: Matcher) => string | undefined },
  complain: Complain,
): void {
  if (matchers.length === 0) complain(() => `${place} must not be empty`);
  for (const [index, matcher] of matchers.entries()) {
    for (const complaint of checkMatcher(matcher)) complain(() => `${place}/${index}/${complaint}`);
    const complaint = complaintAbout(matcher);
    if (complaint) complain(() => `${place}/${index}/${complaint}`);
  }
}
