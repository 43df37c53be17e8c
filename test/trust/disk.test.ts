/** What a disk can do to the SQLite file: be full, refuse writes, lose the end of the log. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { chanceOf } from '../support/chance.ts';
import { onlySqlite } from '../support/databases.ts';
import { goThroughTrouble, integrityOf, requireNothingLost } from '../support/disk-trouble.ts';
import { startNode } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { failFlushes, whyNotTraced } from '../support/read-only-files.ts';
import { mayMount, mountSmallDisk } from '../support/small-disk.ts';
import { report, sized } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { aPlace, isAcknowledged, requireWhole, startWriting, type Told } from '../support/write-load.ts';

const chance = chanceOf(Date.now());
const onSmallDisk = { skip: mayMount ? false : 'mounting a small disk needs root' };

describe('the disk', onlySqlite, () => {
  test(
    'a disk that is full refuses changes as unavailable while reads continue, and recovers once there is room',
    onSmallDisk,
    async () => {
      const disk = mountSmallDisk(8);
      const burgee = anInstallation({ databaseUrl: `file:${join(disk.folder, 'burgee.db')}` });
      const client = await startNode(burgee);
      const place = await aPlace(client);
      const told = await goThroughTrouble(client, place, { begin: disk.fill, end: disk.makeRoom });
      // Killed with a full disk: what was acknowledged is in a log that cannot even be moved into the file.
      disk.fill();
      await client.node.end('SIGKILL');
      disk.makeRoom();
      await startNode(burgee);
      await requireNothingLost(burgee, place, told);
      const acknowledged = told.filter(isAcknowledged).length;
      report(
        `disk full: ${acknowledged} writes acknowledged and all there, ${told.length - acknowledged} answered 503`,
      );
    },
  );

  test('a disk on which writing fails refuses changes as unavailable, and recovers by itself', async () => {
    const burgee = anInstallation();
    const client = await startNode(burgee);
    const place = await aPlace(client);
    const limit = (bytes: string) =>
      execFileSync('prlimit', ['--pid', String(client.node.pid), `--fsize=${bytes}:unlimited`]);
    // No file of the process may grow any more: writing into the log fails with an error of the disk.
    const told = await goThroughTrouble(client, place, {
      begin: () => limit('4096'),
      end: () => limit('unlimited'),
    });
    await client.node.end('SIGKILL');
    await startNode(burgee);
    await requireNothingLost(burgee, place, told);
    const acknowledged = told.filter(isAcknowledged).length;
    report(
      `writing fails: ${acknowledged} writes acknowledged and all there, ${told.length - acknowledged} answered 503`,
    );
  });

  test('a server whose flush fails ends with 1 after a fatal line, and the next start has everything acknowledged', async (t) => {
    const burgee = anInstallation();
    const client = await startNode(burgee);
    const reason = await whyNotTraced(client.node.pid);
    if (reason) return t.skip(reason);
    const place = await aPlace(client);
    const load = startWriting([client], place);
    await load.succeeds(client);
    await failFlushes(client.node.pid);
    const { code, stdout } = await client.node.ended;
    const told = await load.stop();
    assert.equal(code, 1);
    assert.match(stdout, /"level":60,.*"msg":"a commit could not be flushed to the disk; the server stops"/);
    await startNode(burgee);
    await requireNothingLost(burgee, place, told);
    report(`flush fails: ${told.filter(isAcknowledged).length} writes acknowledged and all there, ended with 1`);
  });

  test('a log that was cut off anywhere costs only what came behind the cut, and nothing is half there', async () => {
    const cuts = sized({ short: 40, long: 1_000 });
    const burgee = anInstallation();
    const client = await startNode(burgee);
    const place = await aPlace(client);
    // An orderly stop leaves no log, so from here on it has exactly what is written now.
    await client.node.end('SIGTERM');
    const again = await startNode(burgee);
    const file = join(burgee.folder, 'data/burgee.db');
    const log = `${file}-wal`;
    const writes: { told: Told; end: number }[] = [];
    const load = startWriting([again], place, 2);
    let seen = 0;
    await until('some writes are acknowledged', () => {
      for (const told of load.told.slice(seen)) writes.push({ told, end: statSync(log).size });
      seen = load.told.length;
      return seen >= 25;
    });
    await again.node.end('SIGKILL');
    await load.stop();
    assert.ok(writes.every(({ told }) => isAcknowledged(told)));
    const bytes = statSync(log).size;
    // The log restarts when it is moved into the file; positions in it are invalid then.
    assert.ok(bytes < 1_000 * 4_096, `${bytes} bytes`);

    let lost = 0;
    const cutOff = anInstallation({ databaseUrl: `file:${join(burgee.folder, 'cut.db')}` });
    for (let round = 0; round < cuts; round += 1) {
      const cut = round === 0 ? 0 : chance.integer(0, bytes);
      copyFileSync(file, join(burgee.folder, 'cut.db'));
      copyFileSync(log, join(burgee.folder, 'cut.db-wal'));
      truncateSync(join(burgee.folder, 'cut.db-wal'), cut);
      const stored = await requireWhole(cutOff, place);
      assert.ok((await integrityOf(cutOff)).isWhole);
      for (const { told, end } of writes) {
        if (end <= cut) assert.ok(stored.has(told), `${told.mark} ended at ${end} and is gone with a cut at ${cut}`);
      }
      lost += writes.filter(({ told }) => !stored.has(told)).length;
    }
    assert.ok(lost > 0, 'cuts cost something');
    // A server starts with such a file as with any other.
    const server = await startNode(cutOff);
    const more = startWriting([server], place);
    await more.succeeds(server);
    assert.ok((await more.stop()).every(isAcknowledged));
    await requireWhole(cutOff, place);
    report(
      `log cut off: ${cuts} cuts over ${bytes} bytes and ${writes.length} writes, none lost in front of a cut, 0 half`,
    );
  });
});
