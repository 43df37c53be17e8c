import assert from 'node:assert/strict';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { onlyPostgres, onlySqlite, onPostgres } from '../support/databases.ts';
import { startMailServer } from '../support/mail-server.ts';
import { anInstallation, type Finished, type Installation, sideBySide } from '../support/process.ts';

/** A line of the output: level, subject, sentence. */
const lines = ({ stdout }: Finished): string[][] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

/** The sentences of a subject at a level. */
const said = (finished: Finished, level: string, subject: string): string[] =>
  lines(finished)
    .filter(([one, other]) => one === level && other === subject)
    .map(([, , sentence = '']) => sentence);

async function aStarted(): Promise<Installation> {
  const burgee = anInstallation();
  const server = await burgee.start();
  await server.end('SIGTERM');
  return burgee;
}

describe('the doctor', sideBySide, () => {
  test('a healthy installation gets ok in every line, while the server runs', async () => {
    const burgee = anInstallation();
    const { url, logins, mails } = await startMailServer();
    const variables = {
      PUBLIC_URL: 'https://flags.example.com',
      BACKUP_FOLDER: './backups',
      SMTP_URL: url.replace('//', '//burgee:hunter2@'),
      MAIL_FROM: 'Burgee <burgee@example.com>',
    };
    const server = await burgee.start(variables);
    await server.says(/"msg":"backup made"/);
    const finished = await burgee.run(['doctor'], variables);
    assert.equal(finished.code, 0, finished.stdout);
    const subjects = new Set(lines(finished).map(([, subject]) => subject));
    assert.deepEqual([...subjects].sort(), ['backups', 'clock', 'configuration', 'database', 'disk', 'mail', 'schema']);
    // The PostgreSQL of the tests is quick rather than safe, and says so.
    const notOk = lines(finished).filter(([level]) => level !== 'ok');
    assert.deepEqual(
      notOk.filter(
        ([, , sentence]) => !/^(fsync, full_page_writes, synchronous_commit|autovacuum) off: /.test(sentence ?? ''),
      ),
      [],
    );
    assert.deepEqual([logins, mails.length], [['burgee:hunter2'], 0]);
    assert.ok(!finished.stdout.includes('hunter2'));
  });

  test('a server of PostgreSQL that does not clean up behind changes is a warning', onlyPostgres, async () => {
    const burgee = await aStarted();
    const [server] = await burgee.rows<{ autovacuum: string }>('show autovacuum');
    const warnings = said(await burgee.run(['doctor']), 'warning', 'database');
    assert.equal(
      warnings.filter((sentence) => sentence?.startsWith('autovacuum off: ')).length,
      server?.autovacuum === 'off' ? 1 : 0,
    );
  });

  test('each invalid setting is reported as trouble, on its own line', async () => {
    const finished = await anInstallation().run(['doctor'], { PORT: 'http', LOG_LEVEL: 'loud' });
    assert.equal(finished.code, 1);
    assert.deepEqual(said(finished, 'trouble', 'configuration'), [
      'PORT must be a number from 0 to 65535, not http',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not loud',
    ]);
  });

  test('settings that are allowed but unusual are warnings, not failures', async () => {
    const burgee = await aStarted();
    const finished = await burgee.run(['doctor'], { HOST: '0.0.0.0', PUBLIC_URL: 'http://flags.example.com' });
    assert.equal(finished.code, 0, finished.stdout);
    assert.deepEqual(said(finished, 'warning', 'configuration'), [
      'PUBLIC_URL starts with http: without TLS, passwords and keys can be read in transit',
      'BACKUP_FOLDER is not set: there are no nightly backups',
    ]);
    assert.match(String(said(finished, 'warning', 'mail')), /^SMTP_URL is not set/);
  });

  test('before the first start nothing is wrong, and no database is made', async () => {
    const burgee = anInstallation({ empty: true });
    const finished = await burgee.run(['doctor'], { BACKUP_FOLDER: './backups' });
    assert.equal(finished.code, 0, finished.stdout);
    assert.match(
      String(said(finished, 'warning', 'schema')),
      /^there are no tables yet: the first start creates them\. /,
    );
    assert.match(
      String(said(finished, 'warning', 'backups')),
      /backups does not exist yet: the next start creates it$/,
    );
    assert.match(String(said(finished, 'ok', 'disk')), onPostgres ? /^the disk of PostgreSQL/ : / MB are free in /);
    assert.deepEqual(readdirSync(burgee.folder), []);
  });

  test('folders that the start cannot make are trouble', async () => {
    const burgee = anInstallation();
    writeFileSync(join(burgee.folder, 'in-the-way'), '');
    const variables = { DATABASE_URL: 'file:./in-the-way/data/burgee.db', BACKUP_FOLDER: './in-the-way/backups' };
    const finished = await burgee.run(['doctor'], variables);
    assert.equal(finished.code, 1);
    for (const subject of ['disk', 'backups']) {
      assert.match(String(said(finished, 'trouble', subject)), /in-the-way is not writable for this user: /);
    }
  });

  test('a database that cannot be reached is trouble', async () => {
    const url = 'postgres://burgee:hunter2@127.0.0.1:1/burgee';
    const unreachable = await anInstallation().run(['doctor'], { DATABASE_URL: url });
    assert.equal(unreachable.code, 1);
    assert.match(
      String(said(unreachable, 'trouble', 'database')),
      /^postgres:\/\/burgee@127\.0\.0\.1:1\/burgee: .+ECONN/,
    );
  });

  test('the file and the log that a crash left behind are not changed', onlySqlite, async () => {
    const burgee = anInstallation();
    await (await burgee.start()).end('SIGKILL');
    const left = () => ['', '-wal'].map((ending) => readFileSync(join(burgee.folder, `data/burgee.db${ending}`)));
    const before = left();
    assert.equal((await burgee.run(['doctor'])).code, 0);
    assert.deepEqual(left(), before);
  });

  test('a damaged file and one that others can read are found', onlySqlite, async () => {
    const burgee = await aStarted();
    const file = join(burgee.folder, 'data/burgee.db');
    chmodSync(file, 0o644);
    const open = await burgee.run(['doctor']);
    assert.match(String(said(open, 'warning', 'database')), /can be read by other users of this machine: chmod 600$/);
    const descriptor = openSync(file, 'r+');
    // Every page but the first ones, whatever is in them.
    const page = Buffer.alloc(4_096, 'spoiled');
    for (let place = 2 * page.length; place < statSync(file).size; place += page.length) {
      writeSync(descriptor, page, 0, page.length, place);
    }
    closeSync(descriptor);
    const damaged = await burgee.run(['doctor']);
    assert.equal(damaged.code, 1);
    assert.match(String(said(damaged, 'trouble', 'database')), /burgee\.db(?: is damaged|: ).+/);
  });

  test('a column that is not compared by its bytes is found', onlyPostgres, async () => {
    const burgee = await aStarted();
    await burgee.rows('alter table groups alter column name type text collate "en-x-icu"');
    const finished = await burgee.run(['doctor']);
    assert.equal(finished.code, 1);
    assert.match(String(said(finished, 'trouble', 'database')), /^text does not compare by bytes in groups\.name: /);
  });

  test('an entry of the audit log from the future tells of a clock that is wrong', async () => {
    const burgee = await aStarted();
    await burgee.rows(`update changes set at = ${Date.now() + 3_600_000}`);
    const finished = await burgee.run(['doctor']);
    assert.equal(finished.code, 1);
    assert.match(
      String(said(finished, 'trouble', 'clock')),
      /^this machine is 3\d{3} seconds behind the newest audit entry: let NTP set the clocks$/,
    );
  });

  test('a schema that is older or newer, and a restore that was broken off, are told apart', async () => {
    const burgee = await aStarted();
    await burgee.rows("delete from migrations where name like '%-backups.sql'");
    const older = await burgee.run(['doctor']);
    assert.equal(older.code, 0, older.stdout);
    assert.match(
      String(said(older, 'warning', 'schema')),
      /^\d+-backups\.sql will be applied by the next start: make a/,
    );
    await burgee.rows("insert into migrations (name, applied_at) values ('9999-the-future.sql', 1)");
    const newer = await burgee.run(['doctor']);
    assert.equal(newer.code, 1);
    assert.match(String(said(newer, 'trouble', 'schema')), /made by a newer version \(it has 9999-the-future\.sql\)/);
    await burgee.rows("update migrations set name = 'unfinished copy of x' where name = '9999-the-future.sql'");
    const unfinished = await burgee.run(['doctor']);
    assert.match(
      String(said(unfinished, 'trouble', 'contents')),
      /was interrupted: run it again, or set DATABASE_URL to another database$/,
    );
  });

  test('backups that are old, and a mail server that is away, are trouble', async () => {
    const burgee = await aStarted();
    const folder = join(burgee.folder, 'backups');
    mkdirSync(folder);
    const file = join(folder, 'burgee-2030-05-04T020000Z.db');
    closeSync(openSync(file, 'w'));
    const longAgo = Date.now() / 1000 - 48 * 3_600;
    utimesSync(file, longAgo, longAgo);
    const finished = await burgee.run(['doctor'], {
      BACKUP_FOLDER: folder,
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'Burgee <burgee@example.com>',
    });
    assert.equal(finished.code, 1);
    assert.match(String(said(finished, 'trouble', 'backups')), /is 48 hours old: the log says why$/);
    assert.match(String(said(finished, 'trouble', 'mail')), /^127\.0\.0\.1:1 does not accept mails: .*ECONNREFUSED/);
  });
});
