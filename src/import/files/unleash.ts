/**
 * Reads an Unleash export: features of one environment, from its *Export* page or from
 * `POST /api/admin/features-batch/export`. Features that Burgee cannot express are left out, small differences are
 * reported. Unleash buckets users in its own way, so every percentage rollout is re-bucketed.
 */
import type { Matcher } from '#domain/definitions/matchers.ts';
import type { SourceAccount, SourceFlag, Unread } from '#domain/import/source.ts';
import { isObject, type Members, objectsOf } from '#domain/json.ts';
import {
  accountOf,
  type Bucket,
  type Clause,
  definitionsIn,
  everyone,
  flagNameFor,
  nameFor,
  noneOf,
  rulesOf,
  text,
  texts,
  toPercents,
  treatmentNames,
  Unmapped,
} from './mapping.ts';

export const isUnleash = (document: unknown): boolean =>
  isObject(document) && Array.isArray(document.features) && Array.isArray(document.featureStrategies);

export function readUnleash(document: Members, project: string): SourceAccount {
  const unread: Unread[] = [];
  const features = objectsOf(document.features).filter((feature) => {
    if (feature.archived !== true) return true;
    unread.push({ what: `Flag ${text(feature.name)}`, why: 'Left out: it is archived.' });
    return false;
  });
  return accountOf('Unleash', project, {
    environments: objectsOf(document.featureEnvironments).map(({ environment }) => text(environment)),
    attributes: attributesOf(document),
    flags: features.map((feature) => toFlag(feature, document, unread)),
    segments: [],
    unread,
  });
}

const attributesOf = (document: Members) =>
  objectsOf(document.contextFields)
    .filter(({ name }) => name !== 'userId')
    .map(({ name, description, legalValues }) => ({
      id: text(name),
      displayName: text(name),
      description: text(description),
      suggestedValues: objectsOf(legalValues).map(({ value }) => text(value)),
    }));

function toFlag(feature: Members, document: Members, unread: Unread[]): SourceFlag {
  const key = text(feature.name);
  const name = flagNameFor(key, unread);
  const mine = (list: unknown) => objectsOf(list).filter(({ featureName }) => featureName === key);
  const strategies = mine(document.featureStrategies)
    .filter(({ disabled }) => disabled !== true)
    .sort((a, b) => Number(a.sortOrder ?? 0) - Number(b.sortOrder ?? 0));
  const definitions = mine(document.featureEnvironments).flatMap((settings) =>
    definitionsIn(text(settings.environment), { flag: name, unread }, (note) =>
      bodyOf({ key, strategies, settings, document, note }),
    ),
  );
  return {
    name,
    description: text(feature.description),
    trafficType: 'user',
    rolloutStatus: undefined,
    tags: mine(document.featureTags).map(({ tagValue }) => text(tagValue)),
    owners: [],
    creationTime: undefined,
    definitions,
  };
}

interface Feature {
  readonly key: string;
  readonly strategies: readonly Members[];
  readonly settings: Members;
  readonly document: Members;
  note(why: string): void;
}

function bodyOf({ key, strategies, settings, document, note }: Feature): Members {
  const variants = variantsOf(strategies, settings);
  const served = strategies.map((strategy) => ({
    clauses: [...userIdsOf(strategy), ...objectsOf(strategy.constraints).flatMap(clausesOf), ...segmentsOf(strategy)],
    buckets: sharesOf(strategy, variants, note),
  }));
  // Unleash tries users whom one strategy leaves out with the next. In Burgee the first matching rule decides, so only
  // the last may leave users out.
  const isFinal = ({ buckets }: { buckets: readonly Bucket[] }) =>
    buckets.every(({ treatment }) => treatment !== 'off');
  if (!served.slice(0, -1).every(isFinal)) {
    throw new Unmapped('several strategies take turns, and one that is not the last has less than 100%');
  }
  const parents = objectsOf(objectsOf(document.dependencies).find(({ feature }) => feature === key)?.dependencies);
  const forAll = served.findIndex(({ clauses }) => clauses.length === 0);
  const conditional = forAll < 0 ? served : served.slice(0, forAll);
  return {
    treatments: [...variants.list, { name: 'off' }],
    defaultTreatment: 'off',
    killed: settings.enabled !== true,
    rules: [...parents.map(unmet), ...conditional.flatMap(({ clauses, buckets }) => rulesOf(clauses, buckets))],
    // Without any strategy a feature is on for everyone.
    defaultRule: served[forAll]?.buckets ?? everyone(served.length === 0 ? variants.only : 'off'),
  };
}

interface Variants {
  readonly list: readonly Members[];
  /** The treatment of everyone, if there are no variants. */
  readonly only: string;
  /** Their weights by name; empty if there are none. */
  readonly weights: readonly { readonly treatment: string; readonly weight: number }[];
}

