/** SQLite's write-ahead log: flushes and empties it without blocking the event loop. */
import { once } from 'node:events';
import fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import { unavailable } from '../sql.ts';

/** The log is emptied after this many commits of about ten pages each; a long log slows reads down. */
const commitsBetween = 100;
/** Pause after a failed attempt. */
const pauseMs = 10_000;

export class WriteAheadLog {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #fail: (error: unknown) => void;
  #worker: Worker | undefined;
  #failure: unknown;
  #commits = 0;
  #notBefore = 0;

  /** The database file must be open already, because that creates its log. `fail` is called when a flush fails. */
  constructor(file: string, fail: (error: unknown) => void) {
    this.#fail = fail;
    // SQLite puts the log beside the file itself, not beside a symbolic link.
    this.#file = fs.realpathSync(file);
    this.#descriptor = fs.openSync(`${this.#file}-wal`, 'r+');
  }

  /**
   * Resolves when everything committed so far is on disk. After a failed flush, data may be lost even if a second one
   * succeeds (the kernel drops what it failed to write). So nothing is read or written until a restart, which first
   * moves the log into the file.
   */
  async flush(): Promise<void> {
    this.#commits += 1;
    try {
      await new Promise<void>((resolve, reject) => {
        fs.fdatasync(this.#descriptor, (error) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      this.#failure = error;
      this.#fail(error);
      this.requireFlushed();
    }
    if (this.#commits === commitsBetween / 2) this.#prepareToEmpty();
  }

  /** The start of the thread takes longer than its work, and writers would wait for both. */
  #prepareToEmpty(): void {
    try {
      this.#worker ??= this.#startWorker();
    } catch {
      // `empty` tries again, and says what is wrong.
    }
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Throws once a flush has failed. */
  requireFlushed(): void {
    if (this.hasFailed) throw unavailable(this.#failure, 30);
  }

  /** True if the log should be emptied, unless that has just failed. */
  get isLong(): boolean {
    return this.#commits >= commitsBetween && performance.now() >= this.#notBefore;
  }

  /**
   * Moves the log's content into the file, so that the log restarts. In a thread, because it waits for the disk. Never
   * rejects: a failed attempt is repeated later, and a full disk shows in writes.
   */
  async empty(): Promise<void> {
    try {
      this.#worker ??= this.#startWorker();
      this.#worker.postMessage('empty');
      await once(this.#worker, 'message');
      this.#commits = 0;
    } catch (error) {
      this.#worker = undefined;
      this.#notBefore = performance.now() + pauseMs;
      process.emitWarning(`The write-ahead log of ${this.#file} cannot be emptied and grows: ${error}`);
    }
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('wal-worker.ts', import.meta.url), { workerData: this.#file });
    worker.unref();
    worker.on('error', () => {
      this.#worker = undefined;
    });
    return worker;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    fs.closeSync(this.#descriptor);
  }
}
