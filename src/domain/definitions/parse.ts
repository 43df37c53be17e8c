/** Reading definitions: from a body as clients send it, or as a patch makes it. */
import type { Seeds } from '../bucketing.ts';
import { equalJson, isObject, type Members, mapItems, mapMembers } from '../json.ts';
import { applyPatch, type Operation } from '../json-patch.ts';
import { refuse } from '../problems.ts';
import { withoutRevision } from '../revisions.ts';
import { booleanFromText } from '../schema.ts';
import { shapeOf } from '../shapes.ts';
import { type Definition, Targeting } from './definition.ts';
import { isEmptyForeign } from './matchers.ts';

const shape = shapeOf(Targeting);

/** Reads a body: null is absent, defaults are filled in, unknown fields are dropped. Refuses what has not the shape. */
export function parseTargeting(input: unknown, defaults: { killed: boolean } = { killed: false }): Targeting {
  const filled = withDefaults(withoutNulls(input, 0), defaults);
  refuse('definition_invalid', [...shape.complaints(filled), ...complaintsAboutFlagSets(filled)]);
  return shape.clean(filled);
}

/** To drop them silently would leave out the flag where SDKs ask for a set. */
const complaintsAboutFlagSets = (body: unknown): string[] =>
  isObject(body) && body.flagSets !== undefined && !isEmptyList(body.flagSets)
    ? ['flagSets must be empty: there are no flag sets yet']
    : [];

/**
 * The seeds that a body asks for, so that a definition can be made again, here or elsewhere, with every key in its
 * bucket; undefined when it asks for none. Refuses one without the other, and what is no signed 32-bit number.
 */
export function parseSeeds(input: unknown): Seeds | undefined {
  const { seed, trafficAllocationSeed } = isObject(input) ? input : {};
  if ((seed ?? trafficAllocationSeed ?? null) === null) return undefined;
  const complaints = Object.entries({ seed, trafficAllocationSeed })
    .filter(([, value]) => !isSignedInteger(value))
    .map(([name]) => `${name} must be an integer from ${-(2 ** 31)} to ${2 ** 31 - 1}, and sent with the other seed`);
  refuse('definition_invalid', complaints);
  return { seed, trafficAllocationSeed } as Seeds;
}

const isSignedInteger = (value: unknown): boolean => Number.isInteger(value) && value === ((value as number) | 0);

const serverFields = ['id', 'name', 'environment', 'trafficType', 'creationTime', 'lastUpdateTime'] as const;
/** Every place that a definition has; a patch that names another would change nothing and look as if it had. */
const index = '(?:\\d+|-)';
const buckets = `(?:/${index}(?:/(?:treatment|size))?)?`;
const treatment = `(?:name|description|configurations|(?:keys|segments)(?:/${index})?)`;
const between = 'between(?:/(?:from|to))?';
const depends = `depends(?:/(?:splitName|treatment|treatments(?:/${index})?))?`;
const matcher = `(?:negate|type|attribute|string|strings(?:/${index})?|number|date|${between}|bool|${depends})`;
const condition = `(?:/(?:combiner|matchers(?:/${index}(?:/${matcher})?)?))?`;
const plainFields = ['killed', 'impressionsDisabled', 'defaultTreatment', 'baselineTreatment', 'trafficAllocation'];
const changeable = [...plainFields, 'treatments', 'defaultRule', 'rules'];
const patchable = new RegExp(
  `^/(?:(?:${serverFields.join('|')})(?:/.*)?|${plainFields.join('|')}|` +
    `treatments(?:/${index}(?:/${treatment})?)?|defaultRule${buckets}|` +
    `rules(?:/${index}(?:/(?:buckets${buckets}|condition${condition}))?)?)$`,
);
const impliedLists = /^\/treatments\/\d+\/(keys|segments)\/-$/;

/** The targeting after a patch. Fields that only the server sets may be tested but not changed. */
export function patchTargeting(definition: Definition, operations: readonly Operation[]): Targeting {
  const patched = applyPatch(withoutRevision(definition), operations, {
    mayName: patchable,
    changeable,
    impliedLists,
  }) as Members;
  refuse(
    'patch_invalid',
    serverFields
      .filter((field) => !equalJson(patched[field], definition[field]))
      .map((field) => `/${field} is set by the server and cannot be changed`),
  );
  return parseTargeting(patched, definition);
}

/** Deeper than this nothing belongs to a definition, so nothing there needs reading. */
const deepest = 10;

/** Null members are absent: official clients send null for what is not there, and crash on it in answers. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) return mapItems(value, (item) => withoutNulls(item, depth + 1));
  if (!isObject(value)) return value;
  return mapMembers(value, (member, name) =>
    member === null || name === '__proto__' ? undefined : withoutNulls(member, depth + 1),
  );
}

function withDefaults(body: unknown, defaults: { killed: boolean }): unknown {
  if (!isObject(body)) return body;
  const { killed = defaults.killed, rules = [], treatments, defaultTreatment } = body;
  return {
    trafficAllocation: 100,
    impressionsDisabled: false,
    // Without a default treatment there is one complaint to make, not two: the empty text has the right shape.
    baselineTreatment: defaultTreatment ?? '',
    ...body,
    killed: booleanFromText(killed),
    ...(treatments === undefined ? {} : { treatments: eachObject(treatments, withoutEmptyLists) }),
    rules: eachObject(rules, ruleWithDefaults),
  };
}

const eachObject = (list: unknown, change: (item: Members) => Members): unknown =>
  Array.isArray(list) ? mapItems(list, (item: unknown) => (isObject(item) ? change(item) : item)) : list;

const isEmptyList = (member: unknown): boolean => Array.isArray(member) && member.length === 0;

const withoutEmptyLists = (treatment: Members): Members =>
  mapMembers(treatment, (member) => (isEmptyList(member) ? undefined : member));

function ruleWithDefaults(rule: Members): Members {
  const { condition } = rule;
  if (!isObject(condition)) return rule;
  const { combiner = 'AND', matchers = [] } = condition;
  const tidy = eachObject(matchers, tidyMatcher);
  if (condition.combiner === combiner && condition.matchers === tidy) return rule;
  return { ...rule, condition: { ...condition, combiner, matchers: tidy } };
}

/** `negate` is shown only when true, an empty attribute is none, and a single `treatment` is a list of one. */
const tidyMatcher = (matcher: Members): Members =>
  mapMembers(matcher, (member, name) => {
    if (name === 'negate') return member === false ? undefined : member;
    if (name === 'attribute') return member === '' ? undefined : member;
    if (name === 'depends' && isObject(member)) return tidyDependency(member);
    return isEmptyForeign(matcher.type, name, member) ? undefined : member;
  });

function tidyDependency(depends: Members): Members {
  const { splitName, treatment, treatments } = depends;
  if (splitName !== undefined && treatments !== undefined) return depends;
  return { splitName, treatments: treatments ?? (treatment === undefined ? [] : [treatment]) };
}
