/** The share of evaluations that got each treatment, next to what the definition says. */
import type { Rule } from '#domain/definitions/definition.ts';
import { type FlagTraffic, sum } from '#domain/traffic.ts';
import { labelOf } from '#domain/wire/conditions.ts';
import { matcherSentence } from '../../../targeting/matcher-words.ts';

export interface ComparedShare {
  readonly treatment: string;
  /** In percent. */
  readonly measured: number;
  /** Absent if the definition does not say it. */
  readonly expected?: number;
}

export interface Compared {
  /** The rule as SDKs name it; absent: of all rules together. */
  readonly label?: string;
  readonly evaluations: number;
  readonly shares: readonly ComparedShare[];
}

export interface Comparison {
  readonly all: Compared;
  /** Most evaluated first. */
  readonly rules: readonly Compared[];
  /** Evaluations that SDKs reported as a number. */
  readonly unnamed: number;
  /** Counted from here on. */
  readonly from: number;
  /** Some happened before the definition was what it is now, so nothing is expected. From here on, they will be compared. */
  readonly comparedFrom?: number;
}

/**
 * From the first whole hour with the definition as it is now. If there is none with evaluations, the whole time, and then
 * nothing is expected: an earlier definition served some of them.
 */
export function compareShares(traffic: FlagTraffic, changedAt: number): Comparison {
  const stepsBefore = Math.max(0, Math.ceil((changedAt - traffic.from) / traffic.stepMilliseconds));
  const since = measure(traffic, stepsBefore);
  if (stepsBefore === 0 || since.all.evaluations > 0) return since;
  return { ...measure({ ...traffic, rules: [] }, 0), comparedFrom: since.from };
}

function measure(traffic: FlagTraffic, first: number): Comparison {
  const series = traffic.series.map(({ treatment, label = '', counts }) => ({
    treatment,
    label,
    count: sum(counts.slice(first)),
  }));
  const named = series.flatMap(({ treatment, ...one }) => (treatment === undefined ? [] : [{ treatment, ...one }]));
  const rules = [...Map.groupBy(named, ({ label }) => label)]
    .map(([label, counts]) => comparedRule(traffic, label, counts))
    .filter(({ evaluations }) => evaluations > 0)
    .sort((a, b) => b.evaluations - a.evaluations);
  return {
    all: together(rules),
    rules,
    unnamed: sum(series.filter(({ treatment }) => treatment === undefined).map(({ count }) => count)),
    from: traffic.from + first * traffic.stepMilliseconds,
  };
}

interface Count {
  readonly treatment: string;
  readonly count: number;
}

function comparedRule({ rules }: FlagTraffic, label: string, counts: readonly Count[]): Compared {
  const evaluations = sum(counts.map(({ count }) => count));
  const said = rules.find((rule) => rule.label === label)?.treatments ?? [];
  const treatments = new Set([...said, ...counts].map(({ treatment }) => treatment));
  const shares = [...treatments].map((treatment) => {
    const count = sum(counts.filter((one) => one.treatment === treatment).map((one) => one.count));
    const expected = said.find((one) => one.treatment === treatment)?.expected;
    const measured = evaluations === 0 ? 0 : (count / evaluations) * 100;
    return { treatment, measured, ...(expected === undefined ? {} : { expected }) };
  });
  return { label, evaluations, shares };
}

/** Of the evaluations, how many must be of rules that the definition has. */
const mostlyKnown = 0.99;

/** What the definition says of all evaluations depends on how many each rule decides. */
function together(rules: readonly Compared[]): Compared {
  const evaluations = sum(rules.map((rule) => rule.evaluations));
  const saying = rules.filter(({ label = '', shares }) => isTarget(label) || shares.some((one) => 'expected' in one));
  const said = sum(saying.map((rule) => rule.evaluations));
  const isKnown = evaluations > 0 && said / evaluations >= mostlyKnown;
  const shareOf = (treatment: string, from: readonly Compared[], of: (share: ComparedShare) => number) =>
    sum(
      from.map((rule) => {
        const share = rule.shares.find((one) => one.treatment === treatment);
        return share ? of(share) * rule.evaluations : 0;
      }),
    );
  const treatments = [...new Set(rules.flatMap(({ shares }) => shares.map(({ treatment }) => treatment)))];
  const shares = treatments.map((treatment) => ({
    treatment,
    measured: shareOf(treatment, rules, ({ measured }) => measured) / evaluations,
    ...(isKnown
      ? { expected: shareOf(treatment, saying, ({ measured, expected = measured }) => expected) / said }
      : {}),
  }));
  return { evaluations, shares };
}

/** The definition names the keys, so their shares are as they come. */
const isTarget = (label: string): boolean => label.startsWith('whitelisted');

/** More than chance explains, and more than a point. One key may be evaluated often, so this is a hint. */
export function isUnlikely({ measured, expected }: ComparedShare, evaluations: number): boolean {
  if (expected === undefined) return false;
  const deviation = 100 * Math.sqrt(((expected / 100) * (1 - expected / 100)) / evaluations);
  return Math.abs(measured - expected) > Math.max(1, 3 * deviation);
}

const labelNames: Readonly<Record<string, string>> = {
  '': 'Rule not reported',
  'default rule': 'Everyone else',
  whitelisted: 'Individual targets',
  'not in split': 'Outside the allocation',
  killed: 'Killed',
};

export interface NamedRules {
  readonly rules: readonly Rule[];
  readonly trafficType: string;
}

/** Labels of other kinds of segments are words already. */
const standardSegments = { kindOf: () => 'standard' as const };

/** As the ladder names its steps. A rule that it does not have any more stays as SDKs name it. */
export function labelInWords(label: string, { rules, trafficType }: NamedRules): string {
  const rule = rules.find(({ condition }) => labelOf(condition.matchers, standardSegments) === label);
  const words = rule?.condition.matchers.map((matcher) => matcherSentence(matcher, trafficType)).join(' and ');
  return labelNames[label] ?? words ?? label;
}
