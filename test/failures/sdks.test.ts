/** PostgreSQL goes down while SDKs poll and stream, and the node is restarted meanwhile. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readDisk } from '#delivery/disk.ts';
import { aDefinedFlag, aProject, aSegment } from '../support/build.ts';
import { freePort } from '../support/free-port.ts';
import { startNode } from '../support/nodes.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { anInstallation } from '../support/process.ts';
import { aPollingSdk, treated } from '../support/sdk.ts';
import { anSdk, connected } from '../support/streams.ts';
import { until } from '../support/until.ts';

const flipTo = (treatment: string) => [{ op: 'replace', path: '/defaultRule', value: [{ treatment, size: 100 }] }];

test('SDKs evaluate, start and connect again while PostgreSQL is away, and follow changes afterwards', async () => {
  const postgres = await startPostgres();
  after(() => postgres.remove());
  const burgee = anInstallation({ databaseUrl: postgres.url('postgres') });
  const settings = { SNAPSHOT_FOLDER: burgee.folder, PORT: String(await freePort()) };
  const before = await startNode(burgee, settings);
  const { url } = before.node;
  const project = await aProject(before);
  const segment = await aSegment(before, project, [project.staging]);
  const keys = { keys: ['ann'] };
  await before.ask('PUT', `/segments/${project.staging.id}/${segment.name}/uploadKeys`, { body: keys });
  const { flag, path } = await aDefinedFlag(before, project, {
    treatments: [{ name: 'on', segments: [segment.name] }, { name: 'off' }],
  });
  const { body } = await before.post('/apiKeys', {
    name: 'application',
    apiKeyType: 'server_side',
    workspace: { id: project.id },
    environments: [{ id: project.staging.id }],
  });
  const [streaming, polling] = [await anSdk(url, body.key), await aPollingSdk(url, body.key)];
  const evaluated = () => [
    ...['ann', 'bob'].map((key) => streaming.treatmentOf(flag.name, key)),
    ...['ann', 'bob'].map((key) => polling.client.getTreatment(key, flag.name)),
  ];
  assert.deepEqual(evaluated(), ['on', 'off', 'on', 'off']);
  await until('the copy on the disk has the keys', () => {
    const state = readDisk(`${burgee.folder}/sdk-snapshot.db`)?.environments.get(project.staging.id);
    return (state?.keys.get(segment.name)?.hashes.length ?? 0) > 0;
  });

  await postgres.stop();
  await until('the node says so', async () => (await fetch(`${url}/ready`)).status === 503);
  const late = await anSdk(url, body.key);
  assert.equal(late.treatmentOf(flag.name, 'ann'), 'on');
  await before.node.end('SIGKILL');
  const restarted = await startNode(burgee, settings);
  for (const sdk of [streaming, late]) await sdk.says(connected, 2);
  const fresh = await aPollingSdk(url, body.key);
  await treated(fresh, ['ann', flag.name, 'on']);
  assert.deepEqual(evaluated(), ['on', 'off', 'on', 'off']);

  await postgres.start();
  await until('the whole server is back', async () => {
    const ready = await fetch(`${url}/ready`).catch(() => undefined);
    return ready?.status === 200;
  });
  assert.equal((await restarted.patch(path, flipTo('on'))).status, 200);
  for (const sdk of [streaming, late]) await sdk.gets('on', flag.name, 'bob');
  for (const sdk of [polling, fresh]) await treated(sdk, ['bob', flag.name, 'on']);
});
