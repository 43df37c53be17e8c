import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import sql from 'sql-template-tag';
import type { Change } from '#domain/changes.ts';
import { type Answer, refused } from '../support/app.ts';
import { onPostgres } from '../support/databases.ts';
import {
  account,
  anEmail,
  aPerson,
  askForReset,
  cookieOf,
  fromBrowser,
  host,
  invite,
  mailsTo,
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
import { until } from '../support/until.ts';

const api = await startAccounts();
await setUpAdministrator(api);

const minute = 60 * 1000;
const hour = 60 * minute;
/** A time for a clock that a test moves: what the other tests write still comes last. */
const longAgo = () => Date.now() - 24 * hour;
const notFound = 'This password reset link has expired or was already used; request a new one';
const next = 'seven quiet herons wade';

const ask = (email: string) => askForReset(api, email);
const reset = (token: string, password: unknown = next) =>
  api.post(account(`/password-reset/${token}`), { password }, fromBrowser());
async function change({ id }: Person, path: string, value: string): Promise<void> {
  const { status, text } = await api.patch(`/users/${id}`, [{ op: 'replace', path, value }]);
  assert.equal(status, 200, text);
}
const deactivate = (person: Person) => change(person, '/status', 'DEACTIVATED');

/** A person who asked for a reset, and the token of the mail. */
async function whoForgot(): Promise<Person & { token: string }> {
  const person = await aPerson(api);
  assert.equal((await ask(person.email)).status, 200);
  return { ...person, token: await tokenFor(api, person.email, 'password-reset') };
}

test('the answer is the same for who is known, unknown, pending and deactivated; only who can sign in gets a mail', async () => {
  const [known, gone, pending] = [await aPerson(api), await aPerson(api), await invite(api)];
  await deactivate(gone);
  const asked: [email: string, mails: number, object: string][] = [
    [known.email, 1, known.id],
    [known.email.toUpperCase(), 1, known.id],
    [gone.email, 0, 'unknown'],
    [pending.email, 0, 'unknown'],
    [anEmail(), 0, 'unknown'],
  ];
  const answers: Answer[] = [];
  for (const [email, mails, object] of asked) {
    const actions = await api.recorded(async () => {
      answers.push(await ask(email));
    });
    assert.deepEqual(actions, ['user.password_reset_requested']);
    const change = await api.lastChange();
    assert.deepEqual([change.editor.type, change.object.id], ['anonymous', object]);
    assert.equal((await mailsTo(api, email.toLowerCase(), 'password-reset')).length, mails, email);
  }
  for (const answer of answers) assert.deepEqual(timeless(answer), timeless(answers[0] as Answer));
  assert.deepEqual([answers[0]?.status, answers[0]?.text], [200, 'true']);
});

test('an invalid address is 400, and nothing is recorded', async () => {
  const actions = await api.recorded(async () => {
    for (const email of ['', 'nobody', '@example.com', 7, null, undefined]) {
      assert.equal((await api.post(account('/password-reset'), { email }, fromBrowser())).status, 400, String(email));
    }
  });
  assert.deepEqual(actions, []);
});

test('the token has 256 random bits and stands only in the mail that waits; elsewhere it is hashed', async () => {
  const { id, token } = await whoForgot();
  assert.equal(Buffer.from(token, 'base64url').length, 32);
  const row = await api.store.one<{ hash: string }>(
    sql`select token_hash as hash from password_resets where user_id = ${id}`,
  );
  assert.equal(row?.hash, createHash('sha256').update(token).digest('hex'));
  assert.deepEqual(await tablesWith(api, token), ['outbox']);
  assert.ok(!JSON.stringify(api.log).includes(token));
});

test('a reset sets the password, ends every session, signs nobody in and takes its mail along', async () => {
  const person = await whoForgot();
  let answer: Answer | undefined;
  const actions = await api.recorded(async () => {
    answer = await reset(person.token);
  });
  assert.deepEqual([answer?.status, answer?.text], [200, 'true']);
  assert.equal(answer && cookieOf(answer), undefined);
  assert.deepEqual(actions, ['user.password_reset']);
  const { editor, object } = await api.lastChange();
  const user = { type: 'user', id: person.id, name: person.email };
  assert.deepEqual([editor, object], [user, user]);
  refused(await api.get(account('/session'), person.signedIn), 401, 'Sign in first');
  refused(await signIn(api, person), 401, /is incorrect/);
  assert.equal((await signIn(api, { email: person.email, password: next })).status, 200);
  assert.deepEqual(await tablesWith(api, person.token), []);
});

/** Each is the token of a link that must not set a password. */
const dead: Record<string, () => Promise<string>> = {
  'that was used': async () => {
    const { token } = await whoForgot();
    assert.equal((await reset(token)).status, 200);
    return token;
  },
  'that was replaced by a newer one': async () => {
    const now = longAgo();
    api.clock.now = now;
    const { token, email } = await whoForgot();
    api.clock.now = now + 6 * minute;
    await ask(email);
    api.clock.now = undefined;
    return token;
  },
  'of who changed the password meanwhile': async () => {
    const { token, password, signedIn } = await whoForgot();
    assert.equal((await api.post(account('/password'), { current: password, next }, signedIn)).status, 200);
    return token;
  },
  'of who was deactivated meanwhile': async () => {
    const person = await whoForgot();
    await deactivate(person);
    return person.token;
  },
  'of who was deactivated and activated again meanwhile': async () => {
    const person = await whoForgot();
    await deactivate(person);
    await change(person, '/status', 'ACTIVE');
    return person.token;
  },
  'of who got another address meanwhile, perhaps because the old mailbox is lost': async () => {
    const person = await whoForgot();
    await change(person, '/email', anEmail());
    return person.token;
  },
  'of an invitation': async () => (await invite(api)).token,
  'of the set-up link': async () => api.setupToken,
  'that somebody made up': async () => 'A'.repeat(43),
};
for (const [kind, make] of Object.entries(dead)) {
  test(`a token ${kind} is 404 like any other, and nothing happens`, async () => {
    const token = await make();
    const unknown = timeless(await reset('no-such-token'));
    const actions = await api.recorded(async () => {
      const answer = await reset(token);
      refused(answer, 404, notFound);
      assert.deepEqual(timeless(answer), unknown);
      refused(await api.get(account(`/password-reset/${token}`), { as: null }), 404, notFound);
    });
    assert.deepEqual(actions, []);
    if (kind !== 'of an invitation') assert.deepEqual(await tablesWith(api, token), [], 'nor is it mailed');
  });
}

test('a link is open for two hours, and not a moment longer', async (t) => {
  t.after(() => {
    api.clock.now = undefined;
  });
  const start = longAgo();
  api.clock.now = start;
  const [late, later] = [await whoForgot(), await whoForgot()];
  assert.equal((await mailsTo(api, late.email, 'password-reset'))[0]?.expiresAt, start + 2 * hour);
  api.clock.now = start + 2 * hour - 1;
  assert.equal((await reset(late.token)).status, 200);
  api.clock.now = start + 2 * hour;
  refused(await reset(later.token), 404, notFound);
});

test('a link that was just sent is not replaced: a stranger who asks again does not kill it', async (t) => {
  t.after(() => {
    api.clock.now = undefined;
  });
  const start = longAgo();
  api.clock.now = start;
  const { email, token } = await whoForgot();
  api.clock.now = start + 5 * minute - 1;
  await ask(email);
  assert.equal(await tokenFor(api, email, 'password-reset'), token);
  assert.equal((await reset(token)).status, 200);
});

test('asking again after five minutes leaves one mail, whose link works', async (t) => {
  t.after(() => {
    api.clock.now = undefined;
  });
  const start = longAgo();
  api.clock.now = start;
  const { email, token } = await whoForgot();
  api.clock.now = start + 5 * minute;
  await ask(email);
  const fresh = await tokenFor(api, email, 'password-reset');
  assert.notEqual(fresh, token);
  assert.equal((await reset(fresh)).status, 200);
});

test('at most three links an hour are mailed to one account', async (t) => {
  t.after(() => {
    api.clock.now = undefined;
  });
  const start = longAgo();
  api.clock.now = start;
  const { email, token } = await whoForgot();
  const tokens = new Set([token]);
  const askAt = async (minutes: number) => {
    api.clock.now = start + minutes * minute;
    assert.equal((await ask(email)).status, 200);
    tokens.add(await tokenFor(api, email, 'password-reset'));
  };
  for (const minutes of [10, 20, 30, 40, 50, 59]) await askAt(minutes);
  assert.equal(tokens.size, 3);
  await askAt(60);
  assert.equal(tokens.size, 4, 'the first is an hour old');
  await askAt(66);
  assert.equal(tokens.size, 4);
});

test('a request is answered before the address is looked up, so that time tells nothing', async () => {
  const person = await aPerson(api);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  // What the request does for this person waits for this transaction.
  const holding = api.store.write(async (tx) => {
    await tx.one(sql`select id from users where id = ${person.id} ${tx.lock}`);
    hold();
    await gate;
  });
  await held;
  const answer = await api.post(account('/password-reset'), { email: person.email }, fromBrowser());
  open();
  await holding;
  assert.deepEqual([answer.status, answer.text], [200, 'true']);
  await until('the mail is there', async () => (await mailsTo(api, person.email, 'password-reset')).length === 1);
});

test('closing the server waits for what it does after its answers', async () => {
  const person = await aPerson(api);
  const app = await startAt(api, undefined);
  const request = { method: 'POST', url: account('/password-reset'), payload: { email: person.email } } as const;
  assert.equal((await app.inject({ ...request, headers: { host, origin } })).statusCode, 200);
  await app.close();
  assert.equal((await mailsTo(api, person.email, 'password-reset')).length, 1);
});

test('asking changes nothing yet: the old password and the sessions stay', async () => {
  const person = await whoForgot();
  assert.equal((await api.get(account('/session'), person.signedIn)).status, 200);
  assert.equal((await signIn(api, person)).status, 200);
});

test('a weak password is refused, and the link stays open', async () => {
  const { token } = await whoForgot();
  const actions = await api.recorded(async () => {
    refused(await reset(token, 'short'), 400, /at least 12/);
    refused(await reset(token, 'password1234'), 400, /attackers/);
    refused(await reset(token, null), 400, /^password must /);
  });
  assert.deepEqual(actions, []);
  assert.equal((await reset(token)).status, 200);
});

test('of ten concurrent uses of a link, one succeeds', async () => {
  const { email, token } = await whoForgot();
  const passwords = Array.from({ length: 10 }, (_, index) => `${next} ${index}`);
  let answers: Answer[] = [];
  const actions = await api.recorded(async () => {
    answers = await Promise.all(passwords.map((password) => reset(token, password)));
  });
  assert.deepEqual(actions, ['user.password_reset']);
  const winner = answers.findIndex(({ status }) => status === 200);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 404)]);
  assert.equal((await signIn(api, { email, password: passwords[winner] ?? '' })).status, 200);
});

