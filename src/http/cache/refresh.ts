/** Bypasses both caches every 10 s per key, so that the key's last use stays current. */

/** Far more often than last use is saved, and far less often than a busy key sends requests. */
const intervalMs = 10_000;
/** Bounds memory. When it is full, every key bypasses the caches once more. */
const maxKeys = 1_000;

export interface Refresh {
  /** Whether the next request of this key must bypass the caches. */
  mustBypass(keyHash: string): boolean;
  /** A request of this key bypassed them. Only for keys that exist: anyone can invent others. */
  bypassed(keyHash: string): void;
}

export function createRefresh(): Refresh {
  const freshUntil = new Map<string, number>();
  return {
    mustBypass: (keyHash) => (freshUntil.get(keyHash) ?? 0) <= performance.now(),
    bypassed: (keyHash) => {
      if (freshUntil.size >= maxKeys) freshUntil.clear();
      freshUntil.set(keyHash, performance.now() + intervalMs);
    },
  };
}
