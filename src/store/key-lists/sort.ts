/**
 * Sorts the keys of an upload, each once, in a thread and a temporary file: neither the event loop nor memory notices
 * how many there are.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { refuse } from '#domain/problems.ts';
import { longestKey } from '#domain/segments.ts';

/** Sorted keys that are stored in one row, one per line. */
export interface Block {
  readonly firstKey: string;
  readonly text: string;
  readonly keyCount: number;
}

/** `bytes`: how many bytes of the file are in the shared memory. */
export type Request = { readonly bytes: number } | 'blocks';
export type Reply = { readonly complaint: string | undefined } | { readonly blocks: Block[] };

export interface SortSettings {
  /** A temporary file. */
  readonly file: string;
  /** Carries the bytes of the upload to the thread: messages would leave as much garbage as the upload is long. */
  readonly memory: SharedArrayBuffer;
  /** The thread imports nothing of the domain: the schemas there take 10 MB. */
  readonly longestKey: number;
}

const memoryBytes = 65_536;

export class KeySorter {
  readonly #folder: string;
  readonly #worker: Worker;
  readonly #memory = new Uint8Array(new SharedArrayBuffer(memoryBytes));

  static async start(): Promise<KeySorter> {
    return new KeySorter(await mkdtemp(join(tmpdir(), 'burgee-upload-')));
  }

  private constructor(folder: string) {
    this.#folder = folder;
    const settings: SortSettings = { file: join(folder, 'keys.db'), memory: this.#memory.buffer, longestKey };
    this.#worker = new Worker(new URL('sort-worker.ts', import.meta.url), {
      workerData: settings,
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 },
    });
  }

  /** Refuses with `segment_invalid`, naming the first wrong line. Await it before the next call. */
  async add(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += memoryBytes) {
      const part = bytes.subarray(start, start + memoryBytes);
      this.#memory.set(part);
      await this.#ask({ bytes: part.length });
    }
  }

  /** All keys, by their bytes, some blocks at a time. Call it once, after the last `add`. */
  async *blocks(): AsyncGenerator<Block[]> {
    for (;;) {
      const blocks = await this.#ask('blocks');
      if (blocks.length === 0) return;
      yield blocks;
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #ask(request: Request): Promise<Block[]> {
    const answered = once(this.#worker, 'message');
    this.#worker.postMessage(request);
    const [reply] = (await answered) as [Reply];
    if ('blocks' in reply) return reply.blocks;
    refuse('segment_invalid', reply.complaint === undefined ? [] : [reply.complaint]);
    return [];
  }
}
