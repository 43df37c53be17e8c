/** The thread of `loadLarge`: hashes the keys of the texts that it is sent, and answers all hashes, sorted. */
import { parentPort, workerData } from 'node:worker_threads';
import { hash64 } from '#domain/hash64.ts';

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
      const { high, low } = hash64(key);
      hashes[count] = high * 2 ** 21 + (low >>> 11);
      count += 1;
    }
  }
  parentPort?.postMessage('next');
});
