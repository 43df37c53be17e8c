/** The network between a node and PostgreSQL fails, or there are too few connections. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { newDatabase } from '../support/databases.ts';
import { watchHealth } from '../support/health-watch.ts';
import { startNodes, until } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { aPlace, promisedMs, requireOnce, requireTimely, startWriting, type WriteLoad } from '../support/write-load.ts';

async function aNodeBehindProxy(variables = {}) {
  const proxy = await startProxy((await newDatabase({ empty: true })).databaseUrl);
  const burgee = anInstallation({ databaseUrl: proxy.url });
  const [client] = await startNodes(burgee, [variables]);
  assert.ok(client);
  return { proxy, burgee, client };
}

test('a network that swallows everything, and never tells: refused in time, and new connections when it is mended', async () => {
  const { proxy, burgee, client } = await aNodeBehindProxy({ DATABASE_POOL: '3' });
  const place = await aPlace(client);
  const watch = watchHealth([client.node]);
  const load = startWriting([client], place, 12);
  await load.succeeds(client);
  proxy.manner = 'swallows';
  await watch.readiness(503);
  // The worst moment: the whole pool waits for the greeting of a server that will never come.
  const { connections } = proxy;
  await load.isRefused(client);
  await until('all connections are made anew', () => proxy.connections >= connections + 3);
  proxy.manner = 'passes';
  await watch.readiness(200);
  await load.succeeds(client);
  const told = await load.stop();
  await watch.stop();
  requireTimely(told);
  await requireOnce(burgee, place, told);
});

for (const loses of ['question', 'answer'] as const) {
  test(`the ${loses} of a commit is lost: 503, and the write is done ${loses === 'answer' ? 'once' : 'not at all'}`, async () => {
    const { proxy, burgee, client } = await aNodeBehindProxy();
    const place = await aPlace(client);
    proxy.manner = { loses, to: 'commit\0' };
    const load = startWriting([client], place);
    await load.isRefused(client);
    await load.isRefused(client);
    const told = await load.stop();
    proxy.manner = 'passes';
    requireTimely(told);
    assert.ok(told.every(({ answer }) => answer?.status === 503));
    assert.ok(proxy.losses >= told.length);
    assert.equal(await requireOnce(burgee, place, told), loses === 'answer' ? told.length : 0);
  });
}

test('more clients than connections, and a table that somebody locked: refused in time, and well afterwards', async () => {
  const burgee = anInstallation();
  const [client] = await startNodes(burgee, [{ DATABASE_POOL: '2' }]);
  assert.ok(client);
  const place = await aPlace(client);
  const watch = watchHealth([client.node]);
  const unlock = await burgee.lock();
  // They come one after the other: who waits for a connection gets it when another one has run out of patience.
  const loads: WriteLoad[] = [];
  const locked = pause(promisedMs + 5_000);
  for (let count = 0; count < 20; count += 1) {
    loads.push(startWriting([client], place, 2));
    await pause(300);
  }
  await locked;
  await unlock();
  await Promise.all(loads.map((load) => load.succeeds(client)));
  const told = (await Promise.all(loads.map((load) => load.stop()))).flat();
  await watch.stop();
  console.log(
    told
      .filter((t) => t.milliseconds > 7000)
      .map((t) => `${t.kind} ${t.answer?.status} ${Math.round(t.milliseconds)}`)
      .join('\n'),
  );
  requireTimely(told);
  await requireOnce(burgee, place, told);
});
