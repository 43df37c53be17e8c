/** Conflicting transactions and refused statements: all or nothing, and only once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import sql from 'sql-template-tag';
import { openStore } from '#store/open.ts';
import { UniqueViolation } from '#store/sql.ts';
import { aDefinedFlag, aDefinition, aProject, uniqueName } from '../support/build.ts';
import { newDatabase } from '../support/databases.ts';
import { begin, countWaiting, hold } from '../support/locks.ts';
import { startNode } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { until } from '../support/until.ts';
import { aPlace, promisedMs, requireFair } from '../support/write-load.ts';

const database = await newDatabase();
const { databaseUrl } = database;
const burgee = anInstallation({ databaseUrl });
const client = await startNode(burgee);

/** A command locks a flag, then its environments. Another transaction has the environment and wants the flag. */
async function deleteInDeadlock(): Promise<void> {
  const { project, flag, path } = await aPlace(client);
  const somebody = await begin(databaseUrl);
  // The transaction that detects a deadlock first is its victim; this one checks late.
  await somebody.query("set local deadlock_timeout = '1min'");
  await somebody.query('select 1 from environments where id = $1 for update', [project.staging.id]);
  const begun = performance.now();
  const deleting = client.delete(`/splits/ws/${project.id}/${flag.name}`);
  await until('the command waits for the environment', async () => (await countWaiting(burgee)) === 1);
  await somebody.query('select 1 from flags where id = $1 for update', [flag.id]);
  // The other transaction got the flag, so the command had to give it up.
  await somebody.end();
  const answer = await deleting;
  assert.equal(answer.status, 200, answer.text);
  assert.ok(performance.now() - begun < promisedMs);
  assert.equal((await client.get(path)).status, 404);
  const entries = await burgee.rows(`select 1 from changes where action = 'flag.deleted' and object_id = '${flag.id}'`);
  assert.equal(entries.length, 1);
}

test('a deadlock: the request is the victim, is tried again, and is done once', async () => {
  const deadlocks = () => burgee.rows('select deadlocks from pg_stat_database where datname = current_database()');
  const earlier = await deadlocks();
  // The server counts late, and on a busy machine the command may have given up before the other one asked.
  for (let round = 0; round === 0 || isDeepStrictEqual(await deadlocks(), earlier); round += 1) {
    assert.ok(round < 20, 'no deadlock came about');
    await deleteInDeadlock();
  }
});

test('a row that somebody locked and does not give back: refused in time, and nothing is done', async () => {
  const { project, path } = await aPlace(client);
  const before = (await client.get(path)).text;
  const release = await hold(databaseUrl, `select 1 from environments where id = '${project.staging.id}' for update`);
  const begun = performance.now();
  const answer = await client.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 1 }]);
  assert.ok(performance.now() - begun < promisedMs);
  assert.equal(answer.status, 503);
  requireFair(answer);
  await release();
  assert.equal((await client.get(path)).text, before);
});

test('a flag whose status is deleted while it is duplicated: the copy gets the first status', async () => {
  const { project, flag } = await aPlace(client);
  const { body: statuses } = await client.get(`/rolloutStatuses/ws/${project.id}`);
  const somebody = await begin(databaseUrl);
  await somebody.query('update flags set rollout_status_id = $1 where id = $2', [statuses[1].id, flag.id]);
  await somebody.query('delete from rollout_statuses where id = $1', [statuses[0].id]);
  const name = uniqueName('copy');
  const duplicating = client.post(`/splits/ws/${project.id}/${flag.name}/duplicate`, { name });
  await until('the copy waits for its status', async () => (await countWaiting(burgee)) === 1);
  await somebody.query('commit');
  const answer = await duplicating;
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.rolloutStatus.id, statuses[1].id);
});

/** Every row of every table, except for housekeeping. */
async function everything(): Promise<Record<string, unknown>> {
  const tables = await burgee.rows<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  const rows: Record<string, unknown> = {};
  for (const { name } of tables) {
    rows[name] = await burgee.rows(
      `select to_jsonb(t) - 'last_used_at' as row from ${name} t order by (to_jsonb(t) - 'last_used_at')::text`,
    );
  }
  return rows;
}

test('a unique violation in the middle of a transaction rolls all of it back', async () => {
  const project = await aProject(client);
  const { path } = await aDefinedFlag(client, project);
  const emails = [`${uniqueName('taken')}@example.com`, `${uniqueName('taken')}@example.com`];
  for (const email of emails) await client.post('/users', { email });
  const { body: group } = await client.post('/groups', { name: uniqueName('group') });
  const before = await everything();
  const refusals = [
    // The number of the environment was taken before.
    await client.post(path, aDefinition()),
    await client.post('/users', { email: emails[0], groups: [group.id] }),
    await client.post('/workspaces', { name: project.name }),
    await client.post(`/environments/ws/${project.id}`, { name: 'staging' }),
  ];
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [409, 409, 409, 409],
  );
  assert.deepEqual(await everything(), before);
});

test('a transaction that continues after a refused statement leaves nothing, and fails', async () => {
  const store = await openStore(database);
  const [name, taken] = [uniqueName('group'), uniqueName('group')];
  const insert = (text: string) => sql`
    insert into groups (id, name, description, created_at) values (${uniqueName('id')}, ${text}, '', 0)`;
  await store.write((tx) => tx.run(insert(taken)));
  const goesOn = store.write(async (tx) => {
    await tx.run(insert(name));
    await assert.rejects(tx.run(insert(taken)), UniqueViolation);
  });
  await assert.rejects(goesOn, /went on after one of its statements had failed/);
  assert.equal(await store.one(sql`select 1 from groups where name = ${name}`), undefined);
  await store.close();
});
