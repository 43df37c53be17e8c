/** `burgee backup`, `verify` and `restore`, as an operator uses them. The drill under load is in test/trust. */
import assert from 'node:assert/strict';
import { copyFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { askAbout } from '../support/app.ts';
import { fillLists } from '../support/build.ts';
import { newDatabase } from '../support/databases.ts';
import { anInstallation, type Installation, sideBySide } from '../support/process.ts';

const key = 'a-key-for-the-tests-of-backups';

interface BackedUp {
  readonly burgee: Installation;
  /** Its backup, monday.db. */
  readonly file: string;
}

/** An installation with a flag in it, backed up while it ran, and stopped. */
async function original(): Promise<BackedUp> {
  const burgee = anInstallation();
  const server = await burgee.start({ BURGEE_ADMIN_API_KEY: key });
  const body = { name: 'checkout' };
  assert.equal((await server.call('POST', '/splits/ws/Default/trafficTypes/user', { as: key, body })).status, 200);
  const { body: ada } = await server.call('POST', '/users', { as: key, body: { email: 'ada@example.com' } });
  await fillLists((method, path, sent) => server.call(method, path, { as: key, body: sent }), ada.id);
  const { code, stdout, stderr } = await burgee.run(['backup', 'monday.db']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^monday\.db is a good backup of \d+ rows in \d+ tables, \d+ bytes, made at \S+Z\. It contains/);
  await server.end('SIGTERM');
  return { burgee, file: join(burgee.folder, 'monday.db') };
}

const { burgee: source, file: monday } = await original();

/** A copy for one test. */
async function aBackedUp(): Promise<BackedUp> {
  const { databaseUrl } = await newDatabase({ copyOf: await source.databaseUrl() });
  const burgee = anInstallation({ databaseUrl });
  const file = join(burgee.folder, 'monday.db');
  copyFileSync(monday, file);
  return { burgee, file };
}

const flagNames = (databaseUrl: string) =>
  askAbout(databaseUrl, key, async ({ get }) =>
    (await get('/splits/ws/Default')).body.objects.map(({ name }: { name: string }) => name),
  );

const accessIn = (databaseUrl: string) =>
  askAbout(databaseUrl, key, async ({ get }) => (await get('/workspaces/Default/access')).body);

describe('backups from the command line', sideBySide, () => {
  test('a backup is good, is readable by its owner only, and is restored into an empty database of either kind', async () => {
    const { burgee } = await aBackedUp();
    assert.equal(statSync(monday).mode & 0o777, 0o600);
    const verified = await burgee.run(['verify', 'monday.db']);
    assert.equal(verified.code, 0, verified.stderr);
    assert.match(verified.stdout, /^flags +1 +[0-9a-f]{16}$/m);
    assert.match(
      verified.stdout,
      /\nmonday\.db is good: .+\. Schema 0\d+-\S+\.sql; newest entry of the audit log: \S+Z\.\n$/,
    );
    const { databaseUrl } = await newDatabase({ empty: true });
    for (const target of [databaseUrl, `file:${join(burgee.folder, 'elsewhere.db')}`]) {
      const { code, stdout, stderr } = await burgee.run(['restore', 'monday.db'], { DATABASE_URL: target });
      assert.equal(code, 0, stderr);
      assert.match(stdout, /has everything of monday\.db: \d+ rows in \d+ tables.+\. Start the server\.\n$/);
      assert.deepEqual(await flagNames(target), ['checkout']);
      assert.deepEqual(await accessIn(target), await accessIn(await source.databaseUrl()));
    }
    const { edit, environments } = await accessIn(databaseUrl);
    assert.deepEqual(
      [edit, ...environments.map(({ editors }: { editors: unknown }) => editors)].map(
        ({ grantees }) => grantees.length,
      ),
      [3, 3, 3],
    );
  });

  test('a restore refuses a database that has anything in it, says what to do, and leaves it as it is', async () => {
    const { burgee } = await aBackedUp();
    const { code, stdout, stderr } = await burgee.run(['restore', 'monday.db']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /is not empty: there are rows in account; nothing is overwritten, so .+ DATABASE_URL to .+\n$/,
    );
    assert.deepEqual(await flagNames(await burgee.databaseUrl()), ['checkout']);
  });

  test('a backup that is spoiled is refused by verify and by restore, and nothing is restored', async () => {
    const { burgee, file } = await aBackedUp();
    const database = new DatabaseSync(file);
    database.exec("update flags set description = 'other'");
    database.close();
    const { databaseUrl } = await newDatabase({ empty: true });
    for (const command of ['verify', 'restore']) {
      const { code, stderr } = await burgee.run([command, 'monday.db'], { DATABASE_URL: databaseUrl });
      assert.equal(code, 1);
      assert.equal(stderr, 'monday.db is not good:\nflags differs from what was backed up\n');
    }
    assert.deepEqual(await burgee.run(['restore', 'tuesday.db'], { DATABASE_URL: databaseUrl }), {
      code: 1,
      stdout: '',
      stderr: 'There is no file tuesday.db\n',
    });
    const restarted = await burgee.start({ DATABASE_URL: databaseUrl, BURGEE_ADMIN_API_KEY: key });
    const { body } = await restarted.call('GET', '/splits/ws/Default', { as: key });
    assert.deepEqual(body.objects, []);
  });

  test('a gap in the audit log of the source is told, and keeps nobody from a backup and its restore', async () => {
    const { burgee } = await aBackedUp();
    await burgee.rows("delete from changes where action = 'flag.created'");
    const gap = '1 flags have no creation entry in the audit log\n';
    const backup = await burgee.run(['backup', 'tuesday.db']);
    assert.equal(backup.code, 0, backup.stderr);
    assert.ok(backup.stderr.endsWith(`warning: ${gap}`), backup.stderr);
    const verified = await burgee.run(['verify', 'tuesday.db']);
    assert.deepEqual([verified.code, verified.stderr], [1, `tuesday.db is not good:\n${gap}`]);
    const { databaseUrl } = await newDatabase({ empty: true });
    const restored = await burgee.run(['restore', 'tuesday.db'], { DATABASE_URL: databaseUrl });
    assert.equal(restored.code, 0, restored.stderr);
    assert.ok(restored.stderr.startsWith(`warning: ${gap}`), restored.stderr);
    assert.deepEqual(await flagNames(databaseUrl), ['checkout']);
  });

  test('restoring on a machine whose clock is behind the backup warns of numbers that were given out already', async () => {
    const { burgee, file } = await aBackedUp();
    const database = new DatabaseSync(file);
    database.exec('update backup set made_at = made_at + 3600000');
    database.close();
    const { databaseUrl } = await newDatabase({ empty: true });
    const restored = await burgee.run(['restore', 'monday.db'], { DATABASE_URL: databaseUrl });
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stderr, /^warning: the clock of this machine is 3[56]\d\d seconds behind the backup/m);
  });

  test('nothing is overwritten by a backup, and where there is no database none is made', async () => {
    const burgee = anInstallation({ empty: true });
    writeFileSync(join(burgee.folder, 'mine.txt'), 'mine');
    const taken = await burgee.run(['backup', 'mine.txt']);
    assert.deepEqual([taken.code, taken.stderr], [1, 'mine.txt already exists; choose another name\n']);
    const absent = await burgee.run(['backup', 'new.db'], { DATABASE_URL: 'file:./nowhere.db' });
    assert.deepEqual(absent, { code: 1, stdout: '', stderr: 'There is no database at file:./nowhere.db\n' });
    assert.equal((await burgee.shell('ls')).stdout, 'mine.txt\n');
  });
});
