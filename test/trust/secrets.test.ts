/**
 * Every endpoint, with every kind of secret in every place where someone may put one: none of them comes back in a
 * response (except for free text in a path), in the log at its lowest level, or in the audit log.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { TObject } from 'typebox';
import type { Endpoint } from '#contract/endpoint.ts';
import { accountPrefix, prefix } from '#contract/parts.ts';
import { newKeyText, newToken } from '#security/secrets.ts';
import { aDefinition } from '../support/build.ts';
import { everyEndpoint, pathWith } from '../support/every-endpoint.ts';
import { linkIn, startMailServer } from '../support/mail-server.ts';
import { anInstallation } from '../support/process.ts';
import { createSecrets, disguisesOf } from '../support/secrets.ts';
import { report, sized } from '../support/trust.ts';
import { until } from '../support/until.ts';

const adminKey = newKeyText('admin');
const publicUrl = 'http://flags.example';
const [password, otherPassword] = ['seven amber ladders lean', 'twelve paper boats at noon'];

const mailServer = await startMailServer();
const burgee = anInstallation();
const server = await burgee.start({
  BURGEE_ADMIN_API_KEY: adminKey,
  PUBLIC_URL: publicUrl,
  SMTP_URL: mailServer.url,
  MAIL_FROM: 'Burgee <burgee@example.com>',
  TRUST_PROXY: '127.0.0.1',
  LOG_LEVEL: 'trace',
});

let requests = 0;
/** Each from a different address, so that no limit on guessing applies. */
async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
  requests += 1;
  const reply = await fetch(server.url + path, {
    method,
    headers: { 'x-forwarded-for': `10.0.${requests >> 8}.${requests & 255}`, origin: publicUrl, ...headers },
    ...(body === undefined || method === 'GET' ? {} : { body }),
  });
  const text = await reply.text();
  return { status: reply.status, text, headers: Object.fromEntries(reply.headers) };
}

const asAdmin = { authorization: `Bearer ${adminKey}` };
async function must(method: string, path: string, headers: Record<string, string>, body?: unknown) {
  const answer = await send(method, path, headers, JSON.stringify(body));
  assert.equal(answer.status, 200, answer.text);
  return { ...answer, body: JSON.parse(answer.text), cookie: answer.headers['set-cookie']?.split(';')[0] ?? '' };
}
const post = (path: string, body: unknown) => must('POST', prefix + path, asAdmin, body);
const mailedToken = async () =>
  linkIn(await mailServer.nextMail())
    ?.split('/')
    .at(-1) ?? assert.fail();

/** What it is → its text. */
const secrets: Record<string, string> = {};
const found = createSecrets();
/** Path parameters, each of something that exists. */
const params: Record<string, string> = {};
let cookie = '';

before(async () => {
  const { id: project } = (await post('/workspaces', { name: 'A project' })).body;
  const environment = (await post(`/environments/ws/${project}`, { name: 'staging' })).body;
  const flag = (await post(`/splits/ws/${project}/trafficTypes/user`, { name: 'checkout' })).body.name;
  await post(`/splits/ws/${project}/${flag}/environments/${environment.id}`, aDefinition());
  const group = (await post('/groups', { name: 'A group' })).body.id;
  const key = (await post('/apiKeys', { name: 'A key', apiKeyType: 'admin', roles: ['API_ALL_GRANTED'] })).body;
  const setupToken = /\/setup\?token=(\S+)/.exec(server.stdout())?.[1] ?? assert.fail();
  const person = { email: 'grace@example.com', name: 'Grace Hopper', password };
  ({ cookie } = await must('POST', `${accountPrefix}/setup`, {}, { token: setupToken, ...person }));
  const session = (await must('GET', `${accountPrefix}/session`, { cookie })).body.id;

  const invited = (await post('/users', { email: 'ada@example.com' })).body;
  const accepted = await mailedToken();
  const acceptance = { name: 'Ada Lovelace', password: otherPassword };
  const ofOther = await must('POST', `${accountPrefix}/invitations/${accepted}`, {}, acceptance);
  await post('/users', { email: 'joan@example.com' });
  const invitation = await mailedToken();
  await must('POST', `${accountPrefix}/password-reset`, {}, { email: person.email });
  const reset = await mailedToken();

  const { secret } = (await must('POST', `${accountPrefix}/2fa`, { cookie }, { password })).body;
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const [recoveryCode] = (await must('POST', `${accountPrefix}/2fa/confirm`, { cookie }, { code })).body.recoveryCodes;

  Object.assign(secrets, {
    'the admin key': adminKey,
    'a key': key.key,
    'a key of an SDK': environment.apiTokens[0].key,
    'a key that nobody has': newKeyText('admin'),
    'a password': password,
    'the password of another': otherPassword,
    'the token of a session': cookie.split('=')[1],
    'the token of another session': ofOther.cookie.split('=')[1],
    'the token of the set-up': setupToken,
    'the token of an invitation': invitation,
    'the token of an invitation that was accepted': accepted,
    'the token of a new password': reset,
    'a token that nobody has': newToken(),
    'the secret of a second factor': secret,
    'a recovery code': recoveryCode,
  });
  Object.assign(params, {
    project,
    environment: environment.id,
    flag,
    trafficType: 'user',
    objectType: 'Split',
    deletedFlag: flag,
  });
  Object.assign(params, { group, session, user: invited.id, key: key.id });
  for (const [what, text] of Object.entries(secrets)) assert.ok(text?.length > 10, what);
  found.add(...Object.values(secrets));
});

