/** One environment: what SDKs read of it, and when it is read again. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Reader } from '#store/sql.ts';
import { type FeedChange, flagChanges, type KeysChange, segmentChanges, toKeysChange } from './changes.ts';
import { type Content, readContent } from './environment.ts';
import { Refresh } from './refresh.ts';
import {
  changesSince,
  isLogLong,
  type KeysSince,
  loadLarge,
  loadStandard,
  readBase,
  readChanges,
  readChangesSince,
  type SegmentKeys,
  type StandardKeys,
  withBase,
} from './segments.ts';
import { createSnapshot, type Published, type Snapshot, type State } from './snapshot.ts';

/** How long a poll waits for a change that is being read, and for an environment that nobody has asked for before. */
const staleWaitMs = 1_000;
const firstWaitMs = 5_000;
const recheckMs = 1_000;

interface Surroundings {
  readonly store: Reader;
  readonly log: Logger;
  readonly published: (environmentId: string, state: State) => void;
  readonly notify: (change: FeedChange) => void;
}

export class EnvironmentFeed {
  readonly #id: string;
  readonly #surroundings: Surroundings;
  readonly #refresh: Refresh;
  #published: Published | undefined;
  /** Standard segments that were asked for and are read next. */
  readonly #asked = new Set<string>();
  /** Segments whose keys are being read in the background. */
  readonly #working = new Map<string, Promise<void>>();
  /** Whether some of that failed since the last refresh. */
  #hasFailedWork = false;
  #isStopped = false;
  #rechecking: Promise<boolean> | undefined;
  #recheckedAt = Number.NEGATIVE_INFINITY;

  constructor(id: string, surroundings: Surroundings, known: State | undefined) {
    this.#id = id;
    this.#surroundings = surroundings;
    this.#refresh = new Refresh(
      () => this.#read(),
      (error) => surroundings.log.warn({ err: error }, 'reading an environment for SDKs failed'),
    );
    if (known) this.#published = { state: known, snapshot: createSnapshot(known) };
  }

  /** Whether something could not be read, so that a refresh is due without a new change. */
  get isFailing(): boolean {
    return this.#refresh.error !== undefined || this.#hasFailedWork;
  }

  current(): Snapshot | undefined | Promise<Snapshot | undefined> {
    return this.#published && !this.#refresh.isPending ? this.#published.snapshot : this.#currentSoon();
  }

  async #currentSoon(): Promise<Snapshot | undefined> {
    // One that could not be read is tried again by the next comparison.
    if (!this.#published && !this.#refresh.isPending && this.#refresh.error === undefined) void this.#refresh.again();
    if (this.#refresh.isPending) await this.#refresh.settled(this.#published ? staleWaitMs : firstWaitMs);
    return this.#published?.snapshot;
  }

  async recheck(): Promise<Snapshot | undefined> {
    this.#rechecking ??= this.#recheckSoon();
    return (await this.#rechecking) ? this.#published?.snapshot : undefined;
  }

  /** Starts after everyone who waits for it has asked. False if the database cannot be read. */
  async #recheckSoon(): Promise<boolean> {
    await pause(Math.max(0, this.#recheckedAt + recheckMs - performance.now()));
    this.#rechecking = undefined;
    this.#recheckedAt = performance.now();
    void this.#refresh.again();
    return this.#refresh.settled(staleWaitMs);
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
  noticed(number: number): void {
    if (number > this.#upTo) this.#refresh.noticed();
  }

  /** The environment's number in the database. It is lower than before if the database was restored. */
  compare(number: number): void {
    if (number !== this.#upTo || this.isFailing) void this.#refresh.again();
  }

  /** Reads what changed. */
  refresh(): Promise<void> {
    return this.#refresh.again();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#refresh.stop(), ...this.#working.values()]);
  }

  get #upTo(): number {
    return this.#published?.state.content.environment.changeNumber ?? -1;
  }

  #standard(name: string): StandardKeys | undefined {
    const keys = this.#published?.state.keys.get(name);
    return keys?.kind === 'standard' ? keys : undefined;
  }

  async #ask(name: string): Promise<StandardKeys | undefined> {
    if (this.#refresh.error !== undefined) return undefined;
    this.#asked.add(name);
    void this.#refresh.again();
    await this.#refresh.settled(firstWaitMs);
    return this.#standard(name);
  }

  async #read(): Promise<void> {
    this.#hasFailedWork = false;
    const content = await readContent(this.#surroundings.store, this.#id, this.#published?.state.content);
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
    const isRestored = content.environment.changeNumber < this.#upTo;
    for (const name of this.#wanted(content, asked)) {
      const known = this.#published?.state.keys.get(name);
      const kind = content.active.get(name)?.kind ?? known?.kind ?? 'standard';
      const number = content.active.get(name)?.number ?? content.inactive.get(name) ?? -1;
      if (known?.kind === kind && known.number >= number && !isRestored) continue;
      if (kind === 'standard') {
        const read = await this.#readStandard(name, number, isRestored ? undefined : known);
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
      // They may be replaced again meanwhile.
      for (let isCurrent = false; !isCurrent; ) {
        const keys = await loadLarge(this.#surroundings.store, { environmentId: this.#id, name });
        const { content } = this.#published?.state ?? {};
        const segment = content?.active.get(name);
        if (!content || segment?.kind !== 'large' || !keys) return;
        this.#publish(content, new Map([[name, keys]]), [{ kind: 'large', name, number: keys.number }]);
        isCurrent = keys.number >= segment.number;
      }
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

  /** One piece of work for a segment at a time. If it fails, the next refresh starts it again. */
  #inBackground(name: string, work: () => Promise<void>): void {
    if (this.#isStopped || this.#working.has(name)) return;
    const running = work()
      .catch((error: unknown) => {
        this.#hasFailedWork = true;
        this.#surroundings.log.warn({ err: error }, 'reading the keys of a segment failed');
      })
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
    const isRestored = content.environment.changeNumber < before.state.content.environment.changeNumber;
    if (flags.length + ruleBasedSegments.length + segments.length === 0 && !isRestored) return;
    this.#surroundings.notify({
      environmentId: this.#id,
      before: before.snapshot,
      after: snapshot,
      flags,
      ruleBasedSegments,
      segments,
      isRestored,
    });
  }
}

/** The number of the last change of a standard segment; undefined if there was none of this name. */
function standardNumberOf({ active, inactive }: Content, name: string): number | undefined {
  const segment = active.get(name);
  if (segment) return segment.kind === 'standard' ? segment.number : undefined;
  return inactive.get(name);
}
