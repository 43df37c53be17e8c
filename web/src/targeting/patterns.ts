/**
 * Users' regular expressions may take forever, so they run in a worker that is terminated when one takes too long. An
 * evaluation needs verdicts synchronously: it throws `Undecided` if one is missing, and
 * runs again once it arrives.
 */
import { noticesOf } from '../state/notices.ts';
import type { PatternQuestion } from './pattern-worker.ts';

/** Without a reason, the evaluation waits for an answer; otherwise it will never get one. */
export interface Reason {
  readonly slowPattern?: string;
  /** Segments could not be read. */
  readonly failed?: Error;
}

export class Undecided extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super('not known');
    this.reason = reason;
  }
}

/** Ordinary expressions take less than a millisecond. */
const limitMs = 500;
/** More than a definition can have expressions. */
const maxVerdicts = 10_000;

/** By pattern and text. Undefined: pending. */
const verdicts = new Map<string, boolean | 'tooSlow' | undefined>();
const waiting: PatternQuestion[] = [];
const answers = noticesOf(0);

/** Rerenders on new verdicts. */
export const usePatternVerdicts = (): number => answers.use();

/** Throws `Undecided`. */
export function matchesInTime(pattern: string, text: string): boolean {
  const id = idOf({ pattern, text });
  const verdict = verdicts.get(id);
  if (typeof verdict === 'boolean') return verdict;
  if (!verdicts.has(id)) {
    verdicts.set(id, undefined);
    if (waiting.push({ pattern, text }) === 1) void work();
  }
  throw new Undecided(verdict === 'tooSlow' ? { slowPattern: pattern } : {});
}

const idOf = ({ pattern, text }: PatternQuestion): string => JSON.stringify([pattern, text]);

async function work(): Promise<void> {
  for (let question = waiting[0]; question; question = waiting[0]) {
    const verdict = await verdictOf(question);
    // The oldest go first: an evaluation that needs them all would else start over without end.
    for (const id of verdicts.keys()) {
      if (verdicts.size <= maxVerdicts) break;
      if (verdicts.get(id) !== undefined) verdicts.delete(id);
    }
    verdicts.set(idOf(question), verdict);
    waiting.shift();
    answers.set(answers.get() + 1);
  }
}

let worker: Promise<Worker | undefined> | undefined;

async function verdictOf(question: PatternQuestion): Promise<boolean | 'tooSlow'> {
  worker ??= startWorker();
  const running = await worker;
  if (!running) {
    worker = undefined;
    return 'tooSlow';
  }
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      running.terminate();
      worker = undefined;
      resolve('tooSlow');
    }, limitMs);
    running.onmessage = ({ data }: MessageEvent<boolean>) => {
      clearTimeout(timer);
      resolve(data);
    };
    running.postMessage(question);
  });
}

/** Undefined when its code could not be loaded, for example after an upgrade of the server. */
function startWorker(): Promise<Worker | undefined> {
  const started = new Worker(new URL('./pattern-worker.ts', import.meta.url), { type: 'module' });
  return new Promise((resolve) => {
    started.onmessage = () => resolve(started);
    started.onerror = () => resolve(undefined);
  });
}
