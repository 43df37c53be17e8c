/**
 * What SDKs read: a snapshot of each environment, kept current whichever node changes it.
 *
 * Invariants
 * 1. No change is missed: a notice marks its environment as stale at once. Notices that were lost with a connection are
 *    made up for by comparing all numbers every second.
 * 2. Requests for a stale environment wait, but not for long. So a poll after an answered change contains the change.
 * 3. A snapshot is published before listeners are told of it, and its numbers do not decrease unless the database was
 *    restored.
 * 4. While the database cannot be read, the snapshots stay as they were. An environment that was never read has none.
 */
import type { Logger } from 'pino';
import { listChangeNumbers } from '#store/environments.ts';
import type { Received } from '#store/notices.ts';
import type { Reader, Store } from '#store/sql.ts';
import type { FeedChange } from './changes.ts';
import { EnvironmentFeed } from './environment-feed.ts';
import type { KeysSince } from './segments.ts';
import type { Snapshot, State } from './snapshot.ts';

export interface Feed {
  /** Undefined if the environment cannot be read. A promise, for at most a second, while it is known to have changed. */
  current(environmentId: string): Snapshot | undefined | Promise<Snapshot | undefined>;
  /**
   * What the database has now, for an SDK that knows more than there is: this node is behind, or the database was
   * restored. Undefined if it cannot be read. Reads at most once a second; callers wait for that.
   */
  recheck(environmentId: string): Promise<Snapshot | undefined>;
  /**
   * What changed in a standard segment after a number that an SDK has; -1: it has no keys. A Buffer is the whole reply,
   * compressed by gzip. Undefined if it cannot be read. An unknown segment has no keys.
   */
  keysSince(environmentId: string, segment: string, since: number): Promise<KeysSince | Buffer | undefined>;
  /** Calls the listener after each new snapshot, which polls already see by then. */
  subscribe(listener: (change: FeedChange) => void): void;
  stop(): Promise<void>;
}

export interface FeedOptions {
  readonly store: FeedStore;
  readonly log: Logger;
  /** Environments to read at the start, one after the other. Others are read when they are first asked for. */
  readonly environmentIds: ReadonlySet<string>;
  /** What is known of environments before they are read. */
  readonly known?: ReadonlyMap<string, State>;
  /** Called with every new state of an environment; undefined: it was deleted. */
  readonly published?: ((environmentId: string, state: State | undefined) => void) | undefined;
  /** How often all numbers are compared, even without notices. */
  readonly compareMs?: number;
}

/** What the feed needs of the database. */
export type FeedStore = Pick<Store, keyof Reader | 'version' | 'onCommit'>;

const usualCompareMs = 1_000;

export function startFeed({
  store,
  log,
  environmentIds,
  known,
  published = () => undefined,
  compareMs = usualCompareMs,
}: FeedOptions): Feed {
  const environments = new Map<string, EnvironmentFeed>();
  const listeners: ((change: FeedChange) => void)[] = [];
  let isStopped = false;
  let comparing: Promise<void> | undefined;
  let comparedVersion: number | undefined;

  const notify = (change: FeedChange) => {
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        log.error({ err: error }, 'notifying streams of a change failed');
      }
    }
  };
  const environmentOf = (id: string): EnvironmentFeed => {
    const found = environments.get(id) ?? new EnvironmentFeed(id, { store, log, notify, published }, known?.get(id));
    environments.set(id, found);
    return found;
  };
  const compareNumbers = async () => {
    // Cheap only on SQLite, where it also detects commits by other processes.
    const version = store.version();
    const isCurrent = version !== undefined && version === comparedVersion;
    if (isCurrent && ![...environments.values()].some(({ isFailing }) => isFailing)) return;
    // Those that are added meanwhile may be newer than the list.
    const compared = [...environments];
    const numbers = new Map((await listChangeNumbers(store)).map(({ id, changeNumber }) => [id, changeNumber]));
    for (const [id, environment] of compared) {
      const number = numbers.get(id);
      if (number !== undefined) environment.compare(number);
      else if (environments.delete(id)) published(id, undefined);
    }
    comparedVersion = version;
  };
  const compare = () => {
    if (isStopped) return;
    comparing ??= compareNumbers()
      // The next comparison catches up.
      .catch((error: unknown) => log.debug({ err: error }, 'comparing change numbers failed'))
      .finally(() => {
        comparing = undefined;
      });
  };
  const onNotice = (received: Received) => {
    if (isStopped) return;
    if (received.kind === 'missed') compare();
    else if ('changeNumber' in received) environments.get(received.environmentId)?.noticed(received.changeNumber);
  };
  const readAll = async () => {
    for (const id of environmentIds) {
      if (isStopped) return;
      await environmentOf(id).refresh();
    }
  };

  store.onCommit({ onNotice, failed: (error) => log.error({ err: error }, 'handling a notice about a change failed') });
  const timer = setInterval(compare, compareMs).unref();
  const reading = readAll();

  return {
    current: (id) => environmentOf(id).current(),
    recheck: (id) => environmentOf(id).recheck(),
    keysSince: (id, segment, since) => environmentOf(id).keysSince(segment, since),
    subscribe: (listener) => void listeners.push(listener),
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await Promise.all([reading, comparing, ...[...environments.values()].map((environment) => environment.stop())]);
    },
  };
}
