import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { fastify } from 'fastify';
import { pino } from 'pino';
import { limitConnections } from '#http/server/connections.ts';
import { until } from '../support/until.ts';

const perAddress = 5;

/** A listening server that answers nothing; what it logs; and a connection to it from an address of this machine. */
async function aServer(trustProxy: string | undefined) {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const app = fastify();
  after(() => app.close());
  const limits = { max: 1_000, maxPerAddress: perAddress, keepAliveSeconds: 72 };
  limitConnections(app.server, limits, { trustProxy, log });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  /** Whether the server kept it. */
  const isServed = async (localAddress: string): Promise<[boolean, Socket]> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    after(() => socket.destroy());
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: flags.test\r\n\r\n');
    const kept = await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
    return [kept, socket];
  };
  return { isServed, lines };
}

test('an address has so many connections and no more; others are served, and so is it when one has ended', async () => {
  const { isServed, lines } = await aServer(undefined);
  const sockets: Socket[] = [];
  for (let count = 0; count < perAddress; count += 1) {
    const [kept, socket] = await isServed('127.0.0.1');
    assert.ok(kept);
    sockets.push(socket);
  }
  for (let count = 0; count < 3; count += 1) assert.equal((await isServed('127.0.0.1'))[0], false);
  assert.equal((await isServed('127.0.0.2'))[0], true);
  assert.equal(lines.length, 1, 'a flood of connections is no flood of lines');
  assert.match(lines[0] ?? '', /MAX_CONNECTIONS_PER_ADDRESS/);
  sockets[0]?.destroy();
  await until('there is room again', async () => (await isServed('127.0.0.1'))[0]);
});

for (const trustProxy of ['127.0.0.1', '10.0.0.0/8,127.0.0.0/24', '::1,127.0.0.1']) {
  test(`a proxy in TRUST_PROXY=${trustProxy} has as many as it needs`, async () => {
    const { isServed, lines } = await aServer(trustProxy);
    for (let count = 0; count < 3 * perAddress; count += 1) assert.equal((await isServed('127.0.0.1'))[0], true);
    assert.deepEqual(lines, []);
  });
}
