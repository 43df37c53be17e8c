/**
 * Lets a request of each key go the whole way now and then, past all that is kept ready: on that way it is noted that
 * the key was used.
 */

/** Far more often than the use of a key is noted, and far more seldom than a busy key asks. */
const pauseMs = 10_000;
/** A bound for the memory; when it is full, every key is due once more. */
const maxKeys = 1_000;

export interface WholeWays {
  isDue(key: string): boolean;
  /** It went. Only of keys that were let in: anybody can make up others, more than there is room for. */
  went(key: string): void;
}

export function wholeWays(): WholeWays {
  const notBefore = new Map<string, number>();
  return {
    isDue: (key) => (notBefore.get(key) ?? 0) <= performance.now(),
    went: (key) => {
      if (notBefore.size >= maxKeys) notBefore.clear();
      notBefore.set(key, performance.now() + pauseMs);
    },
  };
}
