/** Streams byte by byte: what SDKs of all languages rely on, and what nobody may get. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { hash64 } from '#domain/hash64.ts';
import { startApi } from '../support/app.ts';
import {
  aDefinedFlag,
  aLargeSegment,
  aProject,
  aRuleBasedSegment,
  aSegment,
  type ProjectFixture,
} from '../support/build.ts';
import { anSdkKey } from '../support/sdk.ts';
import { listenTo, openStream, streamWith, tokenFor, unpacked } from '../support/streams.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const { base } = await listenTo(api);

const flipTo = (treatment: string) => [{ op: 'replace', path: '/defaultRule', value: [{ treatment, size: 100 }] }];

/** The number of the change. */
async function change(path: string, patch: readonly object[]): Promise<number> {
  const answer = await api.patch(path, patch);
  assert.equal(answer.status, 200, answer.text);
  return Number(/^"(\d+)-/.exec(String(answer.headers.etag))?.[1]);
}

const ask = (path: string, key?: string) =>
  fetch(base + path, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } });

const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64').toString());

async function aWorld() {
  const project = await aProject(api);
  const defined = await aDefinedFlag(api, project);
  const [server, client] = [await anSdkKey(api, project), await anSdkKey(api, project, 'client_side')];
  return { project, server, client, ...defined };
}

test('a token lasts an hour, names its channels, and reads the same in plain base64', async () => {
  const { project, server, client } = await aWorld();
  for (const path of ['/api/v2/auth', '/api/auth']) {
    const reply = await ask(`${path}?s=1.3`, server);
    assert.deepEqual(
      ['content-type', 'cache-control', 'access-control-allow-origin'].map((name) => reply.headers.get(name)),
      ['application/json; charset=utf-8', 'no-store', '*'],
    );
    const { pushEnabled, token, connDelay } = (await reply.json()) as Record<string, string>;
    assert.deepEqual([pushEnabled, connDelay], [true, 0]);
    assert.match(String(token), /^[A-Za-z0-9]+\.[A-Za-z0-9]+\.[\w-]+$/);
    const { iat, exp, 'x-ably-capability': capability } = payloadOf(String(token));
    assert.equal(exp - iat, 3_600);
    const control = ['subscribe', 'channel-metadata:publishers'];
    assert.deepEqual(JSON.parse(capability), {
      [`${project.staging.id}_flags`]: ['subscribe'],
      [`${project.staging.id}_segments`]: ['subscribe'],
      control_pri: control,
      control_sec: control,
    });
  }
  const { 'x-ably-capability': capability } = payloadOf(await tokenFor(base, client, '&users=ana~%3F%3E%C3%A4'));
  assert.ok(`${project.staging.id}_memberships` in JSON.parse(capability));
});

test('only SDK keys get a token, and client-side ones only for users', async () => {
  const { server, client } = await aWorld();
  const refusals: [key: string | undefined, status: number, message: string][] = [
    [undefined, 401, 'Invalid credentials'],
    ['burgee_s_unknown', 401, 'Invalid credentials'],
    [api.adminKey, 401, 'Invalid credentials'],
    [client, 400, 'no user specified'],
  ];
  for (const [key, status, message] of refusals) {
    const reply = await ask('/api/v2/auth?s=1.3', key);
    assert.deepEqual([reply.status, await reply.json()], [status, { code: status, message }]);
  }
  for (const query of ['', '?s=1.0', '?s=1.4', '?s=x&users=ana']) {
    assert.equal((await ask(`/api/v2/auth${query}`, server)).status, 200, query);
  }
});

