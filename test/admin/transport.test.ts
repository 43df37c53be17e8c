/** What holds for every request. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { InjectOptions } from 'fastify';
import sql from 'sql-template-tag';
import { bodyLimit, prefix } from '#contract/parts.ts';
import { newKeyText, newToken } from '#security/secrets.ts';
import manifest from '../../package.json' with { type: 'json' };
import { type Answer, refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject, uniqueName } from '../support/build.ts';
import { onlySqlite } from '../support/databases.ts';
import { everyEndpoint, pathWith } from '../support/every-endpoint.ts';
import { anSdkKey } from '../support/sdk.ts';

const api = await startApi();
/** A second server, whose database is broken on purpose. */
const broken = await startApi();

/** A request as it goes over the wire, with the first admin key. */
async function send(options: InjectOptions): Promise<Answer> {
  const headers = { authorization: `Bearer ${api.adminKey}`, ...options.headers };
  const reply = await api.app.inject({ ...options, headers });
  const isJson = String(reply.headers['content-type']).startsWith('application/json') && reply.body !== '';
  return { status: reply.statusCode, body: isJson && reply.json(), text: reply.body, headers: reply.headers };
}

const loggedUnder = (transactionId: unknown) => api.log.filter((line) => line.transactionId === transactionId);

test('paths of the Admin API exist only under the prefix', async () => {
  for (const url of [
    '/groups',
    '/api/v2/groups',
    '/internal/api/v1/groups',
    prefix,
    `${prefix}/`,
    `${prefix}/Groups`,
  ]) {
    refused(await send({ url }), 404, `Could not find path ${url}`);
  }
});

test('a trailing slash and doubled slashes change nothing', async () => {
  const expected = (await send({ url: `${prefix}/groups?limit=1` })).text;
  for (const path of [
    '/internal/api/v2/groups/',
    '/internal/api/v2//groups',
    '/internal//api/v2/groups//',
    '//internal/api/v2/groups',
    '//internal//api//v2//groups//',
  ]) {
    assert.equal((await send({ url: `${path}?limit=1` })).text, expected, path);
  }
  const project = await aProject(api);
  const created = await api.post(`//splits/ws/${project.id}//trafficTypes/user/`.slice(1), {
    name: uniqueName('flag'),
  });
  assert.equal(created.status, 200, created.text);
});

test('a path that starts with // is not a host', async () => {
  for (const host of ['example.com', 'user:password@example.com', '127.0.0.1:80', '[::1]']) {
    const url = `//${host}/internal/api/v2/groups`;
    refused(await send({ url }), 404, `Could not find path ${url}`);
  }
});

test('a path segment is percent-decoded; + means itself, or a space if nothing has that name', async () => {
  const [spaced, plus] = [uniqueName('a b/ü'), uniqueName('a+b')];
  const ids: Record<string, string> = {};
  for (const name of [spaced, plus, plus.replace('+', ' ')])
    ids[name] = (await api.post('/workspaces', { name })).body.id;
  for (const [word, name] of [
    [encodeURIComponent(spaced), spaced],
    [encodeURIComponent(spaced).replaceAll('%20', '+'), spaced],
    [plus, plus],
    [encodeURIComponent(plus), plus],
    [plus.replace('+', '%20'), plus.replace('+', ' ')],
  ] as const) {
    const { body } = await api.patch(`/workspaces/${word}`, []);
    assert.equal(body.id, ids[name], word);
  }
});

test('a path that is not a valid URL is refused', async () => {
  for (const path of [
    '/groups/%zz',
    '/groups/%',
    '/groups/%E0%A4%A',
    '/groups/%ff',
    '/groups/%00',
    '/groups?limit=%00',
  ]) {
    const answer = await send({ url: prefix + path });
    refused(answer, 400, /./);
    assert.doesNotMatch(answer.text, /FST_|URIError|malformed/);
  }
});

test('a path segment that is too long finds nothing', async () => {
  const answer = await api.get(`/groups/${'x'.repeat(10_000)}`);
  assert.ok([400, 404].includes(answer.status));
  refused(answer, answer.status, /./);
});

