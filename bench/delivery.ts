import { join } from 'node:path';
import { command } from '../test/support/databases.ts';
import { fillCatalogue } from './catalogue.ts';
import { describeMachine } from './machine.ts';
import { readOptions } from './options.ts';
import { measureEvaluation, measurePolls, measurePollsOfUnleash, measurePollsOnPostgres } from './parts/polls.ts';
import { measureArrival, measureFanOut, measureSizes } from './parts/streams.ts';
import { deliveryPage } from './results.ts';
import { startBurgee } from './servers.ts';
import { installUnleash, startUnleash } from './unleash.ts';
import { collectRows, withBench } from './workbench.ts';

const { quick: isQuick, numbers } = readOptions(
  ['rounds', 'streams'],
  `npm run bench:delivery                     measures, and writes bench/DELIVERY.md
npm run bench:delivery -- --quick          tries everything once, shortly, and only prints
npm run bench:delivery -- --rounds 3       measures less often than five times
npm run bench:delivery -- --streams 2000   opens fewer streams than ten thousand
`,
);
const extent = isQuick
  ? { rounds: 1, milliseconds: 400, warmUpMs: 200 }
  : { rounds: numbers.rounds ?? 5, milliseconds: 1_000, warmUpMs: 3_000 };
const flags = { few: 100, usual: 1_000, many: isQuick ? 1_000 : 10_000 };
const streams = numbers.streams ?? (isQuick ? 200 : 10_000);

const machine = describeMachine();
const startedAt = performance.now();
const { attempt, finish } = collectRows();

await withBench(extent, async (bench) => {
  const unleash = await installUnleash(bench.tell);
  const urlOf = (name: string) => `file:${join(bench.folder, `${name}.db`)}`;
  for (const [name, count] of Object.entries(flags)) {
    bench.tell(`Filling a catalogue of ${count} flags`);
    await fillCatalogue(urlOf(name), { flags: count, people: 0 });
  }
  const burgee = bench.started(await startBurgee(urlOf('usual')));
  // First, while nothing else runs: these are near to what the machine can do.
  await attempt(bench, 'Polls', () => measurePolls(bench, { burgee, flags: flags.usual }));
  await attempt(bench, 'Evaluation', () => measureEvaluation(bench, burgee));

  const postgres = await bench.postgres();
  await command(postgres.url('postgres'), 'create database burgee_delivery');
  await fillCatalogue(postgres.url('burgee_delivery'), { flags: flags.usual, people: 0 });
  if (unleash !== undefined) {
    const peer = bench.started(await startUnleash(postgres, flags.usual));
    await attempt(bench, 'Polls of Unleash', () =>
      measurePollsOfUnleash(bench, { burgee, unleash: peer, flags: flags.usual }),
    );
    await peer.stop();
  }
  await attempt(bench, 'Streams', () => measureFanOut(bench, { url: urlOf('usual'), streams }));
  await attempt(bench, 'Polls on PostgreSQL', () =>
    measurePollsOnPostgres(bench, { sqlite: burgee, url: postgres.url('burgee_delivery') }),
  );
  await attempt(bench, 'Arrival', () =>
    measureArrival(bench, { server: burgee, url: postgres.url('burgee_delivery'), changes: isQuick ? 10 : 200 }),
  );
  await burgee.stop();
  const catalogued = (name: keyof typeof flags) => ({ url: urlOf(name), flags: flags[name] });
  await attempt(bench, 'Sizes', () => measureSizes(bench, { few: catalogued('few'), many: catalogued('many') }));

  await finish(bench, {
    ...machine,
    ...extent,
    unleash,
    page: deliveryPage,
    file: './DELIVERY.md',
    isQuick,
    startedAt,
  });
});
