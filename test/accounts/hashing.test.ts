import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { hashPassword } from '#security/password-hash.ts';
import type { Answer } from '../support/app.ts';
import {
  account,
  anAddress,
  anEmail,
  aPerson,
  fromBrowser,
  goodPassword,
  hashWith,
  saveHash,
  setUpAdministrator,
  signIn,
  startAccounts,
} from '../support/session.ts';

const api = await startAccounts();
await setUpAdministrator(api);

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

/** Not the 503 of a database that is slow on a busy machine. */
const isBusy = ({ body }: Answer) => body.message === 'Too many people are signing in at once; try again in 2 seconds';

/**
 * More sign-ins of strangers than may run and wait, each from an address of its own. Resolves when the first of them was
 * turned away, with what waits for the rest.
 */
async function fillTheQueue(): Promise<() => Promise<Answer[]>> {
  const turnedAway = Promise.withResolvers<void>();
  const all = Array.from({ length: 100 }, async () => {
    const answer = await signIn(api, { email: anEmail(), password: 'not the right password' });
    if (isBusy(answer)) turnedAway.resolve();
    return answer;
  });
  await Promise.race([turnedAway.promise, Promise.all(all).then(() => assert.fail('nobody was turned away'))]);
  return () => Promise.all(all);
}

test('hashes leave threads of the pool for the disk, however many are asked for', async () => {
  let done = 0;
  const hashes = Array.from({ length: 20 }, () => hashPassword(goodPassword).then(() => (done += 1)));
  // As a flush of SQLite does, this takes a thread of the pool, behind what is already waiting for one.
  await stat(import.meta.dirname);
  assert.ok(done <= 4, `${done} hashes came first`);
  await Promise.all(hashes);
});

test('a request that finds the queue full gets Retry-After', async () => {
  const rest = await fillTheQueue();
  const answers = await rest();
  const turnedAway = answers.filter(isBusy);
  for (const answer of turnedAway) assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '2']);
  assert.ok(turnedAway.length > 0 && turnedAway.length < answers.length);
});

test('an attempt that was turned away does not count against its account', async () => {
  const person = await aPerson(api);
  const request = { from: anAddress() };
  const rest = await fillTheQueue();
  // As many as may fail.
  const own = await Promise.all(
    Array.from({ length: 10 }, () => signIn(api, { ...person, password: 'not the right password' }, request)),
  );
  assert.ok(own.some(isBusy));
  await rest();
  assert.equal((await signIn(api, person, request)).status, 200);
});

test('a stranger without a token makes nobody hash', async () => {
  const token = 'A'.repeat(43);
  const password = goodPassword;
  const rest = await fillTheQueue();
  const answers = await Promise.all([
    api.post(account('/setup'), { token, email: anEmail(), name: 'Eve', password }, fromBrowser()),
    api.post(account(`/invitations/${token}`), { name: 'Eve', password }, fromBrowser()),
    api.post(account(`/password-reset/${token}`), { password }, fromBrowser()),
  ]);
  assert.deepEqual(statuses(answers), [404, 404, 404], 'a hash would have found the queue full');
  await rest();
});

const hashOf = async (email: string): Promise<string> =>
  (await api.store.one<{ hash: string }>(sql`select password_hash as hash from users where email = ${email}`))?.hash ??
  '';

for (const [what, memory, passes] of [
  ['cheaper', 8_192, 1],
  ['dearer', 24_576, 3],
] as const) {
  test(`a ${what} hash is verified with its own cost, and replaced by one of today's when its owner signs in`, async () => {
    const { email, password } = await aPerson(api);
    const today = (await hashOf(email)).split('$')[3];
    const old = hashWith(memory, passes, password);
    await saveHash(api, email, old);
    assert.equal((await signIn(api, { email, password: 'not the right password' })).status, 401);
    assert.equal(await hashOf(email), old);
    const actions = await api.recorded(async () => {
      assert.equal((await signIn(api, { email, password })).status, 200);
    });
    assert.deepEqual(actions, ['session.started']);
    const fresh = await hashOf(email);
    assert.equal(fresh.split('$')[3], today);
    assert.equal((await signIn(api, { email, password })).status, 200);
    assert.equal(await hashOf(email), fresh, 'once');
  });
}
