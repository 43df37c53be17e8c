/**
 * The flags of a LaunchDarkly project, as its API lists them: `GET /api/v2/flags/<project>?summary=0`, with
 * `segments` beside `items` for those of each environment, if there are some: `{"<environment>": [segment, …]}`.
 * What Burgee cannot express is left out, small differences are reported. Buckets are LaunchDarkly's own, so every
 * percentage rollout is re-bucketed.
 */
import type { Matcher } from '#domain/definitions/matchers.ts';
import type { SourceAccount, SourceFlag, SourceSegment, Unread } from '#domain/import/source.ts';
import { isObject, type Members, objectsOf } from '#domain/json.ts';
import {
  accountOf,
  attempt,
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

export const isLaunchDarkly = (document: unknown): boolean =>
  isObject(document) &&
  objectsOf(document.items).some((flag) => Array.isArray(flag.variations) && isObject(flag.environments));

export function readLaunchDarkly(document: Members, project: string): SourceAccount {
  const unread: Unread[] = [];
  const items = objectsOf(document.items);
  const treatments = new Map(items.map((flag) => [text(flag.key), treatmentsOf(flag)]));
  const flags = items.flatMap((flag) => {
    if (flag.archived === true) {
      unread.push({ what: `Flag ${text(flag.key)}`, why: 'Left out: it is archived.' });
      return [];
    }
    return [toFlag(flag, treatments, unread)];
  });
  return accountOf('LaunchDarkly', project, {
    environments: items.flatMap(({ environments }) => Object.keys(isObject(environments) ? environments : {})),
    flags,
    segments: segmentsOf(document.segments, unread),
    unread,
  });
}

interface Variations {
  /** The name of each variation's treatment. */
  readonly names: readonly string[];
  readonly list: readonly Members[];
}

function treatmentsOf(flag: Members): Variations {
  const variations = objectsOf(flag.variations);
  const isBoolean = variations.length === 2 && variations.every(({ value }) => typeof value === 'boolean');
  if (isBoolean) {
    const names = variations.map(({ value }) => (value === true ? 'on' : 'off'));
    return { names, list: names.map((name) => ({ name })) };
  }
  const names = treatmentNames(
    variations.map(({ name, value }) => text(name) || (typeof value === 'object' ? '' : String(value))),
  );
  // SDKs of Split give the value as the configuration of the treatment.
  const list = variations.map(({ value, description }, index) => ({
    name: names[index],
    ...(text(description) ? { description: text(description) } : {}),
    configurations: JSON.stringify(isObject(value) ? value : { value }),
  }));
  return { names, list };
}

type AllVariations = ReadonlyMap<string, Variations>;

function toFlag(flag: Members, all: AllVariations, unread: Unread[]): SourceFlag {
  const key = text(flag.key);
  const name = flagNameFor(key, unread);
  const maintainer = isObject(flag._maintainer) ? text(flag._maintainer.email) : '';
  const definitions = Object.entries(isObject(flag.environments) ? flag.environments : {}).flatMap(
    ([environment, settings]) => {
      if (!isObject(settings)) return [];
      return definitionsIn(environment, { flag: name, unread }, (note) => bodyOf(flag, settings, { all, note }));
    },
  );
  return {
    name,
    description: text(flag.description) || text(flag.name),
    trafficType: 'user',
    rolloutStatus: undefined,
    tags: texts(flag.tags),
    owners: maintainer ? [{ kind: 'user', name: maintainer }] : [],
    creationTime: typeof flag.creationDate === 'number' ? flag.creationDate : undefined,
    definitions,
  };
}

interface Mapping {
  readonly all: AllVariations;
  readonly note: NoteIt;
}

function bodyOf(flag: Members, settings: Members, mapping: Mapping): Members {
  const variations = mapping.all.get(text(flag.key)) ?? { names: [], list: [] };
  const nameOf = (index: unknown): string => {
    const name = typeof index === 'number' ? variations.names[index] : undefined;
    if (name === undefined) throw new Unmapped('it serves a variation that does not exist');
    return name;
  };
  if (settings.offVariation === undefined || settings.offVariation === null) {
    throw new Unmapped('it serves no variation while it is off');
  }
  const off = nameOf(settings.offVariation);
  const targets = targetsOf(settings, nameOf);
  const prerequisites = objectsOf(settings.prerequisites);
  if (prerequisites.length > 0 && targets.size > 0) {
    throw new Unmapped('prerequisites come before individual targets in LaunchDarkly, and after them in Burgee');
  }
  const served = (rule: Members): Bucket[] => sharesOf(rule, nameOf, mapping);
  return {
    treatments: variations.list.map((treatment, index) => {
      const keys = targets.get(index);
      return keys ? { ...treatment, keys } : treatment;
    }),
    defaultTreatment: off,
    killed: settings.on !== true,
    rules: [
      ...prerequisites.map((needed) => unmet(needed, off, mapping.all)),
      ...objectsOf(settings.rules).flatMap((rule) =>
        rulesOf(
          objectsOf(rule.clauses).flatMap((clause) => clausesOf(clause, mapping.note)),
          served(rule),
        ),
      ),
    ],
    defaultRule: served(isObject(settings.fallthrough) ? settings.fallthrough : {}),
  };
}

/** The keys of each variation, by its index. */
function targetsOf(settings: Members, nameOf: (index: unknown) => string): Map<number, string[]> {
  const targets = new Map<number, string[]>();
  for (const { variation, values, contextKind } of [
    ...objectsOf(settings.targets),
    ...objectsOf(settings.contextTargets),
  ]) {
    if (contextKind !== undefined && contextKind !== 'user')
      throw new Unmapped(`it targets contexts of kind ${text(contextKind)}`);
    if (texts(values).length === 0) continue;
    nameOf(variation);
    targets.set(variation as number, [...new Set([...(targets.get(variation as number) ?? []), ...texts(values)])]);
  }
  return targets;
}

/** Users who get another variation of the needed flag get the off variation of this one. */
function unmet({ key, variation }: Members, off: string, all: AllVariations): Members {
  const treatment = all.get(text(key))?.names[variation as number];
  if (treatment === undefined) throw new Unmapped(`it depends on ${text(key)}, which is not in the file`);
  const depends = { splitName: nameFor(text(key)), treatments: [treatment] };
  const [rule] = rulesOf([[{ type: 'IN_SPLIT', negate: true, depends }]], everyone(off));
  return rule ?? {};
}

function sharesOf({ variation, rollout }: Members, nameOf: (index: unknown) => string, { note }: Mapping): Bucket[] {
  if (!isObject(rollout)) return everyone(nameOf(variation));
  if (rollout.kind === 'experiment') throw new Unmapped('it runs an experiment');
  const { bucketBy = 'key', contextKind = 'user' } = rollout;
  if (bucketBy !== 'key' || contextKind !== 'user')
    throw new Unmapped(`its rollout is by ${text(contextKind)} ${text(bucketBy)}`);
  const weights = objectsOf(rollout.variations).map((one) => ({
    treatment: nameOf(one.variation),
    weight: Number(one.weight),
  }));
  const { buckets, isExact } = toPercents(weights.filter(({ weight }) => weight > 0));
  if (!isExact) note('Its shares are rounded to whole percents.');
  return buckets;
}

/** Reports what is a little different. */
type NoteIt = (why: string) => void;

function clausesOf(clause: Members, note: NoteIt): Clause[] {
  const { attribute, op, values, negate, contextKind = 'user' } = clause;
  if (contextKind !== 'user') throw new Unmapped(`a rule is about contexts of kind ${text(contextKind)}`);
  if (!Array.isArray(values) || values.length === 0) throw new Unmapped('a condition has no value');
  const found = clauseOf(text(attribute), text(op), values);
  if (negate !== true) return [found];
  if (attribute !== 'key' && op !== 'segmentMatch') {
    note(`Users without ${text(attribute)} match a negated condition in Burgee, but not in LaunchDarkly.`);
  }
  return noneOf(found);
}

const onTexts: Readonly<Record<string, Matcher['type']>> = {
  in: 'IN_LIST_STRING',
  startsWith: 'STARTS_WITH_STRING',
  endsWith: 'ENDS_WITH_STRING',
  contains: 'CONTAINS_STRING',
};

/** Of a condition that must hold for one of the values. */
function clauseOf(attribute: string, op: string, values: readonly unknown[]): Clause {
  const place = attribute === 'key' ? {} : { attribute };
  const type = onTexts[op];
  if (type && values.every((value) => typeof value === 'string')) return [{ type, ...place, strings: [...values] }];
  return values.map((value): Matcher => {
    if (op === 'matches') return { type: 'MATCHES_STRING', ...place, string: text(value) };
    if (op === 'segmentMatch') return { type: 'IN_SEGMENT', string: nameFor(text(value)) };
    if (attribute === 'key') throw new Unmapped(`a rule compares the key by ${op}`);
    if (op === 'in' && typeof value === 'boolean') return { type: 'BOOLEAN', attribute, bool: value };
    if (op === 'in' && Number.isSafeInteger(value)) return { type: 'EQUAL_NUMBER', attribute, number: value as number };
    return comparison(attribute, op, value);
  });
}

/** Burgee compares whole numbers; "less than" and "greater than" have no counterpart for others. */
function comparison(attribute: string, op: string, value: unknown): Matcher {
  if (Number.isSafeInteger(value)) {
    const number = value as number;
    if (op === 'lessThanOrEqual') return { type: 'LESS_THAN_OR_EQUAL_NUMBER', attribute, number };
    if (op === 'greaterThanOrEqual') return { type: 'GREATER_THAN_OR_EQUAL_NUMBER', attribute, number };
  }
  if (op === 'semVerEqual') return { type: 'EQUAL_TO_SEMVER', attribute, string: text(value) };
  throw new Unmapped(`a condition is "${attribute} ${op} ${String(value)}", which Burgee does not have`);
}

/** A segment is active where the file has it. Its rules come as a rule-based segment, its keys as a standard one. */
function segmentsOf(byEnvironment: unknown, unread: Unread[]): SourceSegment[] {
  const found = new Map<string, SourceSegment>();
  for (const [environment, list] of Object.entries(isObject(byEnvironment) ? byEnvironment : {})) {
    for (const segment of objectsOf(list)) {
      const name = nameFor(text(segment.key));
      const what = `Segment ${name} in ${environment}`;
      const one = attempt(unread, what, () =>
        toSegment(segment, { name, environment, note: (why) => unread.push({ what, why }) }),
      );
      if (!one) continue;
      const known = found.get(name);
      if (known && known.kind !== one.kind) {
        unread.push({
          what,
          why: `Left out: it has ${one.kind === 'standard' ? 'keys' : 'rules'} here, and not elsewhere.`,
        });
      } else found.set(name, known ? { ...known, environments: [...known.environments, ...one.environments] } : one);
    }
  }
  return [...found.values()];
}

interface SegmentPlace {
  readonly name: string;
  readonly environment: string;
  readonly note: NoteIt;
}

function toSegment(segment: Members, { name, environment, note }: SegmentPlace): SourceSegment {
  const [included, excluded, rules] = [texts(segment.included), texts(segment.excluded), objectsOf(segment.rules)];
  if (segment.unbounded === true) throw new Unmapped('the file has no keys of big segments');
  if (rules.some(({ weight }) => weight !== undefined && weight !== null))
    throw new Unmapped('a rule takes in only a share of keys');
  const same = { name, description: text(segment.description), trafficType: 'user', tags: texts(segment.tags) };
  if (rules.length === 0) {
    const keys = included.filter((key) => !excluded.includes(key));
    const activation = { environment, changeNumber: undefined, keyCount: keys.length, keys: () => once(keys) };
    return { ...same, kind: 'standard', environments: [activation] };
  }
  const conditions = rules.flatMap(({ clauses }) =>
    rulesOf(
      objectsOf(clauses).flatMap((clause) => clausesOf(clause, note)),
      [],
    ),
  );
  const own = included.length > 0 ? rulesOf([[{ type: 'IN_LIST_STRING', strings: included }]], []) : [];
  const definition = {
    rules: [...own, ...conditions].map(({ condition }) => ({ condition })),
    // In LaunchDarkly, a key in both lists is included.
    excludedKeys: excluded.filter((key) => !included.includes(key)),
    excludedSegments: [],
  };
  return {
    ...same,
    kind: 'rule_based',
    environments: [{ environment, definition, changeNumber: undefined, keyCount: undefined }],
  };
}

async function* once(keys: readonly string[]): AsyncGenerator<readonly string[]> {
  yield keys;
}
