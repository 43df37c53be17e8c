/** The write-ahead log of SQLite: brought to the disk, and emptied, without holding up the event loop. */
import { once } from 'node:events';
import fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import { unavailable } from '../sql.ts';

/** The log is emptied after so many commits, each of ten pages or, of a group, some more: a long one makes reading slower. */
const commitsBetween = 100;
/** When that failed, it is not tried again for so long. */
const pauseMs = 10_000;

export class WriteAheadLog {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #fail: (error: unknown) => void;
  #worker: Worker | undefined;
  #failure: unknown;
  #commits = 0;
  #notBefore = 0;

  /** The file of the database, which must be open already: that is what makes its log. `fail` hears of a failed flush. */
  constructor(file: string, fail: (error: unknown) => void) {
    this.#fail = fail;
    // SQLite puts the log beside the file itself, not beside a link to it.
    this.#file = fs.realpathSync(file);
    this.#descriptor = fs.openSync(`${this.#file}-wal`, 'r+');
  }

  /**
   * Resolves when all that was committed before is on the disk. What could not be brought there once may be lost
   * although a second try succeeds (the system forgets what it failed to write), so from then on nothing is written or
   * read until the next start, which brings everything that it finds into the file before anything else.
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
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Refuses once a flush has failed. */
  requireFlushed(): void {
    if (this.hasFailed) throw unavailable(this.#failure, 30);
  }

  /** It should be emptied, unless that has just failed. */
  get isLong(): boolean {
    return this.#commits >= commitsBetween && performance.now() >= this.#notBefore;
  }

  /**
   * Moves what is in the log to its place in the file, so that the log begins anew. In a thread: it waits for the disk.
   * Never rejects: what fails now is tried again later, and a disk that is full shows itself to the writers.
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
    return worker;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    fs.closeSync(this.#descriptor);
  }
}
