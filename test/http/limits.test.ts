/** The limits that an operator can set, and those on wrong keys, as clients see them. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { inject, type Response } from 'light-my-request';
import { pino } from 'pino';
import { prefix } from '#contract/parts.ts';
import type { RateLimits } from '#http/limits/rate.ts';
import { newKeyText } from '#security/secrets.ts';
import { findAccount } from '#store/account.ts';
import { type AppOptions, createApp } from '../../src/app.ts';
import { startApi } from '../support/app.ts';
import { account, anAddress, fromBrowser, setUpAdministrator } from '../support/session.ts';

const api = await startApi();

/** A second server on the same database. */
async function anApp(options: Partial<AppOptions>): Promise<FastifyInstance> {
  const found = (await findAccount(api.store)) ?? assert.fail();
  const app = await createApp({ store: api.store, account: found, log: pino({ level: 'silent' }), ...options });
  after(() => app.close());
  await app.ready();
  return app;
}

const limited = (limits: Partial<RateLimits>) =>
  anApp({ rateLimits: { perKey: undefined, perAddress: undefined, ...limits } });

interface Asked {
  readonly as?: string | null;
  readonly from?: string;
  readonly headers?: Record<string, string>;
}

/** Through the HTTP server, not only Fastify: what is answered before Fastify must count too. */
const ask = (app: FastifyInstance, { as = api.adminKey, from = anAddress(), headers = {} }: Asked = {}) =>
  inject((raw, response) => app.server.emit('request', raw, response), {
    url: `${prefix}/workspaces`,
    remoteAddress: from,
    headers: { ...(as === null ? {} : { authorization: `Bearer ${as}` }), ...headers },
  });

const quotaOf = ({ headers }: Response) =>
  ['remaining-org', 'remaining-ip', 'reset-seconds-org', 'reset-seconds-ip'].map((name) => {
    const value = headers[`x-ratelimit-${name}`];
    return value === undefined ? undefined : Number(value);
  });

function isTooMany(answer: Response): void {
  assert.equal(answer.statusCode, 429, answer.body);
  const seconds = Number(answer.headers['retry-after']);
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
  assert.equal(answer.json().message, `Too many requests; try again in ${seconds} seconds`);
  assert.deepEqual(quotaOf(answer), [0, 0, seconds, seconds], 'clients wait for whichever they look at');
}

test('without a setting a valid key is never held up, and nothing is said of limits', async () => {
  const app = await anApp({});
  const from = anAddress();
  for (let count = 0; count < 1_000; count += 1) {
    const answer = await ask(app, { from });
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(quotaOf(answer), [undefined, undefined, undefined, undefined]);
  }
});

describe('a limit of each key', () => {
  test('holds wherever the requests come from, says what is left, and leaves other keys and people alone', async () => {
    const app = await limited({ perKey: 3 });
    const [first, second] = [await api.key({}), await api.key({})];
    for (const left of [2, 1, 0]) {
      const answer = await ask(app, { as: first });
      assert.equal(answer.statusCode, 200);
      const [remaining, ofAddress, seconds] = quotaOf(answer);
      assert.deepEqual([remaining, ofAddress], [left, undefined]);
      assert.ok(seconds && seconds >= 1 && seconds <= 60);
    }
    isTooMany(await ask(app, { as: first }));
    isTooMany(await app.inject({ url: `${prefix}/groups`, headers: { 'x-api-key': first } }));
    assert.equal((await ask(app, { as: second })).statusCode, 200);
  });

  test('counts what the key may not do, too, and writes nothing once it is reached', async () => {
    const app = await limited({ perKey: 2 });
    const as = await api.key({ roles: ['API_FEATURE_FLAG_VIEWER'] });
    const createGroup = (key: string) =>
      app.inject({
        method: 'POST',
        url: `${prefix}/groups`,
        headers: { authorization: `Bearer ${key}` },
        payload: JSON.stringify({ name: 'never' }),
      });
    for (const status of [403, 403, 429]) assert.equal((await createGroup(as)).statusCode, status);
    const writer = await api.key({});
    await ask(app, { as: writer });
    await ask(app, { as: writer });
    const actions = await api.recorded(async () => isTooMany(await createGroup(writer)));
    assert.deepEqual(actions, []);
  });
});

