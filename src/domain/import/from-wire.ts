/**
 * Rules as SDKs read them, turned back into those of the Admin API. Used where the source's own Admin API says
 * something that ours does not know, such as a spelling of a newer matcher.
 */
import { isObject, type Members, objectsOf } from '../json.ts';

/** The rules of a flag: its ROLLOUT conditions without the last one, which is the default rule. */
export function rulesFromWire(flag: Members): Members[] | undefined {
  const rollouts = objectsOf(flag.conditions).filter(({ conditionType }) => conditionType !== 'WHITELIST');
  const rules = rollouts.slice(0, -1).map((condition) => {
    const matchers = matchersFromWire(condition);
    return matchers && { buckets: bucketsFromWire(condition), condition: { combiner: 'AND', matchers } };
  });
  return allOf(rules);
}

/** A whole definition of a flag; undefined if it has a rule that there is not here. */
export function targetingFromWire(flag: Members): Members | undefined {
  const { killed, defaultTreatment, trafficAllocation = 100, impressionsDisabled = false, configurations } = flag;
  const conditions = objectsOf(flag.conditions);
  const targets = conditions.filter(({ conditionType }) => conditionType === 'WHITELIST').map(targetFromWire);
  const rules = rulesFromWire(flag);
  const defaultRule = sharesFromWire(flag).at(-1);
  if (!rules || !defaultRule || targets.includes(undefined)) return undefined;
  const inShares = conditions.flatMap(({ partitions }) => objectsOf(partitions).map(({ treatment }) => treatment));
  return {
    killed,
    treatments: [...new Set([...inShares, defaultTreatment])].map((name) => {
      const own = targets.filter((target) => target?.treatment === name);
      const configuration = isObject(configurations) ? configurations[String(name)] : undefined;
      return {
        name,
        ...(typeof configuration === 'string' ? { configurations: configuration } : {}),
        keys: own.flatMap((target) => target?.keys ?? []),
        segments: own.flatMap((target) => target?.segments ?? []),
      };
    }),
    defaultTreatment,
    trafficAllocation,
    impressionsDisabled,
    rules,
    defaultRule,
  };
}

/**
 * The body with the prerequisites of a flag as rules, which Burgee does not have otherwise: users who get another treatment
 * of the other flag get the default treatment. They come before individual targets, so these become rules, too.
 * Undefined if the traffic allocation, which does not hold for targets, would then hold for them.
 */
export function withPrerequisites(body: Members, prerequisites: readonly Members[]): Members | undefined {
  const { defaultTreatment, trafficAllocation = 100, treatments, rules } = body;
  if (prerequisites.length === 0) return body;
  const ruleOf = (treatment: unknown, matcher: Members): Members => ({
    buckets: [{ treatment, size: 100 }],
    condition: { combiner: 'AND', matchers: [matcher] },
  });
  const required = prerequisites.map(({ n, ts }) =>
    ruleOf(defaultTreatment, { type: 'IN_SPLIT', negate: true, depends: { splitName: n, treatments: ts } }),
  );
  const byKey = objectsOf(treatments).flatMap(({ name, keys }) =>
    Array.isArray(keys) && keys.length > 0 ? [ruleOf(name, { type: 'IN_LIST_STRING', strings: keys })] : [],
  );
  const bySegment = objectsOf(treatments).flatMap(({ name, segments }) =>
    (Array.isArray(segments) ? segments : []).map((string: unknown) => ruleOf(name, { type: 'IN_SEGMENT', string })),
  );
  if (trafficAllocation !== 100 && byKey.length + bySegment.length > 0) return undefined;
  return {
    ...body,
    treatments: objectsOf(treatments).map(({ keys: _, segments: __, ...treatment }) => treatment),
    rules: [...required, ...byKey, ...bySegment, ...objectsOf(rules)],
  };
}

/** Keys or a segment that get a treatment. */
function targetFromWire(condition: Members) {
  const matchers = matchersFromWire(condition) ?? [];
  const [matcher] = matchers;
  const [share] = bucketsFromWire(condition);
  if (matchers.length !== 1 || !matcher || !share || matcher.attribute !== undefined || matcher.negate)
    return undefined;
  const { type, strings, string } = matcher;
  if (type === 'IN_SEGMENT') return { treatment: share.treatment, keys: [], segments: [string] };
  return type === 'IN_LIST_STRING' && Array.isArray(strings)
    ? { treatment: share.treatment, keys: strings as unknown[], segments: [] }
    : undefined;
}

/** The definition of a rule-based segment. */
export function segmentRulesFromWire(segment: Members): Members | undefined {
  const { excluded } = segment;
  const { keys = [], segments } = isObject(excluded) ? excluded : {};
  const rules = allOf(
    objectsOf(segment.conditions).map((condition) => {
      const matchers = matchersFromWire(condition);
      return matchers && { condition: { combiner: 'AND', matchers } };
    }),
  );
  const excludedSegments = objectsOf(segments).map(({ name, type }) => ({
    name,
    type: `${String(type).replace('-', '_')}_segment`,
  }));
  return rules && { rules, excludedKeys: keys, excludedSegments };
}

