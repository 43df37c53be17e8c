/** What people are shown of connected SDKs. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SplitFactory } from '@splitsoftware/splitio';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { createSdks, toCaller } from '#delivery/sdks.ts';
import { type Convergence, type EnvironmentSdks, merged, type Sighting, toConvergence } from '#domain/sdks.ts';
import { startSdkSharing } from '#jobs/sdk-sharing.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject, type ProjectFixture } from '../support/build.ts';
import { anSdkKey, listening } from '../support/sdk.ts';
import { openStream, streamWith, tokenFor } from '../support/streams.ts';

const api = await startApi();
const url = await listening(api);

const shown = async (project: ProjectFixture, environment = project.staging, as?: string): Promise<EnvironmentSdks> => {
  const path = `/environments/ws/${project.id}/${environment.id}/sdks`;
  const { status, body } = await api.get(path, as === undefined ? {} : { as });
  assert.equal(status, 200);
  return body;
};

const convergence = async (project: ProjectFixture): Promise<Convergence> =>
  (await api.get(`/environments/ws/${project.id}/${project.staging.id}/convergence`)).body;

async function until<Result>(look: () => Promise<Result | undefined | false>): Promise<Result> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await pause(20)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error('It did not happen within ten seconds');
}

/** A request of an SDK, as one would send it: over a socket, because an SDK has what the system has taken. */
async function send(path: string, key: string, { version = 'go-6.8.0', machine = 'ip-10-0-0-7', body }: Sent = {}) {
  const reply = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${key}`, splitsdkversion: version, splitsdkmachinename: machine },
  });
  await reply.text();
  return reply;
}

interface Sent {
  readonly version?: string;
  readonly machine?: string;
  readonly body?: unknown;
}

const impressions = (flag: string, count: number, at = Date.now()) => [
  {
    f: flag,
    i: Array.from({ length: count }, (_, index) => ({ k: `user-${index}`, t: 'on', m: at + index, r: 'why' })),
  },
];

test('an SDK is shown with its version, machine, key, first fetch, time to ready and answers', async () => {
  const project = await aProject(api);
  const { flag } = await aDefinedFlag(api, project);
  assert.deepEqual((await shown(project)).sdks, []);
  const key = await anSdkKey(api, project);
  const factory = SplitFactory({
    core: { authorizationKey: key },
    urls: { sdk: `${url}/api`, events: `${url}/api`, auth: `${url}/api`, streaming: url, telemetry: `${url}/api` },
    streamingEnabled: false,
    sync: { impressionsMode: 'DEBUG' },
    scheduler: { impressionsRefreshRate: 0.1 },
  });
  after(() => factory.client().destroy());
  await factory.client().ready();
  const treatment = factory.client().getTreatment('user-4717', flag.name);

  const { sdks, answers, connected } = await until(async () => {
    const all = await shown(project);
    return all.answers.length > 0 && all.sdks[0]?.readyMilliseconds !== undefined && all;
  });
  assert.equal(connected, 1);
  const [sdk] = sdks;
  assert.equal(sdk?.sdk, 'nodejs-11.11.2');
  assert.equal(sdk.machine, hostname().replaceAll('.', '-'));
  assert.equal(sdk.key?.lastFour, key.slice(-4));
  assert.equal(sdk.streams, 0);
  assert.deepEqual([sdk.pollMilliseconds, sdk.isClientSide], [60_000, undefined]);
  assert.match(sdk.ip ?? '', /^[\d.:a-f]+$/);
  assert.equal(sdk.fetch?.flags, 1);
  assert.ok(sdk.fetch.bytes > 100 && sdk.fetch.milliseconds < 5_000);
  const [answer] = answers;
  assert.deepEqual([answer?.flag, answer?.key, answer?.treatment], [flag.name, 'user-4717', treatment]);
  assert.ok(answer && Math.abs(answer.receivedAt - answer.at) < 5_000);
  assert.deepEqual((await shown(project, project.production)).answers, [], 'other environments have their own');
});

test('an SDK that has not been seen for three minutes does not count as connected', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  api.clock.now = Date.now();
  try {
    await send('/api/splitChanges?s=1.3&since=-1', key);
    assert.equal((await shown(project)).connected, 1);
    api.clock.now += 180_001;
    const { connected, sdks } = await shown(project);
    assert.deepEqual([connected, sdks.length], [0, 1]);
  } finally {
    api.clock.now = undefined;
  }
});

test('an SDK that streams comes first, and one that closes its stream and is not seen again is not connected', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  const stream = await openStream(url, key);
  await send('/api/splitChanges?s=1.3&since=-1', key);
  const both = await shown(project);
  assert.deepEqual([both.connected, both.sdks.map(({ streams }) => streams)], [2, [1, 0]]);
  stream.close();
  const after = await until(async () => {
    const all = await shown(project);
    return all.connected === 1 && all;
  });
  const closed = after.sdks.find(({ sdk }) => sdk === 'unknown');
  assert.equal(closed?.streamedUntil, closed?.lastSeenAt);
  // It polls, because its stream was cut.
  await send('/api/splitChanges?s=1.3&since=-1', key, { version: 'unknown', machine: '' });
  assert.equal((await shown(project)).connected, 2);
});

test('processes on one machine with the same key count once, browsers and apps each', async () => {
  const project = await aProject(api);
  const server = await anSdkKey(api, project);
  const browser = await anSdkKey(api, project, 'client_side');
  const streams = await Promise.all(
    [server, server, browser, browser].map((key) => openStream(url, key, key === browser ? '&users=ana' : '')),
  );
  const { connected, clients } = await shown(project);
  assert.deepEqual([connected, clients], [1, 2]);
  for (const stream of streams) stream.close();
});

test('a refused key is shown by its last four characters, only to those who can read all keys', async () => {
  const project = await aProject(api);
  const wrong = 'burgee_s_wrong-key-9fKc';
  assert.equal((await send('/api/splitChanges?s=1.3&since=-1', wrong)).status, 401);
  const { refused } = await shown(project);
  assert.deepEqual(
    refused.filter(({ lastFour }) => lastFour === '9fKc').map(({ sdk }) => sdk),
    ['go-6.8.0'],
  );
  assert.ok(!JSON.stringify(refused).includes('wrong'));
  const scope = { kind: 'project', projectId: project.id } as const;
  for (const fields of [{ scope }, { roles: ['API_FEATURE_FLAG_VIEWER'] as const }]) {
    assert.deepEqual((await shown(project, project.staging, await api.key(fields))).refused, []);
  }
});

test('an SDK whose connection breaks before it is answered does not have what it asked for', async () => {
  const project = await aProject(api);
  for (let made = 0; made < 4; made += 1) await aDefinedFlag(api, project);
  const key = await anSdkKey(api, project);
  const { port, hostname: host } = new URL(url);
  const socket = connect(Number(port), host);
  const sdk = ['splitsdkversion: go-6.8.0', 'splitsdkmachinename: gone'];
  const headers = [`authorization: Bearer ${key}`, 'accept-encoding: gzip', ...sdk];
  // To compress the answer takes a moment.
  socket.write(
    `GET /api/splitChanges?s=1.3&since=-1 HTTP/1.1\r\nhost: ${host}\r\n${headers.join('\r\n')}\r\n\r\n`,
    () => socket.resetAndDestroy(),
  );
  const seen = await until(async () => (await shown(project)).sdks[0]);
  assert.equal(seen.machine, 'gone');
  assert.equal(seen.changeNumber, undefined);
});

test('which key an SDK uses is shown only to those who can read keys', async () => {
  const project = await aProject(api);
  await send('/api/splitChanges?s=1.3&since=-1', await anSdkKey(api, project));
  const viewer = await api.key({ roles: ['API_FEATURE_FLAG_VIEWER'] });
  const [sdk] = (await shown(project, project.staging, viewer)).sdks;
  assert.equal(sdk?.sdk, 'go-6.8.0');
  assert.equal(sdk.key, undefined);
});

test('one with a client-side key is counted without its machine, and is not waited for', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project, 'client_side');
  for (const machine of ['one', 'two', '']) {
    await send('/api/splitChanges?s=1.3&since=5', key, { version: 'browserjs-1.7.1', machine });
  }
  const { sdks } = await shown(project);
  assert.deepEqual(
    sdks.map(({ machine, isClientSide }) => [machine, isClientSide]),
    [[undefined, true]],
  );
  const { instances, clients, isReached } = await convergence(project);
  assert.deepEqual([instances, clients, isReached], [0, 1, false]);
});

test('one that polled and is quiet for three minutes is silent, unless it said that it stops, until an hour has passed', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  const key = await anSdkKey(api, project);
  const quiet = { version: 'go-6.8.0', machine: 'quiet' };
  const stopped = { version: 'go-6.8.0', machine: 'stopped' };
  api.clock.now = Date.now();
  try {
    for (const one of [quiet, stopped]) await send('/api/splitChanges?s=1.3&since=-1', key, one);
    const { changeNumber: before } = await convergence(project);
    await api.put(path, aDefinition({ trafficAllocation: 1 }));
    const { instances, stragglers, silent } = await convergence(project);
    assert.deepEqual([instances, stragglers.length, silent], [2, 2, 0]);
    await send('/api/v1/metrics/usage', key, { ...stopped, body: { sL: 5_000 } });
    assert.equal((await convergence(project)).instances, 1);
    api.clock.now += 180_001;
    const later = await convergence(project);
    assert.deepEqual([later.instances, later.silent, later.isReached], [0, 1, false]);
    assert.deepEqual(
      later.silentSdks.map(({ machine, changeNumber }) => [machine, changeNumber]),
      [['quiet', before]],
    );
    // It runs again.
    await send('/api/splitChanges?s=1.3&since=5', key, stopped);
    assert.equal((await convergence(project)).instances, 1);
    api.clock.now += 3_600_001;
    assert.equal((await convergence(project)).silent, 0);
  } finally {
    api.clock.now = undefined;
  }
});

test('an SDK has what a poll was answered with; a request without its version does not count, nor a start as an arrival', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  const key = await anSdkKey(api, project);
  for (const since of [-1, 1]) await api.call('GET', `/api/splitChanges?s=1.3&since=${since}`, { as: key });
  assert.equal((await convergence(project)).instances, 0);
  const state = async () => {
    const { instances, converged, arrivals } = await convergence(project);
    return [instances, converged, arrivals.length];
  };
  await send('/api/splitChanges?s=1.3&since=-1', key);
  assert.deepEqual(await state(), [1, 1, 0]);
  const { changeNumber } = await convergence(project);
  await api.put(path, aDefinition({ trafficAllocation: 1 }));
  assert.deepEqual(await state(), [1, 0, 0]);
  await send(`/api/splitChanges?s=1.3&since=${changeNumber}`, key);
  assert.deepEqual(await state(), [1, 1, 1]);
  await api.put(path, aDefinition({ trafficAllocation: 2 }));
  // It is restarted.
  await send('/api/splitChanges?s=1.3&since=-1', key);
  assert.deepEqual(await state(), [1, 1, 0]);
});

test('an SDK whose stream only tells it to fetch has a change once it has fetched it', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  const key = await anSdkKey(api, project);
  const ruby = { version: 'ruby-8.10.1', machine: 'ruby' };
  await send('/api/splitChanges?s=1.3&since=-1', key, ruby);
  const { changeNumber } = await convergence(project);
  const headers = { splitsdkversion: ruby.version, splitsdkmachinename: ruby.machine };
  const streams = [await streamWith(url, await tokenFor(url, key), { headers }), await openStream(url, key)];
  await api.put(path, aDefinition({ trafficAllocation: 1 }));
  const told = await until(async () => {
    const all = await convergence(project);
    return all.converged > 0 && all;
  });
  assert.deepEqual(
    told.stragglers.map(({ machine }) => machine),
    ['ruby'],
  );
  await send(`/api/splitChanges?s=1.3&since=${changeNumber}`, key, ruby);
  assert.equal((await convergence(project)).converged, 2);
  for (const stream of streams) stream.close();
});

test('an SDK that polls one node and streams from another has a change once it was sent, after the time that it took', () => {
  let now = 1_000_000;
  const [polled, streamed] = [createSdks(() => now), createSdks(() => now)];
  const key = { id: 'k', environmentId: 'e', type: 'server_side' } as const;
  const caller = toCaller({ key, sdk: 'java-4.18.3', machine: 'm' });
  polled.has(caller, 900_000, '1.3');
  const end = streamed.streaming(caller);
  const state = (changeNumber: number) => {
    const sightings = [polled.sighting('e'), streamed.sighting('e')];
    const { instances, converged, arrivals } = toConvergence(merged(sightings), { changeNumber, min: 100 }, now);
    return [instances, converged, arrivals];
  };
  assert.deepEqual(state(1_000_100), [1, 0, []]);
  now = 1_000_140;
  streamed.streamed('e', 1_000_100);
  assert.deepEqual(state(1_000_100), [1, 1, [40]]);
  // Polling again, it says so to the other node.
  now = 1_060_000;
  polled.has(caller, 1_000_100, '1.3');
  assert.deepEqual(state(1_000_100), [1, 1, [40]]);
  end();
});

test('what an old protocol lacks is reported, with what to do', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  const adviceOf = async (version: string, spec: string) => {
    await send(`/api/splitChanges?s=${spec}&since=5`, key, { version });
    return (await shown(project)).sdks.find(({ sdk }) => sdk === version)?.advice;
  };
  assert.match(
    (await adviceOf('nodejs-10.28.0', '1.1')) ?? '',
    /large segments or rule-based.*Update the SDK to 11\.4/,
  );
  assert.match((await adviceOf('nodejs-11.11.2', '1.2')) ?? '', /rule-based segments may not reach it.*Restart it/);
  assert.match((await adviceOf('java-4.11.0', '1.1')) ?? '', /Update the SDK\.$/);
  assert.equal(await adviceOf('python-10.5.1', '1.3'), undefined);
});

test('memory is bounded: 2,500 SDKs of an environment and 100 with client-side keys, the newest', () => {
  const sdks = createSdks(Date.now);
  const environmentId = 'e';
  const server = { id: 's', environmentId, type: 'server_side' } as const;
  const client = { id: 'c', environmentId, type: 'client_side' } as const;
  sdks.streaming(toCaller({ key: server, sdk: 'go-6.8.0', machine: 'streams' }));
  for (let n = 0; n < 2_600; n += 1) sdks.seen(toCaller({ key: server, sdk: 'go-6.8.0', machine: `m${n}` }));
  for (let n = 0; n < 5_000; n += 1) sdks.seen(toCaller({ key: client, sdk: `made-up-${n}`, machine: `m${n}` }));
  const [{ sdks: kept } = { sdks: [] }] = sdks.look(environmentId);
  const [clients = [], servers = []] = [true, false].map((is) =>
    kept.filter(({ isClientSide = false }) => isClientSide === is),
  );
  assert.deepEqual([servers.length, clients.length], [2_500, 100]);
  assert.ok(
    servers.some(({ machine }) => machine === 'streams'),
    'one in use stays',
  );
  assert.ok(servers.some(({ machine }) => machine === 'm2599') && clients.some(({ sdk }) => sdk === 'made-up-4999'));
});

test('500 SDKs and 100 answers of an environment are listed, the newest', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  await shown(project);
  for (let index = 0; index < 520; index += 1) {
    await send('/api/splitChanges?s=1.3&since=5', key, { machine: `machine-${index}` });
  }
  await send('/api/testImpressions/bulk', key, { body: impressions('flag', 150, 1_000) });
  const { sdks, answers } = await shown(project);
  assert.deepEqual([sdks.length, answers.length], [500, 100]);
  assert.ok(sdks.some(({ machine }) => machine === 'machine-519'));
  assert.ok(!sdks.some(({ machine }) => machine === 'machine-0'));
  assert.deepEqual([answers[0]?.at, answers.at(-1)?.at], [1_149, 1_050]);
});

test('bodies that are not what SDKs send are accepted, and shown nowhere', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  const odd = [
    'text',
    7,
    null,
    [null, { f: 1, i: [{}] }, { f: 'flag', i: [{ k: 'a', t: 'on', m: 'soon' }] }],
    { i: 1 },
  ];
  for (const body of odd) {
    await shown(project);
    assert.equal((await send('/api/testImpressions/bulk', key, { body })).status, 200);
    assert.equal((await send('/api/v1/metrics/config', key, { body })).status, 200);
  }
  assert.deepEqual((await shown(project)).answers, []);
});

test('while nobody looks, the answers of one body a second are kept', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  api.clock.now = Date.now();
  try {
    for (const at of [1, 2, 3]) await send('/api/testImpressions/bulk', key, { body: impressions('flag', 1, at) });
    api.clock.now += 1_000;
    await send('/api/testImpressions/bulk', key, { body: impressions('flag', 1, 4) });
    assert.deepEqual(
      (await shown(project)).answers.map(({ at }) => at),
      [4, 1],
    );
    await send('/api/testImpressions/bulk', key, { body: impressions('flag', 1, 5) });
    await send('/api/testImpressions/bulk', key, { body: impressions('flag', 1, 6) });
    assert.equal((await shown(project)).answers.length, 4);
  } finally {
    api.clock.now = undefined;
  }
});

test('the last use of an SDK key is saved', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  const usedAt = async () => {
    const { body } = await api.get('/apiKeys?limit=200');
    return body.objects.find(({ lastFour }: { lastFour: string }) => lastFour === key.slice(-4)).lastUsedAt;
  };
  assert.equal(await usedAt(), undefined);
  await send('/api/splitChanges?s=1.3&since=-1', key);
  await until(usedAt);
});

test('nodes share what they see while someone looks, and remove it afterwards', async () => {
  const project = await aProject(api);
  const environmentId = project.staging.id;
  const { store } = api;
  const [here, there] = [createSdks(() => store.clock()), createSdks(() => store.clock())];
  const log = pino({ level: 'silent' });
  const jobs = [here, there].map((sdks) => startSdkSharing({ store, log, sdks, everyMs: 10 }));
  after(() => Promise.all(jobs.map((job) => job.stop())));
  const key = { id: 'k', environmentId, type: 'server_side', lastFour: 'abcd' } as const;
  const caller = toCaller({ key, sdk: 'python-10.5.1', machine: 'm' });
  const rows = async () =>
    (await store.all<{ node: string }>(sql`select node from sdk_sightings where environment_id = ${environmentId}`))
      .length;

  there.ready(caller, { readyMilliseconds: 40 });
  const end = there.streaming(caller);
  await pause(60);
  assert.equal(await rows(), 0, 'nobody looks');

  const sdksOf = (sightings: readonly Sighting[]) => sightings.flatMap(({ sdks }) => sdks);
  const [seen] = await until(async () => {
    const found = sdksOf(here.look(environmentId));
    return found.length > 0 && found;
  });
  assert.deepEqual([seen?.sdk, seen?.streams, seen?.readyMilliseconds], ['python-10.5.1', 1, 40]);
  end();
  await until(async () => sdksOf(here.look(environmentId))[0]?.streams === 0);

  await until(async () => {
    // Again and again: a job that is at work when the clock moves writes a last time.
    api.clock.now = store.clock() + 200_000;
    return (await rows()) === 0;
  }).finally(() => {
    api.clock.now = undefined;
  });
});

test('an evaluation over HTTP is shown as an answer, and connects nothing', async () => {
  const project = await aProject(api);
  const { flag } = await aDefinedFlag(api, project);
  const key = await anSdkKey(api, project);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ context: { targetingKey: 'user-4717' } });
  const reply = await fetch(`${url}/ofrep/v1/evaluate/flags/${flag.name}`, { method: 'POST', headers, body });
  const { variant } = (await reply.json()) as { variant: string };
  const { sdks, answers, connected } = await shown(project);
  assert.deepEqual(
    sdks.map(({ sdk, key: used }) => [sdk, used?.lastFour]),
    [['ofrep', key.slice(-4)]],
  );
  assert.equal(connected, 0);
  assert.deepEqual(
    answers.map(({ flag: name, key: user, treatment }) => [name, user, treatment]),
    [[flag.name, 'user-4717', variant]],
  );
});
