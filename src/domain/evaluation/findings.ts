/**
 * The verifier: what a definition says and probably does not mean. A finding is proven for all keys, or it says that it
 * is not: regular expressions are not analysed, and time is bounded. Examples were tried with the evaluator.
 */
import { type Static, Type } from 'typebox';
import type { Bucketing } from '../bucketing.ts';
import type { Targeting } from '../definitions/definition.ts';
import type { Matcher } from '../definitions/matchers.ts';
import { OneOf } from '../schema.ts';
import type { Evaluable } from './evaluate.ts';
import { type Context, type DefinitionOf, exampleIn, onlyRule, type Try, tryIn } from './examples.ts';
import { looserThan, type Reference } from './looser.ts';
import { newBudget, type ReachStep, reasonsOf, regionOf, type Steps, stepsOf } from './reachability.ts';
import { servedBy, treatmentsIn } from './served.ts';

const findingKinds = [
  'neverReached',
  'neverServed',
  'segment',
  'prerequisite',
  'looser',
  'rebucketed',
  'bothWays',
] as const;

const Example = Type.Object(
  {
    key: Type.String(),
    attributes: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true }),
    segments: Type.Array(Type.String(), { description: 'the key is in these and in no others' }),
    treatment: Type.Optional(Type.String({ description: 'what it gets after the change' })),
  },
  { description: 'a context that shows it' },
);
export type Example = Static<typeof Example>;

export const Finding = Type.Object({
  kind: OneOf(findingKinds),
  isProven: Type.Boolean({
    description: 'false: it may be so. It depends on regular expressions, or there is too much to look at.',
  }),
  title: Type.String(),
  text: Type.String({ description: 'why, in a sentence' }),
  rule: Type.Optional(Type.Integer({ description: 'starts at 1; one more than there are rules: everyone else' })),
  treatment: Type.Optional(Type.String()),
  segment: Type.Optional(Type.String()),
  flag: Type.Optional(Type.String({ description: 'the flag that the rule depends on' })),
  example: Type.Optional(Example),
});
export type Finding = Static<typeof Finding>;

/** Why nobody is in a segment. */
export type Nobody = 'missing' | 'inactive' | 'empty';

export interface Verified {
  readonly name: string;
  readonly targeting: Targeting;
  /** Undefined before the definition is saved: then no key's bucket is known. */
  readonly seeds: Bucketing | undefined;
  /** Another flag in the environment. Undefined: unknown. */
  readonly otherFlag: (flag: string) => Evaluable | 'notDefined' | undefined;
  /** Undefined if someone can be in it, or if that is not known. */
  readonly nobodyIn: (segment: string) => Nobody | undefined;
  /** Where changes are tried before they come here. */
  readonly staging?: Reference | undefined;
}

export function findingsOf(asked: Verified): Finding[] {
  const task = taskOf(asked);
  const prerequisites = prerequisitesNeverMet(task);
  const explained = new Set(prerequisites.map(({ rule }) => rule));
  return [
    ...neverReached(task).filter(({ rule }) => !explained.has(rule)),
    ...prerequisites,
    ...segmentsWithNobody(task),
    ...neverServed(task),
    ...(asked.staging && !task.isKilled ? looserThan(task, asked.staging) : []),
  ];
}

/** What all parts need. */
export interface Task extends Verified {
  /** As if it were not killed. */
  readonly targeting: Targeting;
  readonly isKilled: boolean;
  readonly definition: Evaluable;
  readonly definitionOf: DefinitionOf;
  readonly treatmentsOf: (flag: string) => ReadonlySet<string> | undefined;
  readonly all: Steps;
  readonly reasons: readonly (string | undefined)[];
  readonly tryIt: Try;
}

const anySeeds: Bucketing = { seed: 1, trafficAllocationSeed: 2, algo: 2 };

function taskOf(asked: Verified): Task {
  const { name, seeds = anySeeds, otherFlag } = asked;
  const targeting = { ...asked.targeting, killed: false };
  const budget = newBudget();
  const treatmentsOf = treatmentsIn((flag) => (flag === name ? targeting : otherFlag(flag)), budget);
  const all = stepsOf([targeting], treatmentsOf, budget);
  const definition = { ...targeting, ...seeds, name };
  const definitionOf: DefinitionOf = (flag) => {
    const found = otherFlag(flag);
    return found === 'notDefined' ? undefined : found;
  };
  return {
    ...asked,
    targeting,
    isKilled: asked.targeting.killed,
    definition,
    definitionOf,
    tryIt: tryIn(definition, definitionOf),
    treatmentsOf,
    all,
    reasons: reasonsOf(targeting, all),
  };
}

