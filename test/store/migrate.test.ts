import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import sql from 'sql-template-tag';
import { migrate } from '#store/migrate.ts';
import { type Database, openSnapshot, openStore } from '#store/open.ts';
import { openPostgres } from '#store/postgres/store.ts';
import type { Reader, Store } from '#store/sql.ts';
import { openSqlite } from '#store/sqlite/store.ts';
import { newDatabase, onPostgres } from '../support/databases.ts';

const ownNames = readdirSync(new URL('../../src/store/migrations/', import.meta.url)).sort();
const aTable = { name: '0001-a-table.sql', statements: ['create table things (id text)'] };
const anIndex = { name: '0002-an-index.sql', statements: ['create unique index things_id_key on things (id)'] };

/** Without any migration. */
const open = async ({ databaseUrl }: Database, clock: () => number = Date.now): Promise<Store> =>
  onPostgres
    ? openPostgres({ url: databaseUrl, poolSize: 2, clock })
    : openSqlite(databaseUrl.slice('file:'.length), clock);

async function emptyStore(clock: () => number = Date.now): Promise<Store> {
  const store = await open(await newDatabase({ empty: true }), clock);
  after(() => store.close());
  return store;
}

const applied = async (db: Reader) =>
  (await db.all<{ name: string; applied_at: number }>(sql`select name, applied_at from migrations order by name`)).map(
    ({ name, applied_at }) => ({ name, at: applied_at }),
  );

const schema = async (db: Reader) =>
  (
    await db.all<{ name: string }>(
      onPostgres
        ? sql`select relname as name from pg_class where relnamespace = 'public'::regnamespace
                 and relkind in ('r', 'i') and relname not like '%_pkey' order by relname`
        : sql`select name from sqlite_schema where name not like 'sqlite_autoindex%' order by name`,
    )
  ).map((row) => row.name);

test('an empty database gets every migration, in order, and each is noted', async () => {
  const store = await emptyStore(() => 1_000);
  await migrate(store);
  assert.deepEqual(
    await applied(store),
    ownNames.map((name) => ({ name, at: 1_000 })),
  );
  for (const table of ['account', 'projects', 'flags', 'definitions', 'users', 'groups', 'api_keys', 'changes']) {
    assert.ok((await schema(store)).includes(table), table);
  }
});

test('migrating again changes nothing', async () => {
  let now = 1_000;
  const store = await emptyStore(() => now);
  await migrate(store);
  await store.write((tx) =>
    tx.run(sql`insert into groups (id, name, description, created_at) values ('one', 'one', '', 1)`),
  );
  const before = [await applied(store), await schema(store)];
  now = 2_000;
  await migrate(store);
  assert.deepEqual([await applied(store), await schema(store)], before);
  assert.equal((await store.all(sql`select id from groups`)).length, 1);
});

test('only what is new is applied', async () => {
  let now = 1_000;
  const store = await emptyStore(() => now);
  await migrate(store, [aTable]);
  now = 2_000;
  await migrate(store, [aTable, anIndex]);
  assert.deepEqual(await applied(store), [
    { name: aTable.name, at: 1_000 },
    { name: anIndex.name, at: 2_000 },
  ]);
  assert.deepEqual(await schema(store), ['migrations', 'things', 'things_id_key']);
});

test('a database from the future is refused with a sentence and left as it is', async () => {
  const database = await newDatabase({ empty: true });
  const newer = await open(database);
  await migrate(newer, [aTable, anIndex]);
  await newer.close();
  const message = `The database was made by a newer version of Burgee (it has ${aTable.name}, ${anIndex.name}); start that version, or restore a backup`;
  await assert.rejects(openStore(database), { name: 'Error', message });
  const again = await open(database);
  assert.deepEqual(await schema(again), ['migrations', 'things', 'things_id_key']);
  await again.close();
});

test('a migration that fails leaves nothing of the run, also not of the migrations before it', async () => {
  const store = await emptyStore();
  const broken = { name: '0003-broken.sql', statements: ['create table more (id text)', 'create nonsense'] };
  await assert.rejects(migrate(store, [aTable, anIndex, broken]), /syntax error/);
  assert.deepEqual(await schema(store), []);
});

test('a migration that fails leaves a database as the last release made it', async () => {
  const store = await emptyStore();
  await migrate(store, [aTable]);
  await store.write((tx) => tx.run(sql`insert into things (id) values ('same'), ('same')`));
  await assert.rejects(migrate(store, [aTable, anIndex]));
  assert.deepEqual(await schema(store), ['migrations', 'things']);
  assert.equal((await store.all(sql`select id from things`)).length, 2);
  assert.deepEqual(
    (await applied(store)).map(({ name }) => name),
    [aTable.name],
  );
});

test('several that start at once on one empty database apply each migration once', async () => {
  const database = await newDatabase({ empty: true });
  const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(database)));
  for (const store of stores) {
    assert.deepEqual(
      (await applied(store)).map(({ name }) => name),
      ownNames,
    );
    await store.close();
  }
});

test('a start with nothing to migrate does not wait for a backup that is being made', { timeout: 60_000 }, async () => {
  const database = await newDatabase({ empty: true });
  await (await openStore(database)).close();
  const backup = await openSnapshot(database);
  after(() => backup.close());
  await (await openStore(database)).close();
});
