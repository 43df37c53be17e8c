import { takeTurns } from '#concurrency/turns.ts';

/** Pauses long work, if it is time to, so that a server answers requests in between. Throws if it was aborted. */
export function pausing(signal: AbortSignal | undefined): () => Promise<void> {
  const turns = takeTurns();
  return async () => {
    signal?.throwIfAborted();
    if (turns.isOver()) await turns.next();
  };
}
