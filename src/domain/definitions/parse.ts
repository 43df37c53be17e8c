/** Parses definitions of flags and of rule-based segments, from a client's body or the result of a patch. */
import type { Algorithm, Bucketing } from '../bucketing.ts';
import { equalJson, isObject, type Members, mapItems, mapMembers } from '../json.ts';
import { applyPatch, type Operation } from '../json-patch.ts';
import { refuse } from '../problems.ts';
import { withoutRevision } from '../revisions.ts';
import { SegmentRules } from '../rule-based-segments.ts';
import { booleanFromText } from '../schema.ts';
import { shapeOf } from '../shapes.ts';
import { type Definition, Targeting } from './definition.ts';
import { isEmptyForeign } from './matchers.ts';

const shape = shapeOf(Targeting);

/** Parses a body: null is absent, defaults are filled in, unknown fields are dropped. Refuses a wrong shape. */
export function parseTargeting(input: unknown, defaults: { killed: boolean } = { killed: false }): Targeting {
  const filled = withDefaults(withoutNulls(input, 0), defaults);
  refuse('definition_invalid', shape.complaints(filled));
  return shape.clean(filled);
}

/**
 * The seeds and the algorithm in a body, which recreate a definition with every key in its bucket; undefined if there
 * are none. Refuses a seed without the other, anything that is not a signed 32-bit number, and an unknown algorithm.
 */
export function parseBucketing(input: unknown): Bucketing | undefined {
  const { seed, trafficAllocationSeed, algo: sentAlgo } = isObject(input) ? input : {};
  const algo = sentAlgo ?? 2;
  refuse('definition_invalid', algo === 1 || algo === 2 ? [] : ['algo must be 1 or 2']);
  if ((seed ?? trafficAllocationSeed ?? null) === null) {
    refuse('definition_invalid', algo === 1 ? ['algo 1 must be sent with both seeds'] : []);
    return undefined;
  }
  const complaints = Object.entries({ seed, trafficAllocationSeed })
    .filter(([, value]) => !isSignedInteger(value))
    .map(([name]) => `${name} must be an integer from ${-(2 ** 31)} to ${2 ** 31 - 1}, and sent with the other seed`);
  refuse('definition_invalid', complaints);
  return { seed: seed as number, trafficAllocationSeed: trafficAllocationSeed as number, algo: algo as Algorithm };
}

const isSignedInteger = (value: unknown): boolean => Number.isInteger(value) && value === ((value as number) | 0);

const segmentShape = shapeOf(SegmentRules);

/** Parses the definition of a rule-based segment as leniently as that of a flag. Refuses a wrong shape. */
export function parseSegmentRules(input: unknown): SegmentRules {
  const body = withoutNulls(input, 0);
  const filled = isObject(body) ? withSegmentDefaults(body) : body;
  const foreign = complaintsAboutOperators(filled);
  refuse('rule_based_segment_invalid', foreign.length > 0 ? foreign : segmentShape.complaints(filled));
  return segmentShape.clean(filled);
}

const withSegmentDefaults = ({ rules = [], excludedKeys = [], excludedSegments = [], ...body }: Members): Members => ({
  ...body,
  rules: eachObject(rules, ruleWithDefaults),
  excludedKeys,
  excludedSegments: eachObject(excludedSegments, withType),
});

/** Some clients leave the type out or send `segment`. The name tells which segment it is. */
const withType = (segment: Members): Members =>
  segment.type === undefined || segment.type === 'segment' ? { ...segment, type: 'standard_segment' } : segment;

/** The vendor's page on rule-based segments shows matchers that its own API does not use. */
function complaintsAboutOperators(body: unknown): string[] {
  const rules = isObject(body) && Array.isArray(body.rules) ? body.rules : [];
  for (const [index, rule] of rules.entries()) {
    const matchers = isObject(rule) && isObject(rule.condition) ? rule.condition.matchers : [];
    const at = Array.isArray(matchers) ? matchers.findIndex(hasOperator) : -1;
    if (at >= 0) return [`rules/${index}/condition/matchers/${at} ${operatorComplaint}`];
  }
  return [];
}

const hasOperator = (matcher: unknown): boolean =>
  isObject(matcher) && matcher.type === undefined && (matcher.operator !== undefined || matcher.value !== undefined);
