import { randomInt } from 'node:crypto';

/**
 * Makes the ids that tie answer, log line and audit entry together: 11 characters of [0-9a-z] that grow with time.
 * Milliseconds, then 13 bits: random, so that several nodes differ, but always more than the id before.
 */
export function transactionIds(clock: () => number = Date.now): () => string {
  let last = 0n;
  return () => {
    const fresh = (BigInt(clock()) << 13n) | BigInt(randomInt(2 ** 13));
    last = fresh > last ? fresh : last + 1n;
    return last.toString(36).padStart(11, '0');
  };
}
