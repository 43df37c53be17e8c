/** The thread of `sort.ts`. SQLite sorts the keys on disk, so memory does not grow with their number. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { KeyLines } from './lines.ts';
import type { Block, Reply, Request, SortSettings } from './sort.ts';

/** Bytes of a block: one lookup reads one block, and PostgreSQL stores larger texts elsewhere. */
const blockBytes = 1_900;
/** Blocks in a message: about as much as an insert should take. */
const blocksAtOnce = 100;

const { file, memory, longestKey } = workerData as SortSettings;
const received = new Uint8Array(memory);
const database = new DatabaseSync(file);
// Nobody else reads the file, and it is deleted afterwards.
database.exec(`
  pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive;
  pragma cache_size = -2048; pragma temp_store = file;
  create table keys (key text not null);
  begin;`);
const insert = database.prepare('insert into keys select value from json_each(?)');
const lines = new KeyLines(longestKey);

function add(keys: readonly string[]): void {
  if (keys.length > 0) insert.run(JSON.stringify(keys));
}

function* sortedBlocks(): Generator<Block> {
  const sorted = database.prepare('select distinct key from keys order by key').iterate() as Iterable<{ key: string }>;
  let keys: string[] = [];
  let size = 0;
  for (const { key } of sorted) {
    size += Buffer.byteLength(key) + 1;
    if (size > blockBytes && keys.length > 0) {
      yield toBlock(keys);
      keys = [];
      size = Buffer.byteLength(key) + 1;
    }
    keys.push(key);
  }
  if (keys.length > 0) yield toBlock(keys);
}

const toBlock = (keys: readonly string[]): Block => ({
  firstKey: keys[0] ?? '',
  text: keys.join('\n'),
  keyCount: keys.length,
});

let blocks: Generator<Block> | undefined;

function answer(request: Request): Reply {
  if (request !== 'blocks') {
    add(lines.add(received.subarray(0, request.bytes)));
    return { complaint: lines.complaint };
  }
  if (!blocks) {
    add(lines.end());
    if (lines.complaint !== undefined) return { complaint: lines.complaint };
    blocks = sortedBlocks();
  }
  return { blocks: [...take(blocks, blocksAtOnce)] };
}

function* take<Item>(items: Iterator<Item>, max: number): Generator<Item> {
  for (let taken = 0; taken < max; taken += 1) {
    const { done, value } = items.next();
    if (done) return;
    yield value;
  }
}

parentPort?.on('message', (request: Request) => parentPort?.postMessage(answer(request)));
