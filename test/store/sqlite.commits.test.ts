/** Versions tell caches how long what was read stays current. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { raw } from 'sql-template-tag';
import { definitionTag, type Store } from '#store/sql.ts';
import { openSqlite } from '#store/sqlite/store.ts';
import { temporaryFolder } from '../support/databases.ts';

const one = definitionTag('environment', 'one');
const two = definitionTag('environment', 'two');

async function aStore() {
  const file = join(temporaryFolder(), 'test.db');
  const store = openSqlite(file, Date.now);
  await store.write((tx) => tx.run(raw('create table things (id text)')));
  return { file, store };
}

const insert = (store: Store, ...tags: (typeof one)[]) =>
  store.write(async (tx) => {
    await tx.run(sql`insert into things (id) values ('thing')`);
    for (const tag of tags) tx.touches(tag);
  });

const count = async (store: Store) => (await store.one<{ n: number }>(sql`select count(*) as n from things`))?.n;

/** As another process does. */
function insertElsewhere(file: string): void {
  const elsewhere = new DatabaseSync(file);
  elsewhere.exec("insert into things (id) values ('elsewhere')");
  elsewhere.close();
}

/** Which of them are later than they were before what `body` does. */
async function later(store: Store, body: () => unknown) {
  const all = () => [store.version(), store.version(one), store.version(two), store.version('keys-and-paths')];
  const before = all();
  await body();
  const after = all();
  const [any, ofOne, ofTwo, ofPaths] = after.map((version, at) => (version ?? 0) > (before[at] ?? 0));
  return { any, ofOne, ofTwo, ofPaths };
}

const nothing = { any: false, ofOne: false, ofTwo: false, ofPaths: false };
const everything = { any: true, ofOne: true, ofTwo: true, ofPaths: true };

test('a change of one definition gives it a later version, and no other', async () => {
  const { store } = await aStore();
  assert.deepEqual(await later(store, () => undefined), nothing);
  assert.deepEqual(await later(store, () => insert(store, one)), { ...nothing, any: true, ofOne: true });
  assert.deepEqual(await later(store, () => insert(store, two)), { ...nothing, any: true, ofTwo: true });
  await store.close();
});

test('a change that does not say what it is about gives everything a later version', async () => {
  const { store } = await aStore();
  assert.deepEqual(await later(store, () => insert(store)), everything);
  assert.deepEqual(await later(store, () => Promise.all([insert(store, one), insert(store)])), everything);
  await store.close();
});

test('transactions that are committed together count separately', async () => {
  const { store } = await aStore();
  const together = () => Promise.all([insert(store, one), insert(store, two)]);
  assert.deepEqual(await later(store, together), { ...everything, ofPaths: false });
  assert.deepEqual(await later(store, () => insert(store, one, two)), { ...everything, ofPaths: false });
  await store.close();
});

test('a change that is refused gives nothing a later version', async () => {
  const { store } = await aStore();
  const refused = () =>
    store
      .write(async (tx) => {
        await tx.run(sql`insert into things (id) values ('refused')`);
        tx.touches(one);
        throw new Error('no');
      })
      .catch(() => undefined);
  assert.deepEqual({ ...(await later(store, refused)), any: false }, nothing);
  await store.close();
});

test('a change by another process gives everything a later version, within a millisecond', async () => {
  const { file, store } = await aStore();
  await insert(store, one);
  const insertAndGoOn = async () => {
    insertElsewhere(file);
    for (const until = performance.now() + 1; performance.now() < until; ) await nextTurn();
  };
  assert.deepEqual(await later(store, insertAndGoOn), everything);
  assert.deepEqual(await later(store, () => undefined), nothing);
  await store.close();
});

test('no version is later than what readers see while a change of ours is on its way to the disk', async () => {
  const { file, store } = await aStore();
  const { promise: begun, resolve: begin } = Promise.withResolvers<() => void>();
  const flush = mock.method(fs, 'fdatasync', (_: number, done: (error: null) => void) => begin(() => done(null)));
  const written = insert(store, one);
  const finish = await begun;
  // Seen by nobody here yet, so what is read now must not be taken for what is read after it.
  assert.deepEqual(await later(store, () => insertElsewhere(file)), nothing);
  assert.equal(await count(store), 0);
  flush.mock.restore();
  const afterwards = async () => {
    finish();
    await written;
  };
  assert.deepEqual(await later(store, afterwards), everything);
  assert.equal(await count(store), 2);
  await store.close();
});

test('more definitions than are worth remembering count as everything', async () => {
  const { store } = await aStore();
  const many = Array.from({ length: 10_001 }, (_, number) => definitionTag('environment', String(number)));
  assert.deepEqual(await later(store, () => insert(store, ...many)), everything);
  await store.close();
});
