/**
 * What a key sees of a flag, and why: the steps of the definition in their order, up to the one that decides. Exactly as
 * the official SDKs decide it; a test holds it against their engine. The definition must be one that the server accepts.
 */

import { bucketOf, type Seeds, type Share, treatmentAt } from '../bucketing.ts';
import type { Targeting } from '../definitions/definition.ts';
import type { Matcher } from '../definitions/matchers.ts';
import { testOf, toText } from './match.ts';

export type Evaluable = Targeting & Seeds & { readonly name: string };

/** Whom a program asks about. */
export interface Subject {
  readonly key: string;
  /** JSON values: what the SDKs take, and what callers send by mistake. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What lies outside the definition, in the same environment. */
export interface World {
  /** Undefined where the flag is not defined. */
  readonly definitionOf: (flag: string) => Evaluable | undefined;
  readonly isInSegment: (segment: string, key: string) => boolean;
  /** `matchesPattern`, wherever that may be run. What it throws ends the evaluation. */
  readonly matches: (pattern: string, text: string) => boolean;
}

export interface Evaluation {
  readonly treatment: string;
  /** The treatment's configuration, JSON as text. */
  readonly config: string | undefined;
  /** What was looked at, in order. All but the last passed the subject on. */
  readonly steps: readonly Step[];
  /** The last of the steps. */
  readonly decidedBy: Step;
}

export type Step =
  | { readonly kind: 'killed' }
  /** Individual targets: by the key itself, unless it decides and names a segment. */
  | { readonly kind: 'targets'; readonly segment?: string }
  /** Decides about who is left out. No bucket where nobody is. */
  | { readonly kind: 'allocation'; readonly bucket?: number }
  /** The bucket is there where the rule decides. */
  | {
      readonly kind: 'rule';
      readonly index: number;
      readonly matchers: readonly MatcherOutcome[];
      readonly bucket?: number;
    }
  | { readonly kind: 'defaultRule'; readonly bucket: number }
  /** Of a flag that a rule asks for: it is not defined here, or it is being asked for already. */
  | { readonly kind: 'notDefined' | 'circle' };

/** How a matcher of a rule turned out; in the order of the rule's matchers. */
export interface MatcherOutcome {
  /** After `negate`. */
  readonly holds: boolean;
  /** What was looked at: the key, or the attribute as it was given. */
  readonly value: unknown;
  /** `missing`: no such attribute. `unreadable`: not what the matcher needs. Neither matches, so both hold if negated. */
  readonly reading: 'read' | 'missing' | 'unreadable';
  /** What the subject sees of the flag that the matcher asks for. */
  readonly other?: Evaluation;
}

/** What who asks for a flag gets that cannot be evaluated. */
export const control = 'control';

/** The key as the SDKs take it; undefined if they refuse it. */
export function parseKey(text: string): string | undefined {
  const key = text.trim();
  return key.length > 0 && key.length <= 250 ? key : undefined;
}

/** What follows from the definition alone is done once, so that many subjects can be evaluated quickly. */
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
      // Who asks for the same flag again before it is answered goes in a circle.
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
  /** What the subject sees of another flag. */
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

/** What every object inherits is no attribute. */
const ownMember = (members: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined;
