/**
 * A server as an operator runs it, at 70 % of what it can do: reads, changes and pages over 1,000 connections that stay
 * open, with clients among them who read and write slowly. For Linux, since it looks into /proc.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onPostgres } from '../support/databases.ts';
import { type LoadResult, startLoad } from '../support/load.ts';
import { aMix } from '../support/load-mix.ts';
import { adminKey, startNode } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { inspect, inspectable } from '../support/process-inspector.ts';
import { connectedClients, openFiles, residentBytes } from '../support/server-weight.ts';
import { report, sized } from '../support/trust.ts';
import { until } from '../support/until.ts';

const seconds = sized({ short: 21, long: 600 });
const partSeconds = sized({ short: 7, long: 60 });
const share = 0.7;
const slowOfEachKind = 25;
/** Without a rate, this many requests at once: more would only wait for each other. */
const atOnce = 64;
/**
 * With a rate, a machine that has become slower makes requests wait in the client process, where the
 * waiting is counted. Otherwise it would overload the server, which then rightly refuses requests.
 */
const maxUnderWay = 250;

/** Compared without clients and without garbage. Allocators keep some of what 1,000 clients needed for the next ones. */
const growthInUse = 8 * 1_048_576;
const growthOfResident = 96 * 1_048_576;
const p99Growth = 1.5;

const burgee = anInstallation();
const client = await startNode(burgee, inspectable);
const { node: server } = client;
const inspector = await inspect(server);
const mix = await aMix(client);
const load = startLoad();
const order = {
  port: Number(new URL(server.url).port),
  key: adminKey,
  requests: mix.all,
  connections: 1_000 - 2 * slowOfEachKind,
  slowReaders: { count: slowOfEachKind, requests: mix.long },
  slowWriters: { count: slowOfEachKind, requests: mix.changes },
};

/** Beside those for the clients that are connected, among which are our own. */
const ownFiles = () => openFiles(server) - connectedClients(server);
const changes = async () =>
  Number((await burgee.rows<{ count: number }>('select count(*) as count from changes'))[0]?.count);

// All connections to the database are open from now on.
await Promise.all(Array.from({ length: atOnce }, () => client.get('/auditLogs')));
// The copy of what SDKs read has a thread and a file, which are opened some seconds after the first key.
const snapshot = join(burgee.folder, 'data/burgee-sdk-snapshot.db');
await until('the copy for SDKs is there', () => onPostgres || existsSync(snapshot));
const filesBefore = ownFiles();
const filesAreClosed = () => until(`no more than ${filesBefore} files are open`, () => ownFiles() <= filesBefore);

const withoutPause = { ...order, maxUnderWay: atOnce, seconds: 4, partSeconds: 4 };
// The first one warms everything up.
await load.run(withoutPause);
const unpaced = await load.run(withoutPause);
const perSecond = Math.round((answeredInTurn(unpaced) / withoutPause.seconds) * share);
await filesAreClosed();
const memoryBefore = await memory();
const changesBefore = await changes();

const resident: number[] = [];
const watch = setInterval(() => resident.push(residentBytes(server)), 500);
const paced = await load.run({ ...order, maxUnderWay, perSecond, seconds, partSeconds });
clearInterval(watch);

/** Without garbage. */
async function memory(): Promise<{ inUse: number; resident: number }> {
  const { heap, buffers } = await inspector.memory();
  return { inUse: heap + buffers, resident: residentBytes(server) };
}

const mib = (bytes: number) => `${(bytes / 1_048_576).toFixed(0)} MiB`;

test('every request is answered, and with success', () => {
  report(`load: ${perSecond} requests a second for ${seconds} s, which is ${share * 100} % of the capacity`);
  report(`answered: ${paced.answered}, of them ${paced.written} changes; errors: ${paced.errorCount}`);
  report(`by slow clients: ${paced.slowlyRead} read, ${paced.slowlyWritten} written`);
  assert.deepEqual(unpaced.errors, []);
  assert.deepEqual(paced.errors, []);
  assert.equal(answeredInTurn(paced), perSecond * seconds);
  assert.ok(paced.slowlyRead > 0 && paced.slowlyWritten > 0);
});

test('the log has no warning and no error', () => {
  const loud = server.stdout().match(/^\{"level":[456]0.*$/gm);
  assert.deepEqual(loud, null);
});

test('every change that was acknowledged is recorded', async () => {
  const recorded = (await changes()) - changesBefore;
  // Those of the slow writers who went in the middle may have been made.
  assert.ok(recorded >= paced.written && recorded <= paced.written + slowOfEachKind, `${recorded} of ${paced.written}`);
});

test('no file stays open when the clients are gone', async () => {
  await filesAreClosed();
  report(`files open: ${filesBefore} before, ${ownFiles()} afterwards`);
});

test('memory does not grow', async () => {
  // V8 collects garbage late on a machine with much memory, so this is no measure of growth, but an operator wants it.
  const samples = Math.floor((resident.length * partSeconds) / seconds);
  const [first, last] = [median(resident.slice(0, samples)), median(resident.slice(-samples))];
  report(`resident under load: ${mib(first)} at first, ${mib(last)} at last, at most ${mib(Math.max(...resident))}`);
  const { inUse, resident: kept } = await memory();
  report(`without garbage: in use ${mib(memoryBefore.inUse)} before, ${mib(inUse)} afterwards`);
  report(`without garbage: resident ${mib(memoryBefore.resident)} before, ${mib(kept)} afterwards`);
  assert.ok(inUse <= memoryBefore.inUse + growthInUse);
  assert.ok(kept <= memoryBefore.resident + growthOfResident);
});

test('answers do not become slower', (t) => {
  const [first, last] = [paced.parts[0], paced.parts[seconds / partSeconds - 1]];
  assert.ok(first && last);
  const ofPart = ({ medianMs, p99Ms }: typeof first) => `median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(0)} ms`;
  report(`answers of the first ${partSeconds} s: ${ofPart(first)}; of the last: ${ofPart(last)}`);
  if (partSeconds < 60) t.skip('within seconds, what else the machine does weighs more; the long form holds it');
  else assert.ok(last.p99Ms <= first.p99Ms * p99Growth, `${last.p99Ms} ms after ${first.p99Ms} ms`);
});

function answeredInTurn({ answered, slowlyRead, slowlyWritten }: LoadResult): number {
  return answered - slowlyRead - slowlyWritten;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
