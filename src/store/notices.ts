/** Notices that commits send to listeners in this process and on other nodes. Encoded and decoded only here. */
import type { ObjectType } from '#domain/changes.ts';

/** What changed in an environment: its definitions, or the segment with this name. */
export type Changed =
  | { readonly kind: 'definitions' }
  | { readonly kind: 'segment' | 'large-segment' | 'rule-based-segment'; readonly name: string };

/** What a command changed, for open pages: what its audit entry names. */
export interface Recorded {
  readonly kind: 'recorded';
  /** PostgreSQL delivers notices of this node twice. */
  readonly transactionId: string;
  /** Absent: several objects. */
  readonly object?: { readonly type: ObjectType; readonly id: string; readonly name: string } | undefined;
  readonly projectId?: string | undefined;
  readonly environmentId?: string | undefined;
}

/** Someone has unsaved changes to a definition, or no longer has. Nothing stores this. */
export interface Editing {
  readonly kind: 'editing';
  readonly isEditing: boolean;
  readonly actorId: string;
  readonly actorName: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly flagId: string;
}

/**
 * A mail to send, API keys that were created or revoked, a change in an environment, with its change number, or what
 * open pages are told.
 */
export type Notice =
  | { readonly kind: 'outbox' }
  | { readonly kind: 'api-keys' }
  | Recorded
  | Editing
  | (Changed & { readonly environmentId: string; readonly changeNumber: number });

/** What listeners get. `missed`: notices may have been lost, so check the database. */
export type Received = Notice | { readonly kind: 'missed' };

export const missed: Received = { kind: 'missed' };

/** Equal notices have equal text. Names of segments contain no colon. */
export function encodeNotice(notice: Notice): string {
  if (notice.kind === 'outbox' || notice.kind === 'api-keys') return notice.kind;
  if (notice.kind === 'recorded' || notice.kind === 'editing') return JSON.stringify(notice);
  const { kind, environmentId, changeNumber } = notice;
  return [kind, environmentId, changeNumber, ...(kind === 'definitions' ? [] : [notice.name])].join(':');
}

/** Undefined for notices of newer nodes that this release does not know. */
export function decodeNotice(text: string): Received | undefined {
  if (text.startsWith('{')) return decodeJson(text);
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

function decodeJson(text: string): Received | undefined {
  const notice = JSON.parse(text) as Recorded | Editing;
  return notice.kind === 'recorded' || notice.kind === 'editing' ? notice : undefined;
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
