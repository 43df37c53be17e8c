import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql, { bulk } from 'sql-template-tag';
import { copyTable, emptyTables, findUsedTable, sumOf, tables } from '#operations/copy.ts';
import { aDefinedFlag, aFullProject, someTraffic } from '../support/build.ts';
import { tablesOf } from '../support/databases.ts';
import { account, aPerson, askForReset, setUpAdministrator, startAccounts } from '../support/session.ts';
import { temporaryStore } from '../support/store.ts';

test('a target with more rows than one step deletes is emptied', async () => {
  const store = await temporaryStore();
  const ids = Array.from({ length: 1_001 }, (_, index) => `id-${index}`);
  const groups = ids.map((id) => [id, id, '', 1]);
  const users = ids.map((id) => [id, id, id, id, 'PENDING', false, 1]);
  await store.write(async (tx) => {
    await tx.run(sql`insert into groups (id, name, description, created_at) values ${bulk(groups)}`);
    await tx.run(sql`
      insert into users (id, email, email_key, name, status, two_factor, created_at) values ${bulk(users)}`);
    await tx.run(sql`
      insert into memberships (user_id, group_id, position)
      values ${bulk(ids.map((id, index) => [ids[index % 3], id, index]))}`);
  });
  await emptyTables(store);
  assert.equal(await findUsedTable(store), undefined);
});

test('every table is copied', async () => {
  const all = (await tablesOf(await temporaryStore())).filter((name) => name !== 'migrations');
  assert.deepEqual(tables.map(({ name }) => name).sort(), all.sort());
});

test('a copy that is interrupted anywhere continues where it was, and equals its source in the end', async () => {
  const api = await startAccounts();
  const project = await aFullProject(api);
  for (let index = 0; index < 12; index += 1) {
    await someTraffic(api.store, project.staging.id, (await aDefinedFlag(api, project)).flag.id);
  }
  await setUpAdministrator(api);
  const person = await aPerson(api);
  await askForReset(api, person.email);
  const { flag, path } = await aDefinedFlag(api, project);
  await api.put(account(`/watches/${flag.id}`), undefined, person.signedIn);
  await api.put(`${path}/kill`);
  const target = await temporaryStore();
  for (const table of tables) {
    let interruptions = 0;
    const breakOff = () => {
      interruptions += 1;
      if (interruptions === 1) throw new Error('broken off');
    };
    const rows = (await sumOf(api.store, table, () => undefined)).rows;
    const first = copyTable(api.store, target, { table, onProgress: breakOff });
    if (rows > 0) await assert.rejects(first, /broken off/);
    await copyTable(api.store, target, { table, onProgress: breakOff });
    assert.deepEqual(
      await sumOf(target, table, () => undefined),
      await sumOf(api.store, table, () => undefined),
      table.name,
    );
  }
});
