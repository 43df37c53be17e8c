/**
 * How fast Burgee is, beside the limits of what it is built of and beside its peer. Writes RESULTS.md and results.svg.
 * `npm run bench -- --quick` tries everything once, shortly, with a smaller catalogue, and only prints what it found.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../test/support/databases.ts';
import { fillAuditRows } from './audit-rows.ts';
import { fillCatalogue } from './catalogue.ts';
import { describeMachine } from './machine.ts';
import { type Bench, withBench } from './measuring.ts';
import { measureLists } from './parts/lists.ts';
import { measureAgainstPeer } from './parts/peer.ts';
import { measureOnPostgres } from './parts/postgres.ts';
import { measureReads } from './parts/reads.ts';
import { measureMemory, measureStarts } from './parts/resources.ts';
import { measureWrites } from './parts/writes.ts';
import { resultsPage } from './results.ts';
import { resultsPicture } from './results-picture.ts';
import type { Row } from './rows.ts';
import { startBurgee } from './servers.ts';
import { installUnleash, startUnleash } from './unleash.ts';

const isQuick = process.argv.includes('--quick');
const extent = isQuick
  ? { rounds: 1, milliseconds: 400, warmUpMs: 200 }
  : { rounds: 7, milliseconds: 1_000, warmUpMs: 600 };
/** Of the short list, of what is asked one by one, and of the long list. */
const flags = { few: 100, usual: 1_000, many: isQuick ? 5_000 : 100_000 };

const machine = describeMachine();
const startedAt = performance.now();

await withBench(extent, async (bench) => {
  const unleash = await installUnleash(bench.tell);
  if (unleash === undefined) bench.tell('Unleash could not be installed: what is compared with it is left out');
  const rows = [
    ...(await measureUsual(bench, unleash !== undefined)),
    ...(await measureMany(bench, unleash !== undefined)),
    ...(await measureOnPostgres(bench, flags.usual)),
  ];
  const [version] = await command((await bench.postgres()).url('postgres'), 'show server_version');
  const minutes = (performance.now() - startedAt) / 60_000;
  const text = resultsPage(rows, {
    ...machine,
    ...extent,
    unleash,
    postgres: String(version?.server_version),
    minutes,
    loadBusiest: bench.load.busiest(),
  });
  process.stdout.write(text);
  if (isQuick) return;
  writeFileSync(new URL('./RESULTS.md', import.meta.url), text);
  writeFileSync(new URL('./results.svg', import.meta.url), resultsPicture(rows, machine));
});

async function measureUsual(bench: Bench, hasPeer: boolean): Promise<Row[]> {
  bench.tell(`Filling a catalogue of ${flags.usual} flags`);
  const file = join(bench.folder, 'usual.db');
  await fillCatalogue(`file:${file}`, { flags: flags.usual, people: 200 });
  const burgee = bench.started(await startBurgee(`file:${file}`));
  if (hasPeer) bench.tell(`Starting Unleash with ${flags.usual} flags`);
  const unleash = hasPeer ? bench.started(await startUnleash(await bench.postgres(), flags.usual)) : undefined;
  const rows = await measureReads(bench, { burgee, unleash, flags: flags.usual });
  if (unleash) rows.push(...(await measureAgainstPeer(bench, { burgee, unleash, flags: flags.usual })));
  await unleash?.stop();
  rows.push(...(await measureWrites(bench, { server: burgee, file, flags: flags.usual })));
  await burgee.stop();
  return rows;
}

async function measureMany(bench: Bench, hasPeer: boolean): Promise<Row[]> {
  const urlOf = (name: string) => `file:${join(bench.folder, `${name}.db`)}`;
  for (const [name, count] of [
    ['few', flags.few],
    ['many', flags.many],
  ] as const) {
    bench.tell(`Filling a catalogue of ${count} flags, people and groups`);
    await fillCatalogue(urlOf(name), { flags: count, people: count });
    fillAuditRows(join(bench.folder, `${name}.db`), { from: 0, to: count });
  }
  await fillCatalogue(urlOf('empty'), { flags: 0, people: 0 });
  const small = bench.started(await startBurgee(urlOf('few')));
  const large = bench.started(await startBurgee(urlOf('many')));
  const rows = await measureLists(bench, { server: small, flags: flags.few }, { server: large, flags: flags.many });
  await small.stop();
  await large.stop();
  rows.push(await measureStarts(bench, urlOf('empty'), urlOf('many'), flags.many));
  if (!hasPeer) return rows;
  bench.tell(`Memory, with ${flags.many} flags in Burgee and in Unleash`);
  const postgres = await bench.postgres();
  const memory = await measureMemory(bench, {
    startOurs: () => startBurgee(urlOf('many')),
    startTheirs: () => startUnleash(postgres, flags.many),
    flags: flags.many,
  });
  return [...rows, ...memory];
}
