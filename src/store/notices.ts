/** Notices that commits send to listeners in this process and on other nodes. Encoded and decoded only here. */

/** A mail to send, or a change to definitions of an environment, with its change number. */
export type Notice =
  | { readonly kind: 'outbox' }
  | { readonly kind: 'definitions'; readonly environmentId: string; readonly changeNumber: number };

/** What listeners get. `missed`: notices may have been lost, so check the database. */
export type Received = Notice | { readonly kind: 'missed' };

export const missed: Received = { kind: 'missed' };

/** Equal notices have equal text. */
export const encodeNotice = (notice: Notice): string =>
  notice.kind === 'definitions' ? `definitions:${notice.environmentId}:${notice.changeNumber}` : notice.kind;

/** Undefined for notices of newer nodes that this release does not know. */
export function decodeNotice(text: string): Received | undefined {
  const [kind, environmentId, changeNumber] = text.split(':');
  if (kind === 'outbox') return { kind };
  if (kind !== 'definitions' || environmentId === undefined) return undefined;
  const number = Number(changeNumber);
  // A node of 0.1.0 sends no number.
  return Number.isSafeInteger(number) ? { kind, environmentId, changeNumber: number } : missed;
}

/** A subscriber to commits. */
export interface Listener {
  readonly onNotice: (received: Received) => void;
  /** Gets what `onNotice` throws. The commit is done, so neither the writer nor other listeners are affected. */
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
