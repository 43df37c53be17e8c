/**
 * A SQLite file with named pieces, on the local disk of a node: what SDKs read, for a start while the database is down.
 * Written in a thread, because a piece can be a megabyte and a disk can be slow. The file always has the pieces of some
 * commit; one that was not reached before a crash leaves nothing.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

export interface Piece {
  readonly environmentId: string;
  /** Empty, without bytes: all pieces of the environment are deleted. */
  readonly kind: string;
  readonly name: string;
  /** Of a long piece; 0 for others. */
  readonly part: number;
  /** Undefined: all parts are deleted. */
  readonly bytes: Uint8Array | undefined;
}

/** `commit` makes durable what was written before it. */
export type Order = readonly Piece[] | 'commit' | 'close';

/** Another number for each release that writes other pieces; files with another one are ignored. */
const fileFormat = 1;

export class SnapshotFile {
  readonly #worker: Worker;

  constructor(file: string) {
    this.#worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: { file, fileFormat } });
    // An idle node must be able to end.
    this.#worker.unref();
  }

  /** One call at a time. Rejects if the file cannot be written; what was not committed is then forgotten. */
  async order(order: Order): Promise<void> {
    const answered = once(this.#worker, 'message') as Promise<[string | undefined]>;
    this.#worker.postMessage(order);
    const [trouble] = await answered;
    if (trouble !== undefined) throw new Error(trouble);
  }

  async close(): Promise<void> {
    await this.order('close').catch(() => undefined);
    await this.#worker.terminate();
  }
}

interface Row {
  readonly environment_id: string;
  readonly kind: string;
  readonly name: string;
  readonly part: number;
  readonly bytes: Uint8Array;
}

/** All pieces, those of an environment together, parts in order. Empty if there is no file of this format. */
export function readPieces(file: string): (Piece & { readonly bytes: Uint8Array })[] {
  if (!existsSync(file)) return [];
  // Writable, so that what a killed process left half-written is undone.
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    const format = database.prepare('pragma user_version').get()?.user_version;
    if (format !== fileFormat) return [];
    const rows = database
      .prepare('select environment_id, kind, name, part, bytes from pieces order by environment_id, kind, name, part')
      .all() as unknown as Row[];
    return rows.map(({ environment_id, ...piece }) => ({ environmentId: environment_id, ...piece }));
  } finally {
    database.close();
  }
}