test('JSON is read whatever the content type says', async () => {
  for (const contentType of [
    undefined,
    'application/json',
    'application/json; charset=UTF-8',
    'application/json-patch+json',
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    '*/*',
  ]) {
    const name = uniqueName('group');
    const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
    const answer = await api.post('/groups', { name }, { headers });
    assert.equal(answer.status, 200, `${contentType}: ${answer.text}`);
    assert.equal(answer.body.name, name);
  }
  const name = uniqueName('group');
  const withByteOrderMark = await api.call('POST', '/groups', { text: `\ufeff ${JSON.stringify({ name })}\r\n` });
  assert.equal(withByteOrderMark.body.name, name);
});

test('JSON is read even if the content type is malformed', async () => {
  const refusedTypes: string[] = [];
  for (const contentType of ['', ';', 'json', 'application/json, text/plain', 'application/json; charset']) {
    const answer = await api.post(
      '/groups',
      { name: uniqueName('group') },
      { headers: { 'content-type': contentType } },
    );
    if (answer.status !== 200) refusedTypes.push(contentType);
  }
  assert.deepEqual(refusedTypes, []);
});

test('an empty body is accepted where none is needed, whatever the content type says', async () => {
  const project = await aProject(api);
  const { path, flag } = await aDefinedFlag(api, project);
  const headers = { 'content-type': 'application/json' };
  for (const [method, url] of [
    ['GET', '/groups'],
    ['PUT', `${path}/kill`],
    ['POST', `${path}/restore`],
    ['DELETE', path],
    ['DELETE', `/splits/ws/${project.id}/${flag.name}`],
  ] as const) {
    const answer = await api.call(method, url, { headers, text: '' });
    assert.equal(answer.status, 200, answer.text);
    assert.notEqual(answer.text, '', 'a 200 never has an empty body');
  }
  refused(await api.call('POST', '/groups', { headers, text: '' }), 400, /^body /);
});

test('a body that the endpoint does not use is ignored', async () => {
  for (const payload of ['{ not JSON', '{"__proto__":1}', Buffer.from([0xff])]) {
    const { body: group } = await api.post('/groups', { name: uniqueName('group') });
    const url = `${prefix}/groups/${group.id}`;
    assert.deepEqual((await send({ url, payload })).body, group);
    assert.equal((await send({ method: 'DELETE', url, payload })).text, 'true');
  }
});

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test('a body that is not one plain JSON value is refused', async () => {
  const name = uniqueName('group');
  const bodies: (string | Buffer)[] = [
    '{',
    '{"name":}',
    `{"name":"${name}",}`,
    `{"name":"${name}"} // comment`,
    `{'name':'${name}'}`,
    `name=${name}`,
    'undefined',
    'NaN',
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    Buffer.from(`{"name":"${name}"}`, 'utf16le'),
    `{"name":"${name}","__proto__":{"description":"x"}}`,
    `{"name":"${name}","constructor":{"prototype":{"description":"x"}}}`,
    `{"name":"${name}","more":[{"__proto__":null}]}`,
    `{"name":"${name}\\u0000"}`,
    `{"name":"${name}\\ud800"}`,
    `{"name":"${name}","more":${nested(64)}}`,
    nested(100_000),
    `{"name":"${name}","name":"${name}"}`,
    `{"name":"${name}","n\\u0061me":"${name}"}`,
    `{"name":"${name}","more":[{"a":1,"b":2,"a":1}]}`,
    `{"name":"${name}",${Array.from({ length: 200 }, (_, index) => `"m${index}":0`).join()}}`,
  ];
  const actions = await api.recorded(async () => {
    for (const payload of bodies) {
      refused(await send({ method: 'POST', url: `${prefix}/groups`, payload }), 400, /^The body is not valid JSON: /);
    }
  });
  assert.deepEqual(actions, []);
  assert.equal(({} as { description?: string }).description, undefined);
  const deep = await api.call('POST', '/groups', { text: `{"name":"${name}","more":${nested(63)}}` });
  assert.equal(deep.status, 200, 'ignored members may be nested, up to the limit');
});