/** The shares of the rule with this index, and of the default rule, which is the last, in the order that SDKs use. */
export const sharesFromWire = (flag: Members): Members[][] =>
  objectsOf(flag.conditions)
    .filter(({ conditionType }) => conditionType !== 'WHITELIST')
    .map(bucketsFromWire);

/** SDKs get treatments without a share, too. */
const bucketsFromWire = ({ partitions }: Members): Members[] =>
  objectsOf(partitions)
    .filter(({ size }) => size !== 0)
    .map(({ treatment, size }) => ({ treatment, size }));

const allOf = <Item>(items: readonly (Item | undefined)[]): Item[] | undefined =>
  items.includes(undefined) ? undefined : (items as Item[]);

function matchersFromWire({ matcherGroup }: Members): Members[] | undefined {
  const matchers = objectsOf(isObject(matcherGroup) ? matcherGroup.matchers : []).map(matcherFromWire);
  return matchers.length === 0 ? undefined : allOf(matchers);
}

/** Undefined if there is no such matcher here. */
function matcherFromWire(matcher: Members): Members | undefined {
  const { matcherType, keySelector, negate } = matcher;
  const translated = translations[String(matcherType)]?.(matcher);
  if (!translated) return undefined;
  const attribute = isObject(keySelector) ? keySelector.attribute : null;
  return {
    ...translated,
    ...(typeof attribute === 'string' ? { attribute } : {}),
    ...(negate === true ? { negate } : {}),
  };
}

const dataOf = (matcher: Members, name: string): Members => {
  const data = matcher[name];
  return isObject(data) ? data : {};
};

type Translation = (matcher: Members) => Members | undefined;

const inSegment =
  (data: string, name: string): Translation =>
  (matcher) => ({ type: 'IN_SEGMENT', string: dataOf(matcher, data)[name] });

const inList =
  (type: string): Translation =>
  (matcher) => ({ type, strings: dataOf(matcher, 'whitelistMatcherData').whitelist });

const byText =
  (type: string): Translation =>
  ({ stringMatcherData }) => ({ type, string: stringMatcherData });

const byValue =
  (number: string, date: string): Translation =>
  (matcher) => {
    const { dataType, value } = dataOf(matcher, 'unaryNumericMatcherData');
    return dataType === 'DATETIME' ? { type: date, date: value } : { type: number, number: value };
  };

const translations: Readonly<Record<string, Translation>> = {
  IN_SEGMENT: inSegment('userDefinedSegmentMatcherData', 'segmentName'),
  IN_RULE_BASED_SEGMENT: inSegment('userDefinedSegmentMatcherData', 'segmentName'),
  IN_LARGE_SEGMENT: inSegment('userDefinedLargeSegmentMatcherData', 'largeSegmentName'),
  WHITELIST: inList('IN_LIST_STRING'),
  STARTS_WITH: inList('STARTS_WITH_STRING'),
  ENDS_WITH: inList('ENDS_WITH_STRING'),
  CONTAINS_STRING: inList('CONTAINS_STRING'),
  EQUAL_TO_SET: inList('EQUAL_SET'),
  CONTAINS_ANY_OF_SET: inList('ANY_OF_SET'),
  CONTAINS_ALL_OF_SET: inList('ALL_OF_SET'),
  PART_OF_SET: inList('PART_OF_SET'),
  IN_LIST_SEMVER: inList('IN_LIST_SEMVER'),
  MATCHES_STRING: byText('MATCHES_STRING'),
  EQUAL_TO_SEMVER: byText('EQUAL_TO_SEMVER'),
  GREATER_THAN_OR_EQUAL_TO_SEMVER: byText('GREATER_THAN_OR_EQUAL_TO_SEMVER'),
  LESS_THAN_OR_EQUAL_TO_SEMVER: byText('LESS_THAN_OR_EQUAL_TO_SEMVER'),
  EQUAL_TO: byValue('EQUAL_NUMBER', 'ON_DATE'),
  GREATER_THAN_OR_EQUAL_TO: byValue('GREATER_THAN_OR_EQUAL_NUMBER', 'ON_OR_AFTER_DATE'),
  LESS_THAN_OR_EQUAL_TO: byValue('LESS_THAN_OR_EQUAL_NUMBER', 'ON_OR_BEFORE_DATE'),
  EQUAL_TO_BOOLEAN: ({ booleanMatcherData }) => ({ type: 'BOOLEAN', bool: booleanMatcherData }),
  BETWEEN: (matcher) => {
    const { dataType, start, end } = dataOf(matcher, 'betweenMatcherData');
    return { type: dataType === 'DATETIME' ? 'BETWEEN_DATE' : 'BETWEEN_NUMBER', between: { from: start, to: end } };
  },
  BETWEEN_SEMVER: (matcher) => {
    const { start, end } = dataOf(matcher, 'betweenStringMatcherData');
    return { type: 'BETWEEN_SEMVER', between: { from: start, to: end } };
  },
  IN_SPLIT_TREATMENT: (matcher) => {
    const { split, treatments } = dataOf(matcher, 'dependencyMatcherData');
    return { type: 'IN_SPLIT', depends: { splitName: split, treatments } };
  },
};
