/**
 * What SDKs read: a snapshot of each environment, kept current from whichever node changes it.
 *
 * Invariants
 * 1. Nothing is missed: a notice marks its environment as stale at once, and what got lost with a connection is found
 *    every second by comparing numbers.
 * 2. While an environment is stale, those who ask for it wait, though not for long. So a poll after an answered change
 *    contains the change.
 * 3. A snapshot is published before anybody is told of it, and its numbers do not decrease unless the database was
 *    restored.
 * 4. While the database cannot be read, the snapshots stay as they were. An environment that was never read has none.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { listChangeNumbers } from '#store/environments.ts';
import type { Received } from '#store/notices.ts';
import type { Reader, Store } from '#store/sql.ts';
import { type Content, readContent } from './environment.ts';
import {
  changesSince,
  isLogLong,
  type KeyChanges,
  type KeysSince,
  loadLarge,
  loadStandard,
  netOf,
  readBase,
  readChanges,
  readChangesSince,
  type SegmentKeys,
  type StandardKeys,
  withBase,
} from './segments.ts';
import { createSnapshot, type Snapshot, type State } from './snapshot.ts';

export interface Feed {
  /** Undefined if the environment cannot be read. A promise while it is known to have changed, though not for long. */
  current(environmentId: string): Snapshot | undefined | Promise<Snapshot | undefined>;
  /**
   * What the database has now, for an SDK that knows more than there is: this node is behind, or the database was
   * restored. Undefined if it cannot be read: then nobody knows which. Reads once a second; waits for that.
   */
  recheck(environmentId: string): Promise<Snapshot | undefined>;
  /**
   * What an SDK misses that knows the keys of a standard segment up to a number; -1: nothing. A Buffer is the whole
   * answer, compressed by gzip. Undefined if it cannot be read. An unknown segment has no keys.
   */
  keysSince(environmentId: string, segment: string, since: number): Promise<KeysSince | Buffer | undefined>;
  /** Calls the listener after each new snapshot: what it is told can be polled. */
  subscribe(listener: (change: FeedChange) => void): void;
  stop(): Promise<void>;
}

export interface FeedChange {
  readonly environmentId: string;
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** In order of number, which is in (before.flagsNumber, after.flagsNumber]. */
  readonly flags: readonly FlagChange[];
  /** In order of number, which is in (before.ruleBasedNumber, after.ruleBasedNumber]. */
  readonly ruleBasedSegments: readonly SegmentChange[];
  readonly segments: readonly KeysChange[];
}

export interface FlagChange {
  readonly name: string;
  readonly number: number;
  /** JSON of spec 1.3; archived flags too. */
  readonly text: Buffer;
  /** Whether this change killed it. */
  readonly isKilled: boolean;
  readonly defaultTreatment: string;
}

/** A rule-based segment. */
export interface SegmentChange {
  readonly name: string;
  readonly number: number;
  /** JSON of spec 1.3; archived ones too. */
  readonly text: Buffer;
}

/** The keys of a segment changed, or are delivered from now on. */
export interface KeysChange {
  readonly kind: 'standard' | 'large';
  readonly name: string;
  readonly number: number;
  /** Absent for large segments and new ones, and if there are more than 10,000. No key is in both lists. */
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

export interface FeedOptions {
  readonly store: FeedStore;
  readonly log: Logger;
  /** These are read at the start, one after the other; others when they are asked for. */
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
/** How long a poll waits for a change that is being read, and for an environment that nobody has asked for before. */
const staleWaitMs = 1_000;
const firstWaitMs = 5_000;
const recheckMs = 1_000;
/** A change of more keys has no lists. */
export const maxListedKeys = 10_000;

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

