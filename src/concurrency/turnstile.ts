import type { Problem } from '#domain/problems.ts';

/** Limits concurrency; others wait in order. */
export interface Turnstile {
  /** Runs the work when a slot is free. */
  pass<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when it is the caller's turn, which lasts until the caller calls `leave`. */
  enter(): Promise<void>;
  leave(): void;
}

/** How many can wait, and for how long. Others are refused. */
export interface WaitLimits {
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  refusal(): Problem;
}

/** Without `limits`, any number wait for any length of time. */
export function turnstile(maxAtOnce: number, limits?: WaitLimits): Turnstile {
  const waiting = new Set<() => void>();
  let running = 0;
  const waitInLine = async () => {
    if (limits && waiting.size >= limits.maxWaiting) throw limits.refusal();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const giveUp = (refusal: Problem) => {
      waiting.delete(resolve);
      reject(refusal);
    };
    const timer = limits && setTimeout(() => giveUp(limits.refusal()), limits.maxWaitMs);
    try {
      await promise;
    } finally {
      // A pending timer would keep the caller's data in memory.
      clearTimeout(timer);
    }
  };
  const enter = async () => {
    if (running < maxAtOnce) running += 1;
    else await waitInLine();
  };
  const leave = () => {
    // The next one takes the slot, so nobody can overtake it.
    const [next] = waiting;
    if (!next) running -= 1;
    else {
      waiting.delete(next);
      next();
    }
  };
  return {
    enter,
    leave,
    async pass(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
