/**
 * Evaluates a flag for a key and explains the result: the steps of the definition in order, up to the one that decides.
 * Exactly like the official SDKs; a test compares it with their engine. The definition must be valid.
 */

import { type Bucketing, bucketOf, type Share, treatmentAt } from '../bucketing.ts';
import type { Targeting } from '../definitions/definition.ts';
import type { Matcher } from '../definitions/matchers.ts';
import type { SegmentRules } from '../rule-based-segments.ts';
import { testOf, toText } from './match.ts';

export type Evaluable = Targeting & Bucketing & { readonly name: string };

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
  /** Whether a standard or large segment lists the key. A segment that does not exist lists none. */
  readonly listsKey: (segment: string, key: string) => boolean;
  /** Undefined if the name is not that of a rule-based segment that is active here. */
  readonly segmentRulesOf: (segment: string) => SegmentRules | undefined;
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
  | { readonly kind: 'targets'; readonly segment?: string; readonly membership?: RuleBasedMembership }
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
  /** Why the key is in the rule-based segment that the matcher names, or why not. */
  readonly membership?: RuleBasedMembership;
}

/** Whether a key is in a rule-based segment, and why. Exclusions come before rules. */
export type RuleBasedMembership =
  | { readonly isMember: false; readonly kind: 'excludedKey' }
  /** With the reason if the excluded segment is a rule-based one. */
  | {
      readonly isMember: false;
      readonly kind: 'excludedSegment';
      readonly segment: string;
      readonly membership?: RuleBasedMembership;
    }
  /** The rules in order, up to the one that matches. */
  | {
      readonly isMember: boolean;
      readonly kind: 'rules';
      readonly rules: readonly (readonly MatcherOutcome[])[];
    }
  /** The segment is already being evaluated. */
  | { readonly isMember: false; readonly kind: 'circle' };

/** The treatment of a flag that cannot be evaluated. */
export const control = 'control';

/** The key as SDKs accept it; undefined if they refuse it. */
export function parseKey(text: string): string | undefined {
  const key = text.trim();
  return key.length > 0 && key.length <= 250 ? key : undefined;
}

/** Precomputes what depends only on the definition, so that many subjects can be evaluated quickly. */
export function evaluatorOf(definition: Evaluable, world: World): (subject: Subject) => Evaluation {
  const flags = cached((name) => prepareIfDefined(name === definition.name ? definition : world.definitionOf(name)));
  const segments = cached((name) => prepareSegment(name, world));
  // Asking for the same object again before the answer is known means a cycle.
  const ask: Question['ask'] = (question, flag) => {
    question.answers ??= new Map([[definition.name, unevaluated('circle')]]);
    return answerOnce(question.answers, flag, unevaluated('circle'), () => flags(flag)(question));
  };
  const membershipIn: Question['membershipIn'] = (question, segment) => {
    const prepared = segments(segment);
    if (prepared.kind === 'keys') return prepared.find(question);
    question.memberships ??= new Map();
    return answerOnce(question.memberships, segment, circle, () => prepared.find(question));
  };
  const evaluate = flags(definition.name);
  return (subject) => evaluate({ subject, world, ask, membershipIn, answers: undefined, memberships: undefined });
}

function cached<Value>(make: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, Value>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const made = make(name);
    known.set(name, made);
    return made;
  };
}

function answerOnce<Answer>(answers: Map<string, Answer>, name: string, meanwhile: Answer, find: () => Answer): Answer {
  const known = answers.get(name);
  if (known !== undefined) return known;
  answers.set(name, meanwhile);
  const answer = find();
  answers.set(name, answer);
  return answer;
}

/** One for each subject: most need neither of the maps. */
interface Question {
  readonly subject: Subject;
  readonly world: World;
  /** Evaluates another flag for the subject. */
  readonly ask: (question: Question, flag: string) => Evaluation;
  /** Looks for the subject in a segment. */
  readonly membershipIn: (question: Question, segment: string) => Membership;
  answers: Map<string, Evaluation> | undefined;
  memberships: Map<string, Membership> | undefined;
}
type Prepared = (question: Question) => Evaluation;

