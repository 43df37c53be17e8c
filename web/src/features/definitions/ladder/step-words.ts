/** Explains an evaluation: each evaluated step in words. */
import type { Targeting } from '#domain/definitions/definition.ts';
import type { Evaluation, MatcherOutcome, Step } from '#domain/evaluation/evaluate.ts';
import { matcherSentence } from '../../../targeting/matcher-words.ts';

export interface StepWords {
  /** The step's number in the ladder, if it has one. */
  readonly number: number | undefined;
  readonly words: string;
  readonly isDeciding: boolean;
}

interface Setting {
  readonly targeting: Targeting;
  readonly trafficType: string;
  /** Buckets exist only once the definition is saved. */
  readonly areBucketsKnown: boolean;
}

/** Steps that let everyone through are left out. */
export function wordsOf({ steps, decidedBy, treatment }: Evaluation, setting: Setting): StepWords[] {
  return steps.flatMap((step) => {
    const isDeciding = step === decidedBy;
    const words = isDeciding ? decidingWords(step, treatment, setting) : passingWords(step, setting);
    return words === undefined ? [] : [{ number: numberOf(step, setting.targeting), words, isDeciding }];
  });
}

function numberOf(step: Step, { rules }: Targeting): number | undefined {
  if (step.kind === 'targets') return 1;
  if (step.kind === 'rule') return step.index + 2;
  return step.kind === 'defaultRule' ? rules.length + 2 : undefined;
}

function decidingWords(step: Step, treatment: string, { targeting, trafficType, areBucketsKnown }: Setting): string {
  const inBucket = (bucket: number | undefined) =>
    bucket === undefined || !areBucketsKnown ? '' : `, bucket ${bucket} of 100`;
  switch (step.kind) {
    case 'killed':
      return 'The flag is killed';
    case 'targets':
      return step.segment === undefined
        ? `Individually targeted to ${treatment}`
        : `In segment ${step.segment}, targeted to ${treatment}`;
    case 'allocation':
      return `Outside the traffic allocation${inBucket(step.bucket)}`;
    case 'rule': {
      const matchers = targeting.rules[step.index]?.condition.matchers ?? [];
      return `${matchers.map((one) => matcherSentence(one, trafficType)).join(' and ')}${inBucket(step.bucket)}`;
    }
    case 'defaultRule':
      return `Everyone else${inBucket(step.bucket)}`;
    default:
      return 'Not defined';
  }
}

function passingWords(step: Step, { targeting, trafficType }: Setting): string | undefined {
  if (step.kind === 'targets') return 'Not individually targeted';
  if (step.kind === 'allocation')
    return targeting.trafficAllocation < 100 ? 'Within the traffic allocation' : undefined;
  if (step.kind !== 'rule') return undefined;
  const matchers = targeting.rules[step.index]?.condition.matchers ?? [];
  const at = step.matchers.findIndex(({ holds }) => !holds);
  const [matcher, outcome] = [matchers[at], step.matchers[at]];
  if (!matcher || !outcome) return 'Does not match';
  return `Not: ${matcherSentence(matcher, trafficType)}${readingWords(outcome, matcher.attribute)}`;
}

function readingWords({ reading, value, other }: MatcherOutcome, attribute: string | undefined): string {
  if (other) return ` (it gets ${other.treatment})`;
  if (reading === 'missing') return ` (no ${attribute})`;
  if (reading === 'unreadable') return ` (${attribute} cannot be read)`;
  return attribute === undefined ? '' : ` (it is ${typeof value === 'string' ? value : JSON.stringify(value)})`;
}
