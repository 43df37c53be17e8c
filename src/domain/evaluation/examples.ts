/** Finds example keys and attributes. Each is tried with the evaluator, so that it really shows what it is for. */
import type { Targeting } from '../definitions/definition.ts';
import { type Evaluable, type Evaluation, evaluatorOf, type World } from './evaluate.ts';
import { matchesIfQuick } from './pattern-steps.ts';
import type { Possible, Region, Steps } from './reachability.ts';

/** A context to evaluate. */
export interface Context {
  readonly key: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The key is in these segments and in no others. */
  readonly segments: readonly string[];
}

/** Flags in the same environment, with their seeds. */
export type DefinitionOf = (flag: string) => Evaluable | undefined;

/** Undefined if a regular expression would take too long. */
export type Try = (context: Context) => Evaluation | undefined;

export function tryIn(definition: Evaluable, definitionOf: DefinitionOf): Try {
  let inside: readonly string[] = [];
  const world: World = {
    definitionOf,
    listsKey: (segment) => inside.includes(segment),
    segmentRulesOf: () => undefined,
    matches: (pattern, text) => {
      const result = matchesIfQuick(pattern, text);
      if (result === undefined) throw new TooSlow();
      return result;
    },
  };
  const evaluate = evaluatorOf(definition, world);
  return ({ key, attributes, segments }) => {
    inside = segments;
    try {
      return evaluate({ key, attributes });
    } catch (error) {
      if (error instanceof TooSlow) return undefined;
      throw error;
    }
  };
}

class TooSlow extends Error {}

/** The definition with nothing but this rule. */
export const onlyRule = (definition: Evaluable, rule: Targeting['rules'][number]): Evaluable => ({
  ...definition,
  killed: false,
  treatments: definition.treatments.map(({ name }) => ({ name })),
  trafficAllocation: 100,
  rules: [rule],
});

const maxTries = 400;
/** What trying a context takes from the budget, for each rule. The unit is looking at one case. */
const tryCost = 40;

/** The first context found in the region for which `shows` holds. */
export function exampleIn(
  { budget, steps }: Steps,
  region: Region,
  shows: (context: Context) => boolean,
): Context | undefined {
  const attributes = attributesIn(region);
  const segments = region.flatMap(({ topic, cases }) =>
    topic.kind === 'segment' && cases.every(({ holds }) => holds[0]) ? [topic.name] : [],
  );
  let tries = 0;
  for (const key of keysIn(region)) {
    if (shows({ key, attributes, segments })) return { key, attributes, segments };
    tries += 1;
    budget.left -= tryCost * steps.length;
    if (tries === maxTries || budget.left < 0) return undefined;
  }
  return undefined;
}

/** Only attributes that make a difference. */
function attributesIn(region: Region): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { topic, cases } of region) {
    if (topic.kind === 'attribute' && !Object.hasOwn(values, topic.name)) {
      const [first] = cases;
      if (first && cases.every(({ value }) => value !== undefined)) set(topic.name, first.value);
    }
    if (topic.kind === 'pattern' && topic.attribute !== undefined && mustHold({ topic, cases })) {
      if (!Object.hasOwn(values, topic.attribute)) set(topic.attribute, textsFor(topic.pattern)[0]);
    }
  }
  return values;

  // Not by assignment: an attribute may be called __proto__.
  function set(name: string, value: unknown): void {
    if (value !== undefined) Object.defineProperty(values, name, { value, enumerable: true });
  }
}

const mustHold = ({ cases }: Possible): boolean => cases.every(({ holds }) => holds[0] === true);

/** Many keys, because the treatment of a key depends on its bucket. */
function* keysIn(region: Region): Generator<string> {
  const wanted = region.find(({ topic }) => topic.kind === 'key')?.cases ?? [];
  const texts = wanted.slice(0, 3).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  const pattern = region.flatMap((one) =>
    one.topic.kind === 'pattern' && one.topic.attribute === undefined && mustHold(one) ? [one.topic.pattern] : [],
  )[0];
  if (pattern !== undefined) yield* textsFor(pattern).filter(isKey);
  if (texts.length === 0) for (let number = 1; number <= maxTries; number += 1) yield `user-${number}`;
  else yield* variantsOf(texts);
}

function* variantsOf(texts: readonly string[]): Generator<string> {
  yield* texts.filter(isKey);
  for (let number = 1; number <= maxTries; number += 1) {
    for (const text of texts) {
      const places = [Math.floor(text.length / 2), text.length, text.length - 1, 1, 0];
      for (const place of new Set(places)) {
        const key = `${text.slice(0, place)}${number}${text.slice(place)}`;
        if (isKey(key)) yield key;
      }
    }
  }
}

/** SDKs accept it, and people can read it. */
const isKey = (text: string): boolean =>
  text.trim() === text && text.length > 0 && text.length <= 250 && !/\p{C}/u.test(text);

const commonValues = [
  '1',
  '12',
  '123',
  'a',
  'abc',
  'ABC',
  'user-1',
  'someone@example.com',
  'DE',
  '1.0.0',
  '2026-01-31',
  'true',
];

/** Texts that match the expression: its literal characters, and common values. */
function textsFor(pattern: string): string[] {
  const literal = pattern
    .replace(/^\^|\$$/g, '')
    .replace(/\(\??:?([^()|]*)(?:\|[^()]*)?\)/g, '$1')
    .replace(/\|.*$/, '')
    .replace(/\\d[+*]?/g, '1')
    .replace(/\.[+*]/g, 'x')
    .replace(/\\(\W)/g, '$1');
  return [literal, ...commonValues].filter((text) => text !== '' && matchesIfQuick(pattern, text) === true);
}
