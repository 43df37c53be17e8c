/**
 * Evaluates a flag for a key and explains the result: the steps of the definition in order, up to the one that decides.
 * Exactly like the official SDKs; a test compares it with their engine. The definition must be valid.
 */

import { bucketOf, type Seeds, type Share, treatmentAt } from '../bucketing.ts';
import type { Targeting } from '../definitions/definition.ts';
import type { Matcher } from '../definitions/matchers.ts';
import { testOf, toText } from './match.ts';

export type Evaluable = Targeting & Seeds & { readonly name: string };

/** The key and attributes to evaluate. */
export interface Subject {
  readonly key: string;
  /** JSON values: what SDKs accept, and what callers send by mistake. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The rest of the environment. */
export interface World {
  /** Undefined if the flag is not defined. */
  readonly definitionOf: (flag: string) => Evaluable | undefined;
  readonly isInSegment: (segment: string, key: string) => boolean;
  /** `matchesPattern`, or a safe way to run it. Errors end the evaluation. */
  readonly matches: (pattern: string, text: string) => boolean;
}

export interface Evaluation {
  readonly treatment: string;
  /** The treatment's configuration as JSON text. */
  readonly config: string | undefined;
  /** The steps taken, in order. Only the last one decided. */
  readonly steps: readonly Step[];
  /** The last step. */
  readonly decidedBy: Step;
}

export type Step =
  | { readonly kind: 'killed' }
  /** Individual targets: by key, or by a segment if it decides and names one. */
  | { readonly kind: 'targets'; readonly segment?: string }
  /** Decides about keys outside the allocation. No bucket if all are inside. */
  | { readonly kind: 'allocation'; readonly bucket?: number }
  /** With a bucket if the rule decides. */
  | {
      readonly kind: 'rule';
      readonly index: number;
      readonly matchers: readonly MatcherOutcome[];
      readonly bucket?: number;
    }
  | { readonly kind: 'defaultRule'; readonly bucket: number }
  /** For a flag that a rule depends on: it is not defined here, or it is already being evaluated. */
  | { readonly kind: 'notDefined' | 'circle' };

/** The result of a rule's matcher, in matcher order. */
export interface MatcherOutcome {
  /** After `negate`. */
  readonly holds: boolean;
  /** The compared value: the key, or the attribute as given. */
  readonly value: unknown;
  /**
   * `missing`: no such attribute. `unreadable`: wrong type for the matcher. Neither matches, so both hold if negated.
   */
  readonly reading: 'read' | 'missing' | 'unreadable';
  /** The evaluation of the flag that the matcher depends on. */
  readonly other?: Evaluation;
}

/** The treatment of a flag that cannot be evaluated. */
export const control = 'control';

/** The key as SDKs accept it; undefined if they refuse it. */
export function parseKey(text: string): string | undefined {
  const key = text.trim();
  return key.length > 0 && key.length <= 250 ? key : undefined;
}

/** Precomputes what depends only on the definition, so that many subjects can be evaluated quickly. */
export function evaluatorOf(definition: Evaluable, world: World): (subject: Subject) => Evaluation {
  const flags = new Map([[definition.name, prepare(definition)]]);
  const find = (name: string): Prepared => {
    const found = flags.get(name) ?? prepareIfDefined(world.definitionOf(name));
    flags.set(name, found);
    return found;
  };
  return (subject) => {
    const answers = new Map<string, Evaluation>();
    const ask = (name: string): Evaluation => {
      const known = answers.get(name);
      if (known) return known;
      // Evaluating the same flag again before this is done means a cycle.
      answers.set(name, unevaluated('circle'));
      const answer = find(name)({ subject, world, ask });
      answers.set(name, answer);
      return answer;
    };
    return ask(definition.name);
  };
}

interface Question {
  readonly subject: Subject;
  readonly world: World;
  /** Evaluates another flag for the subject. */
  readonly ask: (flag: string) => Evaluation;
}
type Prepared = (question: Question) => Evaluation;

/** A step, and the treatment if it decides. */
type Look = (question: Question) => { readonly step: Step; readonly treatment?: string };

function prepare(definition: Evaluable): Prepared {
  const configs = new Map(definition.treatments.map(({ name, configurations }) => [name, configurations || undefined]));
  const looks: Look[] = [
    lookAtKill(definition),
    lookAtTargets(definition),
    lookAtAllocation(definition),
    ...definition.rules.map((rule, index) => lookAtRule(rule, index, definition)),
    lookAtDefaultRule(definition),
  ];
  return (question) => {
    const steps: Step[] = [];
    for (const look of looks) {
      const { step, treatment } = look(question);
      steps.push(step);
      if (treatment !== undefined) return { treatment, config: configs.get(treatment), steps, decidedBy: step };
    }
    throw new Error('the default rule decides');
  };
}

const prepareIfDefined = (definition: Evaluable | undefined): Prepared =>
  definition ? prepare(definition) : () => unevaluated('notDefined');

function unevaluated(kind: 'notDefined' | 'circle'): Evaluation {
  const decidedBy = { kind };
  return { treatment: control, config: undefined, steps: [decidedBy], decidedBy };
}

const lookAtKill =
  ({ killed, defaultTreatment }: Evaluable): Look =>
  () =>
    killed ? { step: { kind: 'killed' }, treatment: defaultTreatment } : { step: { kind: 'killed' } };

/** Keys before segments, each in the order of the treatments. */
function lookAtTargets({ treatments }: Evaluable): Look {
  const byKey = new Map(treatments.flatMap(({ name, keys = [] }) => keys.map((key) => [key, name])));
  const bySegment = treatments.flatMap(({ name, segments = [] }) => segments.map((segment) => ({ name, segment })));
  return ({ subject: { key }, world }) => {
    const treatment = byKey.get(key);
    if (treatment !== undefined) return { step: { kind: 'targets' }, treatment };
    const found = bySegment.find(({ segment }) => world.isInSegment(segment, key));
    if (!found) return { step: { kind: 'targets' } };
    return { step: { kind: 'targets', segment: found.segment }, treatment: found.name };
  };
}

function lookAtAllocation({ trafficAllocation, trafficAllocationSeed, defaultTreatment }: Evaluable): Look {
  if (trafficAllocation >= 100) return () => ({ step: { kind: 'allocation' } });
  return ({ subject: { key } }) => {
    const bucket = bucketOf(key, trafficAllocationSeed);
    const step = { kind: 'allocation', bucket } as const;
    return bucket > trafficAllocation ? { step, treatment: defaultTreatment } : { step };
  };
}

function lookAtRule({ condition, buckets }: Targeting['rules'][number], index: number, definition: Evaluable): Look {
  const matchers = condition.matchers.map(prepareMatcher);
  return (question) => {
    const step = { kind: 'rule', index, matchers: matchers.map((outcomeOf) => outcomeOf(question)) } as const;
    if (!step.matchers.every(({ holds }) => holds)) return { step };
    const { bucket, treatment } = placeOf(question, buckets, definition);
    return { step: { ...step, bucket }, treatment };
  };
}

const lookAtDefaultRule =
  (definition: Evaluable): Look =>
  (question) => {
    const { bucket, treatment } = placeOf(question, definition.defaultRule, definition);
    return { step: { kind: 'defaultRule', bucket }, treatment };
  };

function placeOf({ subject }: Question, shares: readonly Share[], { seed, defaultTreatment }: Evaluable) {
  const bucket = bucketOf(subject.key, seed);
  return { bucket, treatment: treatmentAt(shares, bucket) ?? defaultTreatment };
}

function prepareMatcher(matcher: Matcher): (question: Question) => MatcherOutcome {
  const { type, negate = false, attribute, string = '', depends } = matcher;
  if (type === 'IN_SEGMENT') {
    return ({ subject: { key }, world }) => ({
      holds: world.isInSegment(string, key) !== negate,
      value: key,
      reading: 'read',
    });
  }
  if (type === 'IN_SPLIT') {
    return ({ subject: { key }, ask }) => {
      const other = ask(depends?.splitName ?? '');
      const isAmong = depends?.treatments.includes(other.treatment) ?? false;
      return { holds: isAmong !== negate, value: key, reading: 'read', other };
    };
  }
  const test = type === 'MATCHES_STRING' ? undefined : testOf(type, matcher);
  return ({ subject, world }) => {
    const value = attribute === undefined ? subject.key : ownMember(subject.attributes, attribute);
    const text = test ? undefined : toText(value);
    const matches = test ? test(value) : text === undefined ? undefined : world.matches(string, text);
    const reading = value === undefined ? 'missing' : matches === undefined ? 'unreadable' : 'read';
    return { holds: (matches ?? false) !== negate, value, reading };
  };
}

/** Inherited members are not attributes. */
const ownMember = (members: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined;
