import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import sql from 'sql-template-tag';
import { announceLinks, mailHandlers, smtpSender } from '#jobs/mail.ts';
import { type OutboxHandler, type OutboxHandlers, type OutboxWorker, startOutbox } from '#jobs/outbox.ts';
import { openStore } from '#store/open.ts';
import { claimDue, listMails, listOutbox, type MailEntry, type NewEntry, putEntry, putMail } from '#store/outbox.ts';
import type { Store } from '#store/sql.ts';
import { type Api, startApi } from '../support/app.ts';
import { inOrder, linkIn, type MailServer, startMailServer } from '../support/mail-server.ts';
import {
  account,
  aPerson,
  askForReset,
  fromBrowser,
  invite,
  setUpAdministrator,
  tablesWith,
  tokenFor,
} from '../support/session.ts';

const publicUrl = 'https://flags.example.com';
const from = 'Burgee <burgee@example.com>';
const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;

interface Line extends Record<string, unknown> {
  readonly msg: string;
}

/** A log that can be waited for. */
function aLog() {
  const events = new EventEmitter();
  const lines: Line[] = [];
  const nextLine = inOrder<Line>(events, 'line');
  const log: Logger = pino(
    { level: 'debug', base: null },
    {
      write: (text: string) => {
        lines.push(JSON.parse(text) as Line);
        events.emit('line', lines.at(-1));
      },
    },
  );
  /** The next line, of those that nobody waited for yet, whose message matches. */
  const says = async (pattern: RegExp): Promise<Line> => {
    for (;;) {
      const line = await nextLine();
      if (pattern.test(line.msg)) return line;
    }
  };
  return { log, lines, says };
}

interface Post extends ReturnType<typeof aLog> {
  readonly api: Api;
  readonly server: MailServer;
  /** Starts a worker that sends by the mail server. */
  start(options?: { store?: Store; url?: string }): OutboxWorker;
  /** Sets the clock and wakes the workers; resolves when they have taken up what is due. */
  moveTo(now: number): Promise<void>;
  /** The only entry that waits. */
  entry(): Promise<MailEntry & { dueAt: number }>;
}

/** A server with a mail server and a stopped clock. Everything is removed after the test. */
async function aPost(): Promise<Post> {
  // In this order: who hangs is cut off, then the workers come to their end, then the database is closed.
  const server = await startMailServer();
  const workers: OutboxWorker[] = [];
  after(() => Promise.all(workers.map((worker) => worker.stop())));
  const api = await startApi();
  api.clock.now = Date.UTC(2031, 0, 6, 12);
  const log = aLog();
  const settled = async () => {
    await turn();
    await api.store.write(async () => undefined);
  };
  return {
    ...log,
    api,
    server,
    start: ({ store = api.store, url = server.url } = {}) => {
      const handlers = mailHandlers(smtpSender(url, from, publicUrl), () => store.clock());
      const worker = startOutbox({ store, log: log.log, handlers });
      workers.push(worker);
      return worker;
    },
    moveTo: async (now) => {
      api.clock.now = now;
      await api.store.write(async (tx) => tx.announce({ kind: 'outbox' }));
      await settled();
    },
    entry: async () => {
      const [entry, ...others] = await listMails(api.store);
      assert.ok(entry);
      assert.deepEqual(others, []);
      const row = await api.store.one<{ at: number }>(sql`select due_at as at from outbox where id = ${entry.id}`);
      return { ...entry, dueAt: row?.at ?? 0 };
    },
  };
}

const tried = /^mail not sent, will be tried again$/;
const sent = /^mail sent$/;

