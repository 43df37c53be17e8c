import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tables } from '#operations/copy.ts';
import { onlySqlite, onPostgres } from '../support/databases.ts';
import { anInstallation, fromSources, type Installation, type Server, sideBySide } from '../support/process.ts';

const handedIn = 'a-key-that-the-operator-chose';

/** The line that the first start tells people to try. */
const curlLineOf = async (server: Server) => (await server.says(/^ {2}(curl .+)$/m))[1] ?? '';

const jsonLinesOf = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Every byte of the database and of the files beside it; for PostgreSQL, everything that can be read from it. */
async function dataOf({ folder, rows }: Installation): Promise<string[]> {
  if (onPostgres)
    return Promise.all(tables.map(async ({ name }) => JSON.stringify(await rows(`select * from ${name}`))));
  return readdirSync(join(folder, 'data')).map((file) => readFileSync(join(folder, 'data', file), 'latin1'));
}

const fresh = anInstallation({ ...fromSources, empty: true });
const first = await fresh.start();

describe('the first start', sideBySide, () => {
  test('the first start in an empty folder prints the address, the key and a line that works', async () => {
    const key = await first.printedKey();
    const curlLine = await curlLineOf(first);
    assert.match(key, /^burgee_a_[0-9A-Za-z]{36}$/);
    assert.match(first.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(curlLine, `curl -H "Authorization: Bearer ${key}" ${first.url}/internal/api/v2/workspaces`);
    assert.ok(first.stdout().includes(`\nBurgee listens at ${first.url}\n`));
    const { code, stdout, stderr } = await fresh.shell(curlLine);
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      (JSON.parse(stdout) as { objects: { name: string }[] }).objects.map((project) => project.name),
      ['Default'],
    );
  });

  test('the first start makes what the decisions say, and nothing else', async () => {
    const key = await first.printedKey();
    const get = async (path: string) => {
      const { status, body } = await first.call('GET', path, { as: key });
      assert.equal(status, 200);
      return body;
    };
    const { objects: projects, totalCount } = await get('/workspaces');
    const { id } = projects[0];
    assert.deepEqual(projects, [{ name: 'Default', type: 'workspace', id, requiresTitleAndComments: false }]);
    assert.equal(totalCount, 1);
    const withoutId = ({ id: _, ...rest }: Record<string, unknown>) => rest;
    assert.deepEqual((await get(`/environments/ws/${id}`)).map(withoutId), [
      { name: 'Prod-Default', production: true },
      { name: 'Staging-Default', production: false },
    ]);
    const names = (things: { name: string }[]) => things.map((thing) => thing.name);
    assert.deepEqual(names(await get(`/trafficTypes/ws/${id}`)), ['user', 'account', 'anonymous']);
    assert.deepEqual(names(await get(`/rolloutStatuses?wsId=${id}`)), [
      'Pre-Production',
      '0% in Production',
      'Killed',
      'Internal Testing',
      'External Beta',
      'Ramping',
      'Experimenting',
      '100% Released',
      'Removed from Code',
      'Permanent',
    ]);
    assert.deepEqual(names((await get('/groups')).objects), ['Administrators']);
    assert.deepEqual((await get('/users')).data, []);
    assert.deepEqual((await get(`/splits/ws/${id}`)).objects, []);
    const entries: { auditLogType: string; editor: { type: string } }[] = (await get('/auditLogs')).data;
    assert.deepEqual(
      entries.map(({ auditLogType, editor }) => [auditLogType, editor.type]),
      [['account.created', 'system']],
    );
  });

  test('a key that the operator hands in works, is not printed, and only its hash is kept', async () => {
    const burgee = anInstallation({ empty: true });
    const variables = { BURGEE_ADMIN_API_KEY: handedIn };
    const server = await burgee.start(variables);
    const { code, stdout, stderr } = await burgee.shell(await curlLineOf(server), variables);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"Default"/);
    const hash = createHash('sha256').update(handedIn).digest('hex');
    assert.deepEqual(await burgee.rows('select hash, last_four from api_keys'), [{ hash, last_four: 'hose' }]);
    for (const bytes of await dataOf(burgee)) assert.ok(!bytes.includes(handedIn));
    const finished = await server.end('SIGTERM');
    assert.ok(!(finished.stdout + finished.stderr).includes(handedIn));
    assert.doesNotMatch(finished.stdout, /burgee_a_/);
  });

  test('a later start says in one line where it listens and leaves the keys alone, also when one is handed in', async () => {
    const burgee = anInstallation({ empty: true });
    const before = await burgee.start();
    const key = await before.printedKey();
    await before.end('SIGTERM');
    const server = await burgee.start({ BURGEE_ADMIN_API_KEY: handedIn });
    await server.says(/\/setup\?token=/);
    const [{ level: _, time: __, ...line } = {}, ...more] = jsonLinesOf(server.stdout());
    assert.deepEqual([line, more], [{ msg: `Burgee listens at ${server.url}` }, []]);
    assert.doesNotMatch(server.stdout(), /burgee_a_/);
    assert.equal(server.stderr(), '');
    assert.equal((await server.call('GET', '/workspaces', { as: key })).status, 200);
    assert.equal((await server.call('GET', '/workspaces', { as: handedIn })).status, 401);
  });

  test('only the operator may look into the data folder', onlySqlite, async () => {
    assert.equal(statSync(join(fresh.folder, 'data')).mode & 0o777, 0o700);
  });

  test('two processes that start at once on one empty folder make one account', async () => {
    const burgee = anInstallation({ empty: true });
    const servers = await Promise.all([burgee.start(), burgee.start()]);
    const key = await Promise.any(servers.map((server) => server.printedKey()));
    for (const server of servers) {
      const { status, body } = await server.call('GET', '/workspaces', { as: key });
      assert.deepEqual([status, body.totalCount], [200, 1]);
    }
    for (const table of ['account', 'projects', 'groups', 'api_keys', 'changes']) {
      assert.deepEqual(await burgee.rows(`select count(*) as total from ${table}`), [{ total: 1 }], table);
    }
    const finished = await Promise.all(servers.map((server) => server.end('SIGTERM')));
    assert.equal(finished.filter(({ stdout }) => stdout.includes('shown only once')).length, 1);
  });

  test('no log line has a key, wherever a request carries it, and the database has only its hash', async () => {
    const burgee = anInstallation({ empty: true });
    const server = await burgee.start({ LOG_LEVEL: 'trace' });
    const key = await server.printedKey();
    const bare = (path: string, headers: Record<string, string>) => fetch(server.url + path, { headers });
    await server.call('POST', '/groups', { as: key, body: { name: 'developers' } });
    await bare('/internal/api/v2/groups', { 'x-api-key': key });
    await bare('/internal/api/v2/groups', { cookie: `key=${key}` });
    await bare(`/internal/api/v2/groups?key=${key}`, { authorization: `Bearer ${key}` });
    await bare(`/${key}`, {});
    const { status } = await server.call('DELETE', `/apiKeys/${key}`, { as: key });
    assert.equal(status, 200);
    const { stdout, stderr } = await server.end('SIGTERM');
    const lines = jsonLinesOf(stdout);
    assert.ok(lines.length >= 6, stdout);
    assert.ok(!JSON.stringify(lines).includes(key));
    assert.equal(stderr, '');
    // Shown once for reading and once in the line to try.
    assert.equal(stdout.split(key).length - 1, 2);
    for (const bytes of await dataOf(burgee)) assert.ok(!bytes.includes(key));
  });
});
