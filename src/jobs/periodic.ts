/** A job that looks now and then whether there is something to do. */
export interface PeriodicJob {
  /** Starts nothing more and aborts the signal; resolves when the run under way has ended. */
  stop(): Promise<void>;
}

/** Runs at once and then at every interval, never twice at a time. `run` must not reject. */
export function startPeriodicJob(intervalMs: number, run: (signal: AbortSignal) => Promise<void>): PeriodicJob {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const look = () => {
    running ??= run(stopping.signal).finally(() => {
      running = undefined;
    });
  };
  const timer = setInterval(look, intervalMs).unref();
  look();
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