test('an invitation says who invites to what, with one link, when it expires, and what to do if it was not expected', async () => {
  const { api, server, start, says, lines } = await aPost();
  const administrator = await setUpAdministrator(api);
  start();
  const email = 'ada@example.com';
  assert.equal((await api.post('/users', { email }, administrator.signedIn)).status, 200);
  const mail = await server.nextMail();
  await says(sent);
  assert.deepEqual(mail.recipients, [email]);
  assert.deepEqual(mail.to, [{ name: 'ada', address: email }]);
  assert.deepEqual(mail.from, { name: 'Burgee', address: 'burgee@example.com' });
  assert.match(mail.subject ?? '', /invited to Burgee at flags\.example\.com/);
  const link = linkIn(mail);
  assert.match(link ?? '', /^https:\/\/flags\.example\.com\/invitations\/[\w-]{43}$/);
  assert.equal([...mail.html.matchAll(/<a /g)].length, 1, 'one button');
  for (const part of [mail.text, mail.html]) {
    for (const words of [administrator.email, email, 'Burgee', '13 Jan 2031 12:00', 'did not expect', link ?? '']) {
      assert.ok(part.includes(words), words);
    }
  }
  assert.doesNotMatch(mail.html, /<(script|img|link|iframe)|url\(/i, 'nothing is loaded from anywhere');
  const token = link?.split('/').at(-1) ?? '';
  assert.equal((await api.get(account(`/invitations/${token}`), fromBrowser())).body.email, email);
  assert.deepEqual(await listOutbox(api.store), []);
  assert.deepEqual(await tablesWith(api, token), []);
  assert.ok(!JSON.stringify([lines, api.log]).includes(token), 'who reads the log cannot accept it');
});

test('a password reset says whose, with one link, when it expires, and what to do if someone else asked', async () => {
  const { api, server, start } = await aPost();
  const { email } = await aPerson(api, { name: 'Ada Lovelace' });
  start();
  await askForReset(api, email);
  const mail = await server.nextMail();
  assert.deepEqual(mail.to, [{ name: 'Ada Lovelace', address: email }]);
  assert.match(mail.subject ?? '', /^Reset your password/);
  assert.match(linkIn(mail) ?? '', /^https:\/\/flags\.example\.com\/reset\/[\w-]{43}$/);
  for (const part of [mail.text, mail.html]) {
    for (const words of [email, '6 Jan 2031 14:00', 'was not you']) assert.ok(part.includes(words), words);
  }
});

test('names are shown as they are: they neither become markup nor headers', async () => {
  const { api, server, start } = await aPost();
  start();
  const inviter = '<b>Eve</b> & "friends" <script>alert(1)</script>';
  const { email: address, signedIn } = await setUpAdministrator(api);
  await api.store.write((tx) => tx.run(sql`update users set name = ${inviter} where email = ${address}`));
  await api.post('/users', { email: 'ada@example.com' }, signedIn);
  const invitation = await server.nextMail();
  assert.ok(invitation.text.includes(inviter));
  assert.doesNotMatch(invitation.html, /<script|<b>Eve/);
  assert.ok(invitation.html.includes('&lt;b&gt;Eve&lt;/b&gt; &amp; '));
  const { id, email } = await aPerson(api);
  // Such a name is refused today; an earlier release took it.
  const name = 'Eve\r\nBcc: mallory@example.com';
  await api.store.write((tx) => tx.run(sql`update users set name = ${name} where id = ${id}`));
  await askForReset(api, email);
  const reset = await server.nextMail();
  assert.deepEqual(reset.recipients, [email]);
  assert.equal(reset.bcc, undefined);
});

test('user and password of SMTP_URL are used', async () => {
  const { api, server, start } = await aPost();
  start({ url: server.url.replace('smtp://', 'smtp://burgee:p%40ss%2Fword@') });
  await invite(api);
  await server.nextMail();
  assert.deepEqual(server.logins, ['burgee:p@ss/word']);
});

test('mails of rolled-back transactions are not sent', async () => {
  const { api, server, start } = await aPost();
  start();
  const mail = { kind: 'invitation', email: 'nobody@example.com', name: 'nobody', token: 'x', expiresAt: 0 } as const;
  const { id, email } = await invite(api, { email: 'ada@example.com' });
  await assert.rejects(
    api.store.write(async (tx) => {
      await putMail(tx, 'mail-1', id, mail);
      throw new Error('no');
    }),
    /^Error: no$/,
  );
  assert.equal((await api.post('/users', { email })).status, 409);
  await invite(api, { email: 'bob@example.com' });
  const received = [await server.nextMail(), await server.nextMail()];
  assert.deepEqual(received.flatMap(({ recipients }) => recipients).sort(), ['ada@example.com', 'bob@example.com']);
});

/** What mail servers do to a mail, and what is noted of it. */
const failures: Record<string, { manner: MailServer['manner']; error: RegExp }> = {
  'refuses for now': { manner: { refuses: 450 }, error: /450/ },
  'refuses for good, as far as it knows': { manner: { refuses: 550 }, error: /550/ },
  'drops the connection in the middle': { manner: 'drops', error: /clos|reset|socket/i },
};
for (const [what, { manner, error }] of Object.entries(failures)) {
  test(`a mail that the server ${what} stays, says why, and is delivered once when its time comes`, async () => {
    const { api, server, start, says, moveTo, entry } = await aPost();
    server.manner = manner;
    start();
    const { email } = await invite(api);
    const { level, attempts, email: logged } = await says(tried);
    assert.deepEqual([level, attempts, logged], [pino.levels.values.warn, 1, email]);
    const failed = await entry();
    assert.deepEqual([failed.attempts, failed.givenUpAt], [1, undefined]);
    assert.match(failed.lastError ?? '', error);
    server.manner = 'takes';
    await moveTo(failed.dueAt - 1);
    assert.equal((await entry()).attempts, 1, 'not before its time');
    await moveTo(failed.dueAt);
    const { recipients } = await server.nextMail();
    assert.deepEqual(recipients, [email]);
    assert.equal((await says(sent)).attempts, 2);
    assert.deepEqual([await listOutbox(api.store), server.mails.length], [[], 1]);
  });
}

test('a mail server that is not there is tried again', async () => {
  const { api, server, start, says, entry, moveTo } = await aPost();
  // A port on which nobody listens.
  const unreachable = start({ url: 'smtp://127.0.0.1:1' });
  await invite(api);
  await says(tried);
  assert.match((await entry()).lastError ?? '', /ECONNREFUSED/);
  await unreachable.stop();
  start();
  await moveTo((await entry()).dueAt);
  await server.nextMail();
});

test('the pauses double from a second to an hour, with jitter; after three days the mail is given up, visibly', async () => {
  const { api, server, start, says, moveTo, entry } = await aPost();
  server.manner = { refuses: 450 };
  start();
  const user = await invite(api);
  const started = api.clock.now ?? 0;
  const pauses: number[] = [];
  let line = await says(/^mail (not sent|given up)/);
  while (tried.test(line.msg)) {
    const { dueAt, attempts } = await entry();
    const planned = Math.min(hour, second * 2 ** (attempts - 1));
    const pause = dueAt - (api.clock.now ?? 0);
    assert.ok(pause >= planned * 0.5 && pause <= planned * 1.5, `attempt ${attempts}: ${pause} ms`);
    pauses.push(pause / planned);
    // The longest pauses are all alike: a few of them are enough.
    await moveTo(attempts === 16 ? started + 3 * day - 3 * hour : dueAt);
    line = await says(/^mail (not sent|given up)/);
  }
  assert.ok(new Set(pauses.map((pause) => pause.toFixed(3))).size > pauses.length / 2, 'jitter');
  assert.equal(line.level, pino.levels.values.error);
  assert.match(line.msg, /outbox list/);
  const givenUp = await entry();
  const age = (givenUp.givenUpAt ?? 0) - started;
  assert.ok(age > 3 * day - 2 * hour && age <= 3 * day, `${age / day} days`);
  assert.match(givenUp.lastError ?? '', /450/);

  server.manner = 'takes';
  await moveTo(started + 4 * day);
  assert.deepEqual([(await entry()).attempts, server.mails.length], [givenUp.attempts, 0], 'nobody tries again');
  assert.equal((await api.post(account(`/users/${user.id}/resend-invitation`))).status, 200);
  const { recipients } = await server.nextMail();
  assert.deepEqual(recipients, [user.email], 'but who is invited again gets a mail');
  await says(sent);
  assert.deepEqual(await listOutbox(api.store), []);
});

test('mails that fail together do not all come back together', async () => {
  const { api, server, start, says } = await aPost();
  for (let index = 0; index < 12; index += 1) await invite(api);
  server.manner = { refuses: 450 };
  start();
  for (let index = 0; index < 12; index += 1) await says(tried);
  const due = await api.store.all<{ due_at: number }>(sql`select due_at from outbox`);
  assert.ok(new Set(due.map((row) => row.due_at)).size > 6);
});

test('the first retries come by themselves, a second and two after', async () => {
  const { api, server, start, says } = await aPost();
  api.clock.now = undefined;
  server.manner = { refuses: 450 };
  start();
  await invite(api);
  assert.equal((await says(tried)).attempts, 1);
  assert.equal((await says(tried)).attempts, 2);
  server.manner = 'takes';
  await server.nextMail();
  assert.equal((await says(sent)).attempts, 3);
});

for (const manner of ['hangs', 'holds'] as const) {
  test(`a mail server that ${manner === 'hangs' ? 'never says a word' : 'takes its time'} delays no request`, async () => {
    const { api, server, start } = await aPost();
    const administrator = await setUpAdministrator(api);
    server.manner = manner;
    start();
    await invite(api, { email: 'ada@example.com' });
    await server.nextConnection();
    if (manner === 'holds') await server.nextMail();
    const { email, password, signedIn } = administrator;
    const statuses = [
      (await api.post('/users', { email: 'bob@example.com' }, signedIn)).status,
      (await api.post('/groups', { name: 'developers' }, signedIn)).status,
      (await api.get('/users')).status,
      (await api.post(account('/session'), { email, password }, fromBrowser())).status,
      (await askForReset(api, email)).status,
    ];
    assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
    assert.equal((await listOutbox(api.store)).length, 3, 'meanwhile none is sent');
    if (manner === 'hangs') return;
    server.release();
    const others = [await server.nextMail(), await server.nextMail()];
    assert.deepEqual(others.flatMap(({ recipients }) => recipients).sort(), [email, 'bob@example.com'].sort());
    assert.equal(server.mails.length, 3);
  });
}

test('two workers on one database send each of fifty mails once', async () => {
  const { api, server, start, says } = await aPost();
  const emails: string[] = [];
  for (let index = 0; index < 50; index += 1) emails.push((await invite(api)).email);
  // As another process has it: with connections of its own.
  const other = await openStore(api.database, () => api.clock.now ?? 0);
  const workers = [start(), start({ store: other })];
  for (let index = 0; index < 50; index += 1) await says(sent);
  await Promise.all(workers.map((worker) => worker.stop()));
  await other.close();
  assert.deepEqual(server.mails.flatMap(({ recipients }) => recipients).sort(), emails.sort());
  assert.deepEqual(await listOutbox(api.store), []);
});

test('a mail claimed by a node that died is released after a minute, not earlier', async () => {
  const { api, server, start, moveTo } = await aPost();
  await invite(api);
  const claimed = await api.store.write((tx) =>
    claimDue(tx, [{ target: 'mail', limit: 5 }], { kinds: ['invitation'], except: [], leaseMs: 60 * second }),
  );
  assert.equal(claimed.length, 1);
  const died = api.clock.now ?? 0;
  start();
  await moveTo(died + 60 * second - 1);
  assert.equal(server.mails.length, 0);
  await moveTo(died + 60 * second);
  await server.nextMail();
});

test('an invitation that is replaced while its mail is under way: both go out, and the newer link is the one that works', async () => {
  const { api, server, start, says } = await aPost();
  server.manner = 'holds';
  start();
  const { id } = await invite(api);
  const first = linkIn(await server.nextMail());
  assert.equal((await api.post(account(`/users/${id}/resend-invitation`))).status, 200);
  server.release();
  const latest = linkIn(await server.nextMail());
  await says(sent);
  await says(sent);
  assert.notEqual(first, latest);
  const open = async (link: string | undefined) =>
    (await api.get(account(`/invitations/${link?.split('/').at(-1)}`), fromBrowser())).status;
  assert.deepEqual([await open(first), await open(latest)], [404, 200]);
  assert.deepEqual([await listOutbox(api.store), server.mails.length], [[], 2]);
});

test('a mail whose invitation is replaced while it fails does not come back', async () => {
  const { api, server, start, says, moveTo, entry } = await aPost();
  server.manner = { refuses: 450 };
  start();
  const { id, email, token } = await invite(api);
  await says(tried);
  await api.post(account(`/users/${id}/resend-invitation`));
  await says(tried);
  const { dueAt, payload: mail } = await entry();
  assert.notEqual(mail.token, token);
  server.manner = 'takes';
  await moveTo(dueAt + hour);
  const received = await server.nextMail();
  assert.ok(linkIn(received)?.endsWith(mail.token));
  assert.deepEqual(received.recipients, [email]);
});

test('a mail that is of no use any more is not sent: its user is deleted, or has accepted', async () => {
  const { api, server, start, says, moveTo } = await aPost();
  server.manner = { refuses: 450 };
  start();
  const [deleted, accepted] = [await invite(api), await invite(api)];
  await says(tried);
  await says(tried);
  await api.delete(`/users/${deleted.id}`);
  const token = await tokenFor(api, accepted.email, 'invitation');
  const acceptance = { name: 'Ada', password: 'nine violet kites drift' };
  assert.equal((await api.post(account(`/invitations/${token}`), acceptance, fromBrowser())).status, 200);
  server.manner = 'takes';
  await moveTo((api.clock.now ?? 0) + hour);
  const { email } = await invite(api);
  assert.deepEqual((await server.nextMail()).recipients, [email]);
  assert.equal(server.mails.length, 1);
});

test('stopping settles at once where nothing is under way, also twice, and nothing is sent afterwards', async () => {
  const { api, server, start, says, moveTo } = await aPost();
  const worker = start();
  await invite(api);
  await says(sent);
  await Promise.all([worker.stop(), worker.stop()]);
  await invite(api);
  await moveTo((api.clock.now ?? 0) + hour);
  assert.equal(server.mails.length, 1);
  assert.equal((await listOutbox(api.store))[0]?.attempts, 0);
});

test('stopping waits for what is under way and takes up nothing more', async () => {
  const { api, server, start } = await aPost();
  for (let index = 0; index < 20; index += 1) await invite(api);
  server.manner = 'holds';
  const worker = start();
  await server.nextMail();
  const stopped = worker.stop();
  server.release();
  await stopped;
  const waiting = await listOutbox(api.store);
  assert.equal(waiting.length + server.mails.length, 20, 'each is either sent and noted, or waits');
  assert.ok(waiting.length > 0, 'what was not under way stays for the next start');
  assert.ok(waiting.every(({ attempts }) => attempts === 0));
});

test('without a mail server the link is logged once and the mail waits; with one, later, it is sent', async () => {
  const { api, server, start, says, log, lines, moveTo } = await aPost();
  const { email, token } = await invite(api);
  const silent = () =>
    startOutbox({ store: api.store, log, handlers: {}, onWake: () => announceLinks(api.store, log, publicUrl) });
  const worker = silent();
  const line = await says(/^no mail server is configured/);
  assert.deepEqual([line.email, line.link], [email, `${publicUrl}/invitations/${token}`]);
  await worker.stop();
  const next = silent();
  await moveTo((api.clock.now ?? 0) + day);
  await next.stop();
  assert.equal(lines.filter(({ link }) => link !== undefined).length, 1, 'nor does a later start repeat it');
  assert.equal((await listOutbox(api.store))[0]?.attempts, 0);
  start();
  assert.equal(linkIn(await server.nextMail()), line.link);
});

test('a mail that hangs keeps only its own slot; the others continue', async () => {
  const api = await startApi();
  const { log } = aLog();
  const sent: string[] = [];
  const events = new EventEmitter();
  const hanging = Promise.withResolvers<void>();
  const handlers = mailHandlers(
    async ({ email }) => {
      if (email.startsWith('hangs')) return hanging.promise;
      sent.push(email);
      events.emit('sent');
    },
    () => api.store.clock(),
  );
  const worker = startOutbox({ store: api.store, log, handlers });
  const wanted = Array.from({ length: 12 }, (_, index) => `quick-${index}@example.com`);
  await api.post('/users', { email: 'hangs@example.com' });
  for (const email of wanted) await api.post('/users', { email });
  while (sent.length < wanted.length) await once(events, 'sent');
  assert.deepEqual(sent.toSorted(), wanted.toSorted());
  // On PostgreSQL a worker that is left running asks for a store that is closed, and keeps the process alive.
  hanging.resolve();
  await worker.stop();
});

interface Call {
  readonly target: string;
  readonly value: unknown;
  done(): void;
  fail(message?: string): void;
}

/** A handler whose deliveries the test ends one by one. Its calls are in the order in which they begin. */
function aHandler(limits: { perTarget: number; atOnce: number }) {
  const events = new EventEmitter();
  const nextCall = inOrder<Call>(events, 'call');
  const underWay = new Map<Call, number>();
  let isOver = false;
  const handler: OutboxHandler = {
    noun: 'call',
    ...limits,
    facts: ({ payload }) => ({ value: payload }),
    deliver: ({ target, payload }) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const call: Call = {
        target,
        value: payload,
        done: () => underWay.delete(call) && resolve(),
        fail: (message = 'no') => underWay.delete(call) && reject(new Error(message)),
      };
      underWay.set(call, 1);
      if (isOver) call.done();
      events.emit('call', call);
      return promise;
    },
  };
  /** Ends all of them, also those that begin from now on. */
  const endCalls = () => {
    isOver = true;
    for (const call of underWay.keys()) call.done();
  };
  return { handler, nextCall, underWay, endCalls };
}

