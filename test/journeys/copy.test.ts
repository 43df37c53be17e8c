/** `burgee copy` between the database of the suite and SQLite, there and back. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { askAbout } from '../support/app.ts';
import { fillLists } from '../support/build.ts';
import { newDatabase, onlySqlite, onPostgres } from '../support/databases.ts';
import { anInstallation, type Installation } from '../support/process.ts';

const key = 'a-key-for-the-tests-of-moving-house';

/** The database of an installation with a project's worth of things in it, which was stopped. */
async function aFurnishedDatabase(): Promise<string> {
  const burgee = anInstallation();
  const server = await burgee.start({ BURGEE_ADMIN_API_KEY: key });
  for (let index = 0; index < 30; index += 1) {
    const name = `flag-${index}`;
    const { status } = await server.call('POST', '/splits/ws/Default/trafficTypes/user', { as: key, body: { name } });
    assert.equal(status, 200);
  }
  const { body: ada } = await server.call('POST', '/users', { as: key, body: { email: 'ada@example.com' } });
  await fillLists((method, path, body) => server.call(method, path, { as: key, body }), ada.id);
  await server.end('SIGTERM');
  return burgee.databaseUrl();
}

/** Of two accounts. Each test gets copies of them. */
const [furnished, ofAnother] = await Promise.all([aFurnishedDatabase(), aFurnishedDatabase()]);

interface House {
  readonly burgee: Installation;
  /** The installation's own database. */
  readonly from: string;
  readonly to: string;
}

/** An installation with things in it, and the address of an empty database beside it. */
async function aHouse(like = furnished): Promise<House> {
  const { databaseUrl: from } = await newDatabase({ copyOf: like });
  const { databaseUrl: to } = await newDatabase({ empty: true });
  return { burgee: anInstallation({ databaseUrl: from }), from, to };
}

/** What clients see of a database. */
const contentOf = (databaseUrl: string) =>
  askAbout(databaseUrl, key, async ({ get }) => {
    const paths = ['/workspaces', '/splits/ws/Default?limit=50', '/users', '/apiKeys', '/auditLogs?limit=200'];
    paths.push('/workspaces/Default/access');
    const bodies = await Promise.all(paths.map(async (path) => (await get(path)).body));
    // The use of the key is noted while it is used.
    return JSON.stringify(bodies).replaceAll(/"(?:lastUsedAt|nextMarker|previousMarker)":[^,}]+,?/g, '');
  });