test('a compressed body is refused with a hint', async () => {
  const headers = { 'content-encoding': 'gzip' };
  const payload = gzipSync('{"name":"compressed"}');
  refused(
    await send({ method: 'POST', url: `${prefix}/groups`, payload, headers }),
    400,
    'The body is not valid JSON: it is compressed; send it without Content-Encoding',
  );
});

test('a refusal quotes only the beginning of long input', async () => {
  const project = await aProject(api);
  const { path, flag } = await aDefinedFlag(api, project);
  const long = `${'x'.repeat(2_999)}${'\u{1f6a9}'.repeat(100_000)}`;
  const operation = (name: string, value: unknown) => [{ op: 'replace', path: name, value }];
  for (const answer of [
    await api.patch(path, operation(`/${long}`, 1)),
    await api.patch(`/splits/ws/${project.id}/${flag.name}`, operation('/rolloutStatus/id', long)),
    await api.put(path, aDefinition({ defaultTreatment: long, baselineTreatment: long })),
    await api.post('/users', { email: 'someone@example.com', groups: [long] }),
  ]) {
    refused(answer, 400, /x…?$|\ufffd…$/);
    assert.ok(answer.text.length < 10_000, `${answer.text.length} characters`);
  }
});

test('a refusal does not repeat the body, which may contain a secret', async () => {
  for (const text of ['{"password": hunter2hunter2}', 'hunter2hunter2 hunter2', 'hunter2', '{"password":"hunter2"']) {
    const answer = await api.call('POST', '/groups', { text });
    refused(answer, 400, /^The body is not valid JSON: \S/);
    assert.doesNotMatch(answer.text, /unter2/);
  }
});

test('a refusal repeats no key, session token or link token', async () => {
  const [key, token] = [newKeyText('admin'), newToken()];
  refused(await api.delete(`/apiKeys/${key}`), 404, 'Could not find API key burgee_a_…');
  refused(await api.get(`/groups/x${key}`), 404, 'Could not find group xburgee_a_…');
  refused(await api.get(`/groups/${token}`), 404, 'Could not find group …');
  refused(await api.get(`/splits/ws/${token}`), 404, 'Could not find project …');
  const name = 'a_flag_that_has_a_name_as_long_as_a_token_g';
  assert.equal(name.length, token.length);
  refused(await api.get(`/groups/${name}`), 404, `Could not find group ${name}`);
  for (const url of [`/reset/${token}/x`, `/internal/account/invitations/${token}/x`, `/nowhere/${token}`]) {
    refused(await send({ url }), 404, `Could not find path ${url.replace(token, '…')}`);
  }
  refused(await send({ url: `/nowhere/${key}?x` }), 404, 'Could not find path /nowhere/burgee_a_…');
  // Nor the beginning of one where a long path is cut off.
  for (const secret of [key, token]) {
    const { text } = await send({ url: `/${'x'.repeat(179)}/${secret}` });
    assert.ok(!text.includes(secret.slice(0, 18)), text);
  }
});

