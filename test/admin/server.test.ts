/** The settings of the server: how people sign in, the mail test, and what administrators see of its state. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { prefix } from '#contract/parts.ts';
import { testMailSender } from '#jobs/mail.ts';
import { saveBackupFailed, saveBackupMade } from '#store/backup-claims.ts';
import { housekeep } from '#store/sql.ts';
import { refused, startApi } from '../support/app.ts';
import { startMailServer } from '../support/mail-server.ts';
import {
  account,
  aPerson,
  cookieOf,
  fromBrowser,
  type Person,
  setUpAdministrator,
  signIn,
} from '../support/session.ts';
import { slowRequest } from '../support/slow-request.ts';

const mailServer = await startMailServer();
const api = await startApi({
  surroundings: {
    database: 'sqlite',
    mail: { host: 'mail.test', from: 'burgee@example.org' },
    sendTestMail: testMailSender(mailServer.url, 'burgee@example.org', 'https://flags.test'),
    backups: { folder: '/nowhere/backups', at: 2 * 60 * 60 * 1000, keep: 14 },
  },
});
await api.app.listen({ host: '127.0.0.1', port: 0 });
const { port } = api.app.server.address() as AddressInfo;
const administrator = await setUpAdministrator(api);
const usual = { twoFactorRequired: false, sessionIdleHours: 12, sessionDays: 14 };
const save = (changes: Partial<typeof usual>, as = {}) => api.put('/server/settings', { ...usual, ...changes }, as);

async function setUpSecondFactor({ signedIn, password }: Person): Promise<void> {
  const { secret } = (await api.post(account('/2fa'), { password }, signedIn)).body;
  const code = new TOTP({ secret }).generate({ timestamp: api.store.clock() });
  assert.equal((await api.post(account('/2fa/confirm'), { code }, signedIn)).status, 200);
}

test('once the server requires a second factor, people without one can only set one up', async () => {
  const person = await aPerson(api);
  refused(await save({ twoFactorRequired: true }, administrator.signedIn), 400, /your own second factor/);
  await setUpSecondFactor(administrator);
  const recorded = await api.recorded(async () => {
    assert.equal((await save({ twoFactorRequired: true }, administrator.signedIn)).status, 200);
    assert.equal((await save({ twoFactorRequired: true }, administrator.signedIn)).status, 200);
  });
  assert.deepEqual(recorded, ['account.settings_changed']);
  try {
    refused(await api.get('/workspaces', person.signedIn), 403, /requires a second factor/);
    refused(
      await api.get('/workspaces', fromBrowser(cookieOf(await signIn(api, person))?.pair)),
      403,
      /requires a second factor/,
    );
    refused(await api.get(account('/live'), person.signedIn), 403, /requires a second factor/);
    assert.equal((await api.get('/workspaces')).status, 200, 'keys are not affected');
    const session = await api.get(account('/session'), person.signedIn);
    assert.equal(session.body.mustSetUpTwoFactor, true);

    await setUpSecondFactor(person);
    assert.equal((await api.get('/workspaces', person.signedIn)).status, 200);
    const { password } = person;
    refused(
      await api.call('DELETE', account('/2fa'), { ...person.signedIn, body: { password } }),
      403,
      /requires a second factor/,
    );
  } finally {
    await save({});
  }
});

test('a change that was admitted before the server required a second factor is refused in its transaction', async () => {
  const person = await aPerson(api);
  const { id } = (await api.get('/workspaces')).body.objects[0];
  const headers = { 'content-type': 'application/json', ...person.signedIn.headers };
  const { status, text } = await slowRequest(
    `http://127.0.0.1:${port}${prefix}/splits/ws/${id}/trafficTypes/user`,
    { method: 'POST', headers, body: { name: 'too_late' } },
    () => save({ twoFactorRequired: true }),
  );
  await save({});
  assert.equal(status, 403, text);
  assert.match(text, /requires a second factor/);
});

test('sessions end after the hours and days that the server says, also those that began before', async () => {
  const person = await aPerson(api);
  const isSignedIn = async () => (await api.get(account('/session'), person.signedIn)).status === 200;
  const start = api.store.clock();
  const at = (hours: number) => {
    api.clock.now = start + hours * 60 * 60 * 1000;
  };
  try {
    at(3);
    await save({ sessionIdleHours: 2 });
    assert.equal(await isSignedIn(), false);
    await save({ sessionIdleHours: 200 });
    assert.equal(await isSignedIn(), true);
    at(49);
    await save({ sessionIdleHours: 200, sessionDays: 2 });
    assert.equal(await isSignedIn(), false);
    refused(await save({ sessionDays: 91 }), 400, /sessionDays/);
  } finally {
    at(0);
    await save({});
    api.clock.now = undefined;
  }
});

test('a test mail goes to the person who asks for it, and the response says what the mail server answered', async () => {
  const sent = await api.post('/server/mail-test', {}, administrator.signedIn);
  assert.equal(sent.body.accepted, true, sent.text);
  assert.match(sent.body.answer, /^250 /);
  const mail = await mailServer.nextMail();
  assert.deepEqual(mail.recipients, [administrator.email]);
  assert.match(mail.subject ?? '', /Burgee at flags\.test/);

  mailServer.manner = { refuses: 550 };
  const { body } = await api.post('/server/mail-test', { email: 'liu@example.org' });
  assert.deepEqual([body.email, body.accepted], ['liu@example.org', false]);
  assert.match(body.answer, /550/);
  refused(await api.post('/server/mail-test', {}), 400, /email is needed/);
});

test('the state of the server says how its database, mails and backups are', async () => {
  const { body } = await api.get('/server');
  assert.deepEqual(body.settings, usual);
  assert.equal(body.nodes.length, 1);
  assert.deepEqual(body.backups, { folder: '/nowhere/backups', dueAt: '02:00', keep: 14 });
  await housekeep(api.store, (tx) => saveBackupFailed(tx, 'no space left on device'));
  assert.equal((await api.get('/server')).body.backups.error, 'no space left on device');
  await housekeep(api.store, (tx) => saveBackupMade(tx, 1_000));
  assert.deepEqual((await api.get('/server')).body.backups.lastAt, 1_000);
  assert.equal('error' in (await api.get('/server')).body.backups, false);
});
