/** PostgreSQL fails under write load: nothing that was acknowledged is lost or done twice, and everything recovers on its own. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { command } from '../support/databases.ts';
import { watchHealth } from '../support/health-watch.ts';
import { startTwoNodes } from '../support/nodes.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { anInstallation } from '../support/process.ts';
import { aPlace, promisedMs, requireOnce, requireTimely, startWriting, type WriteLoad } from '../support/write-load.ts';

// A commit is in the log of the server before it is acknowledged; what the machine itself loses is not the subject.
const postgres = await startPostgres({ synchronous_commit: 'on' });
after(() => postgres.remove());
const database = postgres.url('postgres');
const burgee = anInstallation({ databaseUrl: database });
/** The same nodes in all tests: none is started again after a fault. */
const clients = await startTwoNodes(burgee);

interface Meanwhile {
  readonly load: WriteLoad;
  /** Waits until every node reports this. */
  readiness(status: number): Promise<void>;
}

/** Lets clients write through both nodes while `fault` happens, and until both answer again. */
async function underLoad(fault: (meanwhile: Meanwhile) => Promise<void>): Promise<void> {
  const place = await aPlace(clients[0]);
  const nodes = clients.map(({ node }) => node);
  const watch = watchHealth(nodes);
  const load = startWriting(clients, place);
  await Promise.all(clients.map(load.succeeds));
  await fault({ load, readiness: watch.readiness });
  await watch.readiness(200);
  await Promise.all(clients.map(load.succeeds));
  const told = await load.stop();
  await watch.stop();
  requireTimely(told);
  await requireOnce(burgee, place, told);
}

test('PostgreSQL is restarted, and back soon', () =>
  underLoad(async ({ readiness }) => {
    await postgres.stop();
    await readiness(503);
    await postgres.start();
  }));

test('PostgreSQL is away for longer than any request may take', () =>
  underLoad(async ({ load, readiness }) => {
    await postgres.stop();
    const away = pause(promisedMs + 1_000);
    await readiness(503);
    await Promise.all(clients.map(load.isRefused));
    await away;
    await postgres.start();
  }));

test('PostgreSQL crashes', () =>
  underLoad(async ({ readiness }) => {
    await postgres.crash();
    await readiness(503);
    await postgres.start();
  }));

test('PostgreSQL is paused, with all its connections open, and resumed', () =>
  underLoad(async ({ load, readiness }) => {
    const goOn = await postgres.pause();
    await readiness(503);
    await Promise.all(clients.map(load.isRefused));
    goOn();
  }));

test('all connections are cut, again and again', () =>
  underLoad(async ({ load }) => {
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(clients.map(load.succeeds));
      const cut = await command(
        database,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'burgee'",
      );
      assert.ok(cut.length > 0);
    }
  }));
