/**
 * Numbers the commits that readers can see, so that caches know how long what was read stays current.
 *
 * Invariants
 * 1. A commit has its number as soon as readers can see it.
 * 2. What is read after a version was asked for shows all commits up to it. So there are no new versions while a commit
 *    of ours is being flushed and readers still see the state before it.
 * 3. A commit of another process touches everything, and so does one of ours that does not say what it touches. One of
 *    ours that touches nothing gets no number: what was read before it is still current.
 */
import sql from 'sql-template-tag';
import type { CacheTag, DefinitionTag } from '../sql.ts';
import type { Connection } from './connection.ts';

/** What a transaction of ours changed. */
export type Touched = ReadonlySet<DefinitionTag> | 'everything';

/** Bounds memory. When it is full, everything counts as changed. */
const maxTags = 10_000;

export class VisibleCommits {
  readonly #writer: Connection;
  #last = 1;
  #lastOfEverything = 1;
  /** Of tags that were touched after everything was. */
  readonly #lastOf = new Map<CacheTag, number>();
  #versionOfOthers: number | undefined;
  #isHeld = false;

  constructor(writer: Connection) {
    this.#writer = writer;
    this.#lookForOthers();
  }

  /** The last commit; with a tag, the last that touched it. */
  version(tag?: CacheTag): number {
    if (!this.#isHeld) this.#lookForOthers();
    if (tag === undefined) return this.#last;
    return this.#lastOf.get(tag) ?? this.#lastOfEverything;
  }

  /** Readers see no commit from now on. While the writer is in its transaction, so that nobody else can commit just now. */
  hold(): void {
    this.#lookForOthers();
    this.#isHeld = true;
  }

  /** Readers see from now on what a group of ours changed, and what others committed meanwhile. */
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
    const version = this.#writer.one<{ data_version: number }>(dataVersion)?.data_version;
    if (version === this.#versionOfOthers) return;
    this.#versionOfOthers = version;
    this.#last += 1;
    this.#everythingChanged();
  }

  #everythingChanged(): void {
    this.#lastOfEverything = this.#last;
    this.#lastOf.clear();
  }
}

/** Of a connection: it changes with the commits of all others. The writer's own are not counted, and readers make none. */
const dataVersion = sql`pragma data_version`;