/** The variants of the strategies, which must agree, or the environment's own, which older versions have. */
function variantsOf(strategies: readonly Members[], settings: Members): Variants {
  const lists = strategies.map(({ variants }) => objectsOf(variants)).filter((list) => list.length > 0);
  const [first = objectsOf(settings.variants), ...others] = lists;
  if (
    others.some((other) => JSON.stringify(other) !== JSON.stringify(first)) ||
    (lists.length > 0 && lists.length < strategies.length)
  ) {
    throw new Unmapped('its strategies have different variants');
  }
  if (first.length === 0) return { list: [{ name: 'on' }], only: 'on', weights: [] };
  if (first.some(({ overrides }) => objectsOf(overrides).length > 0)) throw new Unmapped('a variant has overrides');
  const names = treatmentNames(first.map(({ name }) => text(name)));
  if (names.includes('off')) throw new Unmapped('a variant is named off');
  const list = first.map(({ payload }, index) => ({
    name: names[index],
    ...(isObject(payload) ? { configurations: configurationsOf(payload) } : {}),
  }));
  const weights = first.map(({ weight }, index) => ({ treatment: names[index] ?? '', weight: Number(weight) }));
  return { list, only: names[0] ?? 'on', weights };
}

function configurationsOf({ type, value }: Members): string {
  return type === 'json' ? text(value) : JSON.stringify({ value: text(value) });
}

const stickyByKey = ['default', 'userId', undefined, ''];

function sharesOf(strategy: Members, { weights, only }: Variants, note: (why: string) => void): Bucket[] {
  const parameters = isObject(strategy.parameters) ? strategy.parameters : {};
  const share = shareOf(text(strategy.name), parameters);
  if (!stickyByKey.includes(parameters.stickiness as string))
    throw new Unmapped(`its rollout is by ${text(parameters.stickiness)}`);
  const all = weights.length > 0 ? weights : [{ treatment: only, weight: 1 }];
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  const { buckets, isExact } = toPercents([
    ...all.map(({ treatment, weight }) => ({ treatment, weight: (share * weight) / total })),
    ...(share < 100 ? [{ treatment: 'off', weight: 100 - share }] : []),
  ]);
  if (!isExact) note('Its shares are rounded to whole percents.');
  return buckets;
}

function shareOf(name: string, parameters: Members): number {
  if (name === 'default' || name === 'userWithId') return 100;
  if (name === 'flexibleRollout') return Number(parameters.rollout ?? 100);
  if (name === 'gradualRolloutUserId') return Number(parameters.percentage ?? 100);
  throw new Unmapped(`it uses the strategy ${name}`);
}

const userIdsOf = ({ name, parameters }: Members): Clause[] => {
  if (name !== 'userWithId') return [];
  const strings = text(isObject(parameters) ? parameters.userIds : '')
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean);
  if (strings.length === 0) throw new Unmapped('it lists no users');
  return [[{ type: 'IN_LIST_STRING', strings }]];
};

function segmentsOf({ segments }: Members): Clause[] {
  if (Array.isArray(segments) && segments.length > 0) {
    throw new Unmapped('it uses segments, and an export has only their names');
  }
  return [];
}

/** A rule that serves `off` to users who do not get the parent as required. */
function unmet({ feature, enabled, variants }: Members): Members {
  const mustBeOff = enabled === false;
  const required = texts(variants);
  // Without variants, every treatment of the parent except `off` is on.
  const isAnyOn = !mustBeOff && required.length === 0;
  const treatments = mustBeOff || isAnyOn ? ['off'] : treatmentNames(required);
  const depends = { splitName: nameFor(text(feature)), treatments };
  const clause = isAnyOn
    ? { type: 'IN_SPLIT' as const, depends }
    : { type: 'IN_SPLIT' as const, negate: true, depends };
  return rulesOf([[clause]], everyone('off'))[0] ?? {};
}

const onTexts: Readonly<Record<string, Matcher['type']>> = {
  IN: 'IN_LIST_STRING',
  STR_STARTS_WITH: 'STARTS_WITH_STRING',
  STR_ENDS_WITH: 'ENDS_WITH_STRING',
  STR_CONTAINS: 'CONTAINS_STRING',
};

function clausesOf(constraint: Members): Clause[] {
  const { contextName, operator, inverted, caseInsensitive } = constraint;
  const isNotIn = operator === 'NOT_IN';
  const clause = clauseOf(text(contextName), isNotIn ? 'IN' : text(operator), constraint);
  if (caseInsensitive === true && /^STR_/.test(text(operator))) throw new Unmapped('a constraint ignores case');
  return (inverted === true) !== isNotIn ? noneOf(clause) : [clause];
}

function clauseOf(contextName: string, operator: string, { values, value }: Members): Clause {
  const place = contextName === 'userId' ? {} : { attribute: contextName };
  const type = onTexts[operator];
  if (type) {
    if (texts(values).length === 0) throw new Unmapped('a constraint has no values');
    return [{ type, ...place, strings: texts(values) }];
  }
  const attribute = contextName;
  const number = Number(value);
  if (Number.isSafeInteger(number)) {
    if (operator === 'NUM_EQ') return [{ type: 'EQUAL_NUMBER', attribute, number }];
    if (operator === 'NUM_LTE') return [{ type: 'LESS_THAN_OR_EQUAL_NUMBER', attribute, number }];
    if (operator === 'NUM_GTE') return [{ type: 'GREATER_THAN_OR_EQUAL_NUMBER', attribute, number }];
  }
  if (operator === 'SEMVER_EQ') return [{ type: 'EQUAL_TO_SEMVER', attribute, string: text(value) }];
  throw new Unmapped(`a constraint is "${contextName} ${operator} ${text(value)}", which Burgee does not have`);
}
