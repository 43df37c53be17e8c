/** The write-ahead log of SQLite: brought to the disk, and emptied, without holding up the event loop. */
import { once } from 'node:events';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Problem } from '#domain/problems.ts';

export class WriteAheadLog {
  readonly #file: string;
  readonly #descriptor: number;
  #worker: Worker | undefined;
  #hasFailed = false;

  /** The file of the database, which must be open already: that is what makes its log. */
  constructor(file: string) {
    this.#file = file;
    this.#descriptor = fs.openSync(`${file}-wal`, 'r+');
  }

  /**
   * Resolves when all that was committed before is on the disk. What could not be brought there once may be lost
   * although a second try succeeds (the system forgets what it failed to write), so from then on writes are refused
   * until the next start, which reads what is really there.
   */
  async flush(): Promise<void> {
    try {
      await promisify(fs.fdatasync)(this.#descriptor);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /** Refuses once a flush has failed. */
  requireFlushed(): void {
    if (this.#hasFailed) throw new Problem('unavailable', { seconds: 30 });
  }

  /**
   * Moves what is in the log to its place in the file, so that the log begins anew. In a thread: it waits for the disk.
   * Never rejects: what fails now is tried again after the next commit, and a disk that is full shows itself there.
   */
  async empty(): Promise<void> {
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage('empty');
    await once(this.#worker, 'message').catch(() => {
      this.#worker = undefined;
    });
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('sqlite-log-worker.ts', import.meta.url), { workerData: this.#file });
    worker.unref();
    return worker;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    fs.closeSync(this.#descriptor);
  }
}
