import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApi } from '../support/app.ts';
import { anotherNode, checkFeed } from '../support/feed-model.ts';
import { aModelWorld, ModelSdk } from '../support/sdk-model.ts';

const api = await startApi();

test('an SDK that applies what it is sent holds what a new one fetches', async () => {
  await checkFeed(api, [api], 15);
});

test('a node that has just started answers what a running one does', async () => {
  const world = await aModelWorld(api);
  const running = new ModelSdk((path) => api.get(path, { as: world.key }));
  for (const what of [5, 6, 0, 5, 9, 1, 4, 0, 2, 8, 10]) {
    for (const at of [0, 1, 2]) await world.take(api, [what, at, at, (at + what) % 4]);
    await running.fetch(world.segments);
  }
  const started = await anotherNode(api);
  const fresh = new ModelSdk((path) => started.calls.get(path, { as: world.key }));
  await fresh.fetch(world.segments);
  await started.stop();
  assert.deepEqual(running.state, fresh.state);
  assert.deepEqual([running.since, running.rbSince], [fresh.since, fresh.rbSince]);
});
