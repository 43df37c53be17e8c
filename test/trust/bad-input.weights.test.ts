/** No single request may hold up the others, however much it asks the server to do before it is refused. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { aHostileInstallation } from '../support/hostile-installation.ts';
import { requireRefusal } from '../support/hostile-requests.ts';
import {
  aSegmentForKeys,
  heavyDependencies,
  heavyReads,
  heavyRequests,
  heavySegments,
  largestKeys,
} from '../support/hostile-weights.ts';
import { maxMs } from '../support/process-inspector.ts';
import { report } from '../support/trust.ts';

const installation = await aHostileInstallation();
after(() => installation.sender.close());
const { inspector } = installation;
const everyRequest = [
  ...heavyRequests(),
  ...(await heavyDependencies(installation)),
  ...(await heavySegments(installation)),
];

/** The minimum of several runs is what the request costs: the rest is compilation and garbage of other requests. */
const tries = 4;

test(`the heaviest requests hold the event loop for ${maxMs} ms at most, write nothing and leave nothing behind`, async () => {
  const written = await installation.fingerprint();
  const costs: [kind: string, milliseconds: number][] = [];
  for (const hostile of everyRequest) {
    let least = Number.POSITIVE_INFINITY;
    for (let count = 0; count < tries; count += 1) {
      await inspector.longestTurn();
      const reply = await installation.send(hostile);
      least = Math.min(least, await inspector.longestTurn());
      requireRefusal(reply);
    }
    costs.push([hostile.kind, await inspector.asThere(least)]);
  }
  const inOrder = costs.sort(([, one], [, other]) => other - one);
  report(`bad input: ${costs.length} of the heaviest requests; the longest turns of the event loop:`);
  for (const [kind, milliseconds] of inOrder.slice(0, 10)) report(`  ${milliseconds.toFixed(0)} ms: ${kind}`);
  assert.deepEqual(
    inOrder.filter(([, milliseconds]) => milliseconds > maxMs),
    [],
  );
  assert.equal(await installation.fingerprint(), written);
  installation.requireQuietLog();
});

test('after them memory is where it was before', async () => {
  const before = await inspector.memory();
  for (const hostile of everyRequest) requireRefusal(await installation.send(hostile));
  const now = await inspector.memory();
  const growth = { heap: now.heap - before.heap, buffers: now.buffers - before.buffers };
  report(`bad input: memory after the heaviest again: ${(growth.heap / 1e6).toFixed(1)} MB of heap more`);
  assert.ok(growth.heap < 8e6 && growth.buffers < 8e6, JSON.stringify(growth));
});

/** What takes longer would be parsed, or read together. */
const maxReadingMs = 50;

test(`reading the largest definitions holds the event loop for ${maxReadingMs} ms at most`, async () => {
  const costs: [path: string, milliseconds: number][] = [];
  for (const path of await heavyReads(installation)) {
    let least = Number.POSITIVE_INFINITY;
    for (let count = 0; count < tries; count += 1) {
      await inspector.longestTurn();
      // A different URL each time, so that no response is cached.
      await installation.ask('GET', `${path}${path.includes('?') ? '&' : '?'}try=${count}`);
      least = Math.min(least, await inspector.longestTurn());
    }
    costs.push([path.replace(/^.*\/ws\/[-\w]+/, '…'), await inspector.asThere(least)]);
  }
  for (const [path, milliseconds] of costs) report(`bad input: ${milliseconds.toFixed(0)} ms: GET ${path}`);
  assert.deepEqual(
    costs.filter(([, milliseconds]) => milliseconds > maxReadingMs),
    [],
  );
});

const maxKeysMs = 50;

test(`changing 10,000 keys of 250 characters holds the event loop for ${maxKeysMs} ms at most`, async () => {
  const path = await aSegmentForKeys(installation);
  const costs = new Map<string, number>();
  for (let count = 0; count < tries; count += 1) {
    const [some, others] = [largestKeys(`some-${count}`), largestKeys(`others-${count}`)];
    for (const [call, keys] of [
      ['uploadKeys', some],
      ['uploadKeys?replace=true', others],
      ['removeKeys', others],
    ] as const) {
      await inspector.longestTurn();
      await installation.ask('PUT', `${path}/${call}`, { keys });
      costs.set(call, Math.min(costs.get(call) ?? Number.POSITIVE_INFINITY, await inspector.longestTurn()));
    }
  }
  for (const [call, milliseconds] of costs) report(`bad input: ${milliseconds.toFixed(0)} ms: 10,000 keys to ${call}`);
  assert.deepEqual(
    [...costs].filter(([, milliseconds]) => milliseconds > maxKeysMs),
    [],
  );
});
