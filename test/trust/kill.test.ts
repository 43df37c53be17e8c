/**
 * kill -9: clients write continuously and keep the responses; the server is killed at a random
 * moment, also while it starts; afterwards every acknowledged write must be there.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { chanceOf } from '../support/chance.ts';
import { onPostgres } from '../support/databases.ts';
import { adminKey, type Client, startNode } from '../support/nodes.ts';
import { anInstallation, type Installation } from '../support/process.ts';
import { report, sized } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { aPlace, isAcknowledged, type Place, requireWhole, startWriting, type Told } from '../support/write-load.ts';

const rounds = sized({ short: 25, long: onPostgres ? 200 : 1_000 });
/** How many starts are killed, of the first one and among the rounds. */
const firstStarts = sized({ short: 2, long: 20 });
const startsKilled = 0.1;
const database = onPostgres ? 'PostgreSQL' : 'SQLite';

const chance = chanceOf(Date.now());

/** Starts a server that is killed before, while or right after it begins to listen. */
async function killAStart(burgee: Installation): Promise<void> {
  const seconds = (0.1 + 1.5 * chance.number()).toFixed(2);
  const program = `"${process.execPath}" "${burgee.main}" serve`;
  await burgee.shell(`timeout -s KILL ${seconds} ${program}`, { PORT: '0', BURGEE_ADMIN_API_KEY: adminKey });
}

/** The clients write, and after some acknowledgements and a moment the server is gone. */
async function writeUntilKilled(client: Client, place: Place): Promise<readonly Told[]> {
  const load = startWriting([client], place);
  const wanted = chance.integer(0, 30);
  await until(`${wanted} writes are acknowledged`, () => load.told.filter(isAcknowledged).length >= wanted);
  await pause(25 * chance.number());
  await client.node.end('SIGKILL');
  return load.stop();
}

interface Entry {
  readonly transaction_id: string;
  readonly object_name: string;
  readonly after_body: string;
}

/** All that was acknowledged since then is there with its audit entry. */
async function requireAcknowledged(burgee: Installation, since: number, told: readonly Told[]): Promise<void> {
  const entries = await burgee.rows<Entry>(
    `select transaction_id, object_name, after_body from changes where at >= ${since}`,
  );
  const byId = new Map(entries.map((entry) => [entry.transaction_id, entry]));
  for (const { kind, mark, answer } of told.filter(isAcknowledged)) {
    const entry = byId.get(String(answer?.headers['x-transaction-id']));
    const isThere = kind === 'flag' ? entry?.object_name === mark : entry?.after_body.includes(`"${mark}"`);
    assert.ok(isThere, `${kind} ${mark} was acknowledged and is not there`);
  }
}

/** No flag without the entry of its creation, and no entry without its flag. */
async function requireNoHalf(burgee: Installation, { project }: Place): Promise<void> {
  const flags = `select name from flags where project_id = '${project.id}'`;
  const created = `select object_name as name from changes where project_id = '${project.id}' and action = 'flag.created'`;
  assert.deepEqual(await burgee.rows(`${flags} except ${created}`), [], 'flags without an entry');
  assert.deepEqual(await burgee.rows(`${created} except ${flags}`), [], 'entries without a flag');
}

/** A place in the audit log, as a client keeps it: it must mean the same after the server was killed. */
async function aMarker(client: Client): Promise<(later: Client) => Promise<void>> {
  const { body: newest } = await client.get('/auditLogs?limit=2');
  if (!newest.nextMarker) return async () => undefined;
  const path = `/auditLogs?limit=20&after=${newest.nextMarker}`;
  const { body: before } = await client.get(path);
  const ids = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);
  return async (later) => {
    const { status, body } = await later.get(path);
    assert.deepEqual([status, ids(body)], [200, ids(before)], 'a marker means what it meant');
  };
}

test('acknowledged changes survive kill -9 at any moment: whole, once, and with increasing numbers', async () => {
  const burgee = anInstallation({ empty: true });
  for (let start = 0; start < firstStarts; start += 1) await killAStart(burgee);
  // An orderly stop keeps the compile cache, which makes the next starts a third cheaper.
  const quickly = { NODE_COMPILE_CACHE: join(burgee.folder, 'compiled') };
  const first = await startNode(burgee, quickly);
  const place = await aPlace(first);
  await first.node.end('SIGTERM');
  let client = await startNode(burgee, quickly);
  const told: Told[] = [];
  let latest = 0;
  let changeNumber = 0;
  let killedStarts = firstStarts;
  for (let round = 1; round <= rounds; round += 1) {
    const since = Date.now();
    const requireSameMarker = await aMarker(client);
    const now = await writeUntilKilled(client, place);
    if (chance.odds(startsKilled)) {
      await killAStart(burgee);
      killedStarts += 1;
    }
    client = await startNode(burgee, quickly);
    await requireAcknowledged(burgee, since, now);
    await requireNoHalf(burgee, place);
    await requireSameMarker(client);

    const times = now.filter((one) => isAcknowledged(one) && one.kind === 'definition').map(timeOf);
    if (times.length > 0)
      assert.ok(Math.min(...times) > latest, 'a change has an earlier time than one before the kill');
    latest = Math.max(latest, ...times);
    const [environment] = await burgee.rows<{ change_number: number }>(
      `select change_number from environments where id = '${place.project.staging.id}'`,
    );
    assert.ok((environment?.change_number ?? 0) >= changeNumber, 'the change number went back');
    changeNumber = environment?.change_number ?? 0;
    told.push(...now);
  }
  const stored = await requireWhole(burgee, place);
  const acknowledged = told.filter(isAcknowledged);
  for (const one of acknowledged) assert.ok(stored.has(one), `${one.mark} is there to the end`);
  assert.ok(acknowledged.length > rounds, 'there was something to lose');
  report(
    `kill -9 on ${database}: ${rounds} rounds, ${killedStarts} starts killed, ` +
      `${acknowledged.length} writes acknowledged and all there, ${told.length - acknowledged.length} without an answer ` +
      `of which ${stored.count - acknowledged.length} are there whole, 0 lost, 0 half`,
  );
});

const timeOf = ({ answer }: Told): number => answer?.body.lastUpdateTime ?? 0;
