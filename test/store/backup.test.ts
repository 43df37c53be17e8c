import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { makeBackup } from '#operations/backup/backup.ts';
import { type BackupFacts, examineBackup } from '#operations/backup/verify.ts';
import { sumOf, tables } from '#operations/copy.ts';
import { nextChangeNumber } from '#store/environments.ts';
import { migrate, ownMigrations } from '#store/migrate.ts';
import { openStore } from '#store/open.ts';
import { openPostgres } from '#store/postgres/store.ts';
import type { Reader } from '#store/sql.ts';
import { openSqlite } from '#store/sqlite/store.ts';
import { aDefinedFlag, aFullProject, someTraffic } from '../support/build.ts';
import { newDatabase, onPostgres, temporaryFolder } from '../support/databases.ts';
import { account, aPerson, askForReset, setUpAdministrator, startAccounts } from '../support/session.ts';

const api = await startAccounts();
const folder = temporaryFolder();
const project = await aFullProject(api);
const { path, flag } = await aDefinedFlag(api, project);
await api.put(`${path}/kill`);
await someTraffic(api.store, project.staging.id, flag.id);
const other = await aDefinedFlag(api, project);
await api.delete(other.path);
await setUpAdministrator(api);
const person = await aPerson(api);
await askForReset(api, person.email);
await api.put(account(`/watches/${flag.id}`), undefined, person.signedIn);
await api.post(`/tags/ws/${project.id}/object/${flag.name}/objecttype/Split`, ['watched']);

/** Every other table must have rows: `aFullProject` adds most of them. */
const emptyTables = [
  'definition_facts',
  'dependencies',
  'environment_grants',
  'imported_objects',
  'imports',
  'invitations',
  'nodes',
  'project_editors',
  'project_viewers',
  'recovery_codes',
  'reminders',
  'sdk_sightings',
  'sdk_watches',
];

async function aBackup(name: string): Promise<string> {
  const file = join(folder, name);
  await makeBackup(api.database, { file });
  return file;
}

/** The file after a change that Burgee would never make. */
async function spoiled(name: string, statement: string): Promise<BackupFacts> {
  const file = await aBackup(name);
  const database = new DatabaseSync(file);
  database.exec(`pragma foreign_keys = off; ${statement}`);
  database.close();
  return examineBackup(file);
}

test('a backup has every table, is whole, stands alone, and is readable by its owner only', async () => {
  const file = await aBackup('whole.db');
  const { tables: found, troubles, gaps, schema, newestChangeAt } = await examineBackup(file);
  assert.deepEqual([troubles, gaps], [[], []]);
  const wanted = tables.map(async (table) => ({
    name: table.name,
    ...(await sumOf(api.store, table, () => undefined)),
  }));
  assert.deepEqual(found, await Promise.all(wanted));
  assert.deepEqual(found.flatMap(({ name, rows }) => (rows === 0 ? [name] : [])).sort(), emptyTables);
  assert.equal(schema, ownMigrations().at(-1)?.name);
  assert.ok(newestChangeAt);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('whole.db')),
    ['whole.db'],
  );
});

test('an existing file is not overwritten, and a running or interrupted backup is named', async () => {
  const file = join(folder, 'taken.db');
  writeFileSync(file, 'mine');
  await assert.rejects(makeBackup(api.database, { file }), /taken\.db already exists; choose another name/);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  writeFileSync(join(folder, 'begun.db.partial'), 'begun');
  await assert.rejects(
    makeBackup(api.database, { file: join(folder, 'begun.db') }),
    /begun\.db\.partial exists: a backup is being made, or was interrupted; if so, delete it$/,
  );
});

test('a backup that fails leaves nothing behind', async () => {
  const file = join(folder, 'failed.db');
  const fail = () => {
    throw new Error('the disk is full');
  };
  await assert.rejects(makeBackup(api.database, { file, onProgress: fail }), /the disk is full/);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('failed')),
    [],
  );
});

test('an empty database is not backed up', async () => {
  const file = join(folder, 'nothing.db');
  await assert.rejects(
    makeBackup(await newDatabase(), { file }),
    /^Error: There is (?:nothing to back up|no database)/,
  );
  assert.ok(!existsSync(file));
});

test('an older database is backed up as it is, before a newer version has changed it', async () => {
  const database = await newDatabase({ empty: true });
  const { databaseUrl: url } = database;
  const store = onPostgres
    ? await openPostgres({ url, poolSize: 1, clock: Date.now })
    : openSqlite(url.slice('file:'.length), Date.now);
  const [first] = ownMigrations();
  assert.ok(first);
  await migrate(store, [first]);
  await store.write((tx) =>
    tx.run(sql`insert into account (id, single, marker_secret, created_at) values ('one', true, 'secret', 1)`),
  );
  const facts = await makeBackup(database, { file: join(folder, 'older.db') });
  assert.deepEqual([facts.schema, facts.troubles], [first.name, []]);
  assert.ok(!facts.tables.some(({ name }) => name === 'sessions'));
  assert.deepEqual(
    (await store.all<{ name: string }>(sql`select name from migrations`)).map(({ name }) => name),
    [first.name],
  );
  await store.close();
});

