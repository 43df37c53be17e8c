import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { createFlag, listFlags } from '#contract/flags.ts';
import { createProject } from '#contract/projects.ts';
import { listUsers } from '#contract/users.ts';
import { allows, permissionsOfPerson } from '#domain/access.ts';
import { reachOf } from '#domain/accounts.ts';
import type { Change } from '#domain/changes.ts';
import { type Answer, type Api, refused } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';
import {
  account,
  administratorsId,
  anAddress,
  anEmail,
  aPerson,
  askForReset,
  cookieOf,
  fromBrowser,
  goodPassword,
  host,
  invite,
  origin,
  type Person,
  setUpAdministrator,
  signIn,
  startAccounts,
  startAt,
  tablesWith,
  timeless,
  tokenFor,
} from '../support/session.ts';

const api = await startAccounts();
const administrator = await setUpAdministrator(api);

const hour = 60 * 60 * 1000;
const wrong = 'Email, password or code is incorrect';
const whoAmI = (cookie: string | undefined, server: Api = api) => server.get(account('/session'), fromBrowser(cookie));
const isAlive = async (cookie: string | undefined, server: Api = api) => (await whoAmI(cookie, server)).status === 200;

/** Creates another session of a person and returns its cookie. */
async function anotherSession({ email, password }: Person): Promise<string> {
  return cookieOf(await signIn(api, { email, password }))?.pair ?? assert.fail('not signed in');
}

const statusTo = (person: Person, status: string) => ({
  PUT: () =>
    api.put(`/users/${person.id}`, { email: person.email, name: person.name, status, '2fa': false, type: 'user' }),
  PATCH: () => api.patch(`/users/${person.id}`, [{ op: 'replace', path: '/status', value: status }]),
});

test('email, in any case, and password start a session, which says who that is and what that person may', async () => {
  const { id, email, password } = await aPerson(api);
  const { body: user } = await api.get(`/users/${id}`);
  for (const address of [email, email.toUpperCase()]) {
    let answer: Answer | undefined;
    const actions = await api.recorded(async () => {
      answer = await signIn(api, { email: address, password });
    });
    assert.equal(answer?.status, 200, answer?.text);
    const { id: session, createdAt, ...rest } = answer.body;
    assert.deepEqual(rest, {
      user,
      administrator: false,
      permissions: [...permissionsOfPerson(false)],
      projects: 'listed',
      waiting: [],
      sendsMail: false,
      mustSetUpTwoFactor: false,
    });
    assert.ok(session && Number.isInteger(createdAt));
    assert.deepEqual((await whoAmI(cookieOf(answer)?.pair)).body, answer.body);
    assert.deepEqual(actions, ['session.started']);
    const { editor, object } = await api.lastChange();
    assert.deepEqual(
      [editor, object],
      [
        { type: 'user', id, name: email },
        { type: 'user', id, name: email },
      ],
    );
  }
});

test('an administrator is told so, with every permission', async () => {
  const { body } = await whoAmI(administrator.cookie);
  assert.equal(body.administrator, true);
  assert.deepEqual([body.permissions, body.projects], [[...permissionsOfPerson(true)], 'all']);
});

test('a session says whether lists decide where the permissions hold, and the rules of the domain read it', async () => {
  const member = await aPerson(api);
  const { body } = await whoAmI(member.cookie);
  assert.equal(body.projects, 'listed');
  for (const { path, access } of [listFlags, createFlag, createProject, listUsers]) {
    for (const [session, person] of [
      [body, member],
      [(await whoAmI(administrator.cookie)).body, administrator],
    ] as const) {
      const may = allows(reachOf(session), access);
      assert.equal(may, access.needs !== 'project.create' || person === administrator, path);
    }
  }
});

test('a wrong password, an unknown, a pending and a deactivated account get one and the same answer', async () => {
  const [person, gone, pending] = [await aPerson(api), await aPerson(api), await invite(api)];
  await statusTo(gone, 'DEACTIVATED').PATCH();
  const attempts: [who: string, email: string, password: string][] = [
    ['wrong password', person.email, 'not the right password'],
    ['no password', person.email, ''],
    ['another case', person.email, person.password.toUpperCase()],
    ['unknown', anEmail(), person.password],
    ['no address', 'nobody', person.password],
    ['pending', pending.email, person.password],
    ['pending, no password', pending.email, ''],
    ['deactivated, wrong password', gone.email, 'not the right password'],
  ];
  const answers: Answer[] = [];
  for (const [who, email, password] of attempts) {
    const actions = await api.recorded(async () => {
      answers.push(await signIn(api, { email, password }));
    });
    assert.deepEqual(actions, ['session.refused'], who);
    const { editor, object } = await api.lastChange();
    const shown = who === 'no address' ? 'not an email address' : email;
    assert.deepEqual([editor.type, object.name], ['anonymous', shown], who);
  }
  const texts = answers.map(({ text, body }) => text.replace(body.transactionId, ''));
  assert.equal(new Set(texts).size, 1, texts.join('\n'));
  for (const answer of answers) {
    refused(answer, 401, wrong);
    assert.equal(cookieOf(answer), undefined);
    assert.deepEqual(timeless(answer), timeless(answers[0] as Answer));
  }
});

