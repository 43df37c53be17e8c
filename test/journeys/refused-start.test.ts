import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { onlySqlite, onPostgres } from '../support/databases.ts';
import { anInstallation, type Finished, sideBySide } from '../support/process.ts';

/** Exit code 1, the sentence on stderr, nothing else anywhere: no stack, no half a start. */
function refusedWith({ code, stdout, stderr }: Finished, sentence: string | RegExp): void {
  assert.equal(code, 1);
  assert.equal(stdout, '');
  if (typeof sentence === 'string') assert.equal(stderr, `${sentence}\n`);
  else assert.match(stderr, sentence);
  assert.doesNotMatch(stderr, /^\s+at /m);
}

const occupied = createServer().listen(0, '127.0.0.1');
await once(occupied, 'listening');
after(() => occupied.close());
const { port: occupiedPort } = occupied.address() as AddressInfo;

describe('a start that is refused', sideBySide, () => {
  test('a port in use is named, with what to do', async () => {
    const variables = { PORT: String(occupiedPort), BURGEE_ADMIN_API_KEY: 'a-key-that-the-operator-chose' };
    refusedWith(
      await anInstallation().run(['serve'], variables),
      `Port ${occupiedPort} on 127.0.0.1 is in use; stop what listens there or set PORT`,
    );
  });

  test('a first start that cannot listen still shows the key that it made, and the next start takes it', async () => {
    const burgee = anInstallation();
    const { code, stdout } = await burgee.run(['serve'], { PORT: String(occupiedPort) });
    assert.equal(code, 1);
    const key = /^The admin API key, shown only now: (\S+)\n$/.exec(stdout)?.[1];
    assert.ok(key, stdout);
    const server = await burgee.start();
    assert.equal((await server.call('GET', '/workspaces', { as: key })).status, 200);
  });

  test('a data folder that cannot be made is named', onlySqlite, async () => {
    const burgee = anInstallation();
    const file = join(burgee.folder, 'data');
    writeFileSync(file, 'not a folder');
    const database = join(file, 'deeper', 'burgee.db');
    refusedWith(
      await burgee.run(['serve'], { DATABASE_URL: `file:${database}` }),
      new RegExp(`^The database file ${database} cannot be opened for writing: .+\n$`),
    );
  });

  test('a file that is no database is named and left as it is', onlySqlite, async () => {
    const burgee = anInstallation();
    const file = join(burgee.folder, 'notes.txt');
    writeFileSync(file, 'shopping list\n'.repeat(100));
    refusedWith(
      await burgee.run(['serve'], { DATABASE_URL: 'file:./notes.txt' }),
      new RegExp(`^The database file ${file} cannot be opened for writing: .+\n$`),
    );
    const { stdout } = await burgee.shell('sort -u notes.txt; ls');
    assert.equal(stdout, 'shopping list\nnotes.txt\n');
  });

  test('a database from a newer version is refused and left as it is', async () => {
    const burgee = anInstallation();
    mkdirSync(join(burgee.folder, 'data'));
    await burgee.rows('create table migrations (name text primary key, applied_at bigint not null)');
    await burgee.rows("insert into migrations (name, applied_at) values ('9999-the-future.sql', 1)");
    refusedWith(
      await burgee.run(['serve']),
      'The database was made by a newer version of Burgee (it has 9999-the-future.sql); start that version, or restore a backup',
    );
    const tables = onPostgres
      ? "select tablename as name from pg_tables where schemaname = 'public'"
      : "select name from sqlite_schema where type = 'table'";
    assert.deepEqual(await burgee.rows(tables), [{ name: 'migrations' }]);
  });

  test('every variable that is wrong gets its sentence, and no database is made', async () => {
    const burgee = anInstallation();
    const finished = await burgee.run(['serve'], { PORT: 'http', LOG_LEVEL: 'loud', BURGEE_ADMIN_API_KEY: 'short' });
    refusedWith(
      finished,
      [
        'PORT must be a number from 0 to 65535, not http',
        'BURGEE_ADMIN_API_KEY must be 16 characters or more of ASCII, without spaces',
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not loud',
      ].join('\n'),
    );
    assert.equal((await burgee.shell('ls')).stdout, '');
  });
});
