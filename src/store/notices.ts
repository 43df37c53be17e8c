/** What a commit tells the rest of the program, and other nodes. The only place that knows how notices are written. */

/** Mail to send; or definitions of an environment changed, and this is the number of the change. */
export type Notice =
  | { readonly kind: 'outbox' }
  | { readonly kind: 'definitions'; readonly environmentId: string; readonly changeNumber: number };

/** What listeners get. `missed`: notices may have been lost, so look for yourself. */
export type Received = Notice | { readonly kind: 'missed' };

export const missed: Received = { kind: 'missed' };

/** The same notice is always the same text. */
export const encodeNotice = (notice: Notice): string =>
  notice.kind === 'definitions' ? `definitions:${notice.environmentId}:${notice.changeNumber}` : notice.kind;

/** Undefined for what a newer node beside us announces and we do not know: not our affair. */
export function decodeNotice(text: string): Received | undefined {
  const [kind, environmentId, changeNumber] = text.split(':');
  if (kind === 'outbox') return { kind };
  if (kind !== 'definitions' || environmentId === undefined) return undefined;
  const number = Number(changeNumber);
  // A node of 0.1.0 sends no number.
  return Number.isSafeInteger(number) ? { kind, environmentId, changeNumber: number } : missed;
}

/** Somebody who hears of commits. */
export interface Listener {
  readonly onNotice: (received: Received) => void;
  /** Gets what `onNotice` throws: the commit is done, so it concerns neither the writer nor other listeners. */
  readonly failed: (error: unknown) => void;
}

export function notify(listeners: readonly Listener[], received: Received): void {
  for (const { onNotice, failed } of listeners) {
    try {
      onNotice(received);
    } catch (error) {
      failed(error);
    }
  }
}