test('a password that is typed where the address belongs is not kept', async () => {
  assert.equal((await signIn(api, { email: goodPassword, password: '' })).status, 401);
  assert.equal((await api.lastChange()).auditLogType, 'session.refused');
  assert.deepEqual(await tablesWith(api, goodPassword), []);
});

test('a deactivated user with the right password is refused and told to ask an administrator', async () => {
  const person = await aPerson(api);
  await statusTo(person, 'DEACTIVATED').PATCH();
  const actions = await api.recorded(async () => {
    const answer = await signIn(api, person);
    refused(answer, 403, 'This account is deactivated; ask an administrator');
    assert.equal(cookieOf(answer), undefined);
  });
  assert.deepEqual(actions, ['session.refused']);
});

test('an invalid sign-in body is 400, and nothing is recorded', async () => {
  const { email, password } = await aPerson(api);
  const actions = await api.recorded(async () => {
    for (const body of [
      {},
      { email },
      { password },
      { email: 7, password },
      { email, password: null },
      [],
      'x',
      null,
    ]) {
      assert.equal((await api.post(account('/session'), body, fromBrowser())).status, 400, JSON.stringify(body));
    }
  });
  assert.deepEqual(actions, []);
});

/** How people come → whether the cookie is Secure. The proxy is at the address that asks. */
const cookies: Record<string, { publicUrl?: string; trustProxy?: string; forwarded?: string; secure: boolean }> = {
  'without PUBLIC_URL': { secure: false },
  'with PUBLIC_URL http': { publicUrl: origin, secure: false },
  'with PUBLIC_URL https': { publicUrl: `https://${host}`, secure: true },
  'behind a trusted proxy that has TLS': { trustProxy: '127.0.0.1', forwarded: 'https', secure: true },
  'behind a trusted proxy without TLS': { trustProxy: '127.0.0.1', forwarded: 'http', secure: false },
  'with a client that only says that it has TLS': { trustProxy: '10.9.9.9', forwarded: 'https', secure: false },
};
for (const [how, { publicUrl, trustProxy, forwarded, secure }] of Object.entries(cookies)) {
  test(`${how} the cookie is HttpOnly, SameSite=Lax and ${secure ? 'Secure, for this host alone' : 'not Secure'}`, async () => {
    const app = await startAt(api, publicUrl, trustProxy);
    const { email, password } = await aPerson(api);
    const headers = {
      host,
      origin: publicUrl ?? `${forwarded ?? 'http'}://${host}`,
      ...(forwarded === undefined ? {} : { 'x-forwarded-proto': forwarded, 'x-forwarded-for': '192.0.2.7' }),
    };
    const url = account('/session');
    const started = await app.inject({ method: 'POST', url, headers, payload: { email, password } });
    const { pair = '', token, attributes } = cookieOf(started) ?? {};
    const name = secure ? '__Host-burgee_session' : 'burgee_session';
    assert.match(pair, new RegExp(`^${name}=[\\w-]{43}$`));
    const common = ['HttpOnly', 'Path=/', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
    assert.deepEqual(attributes?.sort(), [...common, `Max-Age=${90 * 24 * 3600}`].sort());
    // Under the other name it is what a neighbouring host, or nobody, has set.
    const otherName = secure ? 'burgee_session' : '__Host-burgee_session';
    const statusWith = async (cookie: string) =>
      (await app.inject({ url, headers: { ...headers, cookie } })).statusCode;
    assert.deepEqual([await statusWith(pair), await statusWith(`${otherName}=${token}`)], [200, 401]);
    const ended = await app.inject({ method: 'DELETE', url, headers: { ...headers, cookie: pair } });
    const cleared = cookieOf(ended);
    assert.equal(cleared?.pair, `${name}=`);
    for (const attribute of common) assert.ok(cleared?.attributes.includes(attribute), attribute);
    assert.ok(cleared?.attributes.some((attribute) => /^(Max-Age=0|Expires=Thu, 01 Jan 1970 .*)$/.test(attribute)));
  });
}

test('a session token has 256 random bits, is another each time, and is stored only as a hash', async () => {
  const person = await aPerson(api);
  const answers = [await signIn(api, person), await signIn(api, person)];
  const tokens = answers.map((answer) => cookieOf(answer)?.token ?? '');
  assert.equal(new Set(tokens).size, 2);
  const rows = await api.store.all<{ token_hash: string }>(
    sql`select token_hash from sessions where user_id = ${person.id} order by created_at, id`,
  );
  for (const [index, token] of tokens.entries()) {
    assert.equal(Buffer.from(token, 'base64url').length, 32);
    assert.equal(rows[index + 1]?.token_hash, createHash('sha256').update(token).digest('hex'));
  }
  for (const token of tokens) assert.deepEqual(await tablesWith(api, token), []);
  const log = JSON.stringify(api.log);
  for (const token of tokens) assert.ok(!log.includes(token));
});

test('a session that is not used for twelve hours is over; using it keeps it, for fourteen days in all', async () => {
  const server = await startAccounts();
  const start = Date.now();
  server.clock.now = start;
  const [used, idle] = [await setUpAdministrator(server), await aPerson(server)];
  const at = async (moment: number, { cookie }: Person) => {
    const now = start + moment;
    server.clock.now = now;
    const isUsed = await isAlive(cookie, server);
    // That it was used is noted beside the request.
    const noted = () => server.store.one(sql`select 1 from sessions where last_seen_at = ${now}`);
    for (let looks = 0; isUsed && looks < 500 && !(await noted()); looks += 1) await pause(10);
    return isUsed;
  };
  assert.equal(await at(12 * hour - 1, idle), true);
  assert.equal(await at(24 * hour - 2, idle), true);
  assert.equal(await at(36 * hour - 2, idle), false);
  assert.equal(await at(36 * hour - 3, idle), true, 'over because it was idle, not because it was asked');
  server.clock.now = start;
  const life = 14 * 24 * hour;
  for (let moment = 11 * hour; moment < life; moment += 11 * hour) assert.equal(await at(moment, used), true);
  assert.equal(await at(life - 1, used), true);
  assert.equal(await at(life, used), false);
  refused(await server.get('/groups', used.signedIn), 401, 'Invalid Admin API Key');
});

test('my sessions are listed oldest first, with address, program and times, the one that asks marked', async () => {
  const person = await aPerson(api);
  const from = anAddress();
  const agent = 'Mozilla/5.0 (a browser)';
  const headers = { host, origin, 'user-agent': agent };
  const answer = await signIn(api, person, { from, headers });
  await signIn(api, await aPerson(api));
  const { status, body } = await api.get(account('/sessions'), fromBrowser(cookieOf(answer)?.pair));
  assert.equal(status, 200);
  const { id, createdAt } = answer.body;
  assert.equal(body.length, 2, 'nobody else has any here');
  assert.deepEqual(body[1], { id, current: true, address: from, agent, createdAt, lastSeenAt: createdAt });
  assert.equal(body[0].current, false);
  const { body: seenByTheOther } = await api.get(account('/sessions'), person.signedIn);
  assert.deepEqual(
    seenByTheOther.map((session: { id: string; current: boolean }) => [session.id, session.current]),
    [
      [body[0].id, true],
      [id, false],
    ],
  );
});

test('a session that is over is not listed', async () => {
  const person = await aPerson(api);
  const { id } = (await whoAmI(await anotherSession(person))).body;
  await api.store.write((tx) => tx.run(sql`update sessions set last_seen_at = ${tx.now - 12 * hour} where id = ${id}`));
  assert.equal((await api.get(account('/sessions'), person.signedIn)).body.length, 1);
});

test('I end one of my sessions and no other, and nobody ends somebody else’s', async () => {
  const [ada, bob] = [await aPerson(api), await aPerson(api)];
  const second = await anotherSession(ada);
  const { id } = (await whoAmI(second)).body;
  const end = (person: Person) => api.delete(account(`/sessions/${id}`), person.signedIn);
  assert.deepEqual(await api.recorded(async () => refused(await end(bob), 404, `Could not find session ${id}`)), []);
  assert.ok(await isAlive(second));
  const actions = await api.recorded(async () => {
    const { status, text } = await end(ada);
    assert.deepEqual([status, text], [200, 'true']);
  });
  assert.deepEqual(actions, ['session.ended']);
  assert.deepEqual((await api.lastChange()).editor, { type: 'user', id: ada.id, name: ada.email });
  assert.equal(await isAlive(second), false);
  assert.equal(await isAlive(ada.cookie), true);
  refused(await end(ada), 404, `Could not find session ${id}`);
});

test('signing out ends this session and no other', async () => {
  const person = await aPerson(api);
  const second = await anotherSession(person);
  const actions = await api.recorded(async () => {
    const { status, text } = await api.delete(account('/session'), person.signedIn);
    assert.deepEqual([status, text], [200, 'true']);
  });
  assert.deepEqual(actions, ['session.ended']);
  refused(await whoAmI(person.cookie), 401, 'Sign in first');
  refused(await api.delete(account('/session'), person.signedIn), 401, 'Sign in first');
  assert.ok(await isAlive(second));
});

test('changing the password ends every session and starts a new one; only the new password signs in', async () => {
  const person = await aPerson(api);
  const second = await anotherSession(person);
  const next = 'seven quiet herons wade';
  const change = (body: unknown, cookie: string) => api.post(account('/password'), body, fromBrowser(cookie));
  let answer: Answer | undefined;
  const actions = await api.recorded(async () => {
    answer = await change({ current: person.password, next }, second);
  });
  assert.equal(answer?.status, 200, answer?.text);
  assert.deepEqual(actions, ['user.password_changed']);
  assert.deepEqual((await api.lastChange()).editor, { type: 'user', id: person.id, name: person.email });
  const fresh = cookieOf(answer)?.pair;
  assert.deepEqual(await Promise.all([person.cookie, second, fresh].map((cookie) => isAlive(cookie))), [
    false,
    false,
    true,
  ]);
  refused(await signIn(api, person), 401, wrong);
  assert.equal((await signIn(api, { email: person.email, password: next })).status, 200);
});

test('a password changes only for who knows the current one and chooses a strong one', async () => {
  const person = await aPerson(api);
  const next = 'seven quiet herons wade';
  const refusals: [body: unknown, message: string | RegExp][] = [
    [{ current: 'not the right password', next }, 'Current password is incorrect'],
    [{ current: '', next }, 'Current password is incorrect'],
    [{ current: person.password, next: 'short' }, /at least 12/],
    [{ current: person.password, next: 'password1234' }, /attackers/],
    [{ next }, 'current is required'],
    [{ current: person.password }, 'next is required'],
  ];
  const actions = await api.recorded(async () => {
    for (const [body, message] of refusals) {
      refused(await api.post(account('/password'), body, person.signedIn), 400, message);
    }
  });
  assert.deepEqual(actions, []);
  assert.ok(await isAlive(person.cookie));
  assert.equal((await signIn(api, person)).status, 200);
});

test('of two concurrent password changes, one succeeds, and its password works', async () => {
  const person = await aPerson(api);
  const passwords = ['seven quiet herons wade', 'eight quiet herons wade'];
  const change = (next: string) => api.post(account('/password'), { current: person.password, next }, person.signedIn);
  const answers = await Promise.all(passwords.map(change));
  const winner = answers.findIndex(({ status }) => status === 200);
  assert.equal(answers.filter(({ status }) => status === 200).length, 1, 'the second no longer knows the current one');
  assert.equal((await signIn(api, { email: person.email, password: passwords[winner] ?? '' })).status, 200);
});

test('the old password cannot be used to change it back during a reset', async () => {
  const person = await aPerson(api);
  await askForReset(api, person.email);
  const token = await tokenFor(api, person.email, 'password-reset');
  const [changed, replaced] = await Promise.all([
    api.post(account('/password'), { current: person.password, next: 'seven quiet herons wade' }, person.signedIn),
    api.post(account(`/password-reset/${token}`), { password: 'eight quiet herons wade' }, fromBrowser()),
  ]);
  const statuses = [changed, replaced].map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
});

test('a password change that a deactivation overtakes starts no session, not even for later', async () => {
  const person = await aPerson(api);
  const [answer] = await Promise.all([
    api.post(account('/password'), { current: person.password, next: 'seven quiet herons wade' }, person.signedIn),
    statusTo(person, 'DEACTIVATED').PATCH(),
  ]);
  await statusTo(person, 'ACTIVE').PATCH();
  assert.equal(await isAlive(cookieOf(answer)?.pair), false);
});

for (const method of ['PUT', 'PATCH'] as const) {
  test(`deactivation by ${method} ends the sessions at once, and reactivation does not bring them back`, async () => {
    const person = await aPerson(api);
    const second = await anotherSession(person);
    assert.equal((await statusTo(person, 'DEACTIVATED')[method]()).status, 200);
    for (const cookie of [person.cookie, second]) {
      refused(await whoAmI(cookie), 401, 'Sign in first');
      refused(await api.get('/groups', fromBrowser(cookie)), 401, 'Invalid Admin API Key');
    }
    assert.equal((await statusTo(person, 'ACTIVE')[method]()).status, 200);
    for (const cookie of [person.cookie, second]) assert.equal(await isAlive(cookie), false);
    assert.equal((await signIn(api, person)).status, 200);
  });
}

test('another change of a user does not end the sessions', async () => {
  const person = await aPerson(api);
  await statusTo(person, 'ACTIVE').PUT();
  await api.patch(`/users/${person.id}`, [{ op: 'replace', path: '/name', value: 'Ada King' }]);
  const { status, body } = await whoAmI(person.cookie);
  assert.deepEqual([status, body.user.name], [200, 'Ada King']);
});

test('group changes take effect at once in a running session', async () => {
  const group = await administratorsId(api);
  const person = await aPerson(api);
  const inviting = async () => (await api.post('/users', { email: anEmail() }, person.signedIn)).status;
  assert.equal(await inviting(), 403);
  await api.patch(`/users/${person.id}`, [{ op: 'add', path: '/groups/-', value: { id: group, type: 'group' } }]);
  assert.equal(await inviting(), 200);
  assert.equal((await whoAmI(person.cookie)).body.administrator, true);
  await api.patch(`/users/${person.id}`, [{ op: 'remove', path: '/groups/0' }]);
  assert.equal(await inviting(), 403);
});

test('a change that a person makes is recorded with that person as actor', async () => {
  await api.post('/groups', { name: uniqueName('group') }, administrator.signedIn);
  const { auditLogType, editor } = await api.lastChange();
  const { id, email } = administrator;
  assert.deepEqual([auditLogType, editor], ['group.created', { type: 'user', id, name: email }]);
});

test('without a valid session the status is 401, whatever the cookie says', async () => {
  const { cookie } = await aPerson(api);
  const [name = '', token = ''] = cookie.split('=');
  const hash = createHash('sha256').update(token).digest('hex');
  const texts = ['', 'x', hash, `${token}A`, token.slice(1), token.toUpperCase(), '%', 'x'.repeat(4000), `"${token}x"`];
  const calls: [method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown][] = [
    ['GET', '/session'],
    ['DELETE', '/session'],
    ['GET', '/sessions'],
    ['DELETE', '/sessions/any'],
    ['POST', '/password', { current: 'x', next: 'y' }],
    ['POST', '/2fa', { password: 'x' }],
    ['POST', '/2fa/confirm', { code: '123456' }],
    ['DELETE', '/2fa', { password: 'x' }],
  ];
  const actions = await api.recorded(async () => {
    for (const [method, path, body] of calls) {
      refused(await api.call(method, account(path), { ...fromBrowser(), body }), 401, 'Sign in first');
    }
    for (const text of texts) {
      refused(await whoAmI(`${name}=${text}`), 401, 'Sign in first');
      refused(await api.get('/groups', fromBrowser(`${name}=${text}`)), 401, 'Invalid Admin API Key');
    }
  });
  assert.deepEqual(actions, []);
});

test('if a request has a key, the key decides; a key signs nobody in', async () => {
  const member = await aPerson(api);
  const asBoth = (as: string) => api.post('/groups', { name: uniqueName('group') }, { ...member.signedIn, as });
  assert.equal((await asBoth(api.adminKey)).status, 200);
  assert.equal((await api.lastChange()).editor.type, 'api_key');
  refused(await asBoth('not-a-key-of-this-server'), 401, 'Invalid Admin API Key');
  refused(await api.get(account('/session'), { as: api.adminKey }), 401, 'Sign in first');
});

test('failed sign-ins leave ten audit entries an hour, and are counted from then on', async () => {
  const now = Date.now() + 24 * hour;
  const send = () => signIn(api, { email: anEmail(), password: 'not the right password' });
  api.clock.now = now;
  try {
    const recorded = await api.recorded(async () => {
      for (let turn = 0; turn < 25; turn += 1) await send();
    });
    assert.deepEqual(recorded, Array(10).fill('session.refused'));
    const { data } = (await api.get(`/auditLogs?limit=200&objectId=unknown&from=${now}`)).body;
    assert.deepEqual(
      data.map(({ repeats = 0 }: Change) => repeats),
      [15, ...Array(9).fill(0)],
    );
    api.clock.now = now + hour + 1;
    assert.deepEqual(await api.recorded(send), ['session.refused'], 'an hour later');
  } finally {
    api.clock.now = undefined;
  }
});
