import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyTable, sumOf, tables } from '#operations/copy.ts';
import { aDefinedFlag, aProject } from '../support/build.ts';
import { tablesOf } from '../support/databases.ts';
import { aPerson, askForReset, setUpAdministrator, startAccounts } from '../support/session.ts';
import { temporaryStore } from '../support/store.ts';

test('every table is copied', async () => {
  const all = (await tablesOf(await temporaryStore())).filter((name) => name !== 'migrations');
  assert.deepEqual(tables.map(({ name }) => name).sort(), all.sort());
});

test('a copy that is broken off anywhere goes on where it was, and is like its source in the end', async () => {
  const api = await startAccounts();
  const project = await aProject(api);
  for (let index = 0; index < 12; index += 1) await aDefinedFlag(api, project);
  await setUpAdministrator(api);
  const person = await aPerson(api);
  await askForReset(api, person.email);
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
