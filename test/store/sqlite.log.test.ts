/** The write-ahead log: a write is answered, and seen by readers, when it is on the disk. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import sql, { raw } from 'sql-template-tag';
import { Problem } from '#domain/problems.ts';
import type { Store } from '#store/sql.ts';
import { openSqlite } from '#store/sqlite/store.ts';
import { temporaryFolder } from '../support/databases.ts';

async function aStore() {
  const file = join(temporaryFolder(), 'test.db');
  const failures: unknown[] = [];
  const store = openSqlite(file, Date.now, (error) => failures.push(error));
  await store.write((tx) => tx.run(raw('create table things (id text)')));
  return { file, store, failures };
}

const insert = (store: Store, id: string) => store.write((tx) => tx.run(sql`insert into things (id) values (${id})`));
const count = async (store: Store) => (await store.one<{ n: number }>(sql`select count(*) as n from things`))?.n;

/** A disk under the test's control: each flush waits until the test decides how it ends. */
function slowDisk() {
  const { promise: begun, resolve: begin } = Promise.withResolvers<(error: Error | null) => void>();
  const flush = mock.method(fs, 'fdatasync', (_descriptor: number, done: (error: Error | null) => void) => begin(done));
  return { begun, restore: () => flush.mock.restore() };
}

test('a write is neither answered nor seen before it is on the disk; reading continues meanwhile', async () => {
  const { file, store } = await aStore();
  const version = store.version();
  const disk = slowDisk();
  let isAnswered = false;
  const written = insert(store, 'one').then(() => {
    isAnswered = true;
  });
  const done = await disk.begun;
  // Another process sees what is committed, on the disk or not: so it is on its way.
  const elsewhere = new DatabaseSync(file);
  assert.deepEqual({ ...elsewhere.prepare('select count(*) as n from things').get() }, { n: 1 });
  elsewhere.close();
  for (let turns = 0; turns < 20; turns += 1) await turn();
  assert.deepEqual([isAnswered, await count(store), store.version()], [false, 0, version]);
  done(null);
  await written;
  assert.equal(await count(store), 1);
  assert.notEqual(store.version(), version);
  disk.restore();
  await store.close();
});

test('those who come while a commit is on its way to the disk wait for the next', async () => {
  const { store } = await aStore();
  const disk = slowDisk();
  const first = insert(store, 'first');
  const done = await disk.begun;
  disk.restore();
  let hasBegun = false;
  const second = store.write(async () => {
    hasBegun = true;
  });
  for (let turns = 0; turns < 20; turns += 1) await turn();
  assert.equal(hasBegun, false);
  done(null);
  await Promise.all([first, second]);
  await store.close();
});

test('a failed flush is not acknowledged, and nothing is written or read until the next start', async () => {
  const { file, store, failures } = await aStore();
  const disk = slowDisk();
  const first = insert(store, 'first');
  assert.deepEqual(failures, []);
  (await disk.begun)(new Error('EIO: i/o error, fdatasync'));
  const refusal = await first.catch((error: unknown) => error);
  assert.ok(refusal instanceof Problem && refusal.code === 'unavailable');
  assert.match(String(refusal.cause), /EIO/);
  assert.deepEqual(failures.map(String), ['Error: EIO: i/o error, fdatasync'], 'the server is told to end');
  disk.restore();
  for (const next of [() => insert(store, 'second'), () => count(store)]) {
    await assert.rejects(next(), (error) => error instanceof Problem && error.code === 'unavailable');
  }
  // So that no response is cached either.
  assert.equal(store.version(), undefined);
  await store.close();
  const next = openSqlite(file, Date.now);
  await insert(next, 'third');
  const rows = await next.all<{ id: string }>(sql`select id from things where id <> 'first'`);
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['third'],
  );
  await next.close();
});

/** Within five seconds, and a little for a busy machine. */
async function requireRefusedInTime(written: Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await assert.rejects(written, (error) => error instanceof Problem && error.code === 'unavailable');
  const seconds = (performance.now() - begun) / 1_000;
  assert.ok(seconds > 4 && seconds < 8, `${seconds} s`);
}

test('a disk that does not answer refuses those who write, and those who wait for their turn, after five seconds', async () => {
  const { store } = await aStore();
  const disk = slowDisk();
  const first = insert(store, 'first');
  const done = await disk.begun;
  disk.restore();
  await Promise.all([first, insert(store, 'second')].map(requireRefusedInTime));
  assert.equal(await count(store), 0, 'reading goes on');
  done(null);
  await insert(store, 'third');
  assert.equal(await count(store), 2, 'what was on its way is there, what waited is not');
  await store.close();
});

test('a disk that hangs while the log is emptied refuses those who wait after five seconds', async (t) => {
  const { store } = await aStore();
  const asked: (() => void)[] = [];
  const { postMessage } = Worker.prototype;
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, message: unknown) {
    asked.push(() => postMessage.call(this, message));
  });
  while (asked.length === 0) await insert(store, 'one');
  await requireRefusedInTime(insert(store, 'two'));
  t.mock.restoreAll();
  for (const goOn of asked) goOn();
  await insert(store, 'three');
  const rows = await store.all<{ id: string }>(sql`select id from things where id <> 'one'`);
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['three'],
  );
  await store.close();
});

test('the log does not grow with the number of writes, and emptying it loses nothing', async () => {
  const { file, store } = await aStore();
  const text = 'x'.repeat(50_000);
  const writes = 500;
  let longest = 0;
  for (let number = 0; number < writes; number += 1) {
    await insert(store, `${number} ${text}`);
    longest = Math.max(longest, fs.statSync(`${file}-wal`).size);
  }
  assert.equal(await count(store), writes);
  assert.ok(longest < 8_000_000, `${longest} bytes of ${writes * text.length}`);
  await store.close();
});

test('a file behind a link has its log beside itself', async () => {
  const folder = temporaryFolder();
  const [file, link] = [join(folder, 'real.db'), join(folder, 'link.db')];
  fs.writeFileSync(file, '');
  fs.symlinkSync(file, link);
  const store = openSqlite(link, Date.now);
  await store.write((tx) => tx.run(raw('create table things (id text)')));
  await insert(store, 'one');
  assert.deepEqual([await count(store), fs.existsSync(`${file}-wal`), fs.existsSync(`${link}-wal`)], [1, true, false]);
  await store.close();
});

test('commits of a killed process, flushed or not, are in the file itself after the next start', async () => {
  const { file, store } = await aStore();
  await insert(store, 'one');
  // The file is now as a kill would leave it.
  const left = join(temporaryFolder(), 'left.db');
  for (const ending of ['', '-wal']) fs.copyFileSync(file + ending, left + ending);
  await store.close();
  const next = openSqlite(left, Date.now);
  const alone = join(temporaryFolder(), 'alone.db');
  fs.copyFileSync(left, alone);
  const found = new DatabaseSync(alone);
  assert.deepEqual({ ...found.prepare('select count(*) as n from things').get() }, { n: 1 });
  found.close();
  await next.close();
});

test('a write that comes while the store is being closed is refused, and nothing hangs', async () => {
  const { store } = await aStore();
  // Enough for the thread to run that empties the log: ending it takes a moment.
  for (let number = 0; number < 120; number += 1) await insert(store, String(number));
  const closed = store.close();
  const late: Promise<unknown>[] = [];
  for (let turns = 0; turns < 20; turns += 1) {
    late.push(insert(store, 'late').catch((error: unknown) => error));
    await turn();
  }
  await closed;
  for (const error of await Promise.all(late)) assert.ok(error instanceof Problem && error.code === 'unavailable');
});