test('a body of 1 MiB is accepted, one byte more is 413', async () => {
  const bodyOf = (bytes: number) => {
    const empty = JSON.stringify({ name: uniqueName('group'), more: '' });
    return empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`);
  };
  assert.equal((await api.call('POST', '/groups', { text: bodyOf(bodyLimit) })).status, 200);
  const actions = await api.recorded(async () => {
    const request = { method: 'POST', url: `${prefix}/groups` } as const;
    refused(await send({ ...request, payload: bodyOf(bodyLimit + 1) }), 413, /1048576 bytes/);
    const payload = Readable.from([bodyOf(bodyLimit), ' ']);
    const headers = { 'transfer-encoding': 'chunked' };
    refused(await send({ ...request, payload, headers }), 413, /1048576 bytes/);
  });
  assert.deepEqual(actions, []);
});

test('a known path with another method is 405, with the allowed methods', async () => {
  const patterns = everyEndpoint.map(({ method, path }) => ({
    method: method as string,
    pattern: new RegExp(`^${path.replaceAll(/\/:\w+/g, '/[^/]+')}$`),
  }));
  for (const path of new Set(everyEndpoint.map((endpoint) => pathWith(endpoint.path, () => 'x')))) {
    // The words of one path can be parameters of another: an environment can be called "ws".
    const methods = [...new Set(patterns.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])))];
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort();
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      if (methods.includes(method)) continue;
      const answer = await send({ method, url: path });
      refused(answer, 405, `Method ${method} is not allowed here`);
      assert.deepEqual(String(answer.headers.allow).split(', ').sort(), allowed, path);
    }
  }
});

test('a known path with a method that no path has is 405 too', async () => {
  const answer = await send({ method: 'TRACE' as 'OPTIONS', url: `${prefix}/groups` });
  refused(answer, 405, 'Method TRACE is not allowed here');
  assert.ok(answer.headers.allow);
});

test('HEAD returns what GET returns, without the body', async () => {
  const [get, head] = [
    await send({ url: `${prefix}/groups` }),
    await send({ method: 'HEAD', url: `${prefix}/groups` }),
  ];
  assert.deepEqual([head.status, head.text], [200, '']);
  for (const name of ['content-type', 'content-length']) assert.equal(head.headers[name], get.headers[name]);
});

/** One request for each kind of response. */
async function everyKindOfAnswer(): Promise<[status: number, answer: Answer][]> {
  const project = await aProject(api, { requiresTitleAndComments: true });
  const viewer = await api.key({ roles: ['API_FEATURE_FLAG_VIEWER'] });
  const { body: group } = await api.post('/groups', { name: uniqueName('group') });
  const flag = `/splits/ws/${project.id}/trafficTypes/user`;
  const { body } = await api.post(flag, { name: uniqueName('flag') });
  return [
    [200, await api.get('/groups')],
    [200, await api.get(`/environments/ws/${project.id}`)],
    [200, await api.post('/groups', { name: uniqueName('group') })],
    [200, await api.delete(`/groups/${group.id}`)],
    [200, await send({ url: '/health' })],
    [200, await send({ url: '/ready' })],
    [200, await send({ url: '/openapi.json' })],
    [400, await api.post('/groups', {})],
    [400, await api.call('POST', '/groups', { text: '{' })],
    [400, await send({ url: `${prefix}/groups/%zz` })],
    [401, await api.get('/groups', { as: null })],
    [403, await api.post('/groups', { name: 'x' }, { as: viewer })],
    [404, await api.get('/groups/none')],
    [404, await api.get('/nowhere')],
    [405, await api.delete('/groups')],
    [409, await api.post(flag, { name: body.name })],
    [413, await api.call('POST', '/groups', { text: ' '.repeat(bodyLimit + 1) })],
  ];
}

test('every response is JSON in UTF-8', async () => {
  for (const [status, answer] of await everyKindOfAnswer()) {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', answer.text);
  }
});

test('every response has a transaction id, which is also in its log line', async () => {
  const missing: string[] = [];
  for (const [status, answer] of await everyKindOfAnswer()) {
    const id = answer.headers['x-transaction-id'];
    assert.match(String(id), /^[0-9a-z]{11}$/);
    if (status >= 400) assert.equal(answer.body.transactionId, id);
    if (!loggedUnder(id).some((line) => line.status === status)) missing.push(answer.text);
  }
  assert.deepEqual(missing, [], 'answers without a log line');
});

test('the transaction id of a change is in its audit entry', async () => {
  const { headers } = await api.post('/groups', { name: uniqueName('group') });
  assert.equal((await api.lastChange()).transactionId, headers['x-transaction-id']);
});

test('transaction ids increase with time and are unique, even for concurrent requests', async () => {
  const ids: string[] = [];
  const ask = async () => ids.push(String((await send({ url: '/health' })).headers['x-transaction-id']));
  for (let count = 0; count < 1000; count += 1) await ask();
  assert.deepEqual(ids, ids.toSorted());
  await Promise.all(Array.from({ length: 200 }, ask));
  assert.equal(new Set(ids).size, 1200);
});

test('the error body has code, message, details and transaction id, in this order', async () => {
  const { text, headers } = await api.get('/groups/none');
  const id = headers['x-transaction-id'];
  assert.equal(
    text,
    `{"code":404,"message":"Could not find group none","details":"Groups are found by id; GET /groups lists them","transactionId":"${id}"}`,
  );
});

test('a change without the title and comment that the project requires is 400 with an empty body', async () => {
  const project = await aProject(api, { requiresTitleAndComments: true });
  const { body: flag } = await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: uniqueName('flag') });
  const actions = await api.recorded(async () => {
    const { status, text, headers } = await api.delete(`/splits/ws/${project.id}/${flag.name}`);
    assert.deepEqual([status, text, headers['content-length']], [400, '', '0']);
    assert.equal(headers['content-type'], undefined);
    assert.equal(loggedUnder(headers['x-transaction-id'])[0]?.problem, 'note_required');
  });
  assert.deepEqual(actions, []);
});

test('the key is checked first, then the path, then the body', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const as = await api.key({ scope: { kind: 'project', projectId: mine.id }, roles: ['API_FEATURE_FLAG_EDITOR'] });
  const text = '{ not JSON';
  const flagsOf = ({ id }: { id: string }) => `/splits/ws/${id}/trafficTypes/user?title=${'x'.repeat(3000)}`;
  refused(await api.call('POST', flagsOf(mine), { as: 'no such key', text }), 401, 'Invalid Admin API Key');
  refused(await api.call('POST', '/groups', { as, text }), 403, 'Role is insufficient');
  refused(await api.call('POST', flagsOf(other), { as, text }), 404, `Could not find project ${other.id}`);
  refused(await api.call('POST', flagsOf(mine), { as, text }), 400, /./);
});

/** Sends text over a socket, and reads until the server closes it. */
async function exchange(request: string): Promise<string> {
  if (!api.app.server.listening) await api.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(request);
  return textOf(socket);
}

test('a request with a content type and no body is answered at once', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  const head = (key: string) =>
    `HTTP/1.1\r\nHost: flags.test\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n`;
  const sdkKey = await anSdkKey(api, project);
  for (const [request, status] of [
    [`GET ${prefix}/groups ${head(api.adminKey)}`, 200],
    [`PUT ${prefix}${path}/kill ${head(api.adminKey)}`, 200],
    [`POST ${prefix}/groups ${head(api.adminKey)}`, 400],
    [`PUT /internal/uploads/unknown ${head(api.adminKey)}`, 404],
    [`POST /ofrep/v1/evaluate/flags ${head(sdkKey)}`, 400],
    [`POST /api/testImpressions/bulk ${head(sdkKey)}`, 200],
    [`POST /api/testImpressions/beacon ${head(sdkKey)}`, 400],
    [`GET /api/splitChanges ${head('unknown')}`, 401],
  ] as const) {
    assert.match(await exchange(request), new RegExp(`^HTTP/1\\.1 ${status} `), request);
  }
});

test('malformed HTTP gets the error body; well-formed requests over a bare socket work as usual', async () => {
  const head = `HTTP/1.1\r\nHost: flags.test\r\nAuthorization: Bearer ${api.adminKey}\r\nConnection: close\r\n\r\n`;
  assert.match(
    await exchange(`GET //internal/api/v2/groups?limit=1 ${head}`),
    /^HTTP\/1\.1 200 OK\r\n[\s\S]*"totalCount"/,
  );
  assert.match(await exchange(`GET //example.com${prefix}/groups ${head}`), /^HTTP\/1\.1 404 /);
  const expecting = head.replace('\r\n\r\n', '\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\n{}');
  assert.match(await exchange(`POST ${prefix}/groups ${expecting}`), /^HTTP\/1\.1 400 [\s\S]*"transactionId"/);
  for (const request of [
    'NONSENSE\r\n\r\n',
    `GET ${prefix}/groups/a b ${head}`,
    `GET /${'x'.repeat(70_000)} ${head}`,
  ]) {
    const answer = await exchange(request);
    assert.match(answer, /\r\nX-Burgee-Problem: request_invalid\r\n/);
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(answer, /\r\nContent-Type: application\/json; charset=utf-8\r\n/);
    const id = /\r\nX-Transaction-Id: ([0-9a-z]{11})\r\n/.exec(answer)?.[1];
    assert.match(
      answer,
      new RegExp(`\\r\\n\\r\\n{"code":400,"message":"[^"]+","details":"","transactionId":"${id}"}$`),
    );
  }
});

