/** Evaluations over time as stacked steps in pixels. */
import type { FlagTraffic } from '#domain/traffic.ts';
import type { TimeScale } from './geometry.ts';

/** Undefined: SDKs reported a number without saying who got what. */
type Treatment = string | undefined;

export interface EvaluationStep {
  readonly at: number;
  readonly until: number;
  /** Pixels. */
  readonly start: number;
  readonly end: number;
  readonly total: number;
  readonly counts: readonly { readonly treatment: Treatment; readonly count: number }[];
}

/** In the order of the definition, then those that existed only earlier, then what is not known. */
export function evaluatedTreatments({ series }: FlagTraffic, order: readonly string[]): Treatment[] {
  const found = new Set(series.filter(({ counts }) => counts.some(Boolean)).map(({ treatment }) => treatment));
  const named = [...new Set([...order, ...found])].filter((name) => name !== undefined && found.has(name));
  return found.has(undefined) ? [...named, undefined] : named;
}

/** The steps that are in sight. */
export function evaluationSteps(
  traffic: FlagTraffic,
  treatments: readonly Treatment[],
  { from, now, x }: Pick<TimeScale, 'from' | 'now' | 'x'>,
): EvaluationStep[] {
  const counts = treatments.map((treatment) => traffic.series.filter((one) => one.treatment === treatment));
  const length = traffic.series[0]?.counts.length ?? 0;
  return Array.from({ length }, (_, index) => {
    const at = traffic.from + index * traffic.stepMilliseconds;
    const until = at + traffic.stepMilliseconds;
    const inStep = treatments.map((treatment, place) => ({
      treatment,
      count: (counts[place] ?? []).reduce((sum, one) => sum + (one.counts[index] ?? 0), 0),
    }));
    const total = inStep.reduce((sum, { count }) => sum + count, 0);
    return { at, until, start: x(at), end: x(until), total, counts: inStep };
  }).filter(({ at, until }) => until > from && at <= now);
}

/** The area of each treatment above those before it. */
export function bandsOf(steps: readonly EvaluationStep[], height: number): { treatment: Treatment; path: string }[] {
  const most = highest(steps);
  const y = (count: number) => Number((height - (count / most) * height).toFixed(1));
  return (steps[0]?.counts ?? []).map(({ treatment }, place) => {
    const below = ({ counts }: EvaluationStep) => counts.slice(0, place).reduce((sum, { count }) => sum + count, 0);
    const top = steps.map((step) => [step, y(below(step) + (step.counts[place]?.count ?? 0))] as const);
    const forward = top.map(([{ start, end }, at]) => `${start} ${at}H${end}`).join('L');
    const back = steps.toReversed().map((step) => `${step.end} ${y(below(step))}H${step.start}`);
    return { treatment, path: `M${forward}L${back.join('L')}Z` };
  });
}

/** A round number that no step exceeds. */
export function highest(steps: readonly EvaluationStep[]): number {
  const most = Math.max(1, ...steps.map(({ total }) => total));
  const unit = 10 ** Math.floor(Math.log10(most));
  return Math.ceil(most / unit) * unit;
}
