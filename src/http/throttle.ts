/** Slowing down who guesses. Counted in memory, per process: a limit, not a record. */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Problem } from '#domain/problems.ts';

export interface Throttles {
  /** Counts a request with a wrong key; refuses when there were too many from the address. */
  failedKey(address: string): Promise<void>;
  /**
   * Counts an attempt at something that a password or a link's token opens; refuses when there were too many. Answers
   * what to call when the attempt succeeded: then it does not count, and the account's earlier failures are forgotten.
   */
  attempt(address: string, account?: string): Promise<() => Promise<void>>;
}

export function createThrottles(): Throttles {
  const failedKeys = new RateLimiterMemory({ points: 300, duration: 60 });
  const byAddress = new RateLimiterMemory({ points: 50, duration: 300 });
  const byAccount = new RateLimiterMemory({ points: 10, duration: 300 });
  return {
    failedKey: (address) => count(failedKeys, address, 'too_many_failures'),
    attempt: async (address, account) => {
      await count(byAddress, address, 'too_many_attempts');
      if (account !== undefined) await count(byAccount, account, 'too_many_attempts');
      return async () => {
        await byAddress.reward(address, 1);
        if (account !== undefined) await byAccount.delete(account);
      };
    },
  };
}

async function count(
  limiter: RateLimiterMemory,
  key: string,
  code: 'too_many_failures' | 'too_many_attempts',
): Promise<void> {
  const { consumedPoints, msBeforeNext } = await limiter.penalty(key, 1);
  if (consumedPoints > limiter.points) throw new Problem(code, { seconds: Math.ceil(msBeforeNext / 1000) });
}
