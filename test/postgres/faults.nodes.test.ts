/** One of two nodes fails in the middle of writes: the other goes on, also with what the first one held. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newDatabase } from '../support/databases.ts';
import { watchHealth } from '../support/health-watch.ts';
import { countWaiting, hold } from '../support/locks.ts';
import { type Client, startTwoNodes, until } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import {
  aPlace,
  promisedMs,
  requireFair,
  requireOnce,
  requireTimely,
  startWriting,
  type Told,
} from '../support/write-load.ts';

const by = ({ node }: Client, told: readonly Told[]) => told.filter((one) => one.node === node);

/** Waits for a write on the definition that both nodes change, begun from now on; answers how long that took. */
async function nextChange({ node }: Client, told: readonly Told[]): Promise<number> {
  const from = performance.now();
  const isIt = (one: Told) =>
    one.node === node && one.kind === 'definition' && one.begunAt > from && one.answer?.status === 200;
  await until('the other node changes the definition', () => told.some(isIt));
  return performance.now() - from;
}

test('a node is killed in the middle of writes: the other goes on at once', async () => {
  const burgee = anInstallation();
  const [killed, other] = await startTwoNodes(burgee);
  const place = await aPlace(killed);
  const watch = watchHealth([other.node]);
  const load = startWriting([killed, other], place);
  await Promise.all([killed, other].map(load.succeeds));
  await killed.node.end('SIGKILL');
  const waited = await nextChange(other, load.told);
  assert.ok(waited < promisedMs, `${waited} ms`);
  await load.succeeds(other);
  const told = await load.stop();
  await watch.stop();
  requireTimely(by(other, told));
  for (const { answer } of by(killed, told)) if (answer) requireFair(answer);
  await requireOnce(burgee, place, told);
});

test('a node stands still in the middle of writes: the other goes on, and so does the first when it wakes', async () => {
  const { databaseUrl } = await newDatabase({ empty: true });
  const burgee = anInstallation({ databaseUrl });
  const [paused, other] = await startTwoNodes(burgee);
  const place = await aPlace(paused);
  const watch = watchHealth([other.node]);
  // The worst moment: its transactions are the first in line for the row, and get it after the node fell asleep.
  const release = await hold(
    databaseUrl,
    `select 1 from environments where id = '${place.project.staging.id}' for update`,
  );
  const ofPaused = startWriting([paused], place, 16);
  await until('the writes of one node wait', async () => (await countWaiting(burgee)) >= 6);
  const ofOther = startWriting([other], place, 16);
  await until('the writes of both nodes wait', async () => (await countWaiting(burgee)) >= 12);
  paused.node.pause();
  await release();
  const waited = await nextChange(other, ofOther.told);
  assert.ok(waited < promisedMs, `${waited} ms`);
  await ofOther.succeeds(other);
  paused.node.goOn();
  await ofPaused.succeeds(paused);
  const [late, told] = await Promise.all([ofPaused.stop(), ofOther.stop()]);
  await watch.stop();
  requireTimely(told);
  // While it stood still it could not answer in time; but what it answers must be true.
  for (const { answer } of late) requireFair(answer ?? assert.fail('no answer'));
  await requireOnce(burgee, place, [...late, ...told]);
});
