/** Measures Burgee against the limits of its platform and against a peer. Writes RESULTS.md and results.svg. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillAuditRows } from './audit-rows.ts';
import { fillCatalogue } from './catalogue.ts';
import { describeMachine } from './machine.ts';
import { readOptions } from './options.ts';
import { measureLists } from './parts/lists.ts';
import { measureAgainstPeer } from './parts/peer.ts';
import { measureOnPostgres } from './parts/postgres.ts';
import { measureReads } from './parts/reads.ts';
import { measureMemory, measureStarts } from './parts/resources.ts';
import { measureWrites } from './parts/writes.ts';
import { resultsPage } from './results.ts';
import { resultsPicture } from './results-picture.ts';
import { startBurgee } from './servers.ts';
import { installUnleash, startUnleash } from './unleash.ts';
import { type Bench, collectRows, withBench } from './workbench.ts';

const { quick: isQuick, numbers } = readOptions(
  ['rounds'],
  `npm run bench                  measures, and writes bench/RESULTS.md and bench/results.svg
npm run bench -- --quick       tries everything once, shortly, with a smaller catalogue, and only prints
npm run bench -- --rounds 3    measures less often than seven times
`,
);
const extent = isQuick
  ? { rounds: 1, milliseconds: 400, warmUpMs: 200 }
  : { rounds: numbers.rounds ?? 7, milliseconds: 1_000, warmUpMs: 3_000 };
/** Of the short list, of what is asked one by one, and of the long list. */
const flags = { few: 100, usual: 1_000, many: isQuick ? 5_000 : 100_000 };

const machine = describeMachine();
const startedAt = performance.now();

const { rows, attempt, finish } = collectRows();

await withBench(extent, async (bench) => {
  const unleash = await installUnleash(bench.tell);
  if (unleash === undefined) bench.tell('Unleash could not be installed: what is compared with it is left out');
  await measureUsual(bench, unleash !== undefined);
  await measureMany(bench, unleash !== undefined);
  await attempt(bench, 'On PostgreSQL', () => measureOnPostgres(bench, flags.usual));
  const isWritten = await finish(bench, {
    ...machine,
    ...extent,
    unleash,
    page: resultsPage,
    file: './RESULTS.md',
    isQuick,
    startedAt,
  });
  if (isWritten) writeFileSync(new URL('./results.svg', import.meta.url), resultsPicture(rows, machine));
});

async function measureUsual(bench: Bench, hasPeer: boolean): Promise<void> {
  bench.tell(`Filling a catalogue of ${flags.usual} flags`);
  const file = join(bench.folder, 'usual.db');
  await fillCatalogue(`file:${file}`, { flags: flags.usual, people: 200 });
  const burgee = bench.started(await startBurgee(`file:${file}`));
  if (hasPeer) bench.tell(`Starting Unleash with ${flags.usual} flags`);
  const unleash = hasPeer ? bench.started(await startUnleash(await bench.postgres(), flags.usual)) : undefined;
  await attempt(bench, 'Reading', () => measureReads(bench, { burgee, unleash, flags: flags.usual }));
  if (unleash) {
    await attempt(bench, 'The peer', () => measureAgainstPeer(bench, { burgee, unleash, flags: flags.usual }));
    await unleash.stop();
  }
  await attempt(bench, 'Changes', () => measureWrites(bench, { server: burgee, file, flags: flags.usual }));
  await burgee.stop();
}

async function measureMany(bench: Bench, hasPeer: boolean): Promise<void> {
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
  await attempt(bench, 'Lists', () =>
    measureLists(bench, { server: small, flags: flags.few }, { server: large, flags: flags.many }),
  );
  await small.stop();
  await large.stop();
  await attempt(bench, 'Start', () => measureStarts(bench, urlOf('empty'), urlOf('many'), flags.many));
  if (!hasPeer) return;
  await attempt(bench, 'Memory', async () =>
    measureMemory(bench, {
      startOurs: () => startBurgee(urlOf('many')),
      startTheirs: async () => startUnleash(await bench.postgres(), flags.many),
      flags: flags.many,
    }),
  );
}
