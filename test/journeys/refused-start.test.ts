import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ownMigrations } from '#store/migrate.ts';
import { onlyPostgres, onlySqlite, onPostgres } from '../support/databases.ts';
import { anInstallation, type Finished, sideBySide } from '../support/process.ts';

/** Exit code 1, the sentence on stderr, and nothing else: no stack trace, nothing half started. */
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

/** The port of a fake PostgreSQL that gets as far as asking for a password: SCRAM, and its first message. */
async function serverThatAsksForAPassword(): Promise<number> {
  const answers = [
    { kind: 10, text: 'SCRAM-SHA-256\0\0' },
    { kind: 11, text: 'r=x,s=y,i=4096' },
  ];
  const server = createServer((socket) => {
    const left = [...answers];
    socket
      .on('error', () => undefined)
      .on('data', () => {
        const { kind, text } = left.shift() ?? assert.fail('the client went on');
        const head = Buffer.alloc(9);
        head.write('R');
        head.writeInt32BE(8 + text.length, 1);
        head.writeInt32BE(kind, 5);
        socket.write(Buffer.concat([head, Buffer.from(text)]));
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}

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
    const key = /^Admin API key \(shown only once\): (\S+)\n$/.exec(stdout)?.[1];
    assert.ok(key, stdout);
    const server = await burgee.start();
    assert.equal((await server.call('GET', '/workspaces', { as: key })).status, 200);
  });

  test('a data folder that cannot be made is named', onlySqlite, async () => {
    const burgee = anInstallation({ empty: true });
    const file = join(burgee.folder, 'data');
    writeFileSync(file, 'not a folder');
    const database = join(file, 'deeper', 'burgee.db');
    refusedWith(
      await burgee.run(['serve'], { DATABASE_URL: `file:${database}` }),
      new RegExp(`^The database file ${database} cannot be opened for writing: .+\n$`),
    );
  });

  test('a file that is no database is named and left as it is', onlySqlite, async () => {
    const burgee = anInstallation({ empty: true });
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
    const burgee = anInstallation({ empty: true });
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

  test('a host that is not known, or not of this machine, is named with its variable', async () => {
    const variables = { BURGEE_ADMIN_API_KEY: 'a-key-that-the-operator-chose' };
    const hosts = {
      'nowhere.invalid': 'nowhere.invalid is not a known host',
      '192.0.2.1': '192.0.2.1 is not an address of this machine',
    };
    for (const [host, sentence] of Object.entries(hosts)) {
      const asServer = { ...variables, PORT: '0', HOST: host };
      refusedWith(await anInstallation().run(['serve'], asServer), `HOST ${sentence}`);
      const asMetrics = { ...variables, PORT: '0', METRICS_PORT: '0', METRICS_HOST: host };
      refusedWith(await anInstallation().run(['serve'], asMetrics), `METRICS_HOST ${sentence}`);
    }
  });

  test('a folder in which no other can be made ends the start', onlySqlite, async () => {
    refusedWith(
      await anInstallation().run(['serve'], { DATABASE_URL: 'file:/proc/nowhere/burgee.db' }),
      /^The database file \/proc\/nowhere\/burgee\.db cannot be opened for writing: ENOENT.+\n$/,
    );
  });

  test('a missing password is told what to do', async () => {
    const server = await serverThatAsksForAPassword();
    refusedWith(
      await anInstallation().run(['serve'], { DATABASE_URL: `postgres://burgee@127.0.0.1:${server}/burgee` }),
      'The database cannot be used: the server asks for a password; put it into DATABASE_URL or PGPASSWORD',
    );
  });

  test('a role without rights is told what to do', onlyPostgres, async () => {
    const burgee = anInstallation({ empty: true });
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    await burgee.rows(`create role ${role} login`);
    try {
      const url = new URL(await burgee.databaseUrl());
      url.username = role;
      refusedWith(
        await burgee.run(['serve'], { DATABASE_URL: url.href }),
        /^The database cannot be used: permission denied for .+; make the role of DATABASE_URL the owner of the database\n$/,
      );
    } finally {
      await burgee.rows(`drop role ${role}`);
    }
  });

  test('an error that nobody foresaw is shown with its stack', async () => {
    const burgee = anInstallation({ empty: true });
    mkdirSync(join(burgee.folder, 'data'));
    await burgee.rows('create table migrations (name text primary key, applied_at bigint not null)');
    for (const { name } of ownMigrations()) await burgee.rows(`insert into migrations values ('${name}', 1)`);
    for (const command of [['serve'], ['keys', 'list']]) {
      const { code, stdout, stderr } = await burgee.run(command);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^Unexpected error, please report it:\n.*\n\s+at /);
    }
  });

  test('every variable that is wrong gets its sentence, and no database is made', async () => {
    const burgee = anInstallation({ empty: true });
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
