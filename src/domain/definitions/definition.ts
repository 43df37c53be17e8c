/** A flag's definition in one environment: its shape and its rules. `parse.ts` parses it. */
import { type Static, Type } from 'typebox';
import type { Actor } from '../access.ts';
import { Algorithm, type Bucketing } from '../bucketing.ts';
import { FlagSetLink } from '../flag-sets.ts';
import { joinObjects } from '../json.ts';
import { Problem } from '../problems.ts';
import { Description, extend, LastTraffic, Millis, Reference } from '../schema.ts';
import {
  type Complain,
  Condition,
  checkMatchers,
  checkRepeats,
  complaintsOf,
  flagsIn,
  segmentsIn,
} from './conditions.ts';
import type { Matcher } from './matchers.ts';

export const Bucket = Type.Object({ treatment: Type.String(), size: Type.Integer({ minimum: 0, maximum: 100 }) });
export type Bucket = Static<typeof Bucket>;

const Treatment = Type.Object({
  name: Type.String(),
  description: Type.Optional(Description),
  configurations: Type.Optional(
    Type.String({ description: 'JSON text', 'x-hint': 'JSON as text, for example "{\\"color\\":\\"blue\\"}"' }),
  ),
  keys: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  segments: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
});
export type Treatment = Static<typeof Treatment>;

export const ruleNameLimit = 100;
const Rule = Type.Object({
  name: Type.Optional(
    Type.String({
      maxLength: ruleNameLimit,
      description: 'for people: absent if it has none; not part of the vendor’s API',
    }),
  ),
  buckets: Type.Array(Bucket),
  condition: Condition,
});
export type Rule = Static<typeof Rule>;

const maxFlagSets = 100;

/** The part that clients decide: created, replaced and patched. */
export const Targeting = Type.Object({
  killed: Type.Boolean(),
  treatments: Type.Array(Treatment),
  defaultTreatment: Type.String(),
  baselineTreatment: Type.String(),
  trafficAllocation: Type.Integer({ minimum: 0, maximum: 100, description: 'percent of traffic included' }),
  rules: Type.Array(Rule),
  defaultRule: Type.Array(Bucket),
  impressionsDisabled: Type.Boolean({ description: 'true: SDKs send no impressions of the flag' }),
  flagSets: Type.Optional(Type.Array(FlagSetLink, { maxItems: maxFlagSets, description: 'absent if there are none' })),
});
export type Targeting = Static<typeof Targeting>;

const Place = Type.Object({ id: Type.String(), name: Type.String(), environment: Reference, trafficType: Reference });
const Times = Type.Object({
  creationTime: Millis,
  lastUpdateTime: Millis,
  lastTrafficReceivedAt: Type.Optional(LastTraffic),
});
const Request = Type.Object({
  openChangeRequestId: Type.Optional(
    Type.String({ description: 'the change request about it that is not over; absent if there is none' }),
  ),
});

export const Definition = extend(extend(extend(Place, Targeting), Times), Request);
/** A stored definition. `revision` is the environment's change number of its last change and makes its ETag. */
export type Definition = Static<typeof Definition> & { readonly revision: number };

/** A definition whose targeting is still the stored JSON text. */
export type StoredDefinition = Omit<Definition, keyof Targeting> & { readonly targeting: string };

/** The definition as JSON, without parsing its targeting. */
export const toDefinitionText = (stored: StoredDefinition): string => {
  const { id, name, environment, trafficType, targeting, ...times } = stored;
  const { creationTime, lastUpdateTime, lastTrafficReceivedAt, openChangeRequestId } = times;
  return joinObjects(
    JSON.stringify({ id, name, environment, trafficType }),
    targeting,
    // An undefined member is left out.
    JSON.stringify({ creationTime, lastUpdateTime, lastTrafficReceivedAt, openChangeRequestId }),
  );
};

/**
 * The definition as recorded in the audit log: everything needed to restore it with every key in its bucket. Members
 * have a fixed order, so that equal states have equal text.
 */
export const toRecordText = (stored: StoredDefinition & Bucketing): string => {
  const { id, name, environment, trafficType, targeting, creationTime, lastUpdateTime } = stored;
  const { seed, trafficAllocationSeed, algo, revision: changeNumber } = stored;
  return joinObjects(
    JSON.stringify({ id, name, environment, trafficType }),
    targeting,
    JSON.stringify({ creationTime, lastUpdateTime, seed, trafficAllocationSeed, algo, changeNumber }),
  );
};

