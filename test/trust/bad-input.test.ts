/**
 * Every endpoint of the contract with requests that are wrong in every way that follows from its declaration, and
 * in random ways. The server is a real process behind a real socket.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hostileBodies } from '../support/hostile-bodies.ts';
import { chanceRequests } from '../support/hostile-chance.ts';
import { aHostileInstallation, fuzz } from '../support/hostile-installation.ts';
import { hostileHeaders, hostileMethods, hostilePaths, hostileQueries } from '../support/hostile-paths.ts';
import type { Hostile } from '../support/hostile-requests.ts';
import { maxMs } from '../support/process-inspector.ts';
import { isLong, report, sized } from '../support/trust.ts';

const installation = await aHostileInstallation();
after(() => installation.sender.close());
const seed = Math.floor(Math.random() * 2 ** 31);

/** Code is compiled and caches are filled by now; memory in use must not grow from here on. */
await fuzz(installation, chanceRequests(2_000, seed));
const before = await installation.inspector.memory();
await installation.inspector.longestTurn();
let sent = 0;
let longest = 0;

const corpus: Record<string, () => Iterable<Hostile>> = {
  bodies: hostileBodies,
  paths: hostilePaths,
  queries: hostileQueries,
  headers: hostileHeaders,
  methods: hostileMethods,
  chance: () => chanceRequests(sized({ short: 6_000, long: 100_000 }), seed + 1),
};

for (const [subject, requests] of Object.entries(corpus)) {
  test(`${subject} that are wrong are refused in the words of the specification, and nothing is written`, async () => {
    for (const [kind, all] of Map.groupBy(requests(), (request) => request.kind)) {
      // The short form takes every second request of long lists.
      const hostile = isLong || all.length < 1_000 ? all : all.filter((_, index) => index % 2 === 0);
      const written = await installation.fingerprint();
      const statuses = await fuzz(installation, hostile);
      let turn = await installation.inspector.longestTurn();
      if (turn > maxMs) {
        // Measured twice: what the requests cost comes again, what the machine did meanwhile does not.
        await fuzz(installation, hostile);
        turn = await installation.inspector.asThere(Math.min(turn, await installation.inspector.longestTurn()));
      }
      longest = Math.max(longest, turn);
      assert.equal(await installation.fingerprint(), written, `${kind} (seed ${seed}) changed the database`);
      sent += hostile.length;
      report(`bad input, ${kind}: ${hostile.length} requests, ${inWords(statuses)}`);
    }
  });
}

test('at least 20,000 requests were wrong, none of them held up the others, and memory is where it was', async () => {
  const { heap, buffers } = await installation.inspector.memory();
  const growth = { heap: heap - before.heap, buffers: buffers - before.buffers };
  report(
    `bad input: ${sent} requests; the longest turn of the event loop took ${longest.toFixed(0)} ms of processor time`,
  );
  report(
    `bad input: memory in use after them: ${mega(growth.heap)} MB of heap, ${mega(growth.buffers)} MB of buffers more`,
  );
  assert.ok(sent >= 20_000, `only ${sent}`);
  assert.ok(longest <= maxMs, `${longest} ms`);
  assert.ok(growth.heap < 16e6 && growth.buffers < 8e6, JSON.stringify(growth));
  installation.requireQuietLog();
});

const mega = (bytes: number): string => (bytes / 1e6).toFixed(1);

const inWords = (statuses: ReadonlyMap<number, number>): string =>
  [...statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status} × ${count}`)
    .join(', ');
