/** Slowing down who guesses. Counted in memory, per process: a limit, not a record. */
import { Problem } from '#domain/problems.ts';
import { networkOf } from './addresses.ts';
import { type Counter, createCounter } from './counters.ts';

export interface Throttles {
  /** Counts a request with a wrong key; refuses when there were too many from the address. */
  failedKey(address: string): void;
  /**
   * Counts an attempt at something that a password or a link's token opens; refuses when there were too many. Answers
   * what to call when the attempt succeeded: then it does not count, and the account's earlier failures are forgotten.
   */
  attempt(address: string, account?: string): () => void;
}

const failedKeysAMinute = 300;
const attemptsOfAnAddress = 50;
const attemptsAtAnAccount = 10;

export function createThrottles(): Throttles {
  const failedKeys = createCounter(60);
  const byAddress = createCounter(300);
  const byAccount = createCounter(300);
  return {
    failedKey: (address) => count(failedKeys, networkOf(address), failedKeysAMinute, 'too_many_failures'),
    attempt: (address, account) => {
      const network = networkOf(address);
      count(byAddress, network, attemptsOfAnAddress, 'too_many_attempts');
      if (account !== undefined) count(byAccount, account, attemptsAtAnAccount, 'too_many_attempts');
      return () => {
        byAddress.takeBack(network);
        if (account !== undefined) byAccount.forget(account);
      };
    },
  };
}

function count(counter: Counter, name: string, most: number, code: 'too_many_failures' | 'too_many_attempts'): void {
  const { count: found, seconds } = counter.add(name);
  if (found > most) throw new Problem(code, { seconds });
}
