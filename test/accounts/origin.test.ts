import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { prefix } from '#contract/parts.ts';
import { refused } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';
import { exchange } from '../support/raw-sockets.ts';
import {
  account,
  administratorsId,
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
  startAccounts,
  startAt,
  tokenFor,
} from '../support/session.ts';

const api = await startAccounts();
const administrator = await setUpAdministrator(api);
// All before the first test: what a test records is compared, so nothing else may change meanwhile.
const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
const person = await aPerson(api);
const { token } = await invite(api);
await askForReset(api, person.email);
const reset = await tokenFor(api, person.email, 'password-reset');
const message = 'Cross-site request blocked';

/** Where a request may come from that no page of ours sends. The server is reached as http://flags.test. */
const foreign: Record<string, string | undefined> = {
  'no Origin': undefined,
  'another site': 'https://evil.example',
  'a page without an origin': 'null',
  'an empty one': '',
  'another port': `${origin}:8081`,
  'a site below ours': `http://sub.${host}`,
  'a site whose name begins with ours': `http://${host}.evil.example`,
  'a site whose name ends with ours': `http://evil-${host}`,
  'a site that has ours as user': `http://${host}@evil.example`,
  'a file': 'file:///etc/passwd',
  'no URL at all': host,
};

type Call = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown];

const aGroup = async (): Promise<string> => (await api.post('/groups', { name: uniqueName('group') })).body.id;

/** Changes that an administrator's session may make: of each method, below both prefixes. */
const writes: Record<string, (person: Person) => Promise<Call>> = {
  'creating a group': async () => ['POST', '/groups', { name: uniqueName('group') }],
  'replacing a group': async () => ['PUT', `/groups/${await aGroup()}`, { name: uniqueName('group') }],
  'deleting a group': async () => ['DELETE', `/groups/${await aGroup()}`],
  'inviting a user': async () => ['POST', '/users', { email: anEmail() }],
  'patching a user': async () => [
    'PATCH',
    `/users/${(await invite(api)).id}`,
    [{ op: 'replace', path: '/name', value: 'Ada' }],
  ],
  'inviting again': async () => ['POST', account(`/users/${(await invite(api)).id}/resend-invitation`)],
  'asking for a secret of the second factor': async ({ password }) => ['POST', account('/2fa'), { password }],
  'switching the second factor off': async ({ password }) => ['DELETE', account('/2fa'), { password }],
  'changing the password': async ({ password }) => [
    'POST',
    account('/password'),
    { current: password, next: 'seven quiet herons wade' },
  ],
  'signing out': async () => ['DELETE', account('/session')],
};

const withOrigin = (from: string | undefined, { cookie }: Person = administrator) => ({
  ...fromBrowser(),
  headers: { host, cookie, ...(from === undefined ? {} : { origin: from }) },
});

for (const [what, from] of Object.entries(foreign)) {
  test(`a change in a session from ${what} is refused, and nothing is recorded`, async () => {
    const calls = await Promise.all(Object.values(writes).map((write) => write(administrator)));
    const actions = await api.recorded(async () => {
      for (const [method, path, body] of calls) {
        refused(await api.call(method, path, { ...withOrigin(from), body }), 403, message);
      }
    });
    assert.deepEqual(actions, []);
    assert.equal((await api.get(account('/session'), administrator.signedIn)).status, 200);
  });
}

/** A proxy may drop the header Host, and without PUBLIC_URL nothing else says who we are. */
const withoutHost: Record<string, Record<string, string>> = {
  'no Host and no Origin': {},
  'no Host and the Origin null': { origin: 'null' },
  'no Host and the Origin of another site': { origin: 'https://evil.example' },
  'an empty Host and a file as Origin': { host: '', origin: 'file:///' },
};
describe('a change in a session is refused', () => {
  for (const [what, headers] of Object.entries(withoutHost)) {
    test(`with ${what}`, async () => {
      const group = await aGroup();
      const lines = Object.entries({ cookie: administrator.cookie, ...headers }).map((header) => header.join(': '));
      const actions = await api.recorded(async () => {
        // As an old proxy sends it: HTTP/1.0 needs no Host.
        const said = await exchange(url, [
          [`DELETE ${prefix}/groups/${group} HTTP/1.0`, ...lines, '', ''].join('\r\n'),
        ]);
        assert.match(said, /^HTTP\/1\.1 403 .*\r\nx-burgee-problem: origin_foreign\r\n/s);
      });
      assert.deepEqual(actions, []);
    });
  }
});

