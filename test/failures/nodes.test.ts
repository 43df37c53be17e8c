/** One of two nodes fails in the middle of writes: the other continues, also with what the first one held. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newDatabase } from '../support/databases.ts';
import { watchHealth } from '../support/health-watch.ts';
import { countWaiting, hold } from '../support/locks.ts';
import { startTwoNodes } from '../support/nodes.ts';
import { anInstallation, sideBySide } from '../support/process.ts';
import { until } from '../support/until.ts';
import {
  aPlace,
  promisedMs,
  requireFair,
  requireOnce,
  requireTimely,
  startWriting,
  type Told,
  type WriteLoad,
} from '../support/write-load.ts';

/**
 * Two nodes under load, at the worst moment: the transactions of one are the first in line for a row, and those of the
 * other wait behind them. `release` lets them continue.
 */
async function inTheMiddleOfWrites() {
  const { databaseUrl } = await newDatabase();
  const burgee = anInstallation({ databaseUrl });
  // Enough for all clients: here nobody waits for a connection.
  const [failing, other] = await startTwoNodes(burgee);
  const place = await aPlace(failing);
  const row = `environments where id = '${place.project.staging.id}'`;
  const release = await hold(databaseUrl, `select 1 from ${row} for update`);
  const ofFailing = startWriting([failing], place, 16);
  await until('the writes of one node wait', async () => (await countWaiting(burgee)) >= 6);
  const ofOther = startWriting([other], place, 16);
  await until('the writes of both nodes wait', async () => (await countWaiting(burgee)) >= 12);
  return { burgee, failing, other, place, release, ofFailing, ofOther };
}

/** Waits for a change of the row by a request that begins from now on, and refuses one that comes late. */
async function requireChangeSoon({ told }: WriteLoad): Promise<void> {
  const from = performance.now();
  const isIt = ({ kind, begunAt, answer }: Told) => kind === 'definition' && begunAt > from && answer?.status === 200;
  await until('the other node changes the row', () => told.some(isIt));
  const milliseconds = performance.now() - from;
  assert.ok(milliseconds < promisedMs, `only after ${milliseconds} ms`);
}

describe('one of two nodes', sideBySide, () => {
  test('a node is killed in the middle of writes: the other continues', async () => {
    const { burgee, failing, other, place, release, ofFailing, ofOther } = await inTheMiddleOfWrites();
    const watch = watchHealth([other.node]);
    await failing.node.end('SIGKILL');
    await release();
    await requireChangeSoon(ofOther);
    await ofOther.succeeds(other);
    const [lost, told] = await Promise.all([ofFailing.stop(), ofOther.stop()]);
    await watch.stop();
    requireTimely(told);
    for (const { answer } of lost) if (answer) requireFair(answer);
    await requireOnce(burgee, place, [...lost, ...told]);
  });

  test('a node is paused in the middle of writes: the other continues, and so does the first when it is resumed', async () => {
    const { burgee, failing, other, place, release, ofFailing, ofOther } = await inTheMiddleOfWrites();
    const watch = watchHealth([other.node]);
    failing.node.pause();
    await release();
    await requireChangeSoon(ofOther);
    await ofOther.succeeds(other);
    failing.node.goOn();
    await ofFailing.succeeds(failing);
    const [late, told] = await Promise.all([ofFailing.stop(), ofOther.stop()]);
    await watch.stop();
    requireTimely(told);
    // While it stood still it could not answer in time; but what it answers must be true.
    for (const { answer } of late) requireFair(answer ?? assert.fail('no answer'));
    await requireOnce(burgee, place, [...late, ...told]);
  });
});
