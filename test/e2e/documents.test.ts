/** The API's description is served to everybody, cheaply, and with nothing fetched from elsewhere. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { toOpenApi } from '#contract/openapi.ts';
import { startApi } from '../support/app.ts';
import { buildInterface } from './browser.ts';

buildInterface();
const api = await startApi();
const get = (url: string, headers: Record<string, string> = {}) => api.app.inject({ url, headers });

test('the description is the same for machines and for the page', async () => {
  for (const url of ['/openapi.json', '/docs/openapi.json']) {
    const reply = await get(url);
    assert.equal(reply.statusCode, 200);
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8');
    assert.deepEqual(reply.json(), toOpenApi(), url);
  }
});

test('/docs is a page that names no other host, and neither does what it loads at once', async () => {
  for (const url of ['/docs', '/docs/']) {
    const page = await get(url);
    assert.equal(page.statusCode, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    assert.doesNotMatch(page.body, /(https?:)?\/\/[\w-]+(\.[\w-]+)+/i);
    const sources = [...page.body.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? '');
    assert.equal(sources.length, 3);
    for (const source of sources) assert.equal((await get(source)).statusCode, 200, source);
  }
});

test('the page runs no script of its own, and is framed by nobody', async () => {
  const { headers } = await get('/docs/');
  const policy = String(headers['content-security-policy']).split('; ');
  for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(part), part);
  }
  assert.equal(headers['x-content-type-options'], 'nosniff');
});

describe('each document is sent compressed, and not again to a client that has it', () => {
  for (const url of ['/openapi.json', '/docs', '/docs/js/scalar.js', '/docs/js/start.js']) {
    test(url, async () => {
      const plain = await get(url);
      const etags = new Set();
      for (const [encoding, decode] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
        [undefined, (bytes: Buffer) => bytes],
      ] as const) {
        const accept = { 'accept-encoding': encoding ?? 'identity' };
        const answer = await get(url, accept);
        assert.equal(answer.headers['content-encoding'], encoding);
        assert.equal(answer.headers.vary, 'accept-encoding');
        assert.equal(answer.headers['cache-control'], 'no-cache');
        assert.equal(Number(answer.headers['content-length']), answer.rawPayload.length);
        assert.deepEqual(decode(answer.rawPayload), plain.rawPayload);
        const etag = String(answer.headers.etag);
        etags.add(etag);
        for (const sent of [etag, `W/${etag}`, `"another", ${etag}`]) {
          const again = await get(url, { ...accept, 'if-none-match': sent });
          assert.equal(again.statusCode, 304, sent);
          assert.equal(again.rawPayload.length, 0);
          assert.equal(again.headers.etag, etag);
        }
        assert.equal((await get(url, { ...accept, 'if-none-match': '"another"' })).statusCode, 200);
      }
      assert.equal(etags.size, 3, 'the bytes differ, and so do their ETags');
    });
  }
});

test('a client that asks for the largest document and does not read costs next to no memory', async () => {
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.server.address() as AddressInfo;
  const { length } = (await get('/docs/js/scalar.js')).rawPayload;
  const memory = () => {
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    return arrayBuffers + heapUsed;
  };
  const before = memory();
  const sockets = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').pause());
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const allAsked = new Promise<void>((resolve) => {
    let asked = 0;
    api.app.server.on('request', () => {
      asked += 1;
      if (asked === sockets.length) resolve();
    });
  });
  for (const socket of sockets) socket.write('GET /docs/js/scalar.js HTTP/1.1\r\nHost: flags.test\r\n\r\n');
  await allAsked;
  assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
  assert.ok(memory() - before < 10 * length, `${memory() - before} bytes for 40 clients, ${length} for each to read`);
  for (const socket of sockets) socket.destroy();
});

test('the description as YAML is gone, and nothing else is below /docs', async () => {
  for (const url of ['/docs/openapi.yaml', '/docs/nothing', '/docs/js/', '/docs/js/scalar.js.br']) {
    assert.equal((await get(url)).statusCode, 404, url);
  }
});
