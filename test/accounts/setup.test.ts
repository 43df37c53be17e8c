import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { openStore } from '#store/open.ts';
import { type Answer, type Api, refused } from '../support/app.ts';
import { anInstallation, type Server } from '../support/process.ts';
import {
  account,
  administratorsId,
  anEmail,
  aPerson,
  cookieOf,
  fromBrowser,
  goodPassword,
  setUpAdministrator,
  signIn,
  startAccounts,
  tablesWith,
} from '../support/session.ts';

const refusedMessage = 'This setup link is wrong or was already used';
const someone = () => ({ email: anEmail(), name: 'Grace Hopper', password: goodPassword });
const isRequired = async (api: Api): Promise<unknown> => (await api.get(account('/setup'), fromBrowser())).body;
const complete = (api: Api, fields: object) =>
  api.post(account('/setup'), { token: api.setupToken, ...someone(), ...fields }, fromBrowser());

test('the link of the first start makes the first administrator and signs in, with one entry by that user', async () => {
  const api = await startAccounts();
  assert.deepEqual(await isRequired(api), { required: true });
  const fields = someone();
  let answer: Answer | undefined;
  const actions = await api.recorded(async () => {
    answer = await complete(api, fields);
  });
  assert.equal(answer?.status, 200, answer?.text);
  const { email, name, password } = fields;
  const groups = [{ id: await administratorsId(api), type: 'group' }];
  const { id } = answer.body.user;
  const user = { id, type: 'user', name, email, status: 'ACTIVE', '2fa': false, groups };
  assert.deepEqual([answer.body.user, answer.body.administrator], [user, true]);
  assert.deepEqual((await api.get(`/users/${id}`)).body, user);
  assert.deepEqual(actions, ['user.set_up']);
  const change = await api.lastChange();
  assert.deepEqual([change.editor, change.after], [{ type: 'user', id, name: email }, user]);
  assert.deepEqual(await isRequired(api), { required: false });
  const { body } = await api.get(account('/session'), fromBrowser(cookieOf(answer)?.pair));
  assert.deepEqual(body, answer.body);
  assert.equal((await signIn(api, { email, password })).status, 200);
});

test('whether a setup link works can be asked without using it up; guesses count like other attempts', async () => {
  const api = await startAccounts();
  const browser = fromBrowser();
  const ask = (token: string) => api.get(account(`/setup?token=${encodeURIComponent(token)}`), browser);
  refused(await ask('guessed'), 404, refusedMessage);
  assert.deepEqual((await ask(api.setupToken)).body, { required: true });
  for (let guesses = 1; guesses < 50; guesses += 1) refused(await ask(`guess ${guesses}`), 404, refusedMessage);
  refused(await ask('one more'), 429, /^Too many attempts/);
  assert.deepEqual(await isRequired(api), { required: true });
});

test('once there is an administrator, no link tells anything', async () => {
  const api = await startAccounts();
  const token = api.setupToken;
  await setUpAdministrator(api);
  for (const asked of [token, 'guessed'])
    assert.deepEqual((await api.get(account(`/setup?token=${asked}`), fromBrowser())).body, { required: false });
});

test('the token has 256 random bits, is stored only as a hash, and not at all once it was used', async () => {
  const api = await startAccounts();
  const hash = createHash('sha256').update(api.setupToken).digest('hex');
  assert.equal(Buffer.from(api.setupToken, 'base64url').length, 32);
  assert.deepEqual([await tablesWith(api, api.setupToken), await tablesWith(api, hash)], [[], ['account']]);
  await setUpAdministrator(api);
  assert.deepEqual(await tablesWith(api, hash), []);
  assert.ok(!JSON.stringify(api.log).includes(api.setupToken));
});

test('a wrong token sets up nobody, and the right one works afterwards', async () => {
  const api = await startAccounts();
  const hash = createHash('sha256').update(api.setupToken).digest('hex');
  const actions = await api.recorded(async () => {
    for (const token of ['', 'A'.repeat(43), `${api.setupToken.slice(0, -1)}_`, api.setupToken.toLowerCase(), hash]) {
      const answer = await complete(api, { token });
      refused(answer, 404, refusedMessage);
      assert.equal(cookieOf(answer), undefined);
    }
  });
  assert.deepEqual(actions, []);
  assert.deepEqual(await isRequired(api), { required: true });
  assert.equal((await complete(api, {})).status, 200);
});

test('the link works once', async () => {
  const api = await startAccounts();
  await setUpAdministrator(api);
  const actions = await api.recorded(async () => refused(await complete(api, {}), 404, refusedMessage));
  assert.deepEqual(actions, []);
});

test('the link is dead once there is an administrator, however that one came', async () => {
  const api = await startAccounts();
  await aPerson(api);
  assert.deepEqual(await isRequired(api), { required: true }, 'a member is no administrator');
  await aPerson(api, { groups: [await administratorsId(api)] });
  assert.deepEqual(await isRequired(api), { required: false });
  const actions = await api.recorded(async () => refused(await complete(api, {}), 404, refusedMessage));
  assert.deepEqual(actions, []);
});

test('an invalid email, name or password is refused, and the link stays valid', async () => {
  const api = await startAccounts();
  const taken = (await aPerson(api)).email;
  const wrong: [fields: object, status: number, message: string | RegExp][] = [
    [{ email: 'nobody' }, 400, /^email must be a valid email$/],
    [{ email: undefined }, 400, 'email is required'],
    [{ name: ' ' }, 400, /^name /],
    [{ name: undefined }, 400, 'name is required'],
    [{ token: undefined }, 400, 'token is required'],
    [{ password: undefined }, 400, 'password is required'],
    [{ password: 'short' }, 400, /at least 12/],
    [{ password: 'gracehopper123' }, 400, /attackers/],
    [{ email: taken.toUpperCase() }, 409, `User ${taken.toUpperCase()} already exists`],
  ];
  const actions = await api.recorded(async () => {
    for (const [fields, status, message] of wrong) refused(await complete(api, fields), status, message);
  });
  assert.deepEqual(actions, []);
  assert.equal((await complete(api, {})).status, 200);
});

test('of ten concurrent uses of the set-up link, one creates the administrator', async () => {
  const api = await startAccounts();
  const answers = await Promise.all(Array.from({ length: 10 }, () => complete(api, {})));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 404)]);
  assert.equal((await api.store.all(sql`select id from users`)).length, 1);
});

/** What a browser sends to the real server. */
const setUpAt = (server: Server, token: string | null) =>
  fetch(`${server.url}${account('/setup')}`, {
    method: 'POST',
    headers: { origin: server.url },
    body: JSON.stringify({ token, ...someone() }),
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