// Only there can a test hold up the request: in the write queue.
test(
  'malformed HTTP after a pending request is not answered, because the reply would be taken for the pending one',
  onlySqlite,
  async () => {
    if (!api.app.server.listening) await api.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const held = api.store.write(() => mayEnd);
    const socket = connect(port, '127.0.0.1');
    const answer = textOf(socket);
    const name = uniqueName('group');
    const body = JSON.stringify({ name, description: '' });
    const head = `Host: flags.test\r\nAuthorization: Bearer ${api.adminKey}\r\nContent-Length: ${body.length}`;
    socket.write(`POST ${prefix}/groups HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    await once(api.app.server, 'request');
    socket.write('NONSENSE\r\n\r\n');
    const text = await answer.catch(() => '');
    end();
    await held;
    assert.equal(text, '');
  },
);

test('an internal error reveals no details, but the log has them', async () => {
  await broken.store.write(async (tx) => {
    await tx.run(sql`alter table groups rename to elsewhere`);
    await tx.run(sql`alter table account rename to nowhere`);
  });
  const actions = await broken.recorded(async () => {
    for (const answer of [await broken.get('/groups'), await broken.post('/groups', { name: 'x' })]) {
      refused(answer, 500, 'Internal error');
      assert.equal(answer.body.details, '');
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      const lines = broken.log.filter((line) => line.transactionId === answer.body.transactionId);
      const [error] = lines.filter((line) => line.level === 50);
      assert.match(JSON.stringify(error), /no such table: groups|relation \\"groups\\" does not exist/);
      assert.ok(lines.some((line) => line.status === 500 && line.problem === 'internal'));
    }
  });
  assert.deepEqual(actions, []);
  const [health, ready] = [await broken.app.inject('/health'), await broken.app.inject('/ready')];
  assert.deepEqual([health.statusCode, ready.statusCode], [200, 503]);
  assert.match(String(ready.headers['retry-after']), /^\d+$/);
  assert.deepEqual(Object.keys(ready.json()), ['code', 'message', 'details', 'transactionId']);
});

test('no key is ever in the log, however it was sent', async () => {
  const texts = [newKeyText('admin'), `${newKeyText('admin').slice(0, -1)}!`, 'a-key-of-sixteen-characters-or-more'];
  const [used, revoked] = [await api.key({}), await api.key({})];
  for (const text of [...texts, used, revoked]) {
    await api.get('/groups', { as: text });
    await api.get('/groups', { as: null, headers: { 'x-api-key': text } });
    await api.get('/groups', { as: null, headers: { authorization: `Basic ${text}` } });
    await api.get(`/groups?key=${text}`);
    await api.get(`/groups/${text}`);
    await api.get(`/nowhere/${text}`);
    await api.get(`/apiKeys/${text}`);
    await api.get(`/groups/%zz${text}`);
    await api.call('POST', '/groups', { text: `${text} is not JSON` });
    await api.post('/groups', { name: { key: text } });
    if (text !== used) await api.delete(`/apiKeys/${encodeURIComponent(text)}`);
  }
  refused(await api.get('/groups', { as: revoked }), 401, 'Invalid Admin API Key');
  const log = JSON.stringify(api.log);
  for (const text of [api.adminKey, used, revoked, ...texts]) assert.equal(log.includes(text), false);
  assert.ok(loggedUnder((await api.get('/groups', { as: used })).headers['x-transaction-id']).length > 0);
});

test('/health has the version of the server', async () => {
  const { body } = await send({ url: '/health' });
  assert.deepEqual(body, { status: 'ok', version: manifest.version });
});

test('the API documents allow only GET and HEAD', async () => {
  for (const url of ['/openapi.json', '/docs']) {
    const answer = await send({ url, method: 'POST' });
    refused(answer, 405, 'Method POST is not allowed here');
    assert.equal(answer.headers.allow, 'GET, HEAD');
  }
});