test('a value that changed, a row that is gone and a reference that leads nowhere are found', async () => {
  const value = await spoiled('value.db', "update flags set description = 'other'");
  assert.deepEqual(value.troubles, ['flags differs from what was backed up']);
  const row = await spoiled('row.db', "delete from recovery_codes; delete from groups where name = 'Administrators'");
  assert.deepEqual(row.troubles, [
    'a row of memberships refers to one of groups that is not there',
    'groups has 0 rows, not the 1 that were backed up',
  ]);
});

test('a gap in the audit log is found, even where the sums agree with it', async () => {
  const gap = async (name: string, condition: string) =>
    (await spoiled(name, `delete from changes where ${condition}`)).gaps;
  assert.deepEqual(await gap('created.db', `object_id = '${flag.id}' and action = 'definition.created'`), [
    '1 definition changes start from a state that no audit entry has',
  ]);
  assert.deepEqual(await gap('killed.db', `object_id = '${flag.id}' and action = 'definition.killed'`), [
    '1 definitions match no audit entry',
  ]);
  assert.deepEqual(await gap('flag.db', `object_id = '${flag.id}' and action = 'flag.created'`), [
    '1 flags have no creation entry in the audit log',
  ]);
});

test('after a restore, change numbers continue above those of the backup and above the clock', async () => {
  const file = await aBackup('numbers.db');
  const numberIn = async (db: Reader) =>
    (
      await db.one<{ number: number }>(sql`
      select change_number as number from environments where id = ${project.staging.id}`)
    )?.number ?? 0;
  await api.put(`${path}/restore`);
  await api.put(`${path}/kill`);
  const given = await numberIn(api.store);
  // The server reads the restored rows as they are in the backup, so it may as well use the file itself.
  const database = { databaseUrl: `file:${file}`, databasePool: 1 };
  const clock = { now: given + 1_000 };
  const restored = await openStore(database, () => clock.now);
  const own = await numberIn(restored);
  assert.ok(own < given, 'the backup knows nothing of what was given out after it');
  const next = async () => (await restored.write((tx) => nextChangeNumber(tx, project.staging))).changeNumber;
  clock.now = 0;
  assert.equal(await next(), own + 1, 'a clock that went back: above its own');
  clock.now = given + 1_000;
  assert.equal(await next(), given + 1_000, 'a clock that is right: above all that were given out before');
  assert.equal(await next(), given + 1_001);
  await restored.close();
});

test('a byte that changed in any text of the file does not go unnoticed, in tables and in indexes', async () => {
  const original = await aBackup('bytes.db');
  const bytes = readFileSync(original);
  const file = join(folder, 'changed.db');
  for (const text of [flag.name, flag.id, project.staging.id, 'definition.killed', person.email, 'Administrators']) {
    let noticed = 0;
    for (const place of spread(placesOf(bytes, text), 25)) {
      const changed = Buffer.from(bytes);
      changed.write('#', place + text.length - 1);
      writeFileSync(file, changed);
      const found = await examineBackup(file).then(
        ({ troubles }) => troubles,
        (error: unknown) => [(error as Error).message],
      );
      if (found.length > 0) noticed += 1;
      // Pages keep bytes of rows that moved to others, which nobody reads.
      else assert.deepEqual(rowsIn(file), rowsIn(original), `${text} at ${place}`);
    }
    assert.ok(noticed > 0, text);
  }
});

/** A number of the places, spread from the first to the last. */
const spread = (places: readonly number[], max: number): number[] =>
  places.filter((_, index) => index % Math.ceil(places.length / max) === 0);

/** As plain SQL reads them. */
function rowsIn(file: string): unknown[] {
  const database = new DatabaseSync(file);
  try {
    return tables.map(({ name }) => database.prepare(`select * from ${name} not indexed`).all());
  } finally {
    database.close();
  }
}

function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let place = bytes.indexOf(text); place >= 0; place = bytes.indexOf(text, place + 1)) places.push(place);
  return places;
}

test('a file that is not a backup is named in the error', async () => {
  await assert.rejects(examineBackup(join(folder, 'absent.db')), /^Error: There is no file \S+absent\.db$/);
  const text = join(folder, 'notes.txt');
  writeFileSync(text, 'shopping list\n'.repeat(100));
  await assert.rejects(examineBackup(text), /notes\.txt cannot be read: file is not a database$/);
  const plain = join(folder, 'plain.db');
  new DatabaseSync(plain).close();
  await assert.rejects(examineBackup(plain), /plain\.db is not a usable backup: it has no table of contents/);
});
