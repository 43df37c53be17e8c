/** A flag's definition in one environment: its shape and its rules. `definition-bodies.ts` reads it. */
import { type Static, Type } from 'typebox';
import { checkMatcher, Matcher } from './matchers.ts';
import { Description, extend, Millis, OneOf, Reference } from './schema.ts';

export const Bucket = Type.Object({ treatment: Type.String(), size: Type.Integer({ minimum: 0, maximum: 100 }) });
export type Bucket = Static<typeof Bucket>;

const Treatment = Type.Object({
  name: Type.String(),
  description: Type.Optional(Description),
  configurations: Type.Optional(Type.String({ description: 'JSON text' })),
  keys: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  segments: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
});
export type Treatment = Static<typeof Treatment>;

const Rule = Type.Object({
  buckets: Type.Array(Bucket),
  condition: Type.Object({ combiner: OneOf(['AND']), matchers: Type.Array(Matcher) }),
});
export type Rule = Static<typeof Rule>;

/** What clients decide: the part that is created, replaced and patched. */
export const Targeting = Type.Object({
  killed: Type.Boolean(),
  treatments: Type.Array(Treatment),
  defaultTreatment: Type.String(),
  baselineTreatment: Type.String(),
  trafficAllocation: Type.Integer({ minimum: 0, maximum: 100, description: 'percent of traffic included' }),
  rules: Type.Array(Rule),
  defaultRule: Type.Array(Bucket),
});
export type Targeting = Static<typeof Targeting>;

const Place = Type.Object({ id: Type.String(), name: Type.String(), environment: Reference, trafficType: Reference });
const Times = Type.Object({ creationTime: Millis, lastUpdateTime: Millis });

export const Definition = extend(extend(Place, Targeting), Times);
/** A definition as it is kept. `revision` is the environment's change number of its last change and makes its ETag. */
export type Definition = Static<typeof Definition> & { readonly revision: number };

const { properties: fields } = Targeting;
/**
 * A body as documented for callers. What else is in it is ignored; `parseTargeting` reads it. Written out, since
 * Type.Partial would bring 12 kB of calculating with types into the interface.
 */
export const DefinitionBody = Type.Object({
  killed: Type.Optional(fields.killed),
  treatments: Type.Optional(fields.treatments),
  defaultTreatment: Type.Optional(fields.defaultTreatment),
  baselineTreatment: Type.Optional(fields.baselineTreatment),
  trafficAllocation: Type.Optional(fields.trafficAllocation),
  rules: Type.Optional(fields.rules),
  defaultRule: Type.Optional(fields.defaultRule),
  title: Type.Optional(Type.String()),
  comment: Type.Optional(Type.String()),
});

/** What the rules ask of the world around a definition. */
export interface Surroundings {
  readonly flag: string;
  /** Of the flags that the definition depends on: those that exist in the project. */
  readonly existingFlags: ReadonlySet<string>;
  /** Of the flags that the definition depends on: those that depend, directly or not, on this flag here. */
  readonly dependentFlags: ReadonlySet<string>;
}

export const toTargeting = ({
  killed,
  treatments,
  defaultTreatment,
  baselineTreatment,
  trafficAllocation,
  rules,
  defaultRule,
}: Targeting): Targeting => ({
  killed,
  treatments,
  defaultTreatment,
  baselineTreatment,
  trafficAllocation,
  rules,
  defaultRule,
});

export const mostDependencies = 100;

/** The names of the flags whose treatment a rule asks for. */
export const dependenciesOf = (targeting: Targeting): string[] => [
  ...new Set(
    targeting.rules.flatMap((rule) => rule.condition.matchers.flatMap((matcher) => matcher.depends?.splitName ?? [])),
  ),
];

