/** What the readers of other products' exports share: an account, conditions, shares and names, as Burgee has them. */
import type { Matcher } from '#domain/definitions/matchers.ts';
import type { SourceAccount, SourceDefinition, SourceProject, Unread } from '#domain/import/source.ts';
import type { Members } from '#domain/json.ts';

/** Something that Burgee cannot express; the message is the reason in the report. */
export class Unmapped extends Error {}

/** One of the matchers must hold. */
export type Clause = readonly Matcher[];

export interface Bucket {
  readonly treatment: string;
  readonly size: number;
}

/** More rules than this would be unreadable. */
const maxRules = 20;

/**
 * Rules for "all clauses hold". A rule of Burgee has no "or", so a clause with several matchers becomes several rules
 * with the same shares: whichever matches first, the key gets the same.
 */
export function rulesOf(clauses: readonly Clause[], buckets: readonly Bucket[]): Members[] {
  let conditions: Matcher[][] = [[]];
  for (const clause of clauses) {
    conditions = conditions.flatMap((matchers) => clause.map((matcher) => [...matchers, matcher]));
    if (conditions.length > maxRules) throw new Unmapped(`its conditions would become more than ${maxRules} rules`);
  }
  if (conditions.some((matchers) => matchers.length === 0)) throw new Unmapped('a rule has no condition');
  return conditions.map((matchers) => ({ buckets, condition: { combiner: 'AND', matchers } }));
}

/** "None of them" as clauses: each must not hold. */
export const noneOf = (clause: Clause): Clause[] => clause.map((matcher) => [{ ...matcher, negate: true }]);

/** Whole percents that add up to 100. `isExact`: whether nothing was rounded. */
export function toPercents(weights: readonly Readonly<{ treatment: string; weight: number }>[]) {
  const total = weights.reduce((sum, { weight }) => sum + weight, 0);
  if (!(total > 0)) throw new Unmapped('its shares add up to nothing');
  const exact = weights.map(({ weight }) => (100 * weight) / total);
  const sizes = exact.map(Math.floor);
  const byRemainder = exact
    .map((share, index) => ({ index, rest: share - Math.floor(share) }))
    .sort((a, b) => b.rest - a.rest);
  for (const { index } of byRemainder.slice(0, 100 - sizes.reduce((sum, size) => sum + size, 0))) {
    sizes[index] = (sizes[index] ?? 0) + 1;
  }
  return {
    buckets: weights.map(({ treatment }, index) => ({ treatment, size: sizes[index] ?? 0 })),
    isExact: exact.every((share, index) => Math.abs(share - (sizes[index] ?? 0)) < 1e-9),
  };
}

export const everyone = (treatment: string): Bucket[] => [{ treatment, size: 100 }];

/** Burgee's names of flags: a letter, then letters, digits, `-` and `_`. */
export function nameFor(key: string): string {
  const name = key.replaceAll(/[^-\w]/g, '_');
  return /^[A-Za-z]/.test(name) ? name : `f_${name}`;
}

/** The same, with a report if the flag gets another name. */
export function flagNameFor(key: string, unread: Unread[]): string {
  const name = nameFor(key);
  if (name !== key) {
    unread.push({ what: `Flag ${key}`, why: `Is imported as ${name}: names have letters, digits, - and _.` });
  }
  return name;
}

/** Names of treatments, unique, from what the source calls them. */
export function treatmentNames(wanted: readonly string[]): string[] {
  const taken = new Set<string>();
  return wanted.map((text, index) => {
    const base =
      text
        .trim()
        .replaceAll(/[^-\w]+/g, '_')
        .slice(0, 80) || `treatment_${index + 1}`;
    const name = taken.has(base) ? `${base}_${index + 1}` : base;
    taken.add(name);
    return name;
  });
}

export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Maps an object of the source; what Burgee cannot express is left out and reported. */
export function attempt<Result>(unread: Unread[], what: string, map: () => Result): Result | undefined {
  try {
    return map();
  } catch (error) {
    if (!(error instanceof Unmapped)) throw error;
    unread.push({ what, why: `Left out: ${error.message}.` });
    return undefined;
  }
}

interface Contents extends Pick<SourceProject, 'flags' | 'segments'> {
  readonly environments: Iterable<string>;
  readonly attributes?: SourceProject['trafficTypes'][number]['attributes'];
  readonly unread: readonly Unread[];
}

/** An account with one project, whose seeds mean nothing here. */
export const accountOf = (
  name: string,
  project: string,
  { environments, attributes = [], flags, segments, unread }: Contents,
): SourceAccount => ({
  name,
  projects: [
    {
      name: project,
      requiresTitleAndComments: false,
      environments: [...new Set(environments)].map((environment) => ({
        name: environment,
        production: environment === 'production',
        hasSeeds: false,
      })),
      trafficTypes: [{ name: 'user', displayAttributeId: undefined, attributes }],
      rolloutStatuses: [],
      flagSets: [],
      flags,
      segments,
    },
  ],
  groups: [],
  users: [],
  unread,
});

/** The definition, or none if Burgee cannot express it. */
export function definitionsIn(
  environment: string,
  { flag, unread }: { readonly flag: string; readonly unread: Unread[] },
  bodyOf: (note: (why: string) => void) => Members,
): SourceDefinition[] {
  const what = `Definition of ${flag} in ${environment}`;
  const body = attempt(unread, what, () => bodyOf((why) => unread.push({ what, why })));
  return body ? [{ environment, body, flagSets: [], seeds: undefined, algorithm: 2, changeNumber: undefined }] : [];
}
