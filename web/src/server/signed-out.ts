/**
 * A session can expire or be ended elsewhere. The page then stays as it is, a dialog asks to sign
 * in again, and every refused call waits here until then.
 */
import { noticesOf } from '../state/notices.ts';

interface Waiting {
  /** It changes something, so it must not be sent as another user. */
  readonly isChange: boolean;
  readonly resolve: (again: boolean) => void;
}

const isAsking = noticesOf(false);
/** Undefined while nobody is signed in. */
let userId: string | undefined;
let waiting: Waiting[] = [];

/** Whether to show the dialog. */
export const useIsSignedOut = isAsking.use;

/**
 * From now on a refused call means that the session ended, not that there never was one. Another user may have signed
 * in in another tab: then the first user's pending changes are dropped.
 */
export function sessionBegan(id: string): void {
  const isSamePerson = userId === id;
  userId = id;
  letGo(({ isChange }) => isSamePerson || !isChange);
}

/** The user signed out on purpose, so nothing waits. */
export function sessionEnded(): void {
  userId = undefined;
  letGo(() => false);
}

/** True once the call may be retried; false immediately if nobody was signed in. */
export function signedInAgain(isChange: boolean): Promise<boolean> {
  if (userId === undefined) return Promise.resolve(false);
  isAsking.set(true);
  return new Promise((resolve) => waiting.push({ isChange, resolve }));
}

function letGo(maySendAgain: (call: Waiting) => boolean): void {
  const released = waiting;
  waiting = [];
  isAsking.set(false);
  for (const one of released) one.resolve(maySendAgain(one));
}
