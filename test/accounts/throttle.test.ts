import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { TOTP } from 'otpauth';
import { pino } from 'pino';
import { createThrottles } from '#http/limits/throttle.ts';
import { findAccount } from '#store/account.ts';
import { createApp } from '../../src/app.ts';
import { type Answer, type Request, refused } from '../support/app.ts';
import { talkTo } from '../support/raw-sockets.ts';
import {
  account,
  anAddress,
  anEmail,
  aPerson as aPersonOfToday,
  cookieOf,
  fromBrowser,
  goodPassword,
  hashWith,
  saveHash,
  setUpAdministrator,
  signIn,
  startAccounts,
} from '../support/session.ts';
import { until } from '../support/until.ts';

const api = await startAccounts();
await setUpAdministrator(api);

const cheapHash = hashWith(8, 1, goodPassword);
/** A hash of today takes 40 ms to compare, and these tests guess a hundred times. */
async function aPerson() {
  const person = await aPersonOfToday(api);
  await saveHash(api, person.email, cheapHash);
  return person;
}

/** More than anyone needs, and fewer than guessing takes. */
const maxAttempts = 100;
const fewest = 5;

/** Tries until it is refused; returns how many were let through, and the first refusal. */
async function tryUntilRefused(attempt: () => Promise<Answer>): Promise<{ passed: number; refusal: Answer }> {
  for (let passed = 0; passed < maxAttempts; passed += 1) {
    const refusal = await attempt();
    if (refusal.status === 429) return { passed, refusal };
  }
  return assert.fail(`${maxAttempts} attempts were let through`);
}

function isTooMany(answer: Answer): void {
  refused(answer, 429, /^Too many attempts; try again in \d+ seconds$/);
  const seconds = Number(answer.headers['retry-after']);
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600, String(seconds));
  assert.equal(answer.body.message, `Too many attempts; try again in ${seconds} seconds`);
  assert.equal(answer.body.details, '');
  for (const who of ['org', 'ip']) {
    assert.equal(answer.headers[`x-ratelimit-remaining-${who}`], '0');
    assert.equal(answer.headers[`x-ratelimit-reset-seconds-${who}`], String(seconds));
  }
  assert.equal(cookieOf(answer), undefined);
}

const from = (address: string, request: Request = fromBrowser()): Request => ({ ...request, from: address });

test('too many sign-ins to one account from one address are refused, however the account is written', async () => {
  const person = await aPerson();
  const spellings = [person.email, person.email.toUpperCase()];
  const address = anAddress();
  let tries = 0;
  const { passed, refusal } = await tryUntilRefused(() => {
    tries += 1;
    return signIn(api, { email: spellings[tries % 2] ?? '', password: 'not the right password' }, from(address));
  });
  assert.ok(passed >= fewest, `only ${passed}`);
  isTooMany(refusal);
  const actions = await api.recorded(async () => isTooMany(await signIn(api, person, from(address))));
  assert.deepEqual(actions, [], 'not even the right password is tried');
});

test('a stranger does not lock the owner out, who comes from another address', async () => {
  const person = await aPerson();
  const stranger = anAddress();
  await tryUntilRefused(() => signIn(api, { email: person.email, password: 'x' }, from(stranger)));
  assert.equal((await signIn(api, person)).status, 200);
  assert.equal((await api.post(account('/password-reset'), { email: person.email }, fromBrowser())).status, 200);
});

test('guessing from ever new addresses comes to an end, but not for the address from which the owner signed in', async () => {
  const throttles = createThrottles();
  const home = '198.51.100.7';
  throttles.attempt(home, 'ada').succeeded();
  const maxForAnAccount = 300;
  for (let count = 0; count < maxForAnAccount; count += 1)
    throttles.attempt(`10.0.${count >> 8}.${count & 255}`, 'ada');
  assert.throws(() => throttles.attempt('203.0.113.1', 'ada'), { code: 'too_many_attempts' });
  throttles.attempt('203.0.113.1', 'bob');
  for (let count = 0; count < 10; count += 1) throttles.attempt(home, 'ada');
  assert.throws(() => throttles.attempt(home, 'ada'), { code: 'too_many_attempts' });
});

test('the code cannot be guessed with the right password, from however many addresses', async () => {
  const person = await aPerson();
  const { secret } = (await api.post(account('/2fa'), { password: person.password }, person.signedIn)).body;
  const code = () => new TOTP({ secret }).generate();
  assert.equal((await api.post(account('/2fa/confirm'), { code: code() }, person.signedIn)).status, 200);
  const { passed, refusal } = await tryUntilRefused(() => signIn(api, { ...person, code: 'guess' }));
  assert.equal(passed, 10);
  isTooMany(refusal);
  refused(await signIn(api, { ...person, password: 'x' }), 401, /is incorrect/);
});

test('others sign in meanwhile, from the same address too, and the person’s sessions continue', async () => {
  const [victim, other] = [await aPerson(), await aPerson()];
  const address = anAddress();
  const { refusal } = await tryUntilRefused(() =>
    signIn(api, { email: victim.email, password: 'not the right password' }, from(address)),
  );
  isTooMany(refusal);
  assert.equal((await signIn(api, other, from(address))).status, 200);
  assert.equal((await api.get(account('/session'), victim.signedIn)).status, 200);
});

