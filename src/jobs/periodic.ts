/** A job that runs at intervals. */
export interface PeriodicJob {
  /** Starts no further run and aborts the signal; resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** Runs immediately and then at every interval, never concurrently. `run` must not reject. */
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
