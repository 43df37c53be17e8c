/** Sockets that send nothing, or too little, to a server as an operator runs it: none of them may stay open. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { prefix } from '#contract/parts.ts';
import { adminKey, startNode } from '../support/nodes.ts';
import { anInstallation, type Server } from '../support/process.ts';
import { drip, isHeldByServer, type Talk, talkTo } from '../support/raw-sockets.ts';
import { report } from '../support/trust.ts';
import { until } from '../support/until.ts';

const keepAliveSeconds = 2;
const client = await startNode(anInstallation(), { KEEP_ALIVE_SECONDS: String(keepAliveSeconds) });
const { node } = client;

const head = `Host: flags.test\r\nAuthorization: Bearer ${adminKey}\r\n`;
const list = `GET ${prefix}/workspaces HTTP/1.1\r\n${head}\r\n`;
const create = `POST ${prefix}/groups HTTP/1.1\r\n${head}`;

/** The promise is 30 to 35 seconds; a machine that does much else may be late. */
async function endsWithin35Seconds(what: string, { ended }: Talk): Promise<void> {
  const seconds = await ended;
  assert.ok(seconds > 29 && seconds < 60, `${seconds} s`);
  report(`${what}: closed after ${seconds.toFixed(0)} s`);
}

/** What is sent first, and what is sent every second from then on. */
const slow: Record<string, { start: string; piece: string }> = {
  'headers that never end': { start: `GET ${prefix}/workspaces HTTP/1.1\r\n${head}`, piece: 'X-More: x\r\n' },
  'a first line that never ends': { start: 'GET /', piece: 'x' },
  'a body that comes byte by byte': { start: `${create}Content-Length: 1000\r\n\r\n`, piece: ' ' },
  'a chunked body that never ends': { start: `${create}Transfer-Encoding: chunked\r\n\r\n`, piece: '1\r\n \r\n' },
  'a body of which nothing comes': { start: `${create}Content-Length: 1000\r\n\r\n`, piece: '' },
};

describe('clients that are too slow are disconnected, and others are served meanwhile', { concurrency: true }, () => {
  for (const [what, { start, piece }] of Object.entries(slow)) {
    test(what, async () => {
      const talk = await talkTo(node.url);
      talk.socket.write(start);
      drip(talk.socket, piece);
      await endsWithin35Seconds(what, talk);
      assert.match(talk.said(), /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.match(talk.said(), /"message":"The request did not arrive in time"/);
    });
  }

  test('a socket that says nothing', async () => {
    const talk = await talkTo(node.url);
    await endsWithin35Seconds('a socket that says nothing', talk);
    assert.equal(talk.said(), '', 'a browser would take it for the response to its next request');
  });

  test('a socket that was answered and is idle since', async () => {
    const talk = await talkTo(node.url);
    talk.socket.write(list);
    const seconds = await talk.ended;
    assert.match(talk.said(), /^HTTP\/1\.1 200 OK\r\n/);
    assert.ok(seconds >= keepAliveSeconds && seconds < 25, `${seconds} s`);
    report(`an idle socket, with KEEP_ALIVE_SECONDS=${keepAliveSeconds}: closed after ${seconds.toFixed(0)} s`);
  });

  test('a client that stops reading', async () => {
    const { socket } = await talkTo(node.url);
    socket.pause();
    // Far more than all buffers on the way hold.
    socket.write('GET /docs/js/scalar.js HTTP/1.1\r\nHost: flags.test\r\n\r\n'.repeat(20));
    const began = performance.now();
    await until('the server has taken it', () => isHeldByServer(socket));
    await until('the server has closed it', () => !isHeldByServer(socket), { timeoutMs: 180_000 });
    const seconds = (performance.now() - began) / 1000;
    assert.ok(seconds > 39, `${seconds} s`);
    report(`a client that stops reading: closed after ${seconds.toFixed(0)} s`);
  });

  test('others', async () => {
    for (let count = 0; count < 20; count += 1) assert.equal((await client.get('/workspaces')).status, 200);
  });
});

test('one connection too many is closed at once and said in the log; when another ends, there is room again', async () => {
  const max = 20;
  const server = (await startNode(anInstallation(), { MAX_CONNECTIONS: String(max) })).node;
  const served: Talk[] = [];
  for (let talk = await ask(server); talk.said() !== ''; talk = await ask(server)) served.push(talk);
  // The readiness check may have kept a connection.
  assert.ok(served.length === max || served.length === max - 1, `${served.length} were served`);
  for (let count = 0; count < 3; count += 1) assert.equal((await ask(server)).said(), '');
  const warnings = server.stdout().match(/connections are refused: there are MAX_CONNECTIONS already/g);
  assert.equal(warnings?.length, 1, 'a flood of connections is no flood of lines');
  for (const { socket } of served) assert.equal(socket.closed, false);
  served[0]?.socket.destroy();
  await until('there is room again', async () => (await ask(server)).said() !== '');
  report(
    `MAX_CONNECTIONS=${max}: ${served.length} sockets beside that of the test, the next ones closed without a byte`,
  );
});

/** Answered, or closed without a response. */
async function ask(server: Server): Promise<Talk> {
  const talk = await talkTo(server.url);
  talk.socket.write(list);
  await until('an answer or the end', () => talk.said() !== '' || talk.socket.closed);
  if (talk.said() !== '') assert.match(talk.said(), /^HTTP\/1\.1 200 OK\r\n/);
  return talk;
}