test('an account that does not exist is throttled like one that does', async () => {
  const [person, nobody] = [await aPerson(), anEmail()];
  const limits = await Promise.all(
    [person.email, nobody].map((email) => {
      const address = anAddress();
      return tryUntilRefused(() => signIn(api, { email, password: 'x' }, from(address)));
    }),
  );
  assert.equal(limits[0]?.passed, limits[1]?.passed);
});

test('too many sign-ins from one address are refused for any account; other addresses still work', async () => {
  const person = await aPerson();
  const address = anAddress();
  const { passed, refusal } = await tryUntilRefused(() =>
    signIn(api, { email: anEmail(), password: 'x' }, from(address)),
  );
  assert.ok(passed >= fewest, `only ${passed}`);
  isTooMany(refusal);
  const actions = await api.recorded(async () => isTooMany(await signIn(api, person, from(address))));
  assert.deepEqual(actions, []);
  assert.equal((await signIn(api, person)).status, 200);
});

/** Everything else that a guess could open. Each answers an attempt from an address, or by one person. */
const doors: Record<string, () => Promise<(address: string) => Promise<Answer>>> = {
  'reading invitations': async () => (address) => api.get(account('/invitations/x'), from(address)),
  'accepting invitations': async () => (address) =>
    api.post(account('/invitations/x'), { name: 'Ada', password: 'x' }, from(address)),
  'asking for resets': async () => (address) =>
    api.post(account('/password-reset'), { email: anEmail() }, from(address)),
  'resetting passwords': async () => (address) =>
    api.post(account('/password-reset/x'), { password: 'seven quiet herons wade' }, from(address)),
  'setting up': async () => (address) =>
    api.post(account('/setup'), { token: 'x', email: anEmail(), name: 'Ada', password: 'x' }, from(address)),
};
describe('guessing from one address comes to an end', () => {
  for (const [what, open] of Object.entries(doors)) {
    test(what, async () => {
      const attempt = await open();
      const address = anAddress();
      const { passed, refusal } = await tryUntilRefused(() => attempt(address));
      assert.ok(passed >= fewest, `only ${passed}`);
      isTooMany(refusal);
      assert.notEqual((await attempt(anAddress())).status, 429);
    });
  }
});

/** Someone with a stolen session who guesses the password or the code. */
const guesses: Record<string, (request: Request) => Promise<Answer>> = {
  'the current password': (request) =>
    api.post(account('/password'), { current: 'x', next: 'seven quiet herons wade' }, request),
  'the password that sets a second factor up': (request) => api.post(account('/2fa'), { password: 'x' }, request),
  'the code of the second factor': (request) => api.post(account('/2fa/confirm'), { code: '000000' }, request),
  'the password that switches the second factor off': (request) =>
    api.call('DELETE', account('/2fa'), { ...request, body: { password: 'x' } }),
};
describe('guessing in a session comes to an end', () => {
  for (const [what, guess] of Object.entries(guesses)) {
    test(what, async () => {
      const [person, other] = [await aPerson(), await aPerson()];
      const { passed, refusal } = await tryUntilRefused(() => guess(person.signedIn));
      assert.ok(passed >= fewest, `only ${passed}`);
      isTooMany(refusal);
      assert.equal((await guess(other.signedIn)).status, 400);
    });
  }
});

test('successful sign-ins are never throttled and reset earlier failures', async () => {
  const { email, password } = await aPerson();
  const address = anAddress();
  for (let round = 0; round < 8; round += 1) {
    refused(await signIn(api, { email, password: 'not the password' }, from(address)), 401, /is incorrect/);
    assert.equal((await signIn(api, { email, password }, from(address))).status, 200);
  }
});

test('behind a proxy that is trusted, clients are counted by their own addresses; otherwise its word is not taken', async () => {
  const account404 = async (app: typeof api.app, client: string) =>
    (
      await app.inject({
        url: account('/invitations/unknown'),
        remoteAddress: '10.1.2.3',
        headers: { 'x-forwarded-for': client },
      })
    ).statusCode;
  const trusting = await appBehind('10.0.0.0/8');
  const plain = await appBehind(undefined);
  for (let count = 0; count < 50; count += 1) {
    assert.equal(await account404(trusting, '192.0.2.1'), 404);
    assert.equal(await account404(plain, `192.0.2.${count}`), 404);
  }
  assert.equal(await account404(trusting, '192.0.2.1'), 429);
  assert.equal(await account404(trusting, '192.0.2.2'), 404, 'another client of the proxy');
  assert.equal(await account404(plain, '192.0.2.99'), 429, 'all are the proxy');
});

async function appBehind(trustProxy: string | undefined) {
  const found = (await findAccount(api.store)) ?? assert.fail();
  const app = await createApp({ store: api.store, account: found, log: pino({ level: 'silent' }), trustProxy });
  after(() => app.close());
  return app;
}

test('an address that has no attempt left is refused before its body is read', async () => {
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  await tryUntilRefused(() => api.get(account('/invitations/x'), from('127.0.0.1')));
  const { socket, said } = await talkTo(url);
  socket.write(`POST ${account('/session')} HTTP/1.1\r\nHost: flags.test\r\nContent-Length: 1000\r\n\r\n`);
  await until('the answer', () => said().includes('transactionId'));
  assert.match(said(), /^HTTP\/1\.1 429 .*\r\nx-burgee-problem: too_many_attempts\r\n/s);
});