test('a stream greets at once with a keepalive and publishers on both control channels', async () => {
  const { server } = await aWorld();
  for (const path of ['/sse', '/event-stream']) {
    const keepingAlive = { connection: 'keep-alive' };
    const stream = await streamWith(base, await tokenFor(base, server), { path, headers: keepingAlive });
    await until('the greeting', () => stream.frames().length === 2);
    const { headers } = stream.response;
    // It has no length: its end is that of the connection.
    assert.deepEqual([headers.connection, headers['keep-alive']], ['close', undefined]);
    assert.deepEqual(
      [headers['content-type'], headers['access-control-allow-origin'], headers['x-accel-buffering']],
      ['text/event-stream; charset=utf-8', '*', 'no'],
    );
    assert.ok(stream.text().startsWith(':keepalive\n\nid: '));
    assert.match(stream.text(), /\nevent: message\ndata: \{/);
    assert.deepEqual(
      stream.frames().map(({ channel, name, message }) => [channel, name, message]),
      ['pri', 'sec'].map((which) => [
        `[?occupancy=metrics.publishers]control_${which}`,
        '[meta]occupancy',
        { metrics: { publishers: 1 } },
      ]),
    );
    stream.close();
  }
});

test('HEAD of a stream ends, and nothing else than GET opens one', async () => {
  const { server } = await aWorld();
  const url = `${base}/sse?accessToken=${await tokenFor(base, server)}`;
  assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
  assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  const preflight = await fetch(url, { method: 'OPTIONS' });
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*']);
});

test('a token that was changed, forged, or is over opens nothing', async () => {
  const { server, client } = await aWorld();
  const [token, other] = [await tokenFor(base, server), await tokenFor(base, client, '&users=ana')];
  const [header = '', claims = '', signature = ''] = token.split('.');
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const longer = encode({ ...payloadOf(token), exp: payloadOf(token).exp + 3_600 });
  const none = encode({ alg: 'none', typ: 'JWT' });
  const bySomeone = createHmac('sha256', 'secret').update(`${header}.${claims}`).digest('base64url');
  const hostile = [
    '',
    'x',
    '..',
    `${header}.${claims}.`,
    `${header}.${claims}`,
    `${token}.`,
    `${token}x`,
    `${header}.${longer}.${signature}`,
    `${header}.${other.split('.')[1]}.${signature}`,
    `${none}.${claims}.`,
    `${none}.${claims}.${signature}`,
    `${header}.${claims}.${bySomeone}`,
    `${token}${'A'.repeat(20_000)}`,
    '%00',
    encodeURIComponent(JSON.stringify({ $ne: null })),
  ];
  for (const each of hostile) {
    const reply = await ask(`/sse?channels=a&accessToken=${each}`);
    assert.deepEqual([reply.status, await reply.json()], [401, { code: 401, message: 'Invalid token' }], each);
  }
  const stream = await streamWith(base, token);
  stream.close();
  api.clock.now = Date.now() + 3_601_000;
  assert.equal((await ask(`/sse?accessToken=${token}`)).status, 401);
  api.clock.now = undefined;
});

test('a revoked key loses its streams, and its tokens open no more', async () => {
  const { project, client } = await aWorld();
  const { body } = await api.post('/apiKeys', {
    name: 'to revoke',
    apiKeyType: 'server_side',
    workspace: { id: project.id },
    environments: [{ id: project.staging.id }],
  });
  const token = await tokenFor(base, body.key);
  const [stream, other] = [await streamWith(base, token), await openStream(base, client, '&users=ana')];
  assert.equal((await api.delete(`/apiKeys/${body.id}`)).status, 200);
  await stream.ended;
  assert.equal((await ask(`/sse?accessToken=${token}`)).status, 401);
  assert.equal(other.response.destroyed, false);
});

test('streams end after a restore, because SDKs must read everything again', async () => {
  const { project, server } = await aWorld();
  const [stream, other] = [await openStream(base, server), await openStream(base, (await aWorld()).server)];
  await api.store.write((tx) =>
    tx.run(sql`update environments set change_number = change_number - 1000 where id = ${project.staging.id}`),
  );
  await stream.ended;
  assert.equal(other.response.destroyed, false);
});

test('each flag of a change has its message, with the number before it', async () => {
  const { project, path, flag, server, client } = await aWorld();
  const streams = [await openStream(base, server), await openStream(base, client, '&users=ana')];
  const old = await openStream(base, server, '').then(async () => {
    const reply = await ask('/api/v2/auth?s=1.2', server);
    return streamWith(base, ((await reply.json()) as { token: string }).token);
  });
  const numbers = [await change(path, flipTo('on'))];
  numbers.push(await change(path, flipTo('off')));
  for (const stream of streams) {
    const [first, second] = [
      await stream.receives('SPLIT_UPDATE', numbers[0] ?? 0),
      await stream.receives('SPLIT_UPDATE', numbers[1] ?? 0),
    ];
    assert.equal(second.pcn, first.changeNumber);
    const sent = JSON.parse(unpacked(second));
    assert.deepEqual([sent.name, sent.changeNumber, sent.killed], [flag.name, numbers[1], false]);
    assert.equal(stream.frames().at(-1)?.channel, `${project.staging.id}_flags`);
  }
  assert.deepEqual(await old.receives('SPLIT_UPDATE', numbers[1] ?? 0), {
    type: 'SPLIT_UPDATE',
    changeNumber: numbers[1],
  });
});

test('SDKs for Ruby and .NET, which lose a message that is cut, are told to fetch', async () => {
  const { project, path, server } = await aWorld();
  const { name } = await aRuleBasedSegment(api, project, [project.staging]);
  const sdks = ['ruby-8.10.1', '.NET_CORE-7.12.0', '.NET-7.12.0'];
  const streams = await Promise.all(
    sdks.map(async (splitsdkversion) =>
      streamWith(base, await tokenFor(base, server), { path: '/event-stream', headers: { splitsdkversion } }),
    ),
  );
  const rules = {
    rules: [{ condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', strings: ['ana'] }] } }],
  };
  const place = `/rule-based-segments/ws/${project.id}/${name}/environments/${project.staging.id}`;
  assert.equal((await api.put(place, rules)).status, 200);
  const number = await change(path, flipTo('on'));
  for (const stream of streams) {
    await stream.receives('SPLIT_UPDATE', number);
    const [segment, flag] = stream.messages();
    assert.deepEqual(segment, { type: 'RB_SEGMENT_UPDATE', changeNumber: segment?.changeNumber });
    assert.deepEqual(flag, { type: 'SPLIT_UPDATE', changeNumber: number });
  }
});

test('a kill comes before the update', async () => {
  const { path, flag, server } = await aWorld();
  const stream = await openStream(base, server);
  const { headers } = await api.put(`${path}/kill`);
  const number = Number(/^"(\d+)-/.exec(String(headers.etag))?.[1]);
  await stream.receives('SPLIT_UPDATE', number);
  assert.deepEqual(
    stream.messages().map(({ type }) => type),
    ['SPLIT_KILL', 'SPLIT_UPDATE'],
  );
  const [kill] = stream.messages();
  assert.deepEqual(kill, {
    type: 'SPLIT_KILL',
    changeNumber: number,
    splitName: flag.name,
    defaultTreatment: 'off',
  });
});

test('streams hear of their own environment only', async () => {
  const { project, path, server } = await aWorld();
  const elsewhere = await aWorld();
  const [stream, foreign] = [await openStream(base, server), await openStream(base, elsewhere.server)];
  const production = await anSdkKey(api, { ...project, staging: project.production });
  const neighbour = await openStream(base, production);
  await stream.receives('SPLIT_UPDATE', await change(path, flipTo('on')));
  const last = await change(elsewhere.path, flipTo('on'));
  await foreign.receives('SPLIT_UPDATE', last);
  assert.deepEqual([stream.messages().length, foreign.messages().length, neighbour.messages().length], [1, 1, 0]);
});

const hashOf = (key: string) => {
  const { high, low } = hash64(key);
  return String((BigInt(high) << 32n) | BigInt(low));
};

/** A flag that names a segment, so that its keys are delivered. */
async function aNamedSegment(project: ProjectFixture) {
  const { name } = await aSegment(api, project, [project.staging]);
  await aDefinedFlag(api, project, { treatments: [{ name: 'on', segments: [name] }, { name: 'off' }] });
  const path = `/segments/${project.staging.id}/${name}`;
  const send = async (verb: 'uploadKeys' | 'removeKeys', keys: readonly string[]) => {
    const { status, text } = await api.put(`${path}/${verb}`, { keys });
    assert.equal(status, 200, text);
  };
  return { name, send };
}

test('changed keys of a segment: clients get hashes, servers the name', async () => {
  const { project, server, client } = await aWorld();
  const { name, send } = await aNamedSegment(project);
  const old = await streamWith(
    base,
    ((await (await ask('/api/auth?users=ana', client)).json()) as { token: string }).token,
  );
  const [forServer, forClient] = [await openStream(base, server), await openStream(base, client, '&users=ana')];
  await send('uploadKeys', ['key1', 'böb']);
  await until('all have it', () => [old, forServer, forClient].every((stream) => stream.messages().length > 0));
  const [update] = forServer.messages();
  assert.deepEqual(update, { type: 'SEGMENT_UPDATE', changeNumber: update?.changeNumber, segmentName: name });
  const [membership] = forClient.messages();
  assert.deepEqual(
    [membership?.type, membership?.cn, membership?.n, membership?.u],
    ['MEMBERSHIPS_MS_UPDATE', update?.changeNumber, [name], 2],
  );
  const hashes = ['key1', 'böb'].map(hashOf);
  assert.ok(hashes.includes('1573573083296714675'), 'the vector of the vendor');
  for (const message of [membership, old.messages()[0]]) {
    const sent = unpacked(message ?? {});
    assert.deepEqual(new Set(sent.match(/\d+/g)), new Set(hashes));
    assert.match(sent, /^\{"a":\[\d+,\d+\],"r":\[\]\}$/);
  }
  assert.deepEqual(
    [old.messages()[0]?.type, old.messages()[0]?.segmentName, old.messages()[0]?.changeNumber],
    ['MY_SEGMENTS_UPDATE_V2', name, update?.changeNumber],
  );
});

test('the same key twice within moments is told to fetch, because SDKs forget one of two lists', async () => {
  const { project, client } = await aWorld();
  const { send } = await aNamedSegment(project);
  const stream = await openStream(base, client, '&users=ana');
  await send('uploadKeys', ['ana', 'bob']);
  await until('the first list', () => stream.messages().length === 1);
  await send('removeKeys', ['ana']);
  await until('the second message', () => stream.messages().length === 2);
  const { u, i, h } = stream.messages()[1] ?? {};
  assert.deepEqual([u, h], [1, 1]);
  assert.ok(Number(i) >= 1 && Number(i) <= 60_000);
  const bitmap = Buffer.from(unpacked(stream.messages()[1] ?? {}), 'latin1');
  const { low } = hash64('ana');
  const bit = low % (bitmap.length * 8);
  assert.equal(((bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1, 1);
});

test('10,000 keys are listed in pieces that every SDK can unpack', async () => {
  const { project, client } = await aWorld();
  const { send } = await aNamedSegment(project);
  const stream = await openStream(base, client, '&users=ana');
  const keys = Array.from({ length: 10_000 }, (_, index) => `user-${index}`);
  await send('uploadKeys', keys);
  const listed = () => stream.messages().flatMap((message) => unpacked(message).match(/\d+/g) ?? []);
  await until('all are listed', () => listed().length === keys.length);
  assert.deepEqual(new Set(listed()), new Set(keys.map(hashOf)));
  for (const message of stream.messages()) assert.ok(unpacked(message).length < 65_536);
  assert.equal(new Set(stream.messages().map(({ cn }) => cn)).size, 1);
});

test('a large segment is announced for clients alone, without keys', async () => {
  const { project, server, client } = await aWorld();
  const { name } = await aLargeSegment(api, project, [project.staging]);
  const { path } = await aDefinedFlag(api, project, {
    treatments: [{ name: 'on', segments: [name] }, { name: 'off' }],
  });
  const [forServer, forClient] = [await openStream(base, server), await openStream(base, client, '&users=ana')];
  const upload = { largeSegment: { name }, operationType: 'UPLOAD' };
  const { body } = await api.post(`/changeRequests/ws/${project.id}/environments/${project.staging.id}`, upload);
  const address = new URL(body.transactionMetadata.url).pathname;
  assert.equal((await api.put(address, undefined, { as: null, text: 'user-1\nuser-2\n' })).status, 200);
  await until('it is announced', () => forClient.messages().length > 0);
  const { type, u, n } = forClient.messages()[0] ?? {};
  assert.deepEqual([type, u, n], ['MEMBERSHIPS_LS_UPDATE', 0, [name]]);
  await forServer.receives('SPLIT_UPDATE', await change(path, flipTo('on')));
  assert.equal(forServer.messages().length, 1);
});

test('no number is announced before it can be read', async () => {
  const { project, path, server } = await aWorld();
  const stream = await openStream(base, server);
  const late: unknown[] = [];
  let polled = 0;
  let isOver = false;
  const poll = async () => {
    const reply = await ask('/api/splitChanges?s=1.3&since=-1&rbSince=-1', server);
    return ((await reply.json()) as { ff: { t: number } }).ff.t;
  };
  const watch = async () => {
    while (!isOver || polled < stream.messages().length) {
      await until('a message', () => isOver || polled < stream.messages().length);
      const said = Math.max(...stream.messages().map(({ changeNumber }) => Number(changeNumber)));
      polled = stream.messages().length;
      const found = await poll();
      if (found < said) late.push({ said, found });
    }
  };
  const watching = watch();
  const others = await Promise.all(Array.from({ length: 4 }, () => aDefinedFlag(api, project)));
  const flip = async (at: string) => {
    for (const to of ['on', 'off', 'on', 'off', 'on', 'off', 'on', 'off']) await change(at, flipTo(to));
  };
  await Promise.all([path, ...others.map((other) => other.path)].map(flip));
  const last = await poll();
  await until('the last number', () => stream.messages().some(({ changeNumber }) => changeNumber === last));
  isOver = true;
  await watching;
  assert.ok(polled > 5);
  assert.deepEqual(late, []);
  const numbers = stream.messages().map(({ changeNumber }) => Number(changeNumber));
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
});