for (const [what, write] of Object.entries(writes)) {
  test(`${what} in a session from a page of ours is done`, async () => {
    const person = await aPerson(api, { groups: [await administratorsId(api)] });
    const [method, path, body] = await write(person);
    const actions = await api.recorded(async () => {
      const { status, text } = await api.call(method, path, { ...withOrigin(origin, person), body });
      assert.equal(status, 200, text);
    });
    assert.equal(actions.length, 1);
  });
}

test('reading in a session is open to every origin: the browser keeps the answer from other sites', async () => {
  for (const from of Object.values(foreign)) {
    for (const path of ['/groups', account('/session'), account('/sessions')]) {
      assert.equal((await api.get(path, withOrigin(from))).status, 200, `${path} from ${from}`);
    }
  }
});

test('a key needs no Origin, and a foreign one does not matter: no browser sends a key by itself', async () => {
  for (const from of Object.values(foreign)) {
    const request = { ...withOrigin(from), as: api.adminKey };
    assert.equal((await api.post('/groups', { name: uniqueName('group') }, request)).status, 200, String(from));
  }
});

describe('a page of another site signs nobody in', () => {
  const acceptance = { name: 'Ada', password: goodPassword };
  const doors: Record<string, readonly [path: string, body: unknown]> = {
    session: ['/session', { email: person.email, password: person.password }],
    invitation: [`/invitations/${token}`, acceptance],
    'password reset': [`/password-reset/${reset}`, { password: goodPassword }],
    'request of a password reset': ['/password-reset', { email: person.email }],
    'set-up': ['/setup', { ...acceptance, token: api.setupToken, email: anEmail() }],
  };
  const { 'no Origin': _, ...sites } = foreign;
  for (const [door, [path, body]] of Object.entries(doors)) {
    test(`by ${door}`, async () => {
      const actions = await api.recorded(async () => {
        for (const from of Object.values(sites)) {
          const request = { ...fromBrowser(), headers: { host, origin: from ?? '' } };
          const answer = await api.post(account(path), body, request);
          refused(answer, 403, message);
          assert.equal(cookieOf(answer), undefined);
        }
      });
      assert.deepEqual(actions, []);
    });
  }
});

test('a program that sends no Origin may sign in', async () => {
  const { email, password } = await aPerson(api);
  const answer = await api.post(account('/session'), { email, password }, { ...fromBrowser(), headers: { host } });
  assert.equal(answer.status, 200, answer.text);
});

/** Host, Origin, and whether that is a page of ours where PUBLIC_URL says https://flags.test. */
const behindProxy: [host: string, origin: string, own: boolean][] = [
  [host, `https://${host}`, true],
  [host, `https://${host}:443`, true],
  ['10.0.0.1:8080', `https://${host}`, true],
  ['10.0.0.1:8080', 'https://evil.example', false],
  ['10.0.0.1:8080', `https://${host}:8443`, false],
  [host, `http://${host}`, false],
];
describe('with PUBLIC_URL its origin is ours, whatever the proxy sends as Host', async () => {
  const app = await startAt(api, `https://${host}`);
  for (const [hostHeader, from, own] of behindProxy) {
    test(`Host ${hostHeader} with Origin ${from} is ${own ? 'ours' : 'foreign'}`, async () => {
      const reply = await app.inject({
        method: 'POST',
        url: '/internal/api/v2/groups',
        headers: { host: hostHeader, origin: from, cookie: `__Host-${administrator.cookie}` },
        payload: { name: uniqueName('group') },
      });
      assert.equal(reply.statusCode, own ? 200 : 403, reply.body);
    });
  }
});
