import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { listMails } from '#store/outbox.ts';
import { type Answer, type Request, refused } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';
import {
  account,
  aPerson,
  askForReset,
  cookieOf,
  fromBrowser,
  goodPassword,
  invite,
  mailsTo,
  setUpAdministrator,
  signIn,
  startAccounts,
  tablesWith,
  timeless,
  tokenFor,
} from '../support/session.ts';

const api = await startAccounts();
const administrator = await setUpAdministrator(api);

const week = 7 * 24 * 60 * 60 * 1000;
const notFound = 'This invitation has expired or was already used; ask for a new one';
const acceptance = { name: 'Ada Lovelace', password: goodPassword };

const open = (token: string) => api.get(account(`/invitations/${token}`), fromBrowser());
const accept = (token: string, body: unknown = acceptance) =>
  api.post(account(`/invitations/${token}`), body, fromBrowser());
const resend = (id: string, request: Request = administrator.signedIn) =>
  api.post(account(`/users/${id}/resend-invitation`), undefined, request);

test('a token has 256 random bits and stands only in the mail that waits; elsewhere it is hashed', async () => {
  const [ada, bob] = [await invite(api), await invite(api)];
  for (const { token } of [ada, bob]) assert.equal(Buffer.from(token, 'base64url').toString('base64url'), token);
  assert.equal(Buffer.from(ada.token, 'base64url').length, 32);
  assert.notEqual(ada.token, bob.token);
  const row = await api.store.one<{ token_hash: string }>(
    sql`select token_hash from invitations where user_id = ${ada.id}`,
  );
  assert.equal(row?.token_hash, createHash('sha256').update(ada.token).digest('hex'));
  assert.deepEqual(await tablesWith(api, ada.token), ['outbox']);
});

test('the holder of the link reads email and suggested name and nothing else, and reading changes nothing', async () => {
  const { email, token } = await invite(api);
  const actions = await api.recorded(async () => {
    for (const _ of [1, 2]) {
      const { status, body } = await open(token);
      assert.deepEqual([status, body], [200, { email, name: email.split('@')[0] }]);
    }
  });
  assert.deepEqual(actions, []);
});

test('accepting makes the user ACTIVE under the chosen name and signs in, with one entry by that user', async () => {
  const group: string = (await api.post('/groups', { name: uniqueName('group') })).body.id;
  const { id, email, token } = await invite(api, { groups: [group] });
  const groups = [{ id: group, type: 'group' }];
  const active = { id, type: 'user', name: acceptance.name, email, status: 'ACTIVE', '2fa': false, groups };
  let answer: Answer | undefined;
  const actions = await api.recorded(async () => {
    answer = await accept(token);
  });
  assert.ok(answer);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body.user, active);
  assert.equal(answer.body.administrator, false);
  assert.deepEqual((await api.get(`/users/${id}`)).body, active);
  const who = await api.get(account('/session'), fromBrowser(cookieOf(answer)?.pair));
  assert.deepEqual([who.status, who.body], [200, answer.body]);
  assert.deepEqual(actions, ['user.accepted']);
  const change = await api.lastChange();
  assert.deepEqual(change.editor, { type: 'user', id, name: email });
  assert.deepEqual(change.after, active);
  assert.equal((change.before as { status: string }).status, 'PENDING');
  assert.equal((await signIn(api, { email, password: acceptance.password })).status, 200);
});

test('accepting leaves neither the token nor its mail behind, and no log line has token or password', async () => {
  const { email, token } = await invite(api);
  await accept(token);
  assert.deepEqual(await mailsTo(api, email, 'invitation'), []);
  assert.deepEqual(await tablesWith(api, token), []);
  assert.deepEqual(await tablesWith(api, acceptance.password), []);
  const log = JSON.stringify(api.log);
  for (const secret of [token, acceptance.password]) assert.ok(!log.includes(secret));
});

