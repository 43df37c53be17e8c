/** How the cost of some works grows along one axis. */
import { type Asking, asked, compare, type Sample } from './measuring.ts';
import { median } from './ratios.ts';
import type { Server } from './servers.ts';
import type { Bench } from './workbench.ts';

export interface Curves {
  readonly title: string;
  /** What grows. */
  readonly axis: string;
  readonly steps: readonly number[];
  readonly lines: readonly Line[];
}

export interface Line {
  readonly work: string;
  /** One for each step. */
  readonly points: readonly Point[];
}

export interface Point {
  readonly perSecond: number;
  readonly processorUs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** What is asked of whom at a step. */
export interface StepWork {
  readonly server: Server;
  readonly asking: Asking;
}

/** All steps of a work are measured in turn, in rounds. */
export async function measureLine(
  bench: Bench,
  { work, along }: { work: string; along: string },
  steps: ReadonlyMap<number, StepWork>,
): Promise<Line> {
  const contestants = [...steps].map(([step, { server, asking }]) => [String(step), asked(bench, [server], asking)]);
  const samples = await compare(bench, `${work}, ${along}`, Object.fromEntries(contestants));
  return { work, points: [...steps.keys()].map((step) => pointOf(samples(String(step)))) };
}

export function pointOf(samples: readonly Sample[]): Point {
  const of = (pick: (sample: Sample) => number) => median(samples.map(pick));
  return {
    perSecond: of((sample) => sample.perSecond),
    processorUs: of((sample) => sample.processorUs),
    medianMs: of((sample) => sample.medianMs),
    p99Ms: of((sample) => sample.p99Ms),
  };
}
