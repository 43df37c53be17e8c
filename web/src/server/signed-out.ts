/**
 * A session can end in the middle of work, elsewhere or by itself. The page then stays as it is, a dialog asks to sign
 * in again, and every call that was refused waits here until that is done.
 */
import { noticesOf } from '../state/notices.ts';

interface Waiting {
  /** It would change something, and so must not be sent as somebody else. */
  readonly isChange: boolean;
  readonly resolve: (again: boolean) => void;
}

const isAsking = noticesOf(false);
/** Undefined while nobody is signed in. */
let userId: string | undefined;
let waiting: Waiting[] = [];

/** Whether the dialog is to be shown. */
export const useIsSignedOut = isAsking.use;

/**
 * From now on a refused call means that the session ended, and not that there never was one. In another tab somebody
 * else may have signed in: what the first person was about to change is then given up.
 */
export function sessionBegan(id: string): void {
  const isSamePerson = userId === id;
  userId = id;
  letGo(({ isChange }) => isSamePerson || !isChange);
}

/** The person left on purpose: nothing waits for a return. */
export function sessionEnded(): void {
  userId = undefined;
  letGo(() => false);
}

/** True once the call may be sent again; false at once where nobody was signed in. */
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
