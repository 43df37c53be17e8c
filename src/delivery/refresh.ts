/**
 * Keeps something read from the database current: one read at a time, and one more for whatever changed meanwhile.
 * Requests wait for a read that is under way, though not for long, and not at all while the database is down.
 */
import { setTimeout as pause } from 'node:timers/promises';

export class Refresh {
  readonly #read: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #startedAt = 0;
  #isWanted = false;
  #isStopped = false;
  #error: unknown;

  /** `failed` is called for the first of several failures in a row. */
  constructor(read: () => Promise<void>, failed: (error: unknown) => void) {
    this.#read = read;
    this.#failed = failed;
  }

  /** Why the last read failed; undefined if it did not. */
  get error(): unknown {
    return this.#error;
  }

  /** Whether a read is under way that is worth waiting for. */
  get isPending(): boolean {
    return this.#running !== undefined && this.#error === undefined;
  }

  /** Reads again. Resolves when everything was read that changed until then, or when it failed; never rejects. */
  again(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#isWanted = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Reads again because of a notice, which says that the database is back if it was down. */
  noticed(): void {
    this.#error = undefined;
    void this.again();
  }

  /**
   * Waits for the read under way until it has taken this long, so that a long one delays nobody after that. Returns
   * whether what was read is current then.
   */
  async settled(maxMs: number): Promise<boolean> {
    const leftMs = this.#startedAt + maxMs - performance.now();
    if (this.#running && leftMs > 0) {
      const late = new AbortController();
      const over = pause(leftMs, undefined, { ref: false, signal: late.signal }).catch(() => undefined);
      await Promise.race([this.#running, over]).finally(() => late.abort());
    }
    return this.#running === undefined && this.#error === undefined;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      this.#startedAt = performance.now();
      try {
        await this.#read();
        this.#error = undefined;
      } catch (error) {
        if (this.#error === undefined) this.#failed(error);
        this.#error = error;
        break;
      }
    }
    // Nothing is awaited after the last check, so no call of `again` is lost.
    this.#running = undefined;
  }
}
