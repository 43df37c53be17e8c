import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountPrefix, prefix } from '#contract/parts.ts';
import { linkIn, startMailServer } from '../support/mail-server.ts';
import { anInstallation, type Installation, type Server } from '../support/process.ts';
import { goodPassword } from '../support/session.ts';

const adminKey = 'a-key-for-the-tests-of-invitations';
const email = 'ada@example.com';
const variablesFor = (smtpUrl: string) => ({
  BURGEE_ADMIN_API_KEY: adminKey,
  SMTP_URL: smtpUrl,
  MAIL_FROM: 'Burgee <burgee@example.com>',
});

const inviteTo = (server: Server, address = email) =>
  server.call('POST', '/users', { as: adminKey, body: { email: address } });
const tokenIn = (link: string | undefined) => link?.split('/').at(-1) ?? '';
const waiting = (burgee: Installation) =>
  burgee.rows<{ attempts: number; claimed_until: number }>('select attempts, claimed_until from outbox');

/** A browser of the real server: it keeps its cookie and sends its origin. */
function aBrowser({ url }: Server) {
  let cookie = '';
  return async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(url + path, {
      method,
      headers: { origin: url, cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    // biome-ignore lint/suspicious/noExplicitAny: the tests name what they expect of an answer
    return { status: reply.status, body: (await reply.json()) as any };
  };
}

test('invited, active, signed in, in a group, not deletable, deactivated, reactivated: the way of a colleague', async () => {
  const mailServer = await startMailServer();
  const burgee = anInstallation();
  const server = await burgee.start(variablesFor(mailServer.url));
  const asAdmin = (method: string, path: string, body?: unknown) => server.call(method, path, { as: adminKey, body });
  const browser = aBrowser(server);

  const { body: user } = await inviteTo(server);
  assert.equal(user.status, 'PENDING');
  const mail = await mailServer.nextMail();
  assert.deepEqual(mail.recipients, [email]);
  const link = linkIn(mail);
  assert.ok(link?.startsWith(`${server.url}/invitations/`), link);
  const invitation = `${accountPrefix}/invitations/${tokenIn(link)}`;
  assert.deepEqual((await browser('GET', invitation)).body, { email, name: 'ada' });

  const accepted = await browser('POST', invitation, { name: 'Ada Lovelace', password: goodPassword });
  assert.deepEqual([accepted.status, accepted.body.user.status], [200, 'ACTIVE']);
  assert.equal((await asAdmin('GET', `/users/${user.id}`)).body.status, 'ACTIVE');
  assert.equal((await browser('DELETE', `${accountPrefix}/session`)).status, 200);
  const signedIn = await browser('POST', `${accountPrefix}/session`, { email, password: goodPassword });
  assert.deepEqual([signedIn.status, signedIn.body.user.name], [200, 'Ada Lovelace']);

  const { body: group } = await asAdmin('POST', '/groups', { name: 'developers' });
  const groups = [{ id: group.id, type: 'group' }];
  const joined = await asAdmin('PATCH', `/users/${user.id}`, [{ op: 'add', path: '/groups/0', value: groups[0] }]);
  assert.deepEqual([joined.status, joined.body.groups], [200, groups]);
  const creating = await browser('POST', `${prefix}/splits/ws/Default/trafficTypes/user`, { name: 'checkout' });
  assert.equal(creating.status, 200);

  const deleted = await asAdmin('DELETE', `/users/${user.id}`);
  assert.deepEqual(
    [deleted.status, deleted.body.code, deleted.body.message, deleted.body.details],
    [400, 400, 'Active users cannot be deleted from your org. You can use a PUT request to deactivate the user', ''],
  );

  const full = { email, name: 'Ada Lovelace', '2fa': false, type: 'user' };
  const put = (status: string) => asAdmin('PUT', `/users/${user.id}`, { ...full, status });
  assert.equal((await put('DEACTIVATED')).body.status, 'DEACTIVATED');
  assert.equal((await browser('GET', `${accountPrefix}/session`)).status, 401);
  assert.equal((await browser('GET', `${prefix}/groups`)).status, 401);
  assert.equal((await browser('POST', `${accountPrefix}/session`, { email, password: goodPassword })).status, 403);

  const back = await put('ACTIVE');
  assert.deepEqual([back.body.status, back.body.groups], ['ACTIVE', groups]);
  assert.equal((await browser('GET', `${accountPrefix}/session`)).status, 401, 'the old session stays dead');
  assert.equal((await browser('POST', `${accountPrefix}/session`, { email, password: goodPassword })).status, 200);
  assert.equal(mailServer.mails.length, 1);

  const { code, stdout, stderr } = await server.end('SIGTERM');
  assert.deepEqual([code, stderr], [0, '']);
  for (const secret of [tokenIn(link), goodPassword]) assert.ok(!stdout.includes(secret));
});

/** The one-minute lease of the killed process on the mails is over. */
async function passLease(burgee: Installation): Promise<void> {
  const rows = await burgee.rows('update outbox set claimed_until = 0, due_at = 0 returning id');
  assert.ok(rows.length > 0);
}

test('killed between commit and send: the mail is sent by the next start, exactly once', async () => {
  const mailServer = await startMailServer();
  mailServer.manner = 'hangs';
  const burgee = anInstallation();
  const variables = variablesFor(mailServer.url);
  const before = await burgee.start(variables);
  const { status, body: user } = await inviteTo(before);
  assert.equal(status, 200);
  await mailServer.nextConnection();
  const { code } = await before.end('SIGKILL');
  assert.equal(code, null);
  const [entry] = await waiting(burgee);
  assert.ok(entry && entry.attempts === 1 && entry.claimed_until <= Date.now() + 60_000);

  mailServer.manner = 'takes';
  await passLease(burgee);
  const server = await burgee.start(variables);
  const mail = await mailServer.nextMail();
  await server.says(/"mail sent"/);
  assert.deepEqual(await waiting(burgee), []);
  const accepted = await aBrowser(server)('POST', `${accountPrefix}/invitations/${tokenIn(linkIn(mail))}`, {
    name: 'Ada',
    password: goodPassword,
  });
  assert.deepEqual([accepted.status, accepted.body.user.id], [200, user.id]);
  await server.end('SIGTERM');
  assert.equal(mailServer.mails.length, 1);
});

test('killed between send and note: the mail comes again with the same link, and is never lost', async () => {
  const mailServer = await startMailServer();
  mailServer.manner = 'holds';
  const burgee = anInstallation();
  const variables = variablesFor(mailServer.url);
  const before = await burgee.start(variables);
  assert.equal((await inviteTo(before)).status, 200);
  const first = linkIn(await mailServer.nextMail());
  await before.end('SIGKILL');
  assert.equal((await waiting(burgee)).length, 1);

  mailServer.release();
  await passLease(burgee);
  const server = await burgee.start(variables);
  assert.equal(tokenIn(linkIn(await mailServer.nextMail())), tokenIn(first));
  await server.says(/"mail sent"/);
  assert.deepEqual(await waiting(burgee), []);
  await server.end('SIGTERM');
  assert.equal(mailServer.mails.length, 2);
});

test('killed at any moment while twenty are invited: each who was answered gets a mail', async () => {
  const mailServer = await startMailServer();
  const burgee = anInstallation();
  const variables = variablesFor(mailServer.url);
  const before = await burgee.start(variables);
  const answered = new Set<string>();
  const inviting = Array.from({ length: 20 }, async (_, index) => {
    const address = `person-${index}@example.com`;
    const answer = await inviteTo(before, address).catch(() => undefined);
    if (answer?.status === 200) answered.add(address);
  });
  await mailServer.nextMail();
  await before.end('SIGKILL');
  await Promise.all(inviting);
  assert.ok(answered.size > 0);

  const left = (await waiting(burgee)).length;
  if (left > 0) await passLease(burgee);
  const server = await burgee.start(variables);
  await server.says(new RegExp(`(?:"mail sent"[^]*){${left}}`));
  await server.end('SIGTERM');
  assert.deepEqual(await waiting(burgee), []);
  const received = new Set(mailServer.mails.flatMap(({ recipients }) => recipients));
  for (const address of answered) assert.ok(received.has(address), `${address} was answered and got nothing`);
});

test('a server that is told to stop while the mail server hangs stops, and the mail waits', async () => {
  const mailServer = await startMailServer();
  mailServer.manner = 'hangs';
  const burgee = anInstallation();
  const server = await burgee.start(variablesFor(mailServer.url));
  await inviteTo(server);
  await mailServer.nextConnection();
  const { code } = await server.end('SIGTERM');
  assert.equal(code, 0);
  assert.equal((await waiting(burgee)).length, 1);
});

test('without SMTP_URL the link is in the log and in the list of the outbox, until the invitation is accepted', async () => {
  const burgee = anInstallation();
  const server = await burgee.start({ BURGEE_ADMIN_API_KEY: adminKey });
  await inviteTo(server);
  const [, link = ''] = await server.says(/"link":"([^"]+)"/);
  assert.match(link, new RegExp(`^${server.url}/invitations/[\\w-]{43}$`));
  const list = async () => {
    const { code, stdout, stderr } = await burgee.run(['outbox', 'list'], { PUBLIC_URL: server.url });
    assert.deepEqual([code, stderr], [0, '']);
    return stdout.trimEnd().split('\n');
  };
  const [head, row, ...others] = await list();
  assert.match(head ?? '', /^to +what +link +expires +state$/);
  assert.deepEqual(others, []);
  const [to, what, listed, expires, state] = row?.split(/ {2,}/) ?? [];
  assert.deepEqual([to, what, listed, state], [email, 'invitation', link, 'waiting']);
  const days = (Date.parse(expires ?? '') - Date.now()) / (24 * 60 * 60 * 1000);
  assert.ok(days > 6.9 && days <= 7, expires);
  const accepting = { name: 'Ada', password: goodPassword };
  const accepted = await aBrowser(server)('POST', `${accountPrefix}/invitations/${tokenIn(link)}`, accepting);
  assert.equal(accepted.status, 200);
  assert.equal((await list()).length, 1);
});

test('the list of the outbox says what the mail server said', async () => {
  const mailServer = await startMailServer();
  mailServer.manner = { refuses: 550 };
  const burgee = anInstallation();
  const server = await burgee.start(variablesFor(mailServer.url));
  await inviteTo(server);
  await server.says(/mail not sent, will be tried again/);
  await server.end('SIGTERM');
  const { stdout } = await burgee.run(['outbox', 'list']);
  assert.match(stdout, /^ada@example\.com +invitation .* tried \d times: .*550/m);
  await burgee.rows('update outbox set given_up_at = 1 returning id');
  assert.match((await burgee.run(['outbox', 'list'])).stdout, /^ada@example\.com +invitation .* given up: .*550/m);
});
