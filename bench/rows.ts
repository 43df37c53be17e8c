/** The rows of the results: what was measured, against what, and the bar. */
import type { Sample } from './measuring.ts';
import { median, type Ratio, ratioOf } from './ratios.ts';

export interface Row {
  readonly part: string;
  readonly work: string;
  /** What it is compared with. */
  readonly against: string;
  readonly ratio: Ratio;
  readonly bar: { readonly atLeast: number } | { readonly atMost: number };
  /** What the ratio is of, in words. */
  readonly ours: string;
  readonly theirs: string;
  /** Why the bar says nothing here. */
  readonly notJudged?: string;
}

export const isReached = ({ ratio, bar }: Row): boolean => isWithin(bar, ratio.median);

export const isWithin = (bar: Row['bar'], value: number): boolean =>
  'atLeast' in bar ? value >= bar.atLeast : value <= bar.atMost;

interface Compared {
  readonly part: string;
  readonly work: string;
  readonly against: string;
  readonly ours: readonly Sample[];
  readonly theirs: readonly Sample[];
}

/** By requests a second. */
export const throughputRow = (compared: Compared, atLeast: number, notJudged?: string): Row => ({
  ...named(compared),
  ratio: ratioOf(compared.ours, compared.theirs, ({ perSecond }) => perSecond),
  bar: { atLeast },
  ours: throughputText(compared.ours),
  theirs: throughputText(compared.theirs),
  ...(notJudged === undefined ? {} : { notJudged }),
});

/** By the processor time of the server for one request; where the system does not tell it, by the time of an answer. */
export const costRow = (compared: Compared, atMost: number): Row => ({
  ...named(compared),
  ratio: ratioOf(compared.ours, compared.theirs, costOf),
  bar: { atMost },
  ours: throughputText(compared.ours),
  theirs: throughputText(compared.theirs),
});

/** By the time that an answer takes. */
export const timeRow = (compared: Compared, atMost: number): Row => ({
  ...named(compared),
  ratio: ratioOf(compared.ours, compared.theirs, ({ medianMs }) => medianMs),
  bar: { atMost },
  ours: timeText(compared.ours, ({ medianMs }) => medianMs),
  theirs: timeText(compared.theirs, ({ medianMs }) => medianMs),
});

/** By the time that all but one of a hundred answers take at most. */
export const p99Row = (compared: Compared, atMost: number): Row => ({
  ...named(compared),
  ratio: ratioOf(compared.ours, compared.theirs, ({ p99Ms }) => p99Ms),
  bar: { atMost },
  ours: timeText(compared.ours, ({ p99Ms }) => p99Ms),
  theirs: timeText(compared.theirs, ({ p99Ms }) => p99Ms),
});

const named = ({ part, work, against }: Compared) => ({ part, work, against });

export const costOf = ({ processorUs, perSecond }: Sample): number =>
  Number.isNaN(processorUs) ? 1_000_000 / perSecond : processorUs;

const medianOf = (samples: readonly Sample[], pick: (sample: Sample) => number) => median(samples.map(pick));

const throughputText = (samples: readonly Sample[]): string => {
  const processorUs = medianOf(samples, (sample) => sample.processorUs);
  const cost = Number.isNaN(processorUs) ? '' : `, ${Math.round(processorUs)} µs`;
  return `${grouped(medianOf(samples, (sample) => sample.perSecond))}/s${cost}`;
};

const timeText = (samples: readonly Sample[], pick: (sample: Sample) => number): string =>
  `${medianOf(samples, pick).toFixed(1)} ms`;

export const grouped = (value: number): string => Math.round(value).toLocaleString('en-US');
