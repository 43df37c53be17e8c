import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { type Answer, type Api, refused } from '../support/app.ts';
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
