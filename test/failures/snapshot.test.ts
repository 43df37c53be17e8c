/** A node starts while its database is down: SDKs are served from the copy on its disk. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readDisk } from '#delivery/disk.ts';
import { aDefinedFlag, aProject, aSegment } from '../support/build.ts';
import { newDatabase } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { type Client, startNode } from '../support/nodes.ts';
import { anInstallation, type Server, sideBySide } from '../support/process.ts';
import { aPollingSdk, treated } from '../support/sdk.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** A flag that is on for a key in a segment, and the key of an application. */
async function aFlagForAnn(client: Client) {
  const project = await aProject(client);
  const segment = await aSegment(client, project, [project.staging]);
  await client.ask('PUT', `/segments/${project.staging.id}/${segment.name}/uploadKeys`, { body: { keys: ['ann'] } });
  const { flag, path } = await aDefinedFlag(client, project, {
    treatments: [{ name: 'on', segments: [segment.name] }, { name: 'off' }],
    defaultTreatment: 'off',
    defaultRule: [{ treatment: 'off', size: 100 }],
  });
  const { body } = await client.post('/apiKeys', {
    name: 'application',
    apiKeyType: 'server_side',
    workspace: { type: 'workspace', id: project.id },
    environments: [{ type: 'environment', id: project.staging.id }],
  });
  return { name: flag.name, path, key: String(body.key), environmentId: project.staging.id };
}

const poll = (server: Server, key: string, since = -1) =>
  fetch(`${server.url}/api/splitChanges?s=1.3&since=${since}&rbSince=-1`, {
    headers: { authorization: `Bearer ${key}` },
  });

/** Waits until the file has the flag. */
const isOnDisk = (file: string, { environmentId, name }: { environmentId: string; name: string }) =>
  until('the copy has the flag', () => {
    const state = readDisk(file)?.environments.get(environmentId);
    return state?.content.flags.has(name) === true && state.keys.size > 0;
  });

describe('a start while the database is down', sideBySide, () => {
  test('on PostgreSQL, SDKs get what the node knew last, and everything else waits for the database', async () => {
    const { databaseUrl } = await newDatabase();
    const proxy = await startProxy(databaseUrl);
    const burgee = anInstallation({ databaseUrl: proxy.url });
    const settings = { SNAPSHOT_FOLDER: burgee.folder, PORT: String(await freePort()) };
    const first = await startNode(burgee, settings);
    const application = await aFlagForAnn(first);
    assert.equal((await poll(first.node, application.key)).status, 200);
    await isOnDisk(join(burgee.folder, 'sdk-snapshot.db'), application);
    await first.node.end('SIGKILL');
    // Nobody listens there.
    proxy.pointTo(1);

    const standby = await startNode(burgee, settings);
    const { url } = standby.node;
    const reply = await poll(standby.node, application.key);
    assert.deepEqual([reply.status, reply.headers.get('x-burgee-snapshot')], [200, 'disk']);
    const sdk = await aPollingSdk(url, application.key);
    await treated(sdk, ['ann', application.name, 'on']);
    await treated(sdk, ['bob', application.name, 'off']);
    assert.equal((await poll(standby.node, 'no-such-key')).status, 401);
    assert.equal((await fetch(`${url}/health`)).status, 200);
    assert.equal((await fetch(`${url}/ready`)).status, 503);
    assert.equal((await standby.get('/workspaces')).status, 503);
    // Its copy may be old: an SDK that knows more keeps that.
    const later = 9_000_000_000_000;
    const ahead = (await (await poll(standby.node, application.key, later)).json()) as { ff: object };
    assert.deepEqual(ahead.ff, { d: [], s: later, t: later });
    await sdk.stop();

    proxy.pointTo(Number(new URL(databaseUrl).port));
    await until('the whole server is back', async () => {
      const ready = await fetch(`${url}/ready`).catch(() => undefined);
      return ready?.status === 200;
    });
    assert.equal((await poll(standby.node, application.key)).headers.get('x-burgee-snapshot'), null);
    assert.equal((await standby.get(application.path)).status, 200);
  });

  test('on SQLite, a damaged file leaves the flags of SDKs as they were', async () => {
    const burgee = anInstallation({ databaseUrl: 'file:./data/burgee.db' });
    const first = await startNode(burgee);
    const application = await aFlagForAnn(first);
    assert.equal((await poll(first.node, application.key)).status, 200);
    await isOnDisk(join(burgee.folder, 'data/burgee-sdk-snapshot.db'), application);
    await first.node.end('SIGTERM');
    writeFileSync(join(burgee.folder, 'data/burgee.db'), 'this was a database');

    const standby = await startNode(burgee);
    const sdk = await aPollingSdk(standby.node.url, application.key);
    await treated(sdk, ['ann', application.name, 'on']);
    await sdk.stop();
  });

  for (const how of ['missing', 'empty'] as const) {
    test(`on SQLite, no new database takes the place of one whose file is ${how}`, async () => {
      const burgee = anInstallation({ databaseUrl: 'file:./data/burgee.db' });
      const first = await startNode(burgee, { PORT: String(await freePort()) });
      const application = await aFlagForAnn(first);
      assert.equal((await poll(first.node, application.key)).status, 200);
      const [data, elsewhere] = [join(burgee.folder, 'data'), join(burgee.folder, 'elsewhere')];
      await isOnDisk(join(data, 'burgee-sdk-snapshot.db'), application);
      await first.node.end('SIGTERM');
      mkdirSync(elsewhere);
      const files = readdirSync(data).filter((name) => name.startsWith('burgee.db'));
      const move = (from: string, to: string) => {
        for (const name of files) renameSync(join(from, name), join(to, name));
      };
      move(data, elsewhere);
      if (how === 'empty') writeFileSync(join(data, 'burgee.db'), '');

      const standby = await startNode(burgee, { PORT: new URL(first.node.url).port });
      const reply = await poll(standby.node, application.key);
      assert.deepEqual([reply.status, reply.headers.get('x-burgee-snapshot')], [200, 'disk']);
      assert.equal((await fetch(`${standby.node.url}/ready`)).status, 503);
      if (how === 'missing') assert.equal(existsSync(join(data, 'burgee.db')), false);

      move(elsewhere, data);
      await until('the whole server is back', async () => {
        const ready = await fetch(`${standby.node.url}/ready`).catch(() => undefined);
        return ready?.status === 200;
      });
      assert.equal((await standby.get(application.path)).status, 200);
    });
  }
});
