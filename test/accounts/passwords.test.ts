import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sql from 'sql-template-tag';
import { type Api, refused } from '../support/app.ts';
import {
  account,
  anEmail,
  aPerson,
  askForReset,
  cookieOf,
  fromBrowser,
  goodPassword,
  invite,
  setUpAdministrator,
  signIn,
  startAccounts,
  tablesWith,
  tokenFor,
} from '../support/session.ts';

const api = await startAccounts();
await setUpAdministrator(api);

/** How a password comes to an account: somebody who is about to choose one, and the address to sign in with. */
interface Door {
  readonly email: string;
  choose(password: string): ReturnType<Api['post']>;
}
const doors: Record<string, () => Promise<Door>> = {
  invitation: async () => {
    const { email, token } = await invite(api);
    return {
      email,
      choose: (password) =>
        api.post(account(`/invitations/${token}`), { name: 'Ada Lovelace', password }, fromBrowser()),
    };
  },
  'password change': async () => {
    const { email, password: current, signedIn } = await aPerson(api);
    return { email, choose: (next) => api.post(account('/password'), { current, next }, signedIn) };
  },
  'password reset': async () => {
    const { email } = await aPerson(api);
    await askForReset(api, email);
    const token = await tokenFor(api, email, 'password-reset');
    return {
      email,
      choose: (password) => api.post(account(`/password-reset/${token}`), { password }, fromBrowser()),
    };
  },
  'set-up': async () => {
    const server = await startAccounts();
    const email = anEmail();
    const fields = { token: server.setupToken, email, name: 'Ada Lovelace' };
    return { email, choose: (password) => server.post(account('/setup'), { ...fields, password }, fromBrowser()) };
  },
};

const tooShort = 'The password must have at least 12 characters';
const common = 'The password is one that attackers try first; choose another';
/** The whole rule is in the domain's own test; here, that each door asks it, with the words of the person. */
const weak: [password: (email: string) => unknown, message: string | RegExp][] = [
  [() => '', tooShort],
  [() => 'elevenchars', tooShort],
  [() => 'password1234', common],
  [() => 'leavemealone', common],
  [() => '1FinalFantasy7!', common],
  [() => 'adalovelace123', common],
  [(email) => email, common],
  [() => 'x'.repeat(1001), / must /],
  [() => 123456789012, / must /],
  [() => null, / must /],
];

for (const [name, open] of Object.entries(doors)) {
  describe(`by ${name}`, () => {
    test('a weak password is refused, nothing is recorded and the door stays open', async () => {
      const { email, choose } = await open();
      const actions = await api.recorded(async () => {
        for (const [password, message] of weak) {
          const answer = await choose(password(email) as string);
          refused(answer, 400, message);
          assert.equal(cookieOf(answer), undefined);
        }
      });
      assert.deepEqual(actions, []);
      assert.equal((await choose('seven quiet herons wade')).status, 200);
    });

    test('the longest password and any letters are taken as they are', async () => {
      for (const password of ['7 stille Möwen über Köln', `${goodPassword} `, 'кит море парус якорь '.repeat(47)]) {
        const { email, choose } = await open();
        const answer = await choose(password);
        assert.equal(answer.status, 200, answer.text);
        if (name === 'set-up') continue;
        assert.equal((await signIn(api, { email, password })).status, 200);
        assert.equal((await signIn(api, { email, password: password.slice(0, -1) })).status, 401);
      }
    });
  });
}

const hashOf = async (email: string): Promise<string> => {
  const row = await api.store.one<{ hash: string }>(
    sql`select password_hash as hash from users where email = ${email}`,
  );
  return row?.hash ?? '';
};

test('a password is kept as Argon2id with its parameters, and another hash each time', async () => {
  const password = 'nine violet kites rise';
  const people = [await aPerson(api, { password }), await aPerson(api, { password })];
  const hashes = await Promise.all(people.map(({ email }) => hashOf(email)));
  assert.notEqual(hashes[0], hashes[1], 'the same password of two people');
  const [, memory = 0, passes = 0] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$[\w+/]{22}\$[\w+/]{43}$/.exec(hashes[0] ?? '')?.map(Number) ?? [];
  assert.ok(memory >= 19_456 && passes >= 2, hashes[0]);
  for (const hash of hashes) assert.deepEqual(await tablesWith(api, hash), ['users']);
});

test('no password, right or wrong, is in the log, in the audit log or in any table', async () => {
  const [first, second, third, guess] = [
    'three amber foxes listen',
    'four amber foxes listen',
    'five amber foxes listen',
    'six amber foxes listen',
  ];
  const { email, signedIn } = await aPerson(api, { password: first });
  await signIn(api, { email, password: guess });
  await api.post(account('/password'), { current: guess, next: second }, signedIn);
  await api.post(account('/password'), { current: first, next: second }, signedIn);
  await askForReset(api, email);
  const token = await tokenFor(api, email, 'password-reset');
  await api.post(account(`/password-reset/${token}`), { password: third }, fromBrowser());
  assert.equal((await signIn(api, { email, password: third })).status, 200);
  const log = JSON.stringify(api.log);
  const changes = JSON.stringify((await api.get('/auditLogs?limit=200')).body);
  const hash = await hashOf(email);
  for (const secret of [first, second, third, guess, token, hash]) {
    assert.ok(!log.includes(secret) && !changes.includes(secret));
    if (secret !== hash) assert.deepEqual(await tablesWith(api, secret), []);
  }
});

test('the same letters are the same password, however a keyboard composes them', async () => {
  const password = 'sieben Möwen über Köln';
  assert.notEqual(password.normalize('NFD'), password.normalize('NFC'));
  const { email } = await aPerson(api, { password: password.normalize('NFC') });
  assert.equal((await signIn(api, { email, password: password.normalize('NFD') })).status, 200);
});
