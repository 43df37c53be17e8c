/** The feed of SDKs, by many random sequences of changes. `test/delivery/feed.model.test.ts` has the short form. */
import { test } from 'node:test';
import { startApi } from '../support/app.ts';
import { onPostgres } from '../support/databases.ts';
import { anotherNode, checkFeed } from '../support/feed-model.ts';
import { report, sized } from '../support/trust.ts';

const api = await startApi();

test('an SDK that applies what it is sent since any number holds what a new one fetches', async () => {
  const runs = sized({ short: 20, long: 1_000 });
  // SQLite is for one node.
  const others = onPostgres ? [await anotherNode(api), await anotherNode(api)] : [];
  try {
    await checkFeed(api, [api, ...others.map(({ calls }) => calls)], runs);
  } finally {
    for (const { stop } of others) await stop();
  }
  report(`delivery: ${runs} random sequences of changes on ${1 + others.length} nodes`);
});
