import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import { test } from 'node:test';
import sql from 'sql-template-tag';
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

const refusedMessage = 'This setup link was already used or replaced';
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

test('what is no e-mail, name or password is refused, and the link stays good', async () => {
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

test('of ten who use the link at once, one becomes administrator', async () => {
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

test('the command line prints a new link while there is no administrator, and the old one is dead', async () => {
  const burgee = anInstallation();
  const server = await burgee.start();
  const [, printed] = await server.says(/^ {2}(http\S+\/setup\?token=\S+)$/m);
  assert.ok(printed?.startsWith(`${server.url}/setup?token=`));
  const publicUrl = 'https://flags.example.com';
  const { code, stdout, stderr } = await burgee.run(['setup-link'], { PUBLIC_URL: publicUrl });
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^https:\/\/flags\.example\.com\/setup\?token=[\w-]{43}\n$/);
  const fresh = tokenIn(stdout);
  assert.notEqual(fresh, tokenIn(printed));
  const { username } = userInfo();
  assert.deepEqual(
    await burgee.rows("select action, actor_type, actor_id from changes where action like 'account.setup%'"),
    [{ action: 'account.setup_offered', actor_type: 'operator', actor_id: username }],
  );
  assert.equal((await setUpAt(server, tokenIn(printed))).status, 404);
  assert.equal((await setUpAt(server, fresh)).status, 200);

  const late = await burgee.run(['setup-link'], { PUBLIC_URL: publicUrl });
  assert.deepEqual([late.code, late.stdout], [1, '']);
  assert.equal(late.stderr, 'There is already an administrator: sign in, or ask to be invited\n');
  const { stdout: log } = await server.end('SIGTERM');
  assert.ok(!log.includes(fresh ?? ''), 'what the command line prints is in no log');
});

test('the command line says what to do when the server was never started', async () => {
  const { code, stdout, stderr } = await anInstallation().run(['setup-link']);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /start the server once/);
});
