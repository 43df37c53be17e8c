/**
 * Numbers the commits that readers can see, so that what was read can be kept for as long as it holds.
 *
 * Invariants
 * 1. A commit has its number as soon as readers can see it.
 * 2. What is read after a number was asked for shows all commits up to that number. So while readers see only what was
 *    before a commit of ours that is on its way to the disk, there are no new numbers.
 * 3. A commit of another process may have changed everything, and so may one of ours that does not say what it changed.
 */
import sql from 'sql-template-tag';
import type { DefinitionSubject, Subject } from './sql.ts';
import type { Handle } from './sqlite-handle.ts';

/** What a transaction of ours changed. */
export type Changed = ReadonlySet<DefinitionSubject> | 'everything';

/** A bound for the memory; when it is full, everything counts as changed. */
const mostSubjects = 10_000;

export class VisibleCommits {
  readonly #writer: Handle;
  #last = 1;
  #lastOfEverything = 1;
  /** Of subjects that changed after everything did. */
  readonly #lastOf = new Map<Subject, number>();
  #versionOfOthers: number | undefined;
  #isHeld = false;

  constructor(writer: Handle) {
    this.#writer = writer;
    this.#lookForOthers();
  }

  /** The last commit; with a subject, the last that may have changed it. */
  last(subject?: Subject): number {
    if (!this.#isHeld) this.#lookForOthers();
    if (subject === undefined) return this.#last;
    return this.#lastOf.get(subject) ?? this.#lastOfEverything;
  }

  /** Readers see no commit from now on. While the writer is in its transaction, so that nobody else can commit just now. */
  hold(): void {
    this.#lookForOthers();
    this.#isHeld = true;
  }

  /** Readers see from now on what a group of ours changed, and what others committed meanwhile. */
  release(group: readonly Changed[]): void {
    this.#isHeld = false;
    this.#last += 1;
    for (const changed of group) {
      if (changed === 'everything') this.#everythingChanged();
      else for (const subject of changed) this.#lastOf.set(subject, this.#last);
    }
    if (this.#lastOf.size > mostSubjects) this.#everythingChanged();
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
