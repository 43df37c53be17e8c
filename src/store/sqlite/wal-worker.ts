/** The thread of `sqlite-log.ts`, with a connection of its own. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const database = new DatabaseSync(workerData as string);
const empty = database.prepare('pragma wal_checkpoint(passive)');
parentPort?.on('message', () => parentPort?.postMessage(empty.get()));
