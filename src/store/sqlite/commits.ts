/**
 * Numbers the commits that readers can see, so that caches know whether what they hold is current.
 *
 * Invariants
 * 1. A commit has its number as soon as readers can see it; one of another process half a millisecond later at most.
 * 2. A read after `version` sees all commits up to that version. So there are no new versions while a commit of ours is
 *    being flushed and readers still see the state before it.
 * 3. A commit of another process touches everything, and so does one of ours that does not declare what it touches. One
 *    of ours that touches nothing gets no number.
 */
import sql from 'sql-template-tag';
import type { CacheTag, DefinitionTag } from '../sql.ts';
import type { Connection } from './connection.ts';

/** What one of our transactions changed. */
export type Touched = ReadonlySet<DefinitionTag> | 'everything';

/** Bounds memory. When it is full, everything counts as changed. */
const maxTags = 10_000;
/** Looking for commits of other processes takes up to 9 µs, and a busy server answers ten requests in this time. */
const lookEveryMs = 0.5;

export class VisibleCommits {
  readonly #writer: Connection;
  readonly #onOthers: () => void;
  #last = 1;
  #lastOfEverything = 1;
  /** Tags that were touched after the last commit that touched everything. */
  readonly #lastOf = new Map<CacheTag, number>();
  #versionOfOthers: number | undefined;
  #isHeld = false;
  /** When others were last looked for, by `performance.now()`. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** `onOthers` is called when a commit of another process is noticed. */
  constructor(writer: Connection, onOthers: () => void) {
    this.#writer = writer;
    this.#onOthers = onOthers;
    this.#versionOfOthers = this.#readVersion();
  }

  /** The last commit; with a tag, the last commit that touched it. */
  version(tag?: CacheTag): number {
    if (!this.#isHeld && performance.now() - this.#lookedAt > lookEveryMs) this.#lookForOthers();
    if (tag === undefined) return this.#last;
    return this.#lastOf.get(tag) ?? this.#lastOfEverything;
  }

  /**
   * From now on readers see no new commit. Call it inside the writer's transaction, when no other process can commit.
   */
  hold(): void {
    this.#lookForOthers();
    this.#isHeld = true;
  }

  /** From now on readers see what our group changed, and what others committed meanwhile. */
  release(group: readonly Touched[]): void {
    this.#isHeld = false;
    const touching = group.filter((touched) => touched === 'everything' || touched.size > 0);
    if (touching.length === 0) return;
    this.#last += 1;
    for (const touched of touching) {
      if (touched === 'everything') this.#everythingChanged();
      else for (const tag of touched) this.#lastOf.set(tag, this.#last);
    }
    if (this.#lastOf.size > maxTags) this.#everythingChanged();
  }

  #lookForOthers(): void {
    this.#lookedAt = performance.now();
    const version = this.#readVersion();
    if (version === this.#versionOfOthers) return;
    this.#versionOfOthers = version;
    this.#last += 1;
    this.#everythingChanged();
    this.#onOthers();
  }

  #readVersion(): number | undefined {
    return this.#writer.one<{ data_version: number }>(dataVersion)?.data_version;
  }

  #everythingChanged(): void {
    this.#lastOfEverything = this.#last;
    this.#lastOf.clear();
  }
}

/** Changes when another connection commits. The writer's own commits do not count, and readers make none. */
const dataVersion = sql`pragma data_version`;