/** Every complaint about a definition of the right shape, in the order of its fields. */
export function checkTargeting(targeting: Targeting, surroundings: Surroundings): string[] {
  const names = new Set(targeting.treatments.map((treatment) => treatment.name));
  const mustExist = (place: string, name: string) => (names.has(name) ? [] : [`${place} ${name} is not a treatment`]);
  return [
    ...checkTreatments(targeting.treatments),
    ...mustExist('defaultTreatment', targeting.defaultTreatment),
    ...mustExist('baselineTreatment', targeting.baselineTreatment),
    ...targeting.rules.flatMap((rule, index) => [
      ...checkBuckets(`rules/${index}/buckets`, rule.buckets, names),
      ...checkCondition(`rules/${index}/condition/matchers`, rule.condition.matchers, surroundings),
    ]),
    ...checkBuckets('defaultRule', targeting.defaultRule, names),
    ...(dependenciesOf(targeting).length > mostDependencies
      ? [`rules must not depend on more than ${mostDependencies} flags`]
      : []),
  ];
}

function checkTreatments(treatments: readonly Treatment[]): string[] {
  const names = new Set<string>();
  const keys = new Set<string>();
  const complaints = treatments.flatMap((treatment, index) => {
    const place = `treatments/${index}`;
    const found = [
      ...checkTreatmentName(`${place}/name`, treatment.name),
      ...(names.has(treatment.name) ? [`${place}/name ${treatment.name} is there twice`] : []),
      ...repeated(`${place}/keys`, treatment.keys ?? [], keys),
      ...repeated(`${place}/segments`, treatment.segments ?? [], new Set()),
      ...(isJsonText(treatment.configurations) ? [] : [`${place}/configurations must be JSON text`]),
    ];
    names.add(treatment.name);
    return found;
  });
  return treatments.length === 0 ? ['treatments must not be empty'] : complaints;
}

function checkTreatmentName(place: string, name: string): string[] {
  if (name === 'control') return [`${place} must not be control: that word is reserved`];
  if (/^[A-Za-z0-9][-_.A-Za-z0-9]{0,99}$/.test(name)) return [];
  return [`${place} must be 1 to 100 letters, digits, -, _ or ., a letter or digit first`];
}

/** Complains about each value that was seen before, here or in an earlier list that shares `seen`. */
function repeated(place: string, values: readonly string[], seen: Set<string>): string[] {
  return values.flatMap((value, at) => {
    if (seen.has(value)) return [`${place}/${at} ${value} is there twice`];
    seen.add(value);
    return [];
  });
}

/** An empty text is what some clients send for none. */
function isJsonText(text = ''): boolean {
  if (text === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function checkBuckets(place: string, buckets: readonly Bucket[], names: ReadonlySet<string>): string[] {
  const total = buckets.reduce((sum, bucket) => sum + bucket.size, 0);
  const treatments = buckets.map((bucket) => bucket.treatment);
  return [
    ...treatments.flatMap((name, index) =>
      names.has(name) ? [] : [`${place}/${index}/treatment ${name} is not a treatment`],
    ),
    ...repeated(place, treatments, new Set()),
    ...(total === 100 ? [] : [`${place} sizes must add up to 100, not ${total}`]),
  ];
}

function checkCondition(place: string, matchers: readonly Matcher[], surroundings: Surroundings): string[] {
  if (matchers.length === 0) return [`${place} must not be empty`];
  return matchers.flatMap((matcher, index) =>
    [...checkMatcher(matcher), ...checkDependency(matcher, surroundings)].map(
      (complaint) => `${place}/${index}/${complaint}`,
    ),
  );
}

function checkDependency({ depends }: Matcher, { flag, existingFlags, dependentFlags }: Surroundings): string[] {
  if (!depends) return [];
  const name = depends.splitName;
  if (name === flag) return ['depends/splitName must not be the flag itself'];
  if (!existingFlags.has(name)) return [`depends/splitName ${name} is not a flag of the project`];
  return dependentFlags.has(name) ? [`depends/splitName ${name} depends on ${flag}: that would be a cycle`] : [];
}
