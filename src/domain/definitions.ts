/** A flag's definition in one environment: its shape, how it is read from a body or a patch, and its rules. */
import { type Static, Type } from 'typebox';
import { equalJson } from './json.ts';
import { applyPatch, type Operation } from './json-patch.ts';
import { checkMatcher, Matcher, withoutEmptyForeign } from './matchers.ts';
import { refuse } from './problems.ts';
import { withoutRevision } from './revisions.ts';
import { booleanFromText, Description, Millis, OneOf, Reference, shapeOf } from './schema.ts';

const Bucket = Type.Object({ treatment: Type.String(), size: Type.Integer({ minimum: 0, maximum: 100 }) });
type Bucket = Static<typeof Bucket>;

const Treatment = Type.Object({
  name: Type.String(),
  description: Type.Optional(Description),
  configurations: Type.Optional(Type.String({ description: 'JSON text' })),
  keys: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  segments: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
});
type Treatment = Static<typeof Treatment>;

const Rule = Type.Object({
  buckets: Type.Array(Bucket),
  condition: Type.Object({ combiner: OneOf(['AND']), matchers: Type.Array(Matcher) }),
});

/** What clients decide: the part that is created, replaced and patched. */
const targetingFields = {
  killed: Type.Boolean(),
  treatments: Type.Array(Treatment),
  defaultTreatment: Type.String(),
  baselineTreatment: Type.String(),
  trafficAllocation: Type.Integer({ minimum: 0, maximum: 100, description: 'percent of traffic included' }),
  rules: Type.Array(Rule),
  defaultRule: Type.Array(Bucket),
};
const Targeting = Type.Object(targetingFields);
export type Targeting = Static<typeof Targeting>;

export const Definition = Type.Object({
  id: Type.String(),
  name: Type.String(),
  environment: Reference,
  trafficType: Reference,
  ...targetingFields,
  creationTime: Millis,
  lastUpdateTime: Millis,
});
/** A definition as it is kept. `revision` is the environment's change number of its last change and makes its ETag. */
export type Definition = Static<typeof Definition> & { readonly revision: number };

/** A body as documented for callers. What else is in it is ignored; `parseTargeting` reads it. */
export const DefinitionBody = Type.Partial(
  Type.Object({ ...targetingFields, title: Type.String(), comment: Type.String() }),
);

/** What the rules ask of the world around a definition. */
export interface Surroundings {
  readonly flag: string;
  /** Of the flags that the definition depends on: those that exist in the project. */
  readonly existingFlags: ReadonlySet<string>;
  /** Of the flags that the definition depends on: those that depend, directly or not, on this flag here. */
  readonly dependentFlags: ReadonlySet<string>;
}

const shape = shapeOf(Targeting);

/** Reads a body: null is absent, defaults are filled in, unknown fields are dropped. Refuses what has not the shape. */
export function parseTargeting(input: unknown, defaults: { killed: boolean } = { killed: false }): Targeting {
  const filled = withDefaults(withoutNulls(input, 0), defaults);
  refuse('definition_invalid', shape.complaints(filled));
  return shape.clean(filled);
}

const serverFields = ['id', 'name', 'environment', 'trafficType', 'creationTime', 'lastUpdateTime'] as const;
/** Every place that a definition has; a patch that names another would change nothing and look as if it had. */
const index = '(?:\\d+|-)';
const buckets = `(?:/${index}(?:/(?:treatment|size))?)?`;
const treatment = `(?:name|description|configurations|(?:keys|segments)(?:/${index})?)`;
const between = 'between(?:/(?:from|to))?';
const depends = `depends(?:/(?:splitName|treatment|treatments(?:/${index})?))?`;
const matcher = `(?:negate|type|attribute|string|strings(?:/${index})?|number|date|${between}|bool|${depends})`;
const condition = `(?:/(?:combiner|matchers(?:/${index}(?:/${matcher})?)?))?`;
const patchable = new RegExp(
  `^/(?:(?:${serverFields.join('|')})(?:/.*)?|killed|defaultTreatment|baselineTreatment|trafficAllocation|` +
    `treatments(?:/${index}(?:/${treatment})?)?|defaultRule${buckets}|` +
    `rules(?:/${index}(?:/(?:buckets${buckets}|condition${condition}))?)?)$`,
);
const impliedLists = /^\/treatments\/\d+\/(keys|segments)\/-$/;

/** The targeting after a patch. Fields that only the server sets may be tested but not changed. */
export function patchTargeting(definition: Definition, operations: readonly Operation[]): Targeting {
  const patched = applyPatch(withoutRevision(definition), operations, { mayName: patchable, impliedLists }) as Record<
    string,
    unknown
  >;
  refuse(
    'patch_invalid',
    serverFields
      .filter((field) => !equalJson(patched[field], definition[field]))
      .map((field) => `/${field} is set by the server and cannot be changed`),
  );
  return parseTargeting(patched, definition);
}

export const toTargeting = (definition: Definition): Targeting => shape.clean({ ...definition });

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

type Members = Record<string, unknown>;
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deeper than this nothing belongs to a definition, so nothing there needs reading. */
const deepest = 10;

/** A copy in which null members are absent: official clients send null for what is not there, and crash on it in answers. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  if (!isObject(value)) return value;
  const present = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(present.map(([name, member]) => [name, withoutNulls(member, depth + 1)]));
}

function withDefaults(body: unknown, defaults: { killed: boolean }): unknown {
  if (!isObject(body)) return body;
  const { killed = defaults.killed, rules = [], treatments, defaultTreatment } = body;
  return {
    trafficAllocation: 100,
    // Without a default treatment there is one complaint to make, not two: the empty text has the right shape.
    baselineTreatment: defaultTreatment ?? '',
    ...body,
    killed: booleanFromText(killed),
    ...(treatments === undefined ? {} : { treatments: eachObject(treatments, withoutEmptyLists) }),
    rules: eachObject(rules, ruleWithDefaults),
  };
}

const eachObject = (list: unknown, change: (item: Members) => Members): unknown =>
  Array.isArray(list) ? list.map((item) => (isObject(item) ? change(item) : item)) : list;

const withoutEmptyLists = (treatment: Members): Members =>
  Object.fromEntries(Object.entries(treatment).filter(([, member]) => !(Array.isArray(member) && member.length === 0)));

function ruleWithDefaults(rule: Members): Members {
  const { condition } = rule;
  if (!isObject(condition)) return rule;
  const { matchers = [] } = condition;
  return {
    ...rule,
    condition: { combiner: 'AND', ...condition, matchers: eachObject(matchers, tidyMatcher) },
  };
}

/** `negate` is shown only when true, an empty attribute is none, and a single `treatment` is a list of one. */
function tidyMatcher({ negate, attribute, depends, ...matcher }: Members): Members {
  return {
    ...(negate === undefined || negate === false ? {} : { negate }),
    ...(attribute === undefined || attribute === '' ? {} : { attribute }),
    ...(depends === undefined ? {} : { depends: isObject(depends) ? tidyDependency(depends) : depends }),
    ...withoutEmptyForeign(matcher),
  };
}

const tidyDependency = ({ splitName, treatment, treatments }: Members): Members => ({
  splitName,
  treatments: treatments ?? (treatment === undefined ? [] : [treatment]),
});