const nameOf = ({ rules }: Targeting, index: number): string =>
  index === rules.length ? 'Everyone else' : `Rule ${index + 1}`;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function neverReached(task: Task): Finding[] {
  const { targeting, all, reasons } = task;
  const steps = all.steps.filter(({ rule }) => rule !== undefined);
  const unchecked: number[] = [];
  const found = reasons.flatMap((why, index): Finding[] => {
    const step = steps[index] as ReachStep;
    const about = { kind: 'neverReached', rule: index + 1 } as const;
    if (why !== undefined) {
      const title = `${nameOf(targeting, index)} is never reached`;
      return [{ ...about, isProven: true, title, text: sentence(why), ...exampleOfTaken(task, step) }];
    }
    const what = obstacleFor(task, step);
    if (what === 'not known') unchecked.push(index);
    if (what === undefined || what === 'not known') return [];
    const title = `${nameOf(targeting, index)} may never be reached`;
    return [{ ...about, isProven: false, title, text: `Not proven: ${what}.` }];
  });
  const [first] = unchecked;
  if (first === undefined) return found;
  const title = 'Not all rules could be checked';
  const text = `There are too many conditions: not proven from ${nameOf(targeting, first).toLowerCase()} on.`;
  return [...found, { kind: 'neverReached', isProven: false, title, text }];
}

/** Someone who meets the conditions, but is taken before. */
function exampleOfTaken(task: Task, step: ReachStep): { example?: Example } {
  const { targeting, all, definition, definitionOf } = task;
  if (targeting.trafficAllocation === 0) return {};
  const region = regionOf(all, all.everyone, { within: [step.condition], without: [] });
  if (typeof region === 'string') return {};
  const rule = targeting.rules[step.rule ?? -1];
  const alone = rule && tryIn(onlyRule(definition, rule), definitionOf);
  const meets = (context: Context) => !alone || alone(context)?.decidedBy.kind === 'rule';
  return shown(task, exampleIn(all, region, meets));
}

/** With what it gets, if that can be known. */
function shown({ tryIt, seeds, isKilled }: Task, context: Context | undefined): { example?: Example } {
  if (!context) return {};
  const found = seeds && !isKilled ? tryIt(context) : undefined;
  const { key, attributes, segments } = context;
  const treatment = found ? { treatment: found.treatment } : {};
  return { example: { key, attributes, segments: [...segments], ...treatment } };
}

/** Why nobody was found who reaches the step, although nothing says that nobody does. */
function obstacleFor({ targeting, all, definition, definitionOf }: Task, step: ReachStep): string | undefined {
  if (all.budget.left < 0) return 'not known';
  const earlier = all.steps.slice(0, all.steps.indexOf(step));
  const without = earlier.map(({ condition }) => condition);
  const region = regionOf(all, all.untargeted, { within: [step.condition], without });
  if (region === 'not known') return region;
  const patterns = targeting.rules
    .slice(0, (step.rule ?? 0) + 1)
    .flatMap(({ condition }, index) => (condition.matchers.some(isPattern) ? [`rule ${index + 1}`] : []));
  if (region === 'none' || patterns.length === 0) return undefined;
  const tryEveryone = tryIn({ ...definition, trafficAllocation: 100 }, definitionOf);
  all.budget.left -= definition.rules.length;
  const found = exampleIn(all, region, (context) => {
    const decidedBy = tryEveryone(context)?.decidedBy;
    return decidedBy?.kind === 'rule' ? decidedBy.index === step.rule : decidedBy?.kind === 'defaultRule';
  });
  return found ? undefined : `that depends on the regular expression of ${patterns.join(' and ')}`;
}

const isPattern = ({ type }: Matcher): boolean => type === 'MATCHES_STRING';

