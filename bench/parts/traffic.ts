/** What SDKs report: the cost of counting impressions against that of parsing them, and flag changes meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import { startBare } from '../bare-servers.ts';
import { flagName } from '../catalogue.ts';
import type { Asked } from '../load.ts';
import { asked, type Contestant, compare, loadOn, type Sample, watched } from '../measuring.ts';
import { patchDefinitions, rawAnswerOf } from '../requests.ts';
import { costRow, p99Row, type Row } from '../rows.ts';
import { type Server, startBurgee } from '../servers.ts';
import type { Bench } from '../workbench.ts';
import { asNewSdk } from './polls.ts';

const part = 'Impressions';
const writers = 4;

/** Of some flags, as the Node SDK sends them. */
const reportOf = (impressions: number, flags: number): Asked => ({
  method: 'POST',
  path: '/api/testImpressions/bulk',
  body: Array.from({ length: flags }, (_, flag) => ({
    f: flagName(flag),
    i: Array.from({ length: impressions / flags }, (__, index) => ({
      k: `customer-${flag * 7_919 + index * 31}`,
      t: index % 3 === 0 ? 'on' : 'off',
      m: Date.now() + index,
      c: 1_790_000_000_000,
      r: 'default rule',
    })),
  })),
});

export async function measureTraffic(bench: Bench, { url, flags }: { url: string; flags: number }): Promise<Row[]> {
  const server = bench.started(await startBurgee(url));
  const sdk = await asNewSdk(server);
  await settled(server);
  const rows: Row[] = [];
  for (const [work, report] of [
    ['1,000 impressions of 20 flags', reportOf(1_000, 20)],
    ['20,000 impressions of 1,000 flags', reportOf(20_000, 1_000)],
  ] as const) {
    const asking = { clients: 2, requests: [report] };
    const samples = await compare(bench, work, {
      counted: asked(bench, [sdk], asking),
      received: asked(bench, [await startBare(bench, 'bare-parse', await rawAnswerOf(sdk, report))], asking),
      parsed: parsing(JSON.stringify(report.body)),
    });
    const compared = { part, work, ours: samples('counted') };
    rows.push(
      costRow({ ...compared, against: 'bare node:http with `JSON.parse`', theirs: samples('received') }, 2),
      costRow({ ...compared, against: '`JSON.parse` of the same bytes, without HTTP', theirs: samples('parsed') }, 2),
    );
  }
  rows.push(await measureChanges(bench, { server, sdk, flags }));
  await server.stop();
  return rows;
}

/** What a new catalogue leaves to do at the start is no part of receiving reports. */
async function settled({ processorMs }: Server): Promise<void> {
  for (let before = processorMs() ?? 0, busyMs = Number.POSITIVE_INFINITY; busyMs > settledMs; ) {
    await pause(1_000);
    const now = processorMs() ?? 0;
    [before, busyMs] = [now, now - before];
  }
}
const settledMs = 50;

/** The same bytes, as they arrive, in this process. */
function parsing(text: string): Contestant {
  const bytes = Buffer.from(text);
  return async (milliseconds): Promise<Sample> => {
    const [before, startedAt] = [process.cpuUsage(), performance.now()];
    let parsed = 0;
    for (const end = startedAt + milliseconds; performance.now() < end; parsed += 1) JSON.parse(bytes.toString());
    const { user, system } = process.cpuUsage(before);
    const elapsedMs = performance.now() - startedAt;
    const each = elapsedMs / parsed;
    return { perSecond: 1_000 / each, processorUs: (user + system) / parsed, medianMs: each, p99Ms: each };
  };
}

/** As many as an SDK with a thousand evaluations a second and DEBUG mode would send, all the time. */
const besides = reportOf(1_000, 20);

async function measureChanges(
  bench: Bench,
  { server, sdk, flags }: { server: Server; sdk: Server; flags: number },
): Promise<Row> {
  const requests = patchDefinitions(flags, writers);
  const changes = { clients: writers, requests, order: 'own' } as const;
  const beside: Contestant = (milliseconds) =>
    watched([server], async () => {
      const [changed] = await bench.load.run(
        loadOn([server], changes, milliseconds),
        loadOn([sdk], { clients: 1, requests: [besides] }, milliseconds),
      );
      if (!changed) throw new Error('the load had no result');
      return changed;
    });
  const samples = await compare(bench, 'PATCH definition beside impressions', {
    beside,
    alone: asked(bench, [server], changes),
  });
  const compared = { part, work: `PATCH definition, ${writers} clients, beside impressions`, against: 'without them' };
  return p99Row({ ...compared, ours: samples('beside'), theirs: samples('alone') }, 1.5);
}