interface Sending {
  readonly endpoint: Endpoint;
  /** The path with parameters of objects that exist, or of nothing where it would delete them. */
  readonly path: string;
  readonly secret: string;
}
interface Sent {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const secretMembers = ['password', 'current', 'next', 'token', 'code'];

/** Where → the request with the secret there. */
const places: Record<string, (sending: Sending) => Sent> = {
  'the last word of the path': ({ path, secret }) => ({ path: path.replace(/[^/]+$/, encodeURIComponent(secret)) }),
  'a path behind the path': ({ path, secret }) => ({ path: `${path}/${encodeURIComponent(secret)}` }),
  'the query': ({ path, secret }) => {
    const value = encodeURIComponent(secret);
    return { path: `${path}?api_key=${value}&limit=${value}&after=${value}&token=${value}` };
  },
  Authorization: ({ path, secret }) => ({ path, headers: { authorization: `Bearer ${secret}` } }),
  'Authorization of another kind': ({ path, secret }) => ({
    path,
    headers: { authorization: `Basic ${Buffer.from(`x:${secret}`).toString('base64')}` },
  }),
  'x-api-key': ({ path, secret }) => ({ path, headers: { 'x-api-key': secret } }),
  'a cookie': ({ path, secret }) => ({
    path,
    headers: { cookie: `burgee_session=${encodeURIComponent(secret)}x; other=${encodeURIComponent(secret)}` },
  }),
  'headers that mean something else': ({ path, secret }) => ({
    path,
    headers: { 'if-match': secret, referer: `${publicUrl}/?${encodeURIComponent(secret)}`, 'content-type': secret },
  }),
  'a body that is not JSON': ({ path, secret }) => ({ path, body: `{"password": ${secret}}` }),
  'a body that is cut off': ({ path, secret }) => ({ path, body: `{"name":1,"password":"${secret}` }),
  'members that nobody knows': ({ path, secret }) => ({
    path,
    body: JSON.stringify({ apiKey: secret, authorization: { key: secret }, more: [secret] }),
  }),
  'members that are meant for it': ({ endpoint, path, secret }) => {
    const properties = Object.keys((endpoint.body as TObject | undefined)?.properties ?? {});
    // One letter more, so that nothing opens.
    const members = properties.map((name) => [name, secretMembers.includes(name) ? `${secret}x` : 'ada@example.com']);
    return { path, body: JSON.stringify(Object.fromEntries(members)) };
  },
};

/** Short: a few of the secrets at each place of each endpoint, others at the next. */
const secretsAtOnce = sized({ short: 2, long: Number.POSITIVE_INFINITY });

describe('no secret comes back', () => {
  test('in an answer', async () => {
    const kinds = Object.entries(secrets);
    let turn = 0;
    for (const endpoint of everyEndpoint) {
      const word = (name: string) => (endpoint.method === 'DELETE' ? 'none' : (params[name] ?? 'none'));
      const path = pathWith(endpoint.path, word);
      for (const [place, make] of Object.entries(places)) {
        for (let count = 0; count < Math.min(secretsAtOnce, kinds.length); count += 1) {
          const [what, secret] = kinds[turn++ % kinds.length] ?? assert.fail();
          // It would revoke the key that asks.
          if (secret === adminKey && endpoint.method === 'DELETE' && place === 'the last word of the path') continue;
          const sent = make({ endpoint, path, secret });
          // A text is stored as it was sent, with everything in it.
          if (endpoint.textBody && sent.body !== undefined) continue;
          const authentication = endpoint.access === 'signed-in' ? { cookie } : asAdmin;
          const answer = await send(endpoint.method, sent.path, { ...authentication, ...sent.headers }, sent.body);
          assert.ok(answer.status < 500, answer.text);
          // What is not found is named as the path said it; keys and tokens are recognised and left out even there.
          const isNamed = place.includes('path') && !/key|token/.test(what);
          const said = JSON.stringify([answer.headers, isNamed ? '' : answer.text]);
          const isIn = disguisesOf(secret).some((disguise) => said.includes(disguise));
          assert.ok(!isIn, `${what} in ${place} of ${endpoint.name}: ${said}`);
        }
      }
    }
    report(
      `${requests} requests to ${everyEndpoint.length} endpoints, ${kinds.length} kinds of secrets in ${Object.keys(places).length} places`,
    );
  });

  test('in the log, which knows every endpoint', async () => {
    // The last line is written when the last answer is on its way.
    await must('GET', `${prefix}/workspaces?limit=1`, asAdmin);
    const logged = () =>
      server
        .stdout()
        .split('\n')
        .filter((line) => line.startsWith('{'));
    const routesOf = () =>
      new Set(
        logged().map((line) =>
          line
            .match(/"method":"(\w+)","route":"([^"]+)"/)
            ?.slice(1)
            .join(' '),
        ),
      );
    await until('every endpoint is logged', () => {
      const routes = routesOf();
      return everyEndpoint.every(({ method, path }) => routes.has(`${method} ${path}`));
    });
    found.requireNone('the log', logged().join('\n'));
    found.requireNone('standard error', server.stderr());
    report(`${logged().length} lines of the log at trace`);
  });

  test('in the audit log, read by the API or in the database', async () => {
    const entries = (await must('GET', `${prefix}/auditLogs?limit=200`, asAdmin)).body.data;
    assert.ok(entries.length > 10);
    found.requireNone('the audit log', JSON.stringify(entries));
    found.requireNone('the table of it', JSON.stringify(await burgee.rows('select * from changes')));
  });
});