let lastId = 0;
const put = (store: Store, ...entries: Omit<NewEntry, 'id' | 'kind'>[]) =>
  store.write(async (tx) => {
    for (const entry of entries) await putEntry(tx, { id: `call-${++lastId}`, kind: 'call', ...entry });
  });

/** A server beside workers whose deliveries the test ends. */
async function startCalls(limits = { perTarget: 2, atOnce: 10 }) {
  const log = aLog();
  const { handler, endCalls, ...calls } = aHandler(limits);
  const workers: OutboxWorker[] = [];
  // Before the server's own hooks: workers settle their calls in its database.
  after(async () => {
    endCalls();
    await Promise.all(workers.map((worker) => worker.stop()));
  });
  const api = await startApi();
  const start = (handlers: OutboxHandlers = { call: handler }, store = api.store): OutboxWorker => {
    const worker = startOutbox({ store, log: log.log, handlers });
    workers.push(worker);
    return worker;
  };
  return { ...log, ...calls, api, handler, start };
}

test('a target that hangs delays no other target, and no other kind', async () => {
  const { api, handler, start, nextCall, underWay } = await startCalls({ perTarget: 2, atOnce: 6 });
  const sent: string[] = [];
  const mails = mailHandlers(
    async ({ email }) => void sent.push(email),
    () => api.store.clock(),
  );
  start({ ...mails, call: handler });
  const to = (target: string, count: number) =>
    Array.from({ length: count }, (_, value) => ({ target, payload: value }));
  await put(api.store, ...to('https://hangs.example.com', 20));
  await nextCall();
  await nextCall();
  await put(api.store, ...to('https://quick.example.com', 5));
  for (let index = 0; index < 5; index += 1) {
    const call = await nextCall();
    assert.equal(call.target, 'https://quick.example.com');
    call.done();
  }
  assert.equal(underWay.size, 2, 'the slow target has as many places as one target has, and keeps them');

  await put(api.store, ...to('https://slow.example.com', 5), ...to('https://slower.example.com', 5));
  for (let index = 0; index < 4; index += 1) await nextCall();
  assert.equal(underWay.size, 6, 'all places of the handler are taken');
  const { email } = await invite(api);
  while (sent.length === 0) await turn();
  assert.deepEqual(sent, [email]);
  assert.equal(underWay.size, 6);
});