const operatorComplaint =
  'must be a matcher as in feature flags, with type instead of operator and value: {"type":"IN_LIST_STRING","attribute":"plan","strings":["pro"]}';

const serverFields = ['id', 'name', 'environment', 'trafficType', 'creationTime', 'lastUpdateTime'] as const;
/** Every place in a definition. A patch of another place would change nothing without an error. */
const index = '(?:\\d+|-)';
const buckets = `(?:/${index}(?:/(?:treatment|size))?)?`;
const treatment = `(?:name|description|configurations|(?:keys|segments)(?:/${index})?)`;
const between = 'between(?:/(?:from|to))?';
const depends = `depends(?:/(?:splitName|treatment|treatments(?:/${index})?))?`;
const matcher = `(?:negate|type|attribute|string|strings(?:/${index})?|number|date|${between}|bool|${depends})`;
const condition = `(?:/(?:combiner|matchers(?:/${index}(?:/${matcher})?)?))?`;
const plainFields = ['killed', 'impressionsDisabled', 'defaultTreatment', 'baselineTreatment', 'trafficAllocation'];
const changeable = [...plainFields, 'treatments', 'defaultRule', 'rules', 'flagSets'];
const patchable = new RegExp(
  `^/(?:(?:${serverFields.join('|')})(?:/.*)?|${plainFields.join('|')}|` +
    `treatments(?:/${index}(?:/${treatment})?)?|defaultRule${buckets}|flagSets(?:/${index}(?:/(?:id|name|type))?)?|` +
    `rules(?:/${index}(?:/(?:name|buckets${buckets}|condition${condition}))?)?)$`,
);
const impliedLists = /^\/(treatments\/\d+\/(keys|segments)|flagSets)\/-$/;

/** The targeting after a patch. Fields set by the server can be tested but not changed. */
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

/** Definitions are never deeper, so nothing below matters. */
const deepest = 10;

/** Null members are removed: official clients send null for absent members, and crash on null in replies. */
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
  const { flagSets, ...others } = body;
  const { killed = defaults.killed, rules = [], treatments, defaultTreatment } = others;
  return {
    trafficAllocation: 100,
    impressionsDisabled: false,
    // The empty text has the right shape, so that a missing default treatment is one complaint, not two.
    baselineTreatment: defaultTreatment ?? '',
    ...others,
    killed: booleanFromText(killed),
    ...(flagSets === undefined || isEmptyList(flagSets) ? {} : { flagSets: flagSetLinks(flagSets) }),
    ...(treatments === undefined ? {} : { treatments: eachObject(treatments, withoutEmptyLists) }),
    rules: eachObject(rules, ruleWithDefaults),
  };
}

/** Named by id or by name; whoever knows the project's sets finds out which. */
const flagSetLinks = (list: unknown): unknown =>
  Array.isArray(list)
    ? list.map((item: unknown) => {
        if (typeof item === 'string') return { id: item, type: 'flag_set' };
        return isObject(item) ? { id: item.id ?? item.name, type: 'flag_set' } : item;
      })
    : list;

const eachObject = (list: unknown, change: (item: Members) => Members): unknown =>
  Array.isArray(list) ? mapItems(list, (item: unknown) => (isObject(item) ? change(item) : item)) : list;

const isEmptyList = (member: unknown): boolean => Array.isArray(member) && member.length === 0;

const withoutEmptyLists = (treatment: Members): Members =>
  mapMembers(treatment, (member) => (isEmptyList(member) ? undefined : member));

function ruleWithDefaults(sent: Members): Members {
  const rule = sent.name === '' ? mapMembers(sent, (member, name) => (name === 'name' ? undefined : member)) : sent;
  const { condition } = rule;
  if (!isObject(condition)) return rule;
  const { combiner = 'AND', matchers = [] } = condition;
  const tidy = eachObject(matchers, tidyMatcher);
  if (condition.combiner === combiner && condition.matchers === tidy) return rule;
  return { ...rule, condition: { ...condition, combiner, matchers: tidy } };
}

/** `negate` is kept only if true, an empty attribute is removed, and a single `treatment` becomes a list. */
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
