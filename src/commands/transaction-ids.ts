import { randomInt } from 'node:crypto';

/**
 * Creates the ids that link reply, log line and audit entry: 11 characters [0-9a-z] that increase over time.
 * Milliseconds, then 13 random bits, so that nodes differ; always greater than the previous id.
 */
export function transactionIds(clock: () => number = Date.now): () => string {
  let last = 0n;
  return () => {
    const fresh = (BigInt(clock()) << 13n) | BigInt(randomInt(2 ** 13));
    last = fresh > last ? fresh : last + 1n;
    return last.toString(36).padStart(11, '0');
  };
}
