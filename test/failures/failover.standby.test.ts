/** What a node does with a replica before it takes over, and with a primary whose replica is gone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';
import { command } from '../support/databases.ts';
import { watchHealth } from '../support/health-watch.ts';
import { type Client, startNode } from '../support/nodes.ts';
import { startPair, takeOver, untilFollowed } from '../support/postgres-replica.ts';
import { until } from '../support/until.ts';
import { promisedMs, requireFair } from '../support/write-load.ts';

const createFlag = ({ post }: Client, name: string) => post('/splits/ws/Default/trafficTypes/user', { name });

async function refusedInTime(asked: Promise<Answer>): Promise<void> {
  const begun = performance.now();
  const answer = await asked;
  assert.ok(performance.now() - begun < promisedMs);
  assert.equal(answer.status, 503);
  requireFair(answer);
}

test('a node that reaches a standby does not start, or is not ready and neither reads nor writes, until it is promoted', async () => {
  const pair = await startPair('synchronous');
  const client = await startNode(pair.burgee);
  const watch = watchHealth([client.node]);
  pair.address.pointTo(pair.replica.port);
  await pair.primary.crash();
  await watch.readiness(503);
  await Promise.all([refusedInTime(createFlag(client, 'early')), refusedInTime(client.get('/workspaces'))]);
  const { code, stdout, stderr } = await pair.burgee.run(['serve']);
  assert.equal(code, 1);
  assert.match(stdout + stderr, /cannot be used: the server is a read-only standby\n$/);
  await takeOver(pair);
  await watch.readiness(200);
  await watch.stop();
  assert.equal((await createFlag(client, 'late')).status, 200);
  assert.deepEqual(await pair.burgee.rows('select name from flags'), [{ name: 'late' }]);
});

test('a commit that waits for a synchronous replica which is gone is not acknowledged', async (context) => {
  const pair = await startPair('synchronous');
  const client = await startNode(pair.burgee);
  const onPrimary = (statement: string) => command(pair.primary.url('postgres'), statement);
  const waiting = "from pg_stat_activity where wait_event = 'SyncRep'";
  const ends = {
    'when it waits for too long': 'select 1',
    'when somebody cancels the wait': 'select pg_cancel_backend(pid)',
    'when somebody ends the connection': 'select pg_terminate_backend(pid)',
  };
  for (const [when, statement] of Object.entries(ends)) {
    await context.test(when, async () => {
      await pair.replica.stop();
      const refused = refusedInTime(createFlag(client, uniqueName('waiting')));
      await until('the commit waits', async () => (await onPrimary(`select 1 ${waiting}`)).length > 0);
      // Reads do not wait.
      assert.equal((await client.get('/workspaces')).status, 200);
      await onPrimary(`${statement} ${waiting}`);
      await refused;
      await pair.replica.start();
      await untilFollowed(pair.primary);
      assert.equal((await createFlag(client, uniqueName('acknowledged'))).status, 200);
    });
  }
});
