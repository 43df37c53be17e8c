/** Throttles guessing of keys, passwords and codes. Counted in memory, per process. */
import { Problem } from '#domain/problems.ts';
import { networkOf } from './networks.ts';
import { type Count, type Counter, createCounter } from './window.ts';

export interface Throttles {
  /** Counts a request with a wrong key; refuses if the address sent too many. */
  failedKey(address: string): void;
  /** Refuses an address without attempts left, without counting. Called before the body is read. */
  requireAttemptLeft(address: string): void;
  /** Counts an attempt to use a password or a link's token; refuses if there were too many. */
  attempt(address: string, account?: string): Attempt;
  /**
   * Counts a correct password; refuses if there were too many without a session. Only someone who knows the password
   * gets here, so strangers cannot use up this limit, and it can be low enough that codes cannot be guessed.
   */
  rightPassword(userId: string): void;
  /** Resets the count of correct passwords. */
  signedIn(userId: string): void;
}

export interface Attempt {
  /** Not counted, and earlier failures from this address for this account are forgotten. */
  succeeded(): void;
  /** Not counted, because it was not checked. */
  takeBack(): void;
}

const failedKeysAMinute = 300;
/** All within five minutes. A low limit for an account alone would let anyone lock its owner out. */
const attempts = { ofAnAddress: 50, ofAnAddressAtAnAccount: 10, atAnAccount: 300, withoutCode: 10 };
const windowSeconds = 300;
/**
 * How long a network from which an account signed in is exempt from limits caused by others' attempts for the account.
 */
const familiarSeconds = 30 * 24 * 60 * 60;

export function createThrottles(): Throttles {
  const failedKeys = createCounter(60);
  const byAddress = createCounter(windowSeconds);
  const byBoth = createCounter(windowSeconds);
  const byAccount = createCounter(windowSeconds);
  const rightPasswords = createCounter(windowSeconds);
  const familiar = createCounter(familiarSeconds);
  return {
    failedKey: (address) => count(failedKeys, networkOf(address), failedKeysAMinute, 'too_many_failures'),
    requireAttemptLeft: (address) =>
      refuseAbove(byAddress.peek(networkOf(address)), attempts.ofAnAddress, 'too_many_attempts'),
    attempt: (address, account) => {
      const network = networkOf(address);
      count(byAddress, network, attempts.ofAnAddress, 'too_many_attempts');
      if (account === undefined) {
        const takeBack = () => byAddress.takeBack(network);
        return { succeeded: takeBack, takeBack };
      }
      const both = `${network} ${account}`;
      // Before the account's own count, so that one address cannot use that up.
      count(byBoth, both, attempts.ofAnAddressAtAnAccount, 'too_many_attempts');
      const isFamiliar = familiar.has(both);
      if (!isFamiliar) count(byAccount, account, attempts.atAnAccount, 'too_many_attempts');
      const takeBack = () => {
        byAddress.takeBack(network);
        byBoth.takeBack(both);
        if (!isFamiliar) byAccount.takeBack(account);
      };
      return {
        takeBack,
        succeeded: () => {
          takeBack();
          byBoth.forget(both);
          familiar.add(both);
        },
      };
    },
    rightPassword: (userId) => count(rightPasswords, userId, attempts.withoutCode, 'too_many_attempts'),
    signedIn: (userId) => rightPasswords.forget(userId),
  };
}

type Code = 'too_many_failures' | 'too_many_attempts';

const count = (counter: Counter, name: string, max: number, code: Code): void =>
  refuseAbove(counter.add(name), max, code);

function refuseAbove({ count: found, seconds }: Count, max: number, code: Code): void {
  if (found > max) throw new Problem(code, { seconds });
}
