/** A body that is too large is refused with a response that reaches the client, over a real socket. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountBodyLimit, prefix } from '#contract/parts.ts';
import { refused, startApi } from '../support/app.ts';
import { answersIn, talkTo } from '../support/raw-sockets.ts';
import { account, anEmail, fromBrowser, goodPassword } from '../support/session.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
const megabyte = 1_048_576;
const head = (length: number) =>
  [
    `POST ${prefix}/groups HTTP/1.1`,
    'Host: flags.test',
    `Authorization: Bearer ${api.adminKey}`,
    length < 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    '',
    '',
  ].join('\r\n');

test('a client of fetch that sends 5 MB reads the 413, with and without a length', async () => {
  for (const body of [new Uint8Array(5 * megabyte), ReadableStream.from([new Uint8Array(5 * megabyte)])]) {
    const answer = await fetch(`${url}${prefix}/groups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.adminKey}` },
      body,
      duplex: 'half',
    } as RequestInit);
    assert.equal(answer.status, 413);
    assert.equal(answer.headers.get('x-burgee-problem'), 'body_too_large');
    assert.match(((await answer.json()) as { message: string }).message, /1048576/);
  }
});

test('a client that sends all before it reads gets the 413, and may use the connection again', async () => {
  const piece = Buffer.alloc(megabyte, ' ');
  const chunk = Buffer.concat([Buffer.from(`${megabyte.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
  for (const pieces of [
    [head(5 * megabyte), ...Array(5).fill(piece)],
    [head(-1), ...Array(5).fill(chunk), '0\r\n\r\n'],
  ]) {
    const { socket, said, ended } = await talkTo(url);
    socket.pause();
    for (const one of pieces) {
      if (!socket.write(one)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), ended]);
      assert.ok(!socket.destroyed, 'the connection was reset');
    }
    socket.write('GET /health HTTP/1.1\r\nHost: flags.test\r\n\r\n');
    socket.resume();
    await until('both answers', () => said().includes('"status":"ok"'));
    assert.deepEqual(
      answersIn(said()).map(({ status }) => status),
      [413, 200],
    );
    socket.destroy();
  }
});

test('a client that never ends its body is answered at once, and left when the time of a request is over', async () => {
  const { requestTimeout, headersTimeout } = api.app.server;
  Object.assign(api.app.server, { requestTimeout: 1_000, headersTimeout: 1_000 });
  try {
    const { socket, said, ended } = await talkTo(url);
    socket.write(head(5 * megabyte));
    await until('the answer', () => said().includes('body_too_large'));
    // Connections are looked at every five seconds.
    assert.ok((await ended) < 10);
  } finally {
    Object.assign(api.app.server, { requestTimeout, headersTimeout });
  }
});

test('a body that claims to be endless is not waited for', async () => {
  const { socket, said, ended } = await talkTo(url);
  socket.write(head(10_000 * megabyte));
  assert.ok((await ended) < 2);
  assert.match(said(), /^HTTP\/1\.1 413 /);
});

test('bodies of account endpoints that need no session are limited to 16 KiB, and the rest is not read', async () => {
  const password = 'x'.repeat(accountBodyLimit);
  for (const [path, body] of [
    ['/session', { email: anEmail(), password }],
    ['/password-reset', { email: anEmail(), password }],
    ['/setup', { email: anEmail(), name: 'Ada', password, token: 'none' }],
    ['/invitations/none', { name: 'Ada', password }],
  ] as const) {
    const answer = await api.post(account(path), body, fromBrowser());
    refused(answer, 413, /16384/);
  }
  const fits = { email: anEmail(), password: goodPassword, more: 'x'.repeat(accountBodyLimit - 200) };
  assert.equal((await api.post(account('/session'), fits, fromBrowser())).status, 401);
});
