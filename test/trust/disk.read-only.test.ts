/** A SQLite file that becomes read-only: when the server starts, and while it runs. */
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { onlySqlite, temporaryFolder } from '../support/databases.ts';
import { goThroughTrouble, requireNothingLost } from '../support/disk-trouble.ts';
import { startNode } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { readOnlyFiles, whyNotTraced } from '../support/read-only-files.ts';
import { mayMount, mountSmallDisk } from '../support/small-disk.ts';
import { report } from '../support/trust.ts';
import { aPlace, isAcknowledged, startWriting } from '../support/write-load.ts';

describe('a file that may only be read', onlySqlite, () => {
  test('refuses the start with a sentence, and nothing is lost by it', async () => {
    const disk = mayMount ? mountSmallDisk(8) : undefined;
    const folder = disk?.folder ?? temporaryFolder();
    const file = join(folder, 'burgee.db');
    const setReadOnly = (readOnly: boolean) => {
      // Root may write everywhere except on a read-only disk.
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

  test('under a running server refuses changes as unavailable while reads continue, until it is writable again', async (t) => {
    const burgee = anInstallation();
    const client = await startNode(burgee);
    const reason = await whyNotTraced(client.node.pid);
    if (reason) return t.skip(reason);
    const place = await aPlace(client);
    const file = join(burgee.folder, 'data/burgee.db');
    const files = readOnlyFiles(client.node.pid, [file, `${file}-wal`]);
    const told = await goThroughTrouble(client, place, { begin: files.forbid, end: files.allow });
    await client.node.end('SIGKILL');
    await startNode(burgee);
    await requireNothingLost(burgee, place, told);
    const acknowledged = told.filter(isAcknowledged).length;
    report(
      `read-only while running: ${acknowledged} writes acknowledged and all there, ${told.length - acknowledged} answered 503`,
    );
  });
});
