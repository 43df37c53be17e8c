/** The network between a node and PostgreSQL fails, or there are too few connections. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { command, newDatabase } from '../support/databases.ts';
import { watchHealth } from '../support/health-watch.ts';
import { startNode } from '../support/nodes.ts';
import { anInstallation, sideBySide } from '../support/process.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { aPlace, promisedMs, requireOnce, requireTimely, startWriting, type WriteLoad } from '../support/write-load.ts';

const poolSize = 3;

async function aNodeBehindProxy() {
  const { databaseUrl } = await newDatabase();
  const proxy = await startProxy(databaseUrl);
  const burgee = anInstallation({ databaseUrl: proxy.url });
  const client = await startNode(burgee, { DATABASE_POOL: String(poolSize) });
  const cutAll = () =>
    command(
      databaseUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'burgee'`,
    );
  return { proxy, burgee, client, cutAll };
}

describe('the connections of a node', sideBySide, () => {
  test('a network swallows everything, and tells nobody: refused in time, and well when it is mended', async () => {
    const { proxy, burgee, client } = await aNodeBehindProxy();
    const place = await aPlace(client);
    const watch = watchHealth([client.node]);
    const load = startWriting([client], place);
    await load.succeeds(client);
    proxy.manner = 'swallows';
    await watch.readiness(503);
    // The worst moment: the whole pool waits for the greeting of a server that will never send it.
    const { connections } = proxy;
    await load.isRefused(client);
    await until('all connections are replaced', () => proxy.connections >= connections + poolSize);
    proxy.manner = 'passes';
    await watch.readiness(200);
    await load.succeeds(client);
    const told = await load.stop();
    await watch.stop();
    requireTimely(told);
    await requireOnce(burgee, place, told);
  });

  test('a connection that falls silent before it was of use does not keep its place in the pool', async () => {
    const { proxy, burgee, client, cutAll } = await aNodeBehindProxy();
    const place = await aPlace(client);
    proxy.manner = { loses: 'rest', at: 'idle_in_transaction_session_timeout' };
    await cutAll();
    const load = startWriting([client], place);
    await until('the whole pool is silent', () => proxy.losses >= poolSize);
    await load.isRefused(client);
    proxy.manner = 'passes';
    await load.succeeds(client);
    const told = await load.stop();
    requireTimely(told);
    await requireOnce(burgee, place, told);
  });

  test('a commit of which the question or the answer is lost: 503, and done not at all or once, but never twice', async () => {
    const { proxy, burgee, client } = await aNodeBehindProxy();
    for (const loses of ['question', 'answer'] as const) {
      const place = await aPlace(client);
      const losses = proxy.losses;
      proxy.manner = { loses, at: 'commit\0' };
      const load = startWriting([client], place);
      await until('some are refused', () => load.told.length >= 8);
      const told = await load.stop();
      proxy.manner = 'passes';
      requireTimely(told);
      assert.ok(told.every(({ answer }) => answer?.status === 503));
      assert.ok(proxy.losses - losses >= told.length);
      assert.equal(await requireOnce(burgee, place, told), loses === 'answer' ? told.length : 0);
    }
  });

  test('more clients than connections, and a table that is locked: refused in time, and well afterwards', async () => {
    const burgee = anInstallation();
    const client = await startNode(burgee, { DATABASE_POOL: '2' });
    const place = await aPlace(client);
    const watch = watchHealth([client.node]);
    const unlock = await burgee.lock();
    const locked = pause(promisedMs + 2_000);
    // They come one after the other: a request that waits for a connection may get it when others give up.
    const loads: WriteLoad[] = [];
    for (let count = 0; count < 20; count += 1) {
      loads.push(startWriting([client], place, 2));
      await pause(300);
    }
    await locked;
    await unlock();
    await Promise.all(loads.map((load) => load.succeeds(client)));
    const told = (await Promise.all(loads.map((load) => load.stop()))).flat();
    await watch.stop();
    requireTimely(told);
    await requireOnce(burgee, place, told);
  });
});
