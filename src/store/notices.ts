/** Notices that commits send to listeners in this process and on other nodes. Encoded and decoded only here. */

/** What changed in an environment: its definitions, or the segment with this name. */
export type Changed =
  | { readonly kind: 'definitions' }
  | { readonly kind: 'segment' | 'large-segment' | 'rule-based-segment'; readonly name: string };

/** A mail to send, API keys that were created or revoked, or a change in an environment, with its change number. */
export type Notice =
  | { readonly kind: 'outbox' }
  | { readonly kind: 'api-keys' }
  | (Changed & { readonly environmentId: string; readonly changeNumber: number });

/** What listeners get. `missed`: notices may have been lost, so check the database. */
export type Received = Notice | { readonly kind: 'missed' };

export const missed: Received = { kind: 'missed' };

/** Equal notices have equal text. Names of segments contain no colon. */
export function encodeNotice(notice: Notice): string {
  if (notice.kind === 'outbox' || notice.kind === 'api-keys') return notice.kind;
  const { kind, environmentId, changeNumber } = notice;
  return [kind, environmentId, changeNumber, ...(kind === 'definitions' ? [] : [notice.name])].join(':');
}

/** Undefined for notices of newer nodes that this release does not know. */
export function decodeNotice(text: string): Received | undefined {
  const [kind, environmentId, number, name] = text.split(':');
  if (kind === 'outbox' || kind === 'api-keys') return { kind };
  if (environmentId === undefined) return undefined;
  const changeNumber = Number(number);
  // A node of 0.1.0 sends no number.
  if (kind === 'definitions')
    return Number.isSafeInteger(changeNumber) ? { kind, environmentId, changeNumber } : missed;
  if (kind !== 'segment' && kind !== 'large-segment' && kind !== 'rule-based-segment') return undefined;
  return name === undefined ? undefined : { kind, environmentId, changeNumber, name };
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
