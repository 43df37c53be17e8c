/** The nightly backups of a server that runs. `test/jobs/backups.test.ts` has their times and what goes wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { connectionTo } from '#store/postgres/query.ts';
import { schemaLock } from '#store/postgres/store.ts';
import { onlyPostgres } from '../support/databases.ts';
import { anInstallation } from '../support/process.ts';
import { until } from '../support/until.ts';

test('a server with BACKUP_FOLDER makes its backups beside the requests', async () => {
  const burgee = anInstallation();
  const server = await burgee.start({ BACKUP_FOLDER: './backups' });
  await server.says(/"msg":"backup made"/);
  const { stdout } = await burgee.shell('ls -l backups');
  assert.match(stdout, /^-rw-------.* burgee-\d{4}-\d{2}-\d{2}T\d{6}Z\.db$/m);
  assert.equal((await server.end('SIGTERM')).code, 0);
});

test('nothing of a backup outlives the server that makes it', { ...onlyPostgres, timeout: 120_000 }, async () => {
  const burgee = anInstallation();
  await (await burgee.start()).end('SIGTERM');
  // A backup waits for a change of the schema.
  const change = new Client(connectionTo(await burgee.databaseUrl()));
  await change.connect();
  try {
    await change.query(`select pg_advisory_lock(${schemaLock})`);
    const waiting = () =>
      burgee.rows(`select pid from pg_locks join pg_database on pg_database.oid = database
                    where locktype = 'advisory' and not granted and datname = current_database()`);
    const server = await burgee.start({ BACKUP_FOLDER: './backups' });
    await until('a backup is under way', async () => (await waiting()).length === 1);
    assert.equal((await server.end('SIGTERM')).code, 0);
    await until('nobody makes it any more', async () => (await waiting()).length === 0);
  } finally {
    await change.end();
  }
});
