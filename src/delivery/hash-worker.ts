/** The thread of `loadLarge`: hashes the keys of the texts that it is sent, and answers all hashes, sorted. */
import { parentPort, workerData } from 'node:worker_threads';
import { first53Bits, hash64 } from '#domain/hash64.ts';

const hashes = new Float64Array(workerData as number);
let count = 0;

parentPort?.on('message', (message: readonly string[] | 'end') => {
  if (message === 'end') {
    const found = hashes.subarray(0, count).sort();
    const answer = count === hashes.length ? hashes : found.slice();
    parentPort?.postMessage(answer, [answer.buffer]);
    return;
  }
  for (const text of message) {
    for (const key of text.split('\n')) {
      hashes[count] = first53Bits(hash64(key));
      count += 1;
    }
  }
  parentPort?.postMessage('next');
});
