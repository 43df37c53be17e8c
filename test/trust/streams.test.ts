/** Thousands of streams: a change reaches all of them, and others are served meanwhile. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { aDefinedFlag, aProject } from '../support/build.ts';
import { scrape } from '../support/metrics.ts';
import { startNode } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { tokenFor } from '../support/streams.ts';
import { report, sized } from '../support/trust.ts';
import { until } from '../support/until.ts';

const limits = { MAX_CONNECTIONS: '15000', MAX_CONNECTIONS_PER_ADDRESS: '15000', METRICS_PORT: '0' };
const client = await startNode(anInstallation(), limits);
const { node } = client;

const flipTo = (treatment: string) => [{ op: 'replace', path: '/defaultRule', value: [{ treatment, size: 100 }] }];

async function aWorld() {
  const project = await aProject(client);
  const { path } = await aDefinedFlag(client, project);
  const { body } = await client.post('/apiKeys', {
    name: 'application',
    apiKeyType: 'server_side',
    workspace: { id: project.id },
    environments: [{ id: project.staging.id }],
  });
  return { path, key: body.key as string };
}

/** A stream that is read as little as possible, since thousands of them share a process with the test. */
async function open(token: string, onMessage: () => void): Promise<Socket> {
  const socket = connect(Number(new URL(node.url).port), '127.0.0.1');
  after(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(`GET /sse?channels=a&accessToken=${token} HTTP/1.1\r\nHost: flags.test\r\n\r\n`);
  await once(socket, 'data');
  socket.on('data', (part) => {
    if (part.includes('SPLIT_UPDATE')) onMessage();
  });
  return socket;
}

test('one change reaches thousands of streams, and other requests are answered meanwhile', async () => {
  const { path, key } = await aWorld();
  const token = await tokenFor(node.url, key);
  const count = sized({ short: 5_000, long: 10_000 });
  let told = 0;
  for (let from = 0; from < count; from += 250) {
    await Promise.all(Array.from({ length: 250 }, () => open(token, () => (told += 1))));
  }
  assert.equal((await scrape(node)).value('burgee_sdk_streams'), count);
  const startedAt = performance.now();
  assert.equal((await client.patch(path, flipTo('on'))).status, 200);
  await until('all have it', () => told === count);
  report(`${count} streams: the last had a change after ${(performance.now() - startedAt).toFixed(0)} ms`);
  assert.equal((await client.get('/workspaces')).status, 200);
});