/** In a segment that lists keys there is nothing to explain. */
type Membership = { readonly isMember: boolean; readonly kind: 'listed' } | RuleBasedMembership;
const listed: Membership = { isMember: true, kind: 'listed' };
const unlisted: Membership = { isMember: false, kind: 'listed' };
const circle: Membership = { isMember: false, kind: 'circle' };

/** The reason, as part of a step. */
const reasonOf = (membership: Membership): { membership?: RuleBasedMembership } =>
  membership.kind === 'listed' ? {} : { membership };

interface PreparedSegment {
  readonly kind: 'keys' | 'rules';
  readonly find: (question: Question) => Membership;
}

function prepareSegment(name: string, world: World): PreparedSegment {
  const definition = world.segmentRulesOf(name);
  return definition
    ? { kind: 'rules', find: prepareSegmentRules(definition) }
    : { kind: 'keys', find: ({ subject: { key } }) => (world.listsKey(name, key) ? listed : unlisted) };
}

function prepareSegmentRules(definition: SegmentRules): PreparedSegment['find'] {
  const excludedKeys = new Set(definition.excludedKeys);
  const rules = definition.rules.map(({ condition }) => prepareCondition(condition));
  return (question) => {
    if (excludedKeys.has(question.subject.key)) return { isMember: false, kind: 'excludedKey' };
    // The name decides, not the type.
    for (const { name: segment } of definition.excludedSegments) {
      const found = question.membershipIn(question, segment);
      if (found.isMember) return { isMember: false, kind: 'excludedSegment', segment, ...reasonOf(found) };
    }
    const outcomes: (readonly MatcherOutcome[])[] = [];
    const isMember = rules.some((outcomesOf) => {
      const found = outcomesOf(question);
      outcomes.push(found);
      return allHold(found);
    });
    return { isMember, kind: 'rules', rules: outcomes };
  };
}

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
  return (question) => {
    const treatment = byKey.get(question.subject.key);
    if (treatment !== undefined) return { step: { kind: 'targets' }, treatment };
    for (const { segment, name } of bySegment) {
      const found = question.membershipIn(question, segment);
      if (found.isMember) return { step: { kind: 'targets', segment, ...reasonOf(found) }, treatment: name };
    }
    return { step: { kind: 'targets' } };
  };
}

function lookAtAllocation({ trafficAllocation, trafficAllocationSeed, algo, defaultTreatment }: Evaluable): Look {
  if (trafficAllocation >= 100) return () => ({ step: { kind: 'allocation' } });
  return ({ subject: { key } }) => {
    const bucket = bucketOf(key, trafficAllocationSeed, algo);
    const step = { kind: 'allocation', bucket } as const;
    return bucket > trafficAllocation ? { step, treatment: defaultTreatment } : { step };
  };
}

function lookAtRule({ condition, buckets }: Targeting['rules'][number], index: number, definition: Evaluable): Look {
  const outcomesOf = prepareCondition(condition);
  return (question) => {
    const step = { kind: 'rule', index, matchers: outcomesOf(question) } as const;
    if (!allHold(step.matchers)) return { step };
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

function placeOf({ subject }: Question, shares: readonly Share[], { seed, algo, defaultTreatment }: Evaluable) {
  const bucket = bucketOf(subject.key, seed, algo);
  return { bucket, treatment: treatmentAt(shares, bucket) ?? defaultTreatment };
}

function prepareCondition({ matchers }: { readonly matchers: readonly Matcher[] }) {
  const prepared = matchers.map(prepareMatcher);
  return (question: Question): MatcherOutcome[] => prepared.map((outcomeOf) => outcomeOf(question));
}

const allHold = (outcomes: readonly MatcherOutcome[]): boolean => outcomes.every(({ holds }) => holds);

function prepareMatcher(matcher: Matcher): (question: Question) => MatcherOutcome {
  const { type, negate = false, attribute, string = '', depends } = matcher;
  if (type === 'IN_SEGMENT') {
    return (question) => {
      const membership = question.membershipIn(question, string);
      const holds = membership.isMember !== negate;
      return { holds, value: question.subject.key, reading: 'read', ...reasonOf(membership) };
    };
  }
  if (type === 'IN_SPLIT') {
    return (question) => {
      const other = question.ask(question, depends?.splitName ?? '');
      const isAmong = depends?.treatments.includes(other.treatment) ?? false;
      return { holds: isAmong !== negate, value: question.subject.key, reading: 'read', other };
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
