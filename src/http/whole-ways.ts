/** Lets a request of each key go the whole way now and then, on which it is noted that the key was used. */

/** Far more often than the use of a key is noted, and far more seldom than a busy key asks. */
const pauseMs = 10_000;
/** A bound for the memory; when it is full, every key is due once more. */
const mostKeys = 1_000;

/** Says whether the key is due, and takes it that it goes then. */
export function wholeWays(): (key: string) => boolean {
  const notBefore = new Map<string, number>();
  return (key) => {
    const now = performance.now();
    if ((notBefore.get(key) ?? 0) > now) return false;
    if (notBefore.size >= mostKeys) notBefore.clear();
    notBefore.set(key, now + pauseMs);
    return true;
  };
}
