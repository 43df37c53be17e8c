/** The thread that writes the file of `file.ts`. It answers each order with undefined, or with what went wrong. */
import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Order, Piece } from './file.ts';

const { file, fileFormat } = workerData as { file: string; fileFormat: number };
let database: DatabaseSync | undefined;
let isWriting = false;

parentPort?.on('message', (order: Order) => {
  try {
    carryOut(order);
    parentPort?.postMessage(undefined);
  } catch (error) {
    if (isWriting) database?.exec('rollback');
    isWriting = false;
    parentPort?.postMessage((error as Error).message);
  }
});

function carryOut(order: Order): void {
  if (order === 'close') {
    database?.close();
    return;
  }
  database ??= open();
  if (order === 'commit') {
    if (isWriting) database.exec('commit');
    isWriting = false;
    return;
  }
  if (!isWriting) database.exec('begin immediate');
  isWriting = true;
  write(database, order);
}

function open(): DatabaseSync {
  const opened = new DatabaseSync(file, { timeout: 1_000 });
  // It has the hashes of keys, and every flag.
  chmodSync(file, 0o600);
  if (opened.prepare('pragma user_version').get()?.user_version === fileFormat) return opened;
  opened.exec(`
    drop table if exists pieces;
    create table pieces (
      environment_id text not null,
      kind text not null,
      name text not null,
      part integer not null,
      bytes blob not null,
      primary key (environment_id, kind, name, part)
    ) without rowid;
    pragma user_version = ${fileFormat}`);
  return opened;
}

function write(to: DatabaseSync, pieces: readonly Piece[]): void {
  const put = to.prepare(
    'insert or replace into pieces (environment_id, kind, name, part, bytes) values (?, ?, ?, ?, ?)',
  );
  const remove = to.prepare('delete from pieces where environment_id = ? and kind = ? and name = ?');
  const removeAll = to.prepare('delete from pieces where environment_id = ?');
  for (const { environmentId, kind, name, part, bytes } of pieces) {
    if (bytes) put.run(environmentId, kind, name, part, bytes);
    else if (kind === '') removeAll.run(environmentId);
    else remove.run(environmentId, kind, name);
  }
}