  const tell = (change: FeedChange) => {
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        log.error({ err: error }, 'telling a change of an environment failed');
      }
    }
  };
  const environmentOf = (id: string): EnvironmentFeed => {
    const found = environments.get(id) ?? new EnvironmentFeed(id, { store, log, tell, published }, known?.get(id));
    environments.set(id, found);
    return found;
  };
  const compareNumbers = async () => {
    // Cheap only on SQLite; there it also tells of commits by other processes.
    const version = store.version();
    const isCurrent = version !== undefined && version === comparedVersion;
    if (isCurrent && ![...environments.values()].some(({ isFailing }) => isFailing)) return;
    const numbers = new Map((await listChangeNumbers(store)).map(({ id, changeNumber }) => [id, changeNumber]));
    for (const [id, environment] of environments) {
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
    if (isStopped || received.kind === 'outbox' || received.kind === 'api-keys') return;
    if (received.kind === 'missed') compare();
    else environments.get(received.environmentId)?.heard(received.changeNumber);
  };
  const readAll = async () => {
    for (const id of environmentIds) {
      if (isStopped) return;
      await environmentOf(id).refresh();
    }
  };

  store.onCommit({ onNotice, failed: (error) => log.error({ err: error }, 'a notice of a change failed') });
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

interface Surroundings extends Pick<FeedOptions, 'store' | 'log'> {
  readonly published: NonNullable<FeedOptions['published']>;
  readonly tell: (change: FeedChange) => void;
}

/** One environment: what it has, and when it is read again. */
class EnvironmentFeed {
  readonly #id: string;
  readonly #surroundings: Surroundings;
  #published: Published | undefined;
  /** Set while it is being read; never rejects. */
  #reading: Promise<void> | undefined;
  #isWantedAgain = false;
  #isStopped = false;
  /** Standard segments that were asked for, and are read next. */
  readonly #asked = new Set<string>();
  /** Segments whose keys are being read beside everything else. */
  readonly #working = new Map<string, Promise<void>>();
  #lastTriedAt = Number.NEGATIVE_INFINITY;
  #rechecking: Promise<boolean> | undefined;
  #recheckedAt = Number.NEGATIVE_INFINITY;
  /** Whether the last attempt to read it failed: waiting for the next would delay every poll. */
  isFailing = false;

  constructor(id: string, surroundings: Surroundings, known: State | undefined) {
    this.#id = id;
    this.#surroundings = surroundings;
    if (known) this.#published = { state: known, snapshot: createSnapshot(known) };
  }

  current(): Snapshot | undefined | Promise<Snapshot | undefined> {
    return this.#published && (!this.#reading || this.isFailing) ? this.#published.snapshot : this.#currentSoon();
  }

  async #currentSoon(): Promise<Snapshot | undefined> {
    if (!this.#published && !this.#reading && this.#mayTry()) void this.refresh();
    if (this.#reading && !this.isFailing) await this.#wait(this.#published ? staleWaitMs : firstWaitMs);
    return this.#published?.snapshot;
  }

  async recheck(): Promise<Snapshot | undefined> {
    this.#rechecking ??= this.#recheckSoon();
    return (await this.#rechecking) ? this.#published?.snapshot : undefined;
  }

  /** Begins after everyone who waits for it has asked. False if the database cannot be read. */
  async #recheckSoon(): Promise<boolean> {
    await pause(Math.max(0, this.#recheckedAt + recheckMs - performance.now()));
    this.#rechecking = undefined;
    this.#recheckedAt = performance.now();
    void this.refresh();
    await this.#wait(staleWaitMs);
    return !this.#reading && !this.isFailing;
  }

  async keysSince(name: string, since: number): Promise<KeysSince | Buffer | undefined> {
    await this.current();
    const content = this.#published?.state.content;
    if (!content) return undefined;
    if (standardNumberOf(content, name) === undefined) return { added: [], removed: [], till: since };
    const keys = this.#standard(name) ?? (await this.#ask(name));
    if (!keys) return undefined;
    if (since < 0) return keys.base.gzip;
    const { store } = this.#surroundings;
    const place = { environmentId: this.#id, name };
    return changesSince(keys, since) ?? (await readChangesSince(store, place, since).catch(() => undefined));
  }

  /** A change with this number was committed. */
  heard(number: number): void {
    if (number > this.#upTo) void this.refresh();
  }

  /** The environment's number in the database. It may have gone down, if the database was restored. */
  compare(number: number): void {
    if (number !== this.#upTo || this.isFailing) void this.refresh();
  }

  /** Reads what changed. If it is being read already, it is read once more after that. */
  refresh(): Promise<void> {
    this.#isWantedAgain = true;
    this.#reading ??= this.#readUntilCurrent();
    return this.#reading;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#reading, ...this.#working.values()]);
  }

  get #upTo(): number {
    return this.#published?.state.content.environment.changeNumber ?? -1;
  }

  #standard(name: string): StandardKeys | undefined {
    const keys = this.#published?.state.keys.get(name);
    return keys?.kind === 'standard' ? keys : undefined;
  }

  #mayTry(): boolean {
    return performance.now() - this.#lastTriedAt > recheckMs;
  }

  #wait(ms: number): Promise<unknown> {
    const late = new AbortController();
    const over = pause(ms, undefined, { ref: false, signal: late.signal }).catch(() => undefined);
    return Promise.race([this.#reading, over]).finally(() => late.abort());
  }

  async #ask(name: string): Promise<StandardKeys | undefined> {
    if (this.isFailing) return undefined;
    this.#asked.add(name);
    void this.refresh();
    await this.#wait(firstWaitMs);
    return this.#standard(name);
  }

  async #readUntilCurrent(): Promise<void> {
    while (this.#isWantedAgain && !this.#isStopped) {
      this.#isWantedAgain = false;
      this.#lastTriedAt = performance.now();
      try {
        await this.#readOnce();
        this.isFailing = false;
      } catch (error) {
        if (!this.isFailing) this.#surroundings.log.warn({ err: error }, 'reading an environment for SDKs failed');
        this.isFailing = true;
        break;
      }
    }
    // In the same turn as the end of the loop: a later wish begins anew.
    this.#reading = undefined;
  }

  async #readOnce(): Promise<void> {
    const { store } = this.#surroundings;
    const content = await readContent(store, this.#id, this.#published?.state.content);
    if (!content) return;
    const { keys, changes } = await this.#readKeys(content);
    if (content !== this.#published?.state.content || keys.size > 0) this.#publish(content, keys, changes);
    for (const known of this.#published?.state.keys.values() ?? []) {
      if (known.kind === 'standard' && isLogLong(known)) this.#shortenLog(known);
    }
  }

  /** The keys of segments that are new here or have changed; undefined: they are gone. */
  async #readKeys(content: Content) {
    const keys = new Map<string, SegmentKeys | undefined>();
    const changes: KeysChange[] = [];
    const asked = [...this.#asked];
    for (const name of this.#wanted(content, asked)) {
      const known = this.#published?.state.keys.get(name);
      const kind = content.active.get(name)?.kind ?? known?.kind ?? 'standard';
      const number = content.active.get(name)?.number ?? content.inactive.get(name) ?? -1;
      if (known?.kind === kind && known.number >= number) continue;
      if (kind === 'standard') {
        const read = await this.#readStandard(name, number, known);
        keys.set(name, read.keys);
        if (read.changes.length > 0) changes.push(toKeysChange(name, read.changes));
        // Clients know their memberships without this segment.
        else if (known?.kind !== 'standard') changes.push({ kind, name, number });
      } else if (!content.active.has(name)) {
        keys.set(name, undefined);
        changes.push({ kind: 'large', name, number });
      } else if (known?.kind === 'large') {
        this.#replaceLarge(name);
      } else {
        keys.set(name, await loadLarge(this.#surroundings.store, { environmentId: this.#id, name }));
        changes.push({ kind: 'large', name, number });
      }
    }
    for (const name of asked) this.#asked.delete(name);
    return { keys, changes };
  }

  async #readStandard(name: string, number: number, known: SegmentKeys | undefined) {
    const { store } = this.#surroundings;
    const place = { environmentId: this.#id, name };
    if (known?.kind !== 'standard') return { keys: await loadStandard(store, place, number), changes: [] };
    const { keys = known, changes = [] } = (await readChanges(store, place, known)) ?? {};
    return { keys: { ...keys, number: Math.max(keys.number, number) }, changes };
  }

  /** Those that are named here, those in memory, and those that were asked for. Rule-based ones have no keys. */
  #wanted({ flags, ruleBased, active }: Content, asked: readonly string[]): Set<string> {
    const names = new Set([...(this.#published?.state.keys.keys() ?? []), ...asked]);
    for (const entries of [flags, ruleBased]) {
      for (const { segments } of entries.values()) {
        for (const name of segments) if (active.has(name)) names.add(name);
      }
    }
    for (const [name, { kind }] of active) if (kind === 'rule_based') names.delete(name);
    return names;
  }

  /** Millions of keys take seconds to read; other changes do not wait for them. */
  #replaceLarge(name: string): void {
    this.#inBackground(name, async () => {
      const keys = await loadLarge(this.#surroundings.store, { environmentId: this.#id, name });
      const { content } = this.#published?.state ?? {};
      const segment = content?.active.get(name);
      if (!content || segment?.kind !== 'large' || !keys) return;
      this.#publish(content, new Map([[name, keys]]), [{ kind: 'large', name, number: keys.number }]);
      // They were replaced again meanwhile.
      if (segment.number > keys.number) void this.refresh();
    });
  }

  #shortenLog({ name, number }: StandardKeys): void {
    this.#inBackground(name, async () => {
      const base = await readBase(this.#surroundings.store, { environmentId: this.#id, name }, number);
      const { content } = this.#published?.state ?? {};
      const keys = this.#standard(name);
      if (content && keys) this.#publish(content, new Map([[name, withBase(keys, base)]]), []);
    });
  }

  /** One piece of work for a segment at a time. If it fails, the next refresh begins it again. */
  #inBackground(name: string, work: () => Promise<void>): void {
    if (this.#isStopped || this.#working.has(name)) return;
    const running = work()
      .catch((error: unknown) => this.#surroundings.log.warn({ err: error }, 'reading the keys of a segment failed'))
      .finally(() => this.#working.delete(name));
    this.#working.set(name, running);
  }

  #publish(
    content: Content,
    keys: ReadonlyMap<string, SegmentKeys | undefined>,
    segments: readonly KeysChange[],
  ): void {
    const before = this.#published;
    const merged = new Map(before?.state.keys);
    for (const [name, one] of keys) {
      if (one) merged.set(name, one);
      else merged.delete(name);
    }
    const state = { content, keys: merged };
    const snapshot = createSnapshot(state, before);
    this.#published = { state, snapshot };
    this.#surroundings.published(this.#id, state);
    if (!before) return;
    const flags = flagChanges(before, this.#published);
    const ruleBasedSegments = segmentChanges(before, this.#published);
    if (flags.length + ruleBasedSegments.length + segments.length === 0) return;
    const environmentId = this.#id;
    this.#surroundings.tell({
      environmentId,
      before: before.snapshot,
      after: snapshot,
      flags,
      ruleBasedSegments,
      segments,
    });
  }
}

interface Published {
  readonly state: State;
  readonly snapshot: Snapshot;
}

/** The number of the last change of a standard segment; undefined if there was none of this name. */
function standardNumberOf({ active, inactive }: Content, name: string): number | undefined {
  const segment = active.get(name);
  if (segment) return segment.kind === 'standard' ? segment.number : undefined;
  return inactive.get(name);
}

function toKeysChange(name: string, changes: readonly KeyChanges[]): KeysChange {
  const change = { kind: 'standard', name, number: changes.at(-1)?.number ?? -1 } as const;
  const net = netOf(changes);
  return net.added.length + net.removed.length > maxListedKeys ? change : { ...change, ...net };
}

function flagChanges(before: Published, after: Published): FlagChange[] {
  const numbers = [before.snapshot.flagsNumber, after.snapshot.flagsNumber] as const;
  return within(after.state.content.flags, numbers).map(({ name, number, text, isKilled, defaultTreatment }) => ({
    name,
    number,
    text,
    isKilled: isKilled && !before.state.content.flags.get(name)?.isKilled,
    defaultTreatment,
  }));
}

const segmentChanges = (before: Published, after: Published): SegmentChange[] =>
  within(after.state.content.ruleBased, [before.snapshot.ruleBasedNumber, after.snapshot.ruleBasedNumber]);

function within<Entry extends { readonly number: number }>(
  entries: ReadonlyMap<string, Entry>,
  [from, to]: readonly [number, number],
): Entry[] {
  const found: Entry[] = [];
  if (from < to) for (const entry of entries.values()) if (entry.number > from && entry.number <= to) found.push(entry);
  return found.sort((one, other) => one.number - other.number);
}