/** The default treatment is what is left when nothing else is served, so it needs no keys. */
function neverServed({ targeting, reasons, name }: Task): Finding[] {
  const { treatments, defaultTreatment, rules, defaultRule } = targeting;
  const served = servedBy(targeting, reasons);
  const given = new Set(
    [...rules.map(({ buckets }) => buckets), defaultRule].flatMap((buckets) =>
      buckets.filter(({ size }) => size > 0).map(({ treatment }) => treatment),
    ),
  );
  return treatments
    .filter((one) => !served.has(one.name) && one.name !== defaultTreatment)
    .map(({ name: treatment }) => ({
      kind: 'neverServed' as const,
      isProven: true,
      title: `${treatment} is never served`,
      text: given.has(treatment)
        ? 'Only rules that are never reached have a share of it.'
        : `No share and no target of ${name} has it.`,
      treatment,
    }));
}

function prerequisitesNeverMet(task: Task): Finding[] {
  const { targeting, treatmentsOf } = task;
  return targeting.rules.flatMap(({ condition }, index) =>
    condition.matchers.flatMap((matcher): Finding[] => {
      const { depends, negate = false } = matcher;
      const possible = depends && treatmentsOf(depends.splitName);
      if (!depends || !possible || [...possible].some((one) => depends.treatments.includes(one) !== negate)) return [];
      const { splitName: flag, treatments } = depends;
      const given = [...possible].join(' or ');
      const isMissing = task.otherFlag(flag) === 'notDefined' ? ', because it is not defined here' : '';
      return [
        {
          kind: 'prerequisite',
          isProven: true,
          title: `Rule ${index + 1} can never match`,
          text: `It needs ${flag} to give ${negate ? 'anything but ' : ''}${treatments.join(' or ')}; everyone gets ${given}${isMissing}.`,
          rule: index + 1,
          flag,
          ...exampleWithout(task, index, matcher),
        },
      ];
    }),
  );
}

/** Someone for whom a rule fails because of this matcher alone. */
function exampleWithout(task: Task, index: number, matcher: Matcher): { example?: Example } {
  const { targeting, all, definition, definitionOf } = task;
  const rule = targeting.rules[index];
  const at = all.steps.findIndex((step) => step.rule === index);
  if (!rule || targeting.trafficAllocation === 0) return {};
  const others = rule.condition.matchers.filter((one) => one !== matcher);
  const opposite = { ...matcher, negate: !(matcher.negate ?? false) };
  const region = regionOf(all, all.untargeted, {
    within: [all.conditionOf([...others, opposite])],
    without: all.steps.slice(0, at).map(({ condition }) => condition),
  });
  if (typeof region === 'string') return {};
  // What comes after the rule may take too long to find out.
  const upToIt = tryIn({ ...definition, rules: targeting.rules.slice(0, index + 1) }, definitionOf);
  return shown(
    task,
    exampleIn(all, region, (context) => {
      const step = upToIt(context)?.steps.find((one) => one.kind === 'rule' && one.index === index);
      if (step?.kind !== 'rule') return false;
      return step.matchers.every(({ holds }, number) => holds === (rule.condition.matchers[number] !== matcher));
    }),
  );
}

const words: Readonly<Record<Nobody, string>> = {
  missing: 'does not exist',
  inactive: 'is not active here',
  empty: 'has nobody in it',
};

function segmentsWithNobody(task: Task): Finding[] {
  const { targeting, nobodyIn } = task;
  const about = (segment: string, rule: number | undefined, text: string): Finding[] => {
    const nobody = nobodyIn(segment);
    if (!nobody) return [];
    const title = `Segment ${segment} ${words[nobody]}`;
    return [{ kind: 'segment', isProven: true, title, text, segment, ...(rule === undefined ? {} : { rule }) }];
  };
  return [
    ...targeting.treatments.flatMap(({ name, segments = [] }) =>
      segments.flatMap((segment) => about(segment, undefined, `Until then it targets nobody for ${name}.`)),
    ),
    ...targeting.rules.flatMap(({ condition }, index) =>
      condition.matchers.flatMap((matcher) => {
        if (matcher.type !== 'IN_SEGMENT') return [];
        const text = matcher.negate
          ? `Until then everyone meets that condition of rule ${index + 1}.`
          : `Until then rule ${index + 1} matches nobody.`;
        const found = about(matcher.string ?? '', index + 1, text);
        return matcher.negate ? found : found.map((one) => ({ ...one, ...exampleWithout(task, index, matcher) }));
      }),
    ),
  ];
}