/** Each is the token of a link that must not open anything. */
const dead: Record<string, () => Promise<string>> = {
  'that was used': async () => {
    const { token } = await invite(api);
    assert.equal((await accept(token)).status, 200);
    return token;
  },
  'that has expired': async () => {
    const { token, id } = await invite(api);
    await api.store.write((tx) => tx.run(sql`update invitations set expires_at = ${tx.now} where user_id = ${id}`));
    return token;
  },
  'of a user who was deleted': async () => {
    const { token, id } = await invite(api);
    assert.equal((await api.delete(`/users/${id}`)).status, 200);
    return token;
  },
  'that was replaced by a newer one': async () => {
    const { token, id } = await invite(api);
    assert.equal((await resend(id)).status, 200);
    return token;
  },
  'that somebody made up': async () => 'A'.repeat(43),
  'that is far too long': async () => 'A'.repeat(1500),
  'with a character more': async () => `${(await invite(api)).token}A`,
  'that is the hash of one': async () =>
    createHash('sha256')
      .update((await invite(api)).token)
      .digest('hex'),
  'of a password reset': async () => {
    const { email } = await aPerson(api);
    await askForReset(api, email);
    return tokenFor(api, email, 'password-reset');
  },
  'of the set-up link': async () => api.setupToken,
};

for (const [kind, make] of Object.entries(dead)) {
  test(`a token ${kind} is 404 like any other, and nothing happens`, async () => {
    const token = await make();
    const unknown = timeless(await open('no-such-token'));
    const actions = await api.recorded(async () => {
      for (const answer of [
        await open(token),
        await accept(token),
        await accept(token, { ...acceptance, password: 'x' }),
      ]) {
        refused(answer, 404, notFound);
        assert.deepEqual(timeless(answer), unknown);
        assert.equal(answer.body.details, '');
        assert.equal(cookieOf(answer), undefined);
      }
    });
    assert.deepEqual(actions, []);
  });
}

test('an invitation is open for seven days from when it was sent, and not a moment longer', async (t) => {
  t.after(() => {
    api.clock.now = undefined;
  });
  // In the past, so that what the other tests write still comes last.
  const start = Date.now() - 4 * week;
  api.clock.now = start;
  const [late, later] = [await invite(api), await invite(api)];
  assert.equal((await mailsTo(api, late.email, 'invitation'))[0]?.expiresAt, start + week);
  api.clock.now = start + week - 1;
  assert.equal((await open(late.token)).status, 200);
  assert.equal((await accept(late.token)).status, 200);
  api.clock.now = start + week;
  refused(await open(later.token), 404, notFound);
  refused(await accept(later.token), 404, notFound);
  assert.equal((await resend(later.id, { as: api.adminKey })).status, 200, 'who came too late is invited again');
  api.clock.now = start + 2 * week - 1;
  assert.equal((await accept(await tokenFor(api, later.email, 'invitation'))).status, 200);
});

test('inviting again answers the user, makes a new link in a new mail and kills the old link and the old mail', async () => {
  const { id, email, token } = await invite(api);
  const [old] = (await listMails(api.store)).filter(({ payload }) => payload.email === email);
  const actions = await api.recorded(async () => {
    const { status, body } = await resend(id);
    assert.deepEqual([status, body], [200, (await api.get(`/users/${id}`)).body]);
  });
  assert.deepEqual(actions, ['user.invited_again']);
  const { id: editor } = (await api.lastChange()).editor;
  assert.equal(editor, administrator.id);
  const waiting = (await listMails(api.store)).filter(({ payload }) => payload.email === email);
  assert.equal(waiting.length, 1);
  assert.notEqual(waiting[0]?.id, old?.id);
  const fresh = waiting[0]?.payload.token ?? '';
  assert.notEqual(fresh, token);
  const { name } = (await api.get(`/users/${administrator.id}`)).body;
  const invitedBy = `${name} (${administrator.email})`;
  assert.equal(waiting[0]?.payload.invitedBy, invitedBy);
  assert.equal((await open(fresh)).body.invitedBy, invitedBy);
  refused(await open(token), 404, notFound);
  assert.equal((await accept(fresh)).status, 200);
});

test('only PENDING users are invited again, by administrators and by keys that may write users', async () => {
  const member = await aPerson(api);
  const gone = await aPerson(api);
  await api.patch(`/users/${gone.id}`, [{ op: 'replace', path: '/status', value: 'DEACTIVATED' }]);
  const { id } = await invite(api);
  const editor = await api.key({ roles: ['API_FEATURE_FLAG_EDITOR'] });
  const actions = await api.recorded(async () => {
    for (const user of [member, gone]) refused(await resend(user.id), 400, 'Only a PENDING user can be invited again');
    refused(await resend('no-such-user'), 404, 'Could not find user no-such-user');
    refused(await resend(id, member.signedIn), 403, 'Role is insufficient');
    refused(await resend(id, { as: editor }), 403, 'Role is insufficient');
    refused(await resend(id, { as: null }), 401, 'Invalid Admin API Key');
  });
  assert.deepEqual(actions, []);
  assert.equal((await resend(id, { as: api.adminKey })).status, 200);
});

