/** Clients that ask for large replies and do not read them. In a file of its own: it counts connections. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject } from '../support/build.ts';
import { anSdkKey, listening } from '../support/sdk.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const base = await listening(api);

const openConnections = () =>
  new Promise<number>((resolve) => api.app.server.getConnections((_, count) => resolve(count)));

test('clients that do not read different large replies are closed, and others get theirs', async () => {
  const project = await aProject(api);
  // More than the kernel takes for a connection.
  for (let flag = 0; flag < 16; flag += 1) {
    const { path } = await aDefinedFlag(api, project);
    const configurations = JSON.stringify(randomBytes(400_000).toString('hex'));
    const answer = await api.put(path, aDefinition({ treatments: [{ name: 'on', configurations }, { name: 'off' }] }));
    assert.equal(answer.status, 200, answer.text);
  }
  const key = await anSdkKey(api, project);
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' };
  for (let since = 0; since < 12; since += 1) {
    const socket = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => undefined);
    after(() => socket.destroy());
    socket.write(
      `GET /api/splitChanges?s=1.3&since=${since} HTTP/1.1\r\nHost: flags.test\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    await once(socket, 'data');
    socket.pause();
  }
  // Each holds 13 MB.
  await until('those above 64 MB are closed', async () => (await openConnections()) <= 5);
  const reply = await fetch(`${base}/api/splitChanges?s=1.3&since=-1`, { headers });
  const { ff } = (await reply.json()) as { ff: { d: unknown[] } };
  assert.equal(ff.d.length, 16);
  assert.ok((await openConnections()) >= 4);
});
