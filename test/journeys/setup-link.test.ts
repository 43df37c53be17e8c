/** The link with which the first administrator is set up, as the server and the command line print it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { openStore } from '#store/open.ts';
import { anInstallation, type Server } from '../support/process.ts';
import { account, anEmail, goodPassword } from '../support/session.ts';

/** What a browser sends to the real server. */
const setUpAt = (server: Server, token: string | null) =>
  fetch(`${server.url}${account('/setup')}`, {
    method: 'POST',
    headers: { origin: server.url },
    body: JSON.stringify({ token, email: anEmail(), name: 'Grace Hopper', password: goodPassword }),
  });
const tokenIn = (link: string | undefined) => URL.parse(link ?? '')?.searchParams.get('token') ?? null;

const setupLinkIn = async (server: Server) => (await server.says(/^ {2}(http\S+\/setup\?token=\S+)$/m))[1];

test('every start prints the link until there is an administrator, and so does the command line', async () => {
  const burgee = anInstallation();
  const first = await burgee.start();
  const printed = await setupLinkIn(first);
  assert.ok(printed?.startsWith(`${first.url}/setup?token=`));
  await first.end('SIGTERM');
  const server = await burgee.start();
  assert.equal(tokenIn(await setupLinkIn(server)), tokenIn(printed));
  const publicUrl = 'https://flags.example.com';
  const { code, stdout, stderr } = await burgee.run(['setup-link'], { PUBLIC_URL: publicUrl });
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(stdout, `${publicUrl}/setup?token=${tokenIn(printed)}\n`);
  assert.deepEqual(await burgee.rows("select action from changes where action like 'account.setup%'"), []);
  assert.equal((await setUpAt(server, tokenIn(printed))).status, 200);
  assert.equal((await setUpAt(server, tokenIn(printed))).status, 404, 'it works once');

  const late = await burgee.run(['setup-link'], { PUBLIC_URL: publicUrl });
  assert.deepEqual([late.code, late.stdout], [1, '']);
  assert.equal(late.stderr, 'There is already an administrator: sign in, or ask to be invited\n');
  await server.end('SIGTERM');
  const { stdout: log } = await (await burgee.start()).end('SIGTERM');
  assert.ok(!log.includes('/setup?token='));
});

test('a link of the release before, which nobody can print any more, is replaced at the next start', async () => {
  const burgee = anInstallation();
  await (await burgee.start()).end('SIGTERM');
  const store = await openStore({ databaseUrl: await burgee.databaseUrl(), databasePool: 2 });
  await store.write((tx) => tx.run(sql`update account set setup_token_hash = 'of another token'`));
  await store.close();
  const server = await burgee.start();
  assert.equal((await setUpAt(server, tokenIn(await setupLinkIn(server)))).status, 200);
  assert.deepEqual(await burgee.rows("select action, actor_type from changes where action like 'account.setup%'"), [
    { action: 'account.setup_offered', actor_type: 'system' },
  ]);
});

test('the command line says when it has to guess the address of a link', async () => {
  const burgee = anInstallation();
  const server = await burgee.start();
  const { stderr } = await burgee.run(['setup-link'], { PORT: '8123' });
  assert.equal(stderr, 'PUBLIC_URL is not set: links assume that the server listens at http://127.0.0.1:8123\n');
  await server.end('SIGTERM');
});

test('the command line says what to do when the server was never started', async () => {
  const { code, stdout, stderr } = await anInstallation({ empty: true }).run(['setup-link']);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /start the server once/);
});
