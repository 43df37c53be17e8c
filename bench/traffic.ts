import { join } from 'node:path';
import { fillCatalogue } from './catalogue.ts';
import { describeMachine } from './machine.ts';
import { readOptions } from './options.ts';
import { measureTraffic } from './parts/traffic.ts';
import { trafficPage } from './results.ts';
import { collectRows, withBench } from './workbench.ts';

const { quick: isQuick, numbers } = readOptions(
  ['rounds'],
  `npm run bench:traffic                  measures, and writes bench/TRAFFIC.md
npm run bench:traffic -- --quick       tries everything once, shortly, and only prints
npm run bench:traffic -- --rounds 3    measures less often than five times
`,
);
const extent = isQuick
  ? { rounds: 1, milliseconds: 600, warmUpMs: 400 }
  : { rounds: numbers.rounds ?? 5, milliseconds: 2_000, warmUpMs: 3_000 };
const flags = 1_000;

const machine = describeMachine();
const startedAt = performance.now();
const { attempt, finish } = collectRows();

await withBench(extent, async (bench) => {
  const url = `file:${join(bench.folder, 'traffic.db')}`;
  bench.tell(`Filling a catalogue of ${flags} flags`);
  await fillCatalogue(url, { flags, people: 0 });
  await attempt(bench, 'Impressions', () => measureTraffic(bench, { url, flags }));
  await finish(bench, { ...machine, ...extent, page: trafficPage, file: './TRAFFIC.md', isQuick, startedAt });
});