describe('a limit of each address', () => {
  test('counts keys, wrong keys, none and people alike, and leaves other addresses alone', async () => {
    const { signedIn } = await setUpAdministrator(api);
    const app = await limited({ perAddress: 4 });
    const from = anAddress();
    assert.equal((await ask(app, { from })).statusCode, 200);
    assert.equal((await ask(app, { from, as: newKeyText('admin') })).statusCode, 401);
    assert.equal((await ask(app, { from, as: null })).statusCode, 401);
    const asPerson = { from, as: null, headers: signedIn.headers ?? {} };
    const last = await ask(app, asPerson);
    assert.equal(last.statusCode, 200);
    assert.deepEqual(quotaOf(last).slice(0, 2), [undefined, 0]);
    isTooMany(await ask(app, { from }));
    isTooMany(await ask(app, asPerson));
    const signIn = { method: 'POST', url: account('/session'), remoteAddress: from } as const;
    isTooMany(await app.inject({ ...signIn, headers: fromBrowser().headers ?? {}, payload: '{}' }));
    assert.equal((await ask(app)).statusCode, 200);
  });

  test('takes a /64 network of IPv6 for one address', async () => {
    const app = await limited({ perAddress: 1 });
    assert.equal((await ask(app, { from: '2001:db8:1:2::1' })).statusCode, 200);
    isTooMany(await ask(app, { from: '2001:db8:1:2:ffff::2' }));
    assert.equal((await ask(app, { from: '2001:db8:1:3::1' })).statusCode, 200);
  });

  test('counts the documents, which need no key', async () => {
    for (const url of ['/openapi.json', '/docs', '/docs/js/start.js', '/docs/js/scalar.js', '/docs/openapi.json']) {
      const app = await limited({ perAddress: 1 });
      const from = anAddress();
      const get = () => app.inject({ url, remoteAddress: from });
      assert.notEqual((await get()).statusCode, 429, url);
      isTooMany(await get());
      isTooMany(await ask(app, { from }));
    }
  });

  test('does not count who watches the server, nor pages', async () => {
    const app = await limited({ perAddress: 1 });
    const from = anAddress();
    await ask(app, { from });
    isTooMany(await ask(app, { from }));
    for (const url of ['/health', '/ready', '/favicon.svg']) {
      const answer = await app.inject({ url, remoteAddress: from });
      assert.notEqual(answer.statusCode, 429, url);
    }
  });

  test('both limits are told, each by its own headers', async () => {
    const app = await limited({ perKey: 10, perAddress: 20 });
    assert.deepEqual(quotaOf(await ask(app)).slice(0, 2), [9, 19]);
  });
});

/** Each way of counting by address → how many may pass, and a request that counts. */
const countedByAddress: Record<string, { options: Partial<AppOptions>; free: number; asked: Asked }> = {
  'a set limit': { options: { rateLimits: { perKey: undefined, perAddress: 5 } }, free: 5, asked: {} },
  'wrong keys': { options: {}, free: 300, asked: { as: 'not-a-key-of-this-server' } },
};
describe('the address is that of the connection, whatever the client says, unless a trusted proxy says it', () => {
  for (const [what, { options, free, asked }] of Object.entries(countedByAddress)) {
    const forwarded = (client: string) => ({
      'x-forwarded-for': client,
      'x-real-ip': client,
      forwarded: `for=${client}`,
    });

    test(`${what}: a client cannot choose the address by which it is counted`, async () => {
      for (const trustProxy of [undefined, '10.9.9.9']) {
        const app = await anApp({ ...options, trustProxy });
        const from = anAddress();
        for (let count = 0; count < free; count += 1) {
          const headers = forwarded(`192.0.2.${count % 250}`);
          assert.notEqual((await ask(app, { ...asked, from, headers })).statusCode, 429);
        }
        assert.equal((await ask(app, { ...asked, from, headers: forwarded('192.0.2.251') })).statusCode, 429);
      }
    });

    test(`${what}: behind a trusted proxy each client has its own, and cannot put another in front`, async () => {
      const proxy = '10.9.9.9';
      const app = await anApp({ ...options, trustProxy: proxy });
      for (let count = 0; count < free; count += 1) {
        const headers = forwarded(`203.0.113.${count % 250}, 192.0.2.1`);
        assert.notEqual((await ask(app, { ...asked, from: proxy, headers })).statusCode, 429);
      }
      const [first, second] = ['203.0.113.251, 192.0.2.1', '192.0.2.2'].map(forwarded);
      assert.equal((await ask(app, { ...asked, from: proxy, headers: first ?? {} })).statusCode, 429);
      assert.notEqual((await ask(app, { ...asked, from: proxy, headers: second ?? {} })).statusCode, 429);
    });
  }
});

test('wrong keys from behind a shared proxy do not lock out the right ones', async () => {
  const app = await anApp({});
  const from = anAddress();
  for (let count = 0; count < 310; count += 1) await ask(app, { from, as: newKeyText('admin') });
  assert.equal((await ask(app, { from, as: newKeyText('admin') })).statusCode, 429);
  assert.equal((await ask(app, { from })).statusCode, 200);
  assert.equal((await ask(app, { from, as: null })).statusCode, 401, 'no key is no guess');
});