test('deleting the pending user takes the invitation and its mail along', async () => {
  const { id, email, token } = await invite(api);
  assert.equal((await api.delete(`/users/${id}`)).text, 'true');
  assert.deepEqual(await mailsTo(api, email, 'invitation'), []);
  assert.deepEqual(await tablesWith(api, token), []);
});

test('of twenty concurrent acceptances of an invitation, one succeeds', async () => {
  const { id, token } = await invite(api);
  let answers: Answer[] = [];
  const actions = await api.recorded(async () => {
    answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => accept(token, { ...acceptance, name: `Ada ${index}` })),
    );
  });
  assert.deepEqual(actions, ['user.accepted']);
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 404)]);
  const winner = answers.find(({ status }) => status === 200);
  assert.equal((await api.get(`/users/${id}`)).body.name, winner?.body.user.name);
  const sessions = await api.store.all(sql`select id from sessions where user_id = ${id}`);
  assert.equal(sessions.length, 1);
  for (const loser of answers.filter(({ status }) => status === 404)) assert.equal(cookieOf(loser), undefined);
});

test('of a concurrent acceptance and deletion, one succeeds and nothing is left half done', async () => {
  for (const _ of [1, 2, 3]) {
    const { id, token } = await invite(api);
    const answers = await Promise.all([accept(token), api.delete(`/users/${id}`)]);
    const statuses = answers.map(({ status }) => status);
    assert.ok(['200 400', '404 200'].includes(statuses.join(' ')), statuses.join(' '));
    assert.equal((await api.get(`/users/${id}`)).status, statuses[0]);
  }
});

test('a name that is none and a password that is weak are refused, and the invitation stays open', async () => {
  const { id, email, token } = await invite(api);
  const wrong: [body: unknown, message: RegExp][] = [
    [{}, / is required$/],
    [{ password: goodPassword }, /^name is required$/],
    ...['', '  ', 'n'.repeat(256), 7, null].map((name): [unknown, RegExp] => [{ ...acceptance, name }, /^name /]),
    [{ name: 'Ada' }, /^password is required$/],
    ...[7, null, 'p'.repeat(1001)].map((password): [unknown, RegExp] => [{ ...acceptance, password }, /^password /]),
    [{ ...acceptance, password: 'elevenchars' }, /^The password must have at least 12 characters$/],
    [{ ...acceptance, password: 'password1234' }, /attackers/],
    [{ ...acceptance, password: `${email.split('@')[0]}1234` }, /attackers/],
    [{ ...acceptance, password: 'adalovelace123' }, /attackers/],
  ];
  const actions = await api.recorded(async () => {
    for (const [body, message] of wrong) {
      const answer = await accept(token, body);
      refused(answer, 400, message);
      assert.equal(cookieOf(answer), undefined);
    }
    refused(await api.call('POST', account(`/invitations/${token}`), { ...fromBrowser(), text: '{' }), 400, /JSON/);
  });
  assert.deepEqual(actions, []);
  assert.equal((await api.get(`/users/${id}`)).body.status, 'PENDING');
  assert.equal((await accept(token)).status, 200);
});

test('administrators see the mails that wait, with the paths of their links; others do not', async () => {
  const { email } = await invite(api);
  const { status, body } = await api.get(account('/outbox'));
  const mail = body.find((one: { email: string }) => one.email === email);
  assert.equal(status, 200);
  assert.deepEqual([mail.kind, mail.attempts], ['invitation', 0]);
  assert.match(mail.path, /^\/invitations\/[\w-]{43}$/);
  assert.equal((await api.get(account(mail.path), { as: null })).body.email, email);
  refused(await api.get(account('/outbox'), { as: null }), 401, /./);
  const viewer = await api.key({ roles: ['API_FEATURE_FLAG_EDITOR'] });
  refused(await api.get(account('/outbox'), { as: viewer }), 403, 'Role is insufficient');
});
