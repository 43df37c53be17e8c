import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import sql, { bulk, raw } from 'sql-template-tag';
import { Problem } from '#domain/problems.ts';
import { type Heard, Refused, type Store, type Tx } from '#store/sql.ts';
import { openSqlite } from '#store/sqlite.ts';
import { uniqueName } from '../support/build.ts';
import { temporaryFolder } from '../support/databases.ts';

const file = join(temporaryFolder(), 'below', 'test.db');
let now = 0;
const store = openSqlite(file, () => now);
after(() => store.close());

await store.write(async (tx) => {
  for (const statement of [
    'create table things (id text primary key, name text, place text, position bigint, yes boolean)',
    'create unique index things_name_key on things (name)',
    'create unique index things_place_key on things (place, position)',
    'create table parts (id text primary key, thing_id text not null references things (id))',
  ]) {
    await tx.run(raw(statement));
  }
});

const insert = (tx: Tx, id: string) => tx.run(sql`insert into things (id) values (${id})`);
const find = (db: Pick<Store, 'one'>, id: string) =>
  db.one<{ id: string }>(sql`select id from things where id = ${id}`);

/** A promise that the test resolves. */
function gate(): { passed: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

test('a transaction that fails leaves nothing', async () => {
  const id = uniqueName();
  const failed = store.write(async (tx) => {
    await insert(tx, id);
    assert.ok(await find(tx, id), 'it sees its own rows');
    throw new Error('on second thought');
  });
  await assert.rejects(failed, { message: 'on second thought' });
  assert.equal(await find(store, id), undefined);
});

test('a statement that fails takes the whole transaction along', async () => {
  const id = uniqueName();
  await assert.rejects(
    store.write(async (tx) => {
      await insert(tx, id);
      await insert(tx, id);
    }),
    Refused,
  );
  assert.equal(await find(store, id), undefined);
});

test('nobody sees the rows of a transaction that is still open', async () => {
  const id = uniqueName();
  const inserted = gate();
  const mayCommit = gate();
  const written = store.write(async (tx) => {
    await insert(tx, id);
    inserted.open();
    await mayCommit.passed;
  });
  await inserted.passed;
  const seen = await find(store, id);
  mayCommit.open();
  await written;
  assert.equal(seen, undefined);
  assert.deepEqual({ ...(await find(store, id)) }, { id });
});

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

test('everything written in a transaction has the instant at which it began', async () => {
  now = 1_000;
  const instants = await store.write(async (tx) => {
    const began = tx.now;
    now = 2_000;
    await turn();
    return [began, tx.now];
  });
  assert.deepEqual(instants, [1_000, 1_000]);
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

for (const { rule, columns, values, index } of [
  { rule: 'of one column', columns: 'name', values: ['same'], index: 'things_name_key' },
  { rule: 'of several columns', columns: 'place, position', values: ['here', 7], index: 'things_place_key' },
]) {
  test(`a write that breaks a unique rule ${rule} names the rule's index`, async () => {
    const insertSame = (tx: Tx) =>
      tx.run(sql`insert into things (id, ${raw(columns)}) values ${bulk([[uniqueName(), ...values]])}`);
    await store.write(insertSame);
    await assert.rejects(store.write(insertSame), (error) => {
      assert.ok(error instanceof Refused);
      assert.equal(error.constraint, index);
      return true;
    });
  });
}

test('what refers to a row that is not there is refused, and not as a unique rule', async () => {
  await assert.rejects(
    store.write((tx) => tx.run(sql`insert into parts (id, thing_id) values ('part', 'nowhere')`)),
    (error) => !(error instanceof Refused) && /FOREIGN KEY/.test((error as Error).message),
  );
});

for (const integer of [
  0,
  1,
  -1,
  2 ** 31,
  2 ** 32,
  1_700_000_000_000,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
]) {
  test(`the integer ${integer} comes back as it was`, async () => {
    const id = uniqueName();
    await store.write((tx) => tx.run(sql`insert into things (id, position) values (${id}, ${integer})`));
    const found = await store.one<{ position: number }>(sql`select position from things where position = ${integer}`);
    assert.equal(found?.position, integer);
  });
}

for (const yes of [true, false]) {
  test(`${yes} comes back as ${yes}, and is found as such`, async () => {
    const id = uniqueName();
    await store.write((tx) => tx.run(sql`insert into things (id, yes) values (${id}, ${yes})`));
    const row = await store.one<{ yes: unknown }>(sql`
      select yes from things where id = ${id} and yes = ${yes} and yes = ${raw(String(yes))}`);
    assert.equal(Boolean(row?.yes), yes);
    assert.ok(row);
  });
}

test('null comes back as null', async () => {
  const id = uniqueName();
  await store.write((tx) => tx.run(sql`insert into things (id, name) values (${id}, ${null})`));
  const row = await store.one<{ name: null }>(sql`select name from things where id = ${id}`);
  assert.equal(row?.name, null);
});

test('a value is never part of the text of a statement', async () => {
  const id = "'; drop table things; --";
  const query = sql`insert into things (id) values (${id})`;
  assert.deepEqual([query.sql, query.values], ['insert into things (id) values (?)', [id]]);
  await store.write((tx) => tx.run(query));
  assert.deepEqual({ ...(await find(store, id)) }, { id });
});

test('a commit is on disk when it returns, and references are checked', async () => {
  const pragma = async (tx: Tx, name: string) => Object.values((await tx.one<object>(raw(`pragma ${name}`))) ?? {})[0];
  const [synchronous, foreignKeys] = await store.write(async (tx) => [
    await pragma(tx, 'synchronous'),
    await pragma(tx, 'foreign_keys'),
  ]);
  const full = 2;
  assert.deepEqual([synchronous, foreignKeys], [full, 1]);
  const other = new DatabaseSync(file);
  assert.deepEqual({ ...other.prepare('pragma journal_mode').get() }, { journal_mode: 'wal' });
  other.close();
});

test('what reads cannot write', async () => {
  await assert.rejects(store.all(sql`insert into things (id) values ('smuggled') returning id`), /readonly/);
});

test('listeners hear of what a commit announced, once and after it, and never of a rollback', async () => {
  const folder = temporaryFolder();
  const own = openSqlite(join(folder, 'test.db'), Date.now);
  await own.write((tx) => tx.run(raw('create table things (id text)')));
  const heard: { notice: Heard; visible: boolean }[] = [];
  const look = new DatabaseSync(join(folder, 'test.db'), { readOnly: true });
  own.onCommit((notice) => {
    const visible = look.prepare("select 1 from things where id = 'thing'").get() !== undefined;
    heard.push({ notice, visible });
  });
  const announce = async (tx: Tx) => {
    tx.announce('outbox');
    await insert(tx, 'thing');
    tx.announce('outbox');
  };
  await assert.rejects(
    own.write(async (tx) => {
      await announce(tx);
      throw new Error('no');
    }),
  );
  assert.deepEqual(heard, []);
  await own.write((tx) => insert(tx, 'silent'));
  assert.deepEqual(heard, []);
  await own.write(announce);
  assert.deepEqual(heard, [{ notice: 'outbox', visible: true }]);
  look.close();
  await own.close();
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

test('while another process writes, a write waits and everything else goes on', async () => {
  const id = uniqueName();
  const lock = holdWriteLock();
  let isWritten = false;
  const written = store
    .write((tx) => insert(tx, id))
    .then(() => {
      isWritten = true;
    });
  // Were the event loop blocked, the first turn would last until the patience of the write is over.
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
  // Who waits in the queue behind another waits for the same process; twice the patience would outlast the stop.
  assert.ok(waited < 8_000, `${waited} ms`);
});
