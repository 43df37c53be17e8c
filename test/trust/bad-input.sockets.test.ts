/** Broken HTTP and what is below it: a 4xx with the error body, or a closed socket, and the server continues. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { prefix } from '#contract/parts.ts';
import { aHostileInstallation } from '../support/hostile-installation.ts';
import { requireRefusal } from '../support/hostile-requests.ts';
import { maxMs } from '../support/process-inspector.ts';
import { answersIn, exchange } from '../support/raw-sockets.ts';
import { report } from '../support/trust.ts';

const installation = await aHostileInstallation();
after(() => installation.sender.close());
const { url, adminKey, inspector } = installation;
const groups = `${prefix}/groups`;
const head = `Host: flags.test\r\nAuthorization: Bearer ${adminKey}\r\n`;
const post = (headers: string, body = '') => `POST ${groups} HTTP/1.1\r\n${head}${headers}\r\n${body}`;
const bomb = gzipSync(Buffer.alloc(100_000_000, ' '));

/** The server must close after each of these, since what follows on the connection means nothing. */
const broken: Record<string, (string | Buffer)[]> = {
  'not HTTP': ['NONSENSE\r\n\r\n'],
  'an empty line and nothing': ['\r\n\r\nx\r\n\r\n'],
  'bytes of TLS': [Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
  'bytes of nothing': [Buffer.alloc(1_000, 0)],
  'no version': [`GET ${groups}\r\n\r\n`],
  'a version that is none': [`GET ${groups} HTTP/9.9\r\n${head}\r\n`],
  'the beginning of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'a space in the path': [`GET ${groups}/a b HTTP/1.1\r\n${head}\r\n`],
  'NUL in the path': [`GET ${groups}/\0 HTTP/1.1\r\n${head}\r\n`],
  'NUL in a header': [`GET ${groups} HTTP/1.1\r\n${head}X: a\0b\r\n\r\n`],
  'a header without a colon': [`GET ${groups} HTTP/1.1\r\n${head}nonsense\r\n\r\n`],
  'a space before the colon': [`GET ${groups} HTTP/1.1\r\n${head}X : y\r\n\r\n`],
  'a folded header': [`GET ${groups} HTTP/1.1\r\n${head}X: y\r\n z\r\n\r\n`],
  'lines that end with LF only': [`GET ${groups} HTTP/1.1\n${head.replaceAll('\r', '')}X: y\n\n`],
  'an unknown method': [`CONQUER ${groups} HTTP/1.1\r\n${head}\r\n`],
  'headers of 64 kB and more': [`GET ${groups} HTTP/1.1\r\n${head}X: ${'y'.repeat(70_000)}\r\n\r\n`],
  '70,000 headers': [`GET ${groups} HTTP/1.1\r\n${head}${'X:y\r\n'.repeat(70_000)}\r\n`],
  'a path of 70,000 characters': [`GET /${'x'.repeat(70_000)} HTTP/1.1\r\n${head}\r\n`],
  'length and chunks': [post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
  'two lengths': [post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}x')],
  'a length below zero': [post('Content-Length: -1\r\n', '{}')],
  'a length that is none': [post('Content-Length: many\r\n', '{}')],
  'a length beyond all numbers': [post(`Content-Length: ${'9'.repeat(40)}\r\n`, '{}')],
  'chunks within something else': [post('Transfer-Encoding: chunked, identity\r\n', '2\r\n{}\r\n0\r\n\r\n')],
  'a chunk whose size is none': [post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n')],
  'a chunk longer than it says': [post('Transfer-Encoding: chunked\r\n', '2\r\n{}xxxx\r\n0\r\n\r\n')],
  'a chunk with endless extensions': [post('Transfer-Encoding: chunked\r\n', `2;${'x'.repeat(100_000)}\r\n{}\r\n`)],
  'a body of 10 MB': [post('Content-Length: 10000000\r\n'), ...Array.from({ length: 100 }, () => ' '.repeat(100_000))],
  'chunks of 10 MB': [
    post('Transfer-Encoding: chunked\r\n'),
    ...Array.from({ length: 100 }, () => `186a0\r\n${' '.repeat(100_000)}\r\n`),
  ],
  'Upgrade and nothing': [
    `GET ${groups}/none HTTP/1.1\r\n${head}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
  ],
  CONNECT: [`CONNECT example.com:443 HTTP/1.1\r\n${head}\r\n`],
};

/** Valid HTTP that is refused for its content. */
const last = 'Connection: close\r\n';
const strange: Record<string, (string | Buffer)[]> = {
  'a bomb of gzip': [post(`${last}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n`), bomb],
  'an encoding that is none': [post(`${last}Content-Encoding: rot13\r\nContent-Length: 3\r\n`, '{{{')],
  'a body that is too large, expected': [post(`${last}Expect: 100-continue\r\nContent-Length: 10000000\r\n`)],
  'an expectation that nobody meets': [post(`${last}Expect: miracles\r\nContent-Length: 2\r\n`, '{}')],
  'HTTP/1.0 without a host': [
    `POST ${groups} HTTP/1.0\r\nAuthorization: Bearer ${adminKey}\r\nContent-Length: 2\r\n\r\n{}`,
  ],
  'an absolute address': [`GET http://example.com${groups}/none HTTP/1.1\r\n${head}${last}\r\n`],
  'an asterisk': [`OPTIONS * HTTP/1.1\r\n${head}${last}\r\n`],
  TRACE: [`TRACE ${groups} HTTP/1.1\r\n${head}${last}\r\n`],
  'two hosts': [`GET ${groups}/none HTTP/1.1\r\nHost: a\r\n${head}${last}\r\n`],
  '3,000 headers': [`GET ${groups}/none HTTP/1.1\r\n${head}${last}${'X: y\r\n'.repeat(3_000)}\r\n`],
  'headers just below 64 kB': [`GET ${groups}/none HTTP/1.1\r\n${head}${last}X: ${'y'.repeat(60_000)}\r\n\r\n`],
};

test('malformed requests are refused or cut off, write nothing, and delay nobody', async () => {
  const written = await installation.fingerprint();
  const before = await inspector.memory();
  await inspector.longestTurn();
  const told: string[] = [];
  const complaints: string[] = [];
  for (const [kind, pieces] of Object.entries({ ...broken, ...strange })) {
    const text = await exchange(url, pieces);
    const answers = answersIn(text);
    for (const { status, headers, body } of answers) {
      try {
        if (status !== 100) requireRefusal({ status, headers, text: body });
      } catch (error) {
        complaints.push(`${kind}: ${(error as Error).message}`);
      }
    }
    if (kind in strange && answers.length === 0) complaints.push(`${kind}: not answered`);
    told.push(`${kind}: ${answers.map(({ status }) => status).join(' ') || 'closed'}`);
  }
  assert.deepEqual(complaints, []);
  const turn = await inspector.asThere(await inspector.longestTurn());
  report(`bad input, raw sockets: ${told.length} kinds (${told.join('; ')}); longest turn ${turn.toFixed(0)} ms`);
  assert.ok(turn <= maxMs, `${turn} ms`);
  assert.equal(await installation.fingerprint(), written);
  const { buffers } = await inspector.memory();
  assert.ok(buffers - before.buffers < 8e6, `${buffers - before.buffers} bytes of buffers are left`);
  await installation.ask('GET', '/groups');
  installation.requireQuietLog();
});

test('a body that never ends is cut off after the time of a request, while others are served', async () => {
  const started = performance.now();
  const endless = ['{"name":"', '1\r\nx\r\n'].map((piece, index) =>
    exchange(url, [post(index === 0 ? 'Content-Length: 1000\r\n' : 'Transfer-Encoding: chunked\r\n', piece)]),
  );
  const silent = exchange(url, ['POST ']);
  await installation.ask('GET', '/groups');
  for (const text of await Promise.all([...endless, silent])) {
    for (const { status, headers, body } of answersIn(text)) requireRefusal({ status, headers, text: body });
  }
  report(`bad input: bodies that never end were cut off after ${((performance.now() - started) / 1000).toFixed(0)} s`);
  installation.requireQuietLog();
});
