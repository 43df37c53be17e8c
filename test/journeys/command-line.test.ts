import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import { describe, test } from 'node:test';
import { roleNames } from '#domain/access.ts';
import { aDefinition, uniqueName } from '../support/build.ts';
import { onPostgres } from '../support/databases.ts';
import { anInstallation, sideBySide } from '../support/process.ts';

const adminKey = 'a-key-for-the-tests-of-the-command-line';
const publicUrl = 'https://flags.example.com';
const burgee = anInstallation();
const server = await burgee.start({ BURGEE_ADMIN_API_KEY: adminKey, PUBLIC_URL: publicUrl });

/** Runs a command that must succeed, while the server runs; returns what it printed. */
async function ran(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await burgee.run(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function aKey(...options: string[]): Promise<{ id: string; text: string; name: string }> {
  const name = uniqueName('key');
  const { code, stdout, stderr } = await burgee.run(['keys', 'create', '--name', name, ...options]);
  assert.equal(code, 0, stderr);
  const id = /^Key \S+ has the id (\S+)\. The key is shown only once\.\n$/.exec(stderr)?.[1];
  assert.ok(id, stderr);
  return { id, name, text: stdout.trimEnd() };
}

async function aFlag(): Promise<string> {
  const name = uniqueName('flag');
  const { status } = await asAdmin('POST', '/splits/ws/Default/trafficTypes/user', { name });
  assert.equal(status, 200);
  return name;
}

const asAdmin = (method: string, path: string, body?: unknown) => server.call(method, path, { as: adminKey, body });
const statusFor = async (key: string) => (await server.call('GET', '/workspaces', { as: key })).status;

/** Both entries about the key name who ran the commands, and neither has the secret. */
async function recordedByOperator({ id, name, text }: { id: string; name: string; text: string }): Promise<void> {
  const { body } = await asAdmin('GET', `/auditLogs?objectId=${id}`);
  const { username } = userInfo();
  const editor = { type: 'operator', id: username, name: username };
  const object = { type: 'api_key', id, name };
  assert.deepEqual(
    body.data.map((entry: Record<string, unknown>) => [entry.auditLogType, entry.editor, entry.object]),
    [
      ['api_key.revoked', editor, object],
      ['api_key.created', editor, object],
    ],
  );
  assert.ok(!JSON.stringify(body).includes(text));
}

describe('the command line, while the server runs', sideBySide, () => {
  test('names of an earlier release neither forge a row nor command the terminal', async () => {
    const { id, name } = await aKey();
    await burgee.rows(`update api_keys set name = '${name}\n01a1 \u001b[2Jroot\u202e' where id = '${id}'`);
    const stdout = await ran('keys', 'list');
    const row = stdout.split('\n').find((line) => line.startsWith(id)) ?? '';
    assert.ok(row.includes(`${name}\\u000a01a1 \\u001b[2Jroot\\u202e`), row);
    assert.ok(!stdout.includes('\u001b') && !stdout.includes('\u202e'));
  });

  test('a key made for one environment and one role works there and nowhere else, while the server runs', async () => {
    const stdout = await ran(
      ...['keys', 'create', '--name', 'ci', '--project', 'Default', '--environment', 'Staging-Default'],
      ...['--role', 'API_FEATURE_FLAG_EDITOR'],
    );
    assert.match(stdout, /^burgee_a_[0-9A-Za-z]{36}\n$/);
    const as = stdout.trimEnd();
    const flag = await aFlag();
    const { body: otherProject } = await asAdmin('POST', '/workspaces', { name: uniqueName('project') });
    const define = (environment: string) =>
      server.call('POST', `/splits/ws/Default/${flag}/environments/${environment}`, { as, body: aDefinition() });
    const answersOf = async (method: string, path: string, body?: unknown) => {
      const { status, body: answer } = await server.call(method, path, { as, body });
      return [status, answer.message];
    };

    const { body: projects } = await server.call('GET', '/workspaces', { as });
    assert.deepEqual([projects.totalCount, projects.objects[0].name], [1, 'Default']);
    const { body: environments } = await server.call('GET', '/environments/ws/Default', { as });
    assert.deepEqual(
      environments.map((environment: { name: string }) => environment.name),
      ['Staging-Default'],
    );
    assert.equal((await define('Staging-Default')).status, 200);
    const outside = await define('Prod-Default');
    assert.deepEqual([outside.status, outside.body.message], [404, 'Could not find environment Prod-Default']);
    assert.deepEqual(await answersOf('GET', `/environments/ws/${otherProject.id}`), [
      404,
      `Could not find project ${otherProject.id}`,
    ]);
    for (const [method, path, body] of [
      ['POST', '/splits/ws/Default/trafficTypes/user', { name: uniqueName('flag') }],
      ['POST', '/users', { email: 'ci@example.com' }],
      ['POST', '/groups', { name: 'ci' }],
      ['POST', '/apiKeys', { name: 'ci', apiKeyType: 'admin' }],
      ['GET', '/auditLogs', undefined],
    ] as const) {
      assert.deepEqual(await answersOf(method, path, body), [403, 'Role is insufficient'], `${method} ${path}`);
    }
  });

  test('a key of an SDK belongs to its environment and opens nothing of the Admin API', async () => {
    const { text } = await aKey('--type', 'server_side', '--project', 'Default', '--environment', 'Prod-Default');
    assert.match(text, /^burgee_s_/);
    assert.equal(await statusFor(text), 401);
  });

  test('the list of keys names each with its reach, and never shows a secret or its hash', async () => {
    const { id, name, text } = await aKey('--project', 'Default', '--role', 'API_ADMIN', '--role', 'API_APIKEY');
    const printed = await ran('keys', 'list');
    const [head, ...rows] = printed.trimEnd().split('\n');
    assert.match(head ?? '', /^id +name +type +ends with +roles +scope +last used +expires$/);
    const row = rows.find((line) => line.startsWith(id));
    assert.deepEqual(row?.split(/ {2,}/), [
      id,
      name,
      'admin',
      text.slice(-4),
      'API_ADMIN API_APIKEY',
      'Default',
      'never',
      'never',
    ]);
    for (const secret of [text, adminKey]) {
      assert.ok(!printed.includes(secret));
      assert.ok(!printed.includes(createHash('sha256').update(secret).digest('hex')));
    }
  });

  for (const by of ['id', 'text'] as const) {
    test(`a key without a scope may do everything until it is revoked by its ${by}, and the operator is on record`, async () => {
      const key = await aKey();
      const group = { name: uniqueName('group') };
      assert.equal((await server.call('POST', '/groups', { as: key.text, body: group })).status, 200);
      assert.equal(await ran('keys', 'revoke', key[by]), 'Revoked.\n');
      const { status, body } = await server.call('GET', '/workspaces', { as: key.text });
      assert.deepEqual([status, body.message], [401, 'Invalid Admin API Key']);
      assert.deepEqual(await burgee.rows(`select id from api_keys where id = '${key.id}'`), []);
      await recordedByOperator(key);
    });
  }

  test('the outbox shows the link of an invitation until the user is deleted', async () => {
    const email = `${uniqueName('ada')}@example.com`;
    const { body: user } = await asAdmin('POST', '/users', { email, groups: [] });
    const [, logged] = await server.says(new RegExp(`"email":"${email}","link":"([^"]+)"`));
    const list = async () => (await burgee.run(['outbox', 'list'], { PUBLIC_URL: publicUrl })).stdout;
    const [head, ...rows] = (await list()).trimEnd().split('\n');
    assert.match(head ?? '', /^to +what +link +expires +state$/);
    const [to, what, link, expires, state] = rows.find((row) => row.startsWith(email))?.split(/ {2,}/) ?? [];
    assert.deepEqual([to, what, state], [email, 'invitation', 'waiting']);
    assert.match(link ?? '', /^https:\/\/flags\.example\.com\/invitations\/[\w-]{43}$/);
    assert.equal(link, logged);
    assert.ok(Date.parse(expires ?? '') > Date.now());
    assert.equal((await asAdmin('DELETE', `/users/${user.id}`)).status, 200);
    assert.ok(!(await list()).includes(email));
  });

  const create = ['keys', 'create', '--name', 'refused'];
  const refusals = [
    {
      name: 'a role that does not exist',
      args: [...create, '--role', 'API_EVERYTHING'],
      sentence: `--role must be one of ${roleNames.join(', ')}`,
    },
    {
      name: 'a project that does not exist',
      args: [...create, '--project', 'Nowhere'],
      sentence: 'Could not find project Nowhere',
    },
    {
      name: 'an environment that the project does not have',
      args: [...create, '--project', 'Default', '--environment', 'Nowhere'],
      sentence: 'Could not find environment Nowhere',
    },
    {
      name: 'an environment without its project',
      args: [...create, '--environment', 'Staging-Default'],
      sentence: '--environment needs --project',
    },
    {
      name: 'a key of an SDK without an environment',
      args: [...create, '--type', 'client_side', '--project', 'Default'],
      sentence: 'a client_side key needs a workspace and exactly one environment',
    },
    {
      name: 'revoking a key that does not exist',
      args: ['keys', 'revoke', 'no-such-key'],
      sentence: 'Could not find API key no-such-key',
    },
  ];
  for (const { name, args, sentence } of refusals) {
    test(`${name} is refused with a sentence, and nothing is created`, async () => {
      assert.deepEqual(await burgee.run(args), { code: 1, stdout: '', stderr: `${sentence}\n` });
      assert.deepEqual(await burgee.rows("select id from api_keys where name = 'refused'"), []);
    });
  }

  test('every command explains itself, without a database', async () => {
    const elsewhere = anInstallation({ empty: true });
    const commands = {
      '': ['serve', 'keys', 'outbox'],
      serve: ['start the server'],
      keys: ['create', 'list', 'revoke'],
      'keys create': ['--name', '--type', '--project', '--environment', '--role'],
      'keys list': ['without their secrets'],
      'keys revoke': ['<id>'],
      outbox: ['list'],
      'outbox list': ['links'],
      'setup-link': ['first administrator'],
    };
    const explain = async ([command, words]: [string, string[]]) => {
      const { code, stdout, stderr } = await elsewhere.run([...command.split(' ').filter(Boolean), '--help']);
      assert.deepEqual([code, stderr], [0, ''], command);
      assert.match(stdout, new RegExp(`^Usage: burgee ${command}`));
      for (const word of words) assert.ok(stdout.includes(word), `${command}: ${word}`);
    };
    await Promise.all(Object.entries(commands).map(explain));
    assert.equal((await elsewhere.shell('ls')).stdout, '');
  });

  test('before the first start a command says what to do, and the first start is still the first', async () => {
    const fresh = anInstallation({ empty: true });
    const stderr = onPostgres
      ? 'The database is empty; start the server once to set it up\n'
      : 'There is no database at file:./data/burgee.db; start the server once to create it\n';
    const commands = [['keys', 'list'], create, ['outbox', 'list']];
    for (const finished of await Promise.all(commands.map((args) => fresh.run(args)))) {
      assert.deepEqual(finished, { code: 1, stdout: '', stderr });
    }
    const started = await fresh.start();
    assert.match(await started.printedKey(), /^burgee_a_/);
  });
});
