/** Lets few through at a time; the others wait in order. */
export interface Turnstile {
  /** Runs the work when it is its turn. */
  pass<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function turnstile(maxAtOnce: number): Turnstile {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async pass(work) {
      if (running < maxAtOnce) running += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        // The next in line takes over the place, so nobody can overtake it.
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
