/** Reports of SDKs: a million evaluations are counted exactly, and a flood of made-up ones does not fill memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SplitFactory } from '@splitsoftware/splitio';
import type { FlagTraffic } from '#domain/traffic.ts';
import { aDefinedFlag, aProject } from '../support/build.ts';
import { startNode } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { inspect, inspectable } from '../support/process-inspector.ts';
import { report, sized } from '../support/trust.ts';
import { until } from '../support/until.ts';

const client = await startNode(anInstallation(), inspectable);
const { url } = client.node;
const inspector = await inspect(client.node);

async function aPlace(type: 'server_side' | 'client_side') {
  const project = await aProject(client);
  const { flag, path } = await aDefinedFlag(client, project, { defaultRule: [{ treatment: 'on', size: 100 }] });
  const { body } = await client.post('/apiKeys', {
    name: 'application',
    apiKeyType: type,
    workspace: { id: project.id },
    environments: [{ id: project.staging.id }],
  });
  const traffic = async (): Promise<FlagTraffic> =>
    (await client.get(`/internal/api/v2${path}/traffic?range=24h`)).body;
  return { flag, key: body.key as string, traffic };
}

/** So that the SDK sends what it has: it drops what does not fit. */
const evaluationsPerTurn = 2_000;

for (const [mode, share] of [
  ['OPTIMIZED', 0.45],
  ['NONE', 0.45],
  ['DEBUG', 0.1],
] as const) {
  const count = Math.round(sized({ short: 40_000, long: 1_000_000 }) * share);
  test(`the official SDK evaluates ${count} times in mode ${mode}, and all of it is counted once`, async () => {
    const { flag, key, traffic } = await aPlace('server_side');
    const factory = SplitFactory({
      core: { authorizationKey: key },
      urls: { sdk: `${url}/api`, events: `${url}/api`, auth: `${url}/api`, streaming: url, telemetry: `${url}/api` },
      streamingEnabled: false,
      sync: { impressionsMode: mode },
    });
    const sdk = factory.client();
    await sdk.ready();
    for (let turn = 0; turn < count; turn += 1) {
      sdk.getTreatment(`user-${turn % 20_000}`, flag.name);
      if (turn % evaluationsPerTurn === 0) await nextTurn();
    }
    await sdk.destroy();
    await until('all is counted', async () => (await traffic()).evaluations >= count);
    assert.equal((await traffic()).evaluations, count);
    report(`traffic: ${count} evaluations in mode ${mode}, all counted`);
  });
}

test('a flood of made-up flags, treatments, labels, keys and events leaves memory and other counts as they were', async () => {
  const { flag, key, traffic } = await aPlace('client_side');
  const rounds = sized({ short: 12, long: 400 });
  let made = 0;
  const newWord = () => {
    made += 1;
    return `made-up-${made}`;
  };
  const someOf = <Item>(length: number, item: () => Item): Item[] => Array.from({ length }, item);
  const impressionsOf = (length: number) =>
    someOf(length, () => ({ k: newWord(), t: newWord(), m: Date.now(), c: made, r: newWord() }));
  const flood = {
    '/api/testImpressions/bulk': () => [
      { f: flag.name, i: impressionsOf(5_000) },
      ...someOf(1_000, () => ({ f: newWord(), i: impressionsOf(5) })),
    ],
    '/api/testImpressions/count': () => ({ pf: someOf(2_000, () => ({ f: newWord(), m: Date.now(), rc: 1e15 })) }),
    '/api/v1/keys/cs': () => ({ keys: someOf(5_000, () => ({ k: newWord(), fs: [flag.name, newWord()] })) }),
    '/api/events/bulk': () =>
      someOf(2_000, () => ({
        eventTypeId: newWord(),
        trafficTypeName: newWord(),
        key: newWord(),
        value: 1e308,
        timestamp: Date.now(),
      })),
  };
  const send = () =>
    Promise.all(
      Object.entries(flood).map(async ([path, body]) => {
        const headers = { authorization: `Bearer ${key}`, splitsdkversion: newWord(), splitsdkmachinename: newWord() };
        const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body()) });
        assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
      }),
    );
  // What is bounded is full by now.
  for (let round = 0; round < 4; round += 1) await send();
  const before = await inspector.memory();
  for (let round = 0; round < rounds; round += 1) await send();
  const { heap, buffers } = await inspector.memory();
  const [heapMb, buffersMb] = [(heap - before.heap) / 1e6, (buffers - before.buffers) / 1e6];
  report(`traffic: ${made} made-up words in ${rounds + 4} rounds; ${heapMb.toFixed(1)} MB of heap more in use`);
  assert.ok(heapMb < 16 && buffersMb < 8, `${heapMb} MB of heap, ${buffersMb} MB of buffers more`);
  const sent = (rounds + 4) * 5_000;
  await until('all is counted', async () => (await traffic()).evaluations >= sent);
  const { evaluations, series } = await traffic();
  assert.equal(evaluations, sent);
  assert.equal(series.length, 1, 'treatments that the definition does not have are counted together');
});
