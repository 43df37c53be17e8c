/** The thread of `wal.ts`, with its own connection. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const database = new DatabaseSync(workerData as string);
const empty = database.prepare('pragma wal_checkpoint(passive)');
parentPort?.on('message', () => parentPort?.postMessage(empty.get()));
