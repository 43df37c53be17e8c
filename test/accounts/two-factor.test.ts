import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP, URI } from 'otpauth';
import { refused } from '../support/app.ts';
import {
  account,
  aPerson,
  cookieOf,
  fromBrowser,
  type Person,
  setUpAdministrator,
  signIn,
  startAccounts,
  tablesWith,
} from '../support/session.ts';

const api = await startAccounts();
const stepMs = 30_000;
/** The clock stands in the middle of a step until a test moves it. */
let now = Math.ceil(Date.now() / stepMs) * stepMs + stepMs / 2;
api.clock.now = now;
const pass = (steps: number) => {
  now += steps * stepMs;
  api.clock.now = now;
};
await setUpAdministrator(api);

/** What the device shows, or showed or will show that many steps from now. */
const codeOf = (secret: string, steps = 0) => new TOTP({ secret }).generate({ timestamp: now + steps * stepMs });
/** A code that is right at no step near now. */
function wrongCodeFor(secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.has(code)) ?? '';
}

const offer = async ({ signedIn, password }: Person): Promise<{ secret: string; uri: string; qr: string }> =>
  (await api.post(account('/2fa'), { password }, signedIn)).body;
const confirm = ({ signedIn }: Person, code: unknown) => api.post(account('/2fa/confirm'), { code }, signedIn);
const isOn = async ({ id }: Person): Promise<boolean> => (await api.get(`/users/${id}`)).body['2fa'];
const credentials = ({ email, password }: Person, code?: string) => ({
  email,
  password,
  ...(code === undefined ? {} : { code }),
});

interface Protected extends Person {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Someone with two-factor authentication, who has used only the code that confirmed it, a while ago. */
async function whoIsProtected(): Promise<Protected> {
  const person = await aPerson(api);
  const { secret } = await offer(person);
  const { status, body, text } = await confirm(person, codeOf(secret));
  assert.equal(status, 200, text);
  pass(3);
  return { ...person, secret, recoveryCodes: body.recoveryCodes };
}

test('an offer has the secret as text, as URI and as picture, and switches nothing on', async () => {
  const person = await aPerson(api);
  let offered = { secret: '', uri: '', qr: '' };
  const actions = await api.recorded(async () => {
    offered = await offer(person);
  });
  assert.deepEqual(actions, ['user.two_factor_offered']);
  const { secret, uri, qr } = offered;
  assert.match(secret, /^[A-Z2-7]{32}$/, '160 bits, as RFC 4226 asks for');
  const read = URI.parse(uri);
  assert.ok(read instanceof TOTP);
  assert.equal(read.secret.base32, secret);
  assert.deepEqual(
    [read.issuer, read.label, read.algorithm, read.digits, read.period],
    ['Burgee', person.email, 'SHA1', 6, 30],
  );
  assert.match(qr, /^<svg [^>]*>.*<\/svg>$/s);
  assert.equal(await isOn(person), false);
  assert.equal((await signIn(api, credentials(person))).status, 200);
});

test('each offer has a secret of its own, and only the newest can be confirmed', async () => {
  const person = await aPerson(api);
  const [first, second] = [await offer(person), await offer(person)];
  assert.notEqual(first.secret, second.secret);
  refused(await confirm(person, codeOf(first.secret)), 400, /^The code is incorrect/);
  assert.equal((await confirm(person, codeOf(second.secret))).status, 200);
});

test('a right code switches the second factor on and answers ten recovery codes, which are stored nowhere', async () => {
  const person = await aPerson(api);
  const { secret } = await offer(person);
  let codes: string[] = [];
  const actions = await api.recorded(async () => {
    const { status, body } = await confirm(person, codeOf(secret));
    assert.deepEqual([status, Object.keys(body)], [200, ['recoveryCodes']]);
    codes = body.recoveryCodes;
  });
  assert.deepEqual(actions, ['user.two_factor_enabled']);
  assert.deepEqual((await api.lastChange()).editor, { type: 'user', id: person.id, name: person.email });
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) {
    assert.match(code, /^[a-z0-9]{5}-[a-z0-9]{5}$/);
    for (const text of [code, code.replace('-', '')]) assert.deepEqual(await tablesWith(api, text), []);
  }
  assert.equal(await isOn(person), true);
  assert.equal((await api.get(account('/session'), person.signedIn)).body.user['2fa'], true);
});

test('a wrong code is refused, nothing is recorded, and the offer stays', async () => {
  const person = await aPerson(api);
  const actions = await api.recorded(async () => {
    refused(await confirm(person, '123456'), 400, 'Request a secret first, then confirm it with a code');
  });
  assert.deepEqual(actions, []);
  const { secret } = await offer(person);
  const wrong = [wrongCodeFor(secret), codeOf(secret, 2), codeOf(secret, -2), '', '12345', '1234567', 'abcdef', 123456];
  const refusals = await api.recorded(async () => {
    for (const code of wrong) assert.equal((await confirm(person, code)).status, 400, String(code));
  });
  assert.deepEqual(refusals, []);
  assert.equal(await isOn(person), false);
  assert.equal((await confirm(person, codeOf(secret))).status, 200);
});

