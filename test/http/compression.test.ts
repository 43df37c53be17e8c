/** Which responses are compressed, and that compression changes nothing else about them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { inject, type Response } from 'light-my-request';
import { prefix } from '#contract/parts.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aProject, uniqueName } from '../support/build.ts';
import { onlySqlite } from '../support/databases.ts';
import { account, goodPassword, setUpAdministrator } from '../support/session.ts';
import { statementsOf } from '../support/statements.ts';

const api = await startApi();
const project = await aProject(api);
const keys = Array.from({ length: 500 }, (_, index) => `customer-${index}`);
const { path } = await aDefinedFlag(api, project, { treatments: [{ name: 'on', keys }, { name: 'off' }] });

interface Asked {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PATCH';
  readonly url?: string;
  readonly accept?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly payload?: object;
}

/** Through the HTTP server, which sends cached responses. */
const ask = ({ method = 'GET', url = prefix + path, accept, headers = {}, payload }: Asked) =>
  inject((raw, response) => api.app.server.emit('request', raw, response), {
    method,
    url,
    headers: {
      authorization: `Bearer ${api.adminKey}`,
      ...(accept === undefined ? {} : { 'accept-encoding': accept }),
      ...headers,
    },
    ...(payload ? { payload } : {}),
  });

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  undefined: (bytes) => bytes,
};

/** What clients send as Accept-Encoding → what they get. */
const negotiated: [accept: string | undefined, encoding: 'br' | 'gzip' | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate, zstd', undefined],
  ['br;q=0, gzip;q=0', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['*', 'br'],
];
describe('a client gets the encoding that it prefers, with the same content and ETag', () => {
  for (const [accept, encoding] of negotiated) {
    test(`Accept-Encoding ${accept === undefined ? 'absent' : `"${accept}"`}: ${encoding ?? 'as it is'}`, async () => {
      const plain = await ask({});
      const answer = await ask({ accept });
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.headers['content-encoding'], encoding);
      assert.equal(answer.headers.vary, 'accept-encoding');
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(Number(answer.headers['content-length']), answer.rawPayload.length);
      assert.equal(answer.headers.etag, plain.headers.etag);
      assert.equal(decoders[String(encoding)]?.(answer.rawPayload).toString(), plain.body);
      if (encoding) assert.ok(answer.rawPayload.length < plain.rawPayload.length / 2);
    });
  }
});

test('HEAD says what GET would', async () => {
  const [head, get] = [await ask({ method: 'HEAD', accept: 'br' }), await ask({ accept: 'br' })];
  assert.equal(head.rawPayload.length, 0);
  for (const name of ['content-encoding', 'content-length', 'etag', 'vary']) {
    assert.equal(head.headers[name], get.headers[name], name);
  }
});

test('answers to writes are compressed, too, and the ETag of a compressed answer holds for If-Match', async () => {
  const { headers } = await ask({ accept: 'gzip' });
  const patch = [{ op: 'replace', path: '/trafficAllocation', value: 50 }];
  const patched = await ask({
    method: 'PATCH',
    accept: 'gzip',
    headers: { 'if-match': String(headers.etag) },
    payload: patch,
  });
  assert.equal(patched.statusCode, 200);
  assert.equal(patched.headers['content-encoding'], 'gzip');
  assert.equal(JSON.parse(gunzipSync(patched.rawPayload).toString()).trafficAllocation, 50);
  assert.notEqual(patched.headers.etag, headers.etag);
});

test('an answer that is sent as a stream is compressed on its way', async () => {
  const large = await aProject(api);
  for (let count = 0; count < 3; count += 1) {
    const many = Array.from({ length: 30_000 }, (_, index) => `customer-${count}-${index}`);
    await aDefinedFlag(api, large, { treatments: [{ name: 'on', keys: many }, { name: 'off' }] });
  }
  const url = `${prefix}/splits/ws/${large.id}/environments/${large.staging.id}`;
  const plain = await ask({ url });
  assert.equal(plain.headers['content-length'], undefined, 'it is a stream');
  for (const encoding of ['br', 'gzip']) {
    const answer = await ask({ url, accept: encoding });
    assert.equal(answer.headers['content-encoding'], encoding);
    assert.equal(answer.headers.vary, 'accept-encoding');
    assert.ok(answer.rawPayload.length < plain.rawPayload.length / 2);
    assert.equal(decoders[encoding]?.(answer.rawPayload).toString(), plain.body);
  }
});

test('an answer of less than a kilobyte is sent as it is', async () => {
  const { headers, body } = await ask({ url: `${prefix}/workspaces?limit=1`, accept: 'br' });
  assert.ok(body.length < 1_024);
  assert.equal(headers['content-encoding'], undefined);
  assert.equal(headers.vary, undefined);
});

test('an answer that shows a secret beside what the client sent is never compressed', async () => {
  const environments = [];
  for (let count = 0; count < 20; count += 1) {
    const { body } = await api.post(`/environments/ws/${project.id}`, { name: uniqueName('e') });
    environments.push({ type: 'environment', id: body.id });
  }
  const key = await ask({
    method: 'POST',
    url: `${prefix}/apiKeys`,
    accept: 'br',
    payload: {
      name: uniqueName('key'),
      apiKeyType: 'admin',
      workspace: { type: 'workspace', id: project.id },
      environments,
    },
  });
  const { signedIn } = await setUpAdministrator(api);
  const secondFactor = await ask({
    method: 'POST',
    url: account('/2fa'),
    accept: 'br',
    headers: { ...signedIn.headers, authorization: '' },
    payload: { password: goodPassword },
  });
  for (const { statusCode, body, headers } of [key, secondFactor]) {
    assert.equal(statusCode, 200, body);
    assert.ok(body.length > 1_024, 'long enough that it would be compressed otherwise');
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(headers.vary, undefined);
  }
});

test('a kept answer is kept for each encoding, and not compressed again', onlySqlite, async () => {
  const url = `${prefix}/splits/ws/${project.id}/environments/${project.staging.id}`;
  for (const accept of ['br', 'gzip', undefined]) {
    const readings: Response[] = [];
    const statements = [];
    for (let count = 0; count < 6; count += 1) {
      statements.push(await statementsOf(api.store, async () => void readings.push(await ask({ url, accept }))));
    }
    assert.deepEqual(statements.at(-1), [], 'the last one is answered without a look at the tables');
    const [first, last] = [readings[0], readings.at(-1)];
    assert.ok(first && last);
    assert.equal(last.headers['content-encoding'], accept);
    assert.equal(last.headers.vary, 'accept-encoding');
    assert.equal(Number(last.headers['content-length']), last.rawPayload.length);
    assert.deepEqual(last.rawPayload, first.rawPayload);
    assert.equal(JSON.parse(decoders[String(accept)]?.(last.rawPayload).toString() ?? '').totalCount, 1);
  }
});
