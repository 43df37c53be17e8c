/** Long work in short turns, so that other requests are answered in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one turn of the event loop may take. */
const longestTurnMs = 5;

export interface Turns {
  /** Whether this turn has taken long enough. */
  isOver(): boolean;
  /** Lets other work run, then starts the next turn. */
  next(): Promise<void>;
}

export function takeTurns(): Turns {
  let end = performance.now() + longestTurnMs;
  return {
    isOver: () => performance.now() >= end,
    next: async () => {
      await nextTurn();
      end = performance.now() + longestTurnMs;
    },
  };
}
