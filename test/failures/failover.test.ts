/** A primary is lost under write load, and its replica takes over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchHealth } from '../support/health-watch.ts';
import { type Client, startTwoNodes } from '../support/nodes.ts';
import { type Pair, startPair, takeOver } from '../support/postgres-replica.ts';
import { aPlace, isAcknowledged, requireTimely, requireWhole, startWriting, type Told } from '../support/write-load.ts';

interface Meanwhile extends Pair {
  /** Waits until every node has acknowledged writes that began from now on. */
  succeeds(): Promise<unknown>;
  /** Waits until every node has refused a write, and says of itself that it is not ready. */
  fails(): Promise<unknown>;
}

interface Outcome {
  readonly told: readonly Told[];
  /** Acknowledged, and not there. */
  readonly lost: readonly Told[];
  /** From the moment that the address led to the new primary until writes through each node succeeded. */
  readonly recoveryMs: number;
}

/** Checks what must hold after every failover, and returns what depends on the replication. */
async function failOver(pair: Pair, lose: (meanwhile: Meanwhile) => Promise<unknown>): Promise<Outcome> {
  const { burgee } = pair;
  const clients = await startTwoNodes(burgee);
  const place = await aPlace(clients[0]);
  const watch = watchHealth(clients.map(({ node }) => node));
  const load = startWriting(clients, place);
  const every = (what: (client: Client) => Promise<void>) => Promise.all(clients.map(what));
  const succeeds = () => every(load.succeeds);
  await succeeds();
  await lose({ ...pair, succeeds, fails: () => Promise.all([every(load.isRefused), watch.readiness(503)]) });
  await takeOver(pair);
  const begun = performance.now();
  await succeeds();
  const recoveryMs = performance.now() - begun;
  await watch.readiness(200);
  const told = await load.stop();
  await watch.stop();
  requireTimely(told);
  const stored = await requireWhole(burgee, place);
  return { told, lost: told.filter((one) => isAcknowledged(one) && !stored.has(one)), recoveryMs };
}

const losses: Record<string, (meanwhile: Meanwhile) => Promise<unknown>> = {
  'is killed': ({ primary }) => primary.kill(),
  'crashes, and is away for longer than requests wait': async ({ primary, fails }) => {
    await primary.crash();
    await fails();
  },
  'falls silent with its connections open': async ({ address, link, fails }) => {
    address.manner = 'swallows';
    link.manner = 'swallows';
    await fails();
    address.manner = 'passes';
  },
};
for (const [what, lose] of Object.entries(losses)) {
  test(`the primary ${what}: its synchronous replica has all that was acknowledged`, async (context) => {
    const { lost, recoveryMs } = await failOver(await startPair('synchronous'), lose);
    context.diagnostic(`writes succeeded again after ${Math.round(recoveryMs)} ms`);
    assert.deepEqual(lost, []);
  });
}

test('the primary lives on after its synchronous replica took over: it acknowledges nothing', async () => {
  const { lost } = await failOver(await startPair('synchronous'), async () => undefined);
  assert.deepEqual(lost, []);
});

test('the primary is killed: an asynchronous replica lacks what had not reached it, and is whole', async (context) => {
  const { lost, told } = await failOver(await startPair('asynchronous'), async ({ primary, link, succeeds }) => {
    link.manner = 'swallows';
    await succeeds();
    await primary.kill();
  });
  context.diagnostic(`lost ${lost.length} of ${told.filter(isAcknowledged).length} acknowledged writes`);
  // Else the link was not silent.
  assert.ok(lost.length > 0);
});
