/** The drill: a backup under load, restored elsewhere, compared with the responses of clients and with its source. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { sumOf, tables } from '#operations/copy.ts';
import { openSnapshot } from '#store/open.ts';
import { newDatabase, onPostgres } from '../support/databases.ts';
import { startNode } from '../support/nodes.ts';
import { anInstallation, type Installation } from '../support/process.ts';
import { report, sized } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { aPlace, isAcknowledged, requireWhole, startWriting, type Told } from '../support/write-load.ts';

const rounds = sized({ short: 2, long: 30 });
const writesBefore = sized({ short: 100, long: 1_000 });

async function ran(burgee: Installation, args: readonly string[], variables = {}): Promise<void> {
  const { code, stderr } = await burgee.run(args, variables);
  assert.equal(code, 0, stderr);
}

/** Rows and checksum of every table. */
async function sumsOf(databaseUrl: string) {
  const db = await openSnapshot({ databaseUrl, databasePool: 1 });
  try {
    const sums: Record<string, unknown> = {};
    for (const table of tables) sums[table.name] = await sumOf(db, table, () => undefined);
    return sums;
  } finally {
    await db.close();
  }
}

test('a backup made under load has all that was acknowledged before it began, nothing half, and can be worked with', async () => {
  const burgee = anInstallation();
  const client = await startNode(burgee, { LOG_LEVEL: 'warn' });
  const place = await aPlace(client);
  const told: Told[] = [];
  let meanwhile = 0;
  let inBackups = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const load = startWriting([client], place);
    const acknowledged = () => load.told.filter(isAcknowledged);
    await until(`${writesBefore} writes are acknowledged`, () => acknowledged().length >= writesBefore);
    const before = [...told, ...acknowledged()];
    const file = join(burgee.folder, `backup-${round}.db`);
    const { length: begun } = acknowledged();
    await ran(burgee, ['backup', file]);
    meanwhile += acknowledged().length - begun;
    told.push(...(await load.stop()));

    const { databaseUrl } = await newDatabase({ empty: true });
    await ran(burgee, ['restore', file], { DATABASE_URL: databaseUrl });
    assert.deepEqual(await sumsOf(databaseUrl), await sumsOf(`file:${file}`), 'what is restored is the backup');
    const stored = await requireWhole(anInstallation({ databaseUrl }), place);
    for (const one of before) assert.ok(stored.has(one), `${one.mark} was acknowledged before the backup began`);
    inBackups += stored.count;
  }
  assert.ok(told.every(isAcknowledged), 'a backup disturbs nobody');
  assert.ok(meanwhile > 0, 'writes went on while backups were made');
  report(
    `backup drill on ${onPostgres ? 'PostgreSQL' : 'SQLite'}: ${rounds} backups under load of ${told.length} writes, ` +
      `${meanwhile} acknowledged while one was made, ${inBackups} found in restored databases, 0 lost, 0 half`,
  );
});

test('a restored database equals its source in every table, and a server can use it', async () => {
  const burgee = anInstallation();
  const client = await startNode(burgee, { LOG_LEVEL: 'warn' });
  const place = await aPlace(client);
  const load = startWriting([client], place);
  await load.succeeds(client);
  await load.stop();
  await client.node.end('SIGTERM');
  await ran(burgee, ['backup', 'quiet.db']);
  const { databaseUrl } = await newDatabase({ empty: true });
  await ran(burgee, ['restore', 'quiet.db'], { DATABASE_URL: databaseUrl });
  assert.deepEqual(await sumsOf(databaseUrl), await sumsOf(await burgee.databaseUrl()));

  const restored = anInstallation({ databaseUrl });
  const again = await startNode(restored);
  const more = startWriting([again], place);
  await more.succeeds(again);
  assert.ok((await more.stop()).every(isAcknowledged));
  await requireWhole(restored, place);
});