test('everything arrives, there and back, and is verified by count and checksum', async () => {
  const { burgee, from, to } = await aHouse();
  const there = await burgee.run(['copy', '--from', from, '--to', to]);
  assert.equal(there.code, 0, there.stderr);
  assert.match(there.stderr, /^copying flags: 30 rows$/m);
  assert.match(there.stderr, /^verifying flags: 30 rows, sha256 [0-9a-f]{16}$/m);
  assert.match(there.stdout, /^Everything is in \S+\. Set DATABASE_URL to it and start the server\.\n$/);
  const back = `file:${join(burgee.folder, 'back.db')}`;
  const again = await burgee.run(['copy', '--from', to, '--to', back]);
  assert.equal(again.code, 0, again.stderr);
  const before = await contentOf(from);
  assert.ok(before.includes('flag-29') && before.includes('ada@example.com'));
  assert.match(before, /"edit":\{"restricted":true,"grantees":\[\{"id":"[^"]+","name":"Payments"/);
  assert.equal(await contentOf(to), before);
  assert.equal(await contentOf(back), before);
  const server = await burgee.start({ DATABASE_URL: back });
  assert.equal((await server.call('GET', '/workspaces', { as: key })).status, 200);
});

test('a target that is not empty is refused and left as it is', async () => {
  const { burgee, from } = await aHouse();
  const other = await aHouse(ofAnother);
  const before = await contentOf(other.from);
  const { code, stdout, stderr } = await burgee.run(['copy', '--from', from, '--to', other.from]);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /is not empty: there are rows in account; give a database that nothing is in\n$/);
  assert.equal(await contentOf(other.from), before);
});

test('a target whose copy was interrupted cannot be opened, and the same copy continues it', async () => {
  const { burgee, from, to } = await aHouse();
  // As if it had been killed after its first table.
  const killed = await burgee.run(['copy', '--from', from, '--to', to]);
  assert.equal(killed.code, 0, killed.stderr);
  await burgee.rowsOf(to, 'delete from changes');
  await burgee.rowsOf(to, 'delete from outbox');
  const [account] = await burgee.rowsOf<{ id: string }>(to, 'select id from account');
  const mark = `insert into migrations (name, applied_at) values ('unfinished copy of ${account?.id}', 1)`;
  await burgee.rowsOf(to, mark);
  const started = await burgee.run(['serve'], { DATABASE_URL: to });
  assert.equal(started.code, 1);
  assert.match(started.stderr, /^The copy into \S+ was interrupted; run the same copy or restore again, /);
  const other = await aHouse(ofAnother);
  const stranger = await burgee.run(['copy', '--from', other.from, '--to', to]);
  assert.match(
    stranger.stderr,
    /contains an unfinished copy of another database; give a database that nothing is in\n$/,
  );
  const { code, stderr } = await burgee.run(['copy', '--from', from, '--to', to]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^Resuming the interrupted copy\.\n/);
  assert.equal(await contentOf(to), await contentOf(from));
});

test('a copy that is killed while it runs is finished by running it again', async () => {
  const { burgee, from, to } = await aHouse();
  await burgee.shell(`timeout -s KILL 1.2 "${process.execPath}" "${burgee.main}" copy --from '${from}' --to '${to}'`);
  const { code, stderr } = await burgee.run(['copy', '--from', from, '--to', to]);
  const wasFinished = /is not empty/.test(stderr);
  assert.ok(code === 0 || wasFinished, stderr);
  assert.equal(await contentOf(to), await contentOf(from));
});

/** Two databases of which the second is a copy of the first, as if it had been interrupted. */
async function aHouseBeforeTheEndOfACopy(): Promise<House> {
  const house = await aHouse();
  const { burgee, from, to } = house;
  assert.equal((await burgee.run(['copy', '--from', from, '--to', to])).code, 0);
  const [account] = await burgee.rowsOf<{ id: string }>(to, 'select id from account');
  const mark = `insert into migrations (name, applied_at) values ('unfinished copy of ${account?.id}', 1)`;
  await burgee.rowsOf(to, mark);
  return house;
}

test('a source that was written to since the copy was broken off is copied again from the start', async () => {
  const { burgee, from, to } = await aHouseBeforeTheEndOfACopy();
  await burgee.rowsOf(from, "update flags set description = 'changed' where name = 'flag-3'");
  const { code, stderr } = await burgee.run(['copy', '--from', from, '--to', to]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^The source has changed since then \(flags\): copying everything again\.$/m);
  const copied = await contentOf(to);
  assert.ok(copied.includes('"changed"'));
  assert.equal(copied, await contentOf(from));
});

test('a copy that fails when it continues keeps what is there', onlySqlite, async () => {
  const { burgee, from, to } = await aHouseBeforeTheEndOfACopy();
  await burgee.rowsOf(to, 'delete from changes');
  await burgee.rowsOf(to, "create trigger fail before insert on changes begin select raise(abort, 'no luck'); end");
  const before = await burgee.rowsOf(to, 'select * from flags');
  const { code, stderr } = await burgee.run(['copy', '--from', from, '--to', to]);
  assert.equal(code, 1);
  assert.match(stderr, /no luck/);
  assert.doesNotMatch(stderr, /The source has changed/);
  assert.deepEqual(await burgee.rowsOf(to, 'select * from flags'), before);
  await burgee.rowsOf(to, 'drop trigger fail');
  assert.equal((await burgee.run(['copy', '--from', from, '--to', to])).code, 0);
  assert.equal(await contentOf(to), await contentOf(from));
});

test('a copy that is not like its source is refused, and opens for nobody', onlySqlite, async () => {
  const { burgee, from, to } = await aHouseBeforeTheEndOfACopy();
  // As if the source were changed each time after the flags were read.
  await burgee.rowsOf(to, "create trigger spoil after insert on flags begin update flags set description = 'x'; end");
  await burgee.rowsOf(to, "update flags set description = 'x'");
  const { code, stderr } = await burgee.run(['copy', '--from', from, '--to', to]);
  assert.equal(code, 1);
  assert.match(stderr, /\nWas the source written to\? Stop every server and run the same command again\.\n$/);
  assert.equal((await burgee.run(['serve'], { DATABASE_URL: to })).code, 1);
});

test('an invalid database is named in the error, and a password is never shown', async () => {
  const { burgee, from } = await aHouse();
  const nowhere = await burgee.run(['copy', '--from', 'file:./nowhere.db', '--to', 'file:./new.db']);
  assert.deepEqual(nowhere, { code: 1, stdout: '', stderr: 'There is no database at file:./nowhere.db\n' });
  const unreachable = 'postgres://burgee:hunter2hunter2@127.0.0.1:1/burgee';
  const { code, stdout, stderr } = await burgee.run(['copy', '--from', from, '--to', unreachable]);
  assert.equal(code, 1);
  assert.match(stderr, /^The database cannot be used: .*ECONNREFUSED.*\n$/);
  assert.ok(!`${stdout}${stderr}`.includes('hunter2'), onPostgres ? 'PostgreSQL' : 'SQLite');
});