test('entries with one key are delivered one at a time in the order they were put, also when some fail', async () => {
  const { api, start, nextCall, underWay, says } = await startCalls({ perTarget: 5, atOnce: 5 });
  api.clock.now = Date.UTC(2031, 0, 6, 12);
  start();
  let hasFailed = false;
  const keyed = (orderingKey: string, payload: number) => ({ target: 'https://example.com', orderingKey, payload });
  await put(api.store, keyed('a', 1), keyed('a', 2), keyed('b', 10));
  await put(api.store, keyed('a', 3));
  const first = [await nextCall(), await nextCall()].sort((one, other) => Number(one.value) - Number(other.value));
  assert.deepEqual(
    first.map(({ value }) => value),
    [1, 10],
    'keys do not wait for each other',
  );
  first[0]?.fail();
  await says(/^call not sent, will be tried again$/);
  first[1]?.done();
  await says(/^call sent$/);
  await put(api.store, keyed('c', 20), keyed('a', 4));
  const other = await nextCall();
  assert.equal(other.value, 20, 'those behind a failed one wait with it');
  other.done();
  await says(/^call sent$/);
  /** Only while nothing is under way: a lease ends within the hour. */
  const anHourLater = async () => {
    api.clock.now = (api.clock.now ?? 0) + hour;
    await api.store.write(async (tx) => tx.announce({ kind: 'outbox' }));
  };
  await anHourLater();
  for (const value of [1, 2, 2, 3, 4]) {
    const call = await nextCall();
    assert.equal(call.value, value);
    assert.equal(underWay.size, 1);
    if (value === 2 && !hasFailed) {
      hasFailed = true;
      call.fail();
      await says(/^call not sent, will be tried again$/);
      await anHourLater();
    } else {
      call.done();
      await says(/^call sent$/);
    }
  }
  assert.deepEqual(await listOutbox(api.store), []);
});

