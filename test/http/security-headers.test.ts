import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { bodyLimit, prefix } from '#contract/parts.ts';
import { startApi } from '../support/app.ts';
import { account, startAt } from '../support/session.ts';

const api = await startApi();
const authorization = `Bearer ${api.adminKey}`;

/** What every response of the API has, including refusals of every kind. */
const ofData = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const answersWithData: [status: number, request: InjectOptions][] = [
  [200, { url: `${prefix}/workspaces`, headers: { authorization } }],
  [200, { url: '/health' }],
  [200, { url: account('/setup') }],
  [400, { url: `${prefix}/groups`, method: 'POST', headers: { authorization }, payload: '{' }],
  [400, { url: `${prefix}/groups/%zz` }],
  [400, { url: `${prefix}/groups?x=%00` }],
  [401, { url: `${prefix}/workspaces` }],
  [401, { url: account('/session') }],
  [404, { url: '/nowhere' }],
  [405, { url: `${prefix}/workspaces`, method: 'PUT' }],
  [413, { url: `${prefix}/groups`, method: 'POST', headers: { authorization }, payload: ' '.repeat(bodyLimit + 1) }],
];

test('answers of the API are neither run, framed, embedded by other sites nor kept', async () => {
  for (const [status, request] of answersWithData) {
    const { statusCode, headers, body } = await api.app.inject(request);
    assert.equal(statusCode, status, body);
    for (const [name, value] of Object.entries(ofData)) assert.equal(headers[name], value, `${request.url} ${name}`);
    assert.equal(headers['strict-transport-security'], undefined);
    assert.equal(headers['x-powered-by'], undefined);
    assert.equal(headers.server, undefined);
  }
});

test('malformed HTTP gets the same headers', async () => {
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('NONSENSE\r\n\r\n');
  const answer = (await textOf(socket)).toLowerCase();
  for (const [name, value] of Object.entries(ofData)) assert.ok(answer.includes(`\r\n${name}: ${value}\r\n`), name);
});

test('browsers are told to come by TLS where people come by TLS, and only there', async () => {
  for (const [publicUrl, expected] of [
    ['https://flags.example.com', 'max-age=31536000'],
    ['http://flags.example.com', undefined],
    [undefined, undefined],
  ] as const) {
    const app = await startAt(api, publicUrl);
    for (const url of ['/', '/nowhere', '/docs/', `${prefix}/workspaces`, '/health', '/favicon.svg']) {
      const { headers } = await app.inject({ url, headers: { accept: 'text/html' } });
      assert.equal(headers['strict-transport-security'], expected, url);
    }
  }
});
