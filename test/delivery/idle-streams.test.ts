/** How long idle streams stay open. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { startDelivery } from '#delivery/start.ts';
import { createStreams, usualKeepaliveMs } from '#delivery/streams.ts';
import { findAccount } from '#store/account.ts';
import { createApp } from '../../src/app.ts';
import { startApi } from '../support/app.ts';
import { aProject } from '../support/build.ts';
import { anSdkKey, listening } from '../support/sdk.ts';
import { openStream } from '../support/streams.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const log = pino({ level: 'silent' });
const project = await aProject(api);
const key = await anSdkKey(api, project);

/** A node whose idle timeout and keepalives are faster than usual by this factor. */
async function aNode({ keepaliveMs = usualKeepaliveMs, speed = 1 } = {}) {
  const account = await findAccount(api.store);
  assert.ok(account);
  const delivery = await startDelivery({ store: api.store, log });
  const now = () => api.store.clock();
  const streams = createStreams({ ...delivery, log, now, keepaliveMs: keepaliveMs / speed });
  const app = await createApp({ store: api.store, account, log, delivery: { ...delivery, streams } });
  app.server.setTimeout(app.server.timeout / speed);
  after(async () => {
    await streams.end();
    await app.close();
    await delivery.stop();
  });
  return { url: await listening({ app }), idleMs: app.server.timeout };
}

const keepalives = (text: string) => text.match(/^:keepalive$/gm)?.length ?? 0;

test('keepalives keep an idle stream open beyond the idle timeout of the server', async () => {
  const { url, idleMs } = await aNode({ speed: 20 });
  const stream = await openStream(url, key);
  const openedAt = performance.now();
  let isOpen = true;
  void stream.ended.then(() => {
    isOpen = false;
  });
  // The first comes with the greeting.
  await until('four keepalives', () => !isOpen || keepalives(stream.text()) > 4);
  assert.ok(isOpen);
  assert.ok(performance.now() - openedAt > idleMs);
});

test('without keepalives, the server closes an idle stream', async () => {
  const { url } = await aNode({ keepaliveMs: 3_600_000, speed: 20 });
  const stream = await openStream(url, key);
  await stream.ended;
  assert.equal(keepalives(stream.text()), 1);
});

test('a stream ends when its token expires', async () => {
  const { url } = await aNode({ keepaliveMs: 200 });
  const stream = await openStream(url, key);
  api.clock.now = Date.now() + 3_590_000;
  await until('a keepalive', () => keepalives(stream.text()) > 1);
  assert.equal(stream.response.destroyed, false);
  api.clock.now = Date.now() + 3_601_000;
  await stream.ended;
  api.clock.now = undefined;
});