test('an entry that is given up no longer blocks the next one with its key, and stays visible', async () => {
  const { api, start, nextCall, says } = await startCalls();
  api.clock.now = Date.UTC(2031, 0, 6, 12);
  start();
  const entries = [1, 2].map((payload) => ({ target: 'https://example.com', orderingKey: 'a', payload }));
  await put(api.store, ...entries);
  const first = await nextCall();
  api.clock.now += 3 * day;
  first.fail('HTTP 500');
  assert.equal((await says(/^call given up/)).error, 'HTTP 500');
  const second = await nextCall();
  assert.equal(second.value, 2);
  second.done();
  await says(/^call sent$/);
  assert.deepEqual(
    (await listOutbox(api.store)).map(({ payload, lastError }) => [payload, lastError]),
    [[1, 'HTTP 500']],
  );
});

test('workers on one database never deliver an entry or two entries of a key at once', async () => {
  const { api, handler, start } = await startCalls();
  const other = await openStore(api.database, () => Date.now());
  const delivered: unknown[] = [];
  const busy = new Set<string>();
  const deliver: OutboxHandler['deliver'] = async ({ id, orderingKey = id, payload }) => {
    assert.ok(!busy.has(orderingKey), `${orderingKey} is under way already`);
    busy.add(orderingKey);
    await turn();
    busy.delete(orderingKey);
    delivered.push(payload);
  };
  const handlers = { call: { ...handler, deliver, perTarget: 10 } };
  const keyed = (payload: number) => ({
    target: `https://${payload % 2}.example.com`,
    orderingKey: `k${payload % 4}`,
    payload,
  });
  const values = Array.from({ length: 60 }, (_, index) => index);
  await put(api.store, ...values.slice(0, 30).map(keyed));
  const workers = [start(handlers), start(handlers, other)];
  for (const value of values.slice(30)) await put(api.store, keyed(value));
  while ((await listOutbox(api.store)).length > 0) await turn();
  await Promise.all(workers.map((worker) => worker.stop()));
  await other.close();
  assert.equal(delivered.length, 60);
  for (const key of [0, 1, 2, 3]) {
    const ofKey = values.filter((value) => value % 4 === key);
    assert.deepEqual(
      delivered.filter((value) => Number(value) % 4 === key),
      ofKey,
    );
  }
});

