/** All SDK keys, in memory: a poll reads no database, and a node whose database is away still knows its clients. */

/** A key of an application. It reads one environment. */
export interface SdkKey {
  readonly id: string;
  readonly type: 'server_side' | 'client_side';
  readonly environmentId: string;
  readonly lastFour: string;
}

export interface SdkKeys {
  /** Undefined if no SDK key has this text, or if it was revoked. */
  find(keyText: string): SdkKey | undefined;
  /** Whether the key with this id still works. */
  has(id: string): boolean;
  /** Calls the listener for each key that stops working, within five seconds, whichever process revoked it. */
  onRevoked(listener: (id: string) => void): void;
  stop(): Promise<void>;
}
