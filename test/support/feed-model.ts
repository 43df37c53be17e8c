/**
 * Any sequence of changes, on any node: an SDK that has applied what it was sent since any number that it was ever told
 * holds the same as one that fetches everything now, and as one that asks a node that has just started.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { pino } from 'pino';
import { startDelivery } from '#delivery/start.ts';
import { findAccount } from '#store/account.ts';
import { openStore } from '#store/open.ts';
import { createApp } from '../../src/app.ts';
import { type Api, type Calls, callsTo } from './app.ts';
import { aModelWorld, aStep, ModelSdk, type ModelWorld, type Step, someKeys } from './sdk-model.ts';
import { until } from './until.ts';

/** Another node in this process, over a store of its own. */
export async function anotherNode({ database, adminKey }: Pick<Api, 'database' | 'adminKey'>) {
  const store = await openStore(database);
  const account = await findAccount(store);
  assert.ok(account);
  const log = pino({ level: 'silent' });
  const delivery = await startDelivery({ store, log });
  const app = await createApp({ store, account, log, delivery });
  await app.ready();
  const stop = async () => {
    await app.close();
    await delivery.stop();
    await store.close();
  };
  return { calls: callsTo(app, adminKey), store, delivery, stop };
}

/** `nodes`: changes and polls go to any of them. They share a database. */
export async function checkFeed(api: Api, nodes: readonly Calls[], runs: number): Promise<void> {
  const sequence = fc.array(fc.record({ step: aStep, node: fc.nat(9), sdk: fc.nat(5) }), {
    minLength: 5,
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(sequence, async (steps) => {
      const world = await aModelWorld(api);
      const nodeAt = (index: number) => nodes[index % nodes.length] as Calls;
      const pollAt = (index: number) => (path: string) => nodeAt(index).get(path, { as: world.key });
      // Each SDK stays at its node, as a connection does.
      const sdks = [0, 1, 2, 3, 4, 5].map(
        (index) => new ModelSdk(pollAt(index), index > 3 ? `&sets=${world.set}` : ''),
      );
      for (const node of nodes) {
        const asked = () => node.get('/api/splitChanges', { as: world.key });
        await until('the node knows the key', async () => (await asked()).status === 200);
      }
      for (const { step, node, sdk } of steps) {
        await world.take(nodeAt(node), step as Step);
        await sdks[sdk]?.fetch(world.segments);
      }
      await agree(world, sdks, pollAt);
    }),
    { numRuns: runs },
  );
}

async function agree(
  world: ModelWorld,
  sdks: readonly ModelSdk[],
  pollAt: (index: number) => (path: string) => ReturnType<Calls['get']>,
) {
  for (const [index, sdk] of sdks.entries()) {
    const filter = index > 3 ? `&sets=${world.set}` : '';
    const fresh = new ModelSdk(pollAt(0), filter);
    await fresh.fetch(world.segments);
    // Other nodes follow within a second.
    await until('the SDK has caught up', async () => {
      await sdk.fetch(world.segments);
      return sdk.since === fresh.since && sdk.rbSince === fresh.rbSince;
    });
    await sdk.fetch(world.segments);
    assert.deepEqual(sdk.state, fresh.state);
    if (index === 0) await checkMemberships(pollAt(0), fresh);
  }
}

/** What client-side SDKs are told about a key is what server-side ones find among the keys of segments. */
async function checkMemberships(poll: (path: string) => ReturnType<Calls['get']>, sdk: ModelSdk) {
  for (const key of someKeys) {
    const { body } = await poll(`/api/memberships/${key}`);
    const held = [...sdk.segments].flatMap(([name, { keys }]) => (keys.has(key) ? [name] : []));
    assert.deepEqual(
      body.ms.k.map(({ n }: { n: string }) => n),
      held.sort(),
    );
  }
}