test('an entry of a kind that this release does not know stays, and delays nothing', async () => {
  const { api, start, nextCall } = await startCalls();
  await api.store.write((tx) => putEntry(tx, { id: 'newer', kind: 'telegram', target: 'a-telegraph', payload: 1 }));
  start();
  await put(api.store, { target: 'https://example.com', payload: 2 });
  (await nextCall()).done();
  while ((await listOutbox(api.store)).length > 1) await turn();
  const [left] = await listOutbox(api.store);
  assert.deepEqual([left?.id, left?.attempts], ['newer', 0]);
});

test('a clock that jumps ahead does not make a worker deliver again what it is delivering', async () => {
  const { api, start, nextCall } = await startCalls({ perTarget: 3, atOnce: 3 });
  api.clock.now = Date.UTC(2031, 0, 6, 12);
  start();
  await put(api.store, { target: 'https://example.com', payload: 1 });
  const first = await nextCall();
  api.clock.now += day;
  await put(api.store, { target: 'https://example.com', payload: 2 });
  const second = await nextCall();
  assert.equal(second.value, 2);
  first.done();
  second.done();
  while ((await listOutbox(api.store)).length > 0) await turn();
});

test('a worker that lost its claim settles nothing', async () => {
  const { api, start, nextCall, says } = await startCalls();
  api.clock.now = Date.UTC(2031, 0, 6, 12);
  const stalled = start();
  await put(api.store, { target: 'https://example.com', payload: 1 });
  const late = await nextCall();
  start();
  api.clock.now += 61 * second;
  await api.store.write(async (tx) => tx.announce({ kind: 'outbox' }));
  const taken = await nextCall();
  late.fail();
  await says(/^call not sent/);
  assert.equal((await listOutbox(api.store))[0]?.lastError, undefined, 'the newer claim holds');
  taken.done();
  await says(/^call sent$/);
  await stalled.stop();
  assert.deepEqual(await listOutbox(api.store), []);
});
