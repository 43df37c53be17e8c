/** What a disk can do to the file of SQLite: be full, refuse writes, take no more bytes, lose the end of the log. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { chanceOf } from '../support/chance.ts';
import { onlySqlite, temporaryFolder } from '../support/databases.ts';
import { type Client, startNode, until } from '../support/nodes.ts';
import { anInstallation, type Installation } from '../support/process.ts';
import { mayMount, mountSmallDisk } from '../support/small-disk.ts';
import { report, sized } from '../support/trust.ts';
import {
  aPlace,
  isAcknowledged,
  type Place,
  requireFair,
  requireOnce,
  requireWhole,
  startWriting,
  type Told,
} from '../support/write-load.ts';

const chance = chanceOf(Date.now());
const onSmallDisk = { skip: mayMount ? false : 'mounting a small disk needs root' };

/** While the disk takes nothing: changes are refused, reads go on, and nothing is half done. */
async function requireRefusal(client: Client, place: Place): Promise<void> {
  await until('a change is refused', async () => {
    const answer = await client.post(`/splits/ws/${place.project.id}/trafficTypes/user`, { name: `n${Date.now()}` });
    requireFair(answer);
    return answer.status === 503;
  });
  for (const path of ['/workspaces', place.path, '/auditLogs?limit=5']) {
    assert.equal((await client.get(path)).status, 200, path);
  }
  assert.equal((await fetch(`${client.node.url}/ready`)).status, 200);
  await client.node.says(/"msg":"the database is not available"/);
}

/** Writers go on all the while; the disk is without room in between, twice. */
async function goThrough(client: Client, place: Place, { fill, makeRoom }: { fill(): void; makeRoom(): void }) {
  const load = startWriting([client], place);
  await load.succeeds(client);
  for (let time = 0; time < 2; time += 1) {
    fill();
    await load.isRefused(client);
    await requireRefusal(client, place);
    makeRoom();
    // By itself: nobody restarts anything.
    await load.succeeds(client);
  }
  const told = await load.stop();
  for (const { answer } of told) {
    assert.ok(answer);
    requireFair(answer);
  }
  return told;
}

async function requireNothingLost(burgee: Installation, place: Place, told: readonly Told[]): Promise<void> {
  const { isWhole } = await integrityOf(burgee);
  assert.ok(isWhole);
  await requireOnce(burgee, place, told);
}

const integrityOf = async (burgee: Installation) => {
  const [row] = await burgee.rows<{ integrity_check: string }>('pragma integrity_check');
  return { isWhole: row?.integrity_check === 'ok' };
};

describe('the disk', onlySqlite, () => {
  test(
    'a disk that is full refuses changes as unavailable while reads go on, and room is all it takes',
    onSmallDisk,
    async () => {
      const disk = mountSmallDisk(8);
      const burgee = anInstallation({ databaseUrl: `file:${join(disk.folder, 'burgee.db')}` });
      const client = await startNode(burgee);
      const place = await aPlace(client);
      const told = await goThrough(client, place, disk);
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
    const told = await goThrough(client, place, { fill: () => limit('4096'), makeRoom: () => limit('unlimited') });
    await client.node.end('SIGKILL');
    await startNode(burgee);
    await requireNothingLost(burgee, place, told);
    const acknowledged = told.filter(isAcknowledged).length;
    report(
      `writing fails: ${acknowledged} writes acknowledged and all there, ${told.length - acknowledged} answered 503`,
    );
  });

  test('a file that may only be read refuses the start with a sentence, and nothing is lost by it', async () => {
    const disk = mayMount ? mountSmallDisk(8) : undefined;
    const folder = disk?.folder ?? temporaryFolder();
    const file = join(folder, 'burgee.db');
    const setReadOnly = (readOnly: boolean) => {
      // Root may write everywhere but on a disk that takes no writes.
      if (disk) disk.setReadOnly(readOnly);
      else chmodSync(file, readOnly ? 0o400 : 0o600);
    };
    const burgee = anInstallation({ databaseUrl: `file:${file}` });
    const client = await startNode(burgee);
    const place = await aPlace(client);
    const load = startWriting([client], place);
    await load.succeeds(client);
    // What was written last is still in the log.
    await client.node.end('SIGKILL');
    const told = await load.stop();
    setReadOnly(true);
    const { code, stdout, stderr } = await burgee.run(['serve'], { PORT: '0' });
    setReadOnly(false);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, new RegExp(`^The database file ${file} cannot be opened for writing: .+\n$`));
    await startNode(burgee);
    await requireNothingLost(burgee, place, told);
  });

  test('a log that was cut off anywhere costs only what came behind the cut, and nothing is half there', async () => {
    const cuts = sized({ short: 40, long: 1_000 });
    const burgee = anInstallation();
    const client = await startNode(burgee);
    const place = await aPlace(client);
    // A stop in order leaves no log, so from here on it has exactly what is written now.
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
    // The log begins anew when it is moved into the file: then places in it would mean nothing.
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
    // A server begins with such a file as with any other, and goes on.
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