test('without a code nobody signs in, and only who knows the password is told that one is needed', async () => {
  const person = await whoIsProtected();
  for (const code of [undefined, '']) {
    const actions = await api.recorded(async () => {
      const answer = await signIn(api, credentials(person, code));
      refused(answer, 401, 'A two-factor code is required');
      assert.equal(answer.body.details, 'code required');
      assert.equal(cookieOf(answer), undefined);
    });
    assert.deepEqual(actions, ['session.code_required'], 'it confirms the password, so it leaves a trace');
    const { editor, object } = await api.lastChange();
    assert.deepEqual([editor.type, object.id], ['anonymous', person.id]);
  }
  const stranger = await signIn(api, { email: person.email, password: 'not the right password' });
  refused(stranger, 401, 'Email, password or code is incorrect');
  assert.equal(stranger.body.details, '');
});

test('a right code signs in, with one entry', async () => {
  const person = await whoIsProtected();
  const actions = await api.recorded(async () => {
    const answer = await signIn(api, credentials(person, codeOf(person.secret)));
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await api.get(account('/session'), fromBrowser(cookieOf(answer)?.pair))).status, 200);
  });
  assert.deepEqual(actions, ['session.started']);
});

test('a code may be typed with a space around it', async () => {
  const person = await whoIsProtected();
  assert.equal((await signIn(api, credentials(person, ` ${codeOf(person.secret)} `))).status, 200);
});

test('a wrong code is refused like a wrong password, and recorded', async () => {
  const person = await whoIsProtected();
  for (const code of [wrongCodeFor(person.secret), 'abcdef', 'aaaaa-bbbbb', '0']) {
    const actions = await api.recorded(async () => {
      const answer = await signIn(api, credentials(person, code));
      refused(answer, 401, 'Email, password or code is incorrect');
      assert.equal(answer.body.details, '');
      assert.equal(cookieOf(answer), undefined);
    });
    assert.deepEqual(actions, ['session.refused']);
  }
});

test('a right code with a wrong password is refused, and the code is not used up', async () => {
  const person = await whoIsProtected();
  const code = codeOf(person.secret);
  refused(await signIn(api, { email: person.email, password: 'not the right password', code }), 401, /is incorrect/);
  assert.equal((await signIn(api, credentials(person, code))).status, 200);
});

const drifts: [steps: number, status: number][] = [
  [-3, 401],
  [-2, 401],
  [-1, 200],
  [0, 200],
  [1, 200],
  [2, 401],
  [3, 401],
];
for (const [steps, status] of drifts) {
  test(`a device that is ${steps} steps off is ${status === 200 ? 'accepted' : 'refused'}`, async () => {
    const person = await whoIsProtected();
    assert.equal((await signIn(api, credentials(person, codeOf(person.secret, steps)))).status, status);
  });
}

test('a code works once, also while it is still shown', async () => {
  const person = await whoIsProtected();
  const code = codeOf(person.secret);
  assert.equal((await signIn(api, credentials(person, code))).status, 200);
  refused(await signIn(api, credentials(person, code)), 401, /is incorrect/);
  pass(1);
  refused(await signIn(api, credentials(person, code)), 401, /is incorrect/);
  assert.equal((await signIn(api, credentials(person, codeOf(person.secret)))).status, 200);
});

test('the code that confirmed the second factor does not sign in', async () => {
  const person = await aPerson(api);
  const { secret } = await offer(person);
  const code = codeOf(secret);
  await confirm(person, code);
  refused(await signIn(api, credentials(person, code)), 401, /is incorrect/);
});

test('a code older than one that was used is refused', async () => {
  const person = await whoIsProtected();
  assert.equal((await signIn(api, credentials(person, codeOf(person.secret, 1)))).status, 200);
  for (const steps of [0, -1]) {
    refused(await signIn(api, credentials(person, codeOf(person.secret, steps))), 401, /is incorrect/);
  }
  pass(2);
  assert.equal((await signIn(api, credentials(person, codeOf(person.secret)))).status, 200);
});

test('of eight concurrent sign-ins with one code, one succeeds', async () => {
  const person = await whoIsProtected();
  const code = codeOf(person.secret);
  const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(api, credentials(person, code))));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 401).length, 7);
});

test('a recovery code signs in once, in whichever spelling, and the others stay', async () => {
  const person = await whoIsProtected();
  const [first = '', second = '', third = ''] = person.recoveryCodes;
  for (const code of [first, second.toUpperCase().replace('-', ' '), third.replace('-', '')]) {
    assert.equal((await signIn(api, credentials(person, code))).status, 200, code);
    refused(await signIn(api, credentials(person, code)), 401, /is incorrect/);
  }
  assert.equal(
    (await signIn(api, credentials(person, codeOf(person.secret)))).status,
    200,
    'nor is the device used up',
  );
});

