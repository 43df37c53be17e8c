/** A server that is stopped and started again under the streams of SDKs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aDefinedFlag, aProject } from '../support/build.ts';
import { freePort } from '../support/free-port.ts';
import { startNode } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { anSdk, connected, openStream } from '../support/streams.ts';

const flipTo = (treatment: string) => [{ op: 'replace', path: '/defaultRule', value: [{ treatment, size: 100 }] }];

test('a stop ends the streams at once, and SDKs are right again after the next start', async () => {
  const burgee = anInstallation();
  const PORT = String(await freePort());
  const before = await startNode(burgee, { PORT });
  const project = await aProject(before);
  const { flag, path } = await aDefinedFlag(before, project);
  const { body } = await before.post('/apiKeys', {
    name: 'application',
    apiKeyType: 'server_side',
    workspace: { id: project.id },
    environments: [{ id: project.staging.id }],
  });
  const sdk = await anSdk(before.node.url, body.key);
  const stream = await openStream(before.node.url, body.key);
  const stopped = before.node.end('SIGTERM');
  await stream.ended;
  const { code, stderr } = await stopped;
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(sdk.treatmentOf(flag.name), 'off');

  const after = await startNode(burgee, { PORT });
  assert.equal((await after.patch(path, flipTo('on'))).status, 200);
  await sdk.says(connected, 2);
  await sdk.gets('on', flag.name);
  assert.equal((await after.patch(path, flipTo('off'))).status, 200);
  await sdk.gets('off', flag.name);
});
