/**
 * All SDK keys, in memory: a poll does not read the database, and a node whose database is down still knows its clients.
 *
 * Invariants
 * 1. A key that is created or revoked on this node works, or stops working, as soon as the request was answered. On
 *    SQLite, a key that another process created works at once, too. Its revocation takes effect within seconds.
 * 2. While the database cannot be read, the keys stay as they were.
 * 3. A key that expires is refused from that moment. Its streams end within the interval of comparisons.
 */
import type { Logger } from 'pino';
import { hashOf } from '#security/secrets.ts';
import { findKeysVersion, listSdkKeys, type StoredSdkKey } from '#store/delivery.ts';
import type { Store } from '#store/sql.ts';
import { Refresh } from './refresh.ts';

/** A key of an application. It reads one environment. */
export interface SdkKey {
  readonly id: string;
  readonly type: 'server_side' | 'client_side';
  readonly environmentId: string;
  readonly lastFour: string;
}

export interface SdkKeys {
  /** Undefined if no SDK key has this text, or if it was revoked or has expired. A promise while the keys are being read. */
  find(keyText: string): SdkKey | undefined | Promise<SdkKey | undefined>;
  /** Whether the key with this id still works. */
  has(id: string): boolean;
  /** The environments that have keys. */
  environmentIds(): ReadonlySet<string>;
  /** Calls the listener for each key that stops working. */
  onRevoked(listener: (id: string) => void): void;
  stop(): Promise<void>;
}

export interface KeysOptions {
  readonly store: Store;
  readonly log: Logger;
  /** Called with all keys whenever they were read. */
  readonly changed?: ((keys: readonly StoredSdkKey[]) => void) | undefined;
  /** How often the database is asked whether its keys changed, even without notices. */
  readonly compareMs?: number;
}

/** `burgee keys revoke` is another process, which sends no notices on SQLite. */
const usualCompareMs = 2_000;
/** How long a request waits for keys that are being read again. */
const maxWaitMs = 1_000;

/** Resolves when the keys were read. */
export async function startKeys({
  store,
  log,
  changed = () => undefined,
  compareMs = usualCompareMs,
}: KeysOptions): Promise<SdkKeys> {
  let byHash = new Map<string, StoredSdkKey>();
  /** Keys that were used, by their texts: hashing takes longer than the rest of a poll. */
  let byText = new Map<string, StoredSdkKey>();
  let ids = new Set<string>();
  let expiring: readonly StoredSdkKey[] = [];
  let version = '';
  let comparedCommit: number | undefined;
  const listeners: ((id: string) => void)[] = [];

  const read = async () => {
    // The version first: what is committed in between makes the next comparison differ.
    const found = await findKeysVersion(store);
    const keys = await listSdkKeys(store);
    const before = ids;
    version = found;
    byHash = new Map(keys.map((key) => [key.hash, key]));
    byText = new Map();
    ids = new Set(keys.filter(works).map(({ id }) => id));
    expiring = keys.filter(({ expiresAt, id }) => typeof expiresAt === 'number' && ids.has(id));
    changed(keys);
    for (const id of before) if (!ids.has(id)) for (const notify of listeners) notify(id);
  };
  const works = (key: StoredSdkKey) => !hasExpired(key, store.clock());
  const endExpired = () => {
    const over = expiring.filter((key) => !works(key));
    if (over.length === 0) return;
    expiring = expiring.filter(works);
    for (const { id } of over) {
      ids.delete(id);
      for (const notify of listeners) notify(id);
    }
  };
  const found = (keyText: string): SdkKey | undefined => {
    const key = byText.get(keyText) ?? byHash.get(hashOf(keyText));
    if (!key || !works(key)) return undefined;
    byText.set(keyText, key);
    return key;
  };
  const refresh = new Refresh(read, (error) => log.warn({ err: error }, 'reading the SDK keys failed'));
  const compare = async () => {
    // Cheap only on SQLite, where it also detects commits by other processes.
    const commit = store.version();
    if (commit !== undefined && commit === comparedCommit && refresh.error === undefined) return;
    if (refresh.error !== undefined || (await findKeysVersion(store)) !== version) await refresh.again();
    comparedCommit = commit;
  };
  let comparing: Promise<void> | undefined;
  const compareOnce = () => {
    comparing ??= compare()
      // The next comparison catches up.
      .catch(() => undefined)
      .finally(() => {
        comparing = undefined;
      });
    return comparing;
  };
  /** False on PostgreSQL, where notices cover other processes. */
  const isBehind = () => comparedCommit !== store.version();
  /** The second comparison began after the request. Unknown keys share comparisons: at most one for each commit. */
  const foundInDatabase = async (keyText: string): Promise<SdkKey | undefined> => {
    for (let round = 0; round < 2 && isBehind(); round += 1) {
      await compareOnce();
      const key = found(keyText);
      if (key) return key;
    }
    return undefined;
  };

  store.onCommit({
    onNotice: ({ kind }) => {
      if (kind === 'api-keys' || kind === 'missed') refresh.noticed();
    },
    failed: (error) => log.error({ err: error }, 'handling a notice about SDK keys failed'),
  });
  // After the subscription, so that nothing is missed in between.
  await refresh.again();
  if (refresh.error !== undefined) throw refresh.error;
  const timer = setInterval(() => {
    endExpired();
    void compareOnce();
  }, compareMs).unref();

  return {
    find: (keyText) => {
      if (refresh.isPending) return refresh.settled(maxWaitMs).then(() => found(keyText));
      return found(keyText) ?? (isBehind() ? foundInDatabase(keyText) : undefined);
    },
    has: (id) => ids.has(id),
    environmentIds: () => new Set([...byHash.values()].map(({ environmentId }) => environmentId)),
    onRevoked: (listener) => void listeners.push(listener),
    stop: async () => {
      clearInterval(timer);
      await Promise.all([refresh.stop(), comparing]);
    },
  };
}

const hasExpired = ({ expiresAt }: StoredSdkKey, now: number): boolean =>
  typeof expiresAt === 'number' && expiresAt <= now;

/** The keys of a node whose database is down. They do not change: streams of one that expires meanwhile continue. */
export function knownKeys(keys: readonly StoredSdkKey[], now: () => number): SdkKeys {
  const byHash = new Map(keys.map((key) => [key.hash, key]));
  const ids = new Set(keys.map(({ id }) => id));
  return {
    find: (keyText) => {
      const key = byHash.get(hashOf(keyText));
      return key && !hasExpired(key, now()) ? key : undefined;
    },
    has: (id) => ids.has(id),
    environmentIds: () => new Set(keys.map(({ environmentId }) => environmentId)),
    onRevoked: () => undefined,
    stop: async () => undefined,
  };
}
