/** Pages of other sites may use the Admin API with a key where the operator allows their origin, and never in a session. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { inject } from 'light-my-request';
import { pino } from 'pino';
import { prefix } from '#contract/parts.ts';
import type { AllowedOrigins } from '#http/server/cors.ts';
import { findAccount } from '#store/account.ts';
import { createApp } from '../../src/app.ts';
import { startApi } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';
import { account, host, setUpAdministrator } from '../support/session.ts';

const api = await startApi();
const { cookie } = await setUpAdministrator(api);
const tool = 'https://tools.example.com';
const authorization = `Bearer ${api.adminKey}`;

async function anApp(corsOrigins: AllowedOrigins | undefined): Promise<FastifyInstance> {
  const found = (await findAccount(api.store)) ?? assert.fail();
  const app = await createApp({ store: api.store, account: found, log: pino({ level: 'silent' }), corsOrigins });
  after(() => app.close());
  await app.ready();
  return app;
}
const [closed, listed, open] = [await anApp(undefined), await anApp([tool, 'http://localhost:8081']), await anApp('*')];

interface Asked {
  readonly method?: 'GET' | 'POST' | 'OPTIONS';
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly payload?: object;
}

/** Through the HTTP server, which sends cached responses. */
const ask = (app: FastifyInstance, { method = 'GET', url = `${prefix}/groups`, headers = {}, payload }: Asked) =>
  inject((raw, response) => app.server.emit('request', raw, response), {
    method,
    url,
    headers: { host, ...headers },
    ...(payload ? { payload } : {}),
  });

const preflight = (from: string, url = `${prefix}/groups`): Asked => ({
  method: 'OPTIONS',
  url,
  headers: {
    origin: from,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'authorization,content-type,if-match',
  },
});

const corsHeaders = (headers: Record<string, unknown>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

test('without CORS_ORIGINS no answer allows another site anything', async () => {
  const preflighted = await ask(closed, preflight(tool));
  assert.equal(preflighted.statusCode, 405);
  const read = await ask(closed, { headers: { authorization, origin: tool } });
  assert.equal(read.statusCode, 200);
  for (const { headers } of [preflighted, read]) {
    assert.deepEqual(corsHeaders(headers), []);
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
  }
});

describe('with an allowed origin', () => {
  for (const [what, app, allowed] of [
    ['from the list', listed, tool],
    ['by *', open, '*'],
  ] as const) {
    test(`${what}, a preflight is answered with what may be sent`, async () => {
      const { statusCode, headers, rawPayload } = await ask(app, preflight(tool));
      assert.deepEqual([statusCode, rawPayload.length], [204, 0]);
      assert.equal(headers['access-control-allow-origin'], allowed);
      assert.deepEqual(listOf(headers['access-control-allow-methods']), ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
      const names = listOf(headers['access-control-allow-headers']);
      for (const name of ['authorization', 'content-type', 'if-match', 'x-api-key']) assert.ok(names.includes(name));
      assert.equal(headers['access-control-allow-credentials'], undefined);
      assert.match(String(headers['x-transaction-id']), /^\w{11}$/);
    });

    test(`${what}, a key reads and writes, and the page sees the headers that it needs`, async () => {
      const payload = { name: uniqueName('group') };
      const answers = [
        await ask(app, { headers: { authorization, origin: tool } }),
        await ask(app, { headers: { 'x-api-key': api.adminKey, origin: tool, cookie } }),
        await ask(app, { method: 'POST', headers: { authorization, origin: tool }, payload }),
      ];
      for (const { statusCode, headers } of answers) {
        assert.equal(statusCode, 200);
        assert.equal(headers['access-control-allow-origin'], allowed);
        assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
        assert.equal(headers['access-control-allow-credentials'], undefined);
        const exposed = listOf(headers['access-control-expose-headers']);
        for (const name of ['etag', 'x-transaction-id', 'retry-after', 'x-burgee-problem', 'warning']) {
          assert.ok(exposed.includes(name), name);
        }
      }
    });

    test(`${what}, a refusal can be read as well`, async () => {
      for (const [status, asked] of [
        [401, {}],
        [401, { headers: { authorization: 'Bearer wrong' } }],
        [404, { url: `${prefix}/nowhere`, headers: { authorization } }],
        [400, { method: 'POST', headers: { authorization }, payload: {} }],
      ] as const) {
        const answer = await ask(app, {
          ...asked,
          headers: { origin: tool, ...('headers' in asked && asked.headers) },
        });
        assert.equal(answer.statusCode, status, answer.body);
        assert.equal(answer.headers['access-control-allow-origin'], allowed);
      }
    });

    test(`${what}, a session is used for nothing`, async () => {
      const actions = await api.recorded(async () => {
        const payload = { name: uniqueName('group') };
        const written = await ask(app, { method: 'POST', headers: { cookie, origin: tool }, payload });
        assert.equal(written.statusCode, 403);
        const read = await ask(app, { headers: { cookie, origin: tool } });
        for (const { headers } of [written, read]) {
          assert.deepEqual(corsHeaders(headers), []);
          assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
        }
      });
      assert.deepEqual(actions, []);
    });

    test(`${what}, nothing outside of the Admin API is opened`, async () => {
      for (const url of [account('/session'), account('/setup'), '/health', '/', '/docs']) {
        const { headers } = await ask(app, { url, headers: { origin: tool } });
        assert.deepEqual(corsHeaders(headers), [], url);
        assert.notEqual((await ask(app, preflight(tool, url))).statusCode, 204, url);
      }
    });
  }
});

test('an origin that is not in the list is allowed nothing', async () => {
  for (const from of [
    'https://evil.example',
    `${tool}:8443`,
    'http://tools.example.com',
    `${tool}.evil.example`,
    'null',
  ]) {
    assert.equal((await ask(listed, preflight(from))).statusCode, 405, from);
    assert.deepEqual(corsHeaders((await ask(listed, { headers: { authorization, origin: from } })).headers), [], from);
  }
});

test('an answer that is kept ready is given under the headers of the origin that asks', async () => {
  const read = (origin: string | undefined) =>
    ask(listed, { headers: { authorization, ...(origin === undefined ? {} : { origin }) } });
  for (let count = 0; count < 3; count += 1) {
    for (const [from, allowed] of [
      [undefined, undefined],
      [tool, tool],
      ['http://localhost:8081', 'http://localhost:8081'],
      ['https://evil.example', undefined],
    ] as const) {
      const { statusCode, headers } = await read(from);
      assert.deepEqual([statusCode, headers['access-control-allow-origin']], [200, allowed]);
      assert.match(String(headers.vary), /^origin/);
    }
  }
});

const listOf = (value: unknown): string[] => String(value).split(', ');