test('of eight concurrent sign-ins with one recovery code, one succeeds', async () => {
  const person = await whoIsProtected();
  const [code] = person.recoveryCodes;
  const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(api, credentials(person, code))));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test('nobody signs in with somebody else’s codes', async () => {
  const [ada, bob] = [await whoIsProtected(), await whoIsProtected()];
  for (const code of [codeOf(bob.secret), bob.recoveryCodes[0]]) {
    refused(await signIn(api, credentials(ada, code)), 401, /is incorrect/);
  }
});

test('a session alone does not set up a second factor: the password is asked for', async () => {
  const person = await aPerson(api);
  const actions = await api.recorded(async () => {
    for (const body of [undefined, {}]) {
      assert.equal((await api.post(account('/2fa'), body, person.signedIn)).status, 400);
    }
    const wrong = await api.post(account('/2fa'), { password: 'not the right password' }, person.signedIn);
    refused(wrong, 400, 'Current password is incorrect');
    refused(await confirm(person, '000000'), 400, /^Request a secret first/);
  });
  assert.deepEqual(actions, []);
});

test('a second factor that is on is switched off before another is set up', async () => {
  const person = await whoIsProtected();
  const actions = await api.recorded(async () => {
    refused(
      await api.post(account('/2fa'), { password: person.password }, person.signedIn),
      400,
      'Two-factor authentication is already on; turn it off first',
    );
  });
  assert.deepEqual(actions, []);
  assert.equal((await signIn(api, credentials(person, person.recoveryCodes[0]))).status, 200);
});

/** How an administrator switches it off for somebody who lost the device. */
const off: Record<string, (person: Person) => Promise<{ status: number; body: unknown }>> = {
  PUT: ({ id, email, name }) => api.put(`/users/${id}`, { email, name, status: 'ACTIVE', '2fa': false, type: 'user' }),
  PATCH: ({ id }) => api.patch(`/users/${id}`, [{ op: 'replace', path: '/2fa', value: false }]),
};
for (const [method, switchOff] of Object.entries(off)) {
  test(`${method} with 2fa false switches it off, with its secret and its recovery codes`, async () => {
    const person = await whoIsProtected();
    const actions = await api.recorded(async () => {
      const { status, body } = await switchOff(person);
      assert.deepEqual([status, (body as Record<string, unknown>)['2fa']], [200, false]);
    });
    assert.equal(actions.length, 1);
    refused(await api.get(account('/session'), person.signedIn), 401, 'Sign in first');
    const { before, after } = (await api.lastChange()) as { before: object; after: object };
    assert.deepEqual(
      [before, after].map((user) => (user as Record<string, unknown>)['2fa']),
      [true, false],
    );
    assert.equal(await isOn(person), false);
    assert.deepEqual(await tablesWith(api, person.secret), []);
    assert.equal((await signIn(api, credentials(person))).status, 200);
  });
}

test('a change of something else leaves the second factor on', async () => {
  const person = await whoIsProtected();
  const { id, email } = person;
  await api.patch(`/users/${id}`, [{ op: 'replace', path: '/name', value: 'Ada King' }]);
  await api.put(`/users/${id}`, { email, name: 'Ada', status: 'ACTIVE', '2fa': true, type: 'user' });
  assert.equal(await isOn(person), true);
  assert.equal((await signIn(api, credentials(person, codeOf(person.secret)))).status, 200);
});

test('a change of something else leaves an offer as it is', async () => {
  const person = await aPerson(api);
  const { secret } = await offer(person);
  await api.patch(`/users/${person.id}`, [{ op: 'replace', path: '/name', value: 'Ada King' }]);
  assert.equal((await confirm(person, codeOf(secret))).status, 200);
});

test('switching the second factor off takes the password', async () => {
  const person = await whoIsProtected();
  const remove = (body: unknown) => api.call('DELETE', account('/2fa'), { ...person.signedIn, body });
  const refusals = await api.recorded(async () => {
    for (const password of ['not the right password', '']) {
      refused(await remove({ password }), 400, 'Current password is incorrect');
    }
    refused(await remove({}), 400, 'password is required');
  });
  assert.deepEqual(refusals, []);
  assert.equal(await isOn(person), true);
  const actions = await api.recorded(async () => {
    const { status, text } = await remove({ password: person.password });
    assert.deepEqual([status, text], [200, 'true']);
  });
  assert.deepEqual(actions, ['user.two_factor_disabled']);
  assert.equal(await isOn(person), false);
  assert.deepEqual(await tablesWith(api, person.secret), []);
  assert.equal((await signIn(api, credentials(person))).status, 200);
  assert.equal(
    (await signIn(api, credentials(person, codeOf(person.secret)))).status,
    200,
    'a code too many is no harm',
  );
});

test('neither secrets nor codes are in the log or in the audit log', async () => {
  const person = await whoIsProtected();
  const code = codeOf(person.secret);
  await signIn(api, credentials(person, code));
  await signIn(api, credentials(person, person.recoveryCodes[0]));
  const written = JSON.stringify([api.log, (await api.get('/auditLogs?limit=200')).body]);
  for (const secret of [person.secret, ...person.recoveryCodes]) assert.ok(!written.includes(secret));
  assert.ok(!JSON.stringify(api.log.filter(({ msg }) => msg === 'request')).includes(`"${code}"`));
});