/** Parses the stored text. */
export const parseStored = <Stored extends StoredDefinition>({
  targeting,
  ...definition
}: Stored): Omit<Stored, 'targeting'> & Targeting => ({
  ...definition,
  ...(JSON.parse(targeting) as Targeting),
});

const { properties: fields } = Targeting;
/**
 * A body as documented for callers. Other members are ignored; `parseTargeting` reads it. Written out, because
 * Type.Partial would add 12 kB to the interface.
 */
export const DefinitionBody = Type.Object({
  killed: Type.Optional(fields.killed),
  treatments: Type.Optional(fields.treatments),
  defaultTreatment: Type.Optional(fields.defaultTreatment),
  baselineTreatment: Type.Optional(fields.baselineTreatment),
  trafficAllocation: Type.Optional(fields.trafficAllocation),
  rules: Type.Optional(fields.rules),
  defaultRule: Type.Optional(fields.defaultRule),
  impressionsDisabled: Type.Optional(fields.impressionsDisabled),
  flagSets: Type.Optional(
    Type.Array(Type.Unsafe<Partial<FlagSetLink> | string>({}), {
      maxItems: maxFlagSets,
      description: 'Each by id or by name, as `{"id"}`, `{"name"}` or text.',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({ description: 'used only when the definition is created, together with the other seed' }),
  ),
  trafficAllocationSeed: Type.Optional(Type.Integer({ description: 'as `seed`' })),
  algo: Type.Optional(Algorithm),
  title: Type.Optional(Type.String()),
  comment: Type.Optional(Type.String()),
});

/** What the rules need to know beyond the definition. */
export interface Surroundings {
  readonly flag: string;
  /** Those of the definition's dependencies that exist in the project, or that it had before. */
  readonly existingFlags: ReadonlySet<string>;
  /** Those of the definition's dependencies that depend on this flag, directly or indirectly. */
  readonly dependentFlags: ReadonlySet<string>;
}

/** Audit entries of older releases lack `impressionsDisabled`. */
type Recorded = Omit<Targeting, 'impressionsDisabled'> & Partial<Pick<Targeting, 'impressionsDisabled'>>;

/** The part of a definition that clients decide, its members in a fixed order. */
export const toTargeting = ({
  killed,
  treatments,
  defaultTreatment,
  baselineTreatment,
  trafficAllocation,
  rules,
  defaultRule,
  impressionsDisabled = false,
  flagSets = [],
}: Recorded): Targeting => ({
  killed,
  treatments,
  defaultTreatment,
  baselineTreatment,
  trafficAllocation,
  rules,
  defaultRule,
  impressionsDisabled,
  ...(flagSets.length > 0 ? { flagSets } : {}),
});

/** The targeting in the `before` or `after` of a definition's audit entry. */
export const recordedTargeting = (state: unknown): Targeting => toTargeting(state as Recorded);

/** The names of treatments, in an order that gives each the same colour before and after a change. */
export const orderOf = (...targetings: readonly (Targeting | undefined)[]): string[] => [
  ...new Set(targetings.flatMap((targeting) => targeting?.treatments.map(({ name }) => name) ?? [])),
];

/** What the caller named. */
interface Named {
  readonly nameOrId: string;
  readonly project: { readonly name: string };
  readonly environment: { readonly name: string };
}

/** Says which of the two is missing, except to callers who may not know the project's flags. */
export const definitionNotFound = (
  { scope }: Pick<Actor, 'scope'>,
  { nameOrId, project, environment }: Named,
  missing: 'flag' | 'definition',
) =>
  new Problem('definition_not_found', {
    nameOrId,
    project: project.name,
    environment: environment.name,
    missing: scope.kind === 'environment' ? 'unsaid' : missing,
  });

export const maxDependencies = 100;

/** The names of the flags that rules depend on. */
export const dependenciesOf = ({ rules }: Targeting): string[] => [...new Set(flagsIn(rules))];

/** The names of the segments in treatments and rules. */
export const segmentsOf = ({ treatments, rules }: Targeting): string[] => [
  ...new Set([...treatments.flatMap(({ segments = [] }) => segments), ...segmentsIn(rules)]),
];

/** The targeting in these sets only. */
export function withFlagSets({ flagSets: _, ...rest }: Targeting, flagSets: readonly FlagSetLink[]): Targeting {
  return flagSets.length > 0 ? { ...rest, flagSets: [...flagSets] } : rest;
}

/** All complaints about a definition of the right shape, in the order of its fields. */
export const checkTargeting = (targeting: Targeting, surroundings: Surroundings): string[] =>
  complaintsOf((complain) => checkParts(targeting, surroundings, complain));

function checkParts(targeting: Targeting, surroundings: Surroundings, complain: Complain): void {
  const { treatments, defaultTreatment, baselineTreatment, rules, defaultRule } = targeting;
  const names = new Set(treatments.map((treatment) => treatment.name));
  checkTreatments(treatments, complain);
  if (!names.has(defaultTreatment)) complain(() => `defaultTreatment ${defaultTreatment} is not a treatment`);
  // If absent, it is the default treatment, which was checked above.
  if (baselineTreatment !== defaultTreatment && !names.has(baselineTreatment))
    complain(() => `baselineTreatment ${baselineTreatment} is not a treatment`);
  const complaintAbout = (matcher: Matcher) => complaintAboutDependency(matcher, surroundings);
  for (const [index, { buckets, condition }] of rules.entries()) {
    checkBuckets(`rules/${index}/buckets`, { buckets, names }, complain);
    checkMatchers(`rules/${index}/condition/matchers`, { ...condition, complaintAbout }, complain);
  }
  checkBuckets('defaultRule', { buckets: defaultRule, names }, complain);
  if (dependenciesOf(targeting).length > maxDependencies) {
    complain(() => `rules must not depend on more than ${maxDependencies} flags`);
  }
}

function checkTreatments(treatments: readonly Treatment[], complain: Complain): void {
  if (treatments.length === 0) complain(() => 'treatments must not be empty');
  const names = new Set<string>();
  const allKeys = new Set<string>();
  for (const [index, { name, keys = [], segments = [], configurations }] of treatments.entries()) {
    const place = `treatments/${index}`;
    checkTreatmentName(`${place}/name`, name, complain);
    if (names.has(name)) complain(() => `${place}/name ${name} is used twice`);
    names.add(name);
    checkRepeats(`${place}/keys`, { values: keys, seen: allKeys }, complain);
    checkRepeats(`${place}/segments`, { values: segments, seen: new Set() }, complain);
    if (!isJsonText(configurations)) complain(() => `${place}/configurations must be JSON text`);
  }
}

function checkTreatmentName(place: string, name: string, complain: Complain): void {
  if (name === 'control') complain(() => `${place} must not be control: that word is reserved`);
  else if (!/^[A-Za-z0-9][-_.A-Za-z0-9]{0,99}$/.test(name)) {
    complain(() => `${place} must be 1 to 100 letters, digits, -, _ or ., a letter or digit first`);
  }
}

/** Some clients send an empty string for none. */
function isJsonText(text = ''): boolean {
  if (text === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function checkBuckets(
  place: string,
  { buckets, names }: { buckets: readonly Bucket[]; names: ReadonlySet<string> },
  complain: Complain,
): void {
  const treatments = buckets.map((bucket) => bucket.treatment);
  for (const [index, name] of treatments.entries()) {
    if (!names.has(name)) complain(() => `${place}/${index}/treatment ${name} is not a treatment`);
  }
  checkRepeats(place, { values: treatments, seen: new Set() }, complain);
  const total = buckets.reduce((sum, bucket) => sum + bucket.size, 0);
  if (total !== 100) complain(() => `${place} sizes must add up to 100, not ${total}`);
}

function complaintAboutDependency(
  { depends }: Matcher,
  { flag, existingFlags, dependentFlags }: Surroundings,
): string | undefined {
  if (!depends) return undefined;
  const name = depends.splitName;
  if (name === flag) return 'depends/splitName must not be the flag itself';
  if (!existingFlags.has(name)) return `depends/splitName ${name} is not a flag of the project`;
  return dependentFlags.has(name) ? `depends/splitName ${name} depends on ${flag}: that would be a cycle` : undefined;
}
