/** Explains an evaluation: each evaluated step in words. */
import type { Targeting } from '#domain/definitions/definition.ts';
import type { Matcher } from '#domain/definitions/matchers.ts';
import type { Evaluation, MatcherOutcome, RuleBasedMembership, Step } from '#domain/evaluation/evaluate.ts';
import type { KnownSegments } from '../../../targeting/known-segments.ts';
import { matcherSentence } from '../../../targeting/matcher-words.ts';

export interface StepWords {
  /** Of a rule, as in the ladder. */
  readonly number: number | undefined;
  readonly words: string;
  readonly isDeciding: boolean;
}

interface Setting {
  readonly targeting: Targeting;
  readonly trafficType: string;
  /** Buckets exist only once the definition is saved. */
  readonly areBucketsKnown: boolean;
  /** The name of the environment. */
  readonly environment: string;
  readonly segments: KnownSegments;
}

/** Steps that let everyone through are left out. */
export function wordsOf({ steps, decidedBy, treatment }: Evaluation, setting: Setting): StepWords[] {
  return steps.flatMap((step) => {
    const isDeciding = step === decidedBy;
    const words = isDeciding ? decidingWords(step, treatment, setting) : passingWords(step, setting);
    return words === undefined
      ? []
      : [{ number: step.kind === 'rule' ? step.index + 1 : undefined, words, isDeciding }];
  });
}

function decidingWords(step: Step, treatment: string, setting: Setting): string {
  const { targeting, trafficType, areBucketsKnown } = setting;
  const inBucket = (bucket: number | undefined) =>
    bucket === undefined || !areBucketsKnown ? '' : `, bucket ${bucket} of 100`;
  switch (step.kind) {
    case 'killed':
      return 'The flag is killed';
    case 'targets':
      return step.segment === undefined
        ? `Individually targeted to ${treatment}`
        : `In segment ${step.segment}, targeted to ${treatment}${segmentWords(step.segment, step.membership, setting)}`;
    case 'allocation':
      return `Outside the traffic allocation${inBucket(step.bucket)}`;
    case 'rule': {
      const matchers = targeting.rules[step.index]?.condition.matchers ?? [];
      const words = matchers.map((one, index) => {
        const isIn = one.type === 'IN_SEGMENT';
        const why = isIn ? segmentWords(one.string ?? '', step.matchers[index]?.membership, setting) : '';
        return `${matcherSentence(one, trafficType)}${why}`;
      });
      return `${words.join(' and ')}${inBucket(step.bucket)}`;
    }
    case 'defaultRule':
      return `Everyone else${inBucket(step.bucket)}`;
    default:
      return 'Not defined';
  }
}

function passingWords(step: Step, setting: Setting): string | undefined {
  const { targeting } = setting;
  if (step.kind === 'targets') return 'Not individually targeted';
  if (step.kind === 'allocation')
    return targeting.trafficAllocation < 100 ? 'Within the traffic allocation' : undefined;
  if (step.kind !== 'rule') return undefined;
  return failingWords(targeting.rules[step.index]?.condition.matchers ?? [], step.matchers, setting);
}

/** The first matcher that does not hold, and why. */
function failingWords(matchers: readonly Matcher[], outcomes: readonly MatcherOutcome[], setting: Setting): string {
  const at = outcomes.findIndex(({ holds }) => !holds);
  const [matcher, outcome] = [matchers[at], outcomes[at]];
  if (!matcher || !outcome) return 'Does not match';
  return `Not: ${matcherSentence(matcher, setting.trafficType)}${readingWords(outcome, matcher, setting)}`;
}

/** Why the key is in a segment, or why not, in brackets; nothing if it is simply listed there, or not. */
function segmentWords(name: string, membership: RuleBasedMembership | undefined, setting: Setting): string {
  const segment = setting.segments.get(name);
  if (segment === 'missing') return ' (no such segment)';
  if (segment && !segment.isActive) return ` (not active in ${setting.environment})`;
  const rules = segment?.rules?.rules ?? [];
  switch (membership?.kind) {
    case 'excludedKey':
      return ' (the key is excluded)';
    case 'excludedSegment':
      return ` (excluded: in segment ${membership.segment}${segmentWords(membership.segment, membership.membership, setting)})`;
    case 'circle':
      return ' (the segment contains itself)';
    case 'rules': {
      const last = membership.rules.length - 1;
      const matchers = rules[last]?.condition.matchers ?? [];
      if (membership.isMember) {
        return ` (${matchers.map((one) => matcherSentence(one, setting.trafficType)).join(' and ')})`;
      }
      if (last < 0) return ' (it has no rules)';
      if (last > 0) return ` (none of its ${last + 1} rules matches)`;
      const [first = []] = membership.rules;
      return ` (${failingWords(matchers, first, setting).replace(/^Not/, 'not')})`;
    }
    default:
      return '';
  }
}

function readingWords(outcome: MatcherOutcome, { type, attribute, string = '' }: Matcher, setting: Setting): string {
  const { reading, value, other, membership } = outcome;
  if (type === 'IN_SEGMENT') return segmentWords(string, membership, setting);
  if (other) return ` (it gets ${other.treatment})`;
  if (reading === 'missing') return ` (no ${attribute})`;
  if (reading === 'unreadable') return ` (${attribute} cannot be read)`;
  return attribute === undefined ? '' : ` (it is ${typeof value === 'string' ? value : JSON.stringify(value)})`;
}
