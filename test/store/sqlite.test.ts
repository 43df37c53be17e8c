import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import sql, { raw } from 'sql-template-tag';
import { Problem } from '#domain/problems.ts';
import type { Store, Tx } from '#store/sql.ts';
import { openSqlite } from '#store/sqlite/store.ts';
import { uniqueName } from '../support/build.ts';
import { temporaryFolder } from '../support/databases.ts';

const file = join(temporaryFolder(), 'below', 'test.db');
const store = openSqlite(file, Date.now);
after(() => store.close());

await store.write(async (tx) => {
  await tx.run(raw('create table things (id text primary key)'));
});

const insert = (tx: Tx, id: string) => tx.run(sql`insert into things (id) values (${id})`);
const find = (db: Pick<Store, 'one'>, id: string) =>
  db.one<{ id: string }>(sql`select id from things where id = ${id}`);

/** In the head of the file. */
const pageSizeAt = 16;

/** A promise that the test resolves. */
function gate(): { passed: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

test('writers stand in a queue, and one that fails holds nobody up', async () => {
  const mayGoOn = gate();
  const seen: string[] = [];
  const writer = (name: string, body: () => Promise<void>) =>
    store.write(async () => {
      seen.push(`${name} begins`);
      await body();
      seen.push(`${name} ends`);
    });
  const first = writer('first', () => mayGoOn.passed);
  const second = writer('second', () => Promise.reject(new Error('no')));
  const third = writer('third', () => turn());
  await turn();
  const seenMeanwhile = [...seen];
  mayGoOn.open();
  await Promise.all([first, assert.rejects(second, { message: 'no' }), third]);
  assert.deepEqual(seenMeanwhile, ['first begins']);
  assert.deepEqual(seen, ['first begins', 'first ends', 'second begins', 'third begins', 'third ends']);
});

test('closing waits for the writers in the queue', async () => {
  const other = openSqlite(join(temporaryFolder(), 'test.db'), Date.now);
  const mayGoOn = gate();
  const written = [
    other.write((tx) => tx.run(raw('create table things (id text)'))),
    other.write(() => mayGoOn.passed),
    other.write((tx) => insert(tx, 'last')),
  ];
  const closed = other.close();
  mayGoOn.open();
  assert.deepEqual((await Promise.all([...written, closed])).slice(0, 3), [0, undefined, 1]);
});

test('references are checked, and there is a write-ahead log', async () => {
  const pragma = async (tx: Tx, name: string) => Object.values((await tx.one<object>(raw(`pragma ${name}`))) ?? {})[0];
  const seen = await store.write(async (tx) => [await pragma(tx, 'foreign_keys'), await pragma(tx, 'journal_mode')]);
  assert.deepEqual(seen, [1, 'wal']);
});

test('read connections cannot write', async () => {
  await assert.rejects(store.all(sql`insert into things (id) values ('smuggled') returning id`), /readonly/);
});

/** Another process at the same file, as the command line is while the server runs. */
function holdWriteLock(): { release: () => void } {
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  return {
    release: () => {
      other.exec('rollback');
      other.close();
    },
  };
}

test('while another process writes, a write waits and everything else continues', async () => {
  const id = uniqueName();
  const lock = holdWriteLock();
  let isWritten = false;
  const written = store
    .write((tx) => insert(tx, id))
    .then(() => {
      isWritten = true;
    });
  // Were the event loop blocked, the first turn would last until the write's deadline.
  const begun = performance.now();
  for (let turns = 0; turns < 100; turns += 1) await turn();
  const waited = performance.now() - begun;
  const meanwhile = { isWritten, found: await find(store, id) };
  lock.release();
  await written;
  assert.ok(waited < 2_000, `${waited} ms`);
  assert.deepEqual(meanwhile, { isWritten: false, found: undefined });
  assert.deepEqual({ ...(await find(store, id)) }, { id });
});

test('writes that waited too long for another process are refused together as unavailable; the next is not', async () => {
  const lock = holdWriteLock();
  let hasRun = false;
  const write = () =>
    store
      .write(async () => {
        hasRun = true;
      })
      .catch((error: unknown) => error);
  const begun = performance.now();
  const refusals = await Promise.all([write(), write()]);
  const waited = performance.now() - begun;
  lock.release();
  assert.equal(hasRun, false);
  for (const refusal of refusals) assert.ok(refusal instanceof Problem && refusal.code === 'unavailable');
  assert.equal(await store.write((tx) => insert(tx, uniqueName())), 1);
  // Queued writes share the deadline of the first; twice the wait would outlast the stop.
  assert.ok(waited < 8_000, `${waited} ms`);
});

test('a file that was damaged while it was open is refused as unavailable', async () => {
  const damaged = join(temporaryFolder(), 'damaged.db');
  const before = openSqlite(damaged, Date.now);
  await before.write((tx) => tx.run(raw('create table things (id text primary key)')));
  await before.close();
  const opened = openSqlite(damaged, Date.now);
  // All pages but the first, with the schema, which is read already.
  const bytes = readFileSync(damaged);
  writeFileSync(damaged, bytes.fill(0x2a, bytes.readUInt16BE(pageSizeAt)));
  const isRefused = (error: unknown) => error instanceof Problem && error.code === 'unavailable';
  await assert.rejects(find(opened, 'one'), isRefused);
  await assert.rejects(
    opened.write((tx) => insert(tx, 'one')),
    isRefused,
  );
  await opened.close();
});

test('500 statements are kept prepared: those that were used last', async (t) => {
  const own = openSqlite(join(temporaryFolder(), 'statements.db'), Date.now);
  const prepare = t.mock.method(DatabaseSync.prototype, 'prepare');
  const prepared = async (number: number) => {
    prepare.mock.resetCalls();
    await own.one(raw(`select ${number} as n`));
    return prepare.mock.callCount() > 0;
  };
  for (let number = 0; number < 500; number += 1) assert.equal(await prepared(number), true);
  assert.equal(await prepared(0), false, 'the first is still there, and used last now');
  assert.equal(await prepared(500), true);
  assert.equal(await prepared(0), false);
  assert.equal(await prepared(1), true, 'the one that was not used for the longest time had to go');
  await own.close();
});

/** SQLite’s temporary files that this process has open; they have no name in any folder. */
const temporaryFiles = () =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).includes('etilqs_');
    } catch {
      // The descriptor of the folder itself is closed by now.
      return false;
    }
  }).length;

test('a transaction needs no temporary file; a change of the schema may', {
  skip: process.platform === 'linux' ? false : 'reads /proc',
}, async () => {
  const own = openSqlite(join(temporaryFolder(), 'temporary.db'), Date.now);
  await own.changeSchema(async (tx) => {
    await tx.define('create table pages (id bigint primary key, body text)');
    for (let id = 0; id < 100; id += 1)
      await tx.run(sql`insert into pages (id, body) values (${id}, ${'x'.repeat(3_000)})`);
  });
  const filesOf = async (kind: 'write' | 'changeSchema') => {
    let files = 0;
    const changeAll = async (tx: Tx) => {
      await tx.run(sql`update pages set body = ${uniqueName().padEnd(3_000)}`);
      files = temporaryFiles();
    };
    // The second of a group is in a savepoint.
    await Promise.all([own.write(async () => undefined), own[kind](changeAll)]);
    return files;
  };
  assert.equal(await filesOf('write'), 0);
  assert.equal(await filesOf('changeSchema'), 1);
  assert.equal(await filesOf('write'), 0);
  await own.close();
});