test('a reset does not switch the second factor off', async () => {
  const person = await aPerson(api);
  const { body } = await api.post(account('/2fa'), { password: person.password }, person.signedIn);
  const code = new TOTP({ secret: body.secret }).generate();
  assert.equal((await api.post(account('/2fa/confirm'), { code }, person.signedIn)).status, 200);
  await ask(person.email);
  await reset(await tokenFor(api, person.email, 'password-reset'));
  const answer = await signIn(api, { email: person.email, password: next });
  assert.deepEqual([answer.status, answer.body.details], [401, 'code required']);
});

test('an open link says whose password it sets, and nothing else; a dead one says nothing', async () => {
  const { email, token } = await whoForgot();
  const look = (word: string) => api.get(account(`/password-reset/${word}`), { as: null });
  const { status, body } = await look(token);
  assert.deepEqual([status, Object.keys(body), body.email], [200, ['email', 'name'], email]);
  refused(await look('unknown'), 404, notFound);
  await reset(token);
  refused(await look(token), 404, notFound);
});

test('resets for nobody leave ten audit entries an hour, and are counted from then on', async () => {
  const entries = async () => {
    const { data } = (await api.get('/auditLogs?limit=200&objectId=unknown')).body;
    return data.filter(({ auditLogType }: Change) => auditLogType === 'user.password_reset_requested') as Change[];
  };
  const before = await entries();
  for (let turn = 0; turn < 25; turn += 1) {
    const { status } = await api.post(account('/password-reset'), { email: anEmail() }, fromBrowser());
    assert.equal(status, 200);
  }
  const countOf = (some: Change[]) => some.reduce((sum, { repeats = 0 }) => sum + 1 + repeats, 0);
  await until('all of them were counted', async () => countOf(await entries()) === countOf(before) + 25);
  // On PostgreSQL several are under way at once, none of which sees the entries of the others.
  const max = Math.max(10, before.length) + (onPostgres ? 10 : 0);
  assert.ok((await entries()).length <= max);
});
